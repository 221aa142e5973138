"""The report of a campaign: verdicts with their probabilities, distributions, what matters."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cranebridge.campaign import BEYOND, RankIndex
from cranebridge.errors import MissingDependencyError
from cranebridge.job.campaign.campaign_result import CampaignResult
from cranebridge.scenario import key_parts
from cranebridge.study import Cell, Chart, Study, StudyTable, page, require_matplotlib

# A picture of points has no more than this: more cannot be told apart.
POINTS = 4000
# Told apart without colour as well.
_KEPT = {"color": "#1b6ca8", "marker": ".", "label": "all limits kept"}
_BROKEN = {"color": "#c0392b", "marker": "x", "label": "a limit broken"}
_BUDGET = {"integrator": "of the error are the integrator's", "unexplained": "are not explained"}


def campaign_page(campaign: CampaignResult) -> str | None:
    """Return ``report.html``; None where Matplotlib, which draws the pictures, is not installed."""
    try:
        pictures = campaign_pictures(campaign)
    except MissingDependencyError:
        return None
    charts = tuple(Chart(name, _PICTURES[name][0], "", "", {}) for name in pictures)
    return page(_study(campaign, charts), pictures)


def campaign_pictures(campaign: CampaignResult) -> dict[str, bytes]:
    """Return the pictures that the results allow, as PNG: scatter, distribution, tornado."""
    drawn = {name: _png(draw, campaign) for name, (_, draw) in _PICTURES.items()}
    return {name: picture for name, picture in drawn.items() if picture is not None}


def _study(campaign: CampaignResult, charts: tuple[Chart, ...]) -> Study:
    runs, statistics, name = campaign.runs, campaign.statistics, campaign.scenario.name
    word = "passed" if campaign.exit_code == 0 else "failed"
    seed = campaign.design.seed
    drawn = "nothing in it is random" if seed is None else f"random seed {seed}"
    remarks = [
        f"{word}: {campaign.passed} of {runs.total} runs kept all limits, {runs.failed} could not "
        "be carried out",
        f"design {campaign.design.kind}, {drawn}; "
        f"intervals of {100 * statistics.level:g} %: {statistics.note}",
    ]
    if statistics.counted:
        remarks.insert(1, statistics.counted)
    if campaign.certificate is not None:
        remarks.append(f"twin and plant without variation: {campaign.certificate.status}")
    remarks += [campaign.notice] if campaign.notice else []
    for part, words in _BUDGET.items():
        found = statistics.spreads.get(f"budget.{part}")
        if found is not None:
            remarks.append(
                f"error budget of {found.runs} runs: at most {found.largest[0][1]:.2g} m {words}"
            )
    if campaign.box is not None:
        remarks.append(f"safe box: {campaign.box.statement}")
    elif campaign.no_box:
        remarks.append(f"no safe box: {campaign.no_box}")
    remarks += campaign.notes
    remarks += [
        f"run {number} again: cranebridge run run-{number}.toml -o DIR" for number in campaign.worst
    ]
    tables = [_verdicts(campaign), _spreads(campaign), _worst(campaign), _indices(campaign)]
    if campaign.box is not None:
        tables.insert(1, _box(campaign))
    return Study(
        "campaign", name, f"{name}: {runs.total} runs", tuple(remarks), tuple(tables), charts
    )


# ---------------------------------------------------------------------------- tables


def _verdicts(campaign: CampaignResult) -> StudyTable:
    rows: list[tuple[Cell, ...]] = []
    for name, found in campaign.statistics.probabilities.items():
        title = "all limits" if name == "passed" else name.removeprefix("passed.")
        broken = ", ".join(map(str, found.false_runs)) or None
        counts = (found.runs, found.failed, found.missing)
        rows.append((title, found.value, found.low, found.high, *counts, broken))
    counted = ("runs", "of these not carried out", "not asked")
    columns = ("limit", "kept in", "at least", "at most", *counted, "first not kept in")
    return StudyTable("verdicts", "Probability of keeping each limit", columns, tuple(rows))


def _spreads(campaign: CampaignResult) -> StudyTable:
    found = campaign.statistics.spreads
    levels = [quantile.level for one in found.values() for quantile in one.quantiles]
    levels = list(dict.fromkeys(levels))
    rows: list[tuple[Cell, ...]] = []
    for name, one in found.items():
        values: list[Cell] = [
            BEYOND if "value" in quantile.beyond else quantile.value for quantile in one.quantiles
        ]
        extreme = (one.largest[0][1], one.largest[0][0], one.beyond)
        rows.append((name, one.mean, one.std, *values, *extreme))
    titles = (*(f"{100 * level:g} %" for level in levels), "largest", "in run", "runs beyond")
    return StudyTable("results", "Results", ("result", "mean", "deviation", *titles), tuple(rows))


def _worst(campaign: CampaignResult) -> StudyTable:
    rows: list[tuple[Cell, ...]] = []
    for number in campaign.worst:
        row = campaign.runs.row(number)
        values = campaign.design.point(number).values()
        rows.append((number, row["status"], row.get("margin"), *values, row.get("reason")))
    columns = ("run", "status", "margin", *campaign.design.keys, "reason")
    return StudyTable("worst", "Worst runs", columns, tuple(rows))


def _indices(campaign: CampaignResult) -> StudyTable:
    rows: list[tuple[Cell, ...]] = []
    kinds = ("explained share", "rank correlation")
    for column, found in campaign.indices.items():
        for one in found:
            pair = (
                (one.share, one.partial) if isinstance(one, RankIndex) else (one.total, one.first)
            )
            kinds = kinds if isinstance(one, RankIndex) else ("total index", "first index")
            cells = [cell for index in pair for cell in (index.value, index.low, index.high)]
            rows.append((column, one.key, *cells, one.runs))
    interval = ("at least", "at most")
    columns = ("result", "key", kinds[0], *interval, kinds[1], *interval, "runs")
    return StudyTable("indices", "Which value matters", columns, tuple(rows))


def _box(campaign: CampaignResult) -> StudyTable:
    box = campaign.box
    assert box is not None
    sides = zip(box.keys, box.nominal, box.low, box.high, box.worst, strict=True)
    columns = ("key", "nominal", "from", "to", "worst point found")
    return StudyTable("box", "Box in which all limits hold", columns, tuple(sides))


# ---------------------------------------------------------------------------- pictures


def _png(draw: Callable[[Any, CampaignResult], bool], campaign: CampaignResult) -> bytes | None:
    figure = require_matplotlib()(layout="constrained")
    if not draw(figure, campaign):
        return None
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return buffer.getvalue()


def draw_scatter(figure: Any, campaign: CampaignResult) -> bool:
    """Draw the least margin of each run over each value that was varied."""
    runs = campaign.runs
    if "margin" not in runs.results:
        return False
    which, margins = runs.column("margin")
    chosen = np.unique(np.linspace(0, len(which) - 1, min(POINTS, len(which))).astype(int))
    margin, factors = margins[chosen], campaign.design.values[which[chosen]]
    columns = min(len(runs.keys), 3)
    lines = -(-len(runs.keys) // columns)
    figure.set_size_inches(4.2 * columns, 3.6 * lines)
    axes = figure.subplots(lines, columns, squeeze=False, sharey=True).ravel()
    for i, key in enumerate(runs.keys):
        for part, look in ((margin >= 0.0, _KEPT), (margin < 0.0, _BROKEN)):
            size = {"s": 14, "alpha": 0.6, "linewidths": 0.8}
            axes[i].scatter(factors[part, i], margin[part], **look, **size)
        axes[i].axhline(0.0, color="0.4", linewidth=0.8)
        unit = factor_unit(campaign, key)
        axes[i].set(xlabel=f"{key} [{unit}]" if unit else key)
        axes[i].locator_params(axis="x", nbins=5)
        axes[i].grid(alpha=0.3)
    axes[0].set(ylabel="least margin, part of the limit")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    for unused in axes[len(runs.keys) :]:
        unused.set_visible(False)
    return True


def _distributions(figure: Any, campaign: CampaignResult) -> bool:
    """Draw how errors, swing and peaks are distributed."""
    shown = [
        name
        for name, spread in campaign.statistics.spreads.items()
        if name.startswith(("max_error.", "residual_swing", "lasting_offset", "peak.", "least."))
        and spread.std > 1e-9 * abs(spread.mean)
    ][:9]
    if not shown:
        return False
    columns = min(len(shown), 3)
    lines = -(-len(shown) // columns)
    figure.set_size_inches(4.2 * columns, 3.0 * lines)
    axes = figure.subplots(lines, columns, squeeze=False).ravel()
    for i, name in enumerate(shown):
        values = campaign.runs.column(name)[1].astype(float)
        axes[i].hist(values[np.isfinite(values)], bins=40, color=_KEPT["color"], alpha=0.8)
        for quantile in campaign.statistics.spreads[name].quantiles:
            if quantile.level in (0.05, 0.5, 0.95) and quantile.value is not None:
                axes[i].axvline(quantile.value, color="0.2", linewidth=0.9, linestyle="--")
        axes[i].set(xlabel=f"{name} [{unit_of(campaign, name)}]", ylabel="runs")
        axes[i].locator_params(axis="x", nbins=5)  # more have no room for their digits
    for unused in axes[len(shown) :]:
        unused.set_visible(False)
    return True


def _tornado(figure: Any, campaign: CampaignResult) -> bool:
    """Draw which value matters for the margin, the most important one at the top."""
    found = campaign.indices.get("margin", ())
    ranked = isinstance(found[0], RankIndex) if found else False
    bars = []
    for one in found:
        index = one.deciding
        if index.value is not None:
            low, high = (index.value if x is None else x for x in (index.low, index.high))
            bars.append((abs(index.value), one.key, index.value, low, high))
    if not bars:
        return False
    bars.sort()
    figure.set_size_inches(7.5, 1.2 + 0.45 * len(bars))
    axes = figure.subplots()
    for place, (_, _, value, low, high) in enumerate(bars):
        axes.barh(place, value, color=_KEPT["color"] if value >= 0.0 else _BROKEN["color"])
        axes.plot([low, high], [place, place], color="0.2", linewidth=1.4)
    axes.set_yticks(range(len(bars)), [key for _, key, *_ in bars])
    axes.axvline(0.0, color="0.4", linewidth=0.8)
    word = "share of the margin's variance" if ranked else "total Sobol' index of the margin"
    axes.set(xlabel=f"{word}, and its interval")
    return True


def unit_of(campaign: CampaignResult, name: str) -> str:
    """Return the unit of a column of results."""
    crane = campaign.scenario.crane
    group, _, signal = name.partition(".")
    if group in ("least", "most"):
        return "N"
    if group == "passed" or name == "margin":
        return "1"
    if group == "margin":
        return next((one.unit for one in campaign.nominal if one.name == signal), "") or "1"
    quantities = crane.inputs if group == "peak" else crane.outputs
    units = {quantity.name: quantity.unit for quantity in quantities}
    return units.get(signal) or ", ".join(dict.fromkeys(units.values()))


def factor_unit(campaign: CampaignResult, key: str) -> str:
    """Return the unit of a key that is varied; empty where it is not known here."""
    crane = campaign.scenario.crane
    *tables, name = key_parts(key)
    groups = {
        ("crane",): (crane.parameters, ""),
        ("crane", "parameters"): (crane.parameters, ""),
        ("crane", "initial"): (crane.coordinates, ""),
        ("plant", "parameters"): (crane.parameters, ""),
        ("plant", "start", "q"): (crane.coordinates, ""),
        ("plant", "start", "v"): (crane.coordinates, "/s"),
    }
    quantities, suffix = groups.get(tuple(tables), ((), ""))
    units = {quantity.name: f"{quantity.unit}{suffix}" for quantity in quantities}
    return "s" if key in ("path.duration", "path.ramp") else units.get(name, "")


_PICTURES: Mapping[str, tuple[str, Callable[[Any, CampaignResult], bool]]] = {
    "scatter": ("Margin over what was varied", draw_scatter),
    "distribution": ("Distributions", _distributions),
    "tornado": ("What matters for the margin", _tornado),
}
