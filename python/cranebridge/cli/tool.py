"""Verbs about the tool itself."""

from __future__ import annotations

import typer

from cranebridge.cli.consoles import out, print_json
from cranebridge.cli.options import JsonOption
from cranebridge.cli.progress import at_work


def doctor(as_json: JsonOption = False) -> None:
    """Report what works on this machine, and what to install.

    Exit code 0 if the main job can be done, else 1.
    """
    with at_work(quiet=as_json, spoken=True) as line:
        from cranebridge.job.checks import examine

        diagnosis = examine(line.stage)
    if as_json:
        print_json(diagnosis.as_dict())
    else:
        from cranebridge.terminal import show_diagnosis

        show_diagnosis(out, diagnosis)
    raise typer.Exit(diagnosis.exit_code)
