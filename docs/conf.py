"""Sphinx settings: pages in Markdown, the API from docstrings."""

import boardrace

project = "boardrace"
author = "The boardrace developers"
copyright = "2026, The boardrace developers"
version = release = boardrace.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.intersphinx",
]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "README.md"]
html_theme = "furo"
html_title = "boardrace"
html_static_path = []

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
intersphinx_mapping = {}
suppress_warnings = ["intersphinx.external"]
