"""Model descriptions of foreign FMUs: safe XML, then variables and model structure.

The XML is parsed without document type, entities or network. Every attribute is checked: what
stands there was written by others.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from cranebridge.errors import MissingDependencyError
from cranebridge.plant.description.arrays import (
    Dimension,
    check_structure,
    element_names,
    elements,
    sized,
)
from cranebridge.plant.description.plain_text import plain
from cranebridge.plant.description.plant_info import DescriptionError, PlantSignal
from cranebridge.plant.description.unit_strings import BASE_UNITS, Unit, usual_unit

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


# A description within these limits takes less than 200 MB of memory here.
MAX_ELEMENTS = 150_000
MAX_DEPTH = 64
MAX_TAG = 4 << 20  # bytes of one element's name and attributes
MAX_ATTRIBUTES = 10_000  # of one element
MAX_NAME = 2000
MAX_DIMENSIONS = 16
MAX_INDICATORS = 10**6


class _LimitedBuilder(TreeBuilder):
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

    So are too many elements, too large ones, or ones too deep in each other (`MAX_ELEMENTS`,
    `MAX_TAG`, `MAX_ATTRIBUTES`, `MAX_DEPTH`); the size in bytes is limited where the archive is
    read.
    """
    try:
        from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
        from defusedxml.ElementTree import (  # type: ignore[import-untyped]
            DefusedXMLParser,
        )
    except ImportError as error:
        raise MissingDependencyError(
            "foreign XML is read with defusedxml; run: pip install cranebridge"
        ) from error
    _check_tags(content)
    try:
        parser = DefusedXMLParser(target=_LimitedBuilder(), forbid_dtd=True)
        parser.feed(content)
        root: Element = parser.close()
    except DefusedXmlException as error:
        raise DescriptionError(f"document types and entities are refused ({error}).") from error
    except (ParseError, ValueError, LookupError) as error:
        raise DescriptionError(f"not well-formed XML: {error}.") from error
    return root


def _check_tags(content: bytes) -> None:
    """Refuse large tags before they are parsed: the parser makes all attributes of one at once.

    Within a tag there is no "<": what lies between two of them is as large as a tag can be.
    """
    if b"\0" in content:
        raise DescriptionError("not well-formed XML: a NUL byte, or not in UTF-8.")
    begin = content.find(b"<")
    while begin >= 0:
        end = content.find(b"<", begin + 1)
        size = (len(content) if end < 0 else end) - begin
        if size > MAX_ATTRIBUTES:  # a byte each, at least
            if size > MAX_TAG:
                raise DescriptionError(f"an element of {size} bytes, {MAX_TAG} are allowed.")
            if content.count(b"=", begin, begin + size) > MAX_ATTRIBUTES:
                raise DescriptionError(f"an element with more than {MAX_ATTRIBUTES} attributes.")
        begin = end


# ---------------------------------------------------------------------------- units


def unit_definitions(root: Element) -> dict[str, Unit]:
    """Return the units that a description defines by base units, of FMI 2 and 3 alike.

    A definition without any number says nothing: of ``1`` that is right, of others it is known
    from tools that do not care.
    """
    found = {}
    for element in root.iterfind("UnitDefinitions/Unit"):
        base = element.find("BaseUnit")
        if base is None:
            continue
        name = plain(attribute(element, "name"))
        exponents = {key: _exponent(base, key, name) for key in BASE_UNITS if base.get(key)}
        factor, offset = _real(base, "factor", 1.0, name), _real(base, "offset", 0.0, name)
        if factor == 0.0:
            raise DescriptionError(f"the unit {name[:100]!a} has the factor 0.")
        exponents = {key: power for key, power in exponents.items() if power}
        unit = Unit(factor, offset, exponents)
        if unit != Unit() or usual_unit(name) is None:
            found[name] = unit
    return found


def _exponent(base: Element, key: str, name: str) -> int:
    text = base.get(key, "")
    if not re.fullmatch(r"\s*[+-]?\d{1,3}\s*", text, re.ASCII):
        raise DescriptionError(f"the unit {name[:100]!a} has the exponent {key}={text[:50]!a}.")
    return int(text)


def _real(base: Element, key: str, default: float, name: str) -> float:
    text = base.get(key)
    if text is None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DescriptionError(f"the unit {name[:100]!a} has the {key} {text[:50]!a}, no number.")
    return value


