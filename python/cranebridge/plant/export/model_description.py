"""modelDescription.xml of FMI 2.0 and FMI 3.0, and the XML files beside it."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import Literal

from cranebridge.frontend import PlantModel, Variable
from cranebridge.plant.description import parse_unit
from cranebridge.plant.export.codegen import METHODS, PlantFunctions, identifier
from cranebridge.plant.export.fmu_structure import ModelStructure, all_on_all, structure_of
from cranebridge.plant.export.fmu_variables import FmuVariable, entries_of

Fmi = Literal["2.0", "3.0"]

LOG_CATEGORIES = {
    "logEvents": "What happens in the life of an instance",
    "logSingularLinearSystems": "Singular matrices in the implicit integrator",
    "logStatusWarning": "Reasons of the status warning",
    "logStatusDiscard": "Reasons of the status discard",
    "logStatusError": "Reasons of the status error; always reported",
    "logAll": "All of them",
}

_STRUCTURED = re.compile(
    r"(der\()?"
    r"(?:[_A-Za-z]\w*|'[^'\\\n]+')(?:\[\d+(?:,\d+)*\])?"
    r"(?:\.(?:[_A-Za-z]\w*|'[^'\\\n]+')(?:\[\d+(?:,\d+)*\])?)*"
    r"(?(1)\))",
    re.ASCII,
)

_METHOD_TYPE = "IntegratorMethod"


def _text(value: float) -> str:
    return repr(float(value)) if not float(value).is_integer() else f"{value:.1f}"


def _set(element: ET.Element, attributes: Mapping[str, str | None]) -> None:
    for name, value in attributes.items():
        if value is not None and value != "":
            element.set(name, value)


def _real_attributes(variable: Variable, types: Mapping[tuple[str, str], str]) -> dict[str, str]:
    attributes: dict[str, str] = {}
    declared = types.get((variable.quantity, variable.unit))
    if declared:
        attributes["declaredType"] = declared
    if variable.quantity:
        attributes["quantity"] = variable.quantity
    if variable.unit:
        attributes["unit"] = variable.unit
    if variable.unit and variable.display_unit and variable.display_unit != variable.unit:
        attributes["displayUnit"] = variable.display_unit
    for name, value in (("min", variable.min), ("max", variable.max)):
        if value is not None and math.isfinite(value):
            attributes[name] = _text(value)
    if variable.nominal:
        attributes["nominal"] = _text(abs(variable.nominal))
    return attributes


def _add_units(root: ET.Element, entries: Sequence[FmuVariable]) -> None:
    displays: dict[str, set[str]] = {}
    for entry in entries:
        if entry.variable.unit:
            shown = displays.setdefault(entry.variable.unit, set())
            if entry.variable.display_unit not in ("", entry.variable.unit):
                shown.add(entry.variable.display_unit)
    definitions = ET.SubElement(root, "UnitDefinitions")
    for name in sorted(displays):
        element = ET.SubElement(definitions, "Unit", name=name)
        unit = parse_unit(name)
        if unit is not None:
            base = ET.SubElement(element, "BaseUnit")
            for symbol, exponent in unit.exponents.items():
                base.set(symbol, str(exponent))
            if unit.factor != 1.0:
                base.set("factor", _text(unit.factor))
            if unit.offset != 0.0:
                base.set("offset", _text(unit.offset))
        for display in sorted(displays[name]):
            _add_display_unit(element, name, display)


def _add_display_unit(element: ET.Element, name: str, display: str) -> None:
    """FMI: value in display units = factor * value + offset."""
    unit, shown = parse_unit(name), parse_unit(display)
    attributes = {"name": display}
    if unit is not None and shown is not None and unit.exponents == shown.exponents:
        factor = unit.factor / shown.factor
        offset = (unit.offset - shown.offset) / shown.factor
        attributes["factor"] = _text(factor)
        if offset:
            attributes["offset"] = _text(offset)
    ET.SubElement(element, "DisplayUnit", attributes)


def _type_names(entries: Sequence[FmuVariable]) -> dict[tuple[str, str], str]:
    """Type of each pair of quantity and unit; the quantity's name, with the unit if ambiguous."""
    pairs = sorted({(e.variable.quantity, e.variable.unit) for e in entries if e.variable.quantity})
    quantities = [quantity for quantity, _ in pairs]
    return {
        (quantity, unit): quantity if quantities.count(quantity) == 1 else f"{quantity} in {unit}"
        for quantity, unit in pairs
    }


