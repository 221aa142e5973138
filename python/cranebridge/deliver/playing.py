"""Which FMU is delivered: one that plans and solves on line, or one that plays a single motion.

The generator plans from rest to rest on paths that a start, a goal and a duration describe. All
other motions (planned ones, those that start or end moving, those of cranes with internal dynamics,
learned controls) are solved before they are delivered, and the FMU plays them
(:mod:`cranebridge.deliver.fmu.table_fmu`).
"""

from __future__ import annotations

from cranebridge.deliver.order import ONE_MOTION, DeliveryOrder
from cranebridge.errors import InputError
from cranebridge.inverse import ServoProblem
from cranebridge.inverse.index1 import structure_of
from cranebridge.path import common_profile, end_points


def why_not_on_line(problem: ServoProblem, friction: bool = False) -> str | None:
    """Say why nothing plans a motion such as this on line; None where it can be done."""
    if friction:
        return "that knows no crane.friction, whose springs remember where the drives were"
    if not structure_of(problem).flat:
        return f"that needs a flat crane, and crane '{problem.crane.name}' has internal dynamics"
    starts, ends = problem.path.moving_ends
    if starts or ends:
        return f"that begins and ends at rest, and the path {'starts' if starts else 'ends'} moving"
    try:
        common_profile(problem.path)
        end_points(problem.path)
    except InputError as error:
        return str(error)
    return None


def why_played(order: DeliveryOrder, problem: ServoProblem) -> str | None:
    """Say why the feedforward's FMU plays the motion; None where it plans on line.

    Where there is a controller, its FMU is another one.
    """
    if order.to not in ONE_MOTION or order.has_controller:
        return None
    if order.learned:
        return "its controls were learned on it"
    return why_not_on_line(problem, order.friction)


def require_on_line(order: DeliveryOrder, problem: ServoProblem) -> None:
    """Refuse a motion that cannot be planned on line, in what has no other way.

    Raises
    ------
    InputError
        With what to deliver instead.
    """
    why = why_not_on_line(problem, order.friction)
    if why is None:
        return
    instead = "deliver this motion as a table, as code or as an FMU that plays it (csv, c, fmu)"
    if order.to in ONE_MOTION:
        instead = "with control.gains = 'time' it has the controller of this one motion"
    raise InputError(f"format '{order.to}' plans and solves on line: {why}; {instead}")


def played_note(to: str, problem: ServoProblem, friction: bool = False) -> list[str]:
    """Say in a line that an FMU without a controller plays one motion, where that is so."""
    why = why_not_on_line(problem, friction) if to in ONE_MOTION else None
    return [] if why is None else [f"this FMU plays one motion and does not plan on line: {why}"]
