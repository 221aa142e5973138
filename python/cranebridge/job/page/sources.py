"""Scenarios as texts: ready ones by name, and what a text says."""

from __future__ import annotations

from importlib import resources

from cranebridge.scenario import Origin, parse_text, ready_scenarios
from cranebridge.twin import checked_files

__all__ = ["Origin", "checked_files", "parse_text", "ready_scenarios", "ready_text"]


def ready_text(name: str) -> str | None:
    """Return the text of a ready scenario; None if there is none of that name."""
    if name not in ready_scenarios():
        return None
    item = resources.files("cranebridge.scenarios").joinpath(f"{name}.toml")
    return item.read_text(encoding="utf-8")
