"""Learned controls for a delivery: what `learn` wrote, in the motion that it was learned for."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cranebridge.deliver import FORMATS
from cranebridge.deliver.order import ONE_MOTION
from cranebridge.errors import InputError
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.learn.controls import on_record, with_inputs
from cranebridge.scenario.black_box import read_columns
from cranebridge.twin.crane import names

FILE = "learned.csv"


def learned_feedforward(
    solution: Feedforward, folder: Path, to: str
) -> tuple[Feedforward, Feedforward]:
    """Return the motion with its own controls, and with those that were learned for it.

    Parameters
    ----------
    solution : Feedforward
        The scenario's own, an exact one.
    folder : pathlib.Path
        What `cranebridge learn` wrote.
    to : str
        The format: one that solves on line has no place for learned controls.

    Raises
    ------
    InputError
        If the format has no place for them, or they were learned for another motion.
    """
    if to in FORMATS and FORMATS[to].kind == "on line" and to not in ONE_MOTION:
        raise InputError(
            f"format '{to}' solves on line and has no place for learned controls; hand them over "
            "as a table, as code or as an FMU that plays them (csv, c, st, fmu, ssp, ...)"
        )
    problem = solution.problem
    inputs = [f"u.{name}" for name in names(problem.crane.inputs)]
    outputs = [f"gamma.{name}" for name in names(problem.crane.outputs)]
    time, values = read_columns("--learned", str(folder / FILE), (*inputs, *outputs))
    first, last = float(solution.time[0]), float(solution.time[-1])
    before, after = max(first - float(time[0]), 0.0), max(float(time[-1]) - last, 0.0)
    base = on_record(solution, (time[-1] - time[0]) / (len(time) - 1), before, after)
    controls, wanted = values[:, : len(inputs)], values[:, len(inputs) :]
    size = float(np.abs(wanted).max())
    if base.gamma.shape != wanted.shape or np.abs(base.gamma - wanted).max() > 1e-6 * size:
        raise other_path(folder, "path")
    return base, with_inputs(base, controls)


def other_path(folder: Path, what: str) -> InputError:
    """Return the error of controls that were learned for something else."""
    return InputError(
        f"the controls in '{folder / FILE}' were learned for another {what} than that of the "
        f"scenario: give the scenario of that folder, '{folder / 'scenario.toml'}'"
    )
