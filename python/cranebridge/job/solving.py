"""A scenario solved by the method that it asks for, and judged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.inverse import Feedforward, require_consistent, time_grid, with_friction
from cranebridge.inverse.index1 import solve_index1, structure_of
from cranebridge.inverse.internal import solve_inversion
from cranebridge.inverse.stepping import solve_index3, solve_projection
from cranebridge.job.checks import ScenarioCheck, judge
from cranebridge.progress import Progress, ignore_progress
from cranebridge.scenario import Scenario, planned_limits
from cranebridge.twin.language import require_no_motions
from cranebridge.verify import Verified

if TYPE_CHECKING:
    from cranebridge.plan import Fastest

Array = NDArray[np.float64]

PLANNED_WITH_ROOM = (
    "the path was planned within limits of forces and powers that leave room for the largest "
    "friction (crane.friction); it is judged by the limits themselves, with the friction"
)


def find_shortest(scenario: Scenario) -> Fastest:
    """Find the shortest duration at which a scenario keeps its limits, with any profile."""
    require_no_motions(
        scenario.crane, "the shortest duration", "its motion takes as long as it takes"
    )
    if not structure_of(scenario.problem).flat:
        raise InputError(
            f"the shortest duration is found for flat cranes only, and crane "
            f"'{scenario.crane.name}' has internal dynamics; try path.duration by hand"
        )
    from cranebridge.plan.profile import (
        fastest_profile,  # SciPy's optimisers take long to import
        gain_by_leaving,
    )

    problem = scenario.problem
    limits = planned_limits(scenario.tables, scenario.crane, problem.parameters)

    def leaving(duration: float) -> str:
        return gain_by_leaving(problem, limits, duration, scenario.obstacles)

    return fastest_profile(problem, limits, scenario.tables.path, leaving)


def solve_scenario(
    scenario: Scenario, progress: Progress = ignore_progress, checked: ScenarioCheck | None = None
) -> Verified:
    """Solve a scenario by the method that it asks for, and judge its limits.

    Parameters
    ----------
    scenario : Scenario
        What to solve.
    progress : callable, optional
        Called with the fraction that is done.
    checked : ScenarioCheck, optional
        A check of the same scenario, whose exact solution is taken where that is what is asked for.
    """
    structure = structure_of(scenario.problem)
    exact = None if checked is None else checked.check.solution
    method = scenario.tables.solve.method
    if checked is not None and exact is not None and exact.method == method:
        return Verified(exact, structure, scenario.limits, checked.verdicts, loop=checked.loop)
    if structure.flat:
        require_consistent(scenario.problem, structure)
    solution = with_friction(_solve(scenario, progress), scenario.friction)
    if scenario.friction and scenario.planned is not None:
        solution = replace(solution, notes=(*solution.notes, PLANNED_WITH_ROOM))
    verdicts, loop = judge(solution, scenario), None if checked is None else checked.loop
    verdicts += () if loop is None else loop.verdicts
    return Verified(solution, structure, scenario.limits, verdicts, loop=loop)


def _solve(scenario: Scenario, progress: Progress) -> Feedforward:
    settings = scenario.tables.solve
    times = time_grid(scenario.problem.path.duration, settings.step)
    return _SOLVERS[settings.method](scenario, times, progress)


def _index1(scenario: Scenario, times: Array, progress: Progress) -> Feedforward:
    structure = structure_of(scenario.problem)
    if structure.controls_determined and not structure.flat:
        return _inversion(scenario, times, progress)
    return solve_index1(scenario.problem, times, scenario.tables.solve.compile)


def _inversion(scenario: Scenario, _times: Array, _progress: Progress) -> Feedforward:
    settings = scenario.tables.solve
    window = settings.step, settings.before, settings.after
    return solve_inversion(scenario.problem, *window, settings.compile)


def _index3(scenario: Scenario, times: Array, progress: Progress) -> Feedforward:
    return solve_index3(scenario.problem, times, scenario.tables.solve.scheme, progress)


def _projection(scenario: Scenario, times: Array, progress: Progress) -> Feedforward:
    settings = scenario.tables.solve
    how = settings.scheme, settings.coordinates
    return solve_projection(scenario.problem, times, *how, progress)


_SOLVERS = {
    "index1": _index1,
    "index3": _index3,
    "inversion": _inversion,
    "projection": _projection,
}
"""How each of `inverse.METHODS` is called."""
