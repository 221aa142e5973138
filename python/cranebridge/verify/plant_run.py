"""A plant, a feedforward and the settings: what several simulations of one verification share."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.plant.controls import Controls, Drives
from cranebridge.plant.plant import Plant
from cranebridge.plant.results import Simulation
from cranebridge.twin.crane import names
from cranebridge.verify.mapping import PlantMap
from cranebridge.verify.settings import Feed, Settings

Array = NDArray[np.float64]

# A start with velocities this small is one at rest: rounding, and what a pre-actuation that grows
# from nothing has at its first time, as a part of its largest velocity.
AT_REST, STARTING = 1e-9, 1e-6


class PlantRun:
    """Drives a plant with a feedforward, again and again.

    Attributes
    ----------
    times : numpy.ndarray
        The compared times: the manoeuvre, and the settling window after it.
    values : dict of str to float
        Parameters and start values of the plant.
    """

    def __init__(
        self, feedforward: Feedforward, plant: Plant, mapping: PlantMap, settings: Settings
    ) -> None:
        self.problem = feedforward.problem
        fastest = float(np.abs(feedforward.v[0]).max())
        if fastest > max(AT_REST, STARTING * float(np.abs(feedforward.v).max())):
            raise InputError(
                f"verification starts the plant at rest, but the motion starts with velocities of "
                f"up to {fastest:.1e}; let the path start at rest, and solve.before be longer"
            )
        mapping.require(names(self.problem.crane.outputs), "verification")
        self.feedforward, self.settings = feedforward, settings
        self.plant, self.mapping = plant, mapping
        self.parameters = self.problem.parameter_vector
        self.values = {
            **mapping.parameters(self.problem, feedforward.q[0], feedforward.v[0]),
            **settings.parameters,
        }
        self.times = compared_times(feedforward, settings)
        self.drives = self._drives() if settings.loops else None
        fed_back = () if self.drives is None else (*self.drives.positions, *self.drives.velocities)
        self.readings = tuple(dict.fromkeys((*mapping.readings, *fed_back)))

    def controls(self, feedforward: Feedforward, feed: Feed) -> Controls:
        """Return the controls in the form that is fed in."""
        if feed == "exact":
            controls = self.mapping.controls(feedforward.control_polynomial, self.problem)
        else:
            K, k = self.mapping.input_matrix(self.problem.parameters)
            make = Controls.linear if feed == "linear" else Controls.hold
            controls = make(feedforward.time, feedforward.u @ K.T + k, self.mapping.input_names)
        return controls if self.drives is None else controls.with_drives(self.drives)

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
        return Drives(
            inputs=tuple(loop.input for loop in loops),
            positions=tuple(loop.position or loop.coordinate for loop in loops),
            velocities=tuple(loop.velocity or f"v_{loop.coordinate}" for loop in loops),
            kp=tuple(loop.kp for loop in loops),
            kv=tuple(loop.kv for loop in loops),
            reference=reference,
        )

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
    ) -> Simulation:
        """Simulate manoeuvre and settling window."""
        return self.plant.simulate(
            times=self.times if times is None else times,
            inputs=self.controls(feedforward, feed or self.settings.feed),
            parameters=self.values if parameters is None else parameters,
            outputs=self.readings,
            rtol=tolerance,
            atol=1e-2 * tolerance,
            step=step or (self.settings.step if self.plant.interface == "cs" else None),
            dense=dense and self.plant.interface == "me",
        ).complete()

    def signals(self, wanted: tuple[str, ...], readings: Array) -> Array:
        """Return signals of the twin from rows of readings."""
        own = readings[:, : len(self.mapping.readings)]
        return self.mapping.signals(wanted, own, self.parameters)

    def outputs(self, simulation: Simulation) -> Array:
        """Return the twin's outputs from the plant's."""
        return self.signals(names(self.problem.crane.outputs), simulation.outputs)


def compared_times(feedforward: Feedforward, settings: Settings) -> Array:
    """Return the compared times: the manoeuvre, and the settling window after it.

    They are multiples of the step, with the start of a manoeuvre that begins before the path.
    """
    begin, end, step = float(feedforward.time[0]), float(feedforward.time[-1]), settings.step
    first = np.ceil(begin / step * (1.0 - 1e-12))
    moving = step * np.arange(first, np.ceil(end / step * (1.0 - 1e-12)))
    if moving[0] > begin + 1e-9 * step:
        moving = np.append(begin, moving)
    count = max(round(settings.settle / step), 1)
    after = np.linspace(end, end + settings.settle, count + 1) if settings.settle else [end]
    return np.concatenate([moving, after])
