"""modelDescription.xml of FMI 2.0 and FMI 3.0, and the XML files beside it.

Value references are contiguous, in the order of ``CbKind`` in ``runtime/variables.h``: time,
states, their derivatives, inputs, outputs, parameters, and four variables of the integrator.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.codegen import METHODS, Equations, identifier
from cranebridge.plant.model import PlantModel, Variable
from cranebridge.plant.units import parse_unit

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


@dataclass(frozen=True)
class _Entry:
    """A variable of the FMU, before it is written in the form of an FMI version."""

    reference: int
    variable: Variable
    causality: str
    variability: str
    initial: str | None
    start: float | None = None
    kind: Literal["real", "boolean", "integer", "method", "count"] = "real"
    derivative_of: int | None = None  # value reference of the state


@dataclass(frozen=True)
class _Unknown:
    """An entry of ModelStructure: value references of the unknown and of what it depends on."""

    reference: int
    dependencies: tuple[int, ...]
    kinds: tuple[str, ...] | None = None


@dataclass(frozen=True)
class _Structure:
    outputs: list[_Unknown]
    derivatives: list[_Unknown]
    initial_unknowns: list[_Unknown]


@dataclass(frozen=True)
class _References:
    """First value references of the groups of variables."""

    state: int
    derivative: int
    input: int
    output: int
    parameter: int
    integrator: int

    @classmethod
    def of(cls, model: PlantModel) -> _References:
        nx, nu, ny, n_p = (
            len(group) for group in (model.states, model.inputs, model.outputs, model.parameters)
        )
        bounds = np.cumsum([1, nx, nx, nu, ny, n_p]).tolist()
        return cls(*bounds)


# ---------------------------------------------------------------------------- variables


def _derivative_unit(unit: str) -> str:
    """Unit of a time derivative: ``m -> m/s``, ``m/s -> m/s2``, ``N.m -> N.m/s``."""
    if not unit:
        return ""
    match = re.fullmatch(r"(.*)/s([0-9]*)", unit)
    if match and "/" not in match[1]:
        return f"{match[1]}/s{int(match[2] or 1) + 1}"
    if "/" not in unit:
        return f"{unit}/s"
    numerator, denominator = unit.split("/", 1)
    if parse_unit(f"{numerator}/({denominator.strip('()')}.s)") is None:
        return ""
    return f"{numerator}/({denominator.strip('()')}.s)"


def _entries(model: PlantModel, equations: Equations, solver: str) -> list[_Entry]:
    first = _References.of(model)
    output_names = {output.name for output in model.outputs}
    state_names = {state.name for state in model.states}
    time = Variable("time", unit="s", quantity="Time", description="Simulation time")
    entries = [_Entry(0, time, "independent", "continuous", None)]
    for i, state in enumerate(model.states):
        calculated = equations.calculated[i]
        entries.append(
            _Entry(
                first.state + i,
                state,
                "output" if state.name in output_names else "local",
                "continuous",
                "calculated" if calculated else "exact",
                None if calculated else equations.state_start[i],
            )
        )
    for i, state in enumerate(model.states):
        derivative = Variable(
            f"der({state.name})",
            unit=_derivative_unit(state.unit),
            description=f"Time derivative of {state.name}",
        )
        entries.append(
            _Entry(
                first.derivative + i,
                derivative,
                "local",
                "continuous",
                "calculated",
                derivative_of=first.state + i,
            )
        )
    for i, variable in enumerate(model.inputs):
        entries.append(_signal(first.input + i, variable, "input"))
    for i, variable in enumerate(model.outputs):
        if variable.name not in state_names:
            entries.append(_signal(first.output + i, variable, "output"))
    for i, variable in enumerate(model.parameters):
        variability = "tunable" if variable.variability == "tunable" else "fixed"
        entries.append(
            _Entry(first.parameter + i, variable, "parameter", variability, "exact", variable.start)
        )
    if model.algorithm is not None:
        return entries  # nothing to integrate
    return entries + _integrator_entries(first.integrator, solver)


def _signal(reference: int, variable: Variable, causality: str) -> _Entry:
    """Entry of an input or output."""
    variability = "discrete" if variable.variability == "discrete" else "continuous"
    is_input = causality == "input"
    initial, start = (None, variable.start) if is_input else ("calculated", None)
    return _Entry(reference, variable, causality, variability, initial, start, variable.type)


def _integrator_entries(reference: int, solver: str) -> list[_Entry]:
    method = Variable(
        "integrator.method",
        description="Integration method of Co-Simulation; not for stiff: dopri5",
    )
    counts = (
        ("integrator.steps", "Accepted steps of the Co-Simulation integrator"),
        ("integrator.rejectedSteps", "Rejected steps of the Co-Simulation integrator"),
        ("integrator.evaluations", "Evaluations of the derivatives by the integrator"),
    )
    return [
        _Entry(reference, method, "parameter", "fixed", "exact", METHODS[solver], "method"),
        *(
            _Entry(
                reference + i,
                Variable(name, description=text),
                "local",
                "discrete",
                "calculated",
                None,
                "count",
            )
            for i, (name, text) in enumerate(counts, start=1)
        ),
    ]


# ---------------------------------------------------------------------------- structure


def _dependency_kinds(
    model: PlantModel, equations: Equations
) -> tuple[ca.Sparsity, list[str], NDArray[np.bool_]]:
    """Dependencies of (der(x), y) on (t, x, u) with their kinds, and on p without."""
    symbol: Any = ca.SX if equations["rhs"].is_a("SXFunction") else ca.MX
    t = symbol.sym("t")
    x, u, p = (
        symbol.sym(name, len(group))
        for name, group in (("x", model.states), ("u", model.inputs), ("p", model.parameters))
    )
    both = ca.vertcat(equations["rhs"](t, x, u, p), equations["outputs"](t, x, u, p))
    knowns = ca.vertcat(t, x, u)
    jacobian = ca.jacobian(both, knowns)
    entries = ca.Function("entries", [knowns, p], [jacobian.nz[:]], {"allow_free": False})
    moving = {int(row) for row in entries.jac_sparsity(0, 0).row()}
    tunable = [parameter.variability == "tunable" for parameter in model.parameters]
    by_parameters: dict[int, bool] = {}
    sparsity = entries.jac_sparsity(0, 1)
    for row, column in zip(*sparsity.get_triplet(), strict=True):
        by_parameters[int(row)] = by_parameters.get(int(row), False) or tunable[int(column)]
    kinds = []
    for k in range(jacobian.nnz()):
        if k in moving:
            kinds.append("dependent")
        elif k in by_parameters:
            kinds.append("tunable" if by_parameters[k] else "fixed")
        else:
            kinds.append("constant")
    on_parameters = _pattern(ca.jacobian_sparsity(both, p))
    return jacobian.sparsity(), kinds, on_parameters


def _pattern(sparsity: ca.Sparsity) -> NDArray[np.bool_]:
    pattern = np.zeros(sparsity.shape, dtype=bool)
    rows, columns = sparsity.get_triplet()
    pattern[list(rows), list(columns)] = True
    return pattern


def _structure(model: PlantModel, equations: Equations) -> _Structure:
    first = _References.of(model)
    nx, nu = len(model.states), len(model.inputs)
    sparsity, kinds, on_parameters = _dependency_kinds(model, equations)
    known_references = [
        0,
        *range(first.state, first.state + nx),
        *range(first.input, first.input + nu),
    ]
    rows: list[list[tuple[int, str]]] = [[] for _ in range(sparsity.size1())]
    for row, column, kind in zip(*sparsity.get_triplet(), kinds, strict=True):
        rows[int(row)].append((known_references[int(column)], kind))
    unknowns = [
        _Unknown(reference, tuple(r for r, _ in sorted(row)), tuple(k for _, k in sorted(row)))
        for reference, row in zip(_unknown_references(model, first), rows, strict=True)
    ]
    outputs = [
        _Unknown(unknown.reference, (unknown.reference,), ("constant",))
        if unknown.reference < first.derivative
        else unknown
        for unknown in unknowns[nx:]
    ]
    initial = _initial_unknowns(model, equations, unknowns, on_parameters)
    return _Structure(outputs, unknowns[:nx], initial)


def _all_on_all(model: PlantModel) -> _Structure:
    """Structure of a model with an algorithm: each output may depend on each input."""
    first = _References.of(model)
    inputs = (0, *range(first.input, first.input + len(model.inputs)))
    parameters = range(first.parameter, first.parameter + len(model.parameters))
    outputs = range(first.output, first.output + len(model.outputs))
    return _Structure(
        [_Unknown(reference, inputs) for reference in outputs],
        [],
        [_Unknown(reference, (*inputs, *parameters)) for reference in outputs],
    )


def _unknown_references(model: PlantModel, first: _References) -> list[int]:
    """References of all der(x) and y; an output with a state's name is that state."""
    states = {state.name: first.state + i for i, state in enumerate(model.states)}
    return [
        *range(first.derivative, first.derivative + len(model.states)),
        *(states.get(output.name, first.output + i) for i, output in enumerate(model.outputs)),
    ]