def _add_types(root: ET.Element, types: Mapping[tuple[str, str], str], fmi: Fmi) -> None:
    definitions = ET.SubElement(root, "TypeDefinitions")
    for (quantity, unit), name in types.items():
        attributes = {"quantity": quantity, "unit": unit}
        if fmi == "2.0":
            simple = ET.SubElement(definitions, "SimpleType", name=name)
            _set(ET.SubElement(simple, "Real"), attributes)
        else:
            _set(ET.SubElement(definitions, "Float64Type", name=name), attributes)
    if fmi == "2.0":
        simple = ET.SubElement(definitions, "SimpleType", name=_METHOD_TYPE)
        method = ET.SubElement(simple, "Enumeration")
    else:
        method = ET.SubElement(definitions, "EnumerationType", name=_METHOD_TYPE)
    descriptions = {
        "dopri5": "Explicit Runge-Kutta method of order 5 (Dormand, Prince)",
        "rodas4": "Linearly implicit method of order 4 for stiff plants (Hairer, Wanner)",
    }
    for name, value in METHODS.items():
        ET.SubElement(method, "Item", name=name, value=str(value), description=descriptions[name])


def _add_variables(
    root: ET.Element,
    entries: Sequence[FmuVariable],
    types: Mapping[tuple[str, str], str],
    fmi: Fmi,
    *,
    intermediate: bool,
) -> None:
    parent = ET.SubElement(root, "ModelVariables")
    index = {entry.reference: i for i, entry in enumerate(entries, start=1)}
    real, integer = ("Real", "Integer") if fmi == "2.0" else ("Float64", "Int64")
    names = {"real": real, "count": integer, "integer": integer}
    names |= {"boolean": "Boolean", "method": "Enumeration"}
    for entry in entries:
        common = {
            "name": entry.variable.name,
            "valueReference": str(entry.reference),
            "description": entry.variable.description or None,
            "causality": entry.causality,
            "variability": entry.variability,
            "initial": entry.initial,
        }
        if fmi == "2.0":
            scalar = ET.SubElement(parent, "ScalarVariable")
            _set(scalar, common)
            element = ET.SubElement(scalar, names[entry.kind])
        else:
            element = ET.SubElement(parent, names[entry.kind])
            _set(element, common)
            if intermediate and _is_continuous(entry):
                element.set("intermediateUpdate", "true")
        if entry.kind == "real":
            _set(element, _real_attributes(entry.variable, types))
        if entry.kind == "method":
            element.set("declaredType", _METHOD_TYPE)
        if entry.derivative_of is not None:
            # FMI 2 counts variables from one, FMI 3 uses value references.
            target = index[entry.derivative_of] if fmi == "2.0" else entry.derivative_of
            element.set("derivative", str(target))
        if entry.start is not None:
            element.set("start", _start_text(entry))


def _is_continuous(entry: FmuVariable) -> bool:
    """Whether a variable can be set or read between communication points."""
    return entry.causality in ("input", "output", "local") and entry.variability == "continuous"


def _start_text(entry: FmuVariable) -> str:
    value = entry.start or 0.0
    if entry.kind == "real":
        return _text(value)
    return str(bool(value)).lower() if entry.kind == "boolean" else str(int(value))


def _add_structure(
    root: ET.Element, structure: ModelStructure, entries: Sequence[FmuVariable], fmi: Fmi
) -> None:
    parent = ET.SubElement(root, "ModelStructure")
    index = {entry.reference: i for i, entry in enumerate(entries, start=1)}
    groups = (
        ("Outputs", "Output", structure.outputs),
        ("Derivatives", "ContinuousStateDerivative", structure.derivatives),
        ("InitialUnknowns", "InitialUnknown", structure.initial_unknowns),
        ("", "EventIndicator", structure.indicators),
    )
    for plural, single, unknowns in groups:
        if not unknowns or (fmi == "2.0" and not plural):
            continue
        group = ET.SubElement(parent, plural) if fmi == "2.0" else parent
        for unknown in unknowns:
            element = ET.SubElement(group, "Unknown" if fmi == "2.0" else single)
            if fmi == "2.0":
                element.set("index", str(index[unknown.reference]))
            else:
                element.set("valueReference", str(unknown.reference))
            if unknown.dependencies is None:
                continue
            dependencies = [index[r] if fmi == "2.0" else r for r in unknown.dependencies]
            element.set("dependencies", " ".join(str(d) for d in dependencies))
            if unknown.kinds is not None:
                element.set("dependenciesKind", " ".join(unknown.kinds))


