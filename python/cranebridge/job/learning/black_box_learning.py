"""Learn the controls of an FMU that has no twin, from a scenario without a crane."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.job.folder import JobKey, open_folder, require_usable
from cranebridge.job.learning.learned_controls import made_from
from cranebridge.job.learning.learning_job import write_learning
from cranebridge.job.learning.saved_trials import SavedTrials, TrialsInOrder, repeated_errors
from cranebridge.job.running import key_of
from cranebridge.learn import Learning, LearnSettings, learn
from cranebridge.learn.trials import BlackBoxTask, BlackBoxTrials, design_black_box_law
from cranebridge.limits import read_ranges
from cranebridge.plant import Plant
from cranebridge.progress import Progress, StageReport, ignore_progress, ignore_stage
from cranebridge.scenario import BlackBoxScenario, on_times, read_columns
from cranebridge.scenario.tables import ALONE
from cranebridge.version_info import versions

Array = NDArray[np.float64]


def learn_black_box_into(
    scenario: BlackBoxScenario,
    folder: Path | None,
    force: bool,
    report_stage: StageReport = ignore_stage,
    progress: Progress = ignore_progress,
) -> Learning:
    """Learn the controls of a plant without a twin and write them, if a folder is given."""
    if folder is None:
        return learn_black_box(scenario, report_stage, progress)
    key = _key(scenario)
    require_usable(folder, force, key)
    with open_folder(folder, key, force) as results:
        learning = learn_black_box(scenario, report_stage, progress, SavedTrials(results))
        text = tomli_w.dumps(scenario.complete())
        results.write("scenario.toml", lambda file: file.write(text))
        report = black_box_report(scenario, learning)
        write_learning(results, learning, black_box_summary(scenario, learning), report)
        results.finish()
    return learning


def black_box_report(scenario: BlackBoxScenario, learning: Learning) -> str:
    """Return the report: the banner of a run, trials, pictures and verdicts."""
    from cranebridge.job.learning.learning_report import learning_study  # draws pictures
    from cranebridge.report import learned_part, render_learned

    study = learning_study(scenario.name, learning, ())
    part = learned_part(study, learning.verdicts, learning.sentence)
    fmu = Path(scenario.tables.plant.fmu or "")
    facts = [
        ("Scenario", scenario.name),
        ("Plant", f"{fmu.name}, {scenario.tables.plant.interface}, without a twin"),
        ("FMU SHA-256", hashlib.sha256(fmu.read_bytes()).hexdigest()),
        ("Inputs", ", ".join(learning.inputs)),
        ("Outputs", ", ".join(learning.outputs)),
        ("Versions", ", ".join(f"{name} {text}" for name, text in versions().items())),
    ]
    description = f"{fmu.name}: inputs learned on the plant itself"
    return render_learned(scenario.name, description, part, facts)


def black_box_summary(scenario: BlackBoxScenario, learning: Learning) -> dict[str, Any]:
    """Return the content of ``summary.json``."""
    return {
        "scenario": scenario.name,
        "status": "failed" if learning.exit_code else "passed",
        "learn": {
            **learning.as_dict(),
            "made_from": made_from(scenario.files, scenario.file),
        },
        "verdicts": [verdict.as_dict() for verdict in learning.verdicts],
        "versions": versions(),
    }


def learn_black_box(
    scenario: BlackBoxScenario,
    report_stage: StageReport = ignore_stage,
    progress: Progress = ignore_progress,
    saved: SavedTrials | None = None,
) -> Learning:
    """Learn the controls of a plant without a twin."""
    begin, table = time.monotonic(), scenario.tables.plant
    content = scenario.tables.learn.model_dump()
    settings = LearnSettings(**{k: v for k, v in content.items() if k not in ALONE})
    report_stage("load")
    with Plant(
        table.fmu or "",
        interface=table.interface,
        timeout=table.timeout,
        allow=table.allow or None,
        contain=table.contain,
        backend=table.backend,
    ) as plant:
        task = _task(scenario, settings, plant)
        trials = BlackBoxTrials(task, plant, table.parameters, table.tolerance, settings.step)
        report_stage("model")
        designed = design_black_box_law(settings, trials)
        most = settings.rules.trials + 1
        course = TrialsInOrder(trials.run, saved, report_stage, progress, most)
        learned = learn(course.run, designed.law, task.first, settings.rules)
        if learned.record is None:
            raise InputError(f"nothing could be learned: {learned.ended}")
        repeated = repeated_errors(trials.run, learned, settings, report_stage)
    return Learning(
        settings=settings,
        model=designed.model,
        inputs=trials.units(task.inputs),
        outputs=trials.units(task.outputs),
        learned=learned,
        first=task.first,
        simulations=trials.count + course.restored,
        of_best=course.verdicts.get(learned.best, ()),
        notes=designed.notes,
        seconds=time.monotonic() - begin,
        transfer=designed.transfer,
        repeated=repeated,
    )


def _task(scenario: BlackBoxScenario, settings: LearnSettings, plant: Plant) -> BlackBoxTask:
    """Return target, first controls and limits on the record's times."""
    table, limits = scenario.tables.learn, scenario.tables.limits.model_dump()
    times, target = read_columns("learn.target", table.target, table.outputs)
    step = settings.step
    settings.require_record(float(times[-1] - times[0]))
    first = np.floor((times[0] - settings.rest_before) / step + 1e-6)
    last = np.ceil((times[-1] + settings.rest_after) / step - 1e-6)
    grid = step * np.arange(first, last + 1.0)
    settings.require_judged(float(grid[-1] - grid[0]))
    starts = {signal.name: signal.start for signal in plant.info.inputs}
    controls = np.tile([float(starts.get(name) or 0.0) for name in table.inputs], (len(grid), 1))
    if table.first:
        controls = on_times(grid, *read_columns("learn.first", table.first, table.inputs))
    return BlackBoxTask(
        time=grid,
        target=on_times(grid, times, target),
        first=controls,
        inputs=tuple(table.inputs),
        outputs=tuple(table.outputs),
        u=read_ranges("u", limits["u"], table.inputs),
        y=read_ranges("q", limits["q"], table.outputs),
        tracking=scenario.tables.limits.tracking,
        judge_from=settings.judge_from,
    )


def _key(scenario: BlackBoxScenario) -> JobKey:
    task = {"verb": "learn", "scenario": scenario.complete()}
    return key_of(task, [file for file in scenario.files if file.is_file()])
