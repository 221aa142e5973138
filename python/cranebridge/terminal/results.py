"""A solution, its verification and the certificate in the terminal."""

from __future__ import annotations

from pathlib import Path as FilePath

from rich.console import Console
from rich.markup import escape

from cranebridge.control.analysis import slack_notes
from cranebridge.limits import Verdict
from cranebridge.plant import TOOLS
from cranebridge.readable import settled
from cranebridge.scenario import Scenario
from cranebridge.terminal.plans import show_plan
from cranebridge.terminal.tables import make_table, show_folder, show_verdicts
from cranebridge.verify import Certificate, Tracking, Verified


def show_verified(
    console: Console, scenario: Scenario, verified: Verified, folder: FilePath | None
) -> None:
    """Print what is known: solution, errors, budget, verdicts, and where the files are."""
    _show_solution(console, scenario, verified)
    if verified.tracking is not None:
        _show_tracking(console, scenario, verified.tracking)
    show_verdicts(console, verified.verdicts)
    plant = verified.plant
    if plant is not None and plant.backend in TOOLS:
        name = TOOLS[plant.backend].name
        how = "" if verified.tracking is None else verified.tracking.statistics["interpolation"]
        console.print(f"the plant was run by {name}: {how}" if how else f"run by {name}")
    for note in () if plant is None else plant.units:
        console.print(f"[yellow]note[/yellow]: {escape(note)}")
    if verified.notice:
        console.print(f"[yellow]note[/yellow]: {escape(verified.notice)}")
    show_folder(console, folder)


def _show_solution(console: Console, scenario: Scenario, verified: Verified) -> None:
    """Print what was solved: size, accuracy, largest controls."""
    solution, crane = verified.feedforward, scenario.crane
    if scenario.planned is not None:
        show_plan(console, scenario.planned)
    console.print(
        f"[bold]{escape(scenario.name)}[/bold]: crane '{crane.name}', index "
        f"{verified.structure.index}, method {solution.method}, {solution.points} points in "
        f"{solution.seconds:.3f} s, largest relative residual {solution.max_residual:.1e}"
    )
    if solution.order:
        console.print(f"controls carry an error of order {solution.order} in the step")
    for note in solution.notes:
        console.print(f"[yellow]note[/yellow]: {escape(note)}")
    table = make_table("input", "least", "largest", "unit", "meaning", right=(1, 2))
    largest: dict[str, float] = {}
    for column, quantity in enumerate(crane.inputs):
        known = largest.get(quantity.unit, 0.0)
        largest[quantity.unit] = max(known, float(abs(solution.u[:, column]).max()))
    for column, quantity in enumerate(crane.inputs):
        values, scale = solution.u[:, column], largest[quantity.unit]
        table.add_row(
            quantity.name,
            f"{settled(values.min(), scale):.6g}",
            f"{settled(values.max(), scale):.6g}",
            quantity.unit,
            quantity.meaning,
        )
    console.print(table)


def _show_tracking(console: Console, scenario: Scenario, tracking: Tracking) -> None:
    table = make_table("output", "largest error", "rms error", "unit", right=(1, 2))
    for output in scenario.crane.outputs:
        table.add_row(
            output.name,
            f"{tracking.max_error[output.name]:.2e}",
            f"{tracking.rms_error[output.name]:.2e}",
            output.unit,
        )
    console.print(table)
    _show_budget(console, tracking)
    for disturbance in tracking.settings.disturbances:
        console.print(f"disturbed, not known to the controller: {disturbance.describe()}")
    _show_controllers(console, scenario, tracking)
    for estimated in tracking.estimated:
        console.print(escape(estimated.describe()))
    _show_variants(console, scenario, tracking)