def _add_interfaces(
    root: ET.Element, name: str, fmi: Fmi, *, algorithm: bool, checks: bool
) -> None:
    derivatives = "false" if algorithm else "true"
    if fmi == "2.0":
        common = {
            "modelIdentifier": name,
            "canNotUseMemoryManagementFunctions": "true",
            "canGetAndSetFMUstate": "true",
            "canSerializeFMUstate": "true",
            "providesDirectionalDerivative": derivatives,
        }
        # Assertions are checked where a step has been completed.
        exchange = {**common, "completedIntegratorStepNotNeeded": "false" if checks else "true"}
        # An algorithm takes its inputs at events: there is nothing to interpolate.
        simulation = {**common, "canInterpolateInputs": derivatives}
    else:
        common = {
            "modelIdentifier": name,
            "canGetAndSetFMUState": "true",
            "canSerializeFMUState": "true",
            "providesDirectionalDerivatives": derivatives,
            "providesAdjointDerivatives": derivatives,
        }
        exchange = dict(common)
        if checks:
            exchange["needsCompletedIntegratorStep"] = "true"
        # An algorithm takes its inputs at events only; a plant between them too.
        simulation = {
            **common,
            "providesIntermediateUpdate": derivatives,
            "canReturnEarlyAfterIntermediateUpdate": derivatives,
            "mightReturnEarlyFromDoStep": "true",
            "hasEventMode": "true",
        }
    simulation |= {
        "canHandleVariableCommunicationStepSize": "true",
        "maxOutputDerivativeOrder": "1",
    }
    for tag, attributes in (("ModelExchange", exchange), ("CoSimulation", simulation)):
        element = ET.SubElement(root, tag, attributes)
        if fmi == "2.0":
            files = ET.SubElement(element, "SourceFiles")
            ET.SubElement(files, "File", name="all.c")


def _serialize(root: ET.Element) -> bytes:
    ET.indent(root)
    body = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'.encode()


def describe_model(
    model: PlantModel, equations: PlantFunctions, fmi: Fmi, token: str, solver: str, tool: str
) -> bytes:
    """Write modelDescription.xml.

    Parameters
    ----------
    model, equations
        The plant and its derived functions, whose sparsity gives the dependencies.
    fmi : {"2.0", "3.0"}
        Version of the standard.
    token : str
        GUID (FMI 2) or instantiation token (FMI 3).
    solver : {"dopri5", "rodas4"}
        Start value of ``integrator.method``.
    tool : str
        Text for ``generationTool``.
    """
    entries = entries_of(model, equations, solver)
    types = _type_names(entries)
    structured = all(_STRUCTURED.fullmatch(entry.variable.name) for entry in entries)
    root = ET.Element("fmiModelDescription", fmiVersion=fmi, modelName=model.name)
    _set(
        root,
        {
            "guid" if fmi == "2.0" else "instantiationToken": token,
            "description": model.description,
            "generationTool": tool,
            "variableNamingConvention": "structured" if structured else "flat",
            "numberOfEventIndicators": str(model.indicators) if fmi == "2.0" else None,
        },
    )
    _add_interfaces(
        root,
        identifier(model.name),
        fmi,
        algorithm=model.algorithm is not None,
        checks=bool(model.events and model.events.assertions),
    )
    _add_units(root, entries)
    _add_types(root, types, fmi)
    categories = ET.SubElement(root, "LogCategories")
    for name, description in LOG_CATEGORIES.items():
        ET.SubElement(categories, "Category", name=name, description=description)
    experiment = ET.SubElement(
        root,
        "DefaultExperiment",
        startTime=_text(model.experiment.start_time),
        stopTime=_text(model.experiment.stop_time),
        tolerance=repr(model.experiment.tolerance),
    )
    if model.experiment.interval:
        experiment.set("stepSize", _text(model.experiment.interval))
    _add_variables(root, entries, types, fmi, intermediate=model.algorithm is None)
    found = structure_of(model, equations) if model.algorithm is None else all_on_all(model)
    _add_structure(root, found, entries, fmi)
    return _serialize(root)


def build_description(model: PlantModel) -> bytes:
    """Write sources/buildDescription.xml of FMI 3."""
    root = ET.Element("fmiBuildDescription", fmiVersion="3.0")
    configuration = ET.SubElement(
        root, "BuildConfiguration", modelIdentifier=identifier(model.name)
    )
    files = ET.SubElement(configuration, "SourceFileSet", language="C99")
    ET.SubElement(files, "SourceFile", name="all.c")
    ET.SubElement(
        files,
        "PreprocessorDefinition",
        name="FMI3_OVERRIDE_FUNCTION_PREFIX",
        value="1",
        optional="true",
        description="Define for a shared library, whose functions have no prefix",
    )
    return _serialize(root)


def terminals_and_icons() -> bytes:
    """Write terminalsAndIcons/terminalsAndIcons.xml of FMI 3."""
    root = ET.Element("fmiTerminalsAndIcons", fmiVersion="3.0")
    graphics = ET.SubElement(root, "GraphicalRepresentation")
    corners = {"x1": "-100", "y1": "-100", "x2": "100", "y2": "100"}
    ET.SubElement(graphics, "CoordinateSystem", {**corners, "suggestedScalingFactorTo_mm": "0.1"})
    ET.SubElement(graphics, "Icon", corners)
    return _serialize(root)
