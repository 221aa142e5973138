"""Rows of a programme: what holds at one time of a flat motion, or of its path."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plan.rows.motion_rows import effort_functions, limit_functions
    from cranebridge.plan.rows.path_rows import given_derivatives, joined
    from cranebridge.plan.rows.point_rows import PointFunctions, PointRows
    from cranebridge.plan.rows.snap_rows import SnapRows
else:
    __getattr__, __dir__ = front(__name__)
