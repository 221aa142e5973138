"""How stiff a law with default weights is: as stiff as it is robust to what machines do.

Friction, a wrong payload and wind do not ask how hard the motion drives: a law that is only as
stiff as a slow motion's small inputs suggest leaves large errors. What bounds stiffness is time,
lag, delay and all that is slower than thought, a load that is not where it is seen, and the inputs'
limits: a stiff law that meets them does not catch a load that is far off. So the part of its travel
by which an output may be off is as small as `FINEST_PART` where the loop, frozen at both ends of
the motion, still

- is stable in the trials of :mod:`cranebridge.control.model.trials`: more delay together with a
  lag in all drives, with the payload and with a light and a heavy one, and a swing that is seen
  wrong,
- asks for at most `AUTHORITY` times what its inputs have left, with the load `OFF` of its travel
  off and the drives in their places,

and larger where it does not, up to `POSITION_PART`; where even that is unstable, all inputs weigh
more. Drives whose speed may be off less (`DRIVE_SPEEDS`) are tried, too, and taken where they allow
a stiffer law. Then each input alone weighs less as long as all is stable: what bounds a trolley
need not bound the winch. A crane that is stable under other payloads and a wrong swing with no
weights is held to delay and lag alone. One that runs away by itself, as a jib that a torque holds,
and that its inputs can only just hold (`HELD`), is held to no more than `POSITION_PART`, too: with
an input at its limit it would be lost.

With an observer all this is asked with its filter in the loop. Where no weights make it stable, the
filter is made to believe the drives' forces less (`DISTRUST`): one that reads encoders alone takes
what lag and friction do to a drive for swing. How robust the law is that was found is said
(`Robustness`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.design.input_bounds import input_limits
from cranebridge.control.design.riccati import stationary
from cranebridge.control.model import (
    NOMINAL,
    ROUNDING,
    Deviation,
    FilterModel,
    LoopTrial,
    ReferenceMotion,
    SampledStateSpace,
    deviations_of,
    drive_names,
    one_time,
    payload_names,
    trials_at,
)
from cranebridge.control.observer import Observer, distrusting, settled_filter
from cranebridge.control.weights import (
    ALL_REQUIREMENTS,
    DRIVE_SPEED_PART,
    POSITION_PART,
    Stiffness,
    Weights,
    choose_weights,
    input_weight,
    state_sizes,
    state_weight,
)
from cranebridge.errors import SolutionError
from cranebridge.forward import LinearModel
from cranebridge.limits import Limits
from cranebridge.twin.language import names

Array = NDArray[np.float64]

FINEST_PART = 0.0005
"""Least part of its travel that an output may be off."""
SOFTEST_PART = 0.1
"""Largest part; what is above `POSITION_PART` is had by inputs that weigh more."""
LEVELS = 16
"""How many parts are tried between both, before the place is bisected."""
DRIVE_SPEEDS = (DRIVE_SPEED_PART, 0.7, 0.5, 0.35, 0.25, 0.18, 0.13, 0.1)
"""Parts of their largest speed that the drives' speeds may be off."""
OFF = 0.01
"""The part of its travel that the load is off where `AUTHORITY` is asked for."""
AUTHORITY = 3.0
"""With the load `OFF` of its travel off, inputs may be asked for so many times what they have left.
Laws at this bound caught loads that were six times as far off (0.4 m, gantry and bridge
crane) with all inputs at their limits, also with three more cycles of delay; the flexible jib's law
at five times the bound did not catch 0.3 m."""
DISTRUST = (1.0, 100.0, 1000.0)
"""Factors of the growth of the drives' velocities in a filter, tried one after the other. With
encoders alone the loop of `overhead-real` is unstable under a lag of 20 ms with 1, and stable in
all trials with 100 (lqr)."""
BISECTIONS = 3
# Directions in which held drives leave the load this much less than in others are none.
SMALLEST = 1e-6
# Eigenvalues [1/s] beyond this are unstable; those of free drives, double and zero, are rounded.
UNSTABLE = 1e-2
HELD = 0.1
"""Part of its travel by which a crane that runs away may be off at least and still be held by its
inputs: ten times `OFF`."""


