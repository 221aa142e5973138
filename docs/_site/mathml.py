"""Formulas as MathML, which browsers show by themselves: no script, no fonts from elsewhere."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)


def mathml(node: nodes.Element, display: str) -> str:
    """Return a formula; what the converter does not know is a warning, not a mark on the page."""
    # Git hosts know `aligned` between dollars, the converter knows the same as `align*`.
    text = convert(node.astext().replace("{aligned}", "{align*}"), display=display)
    if found := re.search(r"<mi>(&|\\[^<]*)</mi>", text):
        log.warning("a formula cannot be shown: '%s'", found[1], location=node)
    return text


def inline(translator: Any, node: nodes.math) -> None:
    """Write a formula within a sentence."""
    translator.body.append(mathml(node, "inline"))
    raise nodes.SkipNode


def block(translator: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own."""
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    translator.body.append(mathml(node, "block") + "</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Make this the way in which formulas are written."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
