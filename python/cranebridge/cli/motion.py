"""Verbs of the motion: check, plan, solve, compare methods."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from cranebridge.cli.calls import load, show_sweep_and_end, show_verified_and_end
from cranebridge.cli.completion import offers_of, scenario_offers
from cranebridge.cli.consoles import out, print_json
from cranebridge.cli.options import (
    FolderOption,
    ForceOption,
    JsonOption,
    ScenarioArgument,
    SetOption,
    SweepOption,
)
from cranebridge.cli.progress import ProgressLine, at_work
from cranebridge.errors import InputError, unknown

if TYPE_CHECKING:
    from cranebridge.scenario import CrossCheckRequest, Scenario
    from cranebridge.verify import Verified


def check(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO",
            help="A ready scenario's name, a TOML file, or a crane FILE.mo:Class or FILE.py:Class.",
            autocompletion=scenario_offers,
        ),
    ],
    shortest: Annotated[
        bool, typer.Option("--shortest", help="Find the fastest profile within the limits.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Of a crane: show long equations to their end.")
    ] = False,
    inputs: Annotated[
        str | None,
        typer.Option("--inputs", help="Of a Modelica model: the inputs that are controls: F,M."),
    ] = None,
    sets: SetOption = None,
    sweep: SweepOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check structure, smoothness, start and ropes before solving.

    Of a crane alone: its equations of motion and its structure.
    """
    is_model = scenario.endswith(".mo") or ".mo:" in scenario
    if inputs is not None and not is_model:
        raise InputError("--inputs chooses inputs of a Modelica model, FILE.mo:Class")
    if is_model or scenario.endswith(".py") or ".py:" in scenario:
        if shortest or sets or sweep:
            raise InputError("--shortest, --set and --sweep need a scenario, not a crane's file")
        if is_model:
            _check_model(scenario, inputs, full, as_json)
        _check_crane(scenario, full, as_json)
    if sweep:
        if shortest:
            raise InputError("--sweep and --shortest do not go together: leave one out")
        _sweep_and_end(scenario, sets, sweep, None, False, as_json)
    with at_work(quiet=as_json) as line:
        loaded = load(scenario, sets, line)
        from cranebridge.job import check_scenario

        line.stage("check")
        result, fastest = check_scenario(loaded), None
        if shortest and not result.check.problems:
            line.stage("shortest time")
            from cranebridge.job import find_shortest

            fastest = find_shortest(loaded)
    if as_json:
        extra = {} if fastest is None else {"shortest_duration": fastest.as_dict()}
        names = {"scenario": loaded.name, "crane": loaded.crane.name}
        print_json({**names, **result.as_dict(), **extra})
    else:
        from cranebridge.terminal import show_check, show_fastest

        show_check(out, loaded.name, result)
        if fastest is not None:
            show_fastest(out, fastest)
    raise typer.Exit(result.exit_code)


def _check_crane(model: str, full: bool, as_json: bool) -> NoReturn:
    with at_work(quiet=as_json) as line:
        line.stage("check")
        from cranebridge.job import check_crane

        result = check_crane(model)
    if as_json:
        print_json(result.as_dict())
    else:
        from cranebridge.terminal import show_crane

        show_crane(out, result, full)
    raise typer.Exit(result.exit_code)


def _check_model(model: str, inputs: str | None, full: bool, as_json: bool) -> NoReturn:
    with at_work(quiet=as_json) as line:
        line.stage("check")
        from cranebridge.job import check_model

        chosen = () if inputs is None else tuple(name.strip() for name in inputs.split(","))
        result = check_model(model, chosen)
    if as_json:
        print_json(result.as_dict())
    else:
        from cranebridge.terminal import show_model

        show_model(out, result, full)
    raise typer.Exit(result.exit_code)


