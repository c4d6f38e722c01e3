"""
What a copy holds: release, choice of cases, and a hash for each file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_podsource.exceptions import UsageError

MANIFEST = "podsource-vendored.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """
    Which cases a copy holds.

    Attributes:
        components: Of these; empty for all.
        kubelets: That hold for one of these, as major.minor; empty for all.
    """

    components: tuple[str, ...] = ()
    kubelets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """
    What a copy was made of.

    Attributes:
        release: The version of this package.
        choice: Which cases it holds.
        files: SHA-256 of each file, by its path in the copy.
    """

    release: str
    choice: Choice
    files: Mapping[str, str]

    @classmethod
    def of(cls, release: str, choice: Choice, files: Mapping[str, bytes]) -> Manifest:
        """
        Return the manifest of a copy with *files*.
        """
        hashes = {path: hash_of(data) for path, data in sorted(files.items())}
        return cls(release=release, choice=choice, files=hashes)

    @classmethod
    def read(cls, text: str) -> Manifest:
        """
        Return the manifest that *text* holds.

        Raises:
            UsageError: It is none.
        """
        try:
            found: dict[str, Any] = json.loads(text)
            return cls(
                release=found["release"],
                choice=Choice(
                    components=tuple(found["components"]),
                    kubelets=tuple(found["kubelets"]),
                ),
                files=dict(found["files"]),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"{MANIFEST} can't be read: {error}. Take it from version control, or "
                "vendor anew into an empty folder."
            ) from None

    def text(self) -> str:
        """
        Return it as a file, the same for the same copy.
        """
        return (
            json.dumps(
                {
                    "release": self.release,
                    "components": self.choice.components,
                    "kubelets": self.choice.kubelets,
                    "files": self.files,
                },
                indent=1,
            )
            + "\n"
        )


def hash_of(data: bytes) -> str:
    """
    Return the SHA-256 of *data*, in hexadecimal digits.
    """
    return hashlib.sha256(data).hexdigest()
