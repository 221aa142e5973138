"""What a machine may do, and whether it was kept: limits, the one judge, verdicts."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.limits.drive_references import REFERENCE, reference_signals, with_references
    from cranebridge.limits.drive_units import (
        DRIVE_GROUPS,
        UNITS,
        DriveUnits,
        drive_signals,
        read_drives,
        with_drive_limits,
        with_drives,
        with_moved,
    )
    from cranebridge.limits.friction_room import limits_with_friction
    from cranebridge.limits.judged_motion import Extreme, Motion, Part, between, extremes
    from cranebridge.limits.judging import (
        ROPE_ZERO,
        SWING_OF,
        TRACKING_OF,
        judge,
        judge_range,
        least_force,
        not_judged,
        too_coarse,
    )
    from cranebridge.limits.limits import GROUPS, TRACKING, Limits, Range, read_ranges
    from cranebridge.limits.solution_signals import FINE_TIMES, judge_solution, solution_motion
    from cranebridge.limits.verdict import Verdict, exit_code, outcome, worst
else:
    __getattr__, __dir__ = front(__name__)
