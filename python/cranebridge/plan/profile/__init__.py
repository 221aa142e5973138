"""The fastest profile on a given geometry."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plan.profile.fastest import Candidate, Fastest, fastest_profile
    from cranebridge.plan.profile.leave_geometry import gain_by_leaving
else:
    __getattr__, __dir__ = front(__name__)
