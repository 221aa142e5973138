"""documentation/index.html of an FMU: the model's own text, a picture, and tables of variables."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cranebridge.errors import MissingDependencyError
from cranebridge.frontend import PlantModel, Variable

if TYPE_CHECKING:
    from cranebridge.plant.export.reference_result import ReferenceResult

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem }
th, td { border-bottom: 1px solid #ccc; padding: 0.2rem 0.8rem; text-align: left }
div { overflow-x: auto }
pre, code { font-family: ui-monospace, monospace }
"""


_TAGS = {
    *("a", "b", "blockquote", "br", "caption", "code", "dd", "del", "div", "dl", "dt", "em", "hr"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "i", "img", "ins", "kbd", "li", "ol", "p", "pre", "s"),
    *("samp", "small", "span", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th"),
    *("thead", "tr", "tt", "u", "ul", "var"),
}
_ATTRIBUTES = {
    "a": {"href", "title"},
    "img": {"src", "alt", "title", "width", "height"},
    "ol": {"start"},
    "td": {"align", "colspan", "rowspan"},
    "th": {"align", "colspan", "rowspan"},
}

_INTEGRATOR = (
    "<h2>Co-Simulation</h2>\n<p>The parameter <code>integrator.method</code> selects "
    "<code>dopri5</code> (explicit, order 5) or <code>rodas4</code> (linearly implicit, order 4, "
    "for stiff plants). Both control their error to the tolerance of the experiment.</p>\n"
)


def _picture(model: PlantModel) -> str:
    """Block diagram: inputs on the left, outputs on the right, as SVG."""
    rows = max(len(model.inputs), len(model.outputs), 2)
    height = 24 * rows + 32
    svg = ET.Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 640 {height}",
        width="640",
        height=str(height),
        role="img",
    )
    ET.SubElement(svg, "title").text = f"Inputs and outputs of {model.name}"
    box = {"x": "220", "y": "8", "width": "200", "height": str(height - 16), "rx": "6"}
    ET.SubElement(svg, "rect", {**box, "fill": "#eef3f8", "stroke": "#234"})
    middle = {"x": "320", "y": str(height / 2 + 5), "text-anchor": "middle", "font-weight": "bold"}
    ET.SubElement(svg, "text", middle).text = model.name.rsplit(".", 1)[-1]
    sides = (
        ("120", "220", "112", "end", model.inputs),
        ("420", "520", "528", "start", model.outputs),
    )
    for begin, end, label, anchor, variables in sides:
        for i, variable in enumerate(variables):
            y = str(36 + 24 * i - 8)
            ET.SubElement(svg, "line", x1=begin, x2=end, y1=y, y2=y, stroke="#234")
            tip = f"{end},{y} {int(end) - 7},{int(y) - 4} {int(end) - 7},{int(y) + 4}"
            ET.SubElement(svg, "polygon", points=tip, fill="#234")
            position = {"x": label, "y": str(int(y) + 4), "text-anchor": anchor, "font-size": "13"}
            ET.SubElement(svg, "text", position).text = variable.name
    return ET.tostring(svg, encoding="unicode")


def _table(title: str, variables: Sequence[Variable], values: bool) -> str:
    if not variables:
        return ""
    rows = "".join(
        f"<tr><td><code>{html.escape(v.name)}</code></td>"
        + (f"<td>{v.start:g}</td>" if values else "")
        + f"<td>{html.escape(v.unit)}</td><td>{html.escape(v.description)}</td></tr>\n"
        for v in variables
    )
    heading = "<th>Value</th>" if values else ""
    return (
        f"<h2>{title}</h2>\n<table>\n<tr><th>Name</th>{heading}<th>Unit</th><th>Meaning</th></tr>\n"
        f"{rows}</table>\n"
    )


def _body(documentation: str) -> str:
    """Modelica documentation is HTML if it says so; it was written by others."""
    if "<html" in documentation.lower():
        return _sanitised(documentation)
    paragraphs = re.split(r"\n\s*\n", documentation.strip())
    return "".join(f"<p>{html.escape(text)}</p>\n" for text in paragraphs if text)


def _sanitised(text: str) -> str:
    """HTML with text, tables, links and the pictures beside it, and nothing that acts or loads."""
    try:
        import nh3
    except ImportError as error:
        raise MissingDependencyError(
            "Modelica documentation is sanitised with nh3; run: pip install cranebridge"
        ) from error
    return nh3.clean(
        text,
        tags=_TAGS,
        clean_content_tags={"script", "style", "title"},
        attributes=_ATTRIBUTES,
        attribute_filter=_kept,
        url_schemes={"http", "https", "mailto", "modelica"},
        link_rel="noopener noreferrer",
    )


