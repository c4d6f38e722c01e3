"""
What a list or a watch asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_podsource.apiserver.failures import (
    Failure,
    failure,
    invalid_options,
    unexplained,
)

_EXACT, _NOT_OLDER = "Exact", "NotOlderThan"
_OF_LIST = (_EXACT, _NOT_OLDER, "")
_FORBIDDEN, _UNKNOWN = "FieldValueForbidden", "FieldValueNotSupported"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """
    The parameters of a list or a watch, in the API's own words.

    Attributes:
        namespace: Only there; empty: everywhere.
        labels: The label selector.
        fields: The field selector.
        resource_version: From or at which one.
        match: ``resourceVersionMatch``.
        limit: How many at most; 0: all.
        continue_: The token of the page before.
        bookmarks: Whether bookmarks are understood.
        initial_events: ``sendInitialEvents``, if it was said.
        timeout_s: After how many seconds a watch ends, if it was said.
    """

    namespace: str = ""
    labels: str = ""
    fields: str = ""
    resource_version: str = ""
    match: str = ""
    limit: int = 0
    continue_: str = ""
    bookmarks: bool = False
    initial_events: bool | None = None
    timeout_s: int | None = None

    @classmethod
    def of(cls, query: Mapping[str, str], namespace: str = "") -> Options:
        """
        Read a query.

        Raises:
            Failure: 400: a number is none.
        """
        initial = query.get("sendInitialEvents")
        timeout = query.get("timeoutSeconds")
        return cls(
            namespace=namespace,
            labels=query.get("labelSelector", ""),
            fields=query.get("fieldSelector", ""),
            resource_version=query.get("resourceVersion", ""),
            match=query.get("resourceVersionMatch", ""),
            limit=_number(query.get("limit") or "0"),
            continue_=query.get("continue", ""),
            bookmarks=is_true(query.get("allowWatchBookmarks", "0")),
            initial_events=None if initial is None else is_true(initial),
            timeout_s=_number(timeout) if timeout else None,
        )

    @property
    def version(self) -> int:
        """
        The resource version as a number; 0 if there is none.

        Raises:
            Failure: 400: it isn't one.
        """
        text = self.resource_version or "0"
        if not (text.isascii() and text.isdigit()):
            raise failure(400, f"invalid resource version: {_not_unsigned(text)}")
        return int(text)

    def check_list(self) -> None:
        """
        See that they go together in a list.

        Raises:
            Failure: 422 or 400.
        """
        faults = [
            fault
            for wrong, fault in (
                (self.match and not self.resource_version, _WITHOUT_VERSION),
                (self.match and self.continue_, _WITH_CONTINUE),
                (
                    self.match not in ("", _EXACT, _NOT_OLDER),
                    _no_match(self.match, *_OF_LIST),
                ),
                (self.match == _EXACT and self.resource_version == "0", _EXACT_ZERO),
                (self.initial_events is not None, _INITIAL_LIST),
            )
            if wrong
        ]
        if faults:
            raise invalid_options(faults)
        if self.continue_ and self.resource_version not in ("", "0"):
            raise failure(
                400, "specifying resource version is not allowed when using continue"
            )

    def check_watch(self) -> None:
        """
        See that they go together in a watch.

        Raises:
            Failure: 422, or 500: the resource version is no number.
        """
        said = self.initial_events is not None
        state = not said and self.resource_version in ("", "0")
        faults = [
            fault
            for wrong, fault in (
                (said and self.match != _NOT_OLDER, _INITIAL_MATCH),
                (self.match and not said, _MATCH_ALONE),
                (self.match not in ("", _NOT_OLDER), _no_match(self.match, _NOT_OLDER)),
                (self.continue_ and (self.match or state), _WITH_CONTINUE),
            )
            if wrong
        ]
        if faults:
            raise invalid_options(faults)
        try:
            _ = self.version
        except Failure:
            raise unexplained(_not_unsigned(self.resource_version)) from None

    @property
    def exact(self) -> bool:
        """Whether a list is wanted as it was at ``version``."""
        return self.match == _EXACT or bool(
            not self.match and self.limit and self.version
        )

    @property
    def page_size(self) -> int:
        """How many at most; what may be stale comes whole."""
        return 0 if self.resource_version == "0" and not self.continue_ else self.limit


def is_true(text: str) -> bool:
    """Return a parameter as the API reads a bool."""
    return text.lower() not in ("false", "0")


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise failure(
            400, f'strconv.ParseInt: parsing "{text}": invalid syntax'
        ) from None


def _not_unsigned(text: str) -> str:
    return (
        f'resourceVersion: Invalid value: "{text}": '
        f'strconv.ParseUint: parsing "{text}": invalid syntax'
    )


def _no_match(match: str, *known: str) -> tuple[str, str, str]:
    names = ", ".join(f'"{name}"' for name in known)
    told = f'"{match}": supported values: {names}'
    return (_UNKNOWN, "resourceVersionMatch", told)


_WITHOUT_VERSION = (
    _FORBIDDEN,
    "resourceVersionMatch",
    "resourceVersionMatch is forbidden unless resourceVersion is provided",
)
_WITH_CONTINUE = (
    _FORBIDDEN,
    "resourceVersionMatch",
    "resourceVersionMatch is forbidden when continue is provided",
)
_EXACT_ZERO = (
    _FORBIDDEN,
    "resourceVersionMatch",
    'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
)
_INITIAL_LIST = (
    _FORBIDDEN,
    "sendInitialEvents",
    "sendInitialEvents is forbidden for list",
)
_INITIAL_MATCH = (
    _FORBIDDEN,
    "resourceVersionMatch",
    f"sendInitialEvents requires setting resourceVersionMatch to {_NOT_OLDER}",
)
_MATCH_ALONE = (
    _FORBIDDEN,
    "resourceVersionMatch",
    "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
)
