"""Friction of drives: the forces of elements that slide and stick, added to the controls."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.inverse.friction.elements import FRICTIONS, DriveFriction, read_friction
    from cranebridge.inverse.friction.evolution import FrictionPieces, follow_travel
    from cranebridge.inverse.friction.feedforward_friction import (
        FrictionForces,
        add_friction,
        follow_friction,
        with_friction,
    )
    from cranebridge.inverse.friction.travels import constant_row, drive_travel
else:
    __getattr__, __dir__ = front(__name__)
