"""
The forms of names, labels and keys; each check returns what is wrong, or nothing.
"""

from __future__ import annotations

import re

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z")
_SUBDOMAIN = re.compile(
    r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\Z"
)
_KEY_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]\Z")

MAX_LABEL = 63
MAX_SUBDOMAIN = 253


def dns_label(text: str) -> str:
    """
    Say what is wrong with *text* as a DNS label, such as a container's name.
    """
    return _form(text, _LABEL, MAX_LABEL, "a DNS label, such as 'web-1'")


def dns_subdomain(text: str) -> str:
    """
    Say what is wrong with *text* as a DNS subdomain, such as a pod's name.
    """
    return _form(text, _SUBDOMAIN, MAX_SUBDOMAIN, "a DNS subdomain, such as 'web.a'")


def qualified_name(text: str) -> str:
    """
    Say what is wrong with *text* as the key of a label: a name, with or without prefix.
    """
    prefix, slash, name = text.rpartition("/")
    if slash and (reason := dns_subdomain(prefix)):
        return reason
    return _form(name, _KEY_NAME, MAX_LABEL, "a qualified name, such as 'a.example/b'")


def label_value(text: str) -> str:
    """
    Say what is wrong with *text* as the value of a label; it may be empty.
    """
    if not text:
        return ""
    return _form(text, _KEY_NAME, MAX_LABEL, "the value of a label, such as 'b.1'")


def _form(text: str, form: re.Pattern[str], longest: int, what: str) -> str:
    if len(text) > longest:
        return f"must be no more than {longest} characters"
    return "" if form.match(text) else f"must be {what}"
