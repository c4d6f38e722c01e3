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
from functools import cache
from typing import Any

from pytest_podsource.contract import Refused
from pytest_podsource.core.manifest.quantity import ZERO, Quantity, parse_quantity
from pytest_podsource.core.manifest.text import Number
from pytest_podsource.core.versions import KUBELETS, Kubelet
from pytest_podsource.data import table

Value = Any
Fields = Mapping[str, str]

_INT_BITS = {"int32": 31, "int64": 63}
_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:[.,]\d+)?(Z|[+-]\d\d:\d\d)\Z", re.ASCII
)


def decode(value: Value, type_: str, kubelet: Kubelet) -> dict[str, Any]:
    """
    Return *value* as the struct *type_*, such as ``Pod``.

    Raises:
        Refused: Something in it has another type.
    """
    decoder = _Decoder(structs_of(kubelet.minor), kubelet)
    found: dict[str, Any] = decoder.struct(value, type_, "")
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


class _Decoder:
    """
    Decodes by the fields of one kubelet; ``T!`` is printed even if it is empty.
    """

    def __init__(self, structs: Mapping[str, Fields], kubelet: Kubelet) -> None:
        self._structs = structs
        self._any_case = kubelet.fields_in_any_case
        self._leaves = {
            **(_WRAPPING_LEAVES if kubelet.integers_wrap else _LEAVES),
            "IntOrString": _int_or_string(kubelet.int_or_string_bits),
        }

    def struct(self, value: Value, type_: str, path: str) -> dict[str, Any]:
        """Return *value* as a struct."""
        fields = self._structs[type_]
        given = self._given(_typed(value, dict, "an object", path) or {}, fields)
        try:
            return self._fields_of(given, fields, path)
        except Refused:
            for name in given:  # of several faults the first in the text is told
                self.value(
                    given[name], fields.get(name, "raw").rstrip("!"), f"{path}.{name}"
                )
            raise

    def _fields_of(
        self, given: dict[str, Value], fields: Fields, path: str
    ) -> dict[str, Any]:
        found = {}
        for name, kind in fields.items():
            if name not in given and not kind.endswith("!"):
                continue
            inner = self.value(given.get(name), kind.rstrip("!"), f"{path}.{name}")
            if kind.endswith("!") or not _is_left_out(inner, kind):
                found[name] = inner
        return {name: each for name, each in found.items() if each is not None}

    def _given(self, value: dict[str, Value], fields: Fields) -> dict[str, Value]:
        if not self._any_case:
            return value
        names = {name.lower(): name for name in fields}
        return {
            name if name in fields else names.get(name.lower(), name): each
            for name, each in value.items()
        }

    def value(self, value: Value, kind: str, path: str) -> Value:
        """Return *value* as *kind*: a leaf, a struct, ``[]T``, ``map[T]`` or ``*T``."""
        if kind.startswith("*"):
            return None if value is None else self.value(value, kind[1:], path)
        if kind.startswith("[]"):
            items = _typed(value, list, "a list", path)
            return items if items is None else self._list(items, kind[2:], path)
        if kind.startswith("map["):
            entries = _typed(value, dict, "an object", path)
            if entries is None:
                return None
            return {
                key: self.value(each, kind[4:-1], f"{path}[{key}]")
                for key, each in entries.items()
            }
        leaf = self._leaves.get(kind)
        return leaf(value, path) if leaf else self.struct(value, kind, path)

    def _list(self, items: list[Value], kind: str, path: str) -> list[Value]:
        return [
            self.value(each, kind, f"{path}[{index}]")
            for index, each in enumerate(items)
        ]


def _is_left_out(value: Value, kind: str) -> bool:
    # Go's omitempty; lists and mappings without entries are kept on purpose.
    return value is None or (kind in ("string", "bool", *_INT_BITS) and not value)


def _typed(value: Value, type_: type, name: str, path: str) -> Value:
    if value is None or isinstance(value, type_):
        return value
    raise _mismatch(value, name, path)


def _mismatch(value: Value, name: str, path: str) -> Refused:
    shown = value.text if isinstance(value, Number) else repr(value)
    hint = (
        " Quote it to make it a text."
        if name == "a text" and not isinstance(value, (list, dict))
        else ""
    )
    where = path.lstrip(".") or "the manifest"
    return Refused(f"{where}: {shown[:60]} is not {name}.{hint}")


def _string(value: Value, path: str) -> str:
    return _typed(value, str, "a text", path) or ""


def _bool(value: Value, path: str) -> bool:
    return _typed(value, bool, "true or false", path) or False


def _int(bits: int) -> Callable[[Value, str], int]:
    def leaf(value: Value, path: str) -> int:
        if value is None:
            return 0
        if not isinstance(value, int) or isinstance(value, bool):
            raise _mismatch(value, "a whole number", path)
        if not -(2**bits) <= value < 2**bits:
            raise _mismatch(value, f"a number of {bits + 1} bits", path)
        return value

    return leaf


def _wrapping_int(bits: int) -> Callable[[Value, str], int]:
    """
    Read digit by digit; a product that wraps around shows only if it becomes less.

    Kubelet: ``Iterator.ReadInt32`` and ``ReadInt64`` of json-iterator 1.1.10.
    """
    whole, size = _int(bits), 2 ** (bits + 1)

    def leaf(value: Value, path: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            return whole(value, path)
        total = 0
        for digit in str(abs(value)):
            before, total = total, (total * 10 + int(digit)) % size
            if total < before:
                raise _mismatch(value, f"a number of {bits + 1} bits", path)
        return whole(-total if value < 0 else total, path)

    return leaf


def _int_or_string(bits: int) -> Callable[[Value, str], int | str]:
    whole = _int(bits)
    return lambda value, path: value if isinstance(value, str) else whole(value, path)


def _quantity(value: Value, path: str) -> Quantity:
    if value is None:
        return ZERO
    text = value.text if isinstance(value, Number) else str(value)
    if isinstance(value, (bool, list, dict)):
        raise _mismatch(value, "a quantity", path)
    try:
        return parse_quantity(text.strip())
    except ValueError as error:
        raise Refused(f"{path.lstrip('.')}: {error}") from None


def _time(value: Value, path: str) -> str | None:
    text = _typed(value, str, "a text", path)
    if text is None:
        return None
    form = _TIME.match(text)
    try:
        day, clock, zone = form.groups() if form else ("", "", "")
        moment = datetime.fromisoformat(f"{day}T{clock}{zone.replace('Z', '+00:00')}")
    except ValueError:
        raise _mismatch(value, "a time such as 2024-01-31T12:00:00Z", path) from None
    return f"{moment.astimezone(timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


def _bytes(value: Value, path: str) -> str | None:
    text = _typed(value, str, "a text", path)
    try:
        return text and base64.b64encode(base64.b64decode(text, validate=True)).decode()
    except binascii.Error:
        raise _mismatch(value, "base64", path) from None


def _raw(value: Value, path: str) -> Value:
    if isinstance(value, dict):
        return {key: _raw(each, path) for key, each in value.items()}
    if isinstance(value, list):
        return [_raw(each, path) for each in value]
    return float(value.text) if isinstance(value, Number) else value


_LEAVES: Mapping[str, Callable[[Value, str], Value]] = {
    "string": _string,
    "bool": _bool,
    **{kind: _int(bits) for kind, bits in _INT_BITS.items()},
    "Quantity": _quantity,
    "Time": _time,
    "bytes": _bytes,
    "raw": _raw,
}
_WRAPPING_LEAVES = {
    **_LEAVES,
    **{kind: _wrapping_int(bits) for kind, bits in _INT_BITS.items()},
}
