"""The controller of a verification: its design along the motion, in the plant's names.

An optimal law is designed on the twin in coordinates that the plant shows, and reads them through
the map of names. Loops of the drives read the plant's own outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.control.discretisation import cycles_of
from cranebridge.control.input_bounds import input_limits
from cranebridge.control.law import Kind, Law, design_law
from cranebridge.control.reference import Reference, reference_of
from cranebridge.errors import InputError, unknown
from cranebridge.forward.crane_accelerations import crane_dynamics
from cranebridge.forward.linearisation import CANDIDATES
from cranebridge.forward.local_state_space import CONDITION_LIMIT, validity
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.plant.sampled_law import SampledLaw
from cranebridge.twin.crane import names
from cranebridge.verify.known_starts import known_signals
from cranebridge.verify.mapping import PlantMap
from cranebridge.verify.operations import operation_rows
from cranebridge.verify.settings import DriveLoop, Feedback

Array = NDArray[np.float64]

# Samples and changes this close to a compared time, in cycles, are meant to be there.
SAME_TIME = 1e-6


@dataclass(frozen=True, eq=False)
class PlantLaw:
    """A controller as the plant's side runs it.

    Attributes
    ----------
    law : SampledLaw
        In plain arrays.
    E, e : numpy.ndarray
        The twin's inputs are E u + e with u what the law gives out.
    lines : tuple of str
        What was designed, in words.
    """

    law: SampledLaw
    E: Array
    e: Array
    lines: tuple[str, ...]

    def inputs(self, given: Array, times: Array) -> Array:
        """Return the twin's inputs that act at some times."""
        return np.asarray(self.law.acting(given, times) @ self.E.T + self.e)


def plant_law(
    feedforward: Feedforward, mapping: PlantMap, feedback: Feedback, times: Array
) -> PlantLaw:
    """Design a controller for a plant.

    Parameters
    ----------
    feedforward : Feedforward
        The motion.
    mapping : PlantMap
        How the plant's names relate to the twin's.
    feedback : Feedback
        What is asked for.
    times : numpy.ndarray
        The compared times, from the start of the simulation to its end.

    Raises
    ------
    InputError
        If the plant does not show what the law needs.
    """
    if feedback.kind == "drives":
        return _drives(feedforward, mapping, feedback, times)
    crane = feedforward.problem.crane
    known = {**known_signals(crane, mapping.info), **mapping.tables.get("signals", {})}
    mapping = replace(mapping, tables={**mapping.tables, "signals": known}).with_rates()
    coordinates = names(crane.coordinates)
    seen = [name for name in coordinates if not mapping.missing((name, f"v.{name}"))]
    design = design_law(
        feedforward,
        feedback.cycle,
        cast(Kind, feedback.kind),
        feedback.weights,
        feedback.limits,
        feedback.delay,
        _independent(feedforward, mapping, seen),
    )
    return _optimal(design.law, design.reference, mapping, feedback, times, design.describe())


def _independent(
    feedforward: Feedforward, mapping: PlantMap, seen: Sequence[str]
) -> tuple[str, ...] | None:
    """Return independent coordinates that the plant shows; None where it shows all."""
    crane = feedforward.problem.crane
    coordinates = names(crane.coordinates)
    hidden = [i for i, name in enumerate(coordinates) if name not in seen]
    if not hidden:
        return None
    manifold, p = crane_dynamics(crane).manifold, feedforward.problem.parameter_vector
    rows = np.unique(np.linspace(0, len(feedforward.time) - 1, CANDIDATES).astype(int))
    stack = [
        np.array(manifold(feedforward.q[row], p)[1]).reshape(-1, len(coordinates)) for row in rows
    ]
    choices = {choice for H in stack if (choice := _leaving(H, hidden))}
    worst = {choice: max(validity(H, choice) for H in stack) for choice in choices}
    chosen = min(worst, key=lambda choice: (worst[choice], choice), default=())
    if not chosen or worst[chosen] > CONDITION_LIMIT:
        names_hidden = ", ".join(coordinates[i] for i in hidden)
        raise InputError(
            f"control needs the coordinates and velocities of crane '{crane.name}', and those of "
            f"{names_hidden} do not follow from what plant '{mapping.info.name}' shows; add them "
            f'to plant.map.signals, such as "v.{coordinates[hidden[0]]}" = "..."'
        )
    return tuple(coordinates[i] for i in chosen)


def _leaving(H: Array, hidden: list[int]) -> tuple[int, ...]:
    """Return coordinates that determine all others, none of them hidden; empty if none do."""
    from scipy.linalg import qr

    others = [i for i in range(H.shape[1]) if i not in hidden]
    Q, R = np.linalg.qr(H[:, hidden])
    if len(hidden) > len(H) or np.linalg.matrix_rank(R) < len(hidden):
        return ()
    rest = H[:, others] - Q @ (Q.T @ H[:, others])
    pivots = qr(rest, pivoting=True, mode="r")[1]
    dependent = {others[i] for i in pivots[: len(H) - len(hidden)]}
    return tuple(i for i in others if i not in dependent)


