"""Verbs of the plant: export it, certify it, drive it."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

import typer

from cranebridge.cli.calls import load, prepare_plant, show_verified_and_end
from cranebridge.cli.completion import comparable_offers, model_offers, offers_of
from cranebridge.cli.consoles import out, print_json
from cranebridge.cli.options import (
    FolderOption,
    ForceOption,
    JsonOption,
    ScenarioArgument,
    SetOption,
)
from cranebridge.cli.progress import at_work
from cranebridge.errors import InputError, unknown


def export(
    crane: Annotated[
        str | None,
        typer.Argument(
            metavar="CRANE",
            help="A model of modelica/Cranes, or FILE.mo:Class.",
            autocompletion=model_offers,
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="All models of modelica/Cranes; -o names a folder.")
    ] = False,
    fmi: Annotated[
        str | None,
        typer.Option(
            help="FMI version, 2 or 3; 2 by default, both with --all.",
            autocompletion=offers_of("fmi"),
        ),
    ] = None,
    output: Annotated[
        FilePath | None, typer.Option("-o", "--output", metavar="FILE", help="Copy the FMU here.")
    ] = None,
    platform: Annotated[
        list[str] | None,
        typer.Option(
            help="Further platforms, such as x86_64-windows.",
            autocompletion=offers_of("platform"),
        ),
    ] = None,
    tool: Annotated[str, typer.Option(help="rumoca, or omc where it is installed.")] = "rumoca",
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Export a Modelica plant as an FMU."""
    if every == (crane is not None) or (every and tool != "rumoca"):
        raise InputError("give a CRANE, or --all (with rumoca) for all of them: see --help")
    platforms = tuple(platform or ())
    with at_work(quiet=as_json) as line:
        line.stage("export")
        from cranebridge.job import export_all, export_plant

        if crane is None:
            found = export_all(fmi, output, platforms, force, line.part)
        else:
            found = [export_plant(crane, fmi or "2", output, platforms, tool, force)]
    if as_json:
        files = [str(file) for file in found]
        print_json({"fmus": files} if every else {"fmu": files[0]})
    else:
        for file in found:
            out.print(f"wrote {file}")


def certify(
    scenario: ScenarioArgument, sets: SetOption = None, as_json: JsonOption = False
) -> None:
    """Report whether twin and FMU are the same machine."""
    with at_work(quiet=as_json, spoken=True) as line:
        prepare_plant()
        loaded = load(scenario, sets, line)
        from cranebridge.job import certify_scenario

        certificate, verdict = certify_scenario(loaded, line.stage)
    if as_json:
        print_json(certificate.as_dict())
    else:
        from cranebridge.terminal import show_certificate

        show_certificate(out, loaded.name, certificate, verdict)
    raise typer.Exit(0 if verdict.passed else 1)


_MODEL = (
    "A scenario, whose twin is meant; a crane's name or FILE.py:Class; FILE.mo:Class or a model of "
    "modelica/Cranes; or FILE.fmu."
)


def compare_models(
    first: Annotated[
        str, typer.Argument(metavar="A", help=_MODEL, autocompletion=comparable_offers)
    ],
    second: Annotated[
        str, typer.Argument(metavar="B", help="Another of these.", autocompletion=comparable_offers)
    ],
    as_json: JsonOption = False,
) -> None:
    """Report how far any two models of a crane agree.

    Exit code 0: they agree. 1: they differ. 2: not all could be compared.
    """
    with at_work(quiet=as_json, spoken=True) as line:
        prepare_plant()
        from cranebridge.job import compare_models as compare

        found = compare(first, second, line.stage)
    if as_json:
        print_json(found.as_dict())
    else:
        from cranebridge.terminal import show_comparison

        show_comparison(out, found)
    raise typer.Exit(found.exit_code)


def verify(
    scenario: ScenarioArgument,
    output: FolderOption = None,
    plant: Annotated[
        str, typer.Option(help="fmu, or twin: the twin's own equations, integrated forward.")
    ] = "fmu",
    sets: SetOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Feed the controls into the FMU and see how the load follows."""
    if plant not in ("fmu", "twin"):
        raise unknown("plant", plant, ("fmu", "twin"))
    with at_work(quiet=as_json, spoken=True) as line:
        if plant == "fmu":
            prepare_plant()
        loaded = load(scenario, sets, line)
        from cranebridge.job import verify_into

        verified = verify_into(loaded, output, force, plant, line.stage, line.part)
    show_verified_and_end(loaded, verified, output, as_json)
