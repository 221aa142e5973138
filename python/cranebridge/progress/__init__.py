"""What work reports while it goes on, and how long it still takes by that."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.progress.course import Course, stage_of, without_times
    from cranebridge.progress.durations import PLANNING, expected_seconds, remember
    from cranebridge.progress.reports import (
        Progress,
        StageReport,
        estimate,
        ignore_progress,
        ignore_stage,
        receiving_estimates,
    )
    from cranebridge.progress.typical_seconds import TYPICAL
else:
    __getattr__, __dir__ = front(__name__)
