"""How the pages of this folder become a site: `scripts/docs` builds it into out/site.

Nothing is fetched when a page is read: formulas become MathML here, fonts are the reader's own.
"""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_site"))

project = "cranebridge"
release = version_of("cranebridge")
author = "the cranebridge authors"
language = "en"
smartquotes = False  # primes are derivatives

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "mathml",  # formulas
    "from_code",  # pages that are made from the code
]
exclude_patterns = ["_site"]

# Markdown as a Git host shows it: links to pages and to headings, and formulas between dollars.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = ["ref.python"]  # of types in docstrings whose short name two packages have

# Docstrings: numpydoc, and names between single backticks.
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say it in words
autodoc_preserve_defaults = True
add_module_names = False

html_theme = "furo"
html_title = "cranebridge"
html_static_path = ["_static"]
html_css_files = ["cranebridge.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "tango"
pygments_dark_style = "monokai"
