"""What an FMU says about itself, as an object: one description for FMI 2.0 and 3.0."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from cranebridge.errors import InputError
from cranebridge.plant.description.unit_strings import Unit
from cranebridge.plant.library_compiler import host_platform

Interface = Literal["me", "cs"]


class DescriptionError(InputError):
    """The model description is malformed, or of a kind that is not supported."""


@dataclass(frozen=True, slots=True)
class PlantSignal:
    """A variable of an FMU: a scalar, or an element of an array.

    Attributes
    ----------
    name, unit, description : str
        As in the model description; the unit may come from the declared type.
    start : float or None
        Start value, or default value of a parameter.
    value_reference : int
        Handle of the variable in FMI calls; the elements of an array have the same.
    type : str
        Type in the words of FMI 3, such as ``"Float64"``; ``"Int32"`` for integers of FMI 2.
    causality, variability, initial : str
        As in the standard; empty where not given.
    size : int
        Number of values that the variable has in FMI calls; 1 for a scalar.
    element : int
        Which of them it is, from 0.
    intermediate : bool
        Can be read, or set if it is an input, within a communication step (FMI 3).
    """

    name: str
    unit: str = ""
    start: float | None = None
    value_reference: int = 0
    description: str = ""
    type: str = "Float64"
    causality: str = "local"
    variability: str = ""
    initial: str = ""
    size: int = 1
    element: int = 0
    intermediate: bool = False

    def check(self, value: float) -> None:
        """Refuse a value that the variable's type cannot hold."""
        if self.type == "Boolean" and value not in (0.0, 1.0):
            raise InputError(f"'{self.name}' is a Boolean: {value} is neither 0 nor 1.")
        whole = re.fullmatch(r"(U?)Int(\d+)", self.type)
        if whole is None:
            return
        bits, low = int(whole[2]), 0
        if not whole[1]:
            bits, low = bits - 1, -(2 ** (bits - 1))
        if value != math.floor(value) or not low <= value < 2**bits:
            raise InputError(f"'{self.name}' takes whole numbers ({self.type}), not {value}.")


@dataclass(frozen=True)
class PlantInfo:
    """An FMU's description.

    Attributes
    ----------
    name : str
        Name of the model.
    fmi_version : str
        ``"2.0"`` or ``"3.0"``.
    path : Path
        The FMU.
    sha256 : str
        Hash of the file.
    states, derivatives : tuple of str
        Names of the continuous states and of their derivatives, in the order of FMI calls.
    inputs, outputs, parameters : tuple of PlantSignal
        Numerical variables of these causalities, in the order of the description.
    structural : tuple of PlantSignal
        Structural parameters; their start values are those that the plant was opened with.
    variables : tuple of PlantSignal
        All variables; arrays of numbers by their elements.
    arrays : dict of str to tuple of int
        Shapes of the arrays.
    structure : dict of str to float
        Values of structural parameters that were asked for.
    has_me, has_cs : bool
        Model Exchange, Co-Simulation.
    can_get_derivatives : bool
        Directional derivatives are provided, by Model Exchange if there is one.
    max_input_derivative_order : int
        Order of input derivatives that Co-Simulation takes for certain: 1 for FMI 2 FMUs that can
        interpolate inputs (the standard has no number; more is tried), else 0.
    identifiers : dict of str to str
        Base name of the binary for ``"me"`` and ``"cs"``.
    event_indicators : int
        Number of event indicators.
    needs_completed_step : bool
        Model Exchange wants ``completedIntegratorStep`` after each step of the integrator.
    variable_step : bool
        Co-Simulation takes communication steps of different length.
    intermediate_update, early_return, event_mode : bool
        What FMI 3 Co-Simulation can do: ask for inputs within a communication step, end a step
        early, handle events in a mode of its own.
    restores_state : bool
        Co-Simulation can save its state and set it again (FMI's get and set state).
    output_dependencies : dict of str to tuple of str
        Inputs that an output depends on directly, where the FMU says so; arrays by their own names.
    initial_dependencies : dict of str to tuple of str
        Parameters that the start value of a state is calculated from, likewise.
    log_categories : tuple of str
        Log categories.
    units : dict of str to Unit
        The units that the FMU defines by base units.
    once_per_process : bool
        A process may instantiate the FMU once only, by whichever interface.
    """

    name: str
    fmi_version: str
    path: Path
    sha256: str
    states: tuple[str, ...]
    derivatives: tuple[str, ...]
    inputs: tuple[PlantSignal, ...]
    outputs: tuple[PlantSignal, ...]
    parameters: tuple[PlantSignal, ...]
    structural: tuple[PlantSignal, ...]
    variables: tuple[PlantSignal, ...]
    arrays: Mapping[str, tuple[int, ...]]
    structure: Mapping[str, float]
    has_me: bool
    has_cs: bool
    can_get_derivatives: bool
    max_input_derivative_order: int
    generation_tool: str
    guid: str
    description: str
    identifiers: Mapping[str, str]
    event_indicators: int
    needs_completed_step: bool
    variable_step: bool
    intermediate_update: bool
    early_return: bool
    event_mode: bool
    restores_state: bool
    output_dependencies: Mapping[str, tuple[str, ...]]
    initial_dependencies: Mapping[str, tuple[str, ...]]
    log_categories: tuple[str, ...]
    units: Mapping[str, Unit] = field(default_factory=dict)
    once_per_process: bool = False

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(signal.name for signal in self.inputs)

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(signal.name for signal in self.outputs)

    def signals(self) -> dict[str, PlantSignal]:
        """All variables by name."""
        return {signal.name: signal for signal in self.variables}

    def binary(self, interface: Interface) -> str:
        """Name in the archive of the binary for this platform."""
        return f"{self.binary_folder}{self.identifiers[interface]}{host_platform().extension}"

    @property
    def binary_folder(self) -> str:
        """Folder in the archive of this platform's binaries, of both interfaces."""
        platform = host_platform()
        return f"binaries/{platform.fmi2 if self.fmi_version == '2.0' else platform.name}/"