def _kept(tag: str, name: str, value: str) -> str | None:
    """A picture from elsewhere would tell its server who reads this page."""
    if tag == "img" and name == "src" and not re.fullmatch(r"[\w.-]+(/[\w.-]+)*", value):
        return None
    return value


def _reference(reference: ReferenceResult | str) -> str:
    """What the plant does in a stated motion, or why there is none."""
    title = "<h2>Reference result</h2>\n"
    if isinstance(reference, str):
        return f"{title}<p>None: {html.escape(reference)}.</p>\n" if reference else ""
    names = [f"{v.name} [{v.unit}]" if v.unit else v.name for v in reference.outputs]
    head = "".join(f"<th>{html.escape(name)}</th>" for name in ("time [s]", *names))
    each = max(1, round(1.0 / (reference.time[1] - reference.time[0])))
    rows = "".join(
        "<tr>" + "".join(f"<td>{x + 0.0:.6g}</td>" for x in (time, *row)) + "</tr>\n"
        for time, row in zip(reference.time[::each], reference.found[::each], strict=True)
    )
    given = reference.files()
    place = html.escape(next(iter(given)).rpartition("/")[0])
    moves = _moves(reference)
    return (
        f"{title}<p>To compare an importer with: set the inputs of "
        f"<code>{place}/{html.escape(reference.name)}_in.csv</code> (straight lines between rows, "
        "a jump where a time stands twice), leave all else at its start values, simulate for "
        f"{reference.time[-1]:g} s, and compare the outputs with "
        f"<code>{place}/{html.escape(reference.name)}_ref.csv</code>. They should agree to "
        f"{reference.tolerance:g} of an output's largest magnitude (of 1, if that is less).</p>\n"
        f"{_solvers(reference)}"
        f"{moves}<p>Made by Model Exchange with DOP853 and a relative tolerance of 1e-12; a "
        f"hundred times that changes it by less than {reference.difference:g}, relative in the "
        "same way.</p>\n"
        f"<div>\n<table>\n<tr>{head}</tr>\n{rows}</table>\n</div>\n"
    )


def _solvers(reference: ReferenceResult) -> str:
    """With which tolerances of solvers the result is reached."""
    words = {
        "model_exchange": "Model Exchange, SUNDIALS' CVode",
        "co_simulation": "Co-Simulation, the FMU's own integrator",
    }
    found = [
        f"{words[name]}: {value if isinstance(value, str) else f'{value:g}'}"
        for name, value in reference.solvers.items()
    ]
    if not found:
        return ""
    text = "; ".join(found)
    return f"<p>Relative tolerance that reaches it. {html.escape(text)}.</p>\n"


def _moves(reference: ReferenceResult) -> str:
    """The inputs of the stated motion: each up for a second, then down for a second."""
    rows = ""
    for column, variable in enumerate(reference.inputs):
        values = reference.given[:, column]
        moved = reference.jumps[values != variable.start]
        if not moved.size:
            continue
        size = abs(values - variable.start).max()
        rows += (
            f"<tr><td><code>{html.escape(variable.name)}</code></td><td>{variable.start:g}</td>"
            f"<td>&plusmn;{size:g}</td><td>{html.escape(variable.unit)}</td>"
            f"<td>{moved[0]:g}</td></tr>\n"
        )
    if not rows:
        return "<p>The inputs keep their start values.</p>\n"
    return (
        "<p>Each input is moved up for one second, then down for one second:</p>\n<table>\n<tr>"
        "<th>Input</th><th>Start value</th><th>Moved by</th><th>Unit</th><th>From [s]</th></tr>\n"
        f"{rows}</table>\n"
    )


def documentation_page(
    model: PlantModel, tool: str, reference: ReferenceResult | str = ""
) -> bytes:
    """Write the HTML page.

    Parameters
    ----------
    model : PlantModel
        Its ``documentation`` is shown sanitised if it is HTML, otherwise as paragraphs.
    tool : str
        What made the FMU.
    reference : ReferenceResult or str
        A motion to compare with, or why there is none; empty leaves it out.
    """
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html.escape(model.name)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{html.escape(model.name)}</h1>\n<p>{html.escape(model.description)}</p>\n"
        f"{_picture(model)}\n{_body(model.documentation)}\n"
        + _table("Inputs", model.inputs, True)
        + _table("Outputs", model.outputs, False)
        + _table("States", model.states, False)
        + "".join(f"<p>{html.escape(remark)}</p>\n" for remark in model.remarks)
        + _table("Parameters", model.parameters, True)
        + ("" if model.algorithm else _INTEGRATOR)
        + _reference(reference)
        + f"<p>Made by {html.escape(tool)}.</p>\n</body>\n</html>\n"
    ).encode()
