"""The servo problem that the tables of a scenario describe; its path is made, or planned."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from cranebridge.errors import InputError, unknown
from cranebridge.inverse import ServoProblem
from cranebridge.limits import Limits, read_drives, with_drive_limits
from cranebridge.path import Path, make_path
from cranebridge.progress import Progress, ignore_progress
from cranebridge.scenario.control_rules import require_sampling
from cranebridge.scenario.tables import ScenarioTables
from cranebridge.twin import Crane
from cranebridge.twin.language import followed, names, require_no_motions
from cranebridge.twin.validation import require_rest

if TYPE_CHECKING:
    from cranebridge.inverse import DriveFriction
    from cranebridge.plan import Plan


def find_problem(
    tables: ScenarioTables,
    crane: Crane,
    progress: Progress = ignore_progress,
    plan_now: bool = True,
) -> tuple[ServoProblem, Plan | None]:
    """Return the servo problem of a scenario, and the plan where its path had to be found."""
    problem, plan = _problem(tables, crane, progress, plan_now)
    _require_rest(problem)
    require_sampling(tables, problem.path.duration)
    return problem, plan


def _problem(
    tables: ScenarioTables, crane: Crane, progress: Progress, plan_now: bool
) -> tuple[ServoProblem, Plan | None]:
    parameters = crane.parameter_values(tables.crane.parameters)
    if tables.path.get("kind") != "optimal":
        return ServoProblem(crane, path_of(tables, crane), parameters, tables.crane.initial), None
    require_no_motions(crane, "planning (path.kind = 'optimal')", "give a path of another kind")
    for name in tables.crane.motion:  # it would be ignored
        raise unknown("motion in crane.motion", name, ())
    from cranebridge.plan import read_obstacles, read_order
    from cranebridge.scenario.planned_path import find_path

    limits = planned_limits(tables, crane, parameters)
    obstacles = read_obstacles(tables.obstacles, crane)
    order = read_order(tables.path, crane, parameters, limits, obstacles)
    made_from = plan_source(tables, parameters)
    return find_path(order, tables.crane.initial, made_from, progress, plan_now)


def path_of(tables: ScenarioTables, crane: Crane) -> Path:
    """Return the path of a scenario that is not planned, with the crane's motions."""
    units = {output.name: output.unit for output in crane.outputs}
    path = make_path(tables.path, names(followed(crane)), units)
    if not (tables.crane.motion or crane.motions):
        return path
    from cranebridge.path import make_motions

    return make_motions(tables.crane.motion, names(crane.motions), units, path)


def real_path(tables: ScenarioTables, crane: Crane, path: Path) -> Path | None:
    """Return a path with the motions as they really go; None where none goes otherwise.

    Raises
    ------
    InputError
        If one is not one of the crane's, or is longer than the path.
    """
    given, motions = tables.plant.motion, names(crane.motions)
    if not given:
        return None
    for name in given:
        if name not in motions:
            raise unknown("motion in plant.motion", name, motions)
    from cranebridge.path import MOTIONS, Hold, make_motions, replaced

    # what has no duration of its own lasts as long as this path
    whole = {
        name: {**table, "duration": path.duration} if table.get("kind") in MOTIONS else table
        for name, table in given.items()
    }
    units = {part.name: part.unit for part in crane.motions}
    still = Hold((), (), path.duration)
    real = make_motions(whole, tuple(whole), units, still, "plant.motion")
    if real.duration > path.duration:
        raise InputError(
            f"plant.motion lasts {real.duration:g} s, longer than the motion of "
            f"{path.duration:g} s; shorten it, or give crane.motion that duration"
        )
    return replaced(path, real)


def plan_source(tables: ScenarioTables, parameters: Mapping[str, float]) -> dict[str, Any]:
    """Return all that a path which is found depends on."""
    return {
        "crane": {**tables.crane.model_dump(), "parameters": parameters},
        "file": _crane_file(tables),
        "path": tables.path,
        "limits": given_limits(tables),
        "obstacles": tables.obstacles,
        **({"drives": drives} if (drives := tables.deliver.model_dump()["drives"]) else {}),
    }


def all_limits(tables: ScenarioTables, crane: Crane, parameters: Mapping[str, float]) -> Limits:
    """Return the limits of a scenario, those that it states in its drives' units among them."""
    drives = read_drives(tables.deliver.model_dump()["drives"], crane, parameters)
    return with_drive_limits(Limits.from_mapping(given_limits(tables), crane), drives)


def planned_limits(tables: ScenarioTables, crane: Crane, parameters: Mapping[str, float]) -> Limits:
    """Return the limits that a plan keeps: where drives have friction, with room for its largest.

    A path is planned for the twin, which has none. It is judged by the limits themselves, with the
    friction.
    """
    limits = all_limits(tables, crane, parameters)
    friction = friction_of(tables, crane)
    if not friction:
        return limits
    from cranebridge.limits import limits_with_friction

    return limits_with_friction(limits, friction, crane, parameters)


def friction_of(tables: ScenarioTables, crane: Crane) -> tuple[DriveFriction, ...]:
    """Return the friction of a scenario's drives."""
    if not tables.crane.friction:
        return ()
    from cranebridge.inverse import read_friction

    given = {name: table.model_dump() for name, table in tables.crane.friction.items()}
    return read_friction(given, crane)


def given_limits(tables: ScenarioTables) -> dict[str, Any]:
    """Return the limits that a scenario states."""
    table = tables.limits.model_dump(exclude_none=True)
    return {key: value for key, value in table.items() if value != {}}


def _crane_file(tables: ScenarioTables) -> str:
    """Return the text of a user's crane, with all of its package; empty for a built-in one."""
    model = tables.crane.model
    file = FilePath(model if model.endswith(".mo") else model.rpartition(":")[0])
    if file.suffix == ".py":
        return file.read_text(encoding="utf-8")
    if file.suffix != ".mo":
        return ""
    from cranebridge.frontend import package_files

    return "\n".join(part.read_text(encoding="utf-8") for part in package_files(file)[1])


def _require_rest(problem: ServoProblem) -> None:
    """Refuse a crane whose rest position fails at the start of the path, where it is needed."""
    if problem.path.moving_ends[0] and problem.initial.keys() >= set(
        names(problem.crane.coordinates)
    ):
        return  # a load that swings may be where it cannot rest
    start = problem.path([0.0])[:, 0].tolist()
    outputs = dict(zip(problem.path.outputs, start, strict=True))
    require_rest(problem.crane, outputs, problem.parameters)
