"""What a plant gives back: simulations, rates, linearisations, step halving."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import unknown

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Dense:
    """A simulation between its output times: nodes within each step of the integrator.

    Chebyshev-Lobatto points of each step, from its begin to its end or to the event that cut it
    short. The time where a step ends and the next begins stands twice, with the values of the left
    and of the right side, so that jumps are seen: of the inputs, and of the states at an event.

    Attributes
    ----------
    time : numpy.ndarray
        Times of the nodes, not decreasing.
    outputs, states : numpy.ndarray
        A row for each node; columns as in the simulation.
    starts : numpy.ndarray
        Row of the first node of each step.
    """

    time: Array
    outputs: Array
    states: Array
    starts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Simulation:
    """What a plant did.

    Attributes
    ----------
    time : numpy.ndarray
        The output times.
    outputs, states : numpy.ndarray
        A row for each time, a column for each name.
    output_names, state_names : tuple of str
        Names of the columns.
    steps, rejected, evaluations, events : int
        Accepted and rejected steps of the integrator and its evaluations of the right-hand side
        (Model Exchange), or communication steps (Co-Simulation); events.
    method : str
        Integrator, or the communication step.
    interpolation : str
        How the inputs were given to the FMU between communication points.
    seconds : float
        Time in the child process without its start.
    log : tuple of str
        The FMU's log lines.
    dense : Dense or None
        Nodes within the integrator's steps, if asked for (Model Exchange).
    ended : str
        Why and when the FMU ended the simulation itself, before the last output time; `time`,
        `outputs` and `states` go up to there. Empty if it did not.
    given, measured, controller_status, estimated : numpy.ndarray or None
        What a sampled controller gave out, what its sensors said, what it returned (below zero
        where it did not know the plant's state), and what it estimated, a row for each of its
        samples.
    set_back : bool
        Whether it ran in the instance of a run before, which was reset.
    """

    time: Array
    outputs: Array
    states: Array
    output_names: tuple[str, ...]
    state_names: tuple[str, ...]
    steps: int
    rejected: int
    evaluations: int
    events: int
    method: str
    interpolation: str
    seconds: float
    log: tuple[str, ...]
    dense: Dense | None = None
    ended: str = ""
    given: Array | None = None
    measured: Array | None = None
    controller_status: Array | None = None
    estimated: Array | None = None
    set_back: bool = False

    def complete(self) -> Simulation:
        """Return this simulation; an error with the FMU's reason if it did not go to the end."""
        if self.ended:
            from cranebridge.plant.sandbox.child_process import PlantStatusError

            raise PlantStatusError(f"{self.ended}, before the end of the run.", self.log)
        return self

    def column(self, name: str) -> Array:
        """Return an output or state by name."""
        if name in self.output_names:
            return self.outputs[:, self.output_names.index(name)]
        if name in self.state_names:
            return self.states[:, self.state_names.index(name)]
        raise unknown("signal", name, (*self.output_names, *self.state_names))


@dataclass(frozen=True, eq=False)
class Rates:
    """Derivatives of states and outputs at points, with constant inputs; a row for each point.

    Attributes
    ----------
    derivatives : numpy.ndarray
        der(x), columns as `PlantInfo.states`.
    outputs, output_rates : numpy.ndarray
        The outputs and their time derivatives along the plant's own trajectory.
    output_names : tuple of str
        Names of the outputs.
    exact : bool
        The outputs' rates come from the FMU's directional derivatives alone; otherwise differences
        have part in them.
    """

    derivatives: Array
    outputs: Array
    output_rates: Array
    output_names: tuple[str, ...]
    exact: bool


@dataclass(frozen=True, eq=False)
class Linearization:
    """der(dx) = A dx + B du, dy = C dx + D du around a state.

    Attributes
    ----------
    A, B, C, D : numpy.ndarray
        The matrices, in the order of `PlantInfo.states`, `PlantInfo.inputs` and the outputs.
    output_names : tuple of str
        Names of the outputs.
    exact : bool
        From the FMU's directional derivatives; otherwise from central differences.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    output_names: tuple[str, ...]
    exact: bool


@dataclass(frozen=True, eq=False)
class Halving:
    """A Co-Simulation with the steps h, h/2 and h/4.

    Attributes
    ----------
    coarse, fine, finest : Simulation
        The three.
    differences : numpy.ndarray
        Largest differences between the first two and between the last two, for each output.
    order : numpy.ndarray
        Observed order for each output; nan where the differences are at rounding level.
    """

    coarse: Simulation
    fine: Simulation
    finest: Simulation
    differences: Array
    order: Array

    @classmethod
    def of(cls, coarse: Simulation, fine: Simulation, finest: Simulation) -> Halving:
        """Compare three simulations."""
        first, second = (
            np.abs(b.outputs - a.outputs).max(axis=0) for a, b in ((coarse, fine), (fine, finest))
        )
        level = 1e-13 * np.maximum(np.abs(finest.outputs).max(axis=0), 1e-3)
        seen = (second > level) & (first > level)
        order = np.full(len(first), np.nan)
        order[seen] = np.log2(first[seen] / second[seen])
        return cls(coarse, fine, finest, np.stack([first, second]), order)
