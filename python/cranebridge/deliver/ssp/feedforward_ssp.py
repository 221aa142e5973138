"""Delivery as an SSP: the FMU of the feedforward connected to the FMU of the plant.

System Structure and Parameterization 1.0 (Modelica Association, 2019): an archive with
``SystemStructure.ssd`` and, in ``resources``, both FMUs and the parameter values: start, goal,
duration and trigger of the motion where it is planned on line, parameters of the crane, start
values of the plant, which may start moving. A tool that opens it and simulates sees the load move
from start to goal.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import cranebridge
from cranebridge.deliver.fmu import HOLD, TRIGGER, feedforward_fmu, feedforward_model
from cranebridge.deliver.provenance import archived
from cranebridge.errors import InputError
from cranebridge.frontend import PlantModel, Variable
from cranebridge.inverse import Feedforward, ServoProblem
from cranebridge.limits import Limits
from cranebridge.plant.description import PlantInfo, Signal, inspect, parse_unit
from cranebridge.plant.export import Fmi, cached_fmu, zip_bytes
from cranebridge.verify.mapping import PlantMap, SpeedLoop, unset_start

FEEDFORWARD, PLANT = "feedforward", "plant"
"""Names of the two components."""

PARAMETERS = "resources/parameters.ssv"

_NAMESPACES = {
    kind: f"http://ssp-standard.org/SSP1/SystemStructure{name}"
    for kind, name in (
        ("ssc", "Common"),
        ("ssd", "Description"),
        ("ssv", "ParameterValues"),
    )
}
_TYPES = {"Float64": "Real", "Int32": "Integer", "Int64": "Integer", "Boolean": "Boolean"}


@dataclass(frozen=True)
class Connector:
    """An input or output of a component."""

    name: str
    kind: str
    unit: str = ""
    type: str = "Real"


@dataclass(frozen=True)
class Connection:
    """An output of one component that drives an input of another: factor * start + offset."""

    start: str
    end: str
    factor: float = 1.0
    offset: float = 0.0
    source: str = FEEDFORWARD
    target: str = PLANT


def ssp_archive(
    feedforward: Feedforward,
    limits: Limits,
    scenario: Mapping[str, Any] | None,
    record: Mapping[str, Any],
    *,
    fmi: Fmi = "2.0",
    hold: float = 0.0,
    folder: Path = Path(),
    played: PlantModel | None = None,
) -> bytes:
    """Make the SSP of a feedforward and its plant.

    Parameters
    ----------
    feedforward : Feedforward
        The solution; its problem is solved again on line if nothing is played, its first point is
        the plant's start.
    limits : Limits
        Limits that every plan must keep.
    scenario : mapping
        Its ``plant`` table names the plant, and how its names relate to the crane's.
    record : mapping
        Provenance.
    fmi : {"2.0", "3.0"}
        Version of the standard, of a plant that is exported, too.
    hold : float
        Interval over which the controls are held [s], zero for who passes their derivatives on.
    folder : pathlib.Path
        What a relative file name in the scenario is relative to.
    played : PlantModel, optional
        The feedforward's FMU, where it plays one motion and does not solve on line.

    Raises
    ------
    InputError
        If there is no plant, its inputs are not single controls, or it cannot start as the motion.
    """
    problem = feedforward.problem
    file, mapping = plant_of(problem, scenario, fmi, folder)
    if mapping.speed:
        raise InputError(
            "an SSP of a feedforward alone gives forces, and the drives of this plant take "
            "velocity references; give control.kind = 'lqr', whose controller gives them"
        )
    connections, constants = connections_to(problem, mapping)
    model = played or feedforward_model(problem, limits, FEEDFORWARD)
    motion = {} if played else motion_values(model)
    values: dict[str, float | bool] = {f"{FEEDFORWARD}.{k}": value for k, value in motion.items()}
    if hold > 0.0:
        values[f"{FEEDFORWARD}.{HOLD}"] = hold
    values |= {f"{PLANT}.{name}": value for name, value in constants.items()}
    values |= plant_values(feedforward, mapping, scenario)
    # for tools that exchange values after the first step only: what acts from the start on
    known = dict(zip((one.name for one in problem.crane.inputs), feedforward.u[0], strict=True))
    values |= {
        f"{PLANT}.{wire.end}": float(wire.factor * known[wire.start] + wire.offset)
        for wire in connections
    }
    sides = {
        FEEDFORWARD: [_connector_of(variable) for variable in model.outputs],
        PLANT: plant_connectors(mapping.info, connections),
    }
    duration = model.experiment.stop_time if played else None
    files = {
        **system_files(problem, sides, connections, values, duration),
        f"resources/{FEEDFORWARD}.fmu": feedforward_fmu(model, record, fmi=fmi),
        f"resources/{PLANT}.fmu": file.read_bytes(),
    }
    return zip_bytes(archived(record, files))


# ---------------------------------------------------------------------------- the two components


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
        file = cached_fmu(str(folder / model) if ".mo" in model else model, fmi=fmi)
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
    """Return what the plant is told: parameters and start as in the verification.

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


