"""Optimal laws that give velocity references to drives with a speed loop.

The design is that of :mod:`cranebridge.control.design.law` on the linear model with closed speed
loops (:mod:`cranebridge.control.model.speed_model`). Two things differ:

- What is weighed is the change of a reference from sample to sample, an acceleration. A jump dw of
  a reference is a force kp dw, however small the velocity: a law that is free to make jumps breaks
  what a speed loop is there for. So the last correction is a state, and fed back.
- What the drives have integrated is a state of the design, but not fed back: no controller knows it
  for sure, a converter that met its torque limit least of all. Its part of the gains is left out,
  which hardly moves the poles, because speed loops are faster than loads swing; whether the loop
  that is left is stable is what `check` says.

An acceleration beside that of the feedforward counts one by Bryson's rule where it is half the
range of `limits.a`, or what the drive moves with. The default is as stiff as a loop allows that
is stable under more cycles of delay together with a lag, as for forces
(:mod:`cranebridge.control.design.stiffness`), with an observer's filter in the loop where there is
one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.analysis import FrozenLoop, ObservedLoop, is_stable
from cranebridge.control.design import (
    DISTRUST,
    FINEST_PART,
    LawDesign,
    Robustness,
    Sensed,
    law_of,
    optimal_gains,
    require_stabilisable,
    stationary,
    still_reference,
)
from cranebridge.control.law_kinds import OPTIMAL_LAWS, Kind
from cranebridge.control.model import (
    CYCLES,
    LAG,
    NOMINAL,
    ROUNDING,
    FilterModel,
    ReferenceMotion,
    SampledStateSpace,
    delayed,
    discretise,
    one_time,
    reference_of,
    with_integral,
    with_speed_loops,
)
from cranebridge.control.observer import Observer, distrusting, settled_filter
from cranebridge.control.weights import (
    POSITION_PART,
    Stiffness,
    Weight,
    Weights,
    choose_weights,
    quantity_sizes,
    state_sizes,
    state_weight,
)
from cranebridge.errors import SolutionError
from cranebridge.forward import LinearModel, linearise
from cranebridge.inverse import Feedforward, SpeedDrive, speed_references
from cranebridge.limits import Limits
from cranebridge.twin.language import names

Array = NDArray[np.float64]

FADED = 1e-8
"""Part of their largest values that velocity references have faded to where the reference ends."""
TRIED = 12
"""Stiffnesses that are tried down from `POSITION_PART`,"""
SOFTER = 24
"""and how many softer ones."""
SOFTEST = 1e4
"""Largest factor of the references' weights that is tried. Stiff speed loops hide the load from
encoders: laws that see no more of `overhead-speed` are stable under delay and lag from 3000 on."""


def speed_reference(
    solution: Feedforward, drives: Sequence[SpeedDrive], cycle: float, lead: float = 0.0
) -> ReferenceMotion:
    """Return a motion on a cycle whose held inputs are velocity references.

    What is held over a cycle is the way that the drive shall be ahead by in it, over the cycle: the
    mean of the reference, so that positions do not drift. Rows after the end, at which all else
    rests, let the references fade out.
    """
    reference = reference_of(solution, cycle, lead)
    found = speed_references(solution, drives)
    more = int(np.ceil(max(found.faded(FADED) - float(reference.time[-1]), 0.0) / cycle)) + 1
    time = np.append(reference.time, reference.time[-1] + cycle * np.arange(1.0, more + 1.0))
    lasting = ("q", "v", "a", "u", "outputs", "hold", "friction")
    held = {name: x for name in lasting if (x := getattr(reference, name)) is not None}
    rows: dict[str, Any] = {
        name: np.vstack([x, np.tile(x[-1], (more, 1))]) for name, x in held.items()
    }
    crane = solution.problem.crane
    columns = [names(crane.coordinates).index(drive.coordinate) for drive in drives]
    ends = np.clip([time + lead, time + lead + cycle], found.times[0], found.times[-1])
    begin, end = (solution.coordinates(at)[:, columns] + found.integrals(at) for at in ends)
    ahead = (end - begin) / cycle
    for i, drive in enumerate(drives):
        last = found.speeds(found.times[-1])[i]
        column = names(crane.inputs).index(drive.input)
        rows["hold"][:, column] = np.where(ends[1] > ends[0], ahead[:, i], last)
        rows["hold"][-1, column] = last
    return replace(reference, time=time, **rows)


def design_speed_law(
    solution: Feedforward,
    drives: Sequence[SpeedDrive],
    cycle: float,
    kind: Kind = "lqr",
    weights: Mapping[str, float] | None = None,
    limits: Limits | None = None,
    delay: float = 0.0,
    independent: Sequence[str] | None = None,
    sensing: Sensed | None = None,
) -> LawDesign:
    """Design an optimal law whose inputs are velocity references.

    Parameters
    ----------
    solution : Feedforward
        The motion, from rest.
    drives : sequence of SpeedDrive
        The drives with a speed loop.
    cycle, kind, delay, independent, sensing
        As in :func:`cranebridge.control.design.law.design_law`.
    weights : mapping of str to float, optional
        As there; ``w.NAME`` weighs changes of the velocity reference of coordinate NAME [m/s^2].
    limits : Limits, optional
        What the machine may do: `v` bounds references, `a` weighs their changes.

    Raises
    ------
    InputError, StructureError, SolutionError
        As there.
    """
    reference = speed_reference(solution, drives, cycle, delay)
    crane = reference.crane
    motion = (reference.q, reference.v, reference.u, reference.time)
    model = linearise(crane, reference.parameters, *motion, independent)
    integrals = OPTIMAL_LAWS[kind].integrals
    task = _Task(reference, model, tuple(drives), delay, integrals, limits, dict(weights or {}))
    observer = None if sensing is None else sensing(reference, model.coordinates)
    chosen, observer = task.stiffest(observer)
    sampled, (A, B) = task.sampled, task.increments()
    Q, R = (cycle * part for part in task.cost(chosen))
    sizes = task.sizes(chosen)
    forces = choose_weights(reference, None, limits)
    modes = require_stabilisable(model, forces, sizes[: sampled.motion])
    changes, cost = optimal_gains(A, B, Q, R, sizes)
    gains = task.references(changes)
    law = law_of(crane, kind, model.coordinates, sampled, task.fed_back(gains))
    return LawDesign(
        law=replace(law, speed=tuple(drives)),
        reference=reference,
        model=model,
        sampled=sampled,
        gains=gains,
        weights=chosen,
        cost=cost,
        uncontrollable=tuple(modes),
        observer=observer,
        robustness=None if observer is None else task.robustness(gains, observer),
    )


def design_speed_at_rests(design: LawDesign, q: Array, u: Array) -> LawDesign:
    """Return the stationary optimal laws at many rests, a row for each.

    Parameters
    ----------
    design : LawDesign
        The law of velocity references along a motion: its weights, drives and delay are taken.
    q, u : numpy.ndarray
        Coordinates, and forces that hold the crane, at the rests.
    """
    reference, law, weights = design.reference, design.law, design.weights
    still = still_reference(reference, q, u, law.delay)
    motion = (still.q, still.v, still.u, still.time)
    model = linearise(still.crane, still.parameters, *motion, design.model.coordinates)
    task = _Task(still, model, law.speed, law.delay, bool(law.integrals), None, {})
    A, B = task.increments()
    Q, R = (still.cycle * part for part in task.cost(weights))
    sizes = task.sizes(weights, reference)
    found = [stationary(A[i], B[i], Q[i], R, sizes) for i in range(len(A))]
    gains = task.references(np.array([K for _, K in found]))
    fed = task.fed_back(gains)
    made = law_of(still.crane, law.kind, model.coordinates, task.sampled, fed)
    return LawDesign(
        law=replace(made, speed=law.speed),
        reference=still,
        model=model,
        sampled=task.sampled,
        gains=gains,
        weights=weights,
        cost=found[0][0],
        uncontrollable=(),
        observer=design.observer,
    )


@dataclass(frozen=True, eq=False)
class _Task:
    """What a law is designed from; states are motion, integrals, drives, past inputs."""

    reference: ReferenceMotion
    model: LinearModel
    drives: tuple[SpeedDrive, ...]
    delay: float
    integrals: bool
    limits: Limits | None
    given: dict[str, float]

    @cached_property
    def sampled(self) -> SampledStateSpace:
        """The sampled model of the design."""
        crane, cycle = self.model.crane, self.reference.cycle
        plain = discretise(self._at([0]), cycle, self.delay, self.integrals)
        own = plain.motion + plain.integrals
        drives = [f"e.{drive.coordinate}" for drive in with_integral(self.drives)]
        count = max(plain.past // len(crane.inputs), 1)
        past = [f"past{i + 1}.{title}" for i in range(count) for title in self.titles()]
        A, B = _remembered(*delayed(*self._continuous(self.model), cycle, self.delay), own, drives)
        return replace(
            plain,
            states=(*plain.states[:own], *drives, *past),
            past=len(past),
            time=self.model.time,
            A=A,
            B=B,
        )

    @cached_property
    def _last(self) -> Array:
        """What the last references are in the state: rows for inputs, zero for forces."""
        driven = {drive.input for drive in self.drives}
        inputs = names(self.model.crane.inputs)
        first = len(self.sampled.states) - self.sampled.past
        S = np.zeros((len(inputs), len(self.sampled.states)))
        for i, name in enumerate(inputs):
            S[i, first + i] = name in driven
        return S

    def increments(self, rows: Sequence[int] | None = None) -> tuple[Array, Array]:
        """Return the sampled model whose inputs are changes of the references."""
        A, B = self.sampled.A, self.sampled.B
        if rows is not None:
            A, B = A[rows], B[rows]
        return A + B @ self._last, B

    def _at(self, rows: Sequence[int]) -> LinearModel:
        columns = ("time", "A", "B", "C", "q_matrix", "v_matrix")
        return replace(self.model, **{name: getattr(self.model, name)[rows] for name in columns})

    def _continuous(self, model: LinearModel) -> tuple[Array, Array]:
        """Return the model with integrals of the outputs, and closed speed loops."""
        count, n, m = model.B.shape
        k = model.C.shape[1] if self.integrals else 0
        A, B = np.zeros((count, n + k, n + k)), np.zeros((count, n + k, m))
        A[:, :n, :n], A[:, n:, :n], B[:, :n] = model.A, model.C[:, :k], model.B
        return with_speed_loops(A, B, model.v_matrix, model.crane, self.drives)

    # -------------------------------------------------------------------- weights

    def weights(self, part: float = POSITION_PART, factor: float = 1.0) -> Weights:
        """Return the weights of a stiffness; see :mod:`cranebridge.control.design.stiffness`."""
        own = [f"w.{drive.coordinate}" for drive in self.drives]
        given = {name: value for name, value in self.given.items() if name not in own}
        stiffness = Stiffness(part, (factor,) * len(self.model.crane.inputs))
        usual = choose_weights(self.reference, given, self.limits, self.integrals, stiffness)
        forces = {f"u.{drive.input}" for drive in self.drives}
        table = {name: weight for name, weight in usual.table.items() if name not in forces}
        for title, (size, reason) in zip(own, self._accelerations(), strict=True):
            weight = Weight(factor * size**-2, reason)
            if title in self.given:
                weight = Weight(float(self.given[title]), "given")
            elif factor != 1.0:
                softer = (
                    f", with {factor:.3g} times the weight: softer, so that more delay is stood"
                )
                weight = replace(weight, reason=reason + softer)
            table[title] = weight
        return Weights(table)

    def _accelerations(self) -> Iterator[tuple[float, str]]:
        """Yield what the change of a velocity reference may be off by, and why."""
        crane, bounds = self.model.crane, (self.limits or Limits()).a
        moved = [names(crane.coordinates).index(drive.coordinate) for drive in self.drives]
        quantities = [crane.coordinates[column] for column in moved]
        largest = np.abs(self.reference.a[:, moved]).max(axis=0)
        for drive, size in zip(self.drives, quantity_sizes(quantities, largest), strict=True):
            bound = bounds.get(drive.coordinate)
            if bound is not None and np.isfinite(bound.most - bound.least):
                yield 0.5 * (bound.most - bound.least), "half range of its limits"
            else:
                yield float(size), "largest acceleration in the motion"

    def titles(self) -> list[str]:
        """Return the signals that are the inputs, in the crane's order."""
        driven = {drive.input: f"w.{drive.coordinate}" for drive in self.drives}
        return [driven.get(name, f"u.{name}") for name in names(self.model.crane.inputs)]

    def cost(self, weights: Weights, rows: Sequence[int] | None = None) -> tuple[Array, Array]:
        """Return Q and R of the cost's integrand."""
        model, reference = self.model, self.reference
        if rows is not None:
            model = self._at(rows)
            reference = replace(reference, q=reference.q[rows], v=reference.v[rows])
        own = self.sampled.motion + self.sampled.integrals
        inner = state_weight(weights, model, reference, self.sampled.integrals)
        size = len(self.sampled.states)
        Q = np.zeros((len(inner), size, size))
        Q[:, :own, :own] = inner
        # a change from sample to sample is an acceleration for a cycle
        driven = np.diagonal(self._last @ self._last.T) > 0.0
        R = np.array([weights[title] for title in self.titles()])
        return Q, np.diag(np.where(driven, R / reference.cycle**2, R))

    def sizes(self, weights: Weights, motion: ReferenceMotion | None = None) -> Array:
        """Return what a state of size one is: what it does in a motion, by default in its own."""
        own = self.sampled.motion + self.sampled.integrals
        usual = replace(self.sampled, states=self.sampled.states[:own])
        crane, reference = self.model.crane, motion or self.reference
        inputs = [float(size) or 1.0 for size in np.abs(reference.hold).max(axis=0)]
        drives = [
            inputs[names(crane.inputs).index(drive.input)] / drive.pole
            for drive in with_integral(self.drives)
        ]
        past = inputs * (self.sampled.past // len(inputs))
        return np.concatenate([state_sizes(usual, weights, reference), drives, past])

    # -------------------------------------------------------------------- gains

    def references(self, gains: Array) -> Array:
        """Return gains that give references, from gains that give their changes.

        What the drives have integrated is not fed back.
        """
        own = self.sampled.motion + self.sampled.integrals
        gains = gains - self._last
        gains[..., own : own + len(with_integral(self.drives))] = 0.0
        return gains

    def fed_back(self, gains: Array) -> Array:
        """Return the gains of what is fed back: motion, integrals, past inputs."""
        own = self.sampled.motion + self.sampled.integrals
        return np.delete(gains, np.s_[own : own + len(with_integral(self.drives))], axis=-1)

    def stiffest(self, observer: Observer | None) -> tuple[Weights, Observer | None]:
        """Return the weights of the stiffest law that is stable under delay and lag at both ends.

        With them comes the observer, which may believe the drives less than the one given.
        """
        if any(signal[0] in "qvyruw" for signal in self.given):
            return self.weights(), observer
        tried = [(part, 1.0) for part in np.geomspace(FINEST_PART, POSITION_PART, TRIED)]
        tried += [(POSITION_PART, factor) for factor in np.geomspace(1.0, SOFTEST, SOFTER)[1:]]
        others = [] if observer is None else [distrusting(observer, factor) for factor in DISTRUST]
        for one in (*others, None):
            try:
                filters = None if one is None else self._filters(one)
            except SolutionError:  # not all is observable: the law by itself then
                continue
            for part, factor in tried:
                weights = self.weights(float(part), float(factor))
                if self._is_stable(weights, filters):
                    return weights, one or observer
        return self.weights(), observer  # it is not stiffness that makes this loop fragile

    def robustness(self, gains: Array, observer: Observer) -> Robustness:
        """Return how robust gains along the motion are at its ends, with a filter."""
        try:
            loops = zip((0, -1), self._ends(), self._filters(observer), strict=True)
            closed = [
                self._late(self._observed(loop, gains[row], one)).closed()
                for row, loop, one in loops
            ]
        except SolutionError as error:
            return Robustness(True, np.inf, None, False, str(error))
        largest = max(float(np.abs(np.linalg.eigvals(one)).max()) for one in closed)
        return Robustness(True, largest, NOMINAL[0], largest <= 1.0 + ROUNDING)

    def _filters(self, observer: Observer) -> list[FilterModel]:
        """Return the filter as it settles at both ends."""
        found = []
        for row in (0, len(self.model.time) - 1):
            there = observer, self.reference, row, one_time(self.model, row), self.delay
            try:
                found.append(settled_filter(*there))
            except SolutionError:  # at rest a drive carries any weight: none is observed
                found.append(settled_filter(*there, disturbances=False))
        return found

    def _ends(self) -> list[FrozenLoop]:
        """Return the plant at both ends, integrals of the law in it, without a law."""
        A, B = self._continuous(self._at([0, len(self.model.time) - 1]))
        none = np.zeros((B.shape[2], 0))
        return [
            FrozenLoop(
                A=A[i],
                B=B[i],
                C=np.zeros((0, len(A[i]))),
                K=np.zeros((len(none), len(A[i]))),
                K_integral=none,
                K_past=none,
                cycle=self.reference.cycle,
                delay=self.delay,
            )
            for i in range(len(A))
        ]

    def _is_stable(self, weights: Weights, filters: Sequence[FilterModel] | None) -> bool:
        """Return whether the law of these weights is stable under more delay and a lag."""
        rows = [0, len(self.model.time) - 1]
        Q, R = self.cost(weights, rows)
        sizes, own = self.sizes(weights), self.sampled.motion + self.sampled.integrals
        drives = len(with_integral(self.drives))
        A_sampled, B_sampled = self.increments(rows)
        for i, end in enumerate(self._ends()):
            try:
                _, K = stationary(A_sampled[i], B_sampled[i], Q[i], R, sizes)
            except SolutionError:
                return False
            K = self.references(K)
            loop = replace(end, K=K[:, : own + drives], K_past=K[:, own + drives :])
            found: list[FrozenLoop | ObservedLoop] = [loop]
            if filters is not None:
                found.append(self._observed(end, K, filters[i]))
            if not all(is_stable(one) and is_stable(self._late(one)) for one in found):
                return False
        return True

    def _late(self, loop: FrozenLoop | ObservedLoop) -> FrozenLoop | ObservedLoop:
        """Return a loop with more delay and a lag."""
        return loop.later(CYCLES * self.reference.cycle).lagged(LAG)

    def _observed(self, end: FrozenLoop, gains: Array, filtered: FilterModel) -> ObservedLoop:
        """Return the loop of gains of the design's states with a filter."""
        n, sums = self.sampled.motion, self.sampled.integrals
        fed = self.fed_back(gains)
        more = np.zeros((len(fed), len(filtered.gain) - n))
        # what the law sums up is in the loop's own states, not in the plant's
        kept = [i for i in range(len(end.A)) if not n <= i < n + sums]
        return ObservedLoop(
            A=end.A[np.ix_(kept, kept)],
            B=end.B[kept],
            seen=np.eye(n),
            gains=np.hstack([fed, more]),
            filtered=filtered,
            integrals=sums,
            past=self.sampled.past,
            cycle=self.reference.cycle,
            delay=self.delay,
        )


def _remembered(A: Array, B: Array, own: int, drives: Sequence[str]) -> tuple[Array, Array]:
    """Return a sampled model with the last inputs among its states, if they are not yet."""
    size, m = B.shape[-2:]
    if size > own + len(drives):
        return A, B
    wider = np.pad(A, ((0, 0), (0, m), (0, m)))
    last = np.broadcast_to(np.eye(m), (len(B), m, m))
    return wider, np.concatenate([B, last], axis=1)
