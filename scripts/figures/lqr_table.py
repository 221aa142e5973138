"""All ready scenarios with ``control.kind = "lqr"``: a table of docs/control-figures.md.

Each is verified as ``cranebridge verify NAME --set control.kind=lqr`` does it. Some minutes of
processor time.
"""

from __future__ import annotations

import time

from marks import Files, page_with

from cranebridge.errors import CranebridgeError
from cranebridge.job import verify_scenario
from cranebridge.scenario import load_scenario, ready_scenarios
from cranebridge.verify import Verified
from cranebridge.verify.tracking import Figures

TITLES = ("scenario", "open loop", "drives", "lqr", "after the end", "verdicts")
HEAD = f"| {' | '.join(TITLES)} |\n{'|---' * len(TITLES)}|\n"


def row(name: str) -> str:
    """Return the row of a scenario."""
    try:
        verified = verify_scenario(load_scenario(name, ["control.kind=lqr"]))
    except CranebridgeError as error:
        return _line(name, "", "", "", "", f"{_sentence(str(error))}")
    assert verified.tracking is not None
    found = verified.tracking.compared
    drives = next((one for title, one in found.items() if title.startswith("drives")), None)
    law = found["lqr"]
    return _line(
        name,
        _largest(found["open loop"]),
        "" if drives is None else _largest(drives),
        _largest(law),
        "" if law.error_after is None else f"{law.error_after:.1e}",
        _verdicts(verified),
    )


def _line(name: str, *cells: str) -> str:
    return f"| {' | '.join([f'`{name}`', *cells])} |\n"


def _largest(figures: Figures) -> str:
    """Return the largest error of an output; a dash where there are no figures."""
    return "-" if figures.failed else f"{max(figures.max_error.values()):.1e}"


def _verdicts(verified: Verified) -> str:
    """Return how many verdicts passed, and the names of those that did not."""
    verdicts = verified.verdicts
    failed = [verdict.name for verdict in verdicts if not verdict.passed]
    passed = f"{len(verdicts) - len(failed)} of {len(verdicts)} passed"
    return passed if not failed else f"{passed}; not: {', '.join(failed)}"


def _sentence(text: str) -> str:
    """Return the first sentence of an error, in a cell of a table."""
    return " ".join(text.split()).replace("|", "/").split(". ")[0].rstrip(".")


def table() -> str:
    """Return the table; its rows are printed as they are found."""
    text = HEAD
    for name in ready_scenarios():
        begin = time.process_time()
        text += row(name)
        seconds = time.process_time() - begin
        print(text.splitlines()[-1], f"({seconds:.0f} s)", flush=True)
    return text


def made() -> Files:
    """Return the page with the table."""
    return page_with(table(), "control-figures.md", "lqr_table")
