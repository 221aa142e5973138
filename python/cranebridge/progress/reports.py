"""What work reports of itself while it goes on: its stages, and which part of a stage is done."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], None]
"""Called with the part of some work that is done, from 0 to 1."""
StageReport = Callable[[str], None]
"""Called with the name of a stage as it begins, or with a sentence on how it goes on."""


def ignore_progress(_done: float) -> None:
    """Do nothing with the part that is done."""


def ignore_stage(_stage: str) -> None:
    """Do nothing with the stage that begins."""
