"""The command line: every verb is one call into the packages, and a way to show its result."""

from __future__ import annotations

import atexit
import gc
import json
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table

import cranebridge
from cranebridge.errors import CranebridgeError, InputError, unknown

if TYPE_CHECKING:
    from cranebridge.scenario import Scenario
    from cranebridge.verify import Verified

app = typer.Typer(
    name="cranebridge",
    help="From a crane's Modelica model to a verified feedforward.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)

ScenarioArgument = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="A ready scenario's name or a TOML file.")
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


def main() -> None:
    """Run the command line.

    A user's mistake is one sentence and exit code 2, a fault of ours one sentence and exit code 3;
    ``--debug``, anywhere, shows the traceback of either.
    """
    # Imports and CasADi make many objects that stay: looking for garbage among them takes a tenth
    # of a short command, and again when it ends.
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)
    warnings.showwarning = _show_warning
    debug = "--debug" in sys.argv
    sys.argv = [argument for argument in sys.argv if argument != "--debug"]
    try:
        app(standalone_mode=True)
    except CranebridgeError as error:
        _tell_error(str(error), debug)
        sys.exit(2)
    except KeyboardInterrupt:
        err.print("interrupted")
        sys.exit(130)
    except Exception as error:
        kind = type(error).__name__
        first = (str(error).splitlines() or [""])[0]
        _tell_error(
            f"a fault of cranebridge itself ({kind}: {first}); please report it with the output of "
            "the same command with --debug",
            debug,
        )
        sys.exit(3)


def _show_warning(message: Warning | str, *_where: Any, **_more: Any) -> None:
    """Show a warning as a sentence: where in our code it was made is nothing to a user."""
    err.print(f"warning: {message}", markup=False)


def _tell_error(message: str, debug: bool) -> None:
    if debug:
        traceback.print_exc()
    if "--json" in sys.argv:
        print(json.dumps({"error": message}))
    err.print(f"error: {message}", markup=False)


def _version(shown: bool) -> None:
    if shown:
        out.print(f"cranebridge {cranebridge.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show the traceback of an error."),
    ] = False,
) -> None:
    """From a crane's Modelica model to a verified feedforward."""


@app.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List the cranes and the ready scenarios."""
    from cranebridge.job import cranes
    from cranebridge.scenario import ready_scenarios

    known, scenarios = cranes(), ready_scenarios()
    if as_json:
        _print_json({"cranes": known, "scenarios": scenarios})
        return
    for title, rows in (("crane", known), ("scenario", scenarios)):
        table = _table(title, "what it is")
        for name, description in rows.items():
            table.add_row(name, description)
        out.print(table)


@app.command()
def init(
    crane: Annotated[str, typer.Argument(metavar="CRANE", help="A crane of `cranebridge list`.")],
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
        _print_json({"file": str(target)})
    else:
        out.print(f"Wrote {target}; try: cranebridge check {target}")


@app.command()
def check(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO",
            help="A ready scenario's name, a TOML file, or a crane FILE.py:Class.",
        ),
    ],
    shortest: Annotated[
        bool, typer.Option("--shortest", help="Find the fastest profile within the limits.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Of a crane: show long equations to their end.")
    ] = False,
    sets: SetOption = None,
    sweep: SweepOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check structure, smoothness, initial state and ropes, before any solving.

    Of a crane alone: its equations of motion and its structure.
    """
    if scenario.endswith(".py") or ".py:" in scenario:
        if shortest or sets or sweep:
            raise InputError("--shortest, --set and --sweep need a scenario, not a crane's file")
        _check_crane(scenario, full, as_json)
    from cranebridge.job import check_scenario, find_shortest

    loaded = _load(scenario, sets, as_json)
    if sweep:
        if shortest:
            raise InputError("--sweep and --shortest do not go together: leave one out")
        _sweep(loaded, sweep, None, False, as_json)
    with _working("checking", quiet=as_json):
        result = check_scenario(loaded)
        fastest = find_shortest(loaded) if shortest and not result.check.problems else None
    if as_json:
        extra = {} if fastest is None else {"shortest_duration": fastest.as_dict()}
        names = {"scenario": loaded.name, "crane": loaded.crane.name}
        _print_json({**names, **result.as_dict(), **extra})
    else:
        from cranebridge.terminal import show_check, show_fastest

        show_check(out, loaded.name, result)
        if fastest is not None:
            show_fastest(out, fastest)
    raise typer.Exit(result.exit_code)


