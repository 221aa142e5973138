"""Where the command line begins, before anything large is imported."""

from __future__ import annotations

import atexit
import gc

_OBJECTS = 200_000
"""More than a short command makes; a long one is collected as ever, only less often."""


def main() -> None:
    """Run the command line; see `cranebridge.cli.application.run`."""
    # Imports and CasADi make many objects that stay: looking for garbage among them takes a tenth
    # of a short command, and again when it ends.
    gc.set_threshold(_OBJECTS)
    atexit.register(gc.freeze)

    from cranebridge.cli.application import run

    run()
