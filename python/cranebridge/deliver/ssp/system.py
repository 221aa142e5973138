"""A system of components and its parameter values as XML: SSP 1.0 (Modelica Association, 2019).

The structure (SSD) names components, connectors, connections and units; the values (SSV) stand
beside it.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import cranebridge
from cranebridge.inverse import ServoProblem
from cranebridge.plant.description import parse_unit

FEEDFORWARD = "feedforward"
"""Name of the component that gives the controls."""
PLANT = "plant"
"""Name of the component that they move."""

PARAMETERS = "resources/parameters.ssv"

_NAMESPACES = {
    kind: f"http://ssp-standard.org/SSP1/SystemStructure{name}"
    for kind, name in (
        ("ssc", "Common"),
        ("ssd", "Description"),
        ("ssv", "ParameterValues"),
    )
}


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
        **{_values_of(side): _parameter_values(name, part) for side, part in own.items()},
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
