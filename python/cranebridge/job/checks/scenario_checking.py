"""A scenario checked: its servo problem, its limits on the exact solution, its closed loop."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cranebridge.errors import CranebridgeError, StructureError
from cranebridge.inverse import Feedforward, StructureCheck, check, time_grid
from cranebridge.job.checks.plant_source import common_source
from cranebridge.limits import Verdict, exit_code, judge_solution
from cranebridge.scenario import Scenario

if TYPE_CHECKING:
    from cranebridge.control.analysis import LoopCheck
    from cranebridge.verify import CommonSource


@dataclass(frozen=True, eq=False)
class ScenarioCheck:
    """What can be said of a scenario before its solution is used.

    Attributes
    ----------
    check : StructureCheck
        Structure, smoothness, stages, initial state, and what makes it unsolvable.
    verdicts : tuple of Verdict
        Its limits, judged on the exact solution, and whether its closed loop is stable; empty where
        there is no solution.
    loop : LoopCheck or None
        Poles and margins of its controller; None where it has none.
    no_loop : str
        Why they are not known where there is a controller.
    common_source : CommonSource or None
        The Modelica source that the scenario's plant would have in common with the twin.
    """

    check: StructureCheck
    verdicts: tuple[Verdict, ...]
    loop: LoopCheck | None = None
    no_loop: str = ""
    common_source: CommonSource | None = None

    @property
    def exit_code(self) -> int:
        """0 sound, 1 solvable but a verdict failed, 2 not solvable."""
        return 2 if self.check.problems or self.no_loop else exit_code(self.verdicts)

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        verdicts = [verdict.as_dict() for verdict in self.verdicts]
        loop = {} if self.loop is None else {"control": self.loop.as_dict()}
        loop = {"control": {"failed": self.no_loop}} if self.no_loop else loop
        common = {}
        if self.common_source is not None:
            common = {"common_source": self.common_source.as_dict()}
        return {**self.check.as_dict(), **loop, "verdicts": verdicts, **common}

    def require_solvable(self) -> None:
        """Raise a StructureError with the first problem, if there is one."""
        if self.check.problems:
            raise StructureError(self.check.problems[0])


def check_scenario(scenario: Scenario) -> ScenarioCheck:
    """StructureCheck a scenario: its servo problem, and the margins to its limits."""
    return replace(_checked(scenario), common_source=common_source(scenario))


def _checked(scenario: Scenario) -> ScenarioCheck:
    settings = scenario.tables.solve
    if scenario.tables.deliver.to is not None:
        from cranebridge.job.ordering import Wishes, make_order

        make_order(scenario, Wishes(), scenario.complete())
    times = time_grid(scenario.problem.path.duration, settings.step)
    found = check(scenario.problem, settings.method, times)
    if settings.method == "inversion" or not found.structure.flat:
        from cranebridge.inverse import check_internal

        window = settings.step, settings.before, settings.after
        found = check_internal(found, scenario.problem, settings.method, *window)
    if found.problems or found.solution is None:
        return ScenarioCheck(found, ())
    solution = found.solution
    if scenario.friction:
        from cranebridge.inverse import with_friction

        try:
            solution = with_friction(solution, scenario.friction)
        except CranebridgeError as error:
            return ScenarioCheck(replace(found, problems=[str(error)]), ())
        found = replace(found, solution=solution)
    verdicts = judge(solution, scenario)
    if scenario.tables.control.kind == "none":
        return ScenarioCheck(found, verdicts)
    from cranebridge.job.checks.loop_checking import check_control  # laws take long to import

    try:
        loop = check_control(scenario, solution)
    except CranebridgeError as error:
        return ScenarioCheck(found, verdicts, no_loop=str(error))
    return ScenarioCheck(found, (*verdicts, *loop.verdicts), loop)


def judge(solution: Feedforward, scenario: Scenario) -> tuple[Verdict, ...]:
    """Judge a solution by the limits and obstacles of its scenario."""
    verdicts = judge_solution(solution, scenario.limits)
    if scenario.obstacles:
        from cranebridge.plan.task import judge_clearance

        verdicts += judge_clearance(solution, scenario.obstacles)
    return tuple(verdicts)
