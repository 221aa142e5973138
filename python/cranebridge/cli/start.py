"""Verbs to begin with: what there is, a scenario to start from, and the main job."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

import typer

from cranebridge.cli.calls import load, prepare_plant, show_verified_and_end
from cranebridge.cli.completion import offers_of
from cranebridge.cli.consoles import out, print_json
from cranebridge.cli.options import ForceOption, JsonOption, ScenarioArgument, SetOption
from cranebridge.cli.progress import at_work
from cranebridge.errors import InputError


def list_(as_json: JsonOption = False) -> None:
    """List the cranes and the ready scenarios."""
    from cranebridge.job import known_cranes
    from cranebridge.scenario import ready_scenarios

    known, scenarios = known_cranes(), ready_scenarios()
    if as_json:
        print_json({"cranes": known, "scenarios": scenarios})
        return
    from cranebridge.terminal import show_names

    show_names(out, "crane", known)
    show_names(out, "scenario", scenarios)


def init(
    crane: Annotated[
        str,
        typer.Argument(
            metavar="CRANE",
            help="A crane of `cranebridge list`.",
            autocompletion=offers_of("crane"),
        ),
    ],
    output: Annotated[
        FilePath | None,
        typer.Option("-o", "--output", help="The file to write; CRANE.toml by default, - prints."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a commented scenario to start from."""
    from cranebridge.scenario import commented_scenario

    text = commented_scenario(crane)
    target = output or FilePath(f"{crane}.toml")
    if str(target) == "-":
        print(text, end="")
        return
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InputError(f"'{target}' exists; choose another file with -o") from None
    except OSError as error:
        raise InputError(f"'{target}' cannot be written: {error.strerror}") from error
    if as_json:
        print_json({"file": str(target)})
    else:
        out.print(f"Wrote {target}; try: cranebridge check {target}")


def run(
    scenario: ScenarioArgument,
    output: Annotated[
        FilePath | None,
        typer.Option("-o", "--output", metavar="DIR", help="Folder to make; SCENARIO by default."),
    ] = None,
    sets: SetOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Do it all: check, solve, export, certify, verify and report."""
    with at_work(quiet=as_json, spoken=True) as line:
        prepare_plant()
        loaded = load(scenario, sets, line)
        from cranebridge.job import run_scenario

        folder = output or FilePath(loaded.name)
        verified = run_scenario(loaded, folder, force, line.stage, line.part)
    show_verified_and_end(loaded, verified, folder, as_json)
