"""The verb that opens the workbench."""

from __future__ import annotations

from typing import Annotated

import typer

from cranebridge.cli.completion import scenario_offers


def open_workbench(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="[SCENARIO]",
            help="A ready scenario's name or a TOML file; rotary if not given.",
            autocompletion=scenario_offers,
        ),
    ] = "rotary",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 for any that is free.")] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether the browser is opened.")
    ] = True,
) -> None:
    """Open the workbench: move a path in the browser, and look.

    It is served from this machine only.
    """
    from cranebridge.workbench import serve

    def report_address(address: str) -> None:
        print(f"The workbench is at\n\n  {address}\n\nCtrl-C ends it.", flush=True)

    serve(scenario, port, browser, report_address)
