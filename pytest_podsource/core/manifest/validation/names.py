"""
The forms of names, labels, keys and paths; a check returns what is wrong, or nothing.
"""

from __future__ import annotations

import ipaddress
import re

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z")
_LABEL_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?\Z")
_SUBDOMAIN = re.compile(
    r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\Z"
)
_SEARCH = re.compile(
    r"[a-z0-9_]([-_a-z0-9]*[a-z0-9_])?(\.[a-z0-9_]([-_a-z0-9]*[a-z0-9_])?)*\Z"
)
_KEY_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]\Z")
_PORT_NAME = re.compile(r"(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_ENV_NAME = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*\Z")
_RELAXED_ENV_NAME = re.compile(r"[ -<>-~]+\Z")
_CONFIG_KEY = re.compile(r"[-._a-zA-Z0-9]+\Z")
_HEADER = re.compile(r"[-A-Za-z0-9]+\Z")
_OLD_IP = re.compile(r"\d{1,3}(\.\d{1,3}){3}\Z", re.ASCII)

MAX_LABEL = 63
MAX_SUBDOMAIN = 253
MAX_PORT_NAME = 15
MAX_PORT = 65535
MAX_ID = 2**31 - 1


def dns_label(text: str) -> str:
    """
    Say what is wrong with *text* as a DNS label, such as a container's name.
    """
    return _form(text, _LABEL, MAX_LABEL, "a DNS label, such as 'web-1'")


def dns_1035_label(text: str) -> str:
    """
    Say what is wrong with *text* as a DNS label that begins with a letter.
    """
    return _form(text, _LABEL_1035, MAX_LABEL, "a DNS label, such as 'web-1'")


def dns_subdomain(text: str) -> str:
    """
    Say what is wrong with *text* as a DNS subdomain, such as a pod's name.
    """
    return _form(text, _SUBDOMAIN, MAX_SUBDOMAIN, "a DNS subdomain, such as 'web.a'")


def search_domain(text: str) -> str:
    """
    Say what is wrong with *text* as a search domain, which may have underscores.
    """
    return _form(text, _SEARCH, MAX_SUBDOMAIN, "a DNS subdomain, such as '_tcp.web'")


def qualified_name(text: str) -> str:
    """
    Say what is wrong with *text* as the key of a label: a name, with or without prefix.
    """
    prefix, slash, name = text.partition("/")
    if not slash:
        name = text
    elif reason := dns_subdomain(prefix):
        return reason
    return _form(name, _KEY_NAME, MAX_LABEL, "a qualified name, such as 'a.example/b'")


def label_value(text: str) -> str:
    """
    Say what is wrong with *text* as the value of a label; it may be empty.
    """
    if not text:
        return ""
    return _form(text, _KEY_NAME, MAX_LABEL, "the value of a label, such as 'b.1'")


def port_name(text: str) -> str:
    """
    Say what is wrong with *text* as the name of a port.
    """
    return _form(text, _PORT_NAME, MAX_PORT_NAME, "a service name, such as 'http-1'")


def port_number(number: int) -> str:
    """
    Say what is wrong with *number* as a port.
    """
    good = 0 < number <= MAX_PORT
    return "" if good else f"must be between 1 and {MAX_PORT}, inclusive"


def user_id(number: int) -> str:
    """
    Say what is wrong with *number* as the id of a user or a group.
    """
    good = 0 <= number <= MAX_ID
    return "" if good else f"must be between 0 and {MAX_ID}, inclusive"


def env_name(text: str, form: str) -> str:
    """
    Say what is wrong with *text* as the name of an environment variable.

    Args:
        text: The name.
        form: ``identifier`` (1.1), ``name`` or ``relaxed``.
    """
    if form == "identifier":
        return "" if _IDENTIFIER.match(text) else "must be a C identifier"
    if form == "relaxed":
        return "" if _RELAXED_ENV_NAME.match(text) else "must be printable, without '='"
    if not _ENV_NAME.match(text):
        return "must be letters, digits, '_', '-' or '.', and not begin with a digit"
    return _no_dots(text)


def config_key(text: str) -> str:
    """
    Say what is wrong with *text* as a key of a config map or a secret.
    """
    if reason := _form(text, _CONFIG_KEY, MAX_SUBDOMAIN, "a key, such as 'key.name'"):
        return reason
    return _no_dots(text)


def _no_dots(text: str) -> str:
    if text == ".":
        return "must not be '.'"
    return "must not start with '..'" if text.startswith("..") else ""


def header_name(text: str) -> str:
    """
    Say what is wrong with *text* as the name of an HTTP header.
    """
    return "" if _HEADER.match(text) else "must be a header, such as 'X-Header-Name'"


def ip_address(text: str, *, strict: bool) -> str:
    """
    Say what is wrong with *text* as an IP address.

    Args:
        text: The address.
        strict: Leading zeros and IPv4 in IPv6 are wrong.
    """
    unpadded = ".".join(part.lstrip("0") or "0" for part in text.split("."))
    plain = text if strict or not _OLD_IP.match(text) else unpadded
    try:
        address = ipaddress.ip_address(plain)
    except ValueError:
        return "must be a valid IP address"
    if "%" in text:
        return "must be a valid IP address"
    mapped = isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped
    return "must not be an IPv4 address in IPv6" if strict and mapped else ""


def no_backsteps(path: str) -> str:
    """
    Say what is wrong with *path* if it may not climb.
    """
    return "must not contain '..'" if ".." in path.split("/") else ""


def local_path(path: str) -> str:
    """
    Say what is wrong with *path* as one below a volume's root.
    """
    return "must be a relative path" if path.startswith("/") else no_backsteps(path)


def file_path(path: str) -> str:
    """
    Say what is wrong with *path* as a file that a volume makes.
    """
    if reason := local_path(path):
        return reason
    reserved = path.startswith("..") and not path.startswith("../")
    return "must not start with '..'" if reserved else ""


def _form(text: str, form: re.Pattern[str], longest: int, what: str) -> str:
    if len(text) > longest:
        return f"must be no more than {longest} characters"
    return "" if form.match(text) else f"must be {what}"
