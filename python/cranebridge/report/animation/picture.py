"""What the animation shows of a crane's motion, and where its load is in that picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cranebridge.report.animation.bodies import Array, Scene
from cranebridge.report.animation.drawing import draw
from cranebridge.report.animation.guessing import PictureGuess, guessed_shapes
from cranebridge.report.animation.load_way import followed
from cranebridge.report.animation.obstacle_bodies import lowest_top, with_obstacles
from cranebridge.report.animation.shape_values import ShapeSymbols, along, parameter_vector, place
from cranebridge.twin.language import Crane

if TYPE_CHECKING:
    from cranebridge.plan import Obstacle

__all__ = ["Scene", "scene"]

_GUESSED = (
    "This crane has no scene(): what is drawn is guessed from its coordinates. "
    "docs/own-crane.md tells how to say what it looks like."
)


def scene(
    crane: Crane,
    parameters: Mapping[str, float],
    q: Array,
    rest: int = 0,
    obstacles: Sequence[Obstacle] = (),
) -> Scene | None:
    """Return the scene of a crane's motion, or None if nothing is known to draw.

    Parameters
    ----------
    crane : Crane
        Whose motion it is. What it looks like is said by its ``scene(q, p)``; without that it is
        guessed.
    parameters : mapping of str to float
        All parameter values.
    q : numpy.ndarray
        Coordinates, shape (times, coordinates).
    rest : int
        The row at which the crane rests: the last of a motion that starts moving.
    obstacles : sequence of Obstacle
        What stands beside it.
    """
    q = np.asarray(q, dtype=float)
    symbols, p = ShapeSymbols.of(crane), parameter_vector(crane, parameters)
    shapes, note = list(crane.scene(*symbols.named(crane))), ""
    if not shapes:
        shapes, note = guessed_shapes(PictureGuess(crane, symbols, p, q, rest)), _GUESSED
    if not shapes:
        return None
    point, by_outputs = followed(crane, shapes, symbols, p, q)
    load = None if point is None else along(point, symbols, p, q)
    picture = draw(place(shapes, symbols, p, q), load, note, lowest_top(obstacles))
    return replace(with_obstacles(picture, obstacles), load_map=by_outputs)
