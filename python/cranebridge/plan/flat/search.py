"""What the strategies of a search share: task, guesses, planner, and the motion that is running."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.inverse.index1 import PointSolver
from cranebridge.path import Path, Pieces
from cranebridge.plan.flat.drafts import Fineness
from cranebridge.plan.flat.flat_plan import FlatPlanner
from cranebridge.plan.flat.plain_stop import in_pieces
from cranebridge.plan.flat.route import Guesser, Route
from cranebridge.plan.task import Alternative, PathEvaluation, Plan, PlanTask
from cranebridge.progress import Progress

Array = NDArray[np.float64]

EvaluatedPlan = tuple[Plan, PathEvaluation]
"""A plan, with what it was seen to do."""

BRIEF = 0.3
"""A stop that takes no longer [s] is not optimised."""
# How deep in an obstacle, as a part of the way from start to goal, an optimiser may start.
_SHALLOW = 0.02


@dataclass(frozen=True, eq=False)
class PlanSearch:
    """One search for a plan.

    Attributes
    ----------
    guesser : Guesser
        Makes routes of the task.
    solver : PointSolver
        The stages of the crane.
    fineness : Fineness
        How fine splines become.
    running : numpy.ndarray or None
        Outputs and their derivatives of a running motion that the plan goes on from, a row each.
    onward : Pieces or None
        How that motion would go on, to rest at its end; None unless it keeps all limits.
    part : callable
        Plans another task, from rest or from the running motion.
    progress : callable
        Called with the fraction that is done.
    """

    guesser: Guesser
    solver: PointSolver
    fineness: Fineness
    running: Array | None
    onward: Pieces | None
    part: Callable[[PlanTask, Array | None], Plan]
    progress: Progress

    @property
    def task(self) -> PlanTask:
        """What is asked."""
        return self.guesser.task

    @property
    def stops(self) -> bool:
        """Whether the load is to come to rest wherever that is soonest."""
        return self.task.goal is None

    @cached_property
    def planner(self) -> FlatPlanner:
        """Refines routes of the task."""
        return FlatPlanner(self.guesser.evaluator, self.solver, self.guesser.smoothness)

    @property
    def candidates(self) -> Candidates:
        """The routes to be refined.

        Raises
        ------
        SolutionError
            If there are none.
        """
        if isinstance(self._candidates, SolutionError):
            raise self._candidates
        return self._candidates

    @cached_property
    def _candidates(self) -> Candidates | SolutionError:
        """The routes, or why there are none: it takes long to find out, and is asked for often."""
        try:
            clear, refused = _clear(self.guesser, self.guesser.routes())
            return Candidates(tuple(clear), tuple(refused), _brief(self.guesser, clear[0]))
        except SolutionError as error:
            return error


@dataclass(frozen=True, eq=False)
class Candidates:
    """The routes of a task.

    Attributes
    ----------
    clear : tuple of Route
        Those that touch no obstacle, the plainest first.
    refused : tuple of Alternative
        Why others do.
    brief : bool
        Whether the first one is a stop that is over at once, so that nothing is to be gained.
    """

    clear: tuple[Route, ...]
    refused: tuple[Alternative, ...]
    brief: bool

    @property
    def gradual(self) -> bool:
        """Whether the first one is to be shortened step by step."""
        return self.clear[0].gradual


def polynomial_plan(guesser: Guesser, path: Path, way: str, note: str) -> EvaluatedPlan:
    """Return a path that was not optimised as a plan."""
    if not isinstance(path, Pieces):
        path = in_pieces(path, guesser.smoothness, 1)
    evaluation = guesser.evaluator.evaluate(path, 96)
    objective, duration = guesser.task.objective, path.duration
    return Plan(path, objective, "polynomial", duration, np.inf, (), way, notes=(note,)), evaluation


def _brief(guesser: Guesser, route: Route) -> bool:
    """Return whether a stop is over at once, and keeps the limits."""
    if guesser.task.goal is not None or sum(route.durations) > BRIEF:
        return False
    worst = guesser.evaluator.evaluate(route.path, 64).worst()
    return worst is None or worst[0] <= 0.0


def _clear(guesser: Guesser, routes: list[Route]) -> tuple[list[Route], list[Alternative]]:
    """Return the routes that touch no obstacle, and why others do.

    From a path deep through an obstacle an optimiser seldom finds a way out, and takes long to say
    so. Of a stop, and of what touches a corner only, it may.

    Raises
    ------
    SolutionError
        If all of them go through obstacles.
    """
    evaluator, task = guesser.evaluator, guesser.task
    if not task.obstacles:
        return routes, []
    shallow = _SHALLOW * float(np.linalg.norm(guesser.goal - guesser.start))
    clear, nearly, refused = [], [], []
    for route in routes:
        evaluation = evaluator.evaluate(route.path, per_piece=64)
        least = np.where(
            [row.is_clearance for row in evaluation.rows], evaluation.excess().max(axis=0), -1.0
        )
        if least.max() <= 0.0:
            clear.append(route)
            continue
        if task.goal is None or least.max() <= shallow:
            nearly.append(route)
        name = evaluation.rows[int(least.argmax())].name.removeprefix("clearance of ")
        refused.append(Alternative(route.way, why=f"it would touch {name}"))
    if clear:
        return clear, refused
    if nearly:
        return nearly, []
    raise SolutionError(guesser.barred([(one.way, one.why) for one in refused]))
