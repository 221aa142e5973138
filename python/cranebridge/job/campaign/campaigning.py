"""A campaign of a scenario: many verifications with other values, and what they say together."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
from numpy.typing import NDArray

from cranebridge.campaign import (
    CampaignRuns,
    Design,
    ExpectedColumns,
    Factor,
    RankIndex,
    RunCounts,
    SafeBox,
    SobolIndex,
    Tls,
    Workers,
    all_indices,
    carry_out,
    cluster,
    evaluate,
    largest_safe_box,
    make_design,
    pool,
    read_design,
    read_factor,
    read_tls,
    statistics_of,
)
from cranebridge.campaign.design import Values
from cranebridge.errors import InputError
from cranebridge.job.campaign.campaign_result import CampaignResult
from cranebridge.job.campaign.campaign_work import (
    ScenarioRunner,
    ScenarioWork,
    scales_of,
    scenario_work,
)
from cranebridge.job.campaign.stage_times import stage_with_time_left
from cranebridge.job.folder import ResultFolder, open_folder, require_usable
from cranebridge.job.running import key_of
from cranebridge.job.verifying import certify_scenario
from cranebridge.limits import Verdict
from cranebridge.numerics import write_columns
from cranebridge.plant.sandbox import PlantError
from cranebridge.progress import Progress, StageReport, ignore_progress, ignore_stage
from cranebridge.scenario import Scenario, Variation, key_parts, value_at
from cranebridge.verify.tracking import MotionOnGrid, tracking_columns

__all__ = ["campaign_design", "campaign_into", "read_tls"]

Array = NDArray[np.float64]

RESPONSES = ("margin", "residual_swing", "lasting_offset", "max_error.", "peak.")
"""Columns for which it is said which factor matters, by how they begin."""
REPORTED_EVERY = 200
"""Runs of a search after which its progress is reported."""


def campaign_into(
    scenario: Scenario,
    folder: Path,
    force: bool = False,
    workers: int | None = None,
    address: str | None = None,
    report_stage: StageReport = ignore_stage,
    progress: Progress = ignore_progress,
    tls: Tls | None = None,
) -> CampaignResult:
    """Carry out a scenario's campaign and write it.

    An interrupted campaign of the same scenario is resumed with the runs that are not yet done.

    Parameters
    ----------
    scenario : Scenario
        With a table `[campaign]`.
    folder : pathlib.Path
        Gets the files.
    force : bool
        Replace an earlier result.
    workers : int, optional
        Processes on this machine; as many as it has processors if not given.
    address : str, optional
        Of a Dask scheduler, or a scheduler file, in place of processes on this machine.
    report_stage : callable
        Called with what is at work.
    progress : callable
        Called with the part that is done of it.
    tls : Tls, optional
        Certificates for the connection to the scheduler.

    Warns
    -----
    UserWarning
        If that connection is not authenticated, before anything is sent.
    """
    begin = time.monotonic()
    design, factors = campaign_design(scenario)
    files = [*scenario.files, *_design_files(scenario)]
    key = key_of({"verb": "campaign", "scenario": scenario.complete()}, files)
    require_usable(folder, force, key)
    with ExitStack() as stack:
        # a cluster that is not there is reported before all work
        executor = stack.enter_context(pool(workers) if address is None else cluster(address, tls))
        if executor.warning:
            warnings.warn(executor.warning, stacklevel=2)
        report_stage("export, certify")
        certificate = None
        if scenario.tables.plant.certify:
            certificate, _ = certify_scenario(scenario)
        work = scenario_work(scenario)
        report_stage("the run without variation")
        runner = stack.enter_context(closing(work.begin()))
        _, nominal = runner.drive(scenario)
        law = runner.packed_law()
        _require_runs(runner, design)
        work = replace(
            work,
            budget=_chosen(scenario.tables.campaign.budget, len(design)),
            certificate=None if certificate is None else certificate.as_dict(),
            scales=scales_of(nominal),
            law=law,
        )
        results = stack.enter_context(open_folder(folder, key, force))
        runs = carry_out(
            work,
            design,
            executor,
            results.workplace,
            report_runs=_runs_reporter(report_stage, progress),
        )
        report_stage("statistics")
        box, no_box = _box(scenario, factors, work, executor, report_stage, progress)
        campaign = CampaignResult(
            scenario=scenario,
            design=design,
            runs=runs,
            statistics=statistics_of(runs, expected=_expected(runs, nominal, work)),
            indices=_indices(runs, report_stage, progress),
            worst=_worst(runs, scenario.tables.campaign.keep),
            nominal=nominal,
            certificate=certificate,
            box=box,
            no_box=no_box,
            notes=(executor.warning,) if executor.warning else (),
            seconds=time.monotonic() - begin,
        )
        report_stage("report")
        _write(results, campaign, runner)
        results.finish()
    return replace(campaign, runs=replace(runs, file=folder / runs.file.name))


def campaign_design(scenario: Scenario) -> tuple[Design, tuple[Factor, ...]]:
    """Return the design of a scenario's campaign, and its factors unless it is from a file.

    Raises
    ------
    InputError
        If nothing is varied, or a key cannot be varied so.
    """
    table = scenario.tables.campaign
    factors: tuple[Factor, ...] = ()
    if table.file:
        if table.vary:
            raise InputError("campaign.file has all values: leave campaign.vary out, or the file")
        design = read_design(Path(table.file))
    else:
        if not table.vary:
            raise InputError(
                "campaign.vary says nothing: add what varies, such as "
                "[campaign.vary] with 'plant.parameters.m' = { uniform = [90.0, 110.0] }"
            )
        factors = tuple(read_factor(name, value) for name, value in table.vary.items())
        design = make_design(factors, table.design, table.runs, table.seed)
    vary = Variation(scenario)
    for number in {
        0,
        len(design) - 1,
        *design.values.argmin(axis=0),
        *design.values.argmax(axis=0),
    }:
        vary(design.point(int(number)))  # a wrong key, or a value out of range, before any run
    return design, factors


def _require_runs(runner: ScenarioRunner, design: Design) -> None:
    """Raise an InputError if a run cannot be made of the design: a name that the plant has not."""
    with suppress(PlantError):  # what a plant does with these values is for the run to say
        runner.drive(runner.scenario(0, design.point(0)))


def _design_files(scenario: Scenario) -> list[Path]:
    file = scenario.tables.campaign.file
    return [Path(file)] if file else []


def _chosen(count: int, total: int) -> frozenset[int]:
    """Return some runs, evenly chosen."""
    return frozenset(np.linspace(0, total - 1, min(count, total)).astype(int).tolist())


def _runs_reporter(report_stage: StageReport, progress: Progress) -> Callable[[RunCounts], None]:
    report_stage("runs")

    def report(made: RunCounts) -> None:
        report_stage(str(made))
        progress(made.done / made.total)

    return report


def _indices(
    runs: CampaignRuns, report_stage: StageReport, progress: Progress
) -> dict[str, tuple[RankIndex | SobolIndex, ...]]:
    """Return which factor matters for the main results, where that can be told."""
    columns = [name for name in runs.of_kind("number") if name.startswith(RESPONSES)]
    report_part = stage_with_time_left(report_stage, "which factor matters")

    def report(done: float) -> None:
        report_part(done)
        progress(done)

    return all_indices(runs, columns, report)


def _expected(
    runs: CampaignRuns, nominal: tuple[Verdict, ...], work: ScenarioWork
) -> ExpectedColumns:
    """Return what runs were asked for: each limit of the nominal one, some an error budget, too."""
    judged = {f"passed.{verdict.name}": f"margin.{verdict.name}" for verdict in nominal}
    limits = {"passed": "margin", **judged}
    explained = [
        name
        for name in runs.results
        if name.startswith(("passed.", "margin.", "budget."))
        and name not in (*judged, *judged.values())
    ]
    return ExpectedColumns(
        limits=tuple(limits),
        margins={margin: limit for limit, margin in limits.items()},
        only=dict.fromkeys(explained, work.budget),
        bad_if_small=("margin", "least."),
    )


def _worst(runs: CampaignRuns, count: int) -> tuple[int, ...]:
    """Return the worst runs: not carried out, a limit not judged, then the smallest margins."""
    failed = np.flatnonzero(runs.column("status")[1] == "failed").tolist()
    order: list[int] = []
    if "passed" in runs.results:
        which, passed = runs.column("passed")
        judged = runs.column("margin")[0] if "margin" in runs.results else which[:0]
        order = np.setdiff1d(which[passed == 0], judged).tolist()
    if "margin" in runs.results:
        which, margins = runs.column("margin")
        order += which[np.argsort(margins, kind="stable")].tolist()
    return tuple((failed + order)[:count])


def _box(
    scenario: Scenario,
    factors: tuple[Factor, ...],
    work: ScenarioWork,
    executor: Workers,
    report_stage: StageReport,
    progress: Progress,
) -> tuple[SafeBox | None, str]:
    """Return the largest box in which all limits hold, or why there is none."""
    table = scenario.tables.campaign
    if not table.box:
        return None, ""
    varied = [f for f in factors if not isinstance(f.law, Values) and f.bounds()[0] < f.bounds()[1]]
    if not varied:
        return None, "a box needs keys that vary by a distribution"
    keys = [factor.key for factor in varied]
    low, high = zip(*(factor.bounds() for factor in varied), strict=True)
    content = scenario.tables.model_dump()
    content["crane"]["parameters"] = dict(scenario.problem.parameters)
    nominal = [_nominal(content, factor) for factor in varied]
    executor.begin(work)
    reported, count = 0, 0

    def margins(points: Array) -> Array:
        nonlocal reported, count
        if count >= reported:
            report_stage(
                f"looking for the largest safe box, {count} of at most {table.box_runs} runs"
            )
            reported += REPORTED_EVERY
        progress(min(count / table.box_runs, 1.0))
        count += len(points)
        rows = evaluate(executor, work.key, keys, points)
        return np.array([float(row.results.get("margin", np.nan)) for row in rows])

    try:
        found = largest_safe_box(margins, keys, nominal, low, high, table.box_runs, table.seed)
    except InputError as error:
        return None, str(error)
    return found, ""


def _nominal(content: dict[str, Any], factor: Factor) -> float:
    """Return the scenario's own value of a key; the middle of the distribution if it has none."""
    place = value_at(content, key_parts(factor.key))
    low, high = factor.bounds()
    middle = float(factor.ppf(np.array([0.5]))[0])
    inside = isinstance(place, int | float) and low <= place <= high
    return float(place) if inside else middle


