"""A plant, a feedforward and the settings: what several simulations of one verification share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.control.analysis import slack_notes
from cranebridge.errors import InputError
from cranebridge.inverse import Feedforward, Piecewise, hermite, require_points
from cranebridge.path import Path
from cranebridge.plant import Plant, add_signals
from cranebridge.plant.protocol import Controls, Drives
from cranebridge.plant.sandbox import PlantError, Simulation
from cranebridge.twin.language import acceleration_of, names
from cranebridge.verify.disturbances import disturbance_signals
from cranebridge.verify.feedback import PlantLaw, plant_law, position_of, velocity_of
from cranebridge.verify.mapping import (
    PlantMap,
    around,
    drives_in_units,
    fed,
    fed_times,
    master_drives,
    unset_start,
)
from cranebridge.verify.other_start import start_elsewhere
from cranebridge.verify.settings import Feed, Settings
from cranebridge.verify.tracking.run_counter import UNCOUNTED, RunCounter

Array = NDArray[np.float64]

# A start with velocities this small is one at rest: rounding.
AT_REST = 1e-9
# And what a pre-actuation that grows from nothing has at its first time, as a part of its largest
# velocity.
STARTING = 1e-6
# A plant whose start velocity differs by this part of the twin's largest one was started otherwise:
# no rounding, and no rope that stretches, does that.
OTHER_START = 0.05
# A foreign plant is looked at so often in a motion, by default.
FEWEST_STEPS = 400

MOST_TIMES = 2_000_000
"""Compared times at most, of the motion and of the settling window."""


class PlantRun:
    """Drives a plant with a feedforward, again and again.

    Parameters
    ----------
    feedforward, plant, mapping, settings
        The controls, the loaded FMU, how its names relate to the twin's, and how it is driven.
    law : PlantLaw, optional
        The sampled controller of the settings, where it has been designed already.
    counter : RunCounter
        Counts each simulation.

    Attributes
    ----------
    times : numpy.ndarray
        The compared times: the manoeuvre, and the settling window after it.
    values : dict of str to float
        Parameters of the plant, those of its start among them.
    start : dict of str to float
        Start values of states that no parameter gives.
    law : PlantLaw or None
        The sampled controller.
    disturbed : Controls or None
        What disturbances add to the plant's inputs.
    """

    def __init__(
        self,
        feedforward: Feedforward,
        plant: Plant,
        mapping: PlantMap,
        settings: Settings,
        law: PlantLaw | None = None,
        counter: RunCounter = UNCOUNTED,
    ) -> None:
        self.counter = counter
        self.problem = feedforward.problem
        self._require_known_start(feedforward)
        if settings.path is not None:
            self.problem = replace(self.problem, path=settings.path)
        mapping.require(names(self.problem.crane.outputs), "verification")
        self.feedforward, self.settings = feedforward, settings
        self.plant, self.mapping = plant, mapping
        self.parameters = self.problem.parameter_vector
        self.q_start, self.v_start = feedforward.q[0], feedforward.v[0]
        start = settings.start if settings.path is None else self._moved_start(settings.path)
        if start:
            crane, p = self.problem.crane, self.parameters
            self.q_start, self.v_start = start_elsewhere(
                crane, p, self.q_start, self.v_start, start
            )
        if self.moving_start and not (
            mapping.start_values.carry_velocities or self._seen_velocities()
        ):
            raise unset_start(plant.info.name, "no start value of it takes a velocity")
        self.values = {
            **mapping.parameters(self.problem, self.q_start, self.v_start),
            **mapping.units.own_values(settings.parameters),
        }
        self.start = mapping.start(self.problem, self.q_start, self.v_start)
        self.times = compared_times(feedforward, settings)
        self.max_step = _largest_step(plant, settings, self.times)
        self.speed = mapping.speed
        self.drives = self._drives() if settings.loops else None
        self.disturbed = disturbance_signals(settings.disturbances, mapping.units)
        self.law = law
        if law is None and settings.feedback is not None:
            self.law = plant_law(feedforward, mapping, settings.feedback, self.times)
        if around(self.speed):
            self._require_own_inputs()
            self.drives = self._master_drives(feedforward)
        fed_back = () if self.drives is None else (*self.drives.positions, *self.drives.velocities)
        self.readings = tuple(dict.fromkeys((*mapping.readings, *fed_back)))

    @property
    def moving_start(self) -> bool:
        """Whether the plant starts with velocities."""
        known, real = self.feedforward.problem.path, self.problem.path
        given = bool(self.settings.start.get("v"))
        return known.moving_ends[0] or real.moving_ends[0] or given

    def _moved_start(self, path: Path) -> dict[str, dict[str, float]]:
        """Return where the plant starts if the base does what it really does."""
        found = path.derivatives([0.0], 1)[:, :, 0]
        rows = {name: path.outputs.index(name) for name in names(self.problem.crane.motions)}
        real = {
            group: {name: float(values[row]) for name, row in rows.items()}
            for group, values in zip("qv", found, strict=True)
        }
        return {group: {**real[group], **self.settings.start.get(group, {})} for group in "qv"}

    def _require_known_start(self, feedforward: Feedforward) -> None:
        """Refuse a motion from rest that is cut off where it already moves."""
        fastest = float(np.abs(feedforward.v[0]).max())
        least = max(AT_REST, STARTING * float(np.abs(feedforward.v).max()))
        if not feedforward.problem.path.moving_ends[0] and fastest > least:
            raise InputError(
                f"verification starts the plant at rest, as the path does, but the motion starts "
                f"with velocities of up to {fastest:.1e}; let solve.before be longer"
            )

    def _seen_velocities(self) -> list[str]:
        """Return the coordinates whose velocities the plant shows."""
        coordinates = names(self.problem.crane.coordinates)
        return [name for name in coordinates if not self.mapping.missing([f"v.{name}"])]

    def require_start(self, simulation: Simulation) -> None:
        """Refuse a plant that did not start as the motion does, or as it was asked to."""
        self._require_other_start(simulation)
        if not self.moving_start:
            return
        coordinates, v = names(self.problem.crane.coordinates), self.feedforward.v
        for name in self._seen_velocities():
            i = coordinates.index(name)
            started = float(self.signals((f"v.{name}",), simulation.outputs[:1])[0, 0])
            wanted = float(self.v_start[i])
            if abs(started - wanted) > AT_REST + OTHER_START * float(np.abs(v[:, i]).max()):
                what = f"v.{name} is {started:.6g}, the twin's is {wanted:.6g}"
                raise unset_start(self.plant.info.name, what)

    def _require_other_start(self, simulation: Simulation) -> None:
        """Refuse a plant that did not take what plant.start gives."""
        coordinates, first = names(self.problem.crane.coordinates), simulation.outputs[:1]
        states = {"q": (self.q_start, self.feedforward.q), "v": (self.v_start, self.feedforward.v)}
        for group, given in self.settings.start.items():
            for name in given:
                i, signal = coordinates.index(name), name if group == "q" else f"v.{name}"
                wanted, usual = (float(rows[i]) for rows in (states[group][0], states[group][1][0]))
                if self.mapping.missing([signal]):
                    continue
                started = float(self.signals((signal,), first)[0, 0])
                if abs(started - wanted) > AT_REST + OTHER_START * abs(wanted - usual):
                    raise InputError(
                        f"plant '{self.plant.info.name}' does not start as plant.start says: "
                        f"{signal} is {started:.6g} and not {wanted:.6g}; give its start "
                        "parameters in plant.map.start, by coordinates and velocities of the twin"
                    )

    def controls(self, feedforward: Feedforward, feed: Feed) -> Controls:
        """Return the controls in the form that is fed in, with disturbances."""
        controls = self._undisturbed(feedforward, feed)
        return controls if self.disturbed is None else add_signals(controls, self.disturbed)

    def _undisturbed(self, feedforward: Feedforward, feed: Feed) -> Controls:
        if self.law is not None:
            return Controls.sampled(self.law.law, self.mapping.input_names)
        given = self._really_moved(fed(feedforward, self.speed))
        if feed == "exact":
            controls = self.mapping.controls(given, self.problem, feedforward.kinks)
        else:
            K, k = self.mapping.input_matrix(self.problem.parameters)
            make = Controls.linear if feed == "linear" else Controls.hold
            times = fed_times(feedforward, given) if self.speed else feedforward.time
            polynomial = self.speed or self.settings.path is not None
            values = given(times) if polynomial else feedforward.u
            controls = make(times, values @ K.T + k, self.mapping.input_names)
        drives = self.drives
        if around(self.speed) and feedforward is not self.feedforward:
            drives = self._master_drives(feedforward)
        return controls if drives is None else controls.with_drives(drives)

    def _really_moved(self, given: Piecewise) -> Piecewise:
        """Return what is fed in with the accelerations of the base as it really moves."""
        path, crane = self.settings.path, self.problem.crane
        if path is None:
            return given
        rows = [path.outputs.index(name) for name in names(crane.motions)]
        own = [acceleration_of(motion).name for motion in crane.motions]
        columns = [names(crane.inputs).index(name) for name in own]
        ends = [
            tuple(path.derivatives(times, 3, side)[2:, rows].transpose(0, 2, 1))
            for times, side in ((given.x[:-1], "right"), (given.x[1:], "left"))
        ]
        cubic = hermite(given.x, *ends).c
        c = np.zeros((max(len(cubic), len(given.c)), *given.c.shape[1:]))
        c[len(c) - len(given.c) :] = given.c
        c[:, :, columns] = 0.0
        c[len(c) - len(cubic) :, :, columns] = cubic
        return Piecewise(c, given.x)

    @property
    def _own_inputs(self) -> dict[str, str]:
        """The plant's input for each of the twin's, of those that are taken as they are."""
        return {text: name for name, text in self.mapping.input_expressions.items()}

    def _require_own_inputs(self) -> None:
        """Refuse speed loops around inputs that the plant does not have as they are."""
        for loop in around(self.speed):
            if loop.input not in self._own_inputs:
                raise InputError(
                    f"plant.speed.{loop.input} with where = 'master' needs a plant input that is "
                    f"{loop.input} as it is, without plant.map.inputs"
                )

    def _drives(self) -> Drives:
        loops, feedforward = self.settings.loops, self.feedforward
        coordinates = names(self.problem.crane.coordinates)
        columns = [coordinates.index(loop.coordinate) for loop in loops]
        reference = Controls.cubic(
            feedforward.time,
            feedforward.q[:, columns],
            feedforward.v[:, columns],
            [loop.coordinate for loop in loops],
            stops=self.problem.path.knots,
        )
        drives = Drives(
            inputs=tuple(loop.input for loop in loops),
            positions=tuple(map(position_of, loops)),
            velocities=tuple(map(velocity_of, loops)),
            kp=tuple(loop.kp for loop in loops),
            kv=tuple(loop.kv for loop in loops),
            reference=reference,
        )
        return drives_in_units(drives, self.mapping.units)

    def _master_drives(self, feedforward: Feedforward) -> Drives:
        drives = master_drives(feedforward, self.speed, self._own_inputs)
        return drives_in_units(drives, self.mapping.units)

    def simulate(
        self,
        feedforward: Feedforward,
        tolerance: float,
        feed: Feed | None = None,
        *,
        times: Array | None = None,
        step: float | None = None,
        parameters: Mapping[str, float] | None = None,
        dense: bool = False,
        stops: ArrayLike = (),
        part: float = 1.0,
    ) -> Simulation:
        """Simulate manoeuvre and settling window; no step reaches over further `stops`.

        The integrator's largest step, if it has one, is this `part` of that of other runs.
        """
        controls = self.controls(feedforward, feed or self.settings.feed)
        progress = self.counter.begin()
        try:
            return self.plant.simulate(
                times=self.times if times is None else times,
                inputs=_stopping(controls, stops),
                parameters=self.values if parameters is None else parameters,
                start=self.start,
                outputs=self.readings,
                rtol=tolerance,
                atol=1e-2 * tolerance,
                step=step or (self.settings.step if self.plant.is_stepped else None),
                max_step=None if self.max_step is None else part * self.max_step,
                dense=dense and self.plant.interface == "me",
                progress=progress,
            ).complete()
        except PlantError as error:
            notes = () if self.law is None else slack_notes(self.feedforward)
            if not notes:
                raise
            raise PlantError(f"{error} It is run with a controller, and {notes[0]}.") from error

    def twin_parameters(self, changed: Mapping[str, float]) -> dict[str, float]:
        """Return the twin's parameters, as the plant has those of the same name if changed so."""
        own = self.problem.parameters
        mapped = self.mapping.tables.get("parameters", {})
        same = {n: x for n, x in changed.items() if n in own and n not in mapped}
        return {**own, **same}

    def signals(self, wanted: tuple[str, ...], readings: Array) -> Array:
        """Return signals of the twin from rows of readings."""
        own = readings[:, : len(self.mapping.readings)]
        return self.mapping.signals(wanted, own, self.parameters)

    def outputs(self, simulation: Simulation) -> Array:
        """Return the twin's outputs from the plant's."""
        return self.signals(names(self.problem.crane.outputs), simulation.outputs)


