"""
Sphinx: how the pages become a site. ``scripts/build_docs.py`` runs it.
"""

project = "pytest-podsource"
author = "The pytest-podsource developers"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "How the kubelet reads pods"
html_show_copyright = False
html_copy_source = False
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = ["misc.highlighting_failure"]  # consoles with output, cut-off YAML
exclude_patterns: list[str] = []
