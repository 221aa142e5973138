"""Scenarios as texts: ready ones by name, and what a text says."""

from __future__ import annotations

from cranebridge.scenario import Origin, parse_text, ready_file, ready_scenarios
from cranebridge.twin import checked_files

__all__ = ["Origin", "checked_files", "parse_text", "ready_scenarios", "ready_text"]


def ready_text(name: str) -> str | None:
    """Return the text of a ready scenario; None if there is none of that name."""
    file = ready_file(name)
    return None if file is None else file.read_text(encoding="utf-8")
