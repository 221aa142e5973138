"""The interactive report: one HTML file that holds everything and loads nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

import cranebridge
from cranebridge.errors import InputError
from cranebridge.limits.verdict import Verdict
from cranebridge.report import words
from cranebridge.report.page_data import page_data
from cranebridge.report.series import make_series, margins
from cranebridge.report.source import Tracking
from cranebridge.report.units import quantity
from cranebridge.scenario import Scenario
from cranebridge.solve import Solved

_SCRIPTS = (
    "vendor/uPlot.iife.min.js",
    "vendor/three.min.js",
    "player.js",
    "animation.js",
    "plots.js",
)
_STYLES = ("vendor/uPlot.min.css", "report.css")
_LICENCES = (("uPlot", "vendor/LICENSE-uPlot.txt"), ("three.js", "vendor/LICENSE-three.txt"))


def write_report(
    target: Path,
    *,
    scenario: Scenario,
    solved: Solved,
    tracking: Tracking | None = None,
    certificate: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write the report as one HTML file that opens without a network.

    Parameters
    ----------
    target : pathlib.Path
        The file; it appears only when it is complete.
    scenario : Scenario
        What was asked for.
    solved : Solved
        The feedforward with its structure and verdicts.
    tracking : Tracking, optional
        What the plant did with it; without it the feedforward's own motion is shown.
    certificate : mapping, optional
        How well twin and plant agree.
    overwrite : bool
        Whether an existing file is replaced.

    Returns
    -------
    pathlib.Path
        The file written.
    """
    require_target(target, overwrite)
    text = render(scenario, solved, tracking, certificate)
    put(target, text.encode("utf-8"))
    return target


def render(
    scenario: Scenario,
    solved: Solved,
    tracking: Tracking | None = None,
    certificate: Mapping[str, Any] | None = None,
) -> str:
    """Return the page's text."""
    series = make_series(solved, tracking)
    data = page_data(solved, tracking, series)
    scripts = [_asset(name) for name in _SCRIPTS]
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    return environment.from_string(_asset("report.html")).render(
        policy=_policy(scripts),
        version=cranebridge.__version__,
        scenario=scenario.name,
        description=scenario.crane.description,
        status=words.status(solved, tracking),
        sentence=words.sentence(solved, tracking),
        scene=data["scene"],
        note=data.pop("note"),
        verified=tracking is not None,
        end=repr(data["end"]),
        panels=series.panels,
        thinning=series.note,
        verdicts=[_verdict(verdict) for verdict in words.all_verdicts(solved, tracking)],
        errors=_errors(solved, tracking),
        variants=_variants(solved, tracking),
        swing=None if tracking is None else quantity(tracking.residual_swing, "m"),
        outputs=[part.name for part in scenario.crane.outputs],
        budget=None if tracking is None else words.make_budget(solved, tracking),
        ropes=_ropes(solved, tracking),
        facts=words.facts(scenario, solved, tracking, certificate or {}),
        licences=[(name, _asset(file)) for name, file in _LICENCES],
        data=Markup(_json(data)),
        css=Markup("\n".join(_asset(name) for name in _STYLES)),
        scripts=[Markup(script) for script in scripts],
    )


def require_target(target: Path, overwrite: bool) -> None:
    """Raise an InputError if the file must not be written."""
    if target.is_dir():
        raise InputError(f"report '{target}' is a folder; give a file name")
    if target.exists() and not overwrite:
        raise InputError(f"report '{target}' exists; choose another name or replace it")


def put(target: Path, content: bytes) -> None:
    """Write a file so that it is there completely or not at all."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".", delete=False) as file:
            file.write(content)
        os.chmod(file.name, 0o644)  # a temporary file is its owner's alone
        os.replace(file.name, target)
    except OSError as error:
        raise InputError(f"report '{target}' cannot be written: {error.strerror}") from error


def _asset(name: str) -> str:
    folder = resources.files("cranebridge.report").joinpath("assets")
    return folder.joinpath(*name.split("/")).read_text(encoding="utf-8")


def _policy(scripts: list[str]) -> str:
    """Return the page's security policy: these scripts, nothing from anywhere else."""
    hashes = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts
    ]
    allowed = " ".join(f"'sha256-{value}'" for value in hashes)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:"


def _json(data: Mapping[str, Any]) -> str:
    """Return JSON that cannot end the script element that holds it."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def _verdict(verdict: Verdict) -> dict[str, Any]:
    values = {key: getattr(verdict, key) for key in ("value", "limit", "margin")}
    return {
        "name": verdict.name,
        "passed": verdict.passed,
        "time": "" if verdict.time is None else f"{verdict.time:.2f} s",
        **{key: quantity(value, verdict.unit, 4) for key, value in values.items()},
    }


def _errors(solved: Solved, tracking: Tracking | None) -> list[dict[str, str]]:
    if tracking is None:
        return []
    return [
        {
            "name": part.name,
            "meaning": part.meaning,
            "largest": quantity(tracking.max_error[part.name], part.unit),
            "rms": quantity(tracking.rms_error[part.name], part.unit),
        }
        for part in solved.scenario.crane.outputs
    ]


def _variants(solved: Solved, tracking: Tracking | None) -> list[dict[str, Any]]:
    """Return the largest errors on other plants, the plant itself first."""
    if tracking is None or not tracking.variants:
        return []
    outputs = solved.scenario.crane.outputs
    return [
        {
            "name": name,
            "errors": [quantity(errors.get(part.name), part.unit) for part in outputs],
        }
        for name, errors in {"as modelled": tracking.max_error, **tracking.variants}.items()
    ]


def _ropes(solved: Solved, tracking: Tracking | None) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "meaning": meaning,
            "margin": quantity(force, "N", 4),
            "pulls": force > -1e-6 * abs(solved.feedforward.ropes).max(),
            "time": f"{time:.2f} s",
        }
        for name, meaning, force, time in margins(solved, tracking)
    ]
