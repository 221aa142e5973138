"""What an FMU says about itself: variables, units, start values, states, interfaces.

Read from the archive by the parent process; no code of the FMU runs. The XML is parsed without
document type, entities or network. One description for FMI 2.0 and 3.0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from xml.etree.ElementTree import Element, ParseError

from cranebridge.errors import InputError, MissingDependencyError
from cranebridge.plant.archive import Archive, check_archive
from cranebridge.plant.compiler import host_platform

Interface = Literal["me", "cs"]
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,200}\Z")
_UINT32 = 2**32
_INTERFACES = {"me": "ModelExchange", "cs": "CoSimulation"}
_FMI3_TYPES = (
    *("Float32", "Float64", "Boolean", "Enumeration", "String", "Binary", "Clock"),
    *(f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)),
)
# FMI 2 has one real and one integer type; the names of FMI 3 serve for both.
_FMI2_TYPES = {
    "Real": "Float64",
    "Integer": "Int32",
    "Enumeration": "Int32",
    "Boolean": "Boolean",
    "String": "String",
}


class DescriptionError(InputError):
    """The model description is malformed, or of a kind that is not supported."""


@dataclass(frozen=True)
class Signal:
    """A variable of an FMU.

    Attributes
    ----------
    name, unit, description : str
        As in the model description; the unit may come from the declared type.
    start : float or None
        Start value, or default value of a parameter.
    value_reference : int
        Handle of the variable in FMI calls.
    type : str
        Type in the words of FMI 3, such as ``"Float64"``; ``"Int32"`` for integers of FMI 2.
    causality, variability, initial : str
        As in the standard; empty where not given.
    size : int
        Number of elements; 1 for a scalar.
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
    inputs, outputs, parameters : tuple of Signal
        Numerical variables of these causalities, in the order of the description.
    variables : tuple of Signal
        All variables.
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
        Model Exchange wants to be told of completed integrator steps.
    variable_step : bool
        Co-Simulation takes communication steps of different length.
    output_dependencies : dict of str to tuple of str
        Inputs that an output depends on directly, where the FMU tells.
    initial_dependencies : dict of str to tuple of str
        Parameters that the start value of a state is calculated from, where the FMU tells.
    log_categories : tuple of str
        Log categories.
    """

    name: str
    fmi_version: str
    path: Path
    sha256: str
    states: tuple[str, ...]
    derivatives: tuple[str, ...]
    inputs: tuple[Signal, ...]
    outputs: tuple[Signal, ...]
    parameters: tuple[Signal, ...]
    variables: tuple[Signal, ...]
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
    output_dependencies: Mapping[str, tuple[str, ...]]
    initial_dependencies: Mapping[str, tuple[str, ...]]
    log_categories: tuple[str, ...]

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(signal.name for signal in self.inputs)

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(signal.name for signal in self.outputs)

    def signals(self) -> dict[str, Signal]:
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


def inspect(path: Path | str, allow: Collection[str] | None = None) -> PlantInfo:
    """Read an FMU's description; no binary is loaded and nothing is unpacked.

    Parameters
    ----------
    path : Path
        The FMU.
    allow : collection of str, optional
        SHA-256 hashes of the only files that may be used.

    Raises
    ------
    ArchiveError
        If the archive is damaged, not safe or not allowed.
    DescriptionError
        If the model description is malformed or of an FMI version that is not supported.
    """
    return describe(check_archive(path, allow))


def describe(archive: Archive) -> PlantInfo:
    """Read the description of an FMU whose archive has been checked."""
    try:
        return _describe(archive, parse_xml(archive.description))
    except DescriptionError as error:
        raise DescriptionError(f"modelDescription.xml of '{archive.path}': {error}") from None


def parse_xml(content: bytes) -> Element:
    """Parse XML; a document type, an entity or an external reference is an error."""
    try:
        from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
        from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingDependencyError(
            "foreign XML is read with defusedxml; run: pip install 'cranebridge[plant]'"
        ) from error
    try:
        root: Element = fromstring(content, forbid_dtd=True)
    except DefusedXmlException as error:
        raise DescriptionError(f"document types and entities are refused ({error}).") from error
    except (ParseError, ValueError, LookupError) as error:
        raise DescriptionError(f"not well-formed XML: {error}.") from error
    return root


# ---------------------------------------------------------------------------- reading


def _describe(archive: Archive, root: Element) -> PlantInfo:
    if root.tag != "fmiModelDescription":
        raise DescriptionError(f"the root element is {root.tag[:100]!a}.")
    version = _version(root)
    signals, derivative_of = (_variables2 if version == "2.0" else _variables3)(root)
    if len({signal.name for signal in signals}) != len(signals):
        raise DescriptionError("two variables have the same name.")
    structure = (_Structure2 if version == "2.0" else _Structure3)(root, signals)
    derivatives = structure.derivatives()
    states, rates = _states(derivatives, derivative_of, signals)
    me, cs = (root.find(element) for element in _INTERFACES.values())
    first = me if me is not None else cs
    if first is None:
        raise DescriptionError("neither Model Exchange nor Co-Simulation.")
    interpolates = cs is not None and version == "2.0" and _flag(cs, "canInterpolateInputs")
    inputs = _of(signals, "input")
    return PlantInfo(
        name=_text(root, "modelName"),
        fmi_version=version,
        path=archive.path,
        sha256=archive.sha256,
        states=states,
        derivatives=rates,
        inputs=inputs,
        outputs=_of(signals, "output"),
        parameters=_of(signals, "parameter", "structuralParameter"),
        variables=tuple(signals),
        has_me=me is not None,
        has_cs=cs is not None,
        can_get_derivatives=any(
            _flag(first, f"providesDirectionalDerivative{suffix}") for suffix in ("", "s")
        ),
        max_input_derivative_order=int(interpolates),
        generation_tool=_text(root, "generationTool"),
        guid=_text(root, "guid" if version == "2.0" else "instantiationToken"),
        description=_text(root, "description"),
        identifiers=_identifiers(root),
        event_indicators=structure.event_indicators(),
        needs_completed_step=me is not None and _needs_completed_step(me, version),
        variable_step=cs is not None and _flag(cs, "canHandleVariableCommunicationStepSize"),
        output_dependencies=structure.dependencies("output", {s.name for s in inputs}),
        initial_dependencies=structure.dependencies(
            "initial", {s.name for s in _of(signals, "parameter")}
        ),
        log_categories=tuple(
            _text(item, "name") for item in root.iterfind("LogCategories/Category")
        ),
    )


def _version(root: Element) -> str:
    text = _text(root, "fmiVersion")
    if text == "2.0":
        return "2.0"
    if re.match(r"3\.0(\.|\Z)", text):
        return "3.0"
    raise DescriptionError(f"FMI version {text[:50]!a} is not supported; 2.0 and 3.0 are.")


def _identifiers(root: Element) -> dict[str, str]:
    identifiers = {}
    for key, tag in _INTERFACES.items():
        element = root.find(tag)
        if element is None:
            continue
        name = _text(element, "modelIdentifier")
        # It becomes a file name: anything but a C identifier could lead elsewhere.
        if not _IDENTIFIER.match(name):
            raise DescriptionError(f"the model identifier {name[:100]!a} is no C identifier.")
        identifiers[key] = name
    return identifiers


def _needs_completed_step(me: Element, version: str) -> bool:
    if version == "2.0":
        return not _flag(me, "completedIntegratorStepNotNeeded")
    return _flag(me, "needsCompletedIntegratorStep")


def _of(signals: Iterable[Signal], *causalities: str) -> tuple[Signal, ...]:
    """Numerical variables of some causalities."""
    return tuple(
        signal
        for signal in signals
        if signal.causality in causalities and signal.type not in ("String", "Binary", "Clock")
    )


def _variables2(root: Element) -> tuple[list[Signal], dict[str, int]]:
    """Variables of FMI 2; and, by name of a derivative, the index of its state (from 0)."""
    units = {
        item.get("name"): kind.get("unit", "")
        for item in root.iterfind("TypeDefinitions/SimpleType")
        for kind in item.iterfind("Real")
    }
    signals, derivative_of = [], {}
    for variable in root.iterfind("ModelVariables/ScalarVariable"):
        kind = next((child for child in variable if child.tag in _FMI2_TYPES), None)
        if kind is None:
            raise DescriptionError(f"the variable {_shown(variable)} has no type.")
        signals.append(_signal(variable, kind, _FMI2_TYPES[kind.tag], units))
        if kind.get("derivative") is not None:
            index = _integer(kind, "derivative", 1, _UINT32) - 1
            derivative_of[signals[-1].name] = index
    return signals, derivative_of


def _variables3(root: Element) -> tuple[list[Signal], dict[str, int]]:
    """Variables of FMI 3; and, by name of a derivative, the index of its state (from 0)."""
    units = {item.get("name"): item.get("unit", "") for item in root.iterfind("TypeDefinitions/*")}
    signals, references = [], {}
    for variable in root.iterfind("ModelVariables/*"):
        if variable.tag not in _FMI3_TYPES:
            raise DescriptionError(f"the variable {_shown(variable)} has an unknown type.")
        kind = "Int64" if variable.tag == "Enumeration" else variable.tag
        signals.append(_signal(variable, variable, kind, units))
        if variable.get("derivative") is not None:
            references[signals[-1].name] = _integer(variable, "derivative", 0, _UINT32)
    position = {signal.value_reference: i for i, signal in enumerate(signals)}
    if len(position) != len(signals):
        raise DescriptionError("two variables have the same value reference.")
    for name, reference in references.items():
        if reference not in position:
            raise DescriptionError(f"{name!a} is the derivative of an unknown variable.")
    return signals, {name: position[reference] for name, reference in references.items()}


def _signal(variable: Element, kind: Element, type_: str, units: Mapping[Any, str]) -> Signal:
    name = _text(variable, "name")
    if not name:
        raise DescriptionError("a variable has no name.")
    size = _size(variable)
    start = kind.get("start")
    return Signal(
        name=name,
        unit=kind.get("unit") or units.get(kind.get("declaredType"), ""),
        start=_start(start, type_, name) if start is not None and size == 1 else None,
        value_reference=_integer(variable, "valueReference", 0, _UINT32),
        description=variable.get("description", ""),
        type=type_,
        causality=variable.get("causality", "local"),
        variability=variable.get("variability", ""),
        initial=variable.get("initial", ""),
        size=size,
    )


def _size(variable: Element) -> int:
    """Number of elements; 0 if it depends on a structural parameter."""
    sizes = [
        _integer(dimension, "start", 0, 10**6) if dimension.get("start") is not None else 0
        for dimension in variable.iterfind("Dimension")
    ]
    size = math.prod(sizes)
    if size > 10**6:
        raise DescriptionError(f"the variable {_shown(variable)} has {size} elements.")
    return size


def _start(text: str, type_: str, name: str) -> float | None:
    if type_ in ("String", "Binary", "Clock"):
        return None
    if type_ == "Boolean":
        return float(text.strip() in ("true", "1"))
    try:
        return float(text)
    except ValueError:
        raise DescriptionError(
            f"the start value {text[:50]!a} of {name[:100]!a} is no number."
        ) from None


def _states(
    derivatives: list[Signal], derivative_of: Mapping[str, int], signals: list[Signal]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of states and derivatives; the elements of an array are numbered from 1."""
    states: list[str] = []
    rates: list[str] = []
    for derivative in derivatives:
        index = derivative_of.get(derivative.name)
        if index is None or index >= len(signals):
            raise DescriptionError(f"{derivative.name[:100]!a} is no derivative of a state.")
        if derivative.size == 1:
            states.append(signals[index].name)
            rates.append(derivative.name)
        else:
            numbers = range(1, derivative.size + 1)
            states.extend(f"{signals[index].name}[{i}]" for i in numbers)
            rates.extend(f"{derivative.name}[{i}]" for i in numbers)
    return tuple(states), tuple(rates)


