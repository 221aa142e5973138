"""Strategies of the planner in turn: the first plan counts, unless a later one replaces it."""

from __future__ import annotations

from typing import Any, cast

import pytest
from optimal_control import overhead_task

from cranebridge.errors import InputError, SolutionError
from cranebridge.plan.flat.drafts import Fineness
from cranebridge.plan.flat.flat_plan import FlatPlanner
from cranebridge.plan.flat.search import EvaluatedPlan, PlanSearch
from cranebridge.plan.flat.strategies import STRATEGIES, Strategy, plan_in_turn
from cranebridge.plan.flat.task_to_plan import find_plan

NO_SEARCH = cast(PlanSearch, None)


def strategy(result: Any, *, improves: bool = False) -> Strategy:
    """Return a strategy that finds this, or raises it, where none is known; or one that is."""

    def find(search: PlanSearch, known: Any) -> Any:
        if isinstance(result, Exception):
            raise result
        return result

    return Strategy("", "", lambda search, known: improves == (known is not None), find)


def found(*strategies: Strategy) -> Any:
    return plan_in_turn(NO_SEARCH, strategies)[0]


def plan(name: str) -> EvaluatedPlan:
    return cast(EvaluatedPlan, (name, "evaluation"))


def test_first_plan_counts_and_what_fails_is_passed_over() -> None:
    lost, none = strategy(SolutionError("lost")), strategy(None)
    assert found(lost, none, strategy(plan("first")), strategy(plan("second"))) == "first"


def test_later_plan_counts_where_it_improves_the_first() -> None:
    first = strategy(plan("first"))
    assert found(first, strategy(plan("better"), improves=True)) == "better"
    for nothing in (None, SolutionError("lost"), InputError("a part of it cannot be met")):
        assert found(first, strategy(nothing, improves=True)) == "first"


def test_last_reason_is_told_where_nothing_is_found() -> None:
    with pytest.raises(SolutionError, match="second"):
        found(strategy(SolutionError("first")), strategy(SolutionError("second")), strategy(None))


def test_task_that_cannot_be_met_ends_the_search() -> None:
    with pytest.raises(InputError, match="too heavy"):
        found(strategy(InputError("too heavy")), strategy(plan("slow")))


def test_strategies_are_tried_in_the_order_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """From rest to rest, where the optimiser finds nothing: splines, weighed ones, polynomials."""
    snaps = []

    def fail(planner: FlatPlanner, *_: object) -> None:
        snaps.append(planner.snap)
        raise SolutionError("nothing was found")

    monkeypatch.setattr(FlatPlanner, "improve", fail)
    slow = find_plan(overhead_task(), Fineness(pieces=4, rounds=0))
    assert snaps == [0.0, 0.1, 1.0]
    assert (slow.method, slow.way) == ("polynomial", "straight")
    names = [one.name for one in STRATEGIES]
    assert len(set(names)) == len(names)
