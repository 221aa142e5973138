"""Verbs about the tool itself."""

from __future__ import annotations

import typer

from cranebridge.cli.consoles import out, print_json
from cranebridge.cli.options import JsonOption
from cranebridge.cli.progress import stages


def doctor(as_json: JsonOption = False) -> None:
    """Tell what works on this machine, and what to install.

    Exit code 0 if the main job can be done, else 1.
    """
    from cranebridge.job.doctor import examine

    with stages(quiet=as_json) as tell:
        diagnosis = examine(tell)
    if as_json:
        print_json(diagnosis.as_dict())
    else:
        from cranebridge.terminal import show_diagnosis

        show_diagnosis(out, diagnosis)
    raise typer.Exit(diagnosis.exit_code)