# ---------------------------------------------------------------------------- model structure


class _Structure2:
    """Model structure of FMI 2: variables by index from 1."""

    tags: Mapping[str, str] = {
        "output": "Outputs/Unknown",
        "derivative": "Derivatives/Unknown",
        "initial": "InitialUnknowns/Unknown",
    }
    attribute = "index"

    def __init__(self, root: Element, signals: list[Signal]) -> None:
        self.root = root
        self.by_key = self.keys(signals)

    def keys(self, signals: list[Signal]) -> dict[int, Signal]:
        return dict(enumerate(signals, start=1))

    def unknowns(self, kind: str) -> Iterable[tuple[Signal, Element]]:
        for element in self.root.iterfind(f"ModelStructure/{self.tags[kind]}"):
            key = _integer(element, self.attribute, 0, _UINT32)
            if key not in self.by_key:
                raise DescriptionError(f"the model structure has an unknown {self.attribute} {key}")
            yield self.by_key[key], element

    def derivatives(self) -> list[Signal]:
        return [signal for signal, _ in self.unknowns("derivative")]

    def dependencies(self, kind: str, among: set[str]) -> dict[str, tuple[str, ...]]:
        """On which of some variables the unknowns of a kind depend, where the FMU tells."""
        found = {}
        for signal, element in self.unknowns(kind):
            text = element.get("dependencies")
            if text is None:
                continue
            try:
                keys = [int(word) for word in text.split()]
            except ValueError:
                raise DescriptionError(f"wrong dependencies {text[:50]!a}.") from None
            signals = [self.by_key[key] for key in keys if key in self.by_key]
            found[signal.name] = tuple(s.name for s in signals if s.name in among)
        return found

    def event_indicators(self) -> int:
        if self.root.get("numberOfEventIndicators") is None:
            return 0
        return _integer(self.root, "numberOfEventIndicators", 0, 10**6)


