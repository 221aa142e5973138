"""What a scenario asks of methods that need no flatness: a cross-check, or a path followed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from cranebridge.errors import InputError
from cranebridge.inverse.index1 import structure_of
from cranebridge.plan import OPTIMAL, PlanRequest, read_obstacles, read_order
from cranebridge.plan.collocation import require_collocation
from cranebridge.plan.flat import held_problem
from cranebridge.plan.task import Plan, TrackingRequest, read_tracking
from cranebridge.progress import Progress, ignore_progress
from cranebridge.scenario.planned_path import find_path
from cranebridge.scenario.problem import plan_source, planned_limits
from cranebridge.scenario.scenario import Scenario


@dataclass(frozen=True, eq=False)
class CrossCheckRequest:
    """A scenario whose path is not found by flatness.

    Attributes
    ----------
    given : Scenario
        The scenario.
    order : PlanRequest or TrackingRequest
        What it asks for.
    """

    given: Scenario
    order: PlanRequest | TrackingRequest

    def flat_plan(self, progress: Progress = ignore_progress) -> Plan | None:
        """Return the flat plan of the same task; None if the crane is not flat.

        Raises
        ------
        CranebridgeError
            If there is none.
        """
        order = self.order
        assert isinstance(order, PlanRequest)
        if not structure_of(held_problem(order.task, order.task.start)).flat:
            return None
        tables = self.given.tables
        path = {key: value for key, value in tables.path.items() if key != "method"}
        made_from = plan_source(tables.model_copy(update={"path": path}), order.task.parameters)
        return find_path(replace(order, method="flat"), tables.crane.initial, made_from, progress)[
            1
        ]

    def complete(self) -> dict[str, Any]:
        """Return all tables with every default, for those who want to repeat it."""
        return self.given.tables.model_dump(exclude_none=True)


def _asks_cross_check(given: Scenario) -> bool:
    """Return whether a scenario asks for another method than flatness."""
    path = given.tables.path
    return path.get("kind") == OPTIMAL and (
        "track" in path or path.get("method", "flat") in ("collocation", "gradient")
    )


def read_cross_check(given: Scenario) -> CrossCheckRequest | None:
    """Read what a scenario asks of another method than flatness; None if it asks for none."""
    return read_request(given) if _asks_cross_check(given) else None


def read_request(given: Scenario) -> CrossCheckRequest:
    """Read what path a scenario asks for, every value checked.

    Raises
    ------
    InputError
        If it asks for what is not known, or makes no sense.
    """
    tables, crane = given.tables, given.crane
    parameters = crane.parameter_values(tables.crane.parameters)
    limits = planned_limits(tables, crane, parameters)
    if "track" in tables.path:
        if tables.obstacles:
            raise InputError("[[obstacles]] are not looked at where path.track is followed.")
        window = tables.solve.before or 0.0, tables.solve.after or 0.0
        return CrossCheckRequest(
            given, read_tracking(tables.path, crane, parameters, limits, window)
        )
    obstacles = read_obstacles(tables.obstacles, crane)
    order = read_order(tables.path, crane, parameters, limits, obstacles)
    require_collocation(order.method)
    return CrossCheckRequest(given, order)