def motion_values(model: PlantModel) -> dict[str, float | bool]:
    """Return what the feedforward is told: the motion, triggered at the start, and parameters."""
    values: dict[str, float | bool] = {v.name: v.start for v in model.inputs if v.type == "real"}
    # All other wishes are false without being told; FMPy 0.3.32 takes the text "false" for true.
    values[TRIGGER] = True
    return values | {v.name: v.start for v in model.parameters if v.name != HOLD}


def connections_to(
    problem: ServoProblem, mapping: PlantMap
) -> tuple[list[Connection], dict[str, float]]:
    """Return connections, and the values of plant inputs that depend on no control."""
    matrix, offset = mapping.input_matrix(problem.parameters)
    controls = [quantity.name for quantity in problem.crane.inputs]
    found, constants = [], {}
    for name, row, constant in zip(mapping.input_names, matrix, offset, strict=True):
        used = np.flatnonzero(row)
        if used.size > 1:
            raise InputError(
                f"plant input '{name}' is made of several controls "
                f"({', '.join(controls[i] for i in used)}), which a connection of an SSP cannot do"
            )
        if used.size == 0:
            constants[name] = float(constant)
            continue
        found.append(Connection(controls[used[0]], name, float(row[used[0]]), float(constant)))
    return found, constants


def _connector_of(variable: Variable) -> Connector:
    return Connector(variable.name, "output", variable.unit, variable.type.capitalize())


def plant_connectors(info: PlantInfo, connections: Iterable[Connection]) -> list[Connector]:
    """Return connected inputs and all outputs; FMPy cannot read an input that is not connected."""
    connected = {connection.end for connection in connections}

    def connector(signal: Signal, kind: str) -> Connector:
        return Connector(signal.name, kind, signal.unit, _TYPES[signal.type])

    return [
        *(connector(signal, "input") for signal in info.inputs if signal.name in connected),
        *(connector(signal, "output") for signal in info.outputs if signal.type in _TYPES),
    ]


# ---------------------------------------------------------------------------- XML


def _tag(kind: str, name: str) -> str:
    return f"{{{_NAMESPACES[kind]}}}{name}"


def _serialize(root: ET.Element) -> bytes:
    for prefix, uri in _NAMESPACES.items():
        ET.register_namespace(prefix, uri)
    ET.indent(root)
    body = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'.encode()


def _tool() -> str:
    return f"cranebridge {cranebridge.__version__}"


def system_files(
    problem: ServoProblem,
    sides: Mapping[str, Iterable[Connector]],
    connections: Iterable[Connection],
    values: Mapping[str, float | bool],
    duration: float | None = None,
) -> dict[str, bytes]:
    """Return the structure and the values of its parameters, by ``component.name``.

    The values stand twice: for the system, which FMPy reads, and for each component, since libcosim
    and Ecos pass over those of a system without a word. Where a tool reads both, the system's hold.
    """
    name = problem.crane.name
    own: dict[str, dict[str, float | bool]] = {}
    for key, value in values.items():
        side, _, parameter = key.partition(".")
        own.setdefault(side, {})[parameter] = value
    return {
        "SystemStructure.ssd": _system_structure(problem, sides, connections, own, duration),
        PARAMETERS: _parameter_values(name, values),
        # Ecos takes sets of values by their name: the same for all components
        **{_values_of(side): _parameter_values(name, motion) for side, motion in own.items()},
    }


def _values_of(component: str) -> str:
    return f"resources/{component}.ssv"


