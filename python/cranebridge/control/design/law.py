"""Sampled feedback laws beside the feedforward, and their optimal design along a motion.

A law gives at each sample t_k

    u_k = hold_k - K_k (q - q_d, v - v_d) - K_integral,k xi_k - K_past,k (u - hold)_{k-1, k-2, ...}
                 - K_disturbance,k (d - d_0)
    xi_{k+1} = xi_k + cycle * (error of the integrated signals)_k

with gains from a table, d what an observer estimates and d_0 what it starts with; after the
motion's end its last row holds. Errors are those of the crane's own coordinates. On its constraint
manifold f of them and their velocities say everything (:mod:`cranebridge.forward.linearisation`);
the design is made in these, and the columns of all others are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.design.riccati import optimal_gains
from cranebridge.control.design.stiffness import Robustness, default_weights, ends_of
from cranebridge.control.law_kinds import KINDS, OPTIMAL_LAWS, Kind
from cranebridge.control.model import (
    Mode,
    ReferenceMotion,
    SampledStateSpace,
    discretise,
    payload_names,
    reference_of,
    uncontrollable_modes,
)
from cranebridge.control.observer import Observer
from cranebridge.control.weights import (
    Weights,
    input_weight,
    require_weights,
    state_sizes,
    state_weight,
)
from cranebridge.errors import StructureError, unknown
from cranebridge.forward import LinearModel, linearise
from cranebridge.inverse import Feedforward, SpeedDrive
from cranebridge.limits import Limits
from cranebridge.twin import Crane
from cranebridge.twin.language import names

Array = NDArray[np.float64]

Sensed = Callable[[ReferenceMotion, Sequence[str]], Observer]


@dataclass(frozen=True, eq=False)
class Law:
    """A feedback law: gains over time.

    Attributes
    ----------
    crane : Crane
        Whose inputs, coordinates and outputs the rows and columns are.
    kind : str
        What it is: lqr, lqi, drives.
    cycle, delay : float
        Cycle, and time in s from a sample until its inputs act.
    time : numpy.ndarray
        Times of the rows, a cycle apart.
    K : numpy.ndarray
        (times, inputs, 2 coordinates): gains of the errors of q, then of v.
    integrals : tuple of str
        Signals whose errors are integrated, such as ``y.x`` or ``q.phi``.
    K_integral : numpy.ndarray
        (times, inputs, integrals).
    K_past : numpy.ndarray
        (times, inputs, past inputs): those of one cycle before first.
    disturbances : tuple of str
        Estimated disturbances that it compensates, those of its observer.
    K_disturbance : numpy.ndarray
        (times, inputs, disturbances).
    speed : tuple of SpeedDrive
        Drives with a speed loop: their rows give velocity references in place of forces.
    """

    crane: Crane
    kind: str
    cycle: float
    delay: float
    time: Array
    K: Array
    integrals: tuple[str, ...]
    K_integral: Array
    K_past: Array
    disturbances: tuple[str, ...]
    K_disturbance: Array
    speed: tuple[SpeedDrive, ...] = ()


@dataclass(frozen=True, eq=False)
class LawDesign:
    """A law with all that it was designed from.

    Attributes
    ----------
    law : Law
        The law.
    reference : ReferenceMotion
        The motion on the law's cycle.
    model : LinearModel
        The linearisation along it.
    sampled : SampledStateSpace
        The model of the design.
    gains : numpy.ndarray
        (times, inputs, states of `sampled`): the law in the design's states.
    weights : Weights
        The weights that were used.
    cost : numpy.ndarray
        P at the first time: x^T P x is the cost of a state x there.
    uncontrollable : tuple of Mode
        Modes at the end that no input can change.
    observer : Observer or None
        What the law takes the state from, if that was known.
    robustness : Robustness or None
        How robust the loop is at the ends of the motion, if that was looked at.
    """

    law: Law
    reference: ReferenceMotion
    model: LinearModel
    sampled: SampledStateSpace
    gains: Array
    weights: Weights
    cost: Array
    uncontrollable: tuple[Mode, ...]
    observer: Observer | None = None
    robustness: Robustness | None = None

    def closed(self, row: int) -> Array:
        """Return the sampled closed loop, frozen at a time."""
        return np.asarray(self.sampled.A[row] - self.sampled.B[row] @ self.gains[row])

    def remarks(self) -> list[str]:
        """Return what must be known: what no input moves, and how robust it is if not to all."""
        found = [f"not controllable at the end: {mode.describe()}" for mode in self.uncontrollable]
        robustness = self.robustness
        if robustness is not None and (robustness.observed or not robustness.all):
            found.append(robustness.describe())
        return found + self._unknown_payload()

    def _unknown_payload(self) -> list[str]:
        """Tell of a filter that takes the weight of another payload for motion."""
        if self.observer is None or self.law.integrals:
            return []
        known = {f"parameter.{name}" for name in payload_names(self.law.crane)}
        if not known or known & set(self.observer.disturbances):
            return []
        name = min(known)
        return [
            f"{self.law.kind} with sensors and no payload estimated: what a load weighs more or "
            "less is taken for motion, and with a load of other mass it can be lost; add "
            f"control.observer.disturbances = {{'{name}' = SIZE}}, or take control.kind = 'lqi'"
        ]

    def describe(self) -> list[str]:
        """Return what was designed, and with which weights, line by line."""
        law, sampled = self.law, self.sampled
        lines = [
            f"{law.kind}, cycle {law.cycle:g} s, delay {law.delay:g} s, "
            f"{len(sampled.states)} states: {', '.join(sampled.states)}"
        ]
        lines += [f"not controllable at the end: {mode.describe()}" for mode in self.uncontrollable]
        lines += [self.robustness.describe()] if self.robustness else []
        lines += self._unknown_payload()
        return [*lines, "weights of the cost's integrand:", *self.weights.describe()]


def design_law(
    solution: Feedforward,
    cycle: float,
    kind: Kind = "lqr",
    weights: Mapping[str, float] | None = None,
    limits: Limits | None = None,
    delay: float = 0.0,
    independent: Sequence[str] | None = None,
    sensing: Sensed | None = None,
) -> LawDesign:
    """Design an optimal law along a motion.

    Parameters
    ----------
    solution : Feedforward
        The motion, on any grid.
    cycle : float
        The controller's cycle in s.
    kind : {"lqr", "lqi"}
        Without or with integrals of the outputs' errors.
    weights : mapping of str to float, optional
        Weights of the cost's integrand by signal; see
        :func:`cranebridge.control.weights.choose_weights`.
    limits : Limits, optional
        What the machine may do, for default weights.
    delay : float
        Computing time in s.
    independent : sequence of str, optional
        Independent coordinates; those that serve best along the motion by default.
    sensing : callable, optional
        What makes the observer that the law takes the state from, of the motion and the independent
        coordinates: default weights are such that the loop is stable under it.

    Raises
    ------
    InputError
        If a name, weight, cycle or delay is wrong.
    StructureError
        If a mode that no input can change is unstable.
    SolutionError
        If no set of coordinates is independent along the whole motion.
    """
    if kind not in KINDS:
        raise unknown("kind of law", kind, KINDS)
    reference = reference_of(solution, cycle, delay)
    return design_along(reference, kind, weights, limits, delay, independent, sensing)


def design_along(
    reference: ReferenceMotion,
    kind: Kind = "lqr",
    weights: Mapping[str, float] | None = None,
    limits: Limits | None = None,
    delay: float = 0.0,
    independent: Sequence[str] | None = None,
    sensing: Sensed | None = None,
) -> LawDesign:
    """Design an optimal law along a motion that is given on the cycle; see `design_law`."""
    crane = reference.crane
    model = linearise(
        crane,
        reference.parameters,
        reference.q,
        reference.v,
        reference.u,
        reference.time,
        independent,
    )
    integrals = OPTIMAL_LAWS[kind].integrals
    sampled = discretise(model, reference.cycle, delay, integrals)
    require_weights(crane, weights or {}, integrals)
    observer = None if sensing is None else sensing(reference, model.coordinates)
    ends = ends_of(reference, model, sampled, limits or Limits())
    chosen, observer = default_weights(reference, ends, dict(weights or {}), limits, observer)
    Q = state_weight(chosen, model, reference, sampled.integrals, sampled.past)
    # The cost is an integral: a sample stands for one cycle.
    Q = reference.cycle * Q
    R = reference.cycle * input_weight(chosen, crane)
    sizes = state_sizes(sampled, chosen, reference)
    modes = require_stabilisable(model, chosen, sizes[: sampled.motion])
    gains, cost = optimal_gains(sampled.A, sampled.B, Q, R, sizes)
    return LawDesign(
        law=law_of(crane, kind, model.coordinates, sampled, gains),
        reference=reference,
        model=model,
        sampled=sampled,
        gains=gains,
        weights=chosen,
        cost=cost,
        uncontrollable=tuple(modes),
        observer=observer,
        robustness=ends.robustness([gains[0], gains[-1]], observer),
    )


def law_of(
    crane: Crane, kind: str, independent: Sequence[str], sampled: SampledStateSpace, gains: Array
) -> Law:
    """Return the law with gains of the design's states: columns of all coordinates."""
    n, size = len(crane.coordinates), sampled.motion
    inner = [names(crane.coordinates).index(name) for name in independent]
    K = np.zeros((*gains.shape[:2], 2 * n))
    K[:, :, [*inner, *(n + i for i in inner)]] = gains[:, :, :size]
    end = size + sampled.integrals
    return Law(
        crane=crane,
        kind=kind,
        cycle=sampled.cycle,
        delay=sampled.delay,
        time=sampled.time,
        K=K,
        integrals=tuple(f"y.{name}" for name in names(crane.outputs)) if end > size else (),
        K_integral=gains[:, :, size:end],
        K_past=gains[:, :, end:],
        disturbances=(),
        K_disturbance=gains[:, :, :0],
    )


def require_stabilisable(model: LinearModel, weights: Weights, sizes: Array) -> list[Mode]:
    """Return the uncontrollable modes at the last time of a model.

    Parameters
    ----------
    model : LinearModel
        The linearisation.
    weights : Weights
        For the sizes of the inputs.
    sizes : numpy.ndarray
        What a state of size one is.

    Raises
    ------
    StructureError
        If one of them is unstable.
    """
    crane = model.crane
    coordinates = [f"q.{name}" for name in names(crane.coordinates)]
    shown = np.vstack([model.q_matrix[-1], model.v_matrix[-1]])
    largest = np.abs(shown * sizes).max(axis=1)
    modes = uncontrollable_modes(
        model.A[-1],
        model.B[-1],
        [*coordinates, *(f"v.{name}" for name in names(crane.coordinates))],
        sizes,
        np.array([weights.size(f"u.{name}") for name in names(crane.inputs)]),
        shown / np.where(largest > 0.0, largest, 1.0)[:, None],
    )
    for mode in modes:
        if mode.kind == "unstable":
            raise StructureError(
                f"crane '{crane.name}' cannot be stabilised at t = {model.time[-1]:.6g} s: its "
                f"inputs cannot change the {mode.describe()}"
            )
    return modes
