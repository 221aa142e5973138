"""Steps that several verbs share: load a scenario, start the plant, show what was verified."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import TYPE_CHECKING, NoReturn

import typer

from cranebridge.cli.consoles import out, print_json
from cranebridge.cli.progress import ProgressLine

if TYPE_CHECKING:
    from cranebridge.job import Sweep
    from cranebridge.scenario import Scenario
    from cranebridge.verify import Verified


def load(scenario: str, sets: list[str] | None, line: ProgressLine) -> Scenario:
    """Load a scenario; planning, where it asks for that, shows its progress."""
    from cranebridge.scenario import load_scenario

    return load_scenario(scenario, sets or [], line.planning)


def prepare_plant() -> None:
    """Start the plant's child process now: it is ready when everything else has been imported."""
    from cranebridge.plant.sandbox import prepare

    prepare()


def show_sweep_and_end(found: Sweep, output: FilePath | None, as_json: bool) -> NoReturn:
    """Show what was solved for many values, and end with its exit code."""
    if as_json:
        print_json(found.as_dict())
    else:
        from cranebridge.terminal import show_sweep

        show_sweep(out, found, output)
    raise typer.Exit(found.exit_code)


def show_verified_and_end(
    scenario: Scenario, verified: Verified, folder: FilePath | None, as_json: bool
) -> NoReturn:
    """Show what was solved or verified, and end with its exit code."""
    if as_json:
        from cranebridge.job import summary

        print_json(summary(scenario, verified))
    else:
        from cranebridge.terminal import show_verified

        show_verified(out, scenario, verified, folder)
    raise typer.Exit(verified.exit_code)
