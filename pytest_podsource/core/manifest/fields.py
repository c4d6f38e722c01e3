"""
JSON values as the API's types, by a table of fields.

Rule 1: a wrong JSON type refuses the manifest; a number in the place of a text as well.
Rule 2: unknown fields vanish. Rule 3: names match as they are written; up to 1.1 in any
case. Rule 4: null is as if nothing was said. Rule 5: a field is there if Go would print
it; a list or mapping without entries stays, none at all is absent.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from functools import cache, cached_property
from typing import Any

from pytest_podsource.contract import Refused
from pytest_podsource.core.manifest.quantity import ZERO, Quantity, parse_quantity
from pytest_podsource.core.manifest.text import Number
from pytest_podsource.core.versions import Kubelet, kubelet
from pytest_podsource.data import table
from pytest_podsource.known import KUBELETS

Value = Any
Fields = Mapping[str, str]
Decode = Callable[[Value], Value]

_INT_BITS = {"int32": 31, "int64": 63}
_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:[.,]\d+)?(Z|[+-]\d\d:\d\d)\Z", re.ASCII
)


class _Wrong(Exception):
    """
    A value that its type refuses; where it stands is found on the way out.

    Args:
        reason: What is wrong.
        ends: No other fault is told, not even one that stands before it.
    """

    def __init__(self, reason: str, *, ends: bool = False) -> None:
        super().__init__(reason)
        self.path = ""
        self.ends = ends

    def below(self, step: str, first: _Wrong | None) -> _Wrong:
        """
        Return which fault of a struct, list or mapping counts so far.

        Args:
            step: Where in it this one was found.
            first: The one that was found before.

        Raises:
            _Wrong: This one, if it ends the decoding.
        """
        self.path = f"{step}{self.path}"
        if self.ends:
            raise self
        return first or self


def decode(value: Value, type_: str, version: Kubelet) -> dict[str, Any]:
    """
    Return *value* as the struct *type_*, such as ``Pod``.

    Raises:
        Refused: Something in it has another type.
    """
    try:
        found: dict[str, Any] = _types(version.minor).of(type_)(value)
    except _Wrong as wrong:
        where = wrong.path.lstrip(".") or "the manifest"
        raise Refused(f"{where}: {wrong}") from None
    return found


@cache
def structs_of(minor: str) -> Mapping[str, Fields]:
    """
    Return the fields of each struct in the kubelet *minor*.
    """
    so_far = KUBELETS[: KUBELETS.index(minor) + 1]
    return {
        struct: {
            name: kind
            for name, since in fields.items()
            if (kind := _newest(since, so_far))
        }
        for struct, fields in table("pod_fields").items()
    }


def _newest(since: Mapping[str, str | None], so_far: tuple[str, ...]) -> str | None:
    return next((since[each] for each in reversed(so_far) if each in since), None)


class _Types:
    """
    What decodes each type of one kubelet, made when it is first asked for.

    A type is a leaf, a struct, ``[]T``, ``map[T]`` or ``*T``.
    """

    def __init__(self, version: Kubelet) -> None:
        self._structs = structs_of(version.minor)
        self._any_case = version.fields_in_any_case
        self._first_ends = version.first_mismatch_ends
        leaves = {
            **(_WRAPPING_LEAVES if version.integers_wrap else _LEAVES),
            "IntOrString": _int_or_string(version.int_or_string_bits),
            "Quantity": _quantity(with_tiny=version.tiny_quantities),
        }
        self._made: dict[str, Decode] = {
            kind: _ending(leaf) if self._first_ends or kind in _READ_APART else leaf
            for kind, leaf in leaves.items()
        }

    def of(self, kind: str) -> Decode:
        """Return what decodes *kind*."""
        if kind not in self._made:
            made = self._make(kind)
            self._made[kind] = _ending(made) if self._first_ends else made
        return self._made[kind]

    def _make(self, kind: str) -> Decode:
        if kind.startswith("*"):
            return _pointer(self.of(kind[1:]))
        if kind.startswith("[]"):
            return _list(self.of(kind[2:]))
        if kind.startswith("map["):
            return _map(self.of(kind[4:-1]))
        return _Struct(self, self._structs[kind], any_case=self._any_case)


@cache
def _types(minor: str) -> _Types:
    return _Types(kubelet(minor))


class _Struct:
    """
    Decodes one struct; a field ``T!`` is printed even if it is empty.
    """

    def __init__(self, types: _Types, fields: Fields, *, any_case: bool) -> None:
        self._types = types
        self._kinds = fields
        self._any_case = any_case

    @cached_property
    def _fields(self) -> dict[str, tuple[Decode, bool]]:
        # Not in the constructor: a struct may contain itself.
        return {
            name: (self._types.of(kind.rstrip("!")), _is_left_out_if_empty(kind))
            for name, kind in self._kinds.items()
        }

    @cached_property
    def _always(self) -> list[tuple[str, Decode]]:
        kinds = self._kinds.items()
        return [
            (name, self._fields[name][0]) for name, kind in kinds if kind[-1] == "!"
        ]

    @cached_property
    def _names(self) -> dict[str, str]:
        return {name.lower(): name for name in self._kinds}

    def __call__(self, value: Value) -> dict[str, Any]:
        """Return *value* as this struct."""
        given = _typed(value, dict, "an object") or {}
        if self._any_case:
            given = self._as_written(given)
        first: _Wrong | None = None
        found = {}
        fields = self._fields
        for name, each in given.items():
            if name not in fields:
                continue
            decode_field, is_left_out_if_empty = fields[name]
            try:
                inner = decode_field(each)
            except _Wrong as wrong:
                first = wrong.below(f".{name}", first)
                continue
            if inner or not (inner is None or is_left_out_if_empty):
                found[name] = inner
        if first:
            raise first
        for name, decode_field in self._always:
            if name not in given and (inner := decode_field(None)) is not None:
                found[name] = inner
        return found

    def _as_written(self, value: dict[str, Value]) -> dict[str, Value]:
        return {
            name if name in self._kinds else self._names.get(name.lower(), name): each
            for name, each in value.items()
        }


def _is_left_out_if_empty(kind: str) -> bool:
    # Go's omitempty; lists and mappings without entries are kept on purpose.
    return kind in ("string", "bool", *_INT_BITS)


def _ending(inner: Decode) -> Decode:
    def decode_or_end(value: Value) -> Value:
        try:
            return inner(value)
        except _Wrong as wrong:
            wrong.ends = True
            raise

    return decode_or_end


def _pointer(inner: Decode) -> Decode:
    return lambda value: None if value is None else inner(value)


def _list(inner: Decode) -> Decode:
    def decode_list(value: Value) -> list[Value] | None:
        if _typed(value, list, "a list") is None:
            return None
        first: _Wrong | None = None
        found = []
        for index, each in enumerate(value):
            try:
                found.append(inner(each))
            except _Wrong as wrong:  # noqa: PERF203 - the others are read as well
                first = wrong.below(f"[{index}]", first)
        if first:
            raise first
        return found

    return decode_list


def _map(inner: Decode) -> Decode:
    def decode_map(value: Value) -> dict[str, Value] | None:
        if _typed(value, dict, "an object") is None:
            return None
        first: _Wrong | None = None
        found = {}
        for key, each in value.items():
            try:
                found[key] = inner(each)
            except _Wrong as wrong:  # noqa: PERF203 - the others are read as well
                first = wrong.below(f"[{key}]", first)
        if first:
            raise first
        return found

    return decode_map


def _typed(value: Value, type_: type, name: str) -> Value:
    if value is None or isinstance(value, type_):
        return value
    raise _mismatch(value, name)


def _mismatch(value: Value, name: str) -> _Wrong:
    shown = value.text if isinstance(value, Number) else repr(value)
    hint = (
        " Quote it to make it a text."
        if name == "a text" and not isinstance(value, (list, dict))
        else ""
    )
    return _Wrong(f"{shown[:60]} is not {name}.{hint}")


def _string(value: Value) -> str:
    return _typed(value, str, "a text") or ""


def _bool(value: Value) -> bool:
    return _typed(value, bool, "true or false") or False


def _int(bits: int) -> Callable[[Value], int]:
    def leaf(value: Value) -> int:
        if value is None:
            return 0
        if not isinstance(value, int) or isinstance(value, bool):
            raise _mismatch(value, "a whole number")
        if not -(2**bits) <= value < 2**bits:
            raise _mismatch(value, f"a number of {bits + 1} bits")
        return value

    return leaf


def _wrapping_int(bits: int) -> Callable[[Value], int]:
    """
    Read digit by digit; a product that wraps around shows only if it becomes less.

    Kubelet: ``Iterator.ReadInt32`` and ``ReadInt64`` of json-iterator 1.1.10.
    """
    whole, size = _int(bits), 2 ** (bits + 1)

    def leaf(value: Value) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            return whole(value)
        total = 0
        for digit in str(abs(value)):
            before, total = total, (total * 10 + int(digit)) % size
            if total < before:
                raise _mismatch(value, f"a number of {bits + 1} bits")
        return whole(-total if value < 0 else total)

    return leaf


def _int_or_string(bits: int) -> Callable[[Value], int | str]:
    whole = _int(bits)
    return lambda value: value if isinstance(value, str) else whole(value)


def _quantity(*, with_tiny: bool) -> Callable[[Value], Quantity]:
    def leaf(value: Value) -> Quantity:
        if value is None:
            return ZERO
        text = value.text if isinstance(value, Number) else str(value)
        if isinstance(value, (bool, list, dict)):
            raise _mismatch(value, "a quantity")
        if not with_tiny and text.strip().endswith(("n", "u")):
            raise _mismatch(
                value, "a quantity of this kubelet, whose least suffix is m"
            )
        try:
            return parse_quantity(text.strip())
        except ValueError as error:
            raise _Wrong(str(error)) from None

    return leaf


def _time(value: Value) -> str | None:
    text = _typed(value, str, "a text")
    if text is None:
        return None
    form = _TIME.match(text)
    try:
        day, clock, zone = form.groups() if form else ("", "", "")
        moment = datetime.fromisoformat(f"{day}T{clock}{zone.replace('Z', '+00:00')}")
    except ValueError:
        raise _mismatch(value, "a time such as 2024-01-31T12:00:00Z") from None
    return f"{moment.astimezone(timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


def _bytes(value: Value) -> str | None:
    text = _typed(value, str, "a text")
    try:
        return text and base64.b64encode(base64.b64decode(text, validate=True)).decode()
    except binascii.Error:
        raise _mismatch(value, "base64") from None


def _raw(value: Value) -> Value:
    if isinstance(value, dict):
        return {key: _raw(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_raw(each) for each in value]
    return float(value.text) if isinstance(value, Number) else value


_LEAVES: Mapping[str, Decode] = {
    "string": _string,
    "bool": _bool,
    **{kind: _int(bits) for kind, bits in _INT_BITS.items()},
    "Time": _time,
    "bytes": _bytes,
    "raw": _raw,
}
# Types that read their own JSON: what they refuse ends the decoding there.
_READ_APART = ("IntOrString", "Quantity", "Time")
_WRAPPING_LEAVES = {
    **_LEAVES,
    **{kind: _wrapping_int(bits) for kind, bits in _INT_BITS.items()},
}
