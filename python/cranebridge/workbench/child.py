"""A task of the workbench in a process of its own: ``python -m cranebridge.workbench.child``.

The order comes as JSON on standard input; lines of JSON on standard output report the stage, the
fraction that is done and in the end what was found. What the verbs write is what the command line
writes: they are the same calls.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from cranebridge.errors import CranebridgeError
from cranebridge.job.page import (
    Scenario,
    campaign_found,
    check_found,
    checked_files,
    deliver_into,
    load_text,
    parse_text,
    plan_found,
    verify_found,
)
from cranebridge.workbench.agreements import Agreements

_SELDOM = 0.1  # s, between two lines about the same stage


class ProgressWriter:
    """Writes lines about what is going on."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._last, self._planning = stream, 0.0, False

    def say(self, **content: Any) -> None:
        """Write a line."""
        self._stream.write(json.dumps(content) + "\n")
        self._stream.flush()

    def stage(self, name: str) -> None:
        """Report which stage begins, or how it goes on."""
        self.say(stage=name)

    def planning(self, done: float) -> None:
        """Report that a path is looked for, and how much of that is done."""
        if not self._planning:
            self._planning = True
            self.say(stage="planning")
        self.fraction(done)

    def fraction(self, done: float) -> None:
        """Report how much is done, not too often."""
        if time.monotonic() - self._last > _SELDOM:
            self._last = time.monotonic()
            self.say(fraction=done)


Verb = Callable[[Scenario, Path, ProgressWriter, dict[str, Any]], dict[str, Any]]
VERBS: dict[str, Verb] = {
    "check": lambda scenario, out, writer, order: check_found(scenario),
    "plan": lambda scenario, out, writer, order: plan_found(scenario, out, writer.fraction),
    "solve": lambda scenario, out, writer, order: plan_found(scenario, out, writer.fraction),
    "verify": lambda scenario, out, writer, order: verify_found(
        scenario, out, writer.stage, writer.fraction
    ),
    "campaign": lambda scenario, out, writer, order: campaign_found(
        scenario, out, writer.stage, writer.fraction
    ),
    "deliver": lambda scenario, out, writer, order: deliver_into(
        scenario, out, order["format"], bool(order.get("allow_violations")), writer.stage
    ),
}
"""What can be ordered."""


def main() -> int:
    """Carry out the order on standard input."""
    order = json.load(sys.stdin)
    # what libraries print must not get between the lines
    writer, sys.stdout = ProgressWriter(sys.stdout), sys.stderr
    try:
        writer.say(stage="loading")
        folder, agreed = Path(order["folder"]), [(path, sha) for path, sha in order["agreed"]]
        agreements = Agreements(folder, agreed)
        agreements.require(parse_text(order["name"], order["text"]))  # files may have changed
        with checked_files(agreements.check):
            scenario = load_text(order["name"], order["text"], folder, writer.planning)
            if order["verb"] in ("check", "plan", "solve"):
                writer.say(stage="solve" if order["verb"] == "plan" else order["verb"])
            found = VERBS[order["verb"]](scenario, Path(order["out"]), writer, order)
    except CranebridgeError as error:
        writer.say(error=str(error))
        return 2
    except Exception as error:
        traceback.print_exc()
        writer.say(error=f"a fault of cranebridge itself ({type(error).__name__}: {error})")
        return 3
    writer.say(done=found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
