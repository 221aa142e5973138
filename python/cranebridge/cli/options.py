"""Arguments and options that several verbs share."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

import typer

from cranebridge.cli.completion import scenario_offers

ScenarioArgument = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO",
        help="A ready scenario's name or a TOML file.",
        autocompletion=scenario_offers,
    ),
]


SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="TABLE.KEY=VALUE",
        help="Override a key, such as solve.step=0.005 or crane.m=120.",
    ),
]


SweepOption = Annotated[
    list[str] | None,
    typer.Option(
        "--sweep",
        metavar="KEY=FIRST:LAST:COUNT",
        help="Solve for many values, such as crane.m=1000:30000:100, as a table.",
    ),
]


JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


ForceOption = Annotated[bool, typer.Option("--force", help="Replace an earlier result.")]

FolderOption = Annotated[
    FilePath | None, typer.Option("-o", "--output", metavar="DIR", help="Folder to make.")
]
