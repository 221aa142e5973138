"""Plan: the path of a scenario found, or a running motion stopped or sent elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cranebridge.errors import InputError
from cranebridge.inverse import sample, time_grid
from cranebridge.inverse.index1 import solve_index1, structure_of
from cranebridge.job.running import solve_into
from cranebridge.path import tail
from cranebridge.plan.flat import Fineness, find_plan
from cranebridge.plan.task import PlanTask, State, rest_state
from cranebridge.progress import Progress
from cranebridge.scenario import Scenario
from cranebridge.twin.language import names, require_no_motions
from cranebridge.verify import Verified

# A motion that is running waits for its new plan: one refinement, within a percent of the shortest.
_ROUNDS = 1


def plan_into(scenario: Scenario, folder: Path | None, force: bool) -> Verified:
    """Solve a scenario whose path was found, and write path and solution, if a folder is given."""
    if scenario.planned is None:
        raise InputError(
            f"scenario '{scenario.name}' has a path of its own: path.kind = 'optimal' asks for one "
            "to be found, --stop-at and --goal plan from a time of its motion"
        )
    return solve_into(scenario, folder, force)


def replan(
    scenario: Scenario, time: float, goal: tuple[float, ...] | None, progress: Progress
) -> Scenario:
    """Plan from a time of a scenario's motion to a new goal, or to a stop.

    The controls go on without a jump.

    Parameters
    ----------
    scenario : Scenario
        Whose motion is running.
    time : float
        When the new motion begins [s], from the begin of the running one.
    goal : tuple of float or None
        Outputs at which the load comes to rest; None for a stop wherever that is soonest.
    progress : callable
        Called with the fraction that is done.

    Returns
    -------
    Scenario
        The same with the new path, which begins at its time 0.
    """
    task, order = running_task(scenario, time, goal)
    path = scenario.problem.path
    prompt = Fineness(rounds=_ROUNDS)
    running = path.derivatives([time], order)[:, :, 0]
    plan = find_plan(task, prompt, running=running, onward=tail(path, time), progress=progress)
    return scenario.with_problem(task.problem(plan.path), plan)


def running_task(
    scenario: Scenario, time: float, goal: tuple[float, ...] | None
) -> tuple[PlanTask, int]:
    """Return the task from a time of a motion to a goal or a stop; see `replan`.

    With it the number of derivatives of the path that its controls go on with.
    """
    problem = scenario.problem
    require_no_motions(problem.crane, "planning", "give a path that is not planned")
    if not 0.0 <= time < problem.path.duration:
        raise InputError(
            f"the motion runs from 0 to {problem.path.duration:g} s; {time:g} s is not within it"
        )
    if scenario.friction:
        raise InputError(
            "a running motion is not planned anew with crane.friction: its springs are strained "
            "then; plan without it, and give crane.friction.INPUT.start with the new motion"
        )
    structure = structure_of(problem)
    if not structure.flat:
        raise InputError(
            f"crane '{problem.crane.name}' has internal dynamics; a running motion is planned anew "
            "for flat cranes only"
        )
    solution = solve_index1(problem, time_grid(problem.path.duration, scenario.tables.solve.step))
    now = sample(solution, np.array([time]))
    task = PlanTask(
        scenario.crane,
        dict(problem.parameters),
        State(now.values["q"][0], now.values["v"][0]),
        _goal(scenario, goal),
        scenario.limits,
        obstacles=scenario.obstacles,
    )
    return task, max(structure.path_derivatives.values())


def _goal(scenario: Scenario, goal: tuple[float, ...] | None) -> State | None:
    if goal is None:
        return None
    outputs = names(scenario.crane.outputs)
    if len(goal) != len(outputs):
        raise InputError(f"--goal takes {len(outputs)} numbers ({', '.join(outputs)})")
    values = dict(zip(outputs, goal, strict=True))
    return rest_state(scenario.crane, scenario.problem.parameters, values)
