"""What many runs say, in the terminal: learning, campaigns and sweeps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from cranebridge.campaign import BEYOND
from cranebridge.terminal.tables import make_table, show_folder, show_verdicts

if TYPE_CHECKING:  # optimisers take long to import
    from cranebridge.campaign.results import Quantile
    from cranebridge.job import Sweep
    from cranebridge.job.campaign import CampaignResult
    from cranebridge.job.learning import LearnedSource
    from cranebridge.learn import Learning

# Outputs of a learning that have columns of their own in a terminal.
MANY = 4


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
    table = make_table("trial", "gain", *titles, "", right=tuple(range(len(titles) + 2)))
    for trial, errors in zip(learned.trials, figures, strict=True):
        best = "best" if trial.number == learned.best else ""
        row = [str(trial.number), f"{trial.gain:g}", *(f"{error:.3g}" for error in errors)]
        table.add_row(*row, escape(trial.note) or best)
    console.print(table)
    if learning.to_expect:
        console.print(f"note: {escape(learning.to_expect)}")
    for note in (*learning.notes, *(floor.message for floor in learned.floors)):
        console.print(f"note: {escape(note)}")
    show_verdicts(console, (*source.of_solution, *learning.verdicts))
    show_folder(console, folder)


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


def show_campaign(console: Console, campaign: CampaignResult, folder: FilePath) -> None:
    """Print how often each limit was kept, the main results, what matters and the worst runs."""
    runs, statistics = campaign.runs, campaign.statistics
    console.print(
        f"{escape(campaign.scenario.name)}: {runs.total} runs, design {campaign.design.kind}, "
        f"{runs.failed} could not be carried out; {campaign.seconds:.1f} s"
    )
    if statistics.counted:
        console.print(f"note: {statistics.counted}")
    table = make_table("limit", "kept in", "interval", "first not kept in run", right=(1,))
    for name, found in statistics.probabilities.items():
        title = "all limits" if name == "passed" else name.removeprefix("passed.")
        interval = f"{100 * found.low:.2f} to {100 * found.high:.2f} %"
        broken = ", ".join(map(str, found.false_runs))
        table.add_row(escape(title), f"{100 * found.value:.2f} %", interval, broken)
    console.print(table)
    table = make_table(
        "result", "5 %", "median", "95 %", "largest", "in run", right=(1, 2, 3, 4, 5)
    )
    for name, spread in statistics.spreads.items():
        if name.startswith(("max_error.", "residual_swing", "lasting_offset", "peak.")):
            values = {one.level: _quantile(one) for one in spread.quantiles}
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
    for note in campaign.notes:
        console.print(f"note: {escape(note)}")
    if campaign.notice:
        console.print(f"note: {escape(campaign.notice)}")
    if campaign.worst:
        worst = ", ".join(map(str, campaign.worst))
        console.print(
            f"worst runs: {worst}; one again: cranebridge run "
            f"{escape(str(folder / f'run-{campaign.worst[0]}.toml'))} -o DIR"
        )
    show_folder(console, folder)


def _quantile(quantile: Quantile) -> str:
    """Return a quantile as text, also where it lies among runs that have no number."""
    return BEYOND if quantile.value is None else f"{quantile.value:.3g}"


def _what_matters(campaign: CampaignResult) -> Iterator[str]:
    """Yield a sentence on what matters for the margin."""
    indices = campaign.indices.get("margin", ())
    found = [
        (float(index.value), one.key)
        for one in indices
        if (index := one.deciding).value is not None
    ]
    if found:
        found.sort(reverse=True)
        named = ", ".join(f"{escape(key)} {100 * max(value, 0.0):.0f} %" for value, key in found)
        runs, total = indices[0].runs, campaign.runs.total
        of = "" if runs == total else f" (of {runs} of {total} runs)"
        yield f"what the margin's variance goes with{of}: {named}"


def show_sweep(console: Console, sweep: Sweep, folder: FilePath | None) -> None:
    """Print a row for each combination of values: inputs, rope forces, verdicts."""
    figures = list(dict.fromkeys(name for point in sweep.points for name in point.figures or {}))
    titles = (*sweep.keys, *figures, "verdict", "")
    table = make_table(*titles, right=tuple(range(len(titles) - 2)))
    for point in sweep.points:
        known = point.figures or {}
        cells = [f"{value:.6g}" for value in point.values.values()]
        cells += [f"{known[name] + 0.0:.4g}" if name in known else "" for name in figures]
        broken = next((v.name for v in point.verdicts if not v.passed), point.reason)
        table.add_row(*cells, point.status, escape(broken))
    console.print(table)
    if folder is not None:
        console.print(f"wrote {escape(str(folder))}")