def _show_budget(console: Console, tracking: Tracking) -> None:
    """Print where the error comes from, and what is left of it after the end."""
    rows = {**tracking.budget.as_dict(), "unexplained": tracking.budget.unexplained}
    table = make_table("error budget", "size", "unit", right=(1,))
    for name, value in rows.items():
        table.add_row(name, "not known" if value is None else f"{value:.1e}" if value else "0", "m")
    swing = tracking.residual_swing
    if swing is not None:
        table.add_row("residual swing", f"{swing:.1e}", "m")
    offsets = tracking.lasting_offset
    if offsets is not None:
        largest = max(map(abs, offsets.values()))
        table.add_row("lasting offset", f"{largest:.1e}", "m")
    console.print(table)
    if swing is None:
        console.print(tracking.unwatched)


def _show_controllers(console: Console, scenario: Scenario, tracking: Tracking) -> None:
    """Print what the plant does without and with a controller, and what that takes."""
    if not tracking.compared:
        return
    crane, found = scenario.crane, tracking.compared
    ran = [name for name, figures in found.items() if not figures.failed]
    # a crane has many signals and few ways of control: no terminal is wide enough otherwise
    table = make_table("control", *ran, right=tuple(range(1, len(ran) + 1)))
    for part in crane.outputs:
        errors = (f"{found[name].max_error[part.name]:.2e}" for name in ran)
        table.add_row(escape(f"largest error of {part.name} [{part.unit}]"), *errors)
    swings = (found[name].residual_swing for name in ran)
    after = ["" if swing is None else f"{swing:.2e}" for swing in swings]
    if any(after):
        table.add_row(escape("residual swing [m]"), *after)
        offsets = (found[name].lasting_offset for name in ran)
        rest = ["" if offset is None else f"{offset:.2e}" for offset in offsets]
        table.add_row(escape("lasting offset [m]"), *rest)
    for part in crane.inputs:
        peaks = (f"{found[name].peak[part.name]:.6g}" for name in ran)
        table.add_row(escape(f"largest {part.name} [{part.unit}]"), *peaks)
    console.print(table)
    for name, figures in found.items():
        if figures.failed:
            console.print(f"{name}: {escape(figures.failed)}")
    for line in tracking.notes:
        console.print(escape(line))
    for note in slack_notes(tracking.feedforward):
        console.print(f"[yellow]note[/yellow]: {escape(note)}")


def _show_variants(console: Console, scenario: Scenario, tracking: Tracking) -> None:
    """Print what each imperfection of the plant costs."""
    variants, outputs = tracking.variants, scenario.crane.outputs
    if not variants:
        return
    titles = [f"{output.name} [{output.unit}]" for output in outputs]
    table = make_table("largest error with", *titles, right=tuple(range(1, len(titles) + 1)))
    for name, errors in variants.items():
        known = (f"{errors[output.name]:.2e}" if errors else "not known" for output in outputs)
        table.add_row(escape(name), *known)
    console.print(table)
    for name, why in tracking.failed_variants.items():
        console.print(escape(f"{name}: {why}"))


def show_certificate(
    console: Console, name: str, certificate: Certificate, verdict: Verdict
) -> None:
    """Print a certificate: what was compared and what was not, and the parameters."""
    console.print(f"[bold]{escape(name)}[/bold]: {certificate.status}")
    show_verdicts(console, [verdict])
    table = make_table("compared", "relative difference", "limit", "by", right=(1, 2))
    for entry in certificate.compared:
        table.add_row(
            escape(entry.quantity), f"{entry.difference:.1e}", f"{entry.threshold:g}", entry.how
        )
    console.print(table)
    if certificate.not_compared:
        table = make_table("not compared", "because")
        for missing in certificate.not_compared:
            table.add_row(escape(missing.quantity), escape(missing.reason))
        console.print(table)
    for note in certificate.notes:
        console.print(f"[yellow]note[/yellow]: {escape(note)}")
    table = make_table("plant parameter", "value", "default", "unit", "from", right=(1, 2))
    for row in certificate.parameters:
        values = (_number(row[key]) for key in ("value", "default"))
        table.add_row(str(row["name"]), *values, str(row["unit"]), str(row["from"]))
    console.print(table)


def _number(value: object) -> str:
    return f"{value:.9g}" if isinstance(value, int | float) else "-"
