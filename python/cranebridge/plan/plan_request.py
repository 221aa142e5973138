"""From ``[path]`` with kind = "optimal" and ``[[obstacles]]`` to a task, every value checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from cranebridge.errors import InputError, unknown
from cranebridge.limits import Limits
from cranebridge.path import KINDS
from cranebridge.path.reading import EntryTable, is_list, read_number, read_numbers, shown
from cranebridge.plan.flat import Fineness
from cranebridge.plan.task import (
    METHODS,
    OBJECTIVES,
    OBSTACLES,
    Objective,
    Obstacle,
    PlanTask,
    State,
    Via,
    given_state,
    load_axes,
    rest_state,
)
from cranebridge.twin import Crane
from cranebridge.twin.language import names

OPTIMAL = "optimal"
# path.accuracy, as a part of the cost: the largest and the smallest that may be asked for.
_COARSEST = 0.1
_FINEST = 1e-4


@dataclass(frozen=True, eq=False)
class PlanRequest:
    """What a scenario asks of a planner.

    Attributes
    ----------
    task : PlanTask
        The motion.
    method : str
        How it is found.
    fineness : Fineness
        How fine splines become.
    overshoot : bool
        Whether the load may leave the box between two via points.
    """

    task: PlanTask
    method: str
    fineness: Fineness
    overshoot: bool


def read_order(
    values: Mapping[str, Any],
    crane: Crane,
    parameters: Mapping[str, float],
    limits: Limits,
    obstacles: Sequence[Obstacle],
) -> PlanRequest:
    """Read a ``[path]`` table with kind = "optimal".

    Raises
    ------
    InputError
        If a key or a name is unknown or missing, or a value makes no sense.
    """
    table = EntryTable(values, "path")
    known = ("kind", *KINDS[OPTIMAL].keys, *KINDS[OPTIMAL].shared)
    for key in values:
        if key not in known:
            raise unknown("key of path with kind 'optimal'", str(key), known)
    for key in ("track", "weights", "stop"):
        if key in table:
            raise InputError(
                f"path.{key} belongs to a path that is followed as well as the drives can: give "
                "path.track and use cranebridge plan."
            )
    start = _end(table, "start", "state", crane, parameters)
    goal = _end(table, "goal", "goal_state", crane, parameters)
    objective = _word(table, "objective", "path objective", OBJECTIVES, "time")
    duration = table.duration() if "duration" in table else None
    if (objective == "effort") != (duration is not None):
        verb = "needs" if objective == "effort" else "does not take"
        raise InputError(f"path.objective = '{objective}' {verb} path.duration.")
    if ("effort" in table) != (objective == "weighted"):
        raise InputError(
            "path.effort is the weight of the effort in path.objective = 'weighted', and belongs "
            "to it alone."
        )
    effort = table.positive("effort") if "effort" in table else 0.0
    task = PlanTask(
        crane,
        dict(parameters),
        start,
        goal,
        limits,
        cast(Objective, objective),
        duration,
        effort,
        _via(table, crane),
        tuple(obstacles),
    )
    method = _word(table, "method", "path method", METHODS, "flat")
    return PlanRequest(task, method, _fineness(table), table.flag("overshoot"))


def _end(
    table: EntryTable, point: str, state: str, crane: Crane, parameters: Mapping[str, float]
) -> State:
    """Return an end: outputs at rest, or a state."""
    if (point in table) == (state in table):
        what = "both are given" if point in table else "none is given"
        raise InputError(f"path needs either {point} (at rest) or {state}; {what}.")
    if point in table:
        outputs = names(crane.outputs)
        values = dict(zip(outputs, table.numbers(point, outputs), strict=True))
        return rest_state(crane, parameters, values)
    entries = EntryTable(table.values[state], f"path.{state}")
    for key in entries.values:
        if key not in ("q", "v"):
            raise unknown(f"key of path.{state}", str(key), ("q", "v"))
    q, v = (_numbers_by_name(entries, key) for key in ("q", "v"))
    return given_state(crane, parameters, q, v, entries.name)


def _numbers_by_name(table: EntryTable, key: str) -> dict[str, float]:
    group = EntryTable(table.values.get(key, {}), f"{table.name}.{key}")
    return {name: read_number(f"{group.name}.{name}", x) for name, x in group.values.items()}


def _via(table: EntryTable, crane: Crane) -> tuple[Via, ...]:
    if "via" not in table:
        if "times" in table:
            raise InputError("path.times belongs to path.via, which is missing.")
        return ()
    name, rows = table.find("via")
    if not is_list(rows) or not rows:
        raise InputError(f"{name} must be a list of at least one point, got {shown(rows)}.")
    outputs = names(crane.outputs)
    points = [read_numbers(f"{name}[{i}]", row, outputs) for i, row in enumerate(rows)]
    if "times" not in table:
        return tuple(Via(point) for point in points)
    times = table.numbers("times", [f"via {i + 1}" for i in range(len(points))])
    if times[0] <= 0.0 or any(b <= a for a, b in pairwise(times)):
        raise InputError(f"path.times must be positive and increase, got {list(times)}.")
    return tuple(Via(point, time) for point, time in zip(points, times, strict=True))


def _fineness(table: EntryTable) -> Fineness:
    if "accuracy" not in table:
        return Fineness()
    accuracy = table.positive("accuracy")
    if not _FINEST <= accuracy <= _COARSEST:
        raise InputError(
            f"path.accuracy must be from {_FINEST:g} to {_COARSEST:g}, as a part of the cost, got "
            f"{accuracy:g}."
        )
    return Fineness(accuracy=accuracy, rounds=Fineness().rounds + 2)


def _word(table: EntryTable, key: str, kind: str, known: Mapping[str, str], default: str) -> str:
    return table.text(key, kind, tuple(known)) if key in table else default


def read_obstacles(rows: Sequence[Mapping[str, Any]], crane: Crane) -> tuple[Obstacle, ...]:
    """Read ``[[obstacles]]``.

    Raises
    ------
    InputError
        If a key or a name is unknown or missing, or a value makes no sense.
    """
    if not rows:
        return ()
    planar = load_axes(crane)[1] is None
    return tuple(
        _obstacle(EntryTable(row, f"obstacles[{i}]"), planar) for i, row in enumerate(rows)
    )


def _obstacle(table: EntryTable, planar: bool) -> Obstacle:
    kind = table.text("kind", "kind of obstacle", tuple(OBSTACLES))
    known = ("kind", *OBSTACLES[kind].keys, "clearance", "rope")
    for key in table.values:
        if key not in known:
            raise unknown(f"key of {table.name} with kind '{kind}'", str(key), known)
    clearance = table.number("clearance") if "clearance" in table else 0.0
    if clearance < 0.0:
        raise InputError(f"{table.name}.clearance must not be negative, got {clearance:g}.")
    rope = table.flag("rope")
    return OBSTACLES[kind].read(table, planar, clearance, rope)