def _optimal(
    law: Law,
    reference: Reference,
    mapping: PlantMap,
    feedback: Feedback,
    times: Array,
    lines: Sequence[str],
) -> PlantLaw:
    crane = law.crane
    coordinates, outputs = names(crane.coordinates), names(crane.outputs)
    titles = [*coordinates, *(f"v.{name}" for name in coordinates)]
    used = np.flatnonzero(np.abs(law.K).max(axis=(0, 1)) > 0.0)
    signals = [titles[i] for i in used] + [name.partition(".")[2] for name in law.integrals]
    p = np.array([reference.parameters[name] for name in names(crane.parameters)])
    read, program = mapping.program(signals, p)
    wanted = np.hstack([reference.q, reference.v])[:, used]
    integrated = [outputs.index(name.partition(".")[2]) for name in law.integrals]
    count = len(integrated)
    K = np.concatenate([law.K[:, :, used], np.zeros((*law.K.shape[:2], count))], axis=2)
    D, d = mapping.input_matrix(reference.parameters)
    least, most = input_limits(reference, feedback.limits)
    m = len(least)
    made = SampledLaw(
        readings=read,
        program=program,
        reference=np.hstack([wanted, reference.outputs[:, integrated]]),
        hold=reference.hold,
        K=K,
        K_integral=law.K_integral,
        K_past=law.K_past,
        integrals=tuple(range(used.size, used.size + count)),
        least=least,
        most=most,
        D=D,
        d=d,
        cycle=law.cycle,
        **_times(reference, feedback, times),
    )
    return PlantLaw(made, np.eye(m), np.zeros(m), tuple(lines))


def _drives(
    feedforward: Feedforward, mapping: PlantMap, feedback: Feedback, times: Array
) -> PlantLaw:
    """Return sampled loops of the drives, from the plant's own outputs to its own inputs."""
    reference = reference_of(feedforward, feedback.cycle, feedback.delay)
    loops, inputs = feedback.loops, mapping.input_names
    coordinates = names(reference.crane.coordinates)
    for loop in loops:
        if loop.input not in inputs:
            raise unknown("input in control.drives", loop.input, inputs)
        if loop.coordinate not in coordinates:
            raise unknown(
                f"coordinate in control.drives.{loop.input}", loop.coordinate, coordinates
            )
    M, k = mapping.input_matrix(reference.parameters)
    hold = reference.hold @ M.T + k
    count, rows = len(loops), len(hold)
    K, K_integral = np.zeros((len(inputs), 2 * count)), np.zeros((len(inputs), count))
    for i, loop in enumerate(loops):
        row = inputs.index(loop.input)
        K[row, i], K[row, count + i], K_integral[row, i] = loop.kp, loop.kv, loop.ki
    columns = [coordinates.index(loop.coordinate) for loop in loops]
    readings = [*(position_of(loop) for loop in loops), *(velocity_of(loop) for loop in loops)]
    own = tuple(dict.fromkeys(readings))
    symbols = ca.SX.sym("y", len(own))
    signals = ca.vertcat(*(symbols[own.index(name)] for name in readings))
    least, most = _plant_limits(mapping, feedback, M, k)
    made = SampledLaw(
        readings=own,
        program=operation_rows(signals, symbols),
        reference=np.hstack([reference.q[:, columns], reference.v[:, columns]]),
        hold=hold,
        K=np.tile(K, (rows, 1, 1)),
        K_integral=np.tile(K_integral, (rows, 1, 1)),
        K_past=np.zeros((rows, len(inputs), 0)),
        integrals=tuple(range(count)),
        least=least,
        most=most,
        D=np.eye(len(inputs)),
        d=np.zeros(len(inputs)),
        cycle=reference.cycle,
        **_times(reference, feedback, times),
    )
    E: Array = np.asarray(np.linalg.pinv(M), dtype=float)
    words = f"drives, cycle {feedback.cycle:g} s, delay {feedback.delay:g} s"
    return PlantLaw(made, E, -E @ k, (words,))


def _plant_limits(mapping: PlantMap, feedback: Feedback, M: Array, k: Array) -> tuple[Array, Array]:
    """Return the limits of the plant's inputs; those of a mixture of inputs are not known."""
    least, most = np.full(len(k), -np.inf), np.full(len(k), np.inf)
    inputs = names(mapping.crane.inputs)
    for row, factors in enumerate(M):
        used = np.flatnonzero(factors)
        bound = feedback.limits.u.get(inputs[used[0]]) if used.size == 1 else None
        if bound is not None:
            ends = factors[used[0]] * np.array([bound.least, bound.most]) + k[row]
            least[row], most[row] = ends.min(), ends.max()
    return least, most


def _times(reference: Reference, feedback: Feedback, times: Array) -> dict[str, Any]:
    """Return samples up to the end of the simulation, when their inputs change, and the delay."""
    cycle, end = reference.cycle, float(times[-1])
    whole, rest = cycles_of(feedback.delay, cycle)
    first = round(float(reference.time[0]) / cycle)
    count = int(np.ceil((end / cycle - first) - SAME_TIME))
    samples: Array = np.asarray(cycle * (first + np.arange(max(count, 1))), dtype=float)
    return {
        "time": _snapped(samples, times, cycle),
        "changes": _snapped(samples + rest, times, cycle),
        "whole": whole,
    }


def _snapped(samples: Array, times: Array, cycle: float) -> Array:
    """Return the samples, with compared times in place of those that differ by rounding only."""
    near = np.clip(np.searchsorted(times, samples), 1, len(times) - 1)
    left, right = times[near - 1], times[near]
    nearest = np.where(samples - left < right - samples, left, right)
    return np.where(np.abs(nearest - samples) <= SAME_TIME * cycle, nearest, samples)


def position_of(loop: DriveLoop) -> str:
    """Return the plant's output that a drive's loop takes as its position."""
    return loop.position or loop.coordinate


def velocity_of(loop: DriveLoop) -> str:
    """Return the plant's output that a drive's loop takes as its velocity."""
    return loop.velocity or f"v_{loop.coordinate}"
