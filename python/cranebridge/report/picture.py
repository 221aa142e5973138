"""What the animation shows of a crane's motion, and where its load is in that picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cranebridge.report.bodies import Array, Scene, Sphere
from cranebridge.report.crane_scenes import DOWNWARD, SCENES
from cranebridge.twin.crane import Crane, names

__all__ = ["Scene", "load_position", "scene"]


def scene(crane: Crane, parameters: Mapping[str, float], q: Array) -> Scene | None:
    """Return the scene of a crane's motion, or None if nothing is known to draw.

    A subclass of a built-in crane looks like it. Of a crane that is not known, only the load is
    shown, if outputs give its position.

    Parameters
    ----------
    crane : Crane
        Whose motion it is.
    parameters : mapping of str to float
        All parameter values.
    q : numpy.ndarray
        Coordinates, shape (times, coordinates).
    """
    columns = dict(zip(names(crane.coordinates), np.asarray(q, dtype=float).T, strict=True))
    for kind in type(crane).__mro__:
        if kind in SCENES:
            return SCENES[kind](columns, parameters)
    load = load_position(crane, names(crane.coordinates), q)
    if load is None:
        return None
    extent = max(float(np.ptp(load, axis=0).max()), 1.0)
    ground = float(load[:, 2].min()) - 0.1 * extent
    note = "This crane is not built in: only its load is drawn."
    return Scene({"load": load}, (Sphere("load", 0.03 * extent),), ground, note)


def load_position(crane: Crane, columns: Sequence[str], values: Array) -> Array | None:
    """Return where the load is in the scene, shape (times, 3), or None if no columns tell.

    Parameters
    ----------
    crane : Crane
        Of whose load.
    columns : sequence of str
        Names of the columns of `values`: of outputs, or of coordinates.
    values : numpy.ndarray
        Shape (times, columns).
    """
    # Turned half about x where z points down: a mere change of sign would show a mirrored crane.
    signs = (1.0, -1.0, -1.0) if isinstance(crane, DOWNWARD) else (1.0, 1.0, 1.0)
    for axes in (("x", "y", "z"), ("r_x", "r_y", "r_z")):
        if not {axes[0], axes[2]} <= set(columns):
            continue
        parts = [
            sign * np.asarray(values)[:, list(columns).index(name)]
            if name in columns
            else np.zeros(len(values))
            for name, sign in zip(axes, signs, strict=True)
        ]
        return np.column_stack(parts)
    return None
