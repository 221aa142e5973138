"""The table of strategies of docs/planning.md, from the tuple that the planner goes through."""

from __future__ import annotations

from marks import Files, page_with

from cranebridge.plan.flat import STRATEGIES


def made() -> Files:
    """Return the page with the table."""
    lines = ["| | strategy | when it is used |", "|---|---|---|"]
    lines += [f"| {i} | {one.name} | {one.when} |" for i, one in enumerate(STRATEGIES, start=1)]
    return page_with("\n".join(lines) + "\n", "planning.md", "planning_docs")
