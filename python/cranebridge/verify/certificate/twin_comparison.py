"""Are two twins the same machine? Both move under the controls that one of them needs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.forward import simulate_twin
from cranebridge.inverse import Feedforward
from cranebridge.twin.language import names
from cranebridge.verify.certificate.outcome import Certificate, Omission
from cranebridge.verify.certificate.plant_comparison import FINE, compared_motions

POINTS = 201
"""At how many times motions are compared."""


def compare_twins(first: Feedforward, second: Feedforward) -> Certificate:
    """Compare two twins by the motion that the first one's controls make of both.

    Parameters
    ----------
    first, second : Feedforward
        The solutions of both for the same path; the second gives the start only.

    Raises
    ------
    InputError
        If their inputs are not the same.
    """
    cranes = [solution.problem.crane for solution in (first, second)]
    inputs = [names(crane.inputs) for crane in cranes]
    if set(inputs[0]) != set(inputs[1]):
        raise InputError(
            f"'{cranes[0].name}' and '{cranes[1].name}' cannot be moved alike: their inputs are "
            f"{', '.join(inputs[0])}, and {', '.join(inputs[1])}"
        )
    times = np.linspace(first.time[0], first.time[-1], POINTS)
    values = []
    for solution, crane, own in zip((first, second), cranes, inputs, strict=True):
        order = [inputs[0].index(name) for name in own]
        run = simulate_twin(
            crane,
            solution.problem.parameters,
            solution.q[0],
            solution.v[0],
            partial(_controls, first, order),
            times,
            rtol=FINE,
            breaks=tuple(first.time),
        )
        columns = (
            (crane.coordinates, run.q),
            (crane.outputs, run.outputs),
            (crane.ropes, run.ropes),
        )
        values.append(
            {part.name: table[:, i] for parts, table in columns for i, part in enumerate(parts)}
        )
    shared = [name for name in values[0] if name in values[1]]
    compared = compared_motions(
        times, shared, *(np.array([one[name] for name in shared]).T for one in values)
    )
    missing = () if shared else (Omission("everything", "no signal has the same name in both"),)
    note = "compared by the motion that the first one's controls make of both"
    return Certificate(compared, missing, "", 1, notes=(note,))


def _controls(solution: Feedforward, order: Sequence[int], t: float) -> NDArray[np.float64]:
    return solution.control_polynomial(t)[list(order)]
