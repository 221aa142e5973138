"""A learning as tables and charts: error over trials, changes of the controls, Bode plots."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cranebridge.learn import Learning
from cranebridge.learn.laws import Transfer
from cranebridge.limits import Verdict
from cranebridge.study import Cell, Chart, Study, StudyTable

Array = NDArray[np.float64]

# A curve of a page has no more points than this: more cannot be seen.
POINTS = 2000


def learning_study(name: str, learning: Learning, more: tuple[Verdict, ...]) -> Study:
    """Return tables and charts of a learning."""
    settings, learned = learning.settings, learning.learned
    verdicts = (*more, *learning.verdicts)
    remarks = (
        f"law {settings.law}, model {learning.model}, up to {settings.bandwidth:g} Hz; errors "
        f"judged from {settings.judge_from:g} s on; {learning.simulations} runs of the plant",
        f"ended: {learned.ended}",
        *([learning.to_expect] if learning.to_expect else []),
        *learning.notes,
        *(floor.message for floor in learned.floors),
    )
    charts = [_error_over_trials(learning), *_over_time(learning)]
    if learning.transfer is not None:
        charts += _bode(learning, learning.transfer)
    return Study(
        kind="learn",
        scenario=name,
        title=f"{name}: learned on the plant",
        remarks=remarks,
        tables=(
            StudyTable(
                "verdicts",
                "Verdicts",
                ("verdict", "finding"),
                tuple((verdict.status, verdict.message) for verdict in verdicts),
            ),
            _trial_table(learning),
        ),
        charts=tuple(charts),
    )


def _trial_table(learning: Learning) -> StudyTable:
    outputs = learning.outputs.items()
    titles = [f"{kind} {name}{_in(unit)}" for kind in ("rms", "max") for name, unit in outputs]
    rows: list[tuple[Cell, ...]] = []
    for trial in learning.learned.trials:
        figures: list[Cell] = [*trial.rms_error.values(), *trial.max_error.values()]
        figures = figures or [None] * len(titles)
        rows.append((trial.number, trial.gain, trial.status, *figures, trial.note))
    columns = ("trial", "gain", "status", *titles, "what was decided")
    return StudyTable("trials", "Trials", columns, tuple(rows))


def _error_over_trials(learning: Learning) -> Chart:
    whole = [trial for trial in learning.learned.trials if trial.rms_error]
    numbers = [float(trial.number) for trial in whole]
    lines = {
        f"{kind} {name}": (numbers, [getattr(trial, f"{kind}_error")[name] for trial in whole])
        for kind in ("rms", "max")
        for name in learning.outputs
    }
    return Chart("error", "Error over trials", "trial", _units(learning.outputs), lines, log="y")


def _over_time(learning: Learning) -> list[Chart]:
    record = learning.learned.record
    if record is None:
        return []
    rows = slice(None, None, max(len(record.time) // POINTS, 1))
    time = record.time[rows].tolist()
    error = (record.outputs - record.target)[rows]
    charts = [
        Chart(
            "remaining",
            f"Error of the best trial ({learning.learned.best})",
            "time [s]",
            _units(learning.outputs),
            {name: (time, error[:, i].tolist()) for i, name in enumerate(learning.outputs)},
            log="",
        )
    ]
    change = (record.inputs - learning.first)[rows]
    for i, (name, unit) in enumerate(learning.inputs.items()):
        title = f"What was changed in {name}"
        lines = {name: (time, change[:, i].tolist())}
        label = _units({name: unit})
        charts.append(Chart(f"change-{name}", title, "time [s]", label, lines, log=""))
    return charts


def _bode(learning: Learning, transfer: Transfer) -> list[Chart]:
    """Return magnitude, phase and coherence of the transfer matrix within the band."""
    inside = (transfer.frequency > 0.0) & (transfer.frequency <= 2.0 * learning.settings.bandwidth)
    frequency, G = transfer.frequency[inside].tolist(), transfer.G[inside]
    pairs = {
        f"{output} by {source}": G[:, i, j]
        for i, output in enumerate(learning.outputs)
        for j, source in enumerate(learning.inputs)
    }
    label = "frequency [Hz]"
    magnitude = {name: (frequency, np.abs(g).tolist()) for name, g in pairs.items()}
    phase = {
        name: (frequency, np.degrees(np.unwrap(np.angle(g))).tolist()) for name, g in pairs.items()
    }
    charts = [
        Chart("magnitude", "Transfer matrix: magnitude", label, "output by input", magnitude),
        Chart("phase", "Transfer matrix: phase", label, "degrees", phase, log="x"),
    ]
    if transfer.coherence is not None:
        heard = transfer.coherence[inside]
        lines = {name: (frequency, heard[:, i].tolist()) for i, name in enumerate(learning.outputs)}
        charts.append(Chart("coherence", "Coherence", label, "explained part", lines, log="x"))
    return charts


def _units(signals: Mapping[str, str]) -> str:
    """Return the units of signals, each once."""
    return ", ".join(unit for unit in dict.fromkeys(signals.values()) if unit != "1")


def _in(unit: str) -> str:
    """Return a unit as it stands behind a title."""
    return "" if unit in ("", "1") else f" [{unit}]"
