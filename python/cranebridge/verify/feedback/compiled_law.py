"""The controller of a verification: compiled, with what its sensors read of the plant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.control.code import Controller, controller_sources, estimates_of
from cranebridge.control.model import ReferenceMotion
from cranebridge.control.observer import Sensor, reading
from cranebridge.control.simulation import draw_noise
from cranebridge.errors import InputError
from cranebridge.inverse import Feedforward, require_points
from cranebridge.limits import Verdict
from cranebridge.plant.protocol import SampledLaw
from cranebridge.plant.sandbox import STEM, compiled_controller
from cranebridge.twin import equations_of_motion
from cranebridge.twin.language import names
from cranebridge.verify.feedback.controllers import ControllerDesign, design_controller, full_map
from cranebridge.verify.feedback.operations import operation_rows
from cranebridge.verify.mapping import PlantMap
from cranebridge.verify.settings import Feedback

Array = NDArray[np.float64]

# Samples and changes this close to a compared time, in cycles, are meant to be there.
SAME_TIME = 1e-6


@dataclass(frozen=True, eq=False)
class PlantLaw:
    """A controller as the plant's side runs it.

    Attributes
    ----------
    law : SampledLaw
        Compiled, with its sensors.
    E, e : numpy.ndarray
        The twin's inputs are E u + e with u what the controller gives out.
    designed : ControllerDesign
        What was designed.
    """

    law: SampledLaw
    E: Array
    e: Array
    designed: ControllerDesign

    @property
    def lines(self) -> tuple[str, ...]:
        """What was designed, in words."""
        return self.designed.lines

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user of it must know."""
        return self.designed.notes

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """With an observer: whether the loop with its filter is stable."""
        return self.designed.verdicts

    def inputs(self, given: Array, times: Array) -> Array:
        """Return the twin's inputs that act at some times."""
        return np.asarray(self.law.acting(given, times) @ self.E.T + self.e)

    def compiled_here(self) -> PlantLaw:
        """Return the same controller on this machine, where it need not be compiled yet."""
        controller = self.designed.controller
        return replace(self, law=replace(self.law, library=_library(controller)))

    def redrawn(self, draw: int) -> PlantLaw:
        """Return the same controller with another draw of its sensors' noise."""
        observer = self.designed.controller.observer
        if observer is None:
            return self
        noise = draw_noise(observer, self.law.time.size, draw)
        return replace(self, law=replace(self.law, noise=noise))


def _library(controller: Controller) -> str:
    """Return the compiled module of a controller."""
    estimates = len(estimates_of(controller)) > 0
    return str(compiled_controller(*controller_sources(controller, STEM), estimates=estimates))


def plant_law(
    feedforward: Feedforward, mapping: PlantMap, feedback: Feedback, times: Array
) -> PlantLaw:
    """Design a controller for a plant and compile it: the very code that is handed over.

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
        If the plant does not show what the controller measures.
    """
    designed = design_controller(feedforward, feedback, mapping)
    controller, side = designed.controller, plant_side(designed, mapping, feedback)
    symbols = ca.SX.sym("y", len(side.readings))
    when = _times(designed.reference, controller.delay, times)
    count, m = len(controller.measured), len(controller.inputs)
    observer, sensors = controller.observer, feedback.sensing.sensors
    estimates = len(estimates_of(controller))
    law = SampledLaw(
        readings=side.readings,
        program=operation_rows(side.measure(symbols), symbols),
        noise=np.zeros((0, count))
        if observer is None
        else draw_noise(observer, when["time"].size, feedback.sensing.draw),
        resolution=np.array([sensor.resolution for sensor in sensors] or [0.0] * count),
        every=tuple(sensor.samples(controller.cycle) for sensor in sensors) or (1,) * count,
        library=_library(controller),
        first=controller.hold[0],
        D=side.D,
        d=side.d,
        estimates=estimates,
        **when,
    )
    if feedback.kind != "drives":
        return PlantLaw(law, np.eye(m), np.zeros(m), designed)
    M, k = mapping.input_matrix(designed.reference.parameters)
    E: Array = np.asarray(np.linalg.pinv(M), dtype=float)
    return PlantLaw(law, E, -E @ k, designed)