def _check_crane(model: str, full: bool, as_json: bool) -> NoReturn:
    from cranebridge.job import check_crane

    with _working("checking", quiet=as_json):
        result = check_crane(model)
    if as_json:
        _print_json(result.as_dict())
    else:
        from cranebridge.terminal import show_crane

        show_crane(out, result, full)
    raise typer.Exit(result.exit_code)


@app.command()
def plan(
    scenario: ScenarioArgument,
    output: Annotated[
        FilePath | None, typer.Option("-o", "--output", metavar="DIR", help="Folder to make.")
    ] = None,
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
        typer.Option(help="flat; collocation, a second opinion that needs no flat crane; gradient"),
    ] = None,
    sets: SetOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Find the path: fastest or least effort within the limits; or stop or redirect a motion."""
    from cranebridge.job.planning import plan_into, replan

    if (goal is None) != (at is None) or (stop_at is not None and goal is not None):
        raise InputError("give either --stop-at TIME, or --goal with --at TIME, or none of them")
    settings = [*(sets or []), *([] if method is None else [f"path.method={method}"])]
    time = stop_at if at is None else at
    _plan_otherwise(scenario, settings, time is not None, output, force, as_json)
    loaded = _load(scenario, settings, as_json)
    if time is not None:
        with _working("planning", quiet=as_json) as progress:
            loaded = replan(loaded, time, _point(goal), progress)
    with _working("solving", quiet=as_json):
        solved = plan_into(loaded, output, force)
    _show_verified(loaded, solved, output, as_json)


def _plan_otherwise(
    scenario: str,
    settings: list[str],
    running: bool,
    output: FilePath | None,
    force: bool,
    as_json: bool,
) -> None:
    """Plan without flatness and end, if the scenario asks for that."""
    from cranebridge.job.opinions import opinion_asked, opinion_into, refuse_with_running

    question = opinion_asked(scenario, settings)
    refuse_with_running(question, running)
    if question is None:
        return
    with _working("planning", quiet=as_json):
        opinions = opinion_into(question, output, force)
    if as_json:
        _print_json(opinions.as_dict())
    else:
        from cranebridge.terminal import show_opinions

        show_opinions(out, opinions, output)
    raise typer.Exit(opinions.exit_code)


def _point(text: str | None) -> tuple[float, ...] | None:
    """Return the numbers of a list with commas."""
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        wanted = "--goal takes numbers with commas, such as 5.0,-3.0"
        raise InputError(f"{wanted}, got '{text}'") from None


@app.command()
def solve(
    scenario: ScenarioArgument,
    output: Annotated[
        FilePath | None, typer.Option("-o", "--output", metavar="DIR", help="Folder to make.")
    ] = None,
    method: Annotated[
        str | None, typer.Option(help="index1, inversion, index3 or projection.")
    ] = None,
    scheme: Annotated[
        str | None, typer.Option(help="Of index3 and projection: euler, radau5 or radau7.")
    ] = None,
    coordinates: Annotated[
        str | None, typer.Option(help="Of projection: redundant, dependent or minimal.")
    ] = None,
    step: Annotated[float | None, typer.Option(help="Time step in s.")] = None,
    sets: SetOption = None,
    sweep: SweepOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Compute the feedforward: controls, coordinates and rope forces along the path."""
    from cranebridge.job import solve_into

    given = {"method": method, "scheme": scheme, "coordinates": coordinates, "step": step}
    settings = [f"solve.{key}={value}" for key, value in given.items() if value is not None]
    loaded = _load(scenario, [*(sets or []), *settings], as_json)
    if sweep:
        _sweep(loaded, sweep, output, force, as_json)
    with _working("solving", quiet=as_json) as progress:
        solved = solve_into(loaded, output, force, progress)
    _show_verified(loaded, solved, output, as_json)


