"""
What a kubelet would do with manifests, told to people: findings, restarts, upgrades.

Rule 1: values in, values out; nothing here opens, asks or prints. Rule 2: whether a
manifest is taken is the core's word alone; this package only says more about it.
"""

from __future__ import annotations

from pytest_podsource.findings.directory import check_directory
from pytest_podsource.findings.edit import Restart, edit_of
from pytest_podsource.findings.finding import RULES, Finding, Rule
from pytest_podsource.findings.manifest import Verdict, check_manifest
from pytest_podsource.findings.upgrade import check_upgrade

__all__ = [
    "RULES",
    "Finding",
    "Restart",
    "Rule",
    "Verdict",
    "check_directory",
    "check_manifest",
    "check_upgrade",
    "edit_of",
]
