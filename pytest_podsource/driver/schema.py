"""
The JSON schemas of the driver protocol, one a message.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

FOLDER = Path(__file__).parent / "schemas"


class Schemas:
    """
    What each message must look like.
    """

    def __init__(self) -> None:
        self._schemas = {
            path.stem: json.loads(path.read_text("utf-8"))
            for path in FOLDER.glob("*.json")
        }
        self._registry: Registry[Any] = Registry().with_resources(
            (f"{name}.json", Resource.from_contents(schema))
            for name, schema in self._schemas.items()
        )

    @property
    def methods(self) -> frozenset[str]:
        """Return the methods that have a schema."""
        named = (schema.get("properties", {}) for schema in self._schemas.values())
        return frozenset(each["method"]["const"] for each in named if "method" in each)

    def fault(self, message: Mapping[str, Any], answers: str = "") -> str:
        """
        Return what is wrong with *message*, empty if nothing is.

        Args:
            message: A request, a notification or an answer.
            answers: The method that an answer belongs to.
        """
        name = f"{answers}.result" if answers else message["method"]
        schema = self._schemas[name.replace("/", ".")]
        validator = Draft202012Validator(schema, registry=self._registry)
        error = best_match(validator.iter_errors(message))
        if error is None:
            return ""
        place = ".".join(str(each) for each in error.absolute_path)
        return f"{place}: {error.message}" if place else error.message
