"""
What a run can be told to take: the kubelets and the components that there are.

They stand here by themselves because the options name them, and the options are read
in every run of pytest on a machine that has the plugin.
"""

from __future__ import annotations

KUBELETS = ("1.1", "1.20", "1.30", "1.34", "1.36", "1.37")
NEWEST = KUBELETS[-1]

COMPONENTS = (
    "backoff",
    "diff",
    "manifest",
    "file",
    "http",
    "api",
    "podconfig",
    "sources",
    "ready",
    "syncloop",
    "flags",
    "handlers",
)