def _system_structure(
    problem: ServoProblem,
    sides: Mapping[str, Iterable[Connector]],
    connections: Iterable[Connection],
    report_stage: Iterable[str],
    duration: float | None,
) -> bytes:
    """Write SystemStructure.ssd; its experiment lasts as long as the path, or a given time."""
    crane, (first, *_) = problem.crane, sides
    name = f"{crane.name}-{first}"
    root = ET.Element(
        _tag("ssd", "SystemStructureDescription"),
        {"version": "1.0", "name": name, "generationTool": _tool()},
    )
    system = ET.SubElement(
        root,
        _tag("ssd", "System"),
        {"name": name, "description": f"{first.capitalize()} and plant: {crane.description}"},
    )
    _add_binding(system, PARAMETERS)
    elements = ET.SubElement(system, _tag("ssd", "Elements"))
    for i, (component, connectors) in enumerate(sides.items()):
        added = _add_component(elements, component, connectors, x=float(300 * i))
        if component in report_stage:
            _add_binding(added, _values_of(component))
    wires = ET.SubElement(system, _tag("ssd", "Connections"))
    for connection in connections:
        _add_connection(wires, connection)
    _add_units(root, (c.unit for connectors in sides.values() for c in connectors))
    end = problem.path.duration if duration is None else duration
    times = {"startTime": "0.0", "stopTime": repr(float(end))}
    ET.SubElement(root, _tag("ssd", "DefaultExperiment"), times)
    return _serialize(root)


def _add_component(
    parent: ET.Element, name: str, connectors: Iterable[Connector], x: float
) -> ET.Element:
    component = ET.SubElement(
        parent,
        _tag("ssd", "Component"),
        {
            "name": name,
            "type": "application/x-fmu-sharedlibrary",
            "source": f"resources/{name}.fmu",
            "implementation": "CoSimulation",
        },
    )
    group = ET.SubElement(component, _tag("ssd", "Connectors"))
    for connector in connectors:
        attributes = {"name": connector.name, "kind": connector.kind}
        element = ET.SubElement(group, _tag("ssd", "Connector"), attributes)
        unit = {"unit": connector.unit} if connector.unit else {}
        ET.SubElement(element, _tag("ssc", connector.type), unit)
    corners = {"x1": str(x), "y1": "0.0", "x2": str(x + 200.0), "y2": "200.0"}
    ET.SubElement(component, _tag("ssd", "ElementGeometry"), corners)
    return component


def _add_binding(parent: ET.Element, source: str) -> None:
    bindings = ET.SubElement(parent, _tag("ssd", "ParameterBindings"))
    ET.SubElement(bindings, _tag("ssd", "ParameterBinding"), {"source": source})


def _add_connection(parent: ET.Element, connection: Connection) -> None:
    attributes = {
        "startElement": connection.source,
        "startConnector": connection.start,
        "endElement": connection.target,
        "endConnector": connection.end,
    }
    element = ET.SubElement(parent, _tag("ssd", "Connection"), attributes)
    if (connection.factor, connection.offset) != (1.0, 0.0):
        values = {"factor": repr(connection.factor), "offset": repr(connection.offset)}
        ET.SubElement(element, _tag("ssc", "LinearTransformation"), values)


def _add_units(root: ET.Element, names: Iterable[str]) -> None:
    group = ET.SubElement(root, _tag("ssd", "Units"))
    for name in sorted(set(names) - {""}):
        element = ET.SubElement(group, _tag("ssc", "Unit"), {"name": name})
        unit = parse_unit(name)
        exponents = {} if unit is None else {k: str(v) for k, v in unit.exponents.items()}
        base = ET.SubElement(element, _tag("ssc", "BaseUnit"), exponents)
        if unit is not None and unit.factor != 1.0:
            base.set("factor", repr(unit.factor))


def _parameter_values(name: str, values: Mapping[str, float | bool]) -> bytes:
    """Write the parameter values (SSV)."""
    root = ET.Element(
        _tag("ssv", "ParameterSet"),
        {"version": "1.0", "name": name, "generationTool": _tool()},
    )
    group = ET.SubElement(root, _tag("ssv", "Parameters"))
    for parameter, value in values.items():
        element = ET.SubElement(group, _tag("ssv", "Parameter"), {"name": parameter})
        if isinstance(value, bool):
            ET.SubElement(element, _tag("ssv", "Boolean"), {"value": str(value).lower()})
        else:
            ET.SubElement(element, _tag("ssv", "Real"), {"value": repr(float(value))})
    return _serialize(root)