def _initial_unknowns(
    model: PlantModel,
    equations: Equations,
    unknowns: Sequence[_Unknown],
    on_parameters: NDArray[np.bool_],
) -> list[_Unknown]:
    """During initialization, states that follow from parameters are unknowns themselves."""
    first = _References.of(model)
    start = _pattern(equations["initial"].jac_sparsity(0, 0))

    def parameters(pattern: NDArray[np.bool_]) -> set[int]:
        return {first.parameter + int(j) for j in np.flatnonzero(pattern)}

    calculated = {
        first.state + i: parameters(start[i])
        for i in range(len(model.states))
        if equations.calculated[i]
    }
    found = [_Unknown(r, tuple(sorted(p))) for r, p in calculated.items()]
    for unknown, row in zip(unknowns, on_parameters, strict=True):
        if unknown.reference < first.derivative:
            continue  # an output that is a state: exact, or in the list already
        knowns = parameters(row)
        for reference in unknown.dependencies:
            knowns |= calculated.get(reference, {reference})
        found.append(_Unknown(unknown.reference, tuple(sorted(knowns))))
    return sorted(found, key=lambda unknown: unknown.reference)


# ---------------------------------------------------------------------------- XML


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


def _add_units(root: ET.Element, entries: Sequence[_Entry]) -> None:
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


