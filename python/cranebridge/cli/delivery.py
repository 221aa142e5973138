"""The verb that hands a feedforward over."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

import typer

from cranebridge.cli.calls import load
from cranebridge.cli.completion import offers_of
from cranebridge.cli.consoles import out, print_json
from cranebridge.cli.options import ForceOption, JsonOption, ScenarioArgument, SetOption
from cranebridge.cli.progress import at_work


def deliver(
    scenario: ScenarioArgument,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="csv, modelica, mat4, mat, ...",
            autocompletion=offers_of("format"),
        ),
    ] = None,
    output: Annotated[
        FilePath | None, typer.Option("-o", "--output", metavar="FILE", help="File or folder.")
    ] = None,
    cycle: Annotated[float | None, typer.Option(help="The controller's cycle in s.")] = None,
    columns: Annotated[
        str | None, typer.Option(help="Groups or signals, such as u,q,v or u.M_b,rope.")
    ] = None,
    units: Annotated[bool | None, typer.Option("--units", help="Units in the titles.")] = None,
    precision: Annotated[str | None, typer.Option(help="double or single, for code.")] = None,
    duration: Annotated[
        float | None, typer.Option(help="Scale the path to this duration in s first.")
    ] = None,
    fmi: Annotated[
        str | None, typer.Option(help="FMI version of fmu and ssp, 2 or 3; plant.fmi by default.")
    ] = None,
    allow_violations: Annotated[
        bool, typer.Option("--allow-violations", help="Hand over what violates a limit.")
    ] = False,
    learned: Annotated[
        FilePath | None,
        typer.Option(metavar="DIR", help="Controls of `cranebridge learn -o DIR`, of its motion."),
    ] = None,
    sets: SetOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Hand the feedforward over as a table, code or FMU."""
    with at_work(quiet=as_json) as line:
        from cranebridge.job import Wishes, hand_over, left_out
        from cranebridge.job.learning import hand_over_learned

        chosen = tuple(columns.split(",")) if columns else None
        shape = (to, output, cycle, chosen, units, precision, duration, fmi)
        wishes = Wishes(*shape, force, allow_violations, learned)
        files, notes = hand_over_learned(scenario, sets or [], wishes), list[str]()
        if files is None:
            loaded = load(scenario, sets, line)
            files = hand_over(loaded, wishes, line.stage)
            notes = left_out(loaded, to)
    if as_json:
        print_json({"files": [str(file) for file in files], "notes": notes})
    else:
        for text in (*(f"wrote {file}" for file in files), *(f"note: {note}" for note in notes)):
            out.print(text)
