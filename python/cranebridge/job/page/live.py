"""A scenario that is being changed: its curves, verdicts and scene again and again, fast.

A path that moves keeps crane, structure and compiled functions, which the packages remember; what
is left is a solution at some hundred times, the same verdicts as of a solution in full, and the
report's own curves and scene.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from cranebridge.inverse import Feedforward, require_consistent, time_grid, with_friction
from cranebridge.inverse.index1 import solve_index1, structure_of
from cranebridge.inverse.internal import solve_inversion
from cranebridge.limits import judge
from cranebridge.report import ShownMotion, curve_data, encode, page_data, shown_result
from cranebridge.report.plots import make_series
from cranebridge.report.rows import headline, verdict_rows
from cranebridge.scenario import (
    CraneTable,
    NotPlannedError,
    Origin,
    Scenario,
    crane_of,
    with_rope,
)
from cranebridge.twin import Crane, find_crane
from cranebridge.verify import Verified

__all__ = ["POINTS", "NotPlannedError", "live_page", "live_scenario", "shown_page"]

POINTS = 600
"""Intervals of a solution that is shown while a path is moved; as many as an animation needs."""


def live_scenario(content: Mapping[str, Any], origin: Origin) -> Scenario:
    """Make the scenario of some tables, but for its path; a user's file is executed once."""
    return Scenario.of_tables(content, origin, _crane)


def live_page(scenario: Scenario, scene: bool = True) -> dict[str, Any]:
    """Return what a page shows of a scenario: curves, verdicts, and the scene if asked for."""
    structure = structure_of(scenario.problem)
    if structure.flat:
        require_consistent(scenario.problem, structure)
    solution = with_friction(_solution(scenario, structure.flat), scenario.friction)
    bare = Verified(solution, structure, scenario.limits, ())
    shown = shown_result(scenario, bare)
    verdicts = judge(shown.motion, scenario.limits)
    if scenario.obstacles:
        from cranebridge.plan.task import judge_clearance

        verdicts += judge_clearance(bare.feedforward, scenario.obstacles)
    judged = replace(bare, of_solution=tuple(verdicts))
    return _page(replace(shown, verified=judged), scene)


def shown_page(scenario: Scenario, verified: Verified) -> dict[str, Any]:
    """Return what a page shows of a result, such as of a verification on the plant."""
    return _page(shown_result(scenario, verified), True)


def _page(shown: ShownMotion, scene: bool) -> dict[str, Any]:
    series, verified = make_series(shown), shown.verified
    data = page_data(shown, series) if scene else curve_data(shown, series)
    notice = verified.notice
    return {
        **data,
        "panel_keys": [[panel.key, panel.factor] for panel in series.panels],
        "outputs": [encode(column) for column in shown.wanted[series.chosen].T],
        "status": verified.status,
        "headline": headline(shown),
        "notice": notice,
        "verdicts": verdict_rows(verified.verdicts, notice),
        "plant": verified.tracking is not None,
    }


def _solution(scenario: Scenario, flat: bool) -> Feedforward:
    """Solve exactly at some hundred times, whatever method the scenario chose for its result."""
    problem, settings = scenario.problem, scenario.tables.solve
    step = problem.path.duration / POINTS
    if flat:
        return solve_index1(problem, time_grid(problem.path.duration, step), settings.compile)
    return solve_inversion(problem, step, settings.before, settings.after, settings.compile)


def _crane(table: CraneTable) -> Crane:
    """Return a crane; a user's file is executed once as long as it is the same."""
    model = table.model
    file, _, _ = model.rpartition(":")
    if not file.endswith(".py"):
        return crane_of(table)
    try:
        sha256 = hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return find_crane(model)  # says what is wrong
    return with_rope(_own_crane(model, sha256), table)


@lru_cache(maxsize=8)
def _own_crane(model: str, sha256: str) -> Crane:
    del sha256
    return find_crane(model)
