"""Hand over what was learned for a plant that has no twin."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cranebridge.deliver import FORMATS, DeliveryOrder, LearnedInputs, deliver_inputs
from cranebridge.errors import InputError
from cranebridge.job.folder import require_unchanged
from cranebridge.job.learning.learned_controls import (
    FILE,
    SCENARIO,
    SUMMARY,
    made_from,
    other_path,
    require_same_task,
)
from cranebridge.job.ordering import Wishes
from cranebridge.limits import judge_range, read_ranges
from cranebridge.plant.description import inspect
from cranebridge.scenario import BlackBoxScenario, on_times, read_black_box, read_columns


def hand_over_learned(source: str, settings: Sequence[str], wishes: Wishes) -> list[Path] | None:
    """Deliver the learned inputs of a scenario without a crane; None if it has one.

    Raises
    ------
    InputError
        If there is nothing learned, or it was learned for another target, or breaks a limit.
    """
    scenario = read_black_box(source, settings)
    if scenario is None:
        return None
    if wishes.learned is None:
        raise InputError(
            f"scenario '{scenario.name}' has no [crane], so there is nothing to solve: give "
            "--learned DIR, the folder of `cranebridge learn -o DIR`"
        )
    if wishes.to is None:
        raise InputError(f"which format? Give --to: {', '.join(sorted(FORMATS))}")
    if wishes.target is None:
        raise InputError("where to? Give -o FILE or -o FOLDER")
    if wishes.duration is not None:
        raise InputError("--duration scales a path; learned inputs are for one target")
    order = DeliveryOrder(
        to=wishes.to,
        target=wishes.target,
        scenario=scenario.complete(),
        folder=scenario.file.parent,
        cycle=wishes.cycle,
        columns=wishes.columns,
        units=bool(wishes.units),
        precision=wishes.precision or "double",
        fmi=wishes.fmi,
        overwrite=wishes.overwrite,
        learned=True,
    )
    learned = read_learned(scenario, wishes.learned)
    if not wishes.allow_violations:
        _require_limits(scenario, learned)
    return deliver_inputs(learned, order)


def read_learned(scenario: BlackBoxScenario, folder: Path) -> LearnedInputs:
    """Return what `learn` wrote for a scenario."""
    require_unchanged(folder, (FILE, SCENARIO, SUMMARY), "learn")
    table, plant = scenario.tables.learn, Path(scenario.tables.plant.fmu or "")
    titles = [f"u.{name}" for name in table.inputs] + [f"gamma.{name}" for name in table.outputs]
    time, values = read_columns("--learned", str(folder / FILE), titles)
    inputs, wanted = np.split(values, [len(table.inputs)], axis=1)
    times, target = read_columns("learn.target", table.target, table.outputs)
    again: NDArray[np.float64] = on_times(time, times, target)
    if np.abs(again - wanted).max() > 1e-6 * np.abs(wanted).max():
        raise other_path(folder, "target")
    require_same_task(folder, scenario.complete(), made_from(scenario.files, scenario.file))
    units = {signal.name: signal.unit or "1" for signal in inspect(plant).inputs}
    known = {name: units.get(name, "1") for name in table.inputs}
    return LearnedInputs(scenario.name, plant.name, time, inputs, known)


def _require_limits(scenario: BlackBoxScenario, learned: LearnedInputs) -> None:
    """Refuse inputs beyond their limits."""
    ranges = read_ranges("u", scenario.tables.limits.model_dump()["u"], tuple(learned.units))
    for i, (name, unit) in enumerate(learned.units.items()):
        if name in ranges:
            found = judge_range(f"u.{name}", learned.time, learned.values[:, i], ranges[name], unit)
            if found.status == "failed":
                raise InputError(
                    f"the learned inputs violate their limits: {found.message}; learn with these "
                    "limits, or allow violations to deliver it nevertheless"
                )
