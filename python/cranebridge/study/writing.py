"""A study and its files: CSV files, PNG files, ``summary.json`` and one HTML page."""

from __future__ import annotations

import base64
import csv
import html
import io
import json
from collections.abc import Callable

from cranebridge.errors import unknown
from cranebridge.progress import Progress, ignore_progress
from cranebridge.scenario import Scenario
from cranebridge.study.convergence_study import convergence
from cranebridge.study.integrator_study import integrators
from cranebridge.study.method_study import methods
from cranebridge.study.pictures import draw, require_matplotlib
from cranebridge.study.study_result import Cell, Study, StudyTable
from cranebridge.twin.language import require_no_motions
from cranebridge.version_info import versions

KINDS: dict[str, Callable[..., Study]] = {
    "convergence": convergence,
    "methods": methods,
    "integrators": integrators,
}

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #8886; padding: 0.2rem 0.7rem; text-align: left; }
td.number { text-align: right; white-space: nowrap; }
div.wide { overflow-x: auto; }
img { max-width: 100%; height: auto; background: white; }
:root { color-scheme: light dark; }
"""


def make_study(kind: str, scenario: Scenario, progress: Progress = ignore_progress) -> Study:
    """Make a study of a scenario.

    Parameters
    ----------
    kind : {"convergence", "methods", "integrators"}
        What is studied.
    scenario : Scenario
        Of what.
    progress : callable
        Called with the fraction that is done.

    Raises
    ------
    MissingDependencyError
        If Matplotlib is not installed.
    """
    if kind not in KINDS:
        raise unknown("study", kind, KINDS)
    require_no_motions(scenario.crane, f"the study '{kind}'", "take a crane without")
    require_matplotlib()
    return KINDS[kind](scenario, progress=progress)


def study_files(result: Study) -> dict[str, bytes]:
    """Return the files of a study by name.

    A CSV file for each table, a PNG file for each chart, ``summary.json`` and ``study.html``, which
    holds all of them in one file.
    """
    pictures = {chart.name: draw(chart) for chart in result.charts}
    files = {f"{table.name}.csv": _csv(table).encode() for table in result.tables}
    files |= {f"{name}.png": content for name, content in pictures.items()}
    summary = {**result.summary(), "versions": versions()}
    files["summary.json"] = (json.dumps(summary, indent=2) + "\n").encode()
    files["study.html"] = page(result, pictures).encode()
    return files


def _csv(table: StudyTable) -> str:
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([f"{x:.17g}" if isinstance(x, float) else x for x in row])
    return file.getvalue()


def page(result: Study, pictures: dict[str, bytes]) -> str:
    """Return the HTML page, pictures included."""
    title = html.escape(result.title)
    parts = [f"<h1>{title}</h1>"]
    if result.remarks:
        items = "".join(f"<li>{html.escape(remark)}</li>" for remark in result.remarks)
        parts.append(f"<h2>Remarks</h2><ul>{items}</ul>")
    for chart in result.charts:
        data = base64.b64encode(pictures[chart.name]).decode()
        parts.append(
            f"<h2>{html.escape(chart.title)}</h2>"
            f'<img alt="{html.escape(chart.title)}" src="data:image/png;base64,{data}">'
        )
    parts += [_table(table) for table in result.tables]
    body = "\n".join(parts)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _table(table: StudyTable) -> str:
    head = "".join(f"<th>{html.escape(column)}</th>" for column in table.columns)
    rows = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in table.rows)
    return (
        f'<h2>{html.escape(table.title)}</h2><div class="wide"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _cell(value: Cell) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, float):
        return f'<td class="number">{value:.4g}</td>'
    return f"<td>{html.escape(str(value))}</td>"
