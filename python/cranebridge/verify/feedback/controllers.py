"""The controller that a scenario asks for: designed on the twin, for what the plant shows.

Verification and delivery take it from here, so that they speak of the same one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from cranebridge.control import Kind, gains_over_position
from cranebridge.control.analysis import LawAndMotion, observed_verdicts, slack_notes
from cranebridge.control.code import Channel, Controller, Schedule, controller_of, faded_law
from cranebridge.control.design import (
    Law,
    LawDesign,
    Sensed,
    compensated_law,
    design_law,
    far_off,
)
from cranebridge.control.model import ReferenceMotion, cycles_of, reference_of
from cranebridge.control.observer import (
    Observer,
    design_observer,
    observability_along,
    observability_at,
    payload_disturbances,
)
from cranebridge.errors import InputError, unknown
from cranebridge.forward import CANDIDATES, CONDITION_LIMIT, crane_dynamics, validity
from cranebridge.inverse import Feedforward, SpeedDrive
from cranebridge.limits import Verdict
from cranebridge.twin.language import names
from cranebridge.verify.mapping import PlantMap, known_signals
from cranebridge.verify.settings import DriveController, Feedback, Sensing

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ControllerDesign:
    """A controller with what was designed.

    Attributes
    ----------
    controller : Controller
        What is compiled, run and handed over.
    reference : ReferenceMotion
        The motion on its cycle.
    lines : tuple of str
        What was designed, in words.
    notes : tuple of str
        Of these, what its user must know: its stability, what stays unobserved.
    verdicts : tuple of Verdict
        With an observer: whether the loop with its filter is stable at both ends.
    """

    controller: Controller
    reference: ReferenceMotion
    lines: tuple[str, ...]
    notes: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()


def design_controller(
    feedforward: Feedforward, feedback: Feedback, mapping: PlantMap | None
) -> ControllerDesign:
    """Design the controller that is asked for.

    Parameters
    ----------
    feedforward : Feedforward
        The motion.
    feedback : Feedback
        What is asked for.
    mapping : PlantMap or None
        How the plant's names relate to the twin's; with None all of the twin's can be measured.

    Raises
    ------
    InputError
        If the plant does not show what the law needs, or a name is unknown.
    """
    if feedback.kind == "drives":
        if mapping is None:
            raise InputError("loops of the drives have the plant's names; the scenario names none")
        return _drives(feedforward, mapping, feedback)
    observed = bool(feedback.sensing.sensors)
    independent = None
    if mapping is not None and not observed:
        mapping = full_map(mapping)
        coordinates = names(mapping.crane.coordinates)
        seen = [name for name in coordinates if not mapping.missing((name, f"v.{name}"))]
        independent = _independent(feedforward, mapping, seen)
    design = design_asked(feedforward, feedback, independent)
    lines = [*design.describe(), *slack_notes(feedforward)]
    observer, reference, over = design.observer, design.reference, None
    law = finished_law(design)
    if feedback.gains == "position":
        over = gains_over_position(design, feedback.limits, finished_law)
        law = over.along(reference)
    sensors, verdicts = _sensed_lines(design, law)
    lines += sensors
    if feedback.fade:
        lines.append(f"feedback grows from nothing over the first {feedback.fade:g} s")
    lines += [] if over is None else over.describe()
    law, fade = faded_law(law, feedback.fade), feedback.fade if over is not None else 0.0
    made = controller_of(law, reference, feedback.limits, observer, over=over, fade=fade)
    return ControllerDesign(made, reference, tuple(lines), (*design.remarks(), *sensors), verdicts)


def finished_law(design: LawDesign) -> Law:
    """Return the law that runs: one that compensates what its observer estimates."""
    observer = design.observer
    # integrals remove what disturbances leave: then these are estimated for the filter's sake
    if observer is None or not observer.disturbances or design.law.integrals:
        return design.law
    return compensated_law(design, observer)


def _sensed_lines(design: LawDesign, law: Law) -> tuple[list[str], tuple[Verdict, ...]]:
    """Return what is measured, what is not observable, and whether the loop is stable."""
    observer = design.observer
    if observer is None:
        return [], ()
    observed = observability_along(observer, design.reference)
    along = LawAndMotion(law, design.reference, design.model)
    lines = [*_observed_lines(observer), *(line for one in observed for line in one.describe())]
    return lines, observed_verdicts(along, observer)


def design_asked(
    feedforward: Feedforward, feedback: Feedback, independent: Sequence[str] | None = None
) -> LawDesign:
    """Design the law that is asked for: for forces, or for velocity references."""
    kind, weights, limits = cast(Kind, feedback.kind), feedback.weights, feedback.limits
    timing = feedback.cycle, feedback.delay
    sensed = sensing_of(feedback.sensing, feedback.speed)
    if feedback.speed:
        from cranebridge.control import design_speed_law  # few plants need it

        drives = feedback.speed
        more = timing[1], independent, sensed
        return design_speed_law(feedforward, drives, timing[0], kind, weights, limits, *more)
    return design_law(feedforward, timing[0], kind, weights, limits, timing[1], independent, sensed)


def full_map(mapping: PlantMap) -> PlantMap:
    """Return the map with all that is known of a plant: its own coordinates, and rates."""
    known = {**known_signals(mapping.crane, mapping.info), **mapping.tables.get("signals", {})}
    return replace(mapping, tables={**mapping.tables, "signals": known}).with_rates()


# ---------------------------------------------------------------------------- observers


def sensing_of(sensing: Sensing, drives: Sequence[SpeedDrive] = ()) -> Sensed | None:
    """Return what makes the observer of a controller; None where all is measured."""
    if not sensing.sensors:
        return None

    def made(reference: ReferenceMotion, coordinates: Sequence[str]) -> Observer:
        observer = _observer(sensing, reference, coordinates, drives)
        return replace(
            observer,
            variance=_replaced("variance", observer, observer.variance, sensing.variance),
            growth=_replaced("growth", observer, observer.growth, sensing.growth),
            gate=sensing.gate,
            patience=sensing.patience,
            given=tuple(sensing.growth),
        )

    return made


def _observer(
    sensing: Sensing,
    reference: ReferenceMotion,
    coordinates: Sequence[str],
    drives: Sequence[SpeedDrive],
) -> Observer:
    """Return the observer of all that is to be estimated, the payload if it is observable.

    A filter that does not know what a load weighs takes the weight that is missing for motion.
    """
    given, known = sensing.disturbances, (reference, coordinates, sensing.sensors)
    if given is not None:
        return design_observer(*known, given, drives=drives)
    found = payload_disturbances(reference)
    observer = design_observer(*known, found, drives=drives)
    if drives:  # observed while the load moves; at rest it stays as it was found
        return observer
    unseen = observability_at(observer, reference, float(reference.time[-1])).unobserved
    if not any(name in one.parts for one in unseen for name in found):
        return observer
    return design_observer(*known)


def _replaced(what: str, observer: Observer, default: Array, given: Mapping[str, float]) -> Array:
    """Return variances of all states with those that are given in place."""
    values = default.copy()
    for name, value in given.items():
        if name not in observer.states:
            raise unknown(f"state in control.observer.{what}", name, observer.states)
        values[observer.states.index(name)] = value
    return values


def _observed_lines(observer: Observer) -> list[str]:
    """Say what is measured, and how much the filter believes."""
    titles = ", ".join(sensor.title for sensor in observer.sensors)
    lines = [f"observer of {', '.join(observer.states)}; measured: {titles}"]
    return [*lines, f"growth of the variances in a cycle: {_growth(observer)}"]


def _growth(observer: Observer) -> str:
    """Say what a filter adds to its variances, which default weights may have changed."""
    found = zip(observer.states, observer.growth, strict=True)
    return ", ".join(f"{state} {value:.3g}" for state, value in found if value)


# ---------------------------------------------------------------------------- coordinates


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


# ---------------------------------------------------------------------------- drives


def _drives(feedforward: Feedforward, mapping: PlantMap, feedback: Feedback) -> ControllerDesign:
    """Return sampled loops of the drives, from the plant's own outputs to its own inputs."""
    timing = feedback.cycle, feedback.delay
    if feedback.speed:
        from cranebridge.control import speed_reference

        reference = speed_reference(feedforward, feedback.speed, *timing)
    else:
        reference = reference_of(feedforward, *timing)
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
    count = len(loops)
    gains = np.zeros((len(inputs), 3 * count))
    units, factors = mapping.units, np.ones((2, count))
    for i, loop in enumerate(loops):
        # a loop stands between variables of the plant, which may have units of their own
        factors[:, i] = units.factor(position_of(loop)), units.factor(velocity_of(loop))
        (p, v), u = factors[:, i], units.factor(loop.input)
        gains[inputs.index(loop.input), i::count] = (
            loop.kp * p / u,
            loop.kv * v / u,
            loop.ki * p / u,
        )
    columns = [coordinates.index(loop.coordinate) for loop in loops]
    measured = [*(position_of(loop) for loop in loops), *(velocity_of(loop) for loop in loops)]
    least, most = _plant_limits(mapping, feedback, M, k)
    titles = tuple(f"{group}.{loop.coordinate}" for group in "qv" for loop in loops)
    made = Controller(
        kind="drives",
        cycle=reference.cycle,
        delay=cycles_of(feedback.delay, reference.cycle),
        measured=tuple(_channel(mapping, name) for name in measured),
        inputs=tuple(_channel(mapping, name) for name in inputs),
        start=float(reference.time[0]),
        reference=np.hstack([reference.q[:, columns], reference.v[:, columns]]) / factors.ravel(),
        hold=hold,
        nodes=np.array([0, len(hold) - 1]),
        gains=np.stack([gains, gains]),
        integrals=tuple(range(count)),
        far=far_off(reference, titles) / factors.ravel(),
        past=0,
        least=least,
        most=most,
        error=0.0,
        titles=titles,
        schedule=Schedule((), np.zeros((len(hold), 0)), gains[None])
        if feedback.gains == "position"
        else None,
        speed=tuple(feedback.speed),
    )
    words = f"drives, cycle {feedback.cycle:g} s, delay {feedback.delay:g} s"
    return ControllerDesign(made, reference, (words,))