def _sweep(
    scenario: Scenario, given: list[str], output: FilePath | None, force: bool, as_json: bool
) -> NoReturn:
    from cranebridge.job.sweeping import sweep_into

    with _working("sweeping", quiet=as_json):
        found = sweep_into(scenario, given, output, force)
    if as_json:
        _print_json(found.as_dict())
    else:
        from cranebridge.terminal import show_sweep

        show_sweep(out, found, output)
    raise typer.Exit(found.exit_code)


@app.command()
def export(
    crane: Annotated[
        str, typer.Argument(metavar="CRANE", help="A model of modelica/Cranes, or FILE.mo:Class.")
    ],
    fmi: Annotated[str, typer.Option(help="FMI version, 2 or 3.")] = "2",
    output: Annotated[
        FilePath | None, typer.Option("-o", "--output", metavar="FILE", help="Copy the FMU here.")
    ] = None,
    platform: Annotated[
        list[str] | None, typer.Option(help="Further platforms, such as x86_64-windows.")
    ] = None,
    tool: Annotated[str, typer.Option(help="rumoca, or omc where it is installed.")] = "rumoca",
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Export a Modelica plant as an FMU."""
    from cranebridge.job import export_plant

    with _working("exporting", quiet=as_json):
        result = export_plant(crane, fmi, output, tuple(platform or ()), tool, force)
    if as_json:
        _print_json({"fmu": str(result)})
    else:
        out.print(f"wrote {result}")


@app.command()
def certify(
    scenario: ScenarioArgument, sets: SetOption = None, as_json: JsonOption = False
) -> None:
    """Tell whether twin and FMU are the same machine."""
    _prepare_plant()
    from cranebridge.job import certify_scenario

    loaded = _load(scenario, sets, as_json)
    with _stages(quiet=as_json) as tell:
        certificate, verdict = certify_scenario(loaded, tell)
    if as_json:
        _print_json(certificate.as_dict())
    else:
        from cranebridge.terminal import show_certificate

        show_certificate(out, loaded.name, certificate, verdict)
    raise typer.Exit(0 if verdict.passed else 1)


@app.command()
def verify(
    scenario: ScenarioArgument,
    output: Annotated[
        FilePath | None, typer.Option("-o", "--output", metavar="DIR", help="Folder to make.")
    ] = None,
    plant: Annotated[
        str, typer.Option(help="fmu, or twin: the twin's own equations, integrated forward.")
    ] = "fmu",
    sets: SetOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Feed the controls into the FMU and measure how the load follows."""
    if plant not in ("fmu", "twin"):
        raise unknown("plant", plant, ("fmu", "twin"))
    if plant == "fmu":
        _prepare_plant()
    from cranebridge.job import verify_into

    loaded = _load(scenario, sets, as_json)
    with _stages(quiet=as_json) as tell:
        verified = verify_into(loaded, output, force, plant, tell)
    _show_verified(loaded, verified, output, as_json)


@app.command()
def learn(
    scenario: ScenarioArgument,
    output: Annotated[
        FilePath | None, typer.Option("-o", "--output", metavar="DIR", help="Folder to make.")
    ] = None,
    sets: SetOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Improve the controls on the FMU trial by trial."""
    _prepare_plant()
    from cranebridge.job.learning_source import learn_source

    with _stages(quiet=as_json) as tell:
        learned = learn_source(scenario, sets or [], output, force, tell)
    if as_json:
        _print_json(learned.summary)
    else:
        from cranebridge.terminal import show_learning

        show_learning(out, learned, output)
    raise typer.Exit(learned.exit_code)


@app.command()
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
            help="A Dask scheduler, such as tcp://host:8786, or its scheduler file.",
        ),
    ] = None,
    sets: SetOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Verify many times with varied parameters, starts, disturbances and noise."""
    if workers is not None and cluster is not None:
        raise InputError("--workers is for this machine; a cluster has its own: leave one out")
    loaded = _load(scenario, sets, as_json)
    from cranebridge.job.campaigning import campaign_into

    with _stages(quiet=as_json) as tell:
        found = campaign_into(loaded, output, force, workers, cluster, tell)
    if as_json:
        _print_json(found.as_dict())
    else:
        from cranebridge.terminal import show_campaign

        show_campaign(out, found, output)
    raise typer.Exit(found.exit_code)


@app.command()
def deliver(
    scenario: ScenarioArgument,
    to: Annotated[
        str | None, typer.Option("--to", metavar="FORMAT", help="csv, modelica, mat4, mat, ...")
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
    from cranebridge.job.black_box_delivering import hand_over_learned
    from cranebridge.job.delivering import Wishes, hand_over, left_out

    chosen = tuple(columns.split(",")) if columns else None
    wishes = Wishes(
        to, output, cycle, chosen, units, precision, duration, fmi, force, allow_violations, learned
    )
    found, notes = hand_over_learned(scenario, sets or [], wishes), list[str]()
    if found is None:
        loaded = _load(scenario, sets, as_json)
        with _working("delivering", quiet=as_json):
            found = hand_over(loaded, wishes)
        notes = left_out(loaded, to)
    files = found
    if as_json:
        _print_json({"files": [str(file) for file in files], "notes": notes})
    else:
        for line in (*(f"wrote {file}" for file in files), *(f"note: {note}" for note in notes)):
            out.print(line)


@app.command()
def study(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="convergence, methods or integrators.")
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
    """Compare methods: error against step, orders, conditions, drift and cost."""
    from cranebridge.job.studying import KINDS, study_into

    if kind not in KINDS:
        raise unknown("study", kind, KINDS)
    loaded = _load(scenario, sets, as_json)
    folder = output or FilePath(f"{kind}-{loaded.name}")
    with _working("studying", quiet=as_json):
        result = study_into(kind, loaded, folder, force)
    if as_json:
        _print_json(result.summary())
    else:
        out.print(f"wrote {folder}/study.html, with its tables as CSV and pictures as PNG")


@app.command()
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
    _prepare_plant()
    from cranebridge.job import run_scenario

    loaded = _load(scenario, sets, as_json)
    folder = output or FilePath(loaded.name)
    with _stages(quiet=as_json) as tell:
        verified = run_scenario(loaded, folder, force, tell)
    _show_verified(loaded, verified, folder, as_json)


def _load(scenario: str, sets: list[str] | None, quiet: bool) -> Scenario:
    """Load a scenario; planning, where it asks for that, shows its progress."""
    from cranebridge.scenario import load_scenario

    with _working("planning", quiet) as progress:
        return load_scenario(scenario, sets or [], progress)


def _prepare_plant() -> None:
    """Start the plant's child process now: it is ready when everything else has been imported."""
    from cranebridge.plant.spare import prepare

    prepare()


def _show_verified(
    scenario: Scenario, verified: Verified, folder: FilePath | None, as_json: bool
) -> None:
    if as_json:
        from cranebridge.job import summary

        _print_json(summary(scenario, verified))
    else:
        from cranebridge.terminal import show_verified

        show_verified(out, scenario, verified, folder)
    raise typer.Exit(verified.exit_code)


@contextmanager
def _stages(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show which stage is at work; on a terminal with a spinner, else a line each."""
    if quiet:
        yield lambda stage: None
        return
    if not err.is_terminal:
        yield lambda stage: err.print(f"{stage} ...")
        return
    with err.status("starting") as status:
        yield lambda stage: status.update(stage)


@contextmanager
def _working(what: str, quiet: bool) -> Iterator[Callable[[float], None]]:
    """Show a spinner, and a bar as soon as a fraction is known, on a terminal only."""
    if quiet or not err.is_terminal:
        yield lambda fraction: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda fraction: bar.update(task, total=1.0, completed=fraction)


def _table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        table.add_column(title)
    return table


def _print_json(value: Any) -> None:
    print(json.dumps(value, indent=2))
