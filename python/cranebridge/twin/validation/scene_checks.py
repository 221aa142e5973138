"""Whether what ``scene(q, p)`` of a user's crane returns can be drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

import casadi as ca

from cranebridge.errors import InputError, unknown
from cranebridge.twin.language import (
    WORDS,
    Components,
    Crane,
    Line,
    Role,
    names,
    points_of,
    sizes_of,
)
from cranebridge.twin.validation.error_places import failed, shown, wrong


def require_scene(crane: Crane, q: Components, p: Components) -> None:
    """Raise an InputError if the scene of a crane is made of anything but bodies at points."""
    try:
        bodies = crane.scene(q, p)
    except Exception as error:  # the user's own code can raise anything
        raise failed(crane, "scene", error) from error
    words = ", ".join(word.__name__ for word in WORDS)
    if isinstance(bodies, str) or not isinstance(bodies, Iterable):
        what = f"scene() must return a list of bodies ({words}), got {shown(bodies)}"
        raise wrong(crane, "scene", what)
    known = ca.SX(ca.vertcat(*q, *p))
    for body in bodies:
        if not isinstance(body, WORDS):
            raise wrong(crane, "scene", f"scene() must hold bodies ({words}), got {shown(body)}")
        _require_body(crane, body, known)


def _require_body(crane: Crane, body: Any, known: ca.SX) -> None:
    def refuse(what: str) -> InputError:
        return wrong(crane, "scene", f"{type(body).__name__} in scene(): {what}")

    try:
        points, sizes = points_of(body), sizes_of(body)
    except (TypeError, ValueError) as error:
        raise refuse(str(error)) from None
    everything = ca.vertcat(*points.values(), *sizes.values())
    free = ca.Function("scene", [known], [everything], {"allow_free": True}).free_sx()
    if free:
        raise refuse(f"uses the symbol {free[0]}, which is no coordinate and no parameter")
    if isinstance(body, Line) and body.force is not None and body.force not in names(crane.ropes):
        raise refuse(str(unknown("rope force", str(body.force), names(crane.ropes))))
    role = getattr(body, "role", "load")
    if role not in get_args(Role):
        raise refuse(str(unknown("role", str(role), get_args(Role))))