def _type_names(entries: Sequence[_Entry]) -> dict[tuple[str, str], str]:
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
    root: ET.Element, entries: Sequence[_Entry], types: Mapping[tuple[str, str], str], fmi: Fmi
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


def _start_text(entry: _Entry) -> str:
    value = entry.start or 0.0
    if entry.kind == "real":
        return _text(value)
    return str(bool(value)).lower() if entry.kind == "boolean" else str(int(value))


def _add_structure(
    root: ET.Element, structure: _Structure, entries: Sequence[_Entry], fmi: Fmi
) -> None:
    parent = ET.SubElement(root, "ModelStructure")
    index = {entry.reference: i for i, entry in enumerate(entries, start=1)}
    groups = (
        ("Outputs", "Output", structure.outputs),
        ("Derivatives", "ContinuousStateDerivative", structure.derivatives),
        ("InitialUnknowns", "InitialUnknown", structure.initial_unknowns),
    )
    for plural, single, unknowns in groups:
        if not unknowns:
            continue
        group = ET.SubElement(parent, plural) if fmi == "2.0" else parent
        for unknown in unknowns:
            element = ET.SubElement(group, "Unknown" if fmi == "2.0" else single)
            if fmi == "2.0":
                element.set("index", str(index[unknown.reference]))
                dependencies = [index[r] for r in unknown.dependencies]
            else:
                element.set("valueReference", str(unknown.reference))
                dependencies = list(unknown.dependencies)
            element.set("dependencies", " ".join(str(d) for d in dependencies))
            if unknown.kinds is not None:
                element.set("dependenciesKind", " ".join(unknown.kinds))


def _add_interfaces(root: ET.Element, name: str, fmi: Fmi, *, algorithm: bool) -> None:
    derivatives = "false" if algorithm else "true"
    if fmi == "2.0":
        common = {
            "modelIdentifier": name,
            "canNotUseMemoryManagementFunctions": "true",
            "canGetAndSetFMUstate": "true",
            "canSerializeFMUstate": "true",
            "providesDirectionalDerivative": derivatives,
        }
        exchange = {**common, "completedIntegratorStepNotNeeded": "true"}
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
        exchange, simulation = dict(common), dict(common)
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


def model_description(
    model: PlantModel, equations: Equations, fmi: Fmi, token: str, solver: str, tool: str
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
    entries = _entries(model, equations, solver)
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
            "numberOfEventIndicators": "0" if fmi == "2.0" else None,
        },
    )
    _add_interfaces(root, identifier(model.name), fmi, algorithm=model.algorithm is not None)
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
    _add_variables(root, entries, types, fmi)
    found = _structure(model, equations) if model.algorithm is None else _all_on_all(model)
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