@dataclass(frozen=True)
class Robustness:
    """How robust a law is, frozen at both ends of its motion.

    Attributes
    ----------
    observed : bool
        Whether that is with an observer's filter in the loop.
    largest : float
        Largest magnitude of an eigenvalue from sample to sample, of all that was tried; infinite
        where the filter does not settle.
    deviation : Deviation or None
        With what.
    late : bool
        Whether it is stable at least under delay and lag of the nominal crane.
    failed : str
        Why nothing is known.
    """

    observed: bool
    largest: float
    deviation: Deviation | None
    late: bool
    failed: str = ""

    @property
    def all(self) -> bool:
        """Whether it is stable in all trials of a default law."""
        return self.largest <= 1.0 + ROUNDING

    def describe(self) -> str:
        """Return it in words."""
        loop = "the loop with its filter" if self.observed else "the loop"
        if self.deviation is None:
            return f"it is not known what {loop} stands: {self.failed}"
        worst = f"largest |z| = {self.largest:.6g} with {self.deviation.describe()}"
        if self.all:
            return f"{loop}, frozen at start and goal, stands all that is asked of it: {worst}"
        least = "stands" if self.late else "does not even stand"
        return (
            f"{loop}, frozen at start and goal, does not stand all that is asked of it: {worst}; "
            f"it {least} {NOMINAL[0].describe()}"
        )


@dataclass(frozen=True, eq=False)
class Ends:
    """The loop at the ends of a motion, to be tried with weights.

    Attributes
    ----------
    reference : ReferenceMotion
        Its first and last row.
    model : LinearModel
        The linearisation there.
    sampled : SampledStateSpace
        The model of the design, at all times.
    rows : tuple of int
        The first time and the last one.
    room : numpy.ndarray
        What the inputs have left up to their limits.
    """

    reference: ReferenceMotion
    model: LinearModel
    sampled: SampledStateSpace
    rows: tuple[int, int]
    room: Array

    def trials(
        self, tried: tuple[Deviation, ...], observer: Observer | None = None
    ) -> list[list[LoopTrial]]:
        """Return what a law is tried with at both ends, its state estimated by an observer."""
        found = []
        for row in range(len(self.rows)):
            filtered = None if observer is None else self._filter(observer, row)
            found.append(list(trials_at(self, row, self.sampled, tried, filtered)))
        return found

    def _filter(self, observer: Observer, row: int) -> Callable[[LinearModel], FilterModel]:
        """Return what makes the filter that has settled on a plant.

        One that estimates the payload has the plant's, others that of the design.
        """
        estimated = payload_names(self.reference.crane)
        adapts = bool(estimated) and set(estimated) <= set(observer.motion.estimated)
        known: dict[int, FilterModel] = {}
        nominal = one_time(self.model, row)

        def settled(plant: LinearModel) -> FilterModel:
            own = plant if adapts else nominal
            if id(own) not in known:
                there = (self.reference, row, own, self.sampled.delay)
                known[id(own)] = settled_filter(observer, *there)
            return known[id(own)]

        return settled

    def robustness(self, gains: Sequence[Array], observer: Observer | None) -> Robustness:
        """Return how robust gains at both ends are in all trials of a default law."""
        tried = deviations_of(self)
        try:
            trials = self.trials(tried, observer)
        except SolutionError as error:
            return Robustness(True, math.inf, None, False, str(error))
        found = [
            (trial.largest(K), trial.deviation)
            for K, own in zip(gains, trials, strict=True)
            for trial in own
        ]
        worst, deviation = max(found, key=lambda pair: pair[0])
        first = max(size for size, one in found if one in NOMINAL)
        return Robustness(observer is not None, worst, deviation, first <= 1.0 + ROUNDING)

    def all_stable(self, gains: Sequence[Array], trials: Sequence[Sequence[LoopTrial]]) -> bool:
        """Return whether gains keep all trials stable."""
        found = zip(gains, trials, strict=True)
        return all(trial.is_stable(K) for K, tried in found for trial in tried)

    def reach(self, gains: Sequence[Array], travel: float) -> bool:
        """Return whether a load that is off asks for no more than the inputs can give."""
        for row, K in enumerate(gains):
            states = _load_off(self.model, row)
            asked = np.abs(K[:, : len(states)] @ states).sum(axis=1) * OFF * travel
            if (asked > AUTHORITY * self.room[row]).any():
                return False
        return True

    def gains(self, weights: Weights, whole: ReferenceMotion) -> Iterator[Array]:
        """Yield the stationary gains at both ends."""
        sampled = self.sampled
        Q = state_weight(weights, self.model, self.reference, sampled.integrals, sampled.past)
        R = input_weight(weights, self.model.crane)
        sizes = state_sizes(sampled, weights, whole)
        for at, row in enumerate(self.rows):
            yield stationary(sampled.A[row], sampled.B[row], Q[at], R, sizes)[1]