# ---------------------------------------------------------------------------- variables


@dataclass(frozen=True)
class Variables:
    """Variables as declared, an array as one.

    Attributes
    ----------
    signals : list of PlantSignal
        In the order of the description.
    derivative_of : dict of str to int
        By name of a derivative, the index of its state (from 0).
    shapes : dict of str to tuple of int
        Sizes of the arrays.
    starts : dict of str to str
        Start values of arrays, as they stand there.
    """

    signals: list[PlantSignal]
    derivative_of: Mapping[str, int]
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    starts: Mapping[str, str] = field(default_factory=dict)

    def elements(self) -> list[PlantSignal]:
        """Scalars, and arrays of numbers by their elements."""
        found = [
            element
            for signal in self.signals
            for element in elements(
                signal, self.shapes.get(signal.name), _starts(self.starts, signal)
            )
        ]
        if len({signal.name for signal in found}) != len(found):
            raise DescriptionError("two variables have the same name.")
        return found


def variables2(root: Element, structure: Mapping[str, float]) -> Variables:
    """Variables of FMI 2, which has no arrays and no structural parameters."""
    check_structure([], structure)
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
    return Variables(signals, derivative_of)


def variables3(root: Element, structure: Mapping[str, float]) -> Variables:
    """Variables of FMI 3, with values of structural parameters other than their start values."""
    units = {item.get("name"): item.get("unit", "") for item in root.iterfind("TypeDefinitions/*")}
    signals: list[PlantSignal] = []
    references: dict[str, int] = {}
    dimensions: dict[str, list[Dimension]] = {}
    starts: dict[str, str] = {}
    for variable in root.iterfind("ModelVariables/*"):
        if variable.tag not in _FMI3_TYPES:
            raise DescriptionError(f"the variable {_shown(variable)} has an unknown type.")
        kind = "Int64" if variable.tag == "Enumeration" else variable.tag
        signals.append(_signal(variable, variable, kind, units))
        if variable.get("derivative") is not None:
            references[signals[-1].name] = _integer(variable, "derivative", 0, _UINT32)
        found = _dimensions(variable)
        if found:
            dimensions[signals[-1].name] = found
            starts[signals[-1].name] = variable.get("start", "")
    check_structure(signals, structure)
    signals, shapes = sized(signals, dimensions, structure)
    position = {signal.value_reference: i for i, signal in enumerate(signals)}
    if len(position) != len(signals):
        raise DescriptionError("two variables have the same value reference.")
    for name, reference in references.items():
        if reference not in position:
            raise DescriptionError(f"{name!a} is the derivative of an unknown variable.")
    derivative_of = {name: position[reference] for name, reference in references.items()}
    return Variables(signals, derivative_of, shapes, starts)


def _signal(variable: Element, kind: Element, type_: str, units: Mapping[Any, str]) -> PlantSignal:
    name = attribute(variable, "name")
    if not name:
        raise DescriptionError("a variable has no name.")
    if len(name) > MAX_NAME:
        raise DescriptionError(f"the name {name[:50]!a}... has {len(name)} characters.")
    if not name.isprintable():
        raise DescriptionError(f"the name {name[:100]!a} has control characters in it.")
    start = kind.get("start")
    is_array = variable.find("Dimension") is not None
    return PlantSignal(
        name=name,
        unit=plain(kind.get("unit") or units.get(kind.get("declaredType"), "")),
        start=_start(start, type_, name) if start is not None and not is_array else None,
        value_reference=_integer(variable, "valueReference", 0, _UINT32),
        description=plain(variable.get("description", ""), 10_000),
        type=type_,
        causality=variable.get("causality", "local"),
        variability=variable.get("variability", ""),
        initial=variable.get("initial", ""),
        intermediate=flag(variable, "intermediateUpdate"),
    )


def _dimensions(variable: Element) -> list[Dimension]:
    """Sizes of an array, or value references of the variables that have them."""
    found: list[Dimension] = []
    for dimension in variable.iterfind("Dimension"):
        kind = "start" if dimension.get("start") is not None else "valueReference"
        found.append((kind, _integer(dimension, kind, 0, 10**6 if kind == "start" else _UINT32)))
    if len(found) > MAX_DIMENSIONS:
        raise DescriptionError(f"{_shown(variable)} has more than {MAX_DIMENSIONS} dimensions.")
    return found


