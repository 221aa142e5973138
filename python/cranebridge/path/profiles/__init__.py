"""How progress along a path grows over time."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.path.profiles.profile import (
        MAX_SMOOTHNESS,
        Piece,
        Profile,
        common_order,
        polynomial,
        smooth_step,
        three_phase,
    )
    from cranebridge.path.profiles.scurve import (
        NoEffectError,
        averaged,
        limits_reached,
        s_curve,
        step_class,
    )
else:
    __getattr__, __dir__ = front(__name__)
