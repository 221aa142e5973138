"""The interactive report: one HTML file that holds everything and loads nothing."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup

import cranebridge
from cranebridge.report.compiled_templates import CompiledTemplates
from cranebridge.report.files import put, require_target
from cranebridge.report.page_values import page_data
from cranebridge.report.plots import make_series
from cranebridge.report.rows import (
    GAP,
    budget_table,
    facts,
    obstacle_table,
    plan_table,
    quantity,
    tables,
    words,
)
from cranebridge.report.shown import shown_result
from cranebridge.scenario import Scenario
from cranebridge.verify import Verified

if TYPE_CHECKING:
    from cranebridge.report.learned import LearnedPart

_SCRIPTS = (
    "vendor/uPlot.iife.min.js",
    "vendor/three.min.js",
    "player.js",
    "animation.js",
    "plots.js",
    "readings.js",
)
_ANIMATION = ("vendor/three.min.js", "player.js", "animation.js", "readings.js")
_STYLES = ("vendor/uPlot.min.css", "report.css")
_LICENCES = (("uPlot", "vendor/LICENSE-uPlot.txt"), ("three.js", "vendor/LICENSE-three.txt"))


def write_report(
    target: Path, scenario: Scenario, verified: Verified, overwrite: bool = False
) -> Path:
    """Write the report as one HTML file that opens without a network.

    Parameters
    ----------
    target : pathlib.Path
        The file; it appears only when it is complete.
    scenario : Scenario
        What was asked for.
    verified : Verified
        What was found out; where no plant was driven, the feedforward's own motion is shown.
    overwrite : bool
        Whether an existing file is replaced.

    Returns
    -------
    pathlib.Path
        The file written.
    """
    require_target(target, overwrite)
    put(target, render(scenario, verified).encode("utf-8"))
    return target


def render(scenario: Scenario, verified: Verified, learned: LearnedPart | None = None) -> str:
    """Return the page's text.

    Parameters
    ----------
    scenario : Scenario
        What was asked for.
    verified : Verified
        What was found out.
    learned : LearnedPart, optional
        Of a learning, whose best trial is what `verified` tracked: its verdicts and its sections.
        What is of a verification alone (its error table and its budget) is left out then.
    """
    shown = shown_result(scenario, verified)
    series = make_series(shown)
    data = page_data(shown, series)
    tracking = verified.tracking
    swing = None if tracking is None else tracking.residual_swing
    offsets = None if tracking is None else tracking.lasting_offset
    scripts = [_asset(name) for name in _SCRIPTS]
    notice = verified.notice
    judged: dict[str, Any] = {
        "status": verified.status,
        "sentence": words.headline(shown),
        "findings": words.findings(verified.verdicts),
        "notice": notice,
        "verdicts": tables.verdict_rows(verified.verdicts, notice),
        "errors": tables.error_rows(verified),
        "swing": None if swing is None else quantity(swing, "m"),
        "offset": None if offsets is None else quantity(max(map(abs, offsets.values())), "m"),
        "budget": None if tracking is None else budget_table(verified, tracking),
    }
    if learned is not None:
        headline = words.learned_headline(shown, learned.verdicts, learned.sentence)
        judged |= {
            **learned.values(),
            "sentence": headline,
            "notice": "",
            "errors": [],
            "budget": None,
        }
    return template("report.html").render(
        policy=_policy(scripts),
        version=cranebridge.__version__,
        scenario=scenario.name,
        description=scenario.crane.description,
        learned=learned,
        **judged,
        scene=data["scene"],
        note=data.pop("note"),
        verified=tracking is not None,
        begin=repr(data["begin"]),
        end=repr(data["end"]),
        panels=series.panels,
        thinning=series.note,
        certificate=tables.certificate_table(verified),
        control=tables.controller_table(verified),
        closed=tables.loop_tables(verified),
        variants=tables.variant_rows(verified),
        outputs=[part.name for part in scenario.crane.outputs],
        ropes=tables.rope_rows(shown),
        plan=plan_table(shown),
        gap=f"{100.0 * GAP:g}",
        obstacles=obstacle_table(shown, None if learned is None else learned.verdicts),
        facts=facts(scenario, verified),
        licences=[(name, _asset(file)) for name, file in _LICENCES],
        data=Markup(_json(data)),
        css=Markup("\n".join(_asset(name) for name in _STYLES)),
        scripts=[Markup(script) for script in scripts],
    )


def render_animation(scenario: Scenario, verified: Verified) -> str:
    """Return a page with the crane in motion and its player, and nothing else."""
    shown = shown_result(scenario, verified)
    data = page_data(shown, make_series(shown)) | {"panels": []}
    scripts = [_asset(name) for name in _ANIMATION]
    return template("animation.html").render(
        policy=_policy(scripts),
        scenario=scenario.name,
        scene=data["scene"],
        note=data.pop("note"),
        verified=verified.tracking is not None,
        obstacles=bool(shown.obstacles),
        begin=repr(data["begin"]),
        end=repr(data["end"]),
        panels=(),
        data=Markup(_json(data)),
        css=Markup(_asset("report.css")),
        scripts=[Markup(script) for script in scripts],
    )


def render_learned(
    name: str, description: str, learned: LearnedPart, facts: list[tuple[str, str]]
) -> str:
    """Return the page of a learning without a crane: banner, trials, pictures, verdicts."""
    return template("learned.html").render(
        policy=_policy([]),
        version=cranebridge.__version__,
        scenario=name,
        description=description,
        learned=learned,
        sentence=words.learned_headline(None, learned.verdicts, learned.sentence),
        notice="",
        facts=facts,
        css=Markup("\n".join(_asset(name) for name in _STYLES)),
        **learned.values(),
    )


def template(name: str) -> Template:
    """Return a template of the report; what is put into it is escaped."""
    environment = Environment(
        loader=FunctionLoader(_asset),
        autoescape=True,
        undefined=StrictUndefined,
        bytecode_cache=CompiledTemplates(),
    )
    return environment.get_template(name)


def _asset(name: str) -> str:
    folder = resources.files("cranebridge.report").joinpath("assets")
    return folder.joinpath(*name.split("/")).read_text(encoding="utf-8")


def _policy(scripts: list[str]) -> str:
    """Return the page's security policy: these scripts, nothing from anywhere else."""
    hashes = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts
    ]
    allowed = " ".join(f"'sha256-{value}'" for value in hashes) or "'none'"
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:"


def _json(data: Mapping[str, Any]) -> str:
    """Return JSON that cannot end the script element that holds it."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")
