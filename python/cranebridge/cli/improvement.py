"""Verbs that run the plant many times: learning and campaigns."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

import typer

from cranebridge.cli.calls import load, prepare_plant
from cranebridge.cli.consoles import out, print_json
from cranebridge.cli.options import (
    FolderOption,
    ForceOption,
    JsonOption,
    ScenarioArgument,
    SetOption,
)
from cranebridge.cli.progress import at_work
from cranebridge.errors import InputError


def learn(
    scenario: ScenarioArgument,
    output: FolderOption = None,
    sets: SetOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Improve the controls on the FMU trial by trial."""
    with at_work(quiet=as_json, spoken=True) as line:
        prepare_plant()
        from cranebridge.job.learning import learn_source

        learned = learn_source(scenario, sets or [], output, force, line.stage, line.part)
    if as_json:
        print_json(learned.summary)
    else:
        from cranebridge.terminal import show_learning

        show_learning(out, learned, output)
    raise typer.Exit(learned.exit_code)


def campaign(
    scenario: ScenarioArgument,
    output: Annotated[
        FilePath, typer.Option("-o", "--output", metavar="DIR", help="Folder to make.")
    ],
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; as many as processors if not given.")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="A Dask scheduler, such as tls://host:8786, or its scheduler file.",
        ),
    ] = None,
    tls_ca_file: Annotated[
        FilePath | None,
        typer.Option(metavar="PEM", help="Certificate of the authority that signs the cluster's."),
    ] = None,
    tls_cert: Annotated[
        FilePath | None, typer.Option(metavar="PEM", help="Own certificate for the cluster.")
    ] = None,
    tls_key: Annotated[
        FilePath | None, typer.Option(metavar="PEM", help="Its private key.")
    ] = None,
    sets: SetOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Verify many times: varied parameters, starts, wind, noise."""
    if workers is not None and cluster is not None:
        raise InputError("--workers is for this machine; a cluster has its own: leave one out")
    files = (tls_ca_file, tls_cert, tls_key)
    if cluster is None and files != (None, None, None):
        raise InputError("certificates are for a cluster: give --cluster, or leave them out")
    with at_work(quiet=as_json, spoken=True) as line:
        loaded = load(scenario, sets, line)
        from cranebridge.job.campaign import campaign_into, read_tls

        reports = (line.stage, line.part)
        found = campaign_into(loaded, output, force, workers, cluster, *reports, read_tls(*files))
    if as_json:
        print_json(found.as_dict())
    else:
        from cranebridge.terminal import show_campaign

        show_campaign(out, found, output)
    raise typer.Exit(found.exit_code)
