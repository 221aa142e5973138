"""Feedback laws and their weights, gains and bounds."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.control.design.compensation import compensated_law
    from cranebridge.control.design.drive_loops import DriveGains, drive_law
    from cranebridge.control.design.gain_axes import Axis, corners, turn
    from cranebridge.control.design.input_bounds import input_limits, speed_limits
    from cranebridge.control.design.integral_bounds import COUNTED, far_off
    from cranebridge.control.design.law import (
        Law,
        LawDesign,
        Sensed,
        design_along,
        design_law,
        law_of,
        require_stabilisable,
    )
    from cranebridge.control.design.position_gains import (
        PositionGains,
        design_at_rests,
        design_over_position,
        still_reference,
    )
    from cranebridge.control.design.riccati import optimal_gains, stationary
    from cranebridge.control.design.stiffness import DISTRUST, FINEST_PART, Robustness
    from cranebridge.control.design.thinning import (
        TABLES,
        interpolated_law,
        straight_rows,
        thinned_rows,
    )
else:
    __getattr__, __dir__ = front(__name__)
