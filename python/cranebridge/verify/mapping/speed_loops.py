"""Drives that take velocity references: in the plant, or as loops around a plant with forces.

The twin knows forces; :mod:`cranebridge.inverse.speed_drives` makes velocities of them. A plant
with speed drives inside has an input for each of them, and shows the force that it gives and the
integral of its speed error, so that nothing has to be believed. Around a plant whose inputs are
forces the verification closes the same loops itself:

    F = F_0 + kp (w - v) + ki (sigma - q),   sigma' = w,   sigma(0) = q(0),

because the integral of w - v is the way that the reference is ahead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, unknown
from cranebridge.inverse import (
    Feedforward,
    Piecewise,
    SpeedDrive,
    SpeedReferences,
    speed_references,
)
from cranebridge.plant.description import PlantInfo
from cranebridge.plant.protocol import Controls, Drives
from cranebridge.twin.language import names

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SpeedLoop(SpeedDrive):
    """A speed drive and what it is called in the plant.

    Attributes
    ----------
    where : str
        One of `cranebridge.plant.choices.SPEED_LOOPS`.
    reference, force, integral : str
        The plant's input for the reference, and its outputs of force and integral; names of the
        conventions if empty.
    """

    where: str = "plant"
    reference: str = ""
    force: str = ""
    integral: str = ""

    @property
    def reference_name(self) -> str:
        """The plant's input: ``w_s`` for coordinate s."""
        return self.reference or f"w_{self.coordinate}"

    @property
    def force_name(self) -> str:
        """The plant's output of the drive's force: the name of the twin's input."""
        return self.force or self.input

    @property
    def integral_name(self) -> str:
        """The plant's output of the speed error's integral: ``e_s`` for coordinate s."""
        return self.integral or f"e_{self.coordinate}"

    @property
    def gains(self) -> dict[str, float]:
        """Parameters that a plant may have for its gains: ``kp_s`` and ``ki_s``."""
        return {f"kp_{self.coordinate}": self.kp, f"ki_{self.coordinate}": self.ki}


def inside(loops: Sequence[SpeedLoop]) -> tuple[SpeedLoop, ...]:
    """Return the loops that are closed in the plant."""
    return tuple(loop for loop in loops if loop.where == "plant")


def around(loops: Sequence[SpeedLoop]) -> tuple[SpeedLoop, ...]:
    """Return the loops that the verification closes."""
    return tuple(loop for loop in loops if loop.where == "master")


def require_speed_signals(info: PlantInfo, loops: Sequence[SpeedLoop]) -> None:
    """Refuse loops whose signals a plant does not have.

    Raises
    ------
    InputError
        With the key, and what the plant has.
    """
    for loop in inside(loops):
        key = f"plant.speed.{loop.input}"
        if loop.reference_name not in info.input_names:
            raise unknown(
                f"input of plant '{info.name}' in {key}.reference",
                loop.reference_name,
                info.input_names,
            )
        if loop.force_name not in info.output_names:
            raise unknown(
                f"output of plant '{info.name}' in {key}.force", loop.force_name, info.output_names
            )
    for loop in around(loops):
        for name in (loop.coordinate, f"v_{loop.coordinate}"):
            if name not in info.output_names:
                raise InputError(
                    f"plant.speed.{loop.input}: the loop needs the outputs {loop.coordinate} and "
                    f"v_{loop.coordinate}, and plant '{info.name}' has no {name}"
                )


def fed(feedforward: Feedforward, loops: Sequence[SpeedLoop]) -> Piecewise:
    """Return what a plant is given over time, in the order of the twin's inputs.

    Velocities where the plant has a speed loop, the force that is held where one is closed around
    it, and the feedforward's forces elsewhere.
    """
    if not loops:
        return feedforward.control_polynomial
    references = speed_references(feedforward, loops)
    given, inputs = references.inputs, names(references.crane.inputs)
    for loop in around(loops):
        column = inputs.index(loop.input)
        given.c[:, :, column] = 0.0
        given.c[-1, :, column] = feedforward.hold[column]
    return given


def fed_times(feedforward: Feedforward, given: Piecewise) -> Array:
    """Return the feedforward's times, and as far apart those after its end until it has faded."""
    time, until = feedforward.time, float(given.x[-1])
    step = float(time[-1] - time[-2])
    return np.append(time, np.arange(time[-1] + step, until, step))


def master_drives(
    feedforward: Feedforward, loops: Sequence[SpeedLoop], inputs: Mapping[str, str]
) -> Drives:
    """Return the loops that the verification closes.

    Parameters
    ----------
    feedforward : Feedforward
        The motion.
    loops : sequence of SpeedLoop
        All speed loops.
    inputs : mapping of str to str
        The plant's input for each of the twin's.
    """
    own = around(loops)
    references: SpeedReferences = speed_references(feedforward, own)
    coordinates = [loop.coordinate for loop in own]
    columns = [names(references.crane.coordinates).index(name) for name in coordinates]
    times = references.times
    ahead = feedforward.coordinates(times)[:, columns] + references.integrals(times)
    speeds = Controls.from_ppoly(references.speeds, coordinates)
    return Drives(
        inputs=tuple(inputs[loop.input] for loop in own),
        positions=tuple(coordinates),
        velocities=tuple(f"v_{name}" for name in coordinates),
        kp=tuple(loop.ki for loop in own),
        kv=tuple(loop.kp for loop in own),
        reference=Controls.cubic(times, ahead, references.speeds(times), coordinates),
        rate=speeds,
    )
