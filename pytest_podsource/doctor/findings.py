"""
What the doctor finds: each in one sentence that says what to change.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """
    One thing that was looked at.

    Attributes:
        about: What was looked at, such as ``handshake`` or a component.
        mistake: The name of the mistake, empty if all is well.
        text: What is right, or what is wrong and what to change.
    """

    about: str
    mistake: str = ""
    text: str = ""


class Mistake(Exception):
    """
    A mistake of an adapter.

    Attributes:
        name: The name of the mistake, such as ``buffers``.
        text: What was seen, and what to change.
    """

    def __init__(self, name: str, text: str) -> None:
        super().__init__(name, text)
        self.name = name
        self.text = text

    def __str__(self) -> str:
        return self.text