# ---------------------------------------------------------------------------- what is measured


@dataclass(frozen=True, eq=False)
class PlantSide:
    """What stands between a controller and a plant.

    Attributes
    ----------
    readings : tuple of str
        Variables of the plant that are read.
    measure : casadi.Function
        ``readings -> measured``: what the controller's sensors see, without noise.
    inputs : tuple of str
        The plant's inputs.
    D, d : numpy.ndarray
        They are D u + d, u what the controller gives out.
    """

    readings: tuple[str, ...]
    measure: ca.Function
    inputs: tuple[str, ...]
    D: Array
    d: Array


def plant_side(designed: ControllerDesign, mapping: PlantMap, feedback: Feedback) -> PlantSide:
    """Return how a controller's signals relate to a plant's variables.

    Raises
    ------
    InputError
        If the plant does not show what the controller measures.
    """
    inputs, reference = tuple(mapping.input_names), designed.reference
    if feedback.kind == "drives":
        m = len(inputs)
        read = _own_readings(designed)
        return PlantSide(*read, inputs, np.eye(m), np.zeros(m))
    D, d = mapping.input_matrix(reference.parameters)
    mapping = full_map(mapping)
    p = np.array([reference.parameters[name] for name in names(reference.crane.parameters)])
    sensors: Sequence[Sensor] = feedback.sensing.sensors
    if not sensors:
        sensors = [Sensor(channel.name, 1.0) for channel in designed.controller.measured]
    read = mapping.reader([_measured(mapping, sensor, p) for sensor in sensors], p)
    return PlantSide(*read, inputs, D, d)


def _own_readings(designed: ControllerDesign) -> tuple[tuple[str, ...], ca.Function]:
    """Return the plant's own variables that are measured, each as it is."""
    wanted = [channel.name for channel in designed.controller.measured]
    own = tuple(dict.fromkeys(wanted))
    symbols = ca.SX.sym("y", len(own))
    signals = ca.vertcat(*(symbols[own.index(name)] for name in wanted))
    return own, ca.Function("measure", [symbols], [signals], ["y"], ["s"])


def _measured(mapping: PlantMap, sensor: Sensor, p: Array) -> ca.SX:
    """Return what a sensor reads by variables of the plant."""
    crane = mapping.crane
    model, coordinates = equations_of_motion(crane), names(crane.coordinates)
    group, _, name = sensor.signal.partition(".")
    if group == "y" and name in names(crane.outputs):
        return mapping.expression(name)  # as the plant has it, not as its coordinates would
    value = ca.substitute(ca.SX(reading(model, sensor)), model.p, ca.DM(p))
    known = {f"q.{one}": (model.q[i], one) for i, one in enumerate(coordinates)}
    known |= {f"v.{one}": (model.v[i], f"v.{one}") for i, one in enumerate(coordinates)}
    used = {title: pair for title, pair in known.items() if ca.depends_on(value, pair[0])}
    hidden = mapping.missing(signal for _, signal in used.values())
    if hidden:
        raise InputError(
            f"sensor {sensor.title} needs {', '.join(hidden)} of crane '{crane.name}', which plant "
            f"'{mapping.info.name}' does not show; add to plant.map.signals, such as "
            f'"{hidden[0]}" = "..."'
        )
    symbols = [symbol for symbol, _ in used.values()]
    shown = [mapping.expression(signal) for _, signal in used.values()]
    return ca.substitute(value, ca.vertcat(*symbols), ca.vertcat(*shown)) if symbols else value


# ---------------------------------------------------------------------------- times


def _times(reference: ReferenceMotion, delay: tuple[int, float], times: Array) -> dict[str, Any]:
    """Return samples up to the end of the simulation, when their inputs change, and the delay."""
    cycle, end = reference.cycle, float(times[-1])
    whole, rest = delay
    require_points("control.cycle", cycle, end - float(reference.time[0]))
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
