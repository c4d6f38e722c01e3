"""
Text of anybody's making, so that it shows as text wherever it ends up.
"""

from __future__ import annotations

import re

# Controls, and what changes the direction or the place of other characters.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\ufff9-\ufffb]"
)
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#|~$])")


def visible(text: str, most: int = 2000) -> str:
    """
    Return *text* with what can't be seen written out, cut off after *most* characters.
    """
    cut = f" ... ({len(text)} characters)" if len(text) > most else ""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text[:most]) + cut


def one_line(text: str, most: int = 200) -> str:
    """
    Return *text* as :func:`visible` does, in one line.
    """
    return " ".join(visible(text, most).split())


def in_markdown(text: str, most: int = 200) -> str:
    """
    Return *text* for a line of Markdown, where nothing of it is markup.
    """
    escaped = _MARKDOWN.sub(r"\\\1", one_line(text, most))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
