"""
The JSON schema of cases, applied: file, line and key of what doesn't fit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from pytest_podsource.exceptions import CaseError
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.core_yaml import Document
from pytest_podsource.suite.variables import put_in

_LONGEST = 200


class Schema:
    """
    The schema that came with this package.
    """

    def __init__(self) -> None:
        path = bundled_root() / "case.schema.json"
        self._validator = Draft202012Validator(json.loads(path.read_text("utf-8")))

    def check(self, document: Document) -> None:
        """
        Check a case file, with the variables of each row put in.

        Raises:
            CaseError: It doesn't fit; file, line and key are named.
        """
        for body in _bodies(document.value):
            error = best_match(self._validator.iter_errors(body))
            if error is not None:
                raise CaseError(document.where(_keys(error)), _reason(error))


def _bodies(value: Any) -> Iterator[Any]:
    if not isinstance(value, Mapping):
        yield value
        return
    rows = value.get("examples")
    for row in rows.values() if isinstance(rows, Mapping) and rows else ({},):
        variables = row if isinstance(row, Mapping) else {}
        parts = {
            key: put_in(value[key], variables)
            for key in ("given", "steps")
            if key in value
        }
        yield {**value, **parts}


def _keys(error: ValidationError) -> Sequence[str | int]:
    keys = list(error.absolute_path)
    strange = _strange(error)
    return [*keys, strange[0]] if strange else keys


def _strange(error: ValidationError) -> list[str]:
    """
    Return the keys that have no business where they are.
    """
    if error.validator == "additionalProperties" and error.validator_value is False:
        instance: Any = error.instance
        return sorted(set(instance) - set(_known(error)))
    return []


def _known(error: ValidationError) -> list[str]:
    schema: Any = error.schema
    return sorted(schema.get("properties", ()))


def _reason(error: ValidationError) -> str:
    strange = _strange(error)
    if strange:
        known = ", ".join(_known(error))
        return f"{strange[0]!r} is not known here. Known keys: {known}."
    if error.validator == "enum":
        return f"{error.instance!r} is not known here. {_known_values(error)}"
    message = error.message
    if error.validator == "oneOf":
        alternatives: Any = error.validator_value
        choices = ", ".join(each["required"][0] for each in alternatives)
        message = f"exactly one of these is needed: {choices}"
    if len(message) > _LONGEST:
        message = f"{message[:_LONGEST]} ..."
    return f"{message}. See docs/reference/case-format.md."


def _known_values(error: ValidationError) -> str:
    values: Any = error.validator_value
    known = [str(value) for value in values]
    near = get_close_matches(str(error.instance), known, n=1)
    meant = f"Did you mean {near[0]!r}? " if near else ""
    return f"{meant}Known: {', '.join(known)}."
