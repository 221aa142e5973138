"""What work reports while it goes on, and how long it still takes by that."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.progress.durations import expected_seconds, remember
    from cranebridge.progress.job_progress import JobProgress, stage_of, without_times
    from cranebridge.progress.reports import (
        Progress,
        StageReport,
        ignore_progress,
        ignore_stage,
    )
else:
    __getattr__, __dir__ = front(__name__)
