"""Settings of Sphinx for the site of the documents; scripts/build-docs builds it."""

import sparsecast

project = "Sparsecast"
author = "the authors of Sparsecast"
version = release = sparsecast.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
smartquotes = False  # "--json" stays what it is
highlight_language = "none"  # indented blocks of the documents are sessions and sketches
nitpick_ignore_regex = [("py:.*", r"(scipy|numpy|pandas|matplotlib)\..*")]  # the site is built without a network

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # types stand in the parameters' lists
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "pydata_sphinx_theme"
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_title = "Sparsecast"
html_copy_source = html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": True,
    "show_nav_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    "navbar_end": ["versions.html", "theme-switcher"],
    "footer_start": [],
    "footer_end": [],
}
