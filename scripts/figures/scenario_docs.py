"""Tables of keys and choices of docs/scenarios.md, from the schema and the registries."""

from __future__ import annotations

from marks import Files, page_with

from cranebridge.scenario import markdown


def made() -> Files:
    """Return the page with the tables."""
    return page_with(markdown(), "scenarios.md", "scenario_docs")
