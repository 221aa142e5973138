"""Results as tables for the terminal."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cranebridge.control.slack import slack_notes
from cranebridge.inverse.checking import Check
from cranebridge.inverse.classification import KINDS
from cranebridge.inverse.structure import Structure
from cranebridge.job import Checked, CheckedCrane
from cranebridge.limits import Verdict
from cranebridge.scenario import Scenario
from cranebridge.twin import Quantity
from cranebridge.verify import Certificate, Tracking, Verified

if TYPE_CHECKING:  # optimisers take long to import
    from cranebridge.job.campaign_result import Campaign
    from cranebridge.job.learning_source import LearnedSource
    from cranebridge.job.opinions import Opinions
    from cranebridge.job.sweeping import Sweep
    from cranebridge.learn.result import Learning
    from cranebridge.plan import Fastest, Plan

# Outputs of a learning that have columns of their own in a terminal.
MANY = 4


def show_check(console: Console, name: str, result: Checked) -> None:
    """Print a check: structure, path, stages, assumptions, ropes, and what is wrong."""
    check = result.check
    structure = check.structure
    console.print(f"[bold]{escape(name)}[/bold]: index {structure.index}, {_kind(structure)}")
    _show_combinations(console, structure)
    _show_path(console, check)
    _show_equations(console, check)
    if check.internal is not None:
        _show_internal(console, result)
    if check.stages:
        _show_stages(console, check)
        _show_assumptions(console, check)
        rates = ", ".join(f"v.{name} = {x:.6g}" for name, x in check.initial_velocities.items())
        start = "at rest and in equilibrium" if check.static_start else f"moving {rates}".strip()
        console.print(f"\ninitial state: consistent, {escape(start)}")
    _show_loop(console, result)
    _show_verdicts(console, result.verdicts)
    for problem in check.problems:
        console.print(f"\n[bold red]not solvable[/bold red]: {escape(problem)}")


def _show_loop(console: Console, result: Checked) -> None:
    """Print poles and margins of the controller."""
    if result.no_loop:
        console.print(f"\n[bold red]no control[/bold red]: {escape(result.no_loop)}")
    loop = result.loop
    if loop is None:
        return
    console.print(f"\n[bold]closed loop[/bold]: {escape(loop.title)}")
    for titles, rows in (loop.pole_table(), loop.margin_table()):
        table = _table(*titles, right=tuple(range(1, len(titles))))
        for row in rows:
            table.add_row(*map(escape, row))
        if rows:
            console.print(table)
    for line in loop.observed_lines():
        console.print(f"sensors, {escape(line)}")
    for note in loop.notes:
        console.print(f"[yellow]note[/yellow]: {escape(note)}")


def show_fastest(console: Console, fastest: Fastest) -> None:
    """Print how fast the path can be: with its own profile, and with the fastest one."""
    own, best = fastest.own, fastest.best
    console.print(f"\nshortest duration: {own.duration:.4g} s; {escape(own.active.message)}")
    if best is None:
        if fastest.candidates:
            console.print("no other profile is faster on this geometry")
    else:
        ratio = own.duration / best.duration
        reason = "" if best.active is None else f"; {best.active.message}"
        text = f"fastest profile: {best.profile}, {best.duration:.4g} s, {ratio:.3g} times as fast"
        console.print(escape(f"{text}{reason}"))
        for line in _key_lines(best.keys):
            console.print(f"  {escape(line)}", soft_wrap=True)
    others = [c for c in fastest.candidates if c is not best]
    if others:
        console.print("; ".join(f"{c.profile}: {c.duration:.4g} s" for c in others))
    console.print(escape(fastest.beyond))


def _key_lines(keys: Mapping[str, Any], before: str = "path") -> list[str]:
    """Return keys as settings, a line for each table."""
    own = {key: value for key, value in keys.items() if key != "parts"}
    lines = [f"{before}: " + ", ".join(f"{k} = {json.dumps(v)}" for k, v in own.items())]
    for i, part in enumerate(keys.get("parts", ())):
        if part:
            lines += _key_lines(part, f"{before}.parts[{i}]")
    return lines


def _show_internal(console: Console, result: Checked) -> None:
    """Print the kind of the internal dynamics, and what the exact solution tells."""
    check = result.check
    assert check.internal is not None
    console.print(f"\n{KINDS[check.internal.kind]}")
    table = _table("free states", "eigenvalues at the start", "eigenvalues at the end")
    table.add_row(
        escape(", ".join(check.internal.states)),
        check.internal.start.text,
        check.internal.end.text,
    )
    console.print(table)
    for note in () if check.solution is None else check.solution.notes[1:]:
        console.print(escape(note))
    _show_verdicts(console, result.verdicts)


def show_crane(console: Console, result: CheckedCrane, full: bool) -> None:
    """Print a crane: its quantities, equations and structure, and what to do next."""
    crane = result.crane
    console.print(f"[bold]{escape(crane.name)}[/bold]: {escape(crane.description)}")
    for group in ("coordinates", "inputs", "outputs", "multipliers", "ropes"):
        _show_quantities(console, group, getattr(crane, group))
    table = _table("parameter", "value", "unit", "meaning", right=(1,))
    console.print()
    for entry in crane.parameters:
        meaning = f"{entry.meaning} (in no equation)" if entry.name in result.unused else None
        row = (entry.name, f"{entry.value:.9g}", entry.unit, meaning or entry.meaning)
        table.add_row(*map(escape, row))
    console.print(table)
    _show_equation_texts(console, result, full)
    if result.structure is None:
        console.print(f"\n[bold red]not solvable[/bold red]: {escape(result.problem)}")
    else:
        structure = result.structure
        console.print(f"\nindex {structure.index}, {_kind(structure)}")
        _show_combinations(console, structure)
        table = _table("output", "derivatives of the path needed", right=(1,))
        for name, needed in structure.path_derivatives.items():
            table.add_row(name, str(needed))
        console.print(table)
    console.print(f"\n{escape(result.advice)}")
    if result.scenario:
        console.print(f"\n{escape(result.scenario.rstrip())}")


def _show_quantities(console: Console, group: str, quantities: Sequence[Quantity]) -> None:
    if not quantities:
        return
    table = _table(group.removesuffix("s"), "unit", "meaning")
    console.print()
    for entry in quantities:
        table.add_row(entry.name, escape(entry.unit), escape(entry.meaning))
    console.print(table)


_EQUATIONS = {
    "motion": "equations of motion",
    "constraint": "constraints",
    "output": "outputs",
    "rope": "rope forces",
}


def _show_equation_texts(console: Console, result: CheckedCrane, full: bool) -> None:
    cut = False
    for group, title in _EQUATIONS.items():
        members = [entry for entry in result.equations if entry.group == group]
        if not members:
            continue
        console.print(f"\n[bold]{title}[/bold]")
        for entry in members:
            text = entry.text(full)
            cut |= text != entry.text()
            console.print(f"  {escape(text)}")
    if cut:
        console.print("\nLong equations are cut; --full shows all of them.")


def _show_combinations(console: Console, structure: Structure) -> None:
    """Print which equations were combined, and why."""
    for remark in structure.remarks:
        console.print(escape(remark))


def _kind(structure: Structure) -> str:
    if structure.flat:
        return "flat: the controls follow from the path alone"
    return f"internal dynamics of dimension {structure.internal_dynamics}"


def _show_solution(console: Console, scenario: Scenario, verified: Verified) -> None:
    """Print what was solved: size, accuracy, largest controls."""
    solution, crane = verified.feedforward, scenario.crane
    if scenario.plan is not None:
        _show_plan(console, scenario.plan)
    console.print(
        f"[bold]{escape(scenario.name)}[/bold]: crane '{crane.name}', index "
        f"{verified.structure.index}, method {solution.method}, {solution.points} points in "
        f"{solution.seconds:.3f} s, largest relative residual {solution.max_residual:.1e}"
    )
    if solution.order:
        console.print(f"controls carry an error of order {solution.order} in the step")
    for note in solution.notes:
        console.print(f"[yellow]note[/yellow]: {escape(note)}")
    table = _table("input", "least", "largest", "unit", "meaning", right=(1, 2))
    for column, quantity in enumerate(crane.inputs):
        values = solution.u[:, column]
        table.add_row(
            quantity.name,
            f"{values.min():.6g}",
            f"{values.max():.6g}",
            quantity.unit,
            quantity.meaning,
        )
    console.print(table)


def _show_plan(console: Console, plan: Plan) -> None:
    """Print the path that was found: duration, cost, active limits, other ways."""
    cost = "" if plan.objective == "time" else f", cost {plan.cost:.6g}"
    console.print(
        f"plan: least {plan.objective}, {plan.way}, in {plan.duration:.4f} s{cost}; finer splines "
        f"may gain another {100.0 * plan.remaining:.2g} %"
        if plan.remaining < 1.0
        else f"plan: least {plan.objective}, {plan.way}, in {plan.duration:.4f} s{cost}"
    )
    for other in plan.alternatives:
        found = f"{other.cost:.4f} on the first splines"
        if other.cost == float("inf"):
            found = escape(other.why) or "no plan found"
        console.print(f"other way: {escape(other.way)}: {found}")
    if plan.active:
        table = _table("active limit", "at", "unit", "when [s]", right=(1,))
        for one in plan.active:
            spans = ", ".join(f"{begin:.3f}-{end:.3f}" for begin, end in one.spans[:4])
            more = ", ..." if len(one.spans) > 4 else ""
            table.add_row(escape(one.name), f"{one.limit:g}", one.unit, spans + more)
        console.print(table)
    for note in plan.notes:
        console.print(f"[yellow]note[/yellow]: {escape(note)}")


def show_opinions(console: Console, opinions: Opinions, folder: FilePath | None) -> None:
    """Print a motion found without flatness, and the flat plan beside it."""
    found, flat = opinions.opinion, opinions.flat
    name = escape(opinions.question.given.name)
    console.print(f"[bold]{name}[/bold]: least {found.objective}, by {found.method}")
    table = _table("method", "duration [s]", "cost", "change", "seconds", right=(1, 2, 3, 4))
    change = "-" if found.change is None else f"{found.change:.1e}"
    seconds = f"{found.seconds:.2f}"
    table.add_row(found.method, f"{found.duration:.5f}", f"{found.cost:.7g}", change, seconds)
    if flat is not None:
        left = f"{flat.remaining * flat.cost:.1e}" if flat.remaining < 1.0 else "-"
        row = (f"{flat.duration:.5f}", f"{flat.cost:.7g}", left, f"{flat.seconds:.2f}")
        table.add_row("flat", *row)
    console.print(table)
    console.print(
        "change: of the cost, from half as fine a mesh (collocation), in the last step (gradient), "
        "and what finer splines may still gain (flat)"
    )
    if opinions.without:
        console.print(escape(opinions.without))
    _show_touched(console, opinions)
    if found.errors:
        units = {output.name: output.unit for output in found.crane.outputs}
        table = _table("output", "largest error", "rms error", "unit", right=(1, 2))
        for output, error in found.errors.items():
            table.add_row(output, f"{error.largest:.4g}", f"{error.rms:.4g}", units[output])
        console.print(table)
    for one in found.broken:
        text = f"{one.name} is {one.value:.6g} at {one.time:.3f} s, allowed is "
        console.print(f"{_MARKS['failed']}  {escape(f'{text}[{one.least:g}, {one.most:g}]')}")
    nothing = "nothing was written; -o DIR writes the signals"
    console.print(nothing if folder is None else f"wrote {escape(str(folder))}")


def _show_touched(console: Console, opinions: Opinions) -> None:
    """Print the limits that are reached, for how much of the time, by either method."""
    found, flat = opinions.opinion, opinions.flat
    columns = {found.method: {one.signal: 0.0 for one in found.active}}
    for one in found.active:
        columns[found.method][one.signal] += one.share
    if flat is not None:
        columns["flat"] = {
            active.name: sum(end - begin for begin, end in active.spans) / flat.duration
            for active in flat.active
        }
    titles = tuple(columns)
    table = _table("limit reached, part of the time", *titles, right=(1, 2)[: len(titles)])
    for signal in dict.fromkeys(name for column in columns.values() for name in column):
        row = (f"{100.0 * x[signal]:.0f} %" if signal in x else "-" for x in columns.values())
        table.add_row(escape(signal), *row)
    if table.row_count:
        console.print(table)


def show_certificate(
    console: Console, name: str, certificate: Certificate, verdict: Verdict
) -> None:
    """Print a certificate: what was compared and what was not, and the parameters."""
    console.print(f"[bold]{escape(name)}[/bold]: {certificate.status}")
    _show_verdicts(console, [verdict])
    table = _table("compared", "relative difference", "limit", "by", right=(1, 2))
    for entry in certificate.compared:
        table.add_row(
            escape(entry.quantity), f"{entry.difference:.1e}", f"{entry.threshold:g}", entry.how
        )
    console.print(table)
    if certificate.not_compared:
        table = _table("not compared", "because")
        for missing in certificate.not_compared:
            table.add_row(escape(missing.quantity), escape(missing.reason))
        console.print(table)
    for note in certificate.notes:
        console.print(f"[yellow]note[/yellow]: {escape(note)}")
    table = _table("plant parameter", "value", "default", "unit", "from", right=(1, 2))
    for row in certificate.parameters:
        values = (_number(row[key]) for key in ("value", "default"))
        table.add_row(str(row["name"]), *values, str(row["unit"]), str(row["from"]))
    console.print(table)


def _number(value: object) -> str:
    return f"{value:.9g}" if isinstance(value, int | float) else "-"


def show_verified(
    console: Console, scenario: Scenario, verified: Verified, folder: FilePath | None
) -> None:
    """Print what is known: solution, errors, budget, verdicts, and where the files are."""
    _show_solution(console, scenario, verified)
    if verified.tracking is not None:
        _show_tracking(console, scenario, verified.tracking)
    _show_verdicts(console, verified.verdicts)
    _show_folder(console, folder)


def _error_columns(learning: Learning) -> tuple[list[str], list[list[float]]]:
    """Return titles and figures of the trials; of many outputs their total and the largest."""
    outputs, trials = learning.outputs, learning.learned.trials
    if len(outputs) > MANY:
        most = [max(trial.max_error.values(), default=math.nan) for trial in trials]
        figures = [[trial.total, largest] for trial, largest in zip(trials, most, strict=True)]
        return ["rms of all outputs", "largest error"], figures
    titles = [f"{kind} {n} [{unit}]" for kind in ("rms", "max") for n, unit in outputs.items()]
    found = [[*trial.rms_error.values(), *trial.max_error.values()] for trial in trials]
    return titles, [errors or [math.nan] * len(titles) for errors in found]


def _show_folder(console: Console, folder: FilePath | None) -> None:
    if folder is None:
        console.print("nothing was written; -o DIR writes the signals and summary.json")
        return
    console.print(f"wrote {escape(str(folder))}")
    if (folder / "report.html").is_file():
        console.print(f"report: {escape(str((folder / 'report.html').resolve()))}")


def show_learning(console: Console, source: LearnedSource, folder: FilePath | None) -> None:
    """Print the trials, what cannot be learned, the verdicts, and where the files are."""
    learning = source.learning
    settings, learned = learning.settings, learning.learned
    console.print(
        f"{escape(source.name)}: law {settings.law}, model {learning.model}, up to "
        f"{settings.bandwidth:g} Hz, judged from {settings.judge_from:g} s on; "
        f"{learning.simulations} runs of the plant in {learning.seconds:.1f} s"
    )
    titles, figures = _error_columns(learning)
    table = _table("trial", "gain", *titles, "", right=tuple(range(len(titles) + 2)))
    for trial, errors in zip(learned.trials, figures, strict=True):
        best = "best" if trial.number == learned.best else ""
        row = [str(trial.number), f"{trial.gain:g}", *(f"{error:.3g}" for error in errors)]
        table.add_row(*row, escape(trial.note) or best)
    console.print(table)
    for note in (*learning.notes, *(floor.message for floor in learned.floors)):
        console.print(f"note: {escape(note)}")
    _show_verdicts(console, (*source.of_solution, *learning.verdicts))
    _show_folder(console, folder)


def show_campaign(console: Console, campaign: Campaign, folder: FilePath) -> None:
    """Print how often each limit was kept, the main results, what matters and the worst runs."""
    runs, statistics = campaign.runs, campaign.statistics
    console.print(
        f"{escape(campaign.scenario.name)}: {runs.total} runs, design {campaign.design.kind}, "
        f"{runs.failed} could not be carried out; {campaign.seconds:.1f} s"
    )
    table = _table("limit", "kept in", "interval", "first broken in run", right=(1,))
    for name, found in statistics.probabilities.items():
        title = "all limits" if name == "passed" else name.removeprefix("passed.")
        interval = f"{100 * found.low:.2f} to {100 * found.high:.2f} %"
        broken = ", ".join(map(str, found.false_runs))
        table.add_row(escape(title), f"{100 * found.value:.2f} %", interval, broken)
    console.print(table)
    table = _table("result", "5 %", "median", "95 %", "largest", "in run", right=(1, 2, 3, 4, 5))
    for name, spread in statistics.spreads.items():
        if name.startswith(("max_error.", "residual_swing", "peak.")):
            values = {quantile.level: f"{quantile.value:.3g}" for quantile in spread.quantiles}
            run, value = spread.largest[0]
            row = (values[0.05], values[0.5], values[0.95], f"{value:.3g}", str(run))
            table.add_row(escape(name), *row)
    console.print(table)
    console.print(f"intervals of {100 * statistics.level:g} %: {statistics.note}")
    for line in _what_matters(campaign):
        console.print(line)
    if campaign.box is not None:
        box = campaign.box
        for key, low, high in zip(box.keys, box.low, box.high, strict=True):
            console.print(f"all limits hold for {escape(key)} from {low:.6g} to {high:.6g}")
        console.print(f"note: {escape(box.statement)}")
    elif campaign.no_box:
        console.print(f"note: no safe box: {escape(campaign.no_box)}")
    if campaign.worst:
        worst = ", ".join(map(str, campaign.worst))
        console.print(
            f"worst runs: {worst}; one again: cranebridge run "
            f"{escape(str(folder / f'run-{campaign.worst[0]}.toml'))} -o DIR"
        )
    _show_folder(console, folder)


def show_sweep(console: Console, sweep: Sweep, folder: FilePath | None) -> None:
    """Print a row for each combination of values: inputs, rope forces, verdicts."""
    figures = list(dict.fromkeys(name for point in sweep.points for name in point.figures or {}))
    titles = (*sweep.keys, *figures, "verdict", "")
    table = _table(*titles, right=tuple(range(len(titles) - 2)))
    for point in sweep.points:
        known = point.figures or {}
        cells = [f"{value:.6g}" for value in point.values.values()]
        cells += [f"{known[name] + 0.0:.4g}" if name in known else "" for name in figures]
        broken = next((v.name for v in point.verdicts if not v.passed), point.reason)
        table.add_row(*cells, point.status, escape(broken))
    console.print(table)
    if folder is not None:
        console.print(f"wrote {escape(str(folder))}")


def _what_matters(campaign: Campaign) -> Iterator[str]:
    """Yield a sentence on what matters for the margin."""
    found = [
        (float(index.value), one.key)
        for one in campaign.indices.get("margin", ())
        if (index := one.deciding).value is not None
    ]
    if found:
        found.sort(reverse=True)
        named = ", ".join(f"{escape(key)} {100 * max(value, 0.0):.0f} %" for value, key in found)
        yield f"what the margin's variance goes with: {named}"


def _show_tracking(console: Console, scenario: Scenario, tracking: Tracking) -> None:
    table = _table("output", "largest error", "rms error", "unit", right=(1, 2))
    for output in scenario.crane.outputs:
        table.add_row(
            output.name,
            f"{tracking.max_error[output.name]:.2e}",
            f"{tracking.rms_error[output.name]:.2e}",
            output.unit,
        )
    console.print(table)
    parts = ", ".join(
        f"{name} {'not known' if value is None else format(value, '.1e')}"
        for name, value in tracking.budget.as_dict().items()
    )
    swing = tracking.residual_swing
    after = tracking.unwatched if swing is None else f"after the end: {swing:.1e}"
    console.print(f"error budget: {parts}; {after}")
    for disturbance in tracking.settings.disturbances:
        console.print(f"disturbed, not known to the controller: {disturbance.describe()}")
    _show_controllers(console, scenario, tracking)
    for estimated in tracking.estimated:
        console.print(escape(estimated.describe()))
    _show_variants(console, scenario, tracking)


def _show_controllers(console: Console, scenario: Scenario, tracking: Tracking) -> None:
    """Print what the plant does without and with a controller, and what that takes."""
    if not tracking.compared:
        return
    crane, found = scenario.crane, tracking.compared
    ran = [name for name, figures in found.items() if not figures.failed]
    # a crane has many signals and few ways of control: no terminal is wide enough otherwise
    table = _table("control", *ran, right=tuple(range(1, len(ran) + 1)))
    for part in crane.outputs:
        errors = (f"{found[name].max_error[part.name]:.2e}" for name in ran)
        table.add_row(escape(f"error of {part.name} [{part.unit}]"), *errors)
    swings = (found[name].residual_swing for name in ran)
    after = ["" if swing is None else f"{swing:.2e}" for swing in swings]
    if any(after):
        table.add_row("after the end", *after)
    for part in crane.inputs:
        peaks = (f"{found[name].peak[part.name]:.6g}" for name in ran)
        table.add_row(escape(f"most {part.name} [{part.unit}]"), *peaks)
    console.print(table)
    for name, figures in found.items():
        if figures.failed:
            console.print(f"{name}: {escape(figures.failed)}")
    for line in tracking.told:
        console.print(escape(line))
    for note in slack_notes(tracking.feedforward):
        console.print(f"[yellow]note[/yellow]: {escape(note)}")


def _show_variants(console: Console, scenario: Scenario, tracking: Tracking) -> None:
    """Print what each imperfection of the plant costs."""
    variants, outputs = tracking.variants, scenario.crane.outputs
    if not variants:
        return
    titles = [f"{output.name} [{output.unit}]" for output in outputs]
    table = _table("largest error with", *titles, right=tuple(range(1, len(titles) + 1)))
    for name, errors in variants.items():
        table.add_row(escape(name), *(f"{errors[output.name]:.2e}" for output in outputs))
    console.print(table)


def _show_path(console: Console, result: Check) -> None:
    table = _table("output", "derivatives needed", "derivatives of the path", right=(1, 2))
    for name, needed in result.structure.path_derivatives.items():
        order = result.smoothness[name]
        table.add_row(name, str(needed), "all" if math.isinf(order) else f"{order:.0f}")
    console.print(table)


def _show_equations(console: Console, result: Check) -> None:
    structure = result.structure
    counts = np.array(structure.differentiations)
    table = _table("differentiated", "equations", right=(0,))
    for count in sorted(set(structure.differentiations), reverse=True):
        members = [structure.equations[i] for i in np.flatnonzero(counts == count)]
        table.add_row(f"{count} times", ", ".join(members))
    console.print(table)


def _show_stages(console: Console, result: Check) -> None:
    table = _table("stage", "size", "rank", "condition", "worst at", right=(0, 1, 2, 3, 4))
    for stage in result.stages:
        table.add_row(
            str(stage.stage),
            str(stage.size),
            str(stage.rank),
            f"{stage.condition:.3g}",
            f"{stage.time:.3f} s",
        )
    console.print(table)


def _show_assumptions(console: Console, result: Check) -> None:
    table = _table("assumption of the proof", "holds", "why")
    words = {True: "yes", False: "no", None: "-"}
    for assumption in result.assumptions:
        table.add_row(assumption.name, words[assumption.holds], escape(assumption.reason))
    console.print(table)


_MARKS = {
    "passed": "[green]passed[/green]",
    "failed": "[bold red]FAILED[/bold red]",
    "not judged": "[bold yellow]NOT JUDGED[/bold yellow]",
}


def _show_verdicts(console: Console, verdicts: Sequence[Verdict]) -> None:
    for verdict in verdicts:
        console.print(f"{_MARKS[verdict.status]}  {escape(verdict.message)}")


def _table(*titles: str, right: tuple[int, ...] = ()) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, title in enumerate(titles):
        table.add_column(escape(title), justify="right" if i in right else "left")
    return table
