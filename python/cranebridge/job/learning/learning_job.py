"""Learn a scenario's controls on its plant; trials are saved as they end, and gone on from."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import tomli_w

from cranebridge.errors import InputError
from cranebridge.job.folder import ResultFolder, open_folder, require_usable
from cranebridge.job.learning.learned_controls import made_from
from cranebridge.job.learning.saved_trials import (
    SavedTrials,
    TrialResult,
    TrialsInOrder,
    repeated_errors,
)
from cranebridge.job.running import job_key, solution_columns
from cranebridge.job.solving import solve_scenario
from cranebridge.job.summaries import summary
from cranebridge.job.verifying import open_plant, plant_file, plant_settings
from cranebridge.learn import Learning, LearnSettings, design_plant_law, learn
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
        text = tomli_w.dumps(scenario.complete())
        results.write("scenario.toml", lambda file: file.write(text))
        report_stage("report")
        text = best_trial_report(scenario, verified, learning)
        write_learning(results, learning, learned_summary(scenario, verified, learning), text)
        results.finish()
    return verified, learning


def write_learning(
    results: ResultFolder, learning: Learning, content: dict[str, Any], report: str
) -> None:
    """Write what every learning writes: trials, the best controls, report and summary."""
    results.write("trials.csv", learning.write_trials)
    if learning.learned.record is not None:
        results.write("learned.csv", lambda file: write_columns(file, learning.controls()))
    results.write("report.html", lambda file: file.write(report))
    results.write_json("summary.json", content)


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
        "learn": {
            **learning.as_dict(),
            "made_from": made_from(scenario.files, scenario.file),
        },
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
        most = settings.rules.trials + 1
        course = TrialsInOrder(trials.run, saved, report_stage, progress, most)
        report_stage("model")
        designed = design_plant_law(settings, trials, lambda: _latest(course, trials))
        learned = learn(course.run, designed.law, base.u, settings.rules)
        if learned.record is None:
            raise InputError(f"nothing could be learned: {learned.ended}")
        repeated = repeated_errors(trials.run, learned, settings, report_stage)
        controls = with_inputs(base, learned.record.inputs)
        tracking = None
        if shown:
            tracking = trials.tracking(_whole(course.ended[learned.best], trials))
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
    learning = Learning(
        settings=settings,
        model=designed.model,
        inputs={signal.name: signal.unit for signal in crane.inputs},
        outputs={signal.name: signal.unit for signal in crane.outputs},
        learned=learned,
        first=base.u,
        simulations=trials.count + course.restored,
        of_best=course.verdicts.get(learned.best, ()),
        notes=(*designed.notes, *facts.units),
        seconds=time.monotonic() - begin,
        transfer=designed.transfer,
        tracking=tracking,
        references=reference_columns(controls, moved, mapping.speed),
        repeated=repeated,
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
