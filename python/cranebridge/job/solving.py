"""Check and solve a scenario: what can be said before a plant is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import CranebridgeError, InputError, StructureError
from cranebridge.inverse import (
    Check,
    Feedforward,
    check,
    check_internal,
    require_consistent,
    time_grid,
)
from cranebridge.inverse.index1 import solve_index1, structure_of
from cranebridge.inverse.internal import solve_inversion
from cranebridge.inverse.stepping import solve_index3, solve_projection
from cranebridge.limits import Verdict, exit_code, judge_solution
from cranebridge.news import Progress
from cranebridge.scenario import Scenario
from cranebridge.verify import Verified

if TYPE_CHECKING:
    from cranebridge.control.analysis import LoopCheck
    from cranebridge.plan import Fastest

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Checked:
    """What can be said of a scenario before its solution is used.

    Attributes
    ----------
    check : Check
        Structure, smoothness, stages, initial state, and what makes it unsolvable.
    verdicts : tuple of Verdict
        Its limits, judged on the exact solution, and whether its closed loop is stable; empty where
        there is no solution.
    loop : LoopCheck or None
        Poles and margins of its controller; None where it has none.
    no_loop : str
        Why they are not known where there is a controller.
    """

    check: Check
    verdicts: tuple[Verdict, ...]
    loop: LoopCheck | None = None
    no_loop: str = ""

    @property
    def exit_code(self) -> int:
        """0 sound, 1 solvable but a verdict failed, 2 not solvable."""
        return 2 if self.check.problems or self.no_loop else exit_code(self.verdicts)

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        verdicts = [verdict.as_dict() for verdict in self.verdicts]
        loop = {} if self.loop is None else {"control": self.loop.as_dict()}
        loop = {"control": {"failed": self.no_loop}} if self.no_loop else loop
        return {**self.check.as_dict(), **loop, "verdicts": verdicts}

    def require_solvable(self) -> None:
        """Raise a StructureError with the first problem, if there is one."""
        if self.check.problems:
            raise StructureError(self.check.problems[0])


def check_scenario(scenario: Scenario) -> Checked:
    """Check a scenario: its servo problem, and the margins to its limits."""
    settings = scenario.tables.solve
    if scenario.tables.deliver.to is not None:
        from cranebridge.job.ordering import Wishes, make_order

        make_order(scenario, Wishes(), scenario.complete())
    times = time_grid(scenario.problem.path.duration, settings.step)
    found = check(scenario.problem, settings.method, times)
    if settings.method == "inversion" or not found.structure.flat:
        window = settings.step, settings.before, settings.after
        found = check_internal(found, scenario.problem, settings.method, *window)
    if found.problems or found.solution is None:
        return Checked(found, ())
    verdicts = judge(found.solution, scenario)
    if scenario.tables.control.kind == "none":
        return Checked(found, verdicts)
    from cranebridge.job.checks import check_control  # laws take long to import

    try:
        loop = check_control(scenario, found.solution)
    except CranebridgeError as error:
        return Checked(found, verdicts, no_loop=str(error))
    return Checked(found, (*verdicts, *loop.verdicts), loop)


def judge(solution: Feedforward, scenario: Scenario) -> tuple[Verdict, ...]:
    """Judge a solution by the limits and obstacles of its scenario."""
    verdicts = judge_solution(solution, scenario.limits)
    if scenario.obstacles:
        from cranebridge.plan.task import judge_clearance

        verdicts += judge_clearance(solution, scenario.obstacles)
    return tuple(verdicts)


def find_shortest(scenario: Scenario) -> Fastest:
    """Find the shortest duration at which a scenario keeps its limits, with any profile."""
    if not structure_of(scenario.problem).flat:
        raise InputError(
            f"the shortest duration is found for flat cranes only, and crane "
            f"'{scenario.crane.name}' has internal dynamics; try path.duration by hand"
        )
    from cranebridge.plan.profile import (
        fastest_profile,  # SciPy's optimisers take long to import
        gain_by_leaving,
    )

    problem, limits = scenario.problem, scenario.limits

    def leaving(duration: float) -> str:
        return gain_by_leaving(problem, limits, duration, scenario.obstacles)

    return fastest_profile(problem, limits, scenario.tables.path, leaving)


def solve_scenario(
    scenario: Scenario, progress: Progress | None = None, checked: Checked | None = None
) -> Verified:
    """Solve a scenario by the method that it asks for, and judge its limits.

    Parameters
    ----------
    scenario : Scenario
        What to solve.
    progress : callable, optional
        Told the fraction that is done.
    checked : Checked, optional
        A check of the same scenario, whose exact solution is taken where that is what is asked for.
    """
    structure = structure_of(scenario.problem)
    exact = None if checked is None else checked.check.solution
    method = scenario.tables.solve.method
    if checked is not None and exact is not None and exact.method == method:
        return Verified(exact, structure, scenario.limits, checked.verdicts, loop=checked.loop)
    if structure.flat:
        require_consistent(scenario.problem, structure)
    solution = _solve(scenario, progress)
    verdicts, loop = judge(solution, scenario), None if checked is None else checked.loop
    verdicts += () if loop is None else loop.verdicts
    return Verified(solution, structure, scenario.limits, verdicts, loop=loop)


def _solve(scenario: Scenario, progress: Progress | None) -> Feedforward:
    settings = scenario.tables.solve
    times = time_grid(scenario.problem.path.duration, settings.step)
    return _SOLVERS[settings.method](scenario, times, progress)


def _index1(scenario: Scenario, times: Array, _progress: Progress | None) -> Feedforward:
    return solve_index1(scenario.problem, times, scenario.tables.solve.compile)


def _inversion(scenario: Scenario, _times: Array, _progress: Progress | None) -> Feedforward:
    settings = scenario.tables.solve
    window = settings.step, settings.before, settings.after
    return solve_inversion(scenario.problem, *window, settings.compile)


def _index3(scenario: Scenario, times: Array, progress: Progress | None) -> Feedforward:
    return solve_index3(scenario.problem, times, scenario.tables.solve.scheme, progress)


def _projection(scenario: Scenario, times: Array, progress: Progress | None) -> Feedforward:
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