def default_weights(
    reference: ReferenceMotion,
    ends: Ends,
    given: dict[str, float],
    limits: Limits | None,
    observer: Observer | None = None,
) -> tuple[Weights, Observer | None]:
    """Return the weights of a law, as stiff as it may be where states have defaults.

    With them comes the observer, which may believe the drives less than the one that was given.

    Parameters
    ----------
    reference : ReferenceMotion
        The motion.
    ends : Ends
        Where it begins and ends.
    given : mapping of str to float
        Weights that the user gives.
    limits : Limits, optional
        What the machine may do.
    observer : Observer, optional
        What the law takes the state from.
    """
    integrals = ends.sampled.integrals > 0
    if any(signal[0] in "qvyru" for signal in given):
        return choose_weights(reference, given, limits, integrals), observer
    count, travel = len(reference.crane.inputs), float(np.ptp(reference.outputs, axis=0).max())
    fragile = _only_just_held(ends, travel)
    least = POSITION_PART if fragile else FINEST_PART

    def weights_of(stiffness: Stiffness) -> Weights:
        return choose_weights(reference, given, limits, integrals, stiffness)

    for asked in _asked(ends, fragile, observer):

        def holds(stiffness: Stiffness, trials: list[list[LoopTrial]] = asked.trials) -> bool:
            try:
                gains = list(ends.gains(weights_of(stiffness), reference))
            except SolutionError:  # no gains, as where a motion does not rest
                return False
            stiff = stiffness.part * math.sqrt(min(stiffness.factors)) < POSITION_PART
            return ends.all_stable(gains, trials) and (not stiff or ends.reach(gains, travel))

        if asked.again and not _hopeful(holds, count):
            continue
        found = _stiffest(holds, least, count)
        if found is not None:
            return weights_of(replace(found, requirement=asked.requirement)), asked.observer
    # if nothing helps, it is not stiffness that makes this loop fragile
    return weights_of(Stiffness()), observer


@dataclass(frozen=True, eq=False)
class _Requirement:
    """Trials that a law must pass, with which observer; `again`: after others of the same."""

    trials: list[list[LoopTrial]]
    observer: Observer | None
    requirement: str
    again: bool = False


def _asked(ends: Ends, fragile: bool, observer: Observer | None) -> Iterator[_Requirement]:
    """Yield what a law must be robust to, the most first; less only where that is too much."""
    late = "delay and lag are stood"
    tried = {late: NOMINAL} if fragile else {ALL_REQUIREMENTS: deviations_of(ends), late: NOMINAL}
    own = {requirement: ends.trials(deviations) for requirement, deviations in tried.items()}
    law = next(iter(own.values()))
    filters = _distrusting(observer)
    for requirement, deviations in tried.items():
        for number, one in enumerate(filters):
            try:
                observed = ends.trials(deviations, one)
            except SolutionError:  # an observer that does not settle: the law by itself then
                continue
            both = [[*seen, *known] for seen, known in zip(observed, law, strict=True)]
            yield _Requirement(both, one, f"{requirement} with its filter", number > 0)
    but = " where the state is known; with the filter they are not" if filters else ""
    for requirement, trials in own.items():
        yield _Requirement(trials, observer, requirement + but)


def _distrusting(observer: Observer | None) -> list[Observer]:
    """Return an observer, and those that believe the drives less."""
    if observer is None:
        return []
    others = [distrusting(observer, factor) for factor in DISTRUST]
    return [one for i, one in enumerate(others) if not i or (one.growth != observer.growth).any()]


def _hopeful(holds: Callable[[Stiffness], bool], count: int) -> bool:
    """Return whether one of some soft laws holds: a complete search that finds none takes long."""
    parts = (math.sqrt(POSITION_PART * SOFTEST_PART), SOFTEST_PART)
    factors = [((part / POSITION_PART) ** 2,) * count for part in parts]
    return any(
        holds(Stiffness(POSITION_PART, factor, speed))
        for factor in factors
        for speed in DRIVE_SPEEDS
    )


