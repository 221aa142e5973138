"""An SSP from parts: what drives a plant, connected to the plant's FMU.

An archive with ``SystemStructure.ssd`` and, in ``resources``, both FMUs and the parameter values.
There are two kinds, a module each: a feedforward (`feedforward_ssp`) and a controller
(`controller_ssp`). What is particular to a kind is its `Driver`; what both have in common is here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cranebridge.deliver.fmu import fmu_archive
from cranebridge.deliver.provenance import archived
from cranebridge.deliver.ssp.system import PLANT, Connection, Connector, system_files
from cranebridge.errors import InputError
from cranebridge.frontend import PlantModel
from cranebridge.inverse import Feedforward, ServoProblem
from cranebridge.plant.description import PlantInfo, PlantSignal, inspect
from cranebridge.plant.export import Fmi, cached_fmu, zip_bytes
from cranebridge.verify.mapping import PlantMap, SpeedLoop, unset_start

_TYPES = {"Float64": "Real", "Int32": "Integer", "Int64": "Integer", "Boolean": "Boolean"}


@dataclass(frozen=True)
class Driver:
    """What drives a plant.

    Attributes
    ----------
    name : str
        Of the component.
    model : PlantModel
        Its FMU.
    connectors : list of Connector
        What it has to connect.
    connections : list of Connection
        Between it and the plant.
    values : mapping
        What both are given, by ``component.name``.
    duration : float or None
        How long it drives [s]; None for as long as the path.
    """

    name: str
    model: PlantModel
    connectors: list[Connector]
    connections: list[Connection]
    values: Mapping[str, float | bool]
    duration: float | None


def driven_archive(
    problem: ServoProblem,
    driver: Driver,
    plant: tuple[Path, PlantMap],
    record: Mapping[str, Any],
    fmi: Fmi,
) -> bytes:
    """Make the SSP of a plant, from `plant_of`, and what drives it."""
    file, mapping = plant
    driven = [one for one in driver.connections if one.target == PLANT]
    sides = {driver.name: driver.connectors, PLANT: _plant_connectors(mapping.info, driven)}
    files = {
        **system_files(problem, sides, driver.connections, driver.values, driver.duration),
        f"resources/{driver.name}.fmu": fmu_archive(driver.model, record, fmi=fmi),
        f"resources/{PLANT}.fmu": file.read_bytes(),
    }
    return zip_bytes(archived(record, files))


def plant_of(
    problem: ServoProblem,
    scenario: Mapping[str, Any] | None,
    fmi: Fmi = "2.0",
    folder: Path = Path(),
) -> tuple[Path, PlantMap]:
    """Return the plant's FMU, the user's or one exported from Modelica (cached), and its map."""
    table = (scenario or {}).get("plant", {})
    if table.get("fmu") is not None:
        file = folder / table["fmu"]
    elif table.get("model") is not None:
        model = str(table["model"])
        source = str(folder / model) if ".mo" in model else model
        file = cached_fmu(source, fmi=fmi, shown=problem.crane.variables_in(source))
    else:
        raise InputError(
            "an SSP needs a plant: add plant.model (a model of modelica/Cranes) or plant.fmu (a "
            "file) to the scenario"
        )
    info = inspect(file)
    if not info.has_cs:
        raise InputError(f"'{file}' has no Co-Simulation interface, which an SSP needs")
    speed = tuple(SpeedLoop(name, **loop) for name, loop in (table.get("speed") or {}).items())
    return file, PlantMap(problem.crane, info, table.get("map") or {}, speed)


def plant_values(
    feedforward: Feedforward, mapping: PlantMap, scenario: Mapping[str, Any] | None
) -> dict[str, float]:
    """Return the values that the plant gets: parameters and start as in the verification.

    Raises
    ------
    InputError
        If the motion starts moving, and no start value of the plant takes a velocity.
    """
    problem, q, v = feedforward.problem, feedforward.q[0], feedforward.v[0]
    if problem.path.moving_ends[0] and not mapping.start_values.carry_velocities:
        raise unset_start(mapping.info.name, "no start value of it takes a velocity")
    found = {**mapping.parameters(problem, q, v), **mapping.start(problem, q, v)}
    given = ((scenario or {}).get("plant") or {}).get("parameters") or {}
    own = mapping.units.own_values(given)
    return {f"{PLANT}.{name}": value for name, value in {**found, **own}.items()}


def _plant_connectors(info: PlantInfo, connections: Iterable[Connection]) -> list[Connector]:
    """Return connected inputs and all outputs; FMPy cannot read an input that is not connected."""
    connected = {connection.end for connection in connections}

    def connector(signal: PlantSignal, kind: str) -> Connector:
        return Connector(signal.name, kind, signal.unit, _TYPES[signal.type])

    return [
        *(connector(signal, "input") for signal in info.inputs if signal.name in connected),
        *(connector(signal, "output") for signal in info.outputs if signal.type in _TYPES),
    ]