def _channel(mapping: PlantMap, name: str) -> Channel:
    """Return a variable of the plant with its unit and what it is."""
    known = {signal.name: signal for signal in mapping.info.variables}
    if name not in known:
        raise unknown(f"variable of plant '{mapping.info.name}'", name, known)
    return Channel(name, known[name].unit, known[name].description)


def _plant_limits(mapping: PlantMap, feedback: Feedback, M: Array, k: Array) -> tuple[Array, Array]:
    """Return the limits of the plant's inputs; those of a mixture of inputs are not known."""
    least, most = np.full(len(k), -np.inf), np.full(len(k), np.inf)
    inputs = names(mapping.crane.inputs)
    driven = {drive.input: drive for drive in feedback.speed}
    for row, factors in enumerate(M):
        used = np.flatnonzero(factors)
        if used.size != 1:
            continue
        drive = driven.get(inputs[used[0]])
        bounds = feedback.limits
        bound = bounds.u.get(inputs[used[0]]) if drive is None else bounds.v.get(drive.coordinate)
        if bound is not None:
            ends = factors[used[0]] * np.array([bound.least, bound.most]) + k[row]
            least[row], most[row] = ends.min(), ends.max()
    return least, most


def position_of(loop: DriveController) -> str:
    """Return the plant's output that a drive's loop takes as its position."""
    return loop.position or loop.coordinate


def velocity_of(loop: DriveController) -> str:
    """Return the plant's output that a drive's loop takes as its velocity."""
    return loop.velocity or f"v_{loop.coordinate}"