def _starts(texts: Mapping[str, str], signal: PlantSignal) -> list[float]:
    """Start values of an array of numbers, one more than it has elements at most."""
    words = itertools.islice(_words(texts.get(signal.name, "")), signal.size + 1)
    found = (_start(word, signal.type, signal.name) for word in words)
    return [value for value in found if value is not None]


def _words(text: str) -> Iterator[str]:
    """Words of a list, one after the other."""
    return (match.group() for match in re.finditer(r"\S+", text))


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
    derivatives: Sequence[PlantSignal], variables: Variables
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of states and derivatives, arrays by their elements."""
    states: list[str] = []
    rates: list[str] = []
    signals, shapes = variables.signals, variables.shapes
    for derivative in derivatives:
        index = variables.derivative_of.get(derivative.name)
        if index is None or index >= len(signals):
            raise DescriptionError(f"{derivative.name[:100]!a} is no derivative of a state.")
        state = signals[index].name
        if shapes.get(state) != shapes.get(derivative.name):
            raise DescriptionError(f"{derivative.name[:100]!a} and {state[:100]!a} differ in size.")
        states.extend(element_names(state, shapes.get(state, ())))
        rates.extend(element_names(derivative.name, shapes.get(state, ())))
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

    def __init__(self, root: Element, variables: Variables) -> None:
        self.root = root
        self.by_key = self.keys(variables.signals)
        self.shapes = variables.shapes

    def keys(self, signals: list[PlantSignal]) -> dict[int, PlantSignal]:
        """Variables by what the structure names them with."""
        return dict(enumerate(signals, start=1))

    def unknowns(self, kind: str) -> Iterable[tuple[PlantSignal, Element]]:
        """Unknowns of a kind, and their elements."""
        for element in self.root.iterfind(f"ModelStructure/{self.tags[kind]}"):
            key = _integer(element, self.attribute, 0, _UINT32)
            if key not in self.by_key:
                raise DescriptionError(f"the model structure has an unknown {self.attribute} {key}")
            yield self.by_key[key], element

    def derivatives(self) -> list[PlantSignal]:
        """Derivatives of the states, in the order of FMI calls."""
        found = [signal for signal, _ in self.unknowns("derivative")]
        if len({signal.name for signal in found}) != len(found):
            raise DescriptionError("the model structure names a derivative twice.")
        return found

    def dependencies(self, kind: str, causality: str) -> dict[str, tuple[str, ...]]:
        """On which variables of a causality the unknowns of a kind depend, where the FMU tells."""
        found: dict[str, tuple[str, ...]] = {}
        for signal, element in self.unknowns(kind):
            text = element.get("dependencies")
            if text is None:
                continue
            try:
                keys = {int(word): None for word in _words(text)}
            except ValueError:
                raise DescriptionError(f"wrong dependencies {text[:50]!a}.") from None
            signals = (self.by_key[key] for key in keys if key in self.by_key)
            found[signal.name] = tuple(s.name for s in signals if s.causality == causality)
        return {
            element: names
            for name, names in found.items()
            for element in element_names(name, self.shapes.get(name, ()))
        }

    def event_indicators(self) -> int:
        """Number of event indicators."""
        if self.root.get("numberOfEventIndicators") is None:
            return 0
        return _integer(self.root, "numberOfEventIndicators", 0, MAX_INDICATORS)


class Structure3(Structure2):
    """Model structure of FMI 3: variables by value reference."""

    tags: Mapping[str, str] = {
        "output": "Output",
        "derivative": "ContinuousStateDerivative",
        "initial": "InitialUnknown",
    }
    attribute = "valueReference"

    def keys(self, signals: list[PlantSignal]) -> dict[int, PlantSignal]:
        """Variables by what the structure names them with."""
        return {signal.value_reference: signal for signal in signals}

    def event_indicators(self) -> int:
        """Number of event indicators; an array has as many as elements."""
        count = 0
        for element in self.root.iterfind("ModelStructure/EventIndicator"):
            signal = self.by_key.get(_integer(element, self.attribute, 0, _UINT32))
            count += 1 if signal is None else signal.size
        if count >= MAX_INDICATORS:
            raise DescriptionError(f"{count} event indicators are too many.")
        return count


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
