"""How a plant is driven and simulated in the verification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from cranebridge.control.observer import GATE, PATIENCE, Sensor
from cranebridge.limits import Limits
from cranebridge.path import Path
from cranebridge.verify.disturbances import Disturbance
from cranebridge.verify.mapping import SpeedLoop

Feed = Literal["exact", "linear", "hold"]


@dataclass(frozen=True)
class DriveController:
    """A drive's controller: u = u_ff + kp (r - position) + kv (r' - velocity).

    Attributes
    ----------
    input, position, velocity : str
        Names of the plant's input and of the outputs that are fed back.
    coordinate : str
        The twin's coordinate that is the reference.
    kp, kv : float
        Gains in units of the input per unit of the coordinate, and per unit of its rate.
    ki : float
        Gain of the position error's integral; for sampled loops only.
    """

    input: str
    coordinate: str
    kp: float
    kv: float
    position: str = ""
    velocity: str = ""
    ki: float = 0.0


@dataclass(frozen=True)
class Sensing:
    """What a controller measures, and how it estimates the rest.

    Attributes
    ----------
    sensors : tuple of Sensor
        What is measured, with noise, resolution and cycle; none for all coordinates and
        velocities, as they are.
    disturbances : mapping of str to float or None
        What is estimated with the state, and how large it is; see
        `cranebridge.control.design_observer`. None for the default: with lqi the payload.
    variance, growth : mapping of str to float
        By state: what is known at the start, and what is added each cycle; defaults for others.
    draw : int
        Which draw of the noise: the same one gives the same noise.
    gate, patience : float
        Standard deviations beyond which a reading is refused, and for how long in s.
    """

    sensors: tuple[Sensor, ...] = ()
    disturbances: Mapping[str, float] | None = None
    variance: Mapping[str, float] = field(default_factory=dict)
    growth: Mapping[str, float] = field(default_factory=dict)
    draw: int = 1
    gate: float = GATE
    patience: float = PATIENCE


@dataclass(frozen=True)
class Feedback:
    """A sampled controller beside the feedforward.

    Attributes
    ----------
    kind : {"lqr", "lqi", "drives"}
        What it is.
    cycle, delay : float
        Its cycle, and the time in s from a sample until its inputs act.
    weights : mapping of str to float
        Weights of the cost by signal, for lqr and lqi; see `cranebridge.control.choose_weights`.
    limits : Limits
        Of the inputs, which are kept; and for default weights.
    loops : tuple of DriveController
        Loops of the drives, for drives.
    sensing : Sensing
        What is measured, for lqr and lqi.
    fade : float
        Time in s over which the feedback of lqr and lqi grows from nothing at the start.
    gains : {"time", "position"}
        What the gains follow; see `cranebridge.control.law_kinds`.
    speed : tuple of SpeedLoop
        Drives with a speed loop: the controller gives velocity references to them.
    """

    kind: str
    cycle: float
    delay: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    loops: tuple[DriveController, ...] = ()
    sensing: Sensing = field(default_factory=Sensing)
    fade: float = 0.0
    gains: str = "time"
    speed: tuple[SpeedLoop, ...] = ()


@dataclass(frozen=True)
class Settings:
    """How the plant is driven and simulated.

    Attributes
    ----------
    feed : {"exact", "linear", "hold"}
        How the controls are given between the feedforward's times.
    tolerance : float
        Relative tolerance of the integrator.
    settle : float
        Seconds that the plant is watched after the path's end, with the last controls held; none
        after a path that ends in motion.
    max_step : float or None
        Largest step of the integrator in Model Exchange; None for a part of the motion where the
        FMU is not ours, else for none.
    step : float
        Communication step for Co-Simulation, and distance of the compared times.
    loops : tuple of DriveController
        Continuous drive controllers; none for pure forces and torques.
    feedback : Feedback or None
        A sampled controller, in place of `loops`.
    start : mapping of str to mapping
        Coordinates (``q``) and velocities (``v``) that the plant starts with in place of those of
        the motion, by the twin's names.
    disturbances : tuple of Disturbance
        Forces on the load and on drives, which the controller does not know.
    speed : tuple of SpeedLoop
        Drives with a speed loop, in the plant or around it.
    parameters : mapping of str to float
        Parameters of the plant that differ from the twin's, such as a wrong payload mass.
    path : Path or None
        The path with the base's motions as they really go, where not as the controls know.
    variants : mapping of str to mapping
        Further sets of plant parameters that the same controls are tried on.
    """

    feed: Feed = "exact"
    tolerance: float = 1e-10
    settle: float = 2.0
    step: float = 0.01
    max_step: float | None = None
    loops: tuple[DriveController, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)
    variants: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    feedback: Feedback | None = None
    start: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    disturbances: tuple[Disturbance, ...] = ()
    speed: tuple[SpeedLoop, ...] = ()
    path: Path | None = None

    @property
    def differs(self) -> bool:
        """Whether the plant is meant to do something else than the twin."""
        return bool(
            self.loops
            or self.parameters
            or self.feedback
            or self.start
            or self.disturbances
            or self.path
        )
