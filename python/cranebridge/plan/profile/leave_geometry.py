"""What a load would gain that leaves the line of its path: a coarse plan between the same ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cranebridge.errors import CranebridgeError
from cranebridge.inverse import ServoProblem
from cranebridge.limits import Limits
from cranebridge.plan.flat import Fineness, find_plan
from cranebridge.plan.task import Obstacle, PlanTask, rest_state

NOT_LOOKED = "All of these keep to the geometry of the path; leaving it was not looked at."

_COARSE = Fineness(rounds=2)


def gain_by_leaving(
    problem: ServoProblem, limits: Limits, duration: float, obstacles: Sequence[Obstacle] = ()
) -> str:
    """Say in a sentence what a path would gain that leaves the line.

    Parameters
    ----------
    problem : ServoProblem
        A flat crane and its path, of which only start and goal are kept.
    limits : Limits
        What must be kept.
    duration : float
        The shortest duration found on the line [s].
    obstacles : sequence of Obstacle
        What must not be touched.
    """
    path = problem.path
    if any(path.moving_ends):
        return f"{NOT_LOOKED} It starts or ends moving."
    ends = path([0.0, path.duration]).T
    if np.allclose(*ends):
        return f"{NOT_LOOKED} It ends where it starts."
    try:
        start, goal = (
            rest_state(
                problem.crane,
                problem.parameters,
                dict(zip(path.outputs, end.tolist(), strict=True)),
            )
            for end in ends
        )
        task = PlanTask(
            problem.crane,
            dict(problem.parameters),
            start,
            goal,
            limits,
            obstacles=tuple(obstacles),
        )
        plan = find_plan(task, _COARSE)
    except CranebridgeError as error:
        return f"leaving the line: no plan was found ({str(error).rstrip('.')})"
    if plan.duration >= duration:
        return f"leaving the line: a coarse plan takes {plan.duration:.4g} s, nothing is gained"
    less = 100.0 * (1.0 - plan.duration / duration)
    return (
        f"leaving the line: about {plan.duration:.4g} s, {less:.0f} % less, by a coarse plan "
        "between the same ends (path.kind = 'optimal')"
    )