def plan(
    scenario: ScenarioArgument,
    output: FolderOption = None,
    stop_at: Annotated[
        float | None,
        typer.Option(help="Stop the running motion at this time [s], as soon as the limits allow."),
    ] = None,
    goal: Annotated[
        str | None, typer.Option(help="With --at: outputs of a new goal, such as 5.0,-3.0.")
    ] = None,
    at: Annotated[
        float | None, typer.Option(help="When the running motion goes on to --goal [s].")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="flat; collocation, a second opinion that needs no flat crane; gradient.",
            autocompletion=offers_of("planning"),
        ),
    ] = None,
    sets: SetOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Find the path: fastest or least effort within the limits.

    Or stop a running motion, or lead it to another goal.
    """
    if (goal is None) != (at is None) or (stop_at is not None and goal is not None):
        raise InputError("give either --stop-at TIME, or --goal with --at TIME, or none of them")
    settings = [*(sets or []), *([] if method is None else [f"path.method={method}"])]
    time = stop_at if at is None else at
    with at_work(quiet=as_json) as line:
        from cranebridge.job import refuse_with_running
        from cranebridge.scenario import Scenario, read_cross_check

        request = read_cross_check(Scenario.read(scenario, settings))
        refuse_with_running(request, time is not None)
        if request is None:
            loaded, solved = _planned(scenario, settings, (time, _point(goal)), output, force, line)
    if request is not None:
        _plan_otherwise(request, output, force, as_json)
    show_verified_and_end(loaded, solved, output, as_json)


def _planned(
    scenario: str,
    settings: list[str],
    running: tuple[float | None, tuple[float, ...] | None],
    output: FilePath | None,
    force: bool,
    line: ProgressLine,
) -> tuple[Scenario, Verified]:
    """Find a path, or that of a motion which is running at a time, and solve it."""
    from cranebridge.job import plan_into, replan

    loaded, (time, goal) = load(scenario, settings, line), running
    if time is not None:
        loaded = replan(loaded, time, goal, line.planning)
    line.stage("solve")
    return loaded, plan_into(loaded, output, force)


def _plan_otherwise(
    request: CrossCheckRequest, output: FilePath | None, force: bool, as_json: bool
) -> NoReturn:
    """Plan without flatness and end."""
    from cranebridge.job import cross_check_into

    with at_work(quiet=as_json, spoken=True) as line:
        result = cross_check_into(request, output, force, line.stage, line.part)
    if as_json:
        print_json(result.as_dict())
    else:
        from cranebridge.terminal import show_cross_check

        show_cross_check(out, result, output)
    raise typer.Exit(result.exit_code)


def _point(text: str | None) -> tuple[float, ...] | None:
    """Return the numbers of a list with commas."""
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        wanted = "--goal takes numbers with commas, such as 5.0,-3.0"
        raise InputError(f"{wanted}, got '{text}'") from None


def solve(
    scenario: ScenarioArgument,
    output: FolderOption = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="index1, inversion, index3 or projection.", autocompletion=offers_of("method")
        ),
    ] = None,
    scheme: Annotated[
        str | None,
        typer.Option(
            help="Of index3 and projection: euler, radau5 or radau7.",
            autocompletion=offers_of("scheme"),
        ),
    ] = None,
    coordinates: Annotated[
        str | None,
        typer.Option(
            help="Of projection: redundant, dependent or minimal.",
            autocompletion=offers_of("coordinates"),
        ),
    ] = None,
    step: Annotated[float | None, typer.Option(help="Time step in s.")] = None,
    sets: SetOption = None,
    sweep: SweepOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Compute the feedforward: controls, coordinates, rope forces."""
    given = {"method": method, "scheme": scheme, "coordinates": coordinates, "step": step}
    settings = [f"solve.{key}={value}" for key, value in given.items() if value is not None]
    changes = [*(sets or []), *settings]
    if sweep:
        _sweep_and_end(scenario, changes, sweep, output, force, as_json)
    with at_work(quiet=as_json) as line:
        loaded = load(scenario, changes, line)
        from cranebridge.job import solve_into

        line.stage("solve")
        solved = solve_into(loaded, output, force, line.part)
    show_verified_and_end(loaded, solved, output, as_json)


def _sweep_and_end(
    scenario: str,
    sets: list[str] | None,
    sweep: list[str],
    output: FilePath | None,
    force: bool,
    as_json: bool,
) -> NoReturn:
    """Solve for many values, show them, and end with their exit code."""
    with at_work(quiet=as_json) as line:
        loaded = load(scenario, sets, line)
        from cranebridge.job import sweep_into

        line.stage("sweep")
        found = sweep_into(loaded, sweep, output, force, line.part)
    show_sweep_and_end(found, output, as_json)


def study(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="convergence, methods or integrators.",
            autocompletion=offers_of("study"),
        ),
    ],
    scenario: ScenarioArgument,
    output: Annotated[
        FilePath | None,
        typer.Option("-o", "--output", metavar="DIR", help="Folder; KIND-SCENARIO by default."),
    ] = None,
    sets: SetOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Compare methods: error against step, orders, drift and cost."""
    with at_work(quiet=as_json) as line:
        from cranebridge.job import KINDS, study_into

        if kind not in KINDS:
            raise unknown("study", kind, KINDS)
        loaded = load(scenario, sets, line)
        folder = output or FilePath(f"{kind}-{loaded.name}")
        line.stage("study")
        result = study_into(kind, loaded, folder, force, line.part)
    if as_json:
        print_json(result.summary())
    else:
        out.print(f"wrote {folder}/study.html, with its tables as CSV and pictures as PNG")
