"""The ways to a plan, in the order in which they are tried: `STRATEGIES`.

The optimiser may fail, or find a plan that only a note calls slow. What is done then stands in this
list alone. A strategy that applies may find a plan, a better one than is known, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from cranebridge.errors import InputError, SolutionError
from cranebridge.path import Pieces
from cranebridge.plan.flat.flat_plan import SNAP_WEIGHTS
from cranebridge.plan.flat.over_rest import plan_over_rest
from cranebridge.plan.flat.plain_stop import in_pieces, keeps_limits, polynomial_stop
from cranebridge.plan.flat.refine_route import best_plan, coarse_draft, gradual_plan
from cranebridge.plan.flat.route import Route
from cranebridge.plan.flat.search import BRIEF, EvaluatedPlan, PlanSearch, polynomial_plan
from cranebridge.plan.nlp import LegEnd
from cranebridge.plan.task import Alternative, Plan
from cranebridge.progress import ignore_progress

_NOTE_END_AT_ONCE = f"the motion ends within {BRIEF:g} s: it goes on to its end"
_NOTE_BRIEF = f"a stop within {BRIEF:g} s is a polynomial, and not the shortest"
_NOTE_WEIGHED = "changes of the drives were weighed to find it at all, and it is not the shortest"
_NOTE_POLYNOMIALS = (
    "the optimiser found nothing: these are polynomials, slower than the limits allow"
)
_NOTE_TO_THE_END = "no sooner stop was found: the motion goes on to its end"
_TO_A_STOP = "to a stop"
_TO_THE_END = "on to the end of the running motion"


@dataclass(frozen=True)
class Strategy:
    """A way to a plan.

    Attributes
    ----------
    name : str
        What it does, as in `docs/planning.md`.
    when : str
        When it is used: a sentence for the same table.
    applies : callable
        Whether it is tried, given the search and the plan that is known.
    find : callable
        Returns a plan in place of the one that is known, or None; a SolutionError says why there is
        none.
    """

    name: str
    when: str
    applies: Callable[[PlanSearch, Plan | None], bool]
    find: Callable[[PlanSearch, Plan | None], EvaluatedPlan | None]


def plan_in_turn(search: PlanSearch, strategies: Sequence[Strategy]) -> EvaluatedPlan:
    """Try strategies in turn; return the plan of the last one that finds any.

    Raises
    ------
    SolutionError
        If none finds a plan: the last one that was raised.
    InputError
        If the task cannot be met.
    """
    found, why = None, SolutionError("no plan was found")
    for strategy in strategies:
        known = None if found is None else found[0]
        try:
            if strategy.applies(search, known):
                found = strategy.find(search, known) or found
        except SolutionError as error:
            why = error
        except InputError:  # of a part of the task, where a plan is known
            if found is None:
                raise
    if found is None:
        raise why
    return found


def _ends_at_once(search: PlanSearch, known: Plan | None) -> bool:
    end = search.onward
    return known is None and search.stops and end is not None and end.duration <= BRIEF


def _end_at_once(search: PlanSearch, known: Plan | None) -> EvaluatedPlan:
    assert search.onward is not None
    return polynomial_plan(search.guesser, search.onward, _TO_THE_END, _NOTE_END_AT_ONCE)


def _is_brief(search: PlanSearch, known: Plan | None) -> bool:
    return known is None and search.stops and search.candidates.brief


def _brief_stop(search: PlanSearch, known: Plan | None) -> EvaluatedPlan:
    route = search.candidates.clear[0]
    return polynomial_plan(search.guesser, route.path, route.way, _NOTE_BRIEF)


def _may_be_refined(search: PlanSearch, known: Plan | None) -> bool:
    if known is not None:
        return False
    routes = search.candidates
    return not (routes.gradual and len(routes.clear) == 1)


def _refined(search: PlanSearch, known: Plan | None) -> EvaluatedPlan:
    routes, fineness = search.candidates, search.fineness
    found = best_plan(search.planner, list(routes.clear), fineness, search.progress)
    return _with_refused(search, found)


def _is_gradual(search: PlanSearch, known: Plan | None) -> bool:
    return known is None and search.candidates.gradual


def _step_by_step(search: PlanSearch, known: Plan | None) -> EvaluatedPlan:
    route = search.candidates.clear[0]
    return _with_refused(search, gradual_plan(search.planner, route, search.fineness))


def _may_be_weighed(search: PlanSearch, known: Plan | None) -> bool:
    return known is None and search.task.objective == "time" and not search.candidates.gradual


def _weighed(search: PlanSearch, known: Plan | None) -> EvaluatedPlan | None:
    planner, routes = search.planner, list(search.candidates.clear)
    for weight in [weight for weight in SNAP_WEIGHTS if weight > planner.snap]:
        with suppress(SolutionError):
            found = best_plan(planner.with_snap(weight), routes, search.fineness, search.progress)
            plan, evaluation = _with_refused(search, found)
            return replace(plan, notes=(*plan.notes, _NOTE_WEIGHED)), evaluation
    return None


def _is_untimed(search: PlanSearch, known: Plan | None) -> bool:
    task = search.task
    timed = task.duration is not None or any(via.time is not None for via in task.via)
    return known is None and task.objective == "time" and not timed


def _as_polynomials(search: PlanSearch, known: Plan | None) -> EvaluatedPlan | None:
    for route in search.candidates.clear:
        path = in_pieces(route.path, search.guesser.smoothness, 1)
        if keeps_limits(search.guesser.evaluator, path):
            return polynomial_plan(search.guesser, path, route.way, _NOTE_POLYNOMIALS)
    return None


def _is_slow_stop(search: PlanSearch, known: Plan | None) -> bool:
    slow = known is not None and {_NOTE_WEIGHED, _NOTE_POLYNOMIALS} & set(known.notes)
    return bool(slow) and search.stops and search.onward is not None


def _from_the_end(search: PlanSearch, known: Plan | None) -> EvaluatedPlan | None:
    assert known is not None
    assert search.onward is not None
    route = _stop_route(search, search.onward, _TO_A_STOP)
    found = best_plan(search.planner, [route], search.fineness, ignore_progress)
    return found if found[0].duration < known.duration else None


def _may_rest(search: PlanSearch, known: Plan | None) -> bool:
    moves = search.guesser.moving[0] is not None
    possible = not search.stops and search.task.objective == "time" and moves
    return possible and (known is None or bool(known.notes))


def _over_rest(search: PlanSearch, known: Plan | None) -> EvaluatedPlan | None:
    if known is None:
        return plan_over_rest(search)
    found = plan_over_rest(search, known.duration)
    if found is None:
        return None
    slower = Alternative.found(known.way, known.cost, known.path)
    return replace(found[0], alternatives=(slower, *known.alternatives)), found[1]


def _is_lost(search: PlanSearch, known: Plan | None) -> bool:
    moves = search.guesser.moving[0] is not None
    return known is None and search.stops and search.task.objective == "time" and moves


def _from_a_kept_stop(search: PlanSearch, known: Plan | None) -> EvaluatedPlan | None:
    """Start a stop from a motion that keeps all limits; a slow motion is better than none."""
    kept = _kept_stop(search)
    if kept is None:
        return None
    path, way, note = kept
    planner = search.planner
    outcome = coarse_draft(planner, _stop_route(search, path, way), search.fineness)
    if isinstance(outcome, SolutionError):
        return polynomial_plan(search.guesser, path, way, note)
    try:
        draft, evaluation = planner.hold(*outcome, 1)
    except SolutionError:
        return polynomial_plan(search.guesser, path, way, note)
    assert isinstance(draft.path, Pieces)
    objective = search.task.objective
    return Plan(draft.path, objective, "flat", draft.cost, np.inf, (), _TO_A_STOP), evaluation


def _kept_stop(search: PlanSearch) -> tuple[Pieces, str, str] | None:
    """Return a stop that keeps all limits, with way and note of a plan that is no more; or None."""
    guesser, onward = search.guesser, search.onward
    start = guesser.moving[0]
    assert start is not None
    longest = np.inf if onward is None else onward.duration
    derivatives = start.derivatives[: guesser.smoothness + 1]
    path = polynomial_stop(guesser.evaluator, guesser.outputs, derivatives, longest)
    if path is not None:
        return path, _TO_A_STOP, _NOTE_POLYNOMIALS
    return None if onward is None else (onward, _TO_THE_END, _NOTE_TO_THE_END)


def _stop_route(search: PlanSearch, path: Pieces, way: str) -> Route:
    """Return a stop anywhere as a guess."""
    ends = LegEnd(None, None), LegEnd(search.guesser.smoothness, None)
    return Route(way, path, (path.duration,), (ends,), search.guesser.moving[0])


def _ends_sooner(search: PlanSearch, known: Plan | None) -> bool:
    end = search.onward
    sooner = known is not None and end is not None and end.duration < known.duration
    return sooner and search.stops


def _to_the_end(search: PlanSearch, known: Plan | None) -> EvaluatedPlan:
    assert search.onward is not None
    return polynomial_plan(search.guesser, search.onward, _TO_THE_END, _NOTE_TO_THE_END)


def _with_refused(search: PlanSearch, found: EvaluatedPlan) -> EvaluatedPlan:
    """Return a plan with the routes that touch obstacles among its alternatives."""
    plan, evaluation = found
    return replace(plan, alternatives=(*plan.alternatives, *search.candidates.refused)), evaluation


STRATEGIES = (
    Strategy(
        "the running motion, which ends at once",
        f"For a stop, where the running motion comes to rest within {BRIEF:g} s.",
        _ends_at_once,
        _end_at_once,
    ),
    Strategy(
        "the first polynomial to rest",
        f"For a stop, where this polynomial keeps the limits and takes no more than {BRIEF:g} s.",
        _is_brief,
        _brief_stop,
    ),
    Strategy(
        "splines",
        "Nearly always: the route that is best on the first splines is refined. Not where the only "
        "route leads over a stop or a run-up.",
        _may_be_refined,
        _refined,
    ),
    Strategy(
        "step by step",
        "Where splines found nothing, and the first route leads over a stop or a run-up: it "
        "becomes a little shorter each time.",
        _is_gradual,
        _step_by_step,
    ),
    Strategy(
        "splines with weighed drives",
        "For the shortest time, where splines found nothing: changes of the drives are weighed, at "
        "first little, then more.",
        _may_be_weighed,
        _weighed,
    ),
    Strategy(
        "the route as it is",
        "For the shortest time without given times, where nothing was found: the first route that "
        "keeps the limits, as polynomials.",
        _is_untimed,
        _as_polynomials,
    ),
    Strategy(
        "a stop from the end of the running motion",
        "For a stop that one of the two strategies above found: splines start once more, from the "
        "running motion; the shorter stop counts.",
        _is_slow_stop,
        _from_the_end,
    ),
    Strategy(
        "over rest",
        "For the shortest time from a load that moves to a goal, where nothing was found or only a "
        "plan with a note: the load is stopped, and a plan from rest follows; the shorter plan "
        "counts.",
        _may_rest,
        _over_rest,
    ),
    Strategy(
        "a stop from polynomials",
        "For a stop, where nothing was found: the load is led to an even motion, then to rest. "
        "Splines start from there, or from the running motion where there is no such way; where "
        "they find nothing, what they started from is the plan.",
        _is_lost,
        _from_a_kept_stop,
    ),
    Strategy(
        "the running motion, which ends sooner",
        "For a stop that takes longer than the running motion.",
        _ends_sooner,
        _to_the_end,
    ),
)
"""In the order in which they are tried."""
