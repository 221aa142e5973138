"""Model descriptions of foreign FMUs: safe XML, then variables and model structure.

The XML is parsed without document type, entities or network. Every attribute is checked: what
stands there was written by others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from cranebridge.errors import MissingDependencyError
from cranebridge.plant.plain_text import plain
from cranebridge.plant.plant_info import DescriptionError, Signal

_UINT32 = 2**32
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


MAX_ELEMENTS = 300_000
MAX_DEPTH = 64
MAX_NUMBERS = 10**6


class _Limited(TreeBuilder):
    """Builds the tree of elements, and stops where it becomes too large or too deep."""

    def __init__(self) -> None:
        super().__init__()
        self._count = self._depth = 0

    def start(self, tag: Any, attrs: Any) -> Element:
        self._count += 1
        self._depth += 1
        if self._count > MAX_ELEMENTS:
            raise DescriptionError(f"more than {MAX_ELEMENTS} elements.")
        if self._depth > MAX_DEPTH:
            raise DescriptionError(f"elements more than {MAX_DEPTH} deep in each other.")
        return super().start(tag, attrs)

    def end(self, tag: str) -> Element:
        self._depth -= 1
        return super().end(tag)


def parse_xml(content: bytes) -> Element:
    """Parse XML; a document type, an entity or an external reference is an error.

    So are too many elements, or elements too deep in each other (`MAX_ELEMENTS`, `MAX_DEPTH`); the
    size in bytes is limited where the archive is read.
    """
    try:
        from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
        from defusedxml.ElementTree import (  # type: ignore[import-untyped]
            DefusedXMLParser,
        )
    except ImportError as error:
        raise MissingDependencyError(
            "foreign XML is read with defusedxml; run: pip install 'cranebridge[plant]'"
        ) from error
    try:
        parser = DefusedXMLParser(target=_Limited(), forbid_dtd=True)
        parser.feed(content)
        root: Element = parser.close()
    except DefusedXmlException as error:
        raise DescriptionError(f"document types and entities are refused ({error}).") from error
    except (ParseError, ValueError, LookupError) as error:
        raise DescriptionError(f"not well-formed XML: {error}.") from error
    return root


# ---------------------------------------------------------------------------- variables


def variables2(root: Element) -> tuple[list[Signal], dict[str, int]]:
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


def variables3(root: Element) -> tuple[list[Signal], dict[str, int]]:
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
    total = sum(signal.size for signal in signals)
    if total > MAX_NUMBERS:
        raise DescriptionError(f"all arrays have {total} elements, {MAX_NUMBERS} are allowed.")
    position = {signal.value_reference: i for i, signal in enumerate(signals)}
    if len(position) != len(signals):
        raise DescriptionError("two variables have the same value reference.")
    for name, reference in references.items():
        if reference not in position:
            raise DescriptionError(f"{name!a} is the derivative of an unknown variable.")
    return signals, {name: position[reference] for name, reference in references.items()}


def _signal(variable: Element, kind: Element, type_: str, units: Mapping[Any, str]) -> Signal:
    name = attribute(variable, "name")
    if not name:
        raise DescriptionError("a variable has no name.")
    if not name.isprintable():
        raise DescriptionError(f"the name {name[:100]!a} has control characters in it.")
    size = _size(variable)
    start = kind.get("start")
    return Signal(
        name=name,
        unit=plain(kind.get("unit") or units.get(kind.get("declaredType"), "")),
        start=_start(start, type_, name) if start is not None and size == 1 else None,
        value_reference=_integer(variable, "valueReference", 0, _UINT32),
        description=plain(variable.get("description", ""), 10_000),
        type=type_,
        causality=variable.get("causality", "local"),
        variability=variable.get("variability", ""),
        initial=variable.get("initial", ""),
        size=size,
        intermediate=flag(variable, "intermediateUpdate"),
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


def states_of(
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


class Structure2:
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
        """Variables by what the structure names them with."""
        return dict(enumerate(signals, start=1))

    def unknowns(self, kind: str) -> Iterable[tuple[Signal, Element]]:
        """Unknowns of a kind, and their elements."""
        for element in self.root.iterfind(f"ModelStructure/{self.tags[kind]}"):
            key = _integer(element, self.attribute, 0, _UINT32)
            if key not in self.by_key:
                raise DescriptionError(f"the model structure has an unknown {self.attribute} {key}")
            yield self.by_key[key], element

    def derivatives(self) -> list[Signal]:
        """Derivatives of the states, in the order of FMI calls."""
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
        """Number of event indicators."""
        if self.root.get("numberOfEventIndicators") is None:
            return 0
        return _integer(self.root, "numberOfEventIndicators", 0, 10**6)


class Structure3(Structure2):
    """Model structure of FMI 3: variables by value reference."""

    tags: Mapping[str, str] = {
        "output": "Output",
        "derivative": "ContinuousStateDerivative",
        "initial": "InitialUnknown",
    }
    attribute = "valueReference"

    def keys(self, signals: list[Signal]) -> dict[int, Signal]:
        """Variables by what the structure names them with."""
        return {signal.value_reference: signal for signal in signals}

    def event_indicators(self) -> int:
        """Number of event indicators."""
        return len(self.root.findall("ModelStructure/EventIndicator"))


# ---------------------------------------------------------------------------- attributes


def attribute(element: Element, name: str) -> str:
    """Text of an attribute; empty where it is not given."""
    return element.get(name, "")


def flag(element: Element, name: str) -> bool:
    """Whether an attribute is true."""
    return attribute(element, name).strip() in ("true", "1")


def _integer(element: Element, name: str, low: int, high: int) -> int:
    """Read an attribute low <= value < high."""
    text = attribute(element, name)
    try:
        # int() would also take underscores and other digits, and needs long for long texts.
        value = int(text) if re.fullmatch(r"\s*[+-]?[0-9]{1,18}\s*", text, re.ASCII) else None
    except ValueError:
        value = None
    if value is None or not low <= value < high:
        raise DescriptionError(f"{name} = {text[:50]!a} of {_shown(element)} is wrong.")
    return value


def _shown(element: Element) -> str:
    return ascii(attribute(element, "name")[:100] or element.tag[:100])
