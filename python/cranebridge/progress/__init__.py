"""How long a job still takes: what it tells, what is expected of it, and what follows."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.progress.course import Course, stage_of, without_times
    from cranebridge.progress.durations import PLANNING, expected_seconds, remember
    from cranebridge.progress.typical_seconds import TYPICAL
else:
    __getattr__, __dir__ = front(__name__)
