"""The page docs/tracking-table.md: every ready scenario through the main job, measured."""

from __future__ import annotations

from marks import DOCS, Files

from cranebridge.errors import CranebridgeError
from cranebridge.job import verify_scenario
from cranebridge.scenario import load_scenario, ready_scenarios

HEAD = """\
# Every ready scenario on its plant

Made by `scripts/docs --figures tracking`; Model Exchange, tolerance 1e-10 (`-real`: 1e-8, and these
are driven by references; `-elastic`: 1e-8), errors over the whole manoeuvre in m and rad. Exit
code 1: a rope would have to push; 2: the path is not smooth enough.

| scenario | largest error | sampling | integrator | model | certificate | exit code |
|---|---|---|---|---|---|---|
"""


def row(name: str) -> str:
    """Return a scenario's row of the table."""
    try:
        verified = verify_scenario(load_scenario(name))
    except CranebridgeError as error:
        reason = str(error).split(":")[0]
        return f"| `{name}` | {reason} | | | | | 2 |\n"
    tracking, certificate = verified.tracking, verified.certificate
    parts = list(tracking.budget.as_dict().values())
    cells = ["-" if part is None else f"{part:.1e}" for part in parts]
    agreement = "-" if certificate is None else f"{certificate.max_relative_difference:.1e}"
    error = max(tracking.max_error.values())
    joined = " | ".join([f"`{name}`", f"{error:.1e}", *cells, agreement, str(verified.exit_code)])
    return f"| {joined} |\n"


def made() -> Files:
    """Return the page."""
    text = HEAD + "".join(row(name) for name in ready_scenarios())
    return {DOCS / "tracking-table.md": text.encode()}