def _largest_step(plant: Plant, settings: Settings, times: Array) -> float | None:
    """Return the integrator's largest step in s.

    Our own exports announce what time switches. What another tool's plant does in a moment between
    two steps, without an event, nobody would see.
    """
    if plant.is_stepped or settings.max_step is not None:
        return settings.max_step
    own = plant.info.generation_tool.startswith("cranebridge ")
    return None if own else float(times[-1] - times[0]) / FEWEST_STEPS


def _stopping(controls: Controls, stops: ArrayLike) -> Controls:
    """Add stops to controls."""
    if not np.size(stops):
        return controls
    return replace(controls, stops=np.union1d(controls.stops, stops))


def why_unwatched(path: Path) -> str:
    """Return why a plant is not watched after the end of its motion, where it is not."""
    if path.moving_ends[1]:
        return "the motion ends moving and is judged until its end"
    return "the plant is not watched after the end; let plant.settle be longer"


def compared_times(feedforward: Feedforward, settings: Settings) -> Array:
    """Return the compared times: the manoeuvre, and the settling window after it.

    They are multiples of the step, with the start of a manoeuvre that begins before the path. A
    manoeuvre that ends in motion is compared until its end: nothing is wanted after it.
    """
    path = settings.path or feedforward.problem.path
    settle = 0.0 if path.moving_ends[1] else settings.settle
    begin, end, step = float(feedforward.time[0]), float(feedforward.time[-1]), settings.step
    require_points("plant.step", step, end - begin, MOST_TIMES)
    if settle / step > MOST_TIMES:
        raise InputError(
            f"plant.settle = {settle:g} s gives more than {MOST_TIMES:,} points with plant.step = "
            f"{step:g} s; use a smaller one"
        )
    first = np.ceil(begin / step * (1.0 - 1e-12))
    moving = step * np.arange(first, np.ceil(end / step * (1.0 - 1e-12)))
    if moving[0] > begin + 1e-9 * step:
        moving = np.append(begin, moving)
    count = max(round(settle / step), 1)
    after = np.linspace(end, end + settle, count + 1) if settle else [end]
    return np.concatenate([moving, after])
