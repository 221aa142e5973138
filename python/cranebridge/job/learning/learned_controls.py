"""Learned controls for a delivery: what `learn` wrote, in the motion that it was learned for."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cranebridge.deliver import FORMATS, ONE_MOTION
from cranebridge.errors import InputError
from cranebridge.inverse import Feedforward
from cranebridge.job.folder import require_unchanged
from cranebridge.learn.trials import on_record, with_inputs
from cranebridge.scenario import Scenario, read_columns
from cranebridge.twin.language import names

FILE = "learned.csv"
"""The learned controls in the results of ``learn``."""
SCENARIO = "scenario.toml"
"""The scenario that they were learned with."""
SUMMARY = "summary.json"
"""What ``learn`` found."""
TASK: Mapping[str, tuple[str, ...]] = {
    "crane": ("model", "parameters", "initial"),
    "plant": ("model", "fmu", "parameters", "start", "map", "speed", "drives"),
    "control": ("drives",),
    "limits": (),
    "obstacles": (),
    "disturbance": (),
}
"""Tables, and keys in them where not all count, that must be those with which was learned."""


def learned_feedforward(
    solution: Feedforward, folder: Path, to: str, scenario: Scenario
) -> tuple[Feedforward, Feedforward]:
    """Return the motion with its own controls, and with those that were learned for it.

    Parameters
    ----------
    solution : Feedforward
        The scenario's own, an exact one.
    folder : pathlib.Path
        What `cranebridge learn` wrote.
    to : str
        The format: one that solves on line has no place for learned controls.
    scenario : Scenario
        What shall be delivered.

    Raises
    ------
    InputError
        If the format has no place for them, they were learned for another motion, crane, plant or
        other limits, or were changed since.
    """
    if to in FORMATS and FORMATS[to].kind == "on line" and to not in ONE_MOTION:
        raise InputError(
            f"format '{to}' solves on line and has no place for learned controls; hand them over "
            "as a table, as code or as an FMU that plays them (csv, c, st, fmu, ssp, ...)"
        )
    require_unchanged(folder, (FILE, SCENARIO, SUMMARY), "learn")
    problem = solution.problem
    inputs = [f"u.{name}" for name in names(problem.crane.inputs)]
    outputs = [f"gamma.{name}" for name in names(problem.crane.outputs)]
    time, values = read_columns("--learned", str(folder / FILE), (*inputs, *outputs))
    first, last = float(solution.time[0]), float(solution.time[-1])
    before, after = max(first - float(time[0]), 0.0), max(float(time[-1]) - last, 0.0)
    base = on_record(solution, (time[-1] - time[0]) / (len(time) - 1), before, after)
    controls, wanted = values[:, : len(inputs)], values[:, len(inputs) :]
    size = float(np.abs(wanted).max())
    if base.gamma.shape != wanted.shape or np.abs(base.gamma - wanted).max() > 1e-6 * size:
        raise other_path(folder, "path")
    require_same_task(folder, scenario.complete(), made_from(scenario.files, scenario.file))
    return base, with_inputs(base, controls)


def made_from(files: Iterable[Path], scenario: Path | None) -> dict[str, str]:
    """Return the hashes of the files that a result depends on, by name; not of the scenario's."""
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
        if file != scenario and file.is_file()
    }


def require_same_task(folder: Path, task: Mapping[str, Any], files: Mapping[str, str]) -> None:
    """Refuse controls that were learned on another crane or plant, or within other limits.

    Parameters
    ----------
    folder : pathlib.Path
        What `cranebridge learn` wrote, unchanged.
    task : mapping
        All tables of the scenario that is delivered.
    files : mapping of str to str
        Hashes of the files that it depends on (`made_from`).
    """
    then = tomllib.loads((folder / SCENARIO).read_text(encoding="utf-8"))
    for key in TASK:
        before, now = (_relevant(key, tables.get(key)) for tables in (then, task))
        if before != now:
            raise other_path(folder, "task", _difference(key, before, now))
    learned = json.loads((folder / SUMMARY).read_text(encoding="utf-8")).get("learn", {})
    for name, found in learned.get("made_from", {}).items():
        if name in files and files[name] != found:
            raise other_path(folder, "task", f"'{name}' was changed since")


def _relevant(key: str, table: Any) -> Any:
    """Return what of a table decides whether controls fit; files are compared by their contents.

    A table that is not given says as much as one with other keys only.
    """
    if table is None and TASK[key]:
        return {}
    if not isinstance(table, dict):
        return table
    kept = {name: value for name, value in table.items() if name in TASK[key] or not TASK[key]}
    for name in {"model", "fmu"} & kept.keys():
        if ".py:" in kept[name] or name == "fmu":
            kept[name] = Path(kept[name]).name
    return kept


def _difference(key: str, before: Any, now: Any) -> str:
    """Say where two tables differ first, with both values."""
    if isinstance(before, dict) and isinstance(now, dict):
        for name in (*before, *now):
            if before.get(name) != now.get(name):
                return _difference(f"{key}.{name}", before.get(name), now.get(name))
    then, today = ("not given" if value is None else value for value in (before, now))
    return f"{key} is {then} there and {today} here"


def other_path(folder: Path, what: str, more: str = "") -> InputError:
    """Return the error of controls that were learned for something else."""
    return InputError(
        f"the controls in '{folder / FILE}' were learned for another {what} than that of the "
        f"scenario{f' ({more})' if more else ''}: give the scenario of that folder, "
        f"'{folder / SCENARIO}', or learn with this one"
    )