def _stiffest(holds: Callable[[Stiffness], bool], least: float, count: int) -> Stiffness | None:
    """Return the stiffest that holds, of those tried; None if none does."""

    def at(part: float, speed: float) -> Stiffness:
        own = min(part, POSITION_PART)
        return Stiffness(own, ((part / own) ** 2,) * count, speed)

    parts, best, chosen = np.geomspace(least, SOFTEST_PART, LEVELS).tolist(), LEVELS, None
    for speed in DRIVE_SPEEDS:
        for i in range(best):
            if holds(at(parts[i], speed)):
                best, chosen = i, speed
                break
    if chosen is None:
        return None
    good = parts[best]
    if best:
        bad = parts[best - 1]
        for _ in range(BISECTIONS):
            middle = math.sqrt(good * bad)
            good, bad = (middle, bad) if holds(at(middle, chosen)) else (good, middle)
    found = at(good, chosen)
    for i in range(count):
        found = _alone(holds, found, i, least)
    return found


def _alone(holds: Callable[[Stiffness], bool], found: Stiffness, i: int, least: float) -> Stiffness:
    """Return the same with the least weight of one input that holds."""

    def at(factor: float) -> Stiffness:
        return replace(found, factors=(*found.factors[:i], factor, *found.factors[i + 1 :]))

    good, bad = found.factors[i], (least / found.part) ** 2
    if bad >= good:
        return found
    if holds(at(bad)):
        return at(bad)
    for _ in range(BISECTIONS + 1):
        middle = math.sqrt(good * bad)
        good, bad = (middle, bad) if holds(at(middle)) else (good, middle)
    return at(good)


def ends_of(
    reference: ReferenceMotion, model: LinearModel, sampled: SampledStateSpace, limits: Limits
) -> Ends:
    """Return the loop at the ends of a motion."""
    rows = (0, len(model.time) - 1)
    at = list(rows)
    few = {name: getattr(model, name)[at] for name in ("time", "A", "B", "C")}
    maps = {name: getattr(model, name)[at] for name in ("q_matrix", "v_matrix")}
    columns = ("time", "q", "v", "a", "u", "outputs", "hold")
    there = replace(
        reference,
        friction=None if reference.friction is None else reference.friction[at],
        **{name: getattr(reference, name)[at] for name in columns},
    )
    least, most = input_limits(reference, limits)
    room = np.minimum(most - there.forces, there.forces - least)
    return Ends(there, replace(model, **few, **maps), sampled, rows, room)


def _load_off(model: LinearModel, row: int) -> Array:
    """Return the states that move the outputs by one in each direction, the drives kept."""
    from scipy.linalg import null_space

    crane, half = model.crane, model.A.shape[1] // 2
    drives = [names(crane.coordinates).index(name) for name in drive_names(crane)]
    held = model.q_matrix[row][drives, :half]
    free = null_space(held) if drives else np.eye(half)
    moved = model.C[row][:, :half] @ free
    _, sizes, directions = np.linalg.svd(moved, full_matrices=False)
    kept = sizes > SMALLEST * max(sizes.max(initial=0.0), 1.0)
    return np.asarray(free @ (directions[kept].T / sizes[kept]))


def _only_just_held(ends: Ends, travel: float) -> bool:
    """Return whether a crane that leaves a rest by itself is lost when it is a little off.

    An unstable mode z' = s z + w B u can be turned back from |z| < sum |w B| room / s, whatever the
    law. Compared is what z is where the crane rests beside its place, each output `HELD` of the
    travel off.
    """
    for row, room in enumerate(ends.room):
        A, B, C = (getattr(ends.model, name)[row] for name in ("A", "B", "C"))
        n, m, k = len(A), B.shape[1], len(C)
        rest = np.linalg.pinv(np.block([[A, B], [C, np.zeros((k, m))]]))[:n, n:]
        poles, left = np.linalg.eig(A.T)
        for pole, w in zip(poles, left.T, strict=True):
            if pole.real > UNSTABLE:
                turned = float(np.abs(w @ B) @ room / pole.real)
                if turned < HELD * travel * float(np.abs(w @ rest).max(initial=0.0)):
                    return True
    return False
