"""Learn a scenario's controls on its plant; trials are saved as they end, and resumed from."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from cranebridge.errors import InputError
from cranebridge.job.folder import open_folder, require_usable
from cranebridge.job.learning.learning_course import (
    carry_out_trials,
    learning_dict,
    write_learning,
    write_scenario,
)
from cranebridge.job.learning.saved_trials import SavedTrials, TrialResult, TrialsInOrder
from cranebridge.job.running import job_key, solution_columns
from cranebridge.job.solving import solve_scenario
from cranebridge.job.summaries import summary
from cranebridge.job.verifying import open_plant, plant_file, plant_settings
from cranebridge.learn import DesignedLaw, Learning, LearnSettings, design_plant_law
from cranebridge.learn.trials import (
    PlantTrial,
    PlantTrials,
    moved_references,
    on_record,
    reference_columns,
    with_inputs,
)
from cranebridge.numerics import write_columns
from cranebridge.progress import Progress, StageReport, ignore_progress, ignore_stage
from cranebridge.scenario import Scenario
from cranebridge.scenario.tables import ALONE, LearnTable
from cranebridge.twin.language import require_no_motions
from cranebridge.verify import PlantFacts, Verified


def learn_into(
    scenario: Scenario,
    folder: Path | None,
    force: bool,
    report_stage: StageReport = ignore_stage,
    progress: Progress = ignore_progress,
) -> tuple[Verified, Learning]:
    """Learn a scenario's controls on its plant and write them, if a folder is given.

    Interrupted learning of the same scenario goes on after its last trial.

    Returns
    -------
    verified : Verified
        With the learned controls as its feedforward.
    learning : Learning
        The trials.
    """
    if folder is None:
        return learn_scenario(scenario, report_stage, progress)
    key = job_key(scenario, "learn")
    require_usable(folder, force, key)
    with open_folder(folder, key, force) as results:
        verified, learning = learn_scenario(
            scenario, report_stage, progress, SavedTrials(results), shown=True
        )
        columns = solution_columns(scenario, verified)
        results.write("feedforward.csv", lambda file: write_columns(file, columns))
        write_scenario(results, scenario.complete())
        report_stage("report")
        text = best_trial_report(scenario, verified, learning)
        write_learning(results, learning, learned_summary(scenario, verified, learning), text)
        results.finish()
    return verified, learning


def best_trial_report(scenario: Scenario, verified: Verified, learning: Learning) -> str:
    """Return the report of a run of the best trial, with that of learning in it."""
    from cranebridge.job.learning.learning_report import (
        learning_study,  # needs much, and draws pictures
    )
    from cranebridge.report import learned_part, render

    verdicts = (*verified.verdicts, *learning.verdicts)
    part = learned_part(learning_study(scenario.name, learning, ()), verdicts, learning.sentence)
    return render(scenario, replace(verified, tracking=learning.tracking), part)


def learned_summary(scenario: Scenario, verified: Verified, learning: Learning) -> dict[str, Any]:
    """Return the content of ``summary.json``."""
    verdicts = (*verified.verdicts, *learning.verdicts)
    return summary(scenario, verified) | {
        "status": "passed" if all(verdict.passed for verdict in verdicts) else "failed",
        "learn": learning_dict(scenario, learning),
        "verdicts": [verdict.as_dict() for verdict in verdicts],
    }


def learn_scenario(
    scenario: Scenario,
    report_stage: StageReport = ignore_stage,
    progress: Progress = ignore_progress,
    saved: SavedTrials | None = None,
    shown: bool = False,
) -> tuple[Verified, Learning]:
    """Learn a scenario's controls on its plant.

    Parameters
    ----------
    scenario : Scenario
        What is asked for.
    report_stage : callable
        Called with the name of each stage as it begins.
    progress : callable
        Called with the part of the trials that is done, if all of them are needed.
    saved : SavedTrials, optional
        Trials on disk.
    shown : bool
        Whether the motion of the best trial is wanted, for a report.
    """
    require_no_motions(scenario.crane, "learning", "solve and verify it")
    begin = time.monotonic()
    settings = learn_settings(scenario.tables.learn)
    report_stage("solve")
    solved = solve_scenario(scenario)
    settings.require_record(float(solved.feedforward.time[-1] - solved.feedforward.time[0]))
    base = on_record(solved.feedforward, settings.step, settings.rest_before, settings.rest_after)
    settings.require_judged(float(base.time[-1] - base.time[0]))
    report_stage("export")
    file = plant_file(scenario)
    with open_plant(scenario, file) as (plant, mapping):
        trials = PlantTrials(
            base,
            plant,
            mapping,
            plant_settings(scenario),
            scenario.limits,
            settings.judge_from,
            scenario.obstacles,
        )

        def design(order: TrialsInOrder) -> DesignedLaw:
            return design_plant_law(settings, trials, lambda: _latest(order, trials))

        course = carry_out_trials(settings, base.u, trials, design, saved, report_stage, progress)
        assert course.learned.record is not None
        controls = with_inputs(base, course.learned.record.inputs)
        tracking = None
        if shown:
            tracking = trials.tracking(_whole(course.order.ended[course.learned.best], trials))
        moved = moved_references(base, controls.u, mapping, trials.settings.loops)
        facts = PlantFacts(
            file.name,
            plant.info.sha256,
            plant.interface,
            plant.containment,
            plant.backend,
            mapping.unit_notes,
        )
    crane = scenario.crane
    learning = course.result(
        {signal.name: signal.unit for signal in crane.inputs},
        {signal.name: signal.unit for signal in crane.outputs},
        time.monotonic() - begin,
        facts.units,
        tracking=tracking,
        references=reference_columns(controls, moved, mapping.speed),
    )
    return replace(solved, feedforward=controls, plant=facts), learning


def learn_settings(table: LearnTable) -> LearnSettings:
    """Return what the table asks for."""
    content = table.model_dump()
    given = [key for key in ALONE if content.pop(key)]
    if given:
        raise InputError(
            f"learn.{given[0]} is for a plant without a twin: leave it out, or the table [crane]"
        )
    return LearnSettings(**content)


def _latest(course: TrialsInOrder, trials: PlantTrials) -> PlantTrial:
    """Return the latest trial with what was simulated."""
    assert course.last is not None
    return _whole(course.last, trials)


def _whole(ended: TrialResult, trials: PlantTrials) -> PlantTrial:
    """Return a trial with what was simulated; one that was saved is run once more."""
    if isinstance(ended, PlantTrial) and ended.simulation is not None:
        return ended
    assert ended.outcome.record is not None
    trials.count -= 1  # it was counted: what came of learning does not say that it was interrupted
    return trials.run(ended.outcome.record.inputs)