# ---------------------------------------------------------------------------- files


def _write(results: ResultFolder, campaign: CampaignResult, runner: ScenarioRunner) -> None:
    """Write all but the table of runs: summary, scenario, worst runs and report."""
    text = tomli_w.dumps(campaign.scenario.complete())
    results.write("scenario.toml", lambda file: file.write(text))
    vary = Variation(campaign.scenario)
    for number in campaign.worst:
        _write_run(results, number, vary, campaign.design, runner)
    from cranebridge.job.campaign.campaign_report import campaign_page  # draws pictures

    page = campaign_page(campaign)
    if page is not None:
        results.write("report.html", lambda file: file.write(page))
    results.write_json("summary.json", campaign.as_dict())


def _write_run(
    results: ResultFolder, number: int, vary: Variation, design: Design, runner: ScenarioRunner
) -> None:
    """Write the scenario of a run, so that it can be repeated, and its motion."""
    values = {**design.point(number), **runner.own_values(number, design.point(number))}
    content = tomli_w.dumps(_without_campaign(vary(values)))
    results.write(f"run-{number}.toml", lambda file: file.write(content))
    try:
        driven, _ = runner.drive(runner.scenario(number, design.point(number)))
    except (InputError, PlantError):
        return  # a run that failed has no motion; its row says why
    grid = MotionOnGrid(driven.run, driven.simulation)
    columns = tracking_columns(driven.run.problem.crane, grid)
    results.write(f"run-{number}.csv", lambda file: write_columns(file, columns))


def _without_campaign(scenario: Scenario) -> dict[str, Any]:
    content = scenario.complete()
    content.pop("campaign", None)
    return content
