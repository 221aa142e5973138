"""What the parent asks of the child process: frozen descriptions that both sides read.

The parent makes a request and checks it, the wire carries its message, and the child makes the same
request of it. Variables stand in it as value references, names only for messages to people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.protocol.controls import Controls, from_message, to_message

Array = NDArray[np.float64]
VariableReference = int | tuple[int, str] | tuple[int, str, int, int]
"""A number of the FMU: a value reference alone where it is a Float64, else with its type; of an
array also which element of how many. See `variable_block`."""
VariableValues = tuple[int, str, tuple[float, ...]]
"""Value reference, type and all values of a variable."""
Message = tuple[dict[str, Any], dict[str, Array]]
"""A header, which JSON takes, and arrays of doubles."""


@dataclass(frozen=True)
class Instantiation:
    """What an instance of an FMU is made from.

    Attributes
    ----------
    version : {"2.0", "3.0"}
        The FMI version.
    interface : {"me", "cs"}
        Model Exchange or Co-Simulation.
    backend : {"own", "pyfmi", "fmpy"}
        Who makes the calls.
    directory, identifier, token : str
        Where its files are, the binary's name, and the token that it asks for.
    states, event_indicators : int
        How many there are; no indicators in Co-Simulation.
    needs_completed_step : bool
        It wants ``completedIntegratorStep`` after each step of the integrator.
    log_categories : tuple of str
        Those that it has.
    structure : tuple of VariableValues
        Structural parameters that are set first.
    early_return, event_mode : bool
        What it can do in Co-Simulation.
    """

    version: str
    interface: str
    backend: str
    directory: str
    identifier: str
    token: str
    states: int
    event_indicators: int
    needs_completed_step: bool
    log_categories: tuple[str, ...] = ()
    structure: tuple[VariableValues, ...] = ()
    early_return: bool = False
    event_mode: bool = False

    @property
    def is_fmi2(self) -> bool:
        """Whether it is of FMI 2."""
        return self.version == "2.0"

    @property
    def is_model_exchange(self) -> bool:
        """Whether its interface is Model Exchange."""
        return self.interface == "me"


@dataclass(frozen=True, eq=False, kw_only=True)
class PlantRequest:
    """Something that is asked of an FMU.

    Attributes
    ----------
    command : str
        What is wanted of the worker.
    fmu : Instantiation
        The FMU.
    """

    command: str
    fmu: Instantiation

    def message(self) -> Message:
        """Return this request as the wire carries it."""
        body: dict[str, Any] = {}
        arrays: dict[str, Array] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, np.ndarray):
                arrays[item.name] = value
            elif isinstance(value, Controls):
                body[item.name], parts = to_message(value)
                arrays |= parts
            elif isinstance(value, Instantiation):
                body[item.name] = asdict(value)
            else:
                body[item.name] = value
        return body, arrays

    @classmethod
    def of_message(cls, body: Mapping[str, Any], arrays: Mapping[str, Array]) -> Self:
        """Return the request that a message carries; what else it says is not looked at."""
        values: dict[str, Any] = {}
        for item in fields(cls):
            name = item.name
            if name in arrays:
                values[name] = arrays[name]
            elif name == "controls":
                values[name] = from_message(body[name] or {}, dict(arrays))
            elif name == "fmu":
                values[name] = Instantiation(**_frozen(body[name]))
            else:
                values[name] = _frozen(body[name])
        return cls(**values)


def _frozen(value: Any) -> Any:
    """Put tuples in place of the lists that JSON has made of them."""
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return value