class _Structure3(_Structure2):
    """Model structure of FMI 3: variables by value reference."""

    tags: Mapping[str, str] = {
        "output": "Output",
        "derivative": "ContinuousStateDerivative",
        "initial": "InitialUnknown",
    }
    attribute = "valueReference"

    def keys(self, signals: list[Signal]) -> dict[int, Signal]:
        return {signal.value_reference: signal for signal in signals}

    def event_indicators(self) -> int:
        return len(self.root.findall("ModelStructure/EventIndicator"))


# ---------------------------------------------------------------------------- attributes


def _text(element: Element, name: str) -> str:
    return element.get(name, "")


def _flag(element: Element, name: str) -> bool:
    return _text(element, name).strip() in ("true", "1")


def _integer(element: Element, name: str, low: int, high: int) -> int:
    """Read an attribute low <= value < high."""
    text = _text(element, name)
    try:
        # int() would also take underscores and other digits, and needs long for long texts.
        value = int(text) if re.fullmatch(r"\s*[+-]?[0-9]{1,18}\s*", text, re.ASCII) else None
    except ValueError:
        value = None
    if value is None or not low <= value < high:
        raise DescriptionError(f"{name} = {text[:50]!a} of {_shown(element)} is wrong.")
    return value


def _shown(element: Element) -> str:
    return ascii(_text(element, "name")[:100] or element.tag[:100])
