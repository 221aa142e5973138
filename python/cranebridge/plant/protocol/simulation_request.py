"""A simulation as it is asked of the child process."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.plant.protocol import wire
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.protocol.request import PlantRequest, VariableReference, VariableValues

Array = NDArray[np.float64]
Saved = Literal["", "begin", "resume"]


@dataclass(frozen=True, eq=False, kw_only=True)
class SimulationRequest(PlantRequest):
    """What to simulate, in value references.

    Attributes
    ----------
    times : numpy.ndarray
        Output times in s, increasing.
    controls : Controls or None
        Inputs over time.
    references : mapping of str to VariableReference
        Of the inputs, and of what controllers measure.
    discrete : tuple of str
        Inputs that only change at events: they are set in event mode.
    intermediate : tuple of str
        Inputs, and outputs that controllers measure, that are set and read within a communication
        step.
    input_derivatives : bool
        The inputs move within a communication step, if the FMU can take that.
    max_order, order : int, int or None
        The highest order of input derivatives that the FMU says it takes; what it takes indeed, if
        that has been tried already.
    outputs, output_names : tuple
        The outputs.
    state_names : tuple of str
        The states; in Co-Simulation those that are variables.
    state_references : tuple of VariableReference
        Of the states, as far as they are variables.
    values : tuple of VariableValues
        Parameters and start values, set before the initialization.
    state_values : tuple of (int, float)
        Position and value of states to set after the initialization (Model Exchange).
    expected : tuple of (VariableReference, float, str)
        What variables are to be after the initialization, with their names.
    jacobian : tuple of (tuple of int, tuple of int)
        Value references of the states and of their derivatives, where the FMU gives directional
        derivatives of these (Model Exchange).
    rtol, atol : float
        Tolerances of the integrator; the FMU's own takes `rtol`.
    method : str
        The integrator (Model Exchange).
    max_step : float
        Its largest step in s.
    loop : str
        File of the compiled loop; none is used if empty.
    dense : bool
        Collect nodes within the integrator's steps too (Model Exchange).
    room : int
        Numbers that the answer may have.
    step : float or None
        Largest communication step in s (Co-Simulation); the median distance of `times` if None.
    variable_step : bool
        The FMU takes communication steps of different lengths.
    saved : {"", "begin", "resume"}
        The run begins a series from a saved state, or goes on with one (Co-Simulation).
    persistent : bool
        An instance that is set back will do, in place of a new one.
    """

    command: str = "simulate"
    times: Array
    controls: Controls | None = None
    references: Mapping[str, VariableReference] = field(default_factory=dict)
    discrete: tuple[str, ...] = ()
    intermediate: tuple[str, ...] = ()
    input_derivatives: bool = True
    max_order: int = 0
    order: int | None = None
    outputs: tuple[VariableReference, ...] = ()
    output_names: tuple[str, ...] = ()
    state_names: tuple[str, ...] = ()
    state_references: tuple[VariableReference, ...] = ()
    values: tuple[VariableValues, ...] = ()
    state_values: tuple[tuple[int, float], ...] = ()
    expected: tuple[tuple[VariableReference, float, str], ...] = ()
    jacobian: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    rtol: float = 1e-10
    atol: float = 1e-12
    method: str = "DOP853"
    max_step: float = math.inf
    loop: str = ""
    dense: bool = False
    room: int = wire.ANSWER_DOUBLES
    step: float | None = None
    variable_step: bool = True
    saved: Saved = ""
    persistent: bool = False

    def __post_init__(self) -> None:
        times, variables = self.times, len(self.output_names) + len(self.state_names)
        if times.ndim != 1 or len(times) < 2 or not (np.diff(times) > 0.0).all():
            raise InputError("output times: two or more increasing times are needed.")
        if not np.isfinite(times).all():
            raise InputError("output times: not finite.")
        sizes = (self.rtol, self.atol, self.step, self.max_step)
        if any(size is not None and not size > 0.0 for size in sizes):
            raise InputError("tolerances and step must be positive.")
        if len(times) * variables > self.room:
            raise InputError(
                f"{len(times):,} output times of {variables} variables are more than the "
                f"{self.room:,} numbers that are taken from a plant; use fewer times."
            )

    @property
    def start(self) -> float:
        """The first output time."""
        return float(self.times[0])

    @property
    def end(self) -> float:
        """The last output time."""
        return float(self.times[-1])

    @property
    def tolerance(self) -> float | None:
        """Relative tolerance of the FMU's own integrator; None in Model Exchange."""
        return None if self.fmu.is_model_exchange else self.rtol

    def stops(self) -> list[float]:
        """Ends of the pieces of the integration: where inputs are less smooth, and the end."""
        return [*self._stops_inside(), self.end]

    def _stops_inside(self) -> list[float]:
        if self.controls is None:
            return []
        parts = [self.controls.stops]
        if (drives := self.controls.drives) is not None:
            parts += [drives.reference.stops, drives.velocity.stops]
        stops = np.unique(np.concatenate(parts))
        inside: list[float] = stops[(stops > self.start) & (stops < self.end)].tolist()
        return inside

    def most_nodes(self, states: int) -> int:
        """Return how many nodes within steps fit into the answer, with the table of all times."""
        columns = states + len(self.outputs)
        return max((self.room - len(self.times) * columns) // (2 + columns), 0)
