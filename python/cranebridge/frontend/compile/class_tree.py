"""The classes of a model as they stand in the source: bases, components, modifiers, redeclarations.

rumoca gives its parsed classes to templates of the stage ``ast``; a template of one line hands them
on whole. The tree has only the classes that the model uses. What rumoca's parser drops, the
modifiers behind ``constrainedby``, is read from the text (``modifier_text``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cranebridge.frontend.compile.modifier_text import (
    Modification,
    Place,
    Redeclaration,
    read_modifiers,
)
from cranebridge.temporary import TemporaryFolder

_TARGET = """version = 1
name = "classes"
description = "classes as parsed"
ir = "ast"
[[files]]
path = "classes.json"
template = "classes.jinja"
"""
_TEMPLATE = "{{ ast.definitions }}"
# What differs from JSON in the values that a template prints.
_STRING_OR_NONE = re.compile(r'"(?:[^"\\]|\\.)*"|\bnone\b')
_UNNAMED = ""  # a modifier that the parser left out
_NAME_BEFORE = re.compile(r"(\w+(?:\s*\.\s*\w+)*)\s*=\s*\Z")
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-f]+)\}|(0)|(')|(.))", re.DOTALL)


@dataclass(frozen=True)
class ComponentDeclaration:
    """A component of a class with its modifiers, the value of its declaration among them."""

    name: str
    number: int
    type_name: tuple[str, ...]
    type_number: int | None
    modifiers: tuple[Modification, ...]
    constraint: tuple[Modification, ...] | None
    is_redeclaration: bool
    is_outer: bool


@dataclass(frozen=True)
class BaseClass:
    """An ``extends`` clause, or what a short class definition names."""

    name: tuple[str, ...]
    number: int | None
    modifiers: tuple[Modification, ...]


@dataclass(frozen=True)
class ClassDeclaration:
    """A class.

    Attributes
    ----------
    constraint : tuple or None
        Modifiers of the constraining clause; ``None`` without a clause.
    imports : mapping
        Full names by the names that they are known by here.
    open_imports : tuple
        Packages of which all names are imported.
    """

    name: str
    number: int
    kind: str
    parent: int | None
    classes: Mapping[str, int]
    components: tuple[ComponentDeclaration, ...]
    bases: tuple[BaseClass, ...]
    imports: Mapping[str, tuple[str, ...]]
    open_imports: tuple[tuple[str, ...], ...]
    constraint: tuple[Modification, ...] | None
    is_redeclaration: bool
    is_short: bool
    place: Place


class ClassTree:
    """All classes that a model uses, by rumoca's numbers and by name."""

    def __init__(self, definitions: Mapping[str, Any], sources: Mapping[int, str]) -> None:
        self._sources = {number: text.encode() for number, text in sources.items()}
        self.classes: dict[int, ClassDeclaration] = {}
        self.top = {name: self._add(raw, None, ()) for name, raw in definitions["classes"].items()}

    def number(self, path: Sequence[str]) -> int | None:
        """Class of a full name."""
        first, *rest = path
        number = self.top.get(first)
        for part in rest:
            number = None if number is None else self.classes[number].classes.get(part)
        return number

    def text(self, place: Place) -> str:
        """Source text of a place."""
        source = self._sources.get(place.source, b"")
        return source[place.start : place.end].decode(errors="replace")

    def line(self, place: Place) -> int:
        """Line (from 1) of a place."""
        return self._sources.get(place.source, b"").count(b"\n", 0, place.start) + 1

    def member(self, class_number: int, name: str) -> int | None:
        """Class of a name inside another, inherited ones among them."""
        for one in self.with_bases(class_number):
            if name in one.classes:
                return one.classes[name]
        return None

    def with_bases(self, class_number: int) -> Iterator[ClassDeclaration]:
        """A class and all classes that it extends."""
        one = self.classes.get(class_number)
        if one is not None:
            yield one
            for base in one.bases:
                if base.number is not None and base.number != class_number:
                    yield from self.with_bases(base.number)

    def lexical(self, class_number: int | None) -> Iterator[ClassDeclaration]:
        """A class and those around it, from inside out."""
        while class_number is not None:
            one = self.classes[class_number]
            yield one
            class_number = one.parent

    # --- reading -------------------------------------------------------------------------------

    def _add(self, raw: Mapping[str, Any], parent: int | None, path: tuple[str, ...]) -> int:
        number = int(raw["def_id"])
        path = (*path, raw["name"]["text"])
        classes = {name: self._add(inner, number, path) for name, inner in raw["classes"].items()}
        self.classes[number] = ClassDeclaration(
            name=".".join(path),
            number=number,
            kind=str(raw["class_type"]).lower(),
            parent=parent,
            classes=classes,
            components=tuple(self._component(c) for c in raw["components"].values()),
            bases=tuple(
                BaseClass(
                    _name(base["base_name"]),
                    base["base_def_id"],
                    self._named(
                        modifier
                        for m in base["modifications"]
                        for modifier in _modifications([m["expr"]], [m["redeclare"]])
                    ),
                )
                for base in raw["extends"]
            ),
            imports=dict(_imports(raw["imports"])),
            open_imports=tuple(
                _name(entry["Unqualified"]["path"])
                for entry in raw["imports"]
                if "Unqualified" in entry
            ),
            constraint=self._constraint(raw["constrainedby"]),
            is_redeclaration=bool(raw["is_redeclare"]),
            is_short=raw["end_name_token"] is None,
            place=_place(raw["location"]),
        )
        return number

    def _component(self, raw: Mapping[str, Any]) -> ComponentDeclaration:
        modifiers = list(
            self._named(
                _modifications(
                    raw["source_modifications"], raw["source_modification_redeclare_flags"]
                )
            )
        )
        if raw["has_explicit_binding"] and raw["binding"]:
            place = _whole(raw["binding"])
            if place is not None:
                modifiers.append(Modification((), place, place))
        return ComponentDeclaration(
            name=raw["name"],
            number=int(raw["def_id"]),
            type_name=_name(raw["type_name"]),
            type_number=raw["type_def_id"],
            modifiers=tuple(modifiers),
            constraint=self._constraint(raw["constrainedby"]),
            is_redeclaration=bool(raw["is_redeclare"]),
            is_outer=bool(raw["outer"]) and not raw["inner"],
        )

    def _named(self, modifiers: Iterable[Modification]) -> tuple[Modification, ...]:
        """Give ``a = break`` its name, which the parser drops; leave out what is no modifier."""
        result = []
        for one in modifiers:
            if one.redeclaration is not None:
                inner = self._named(one.redeclaration.modifiers)
                one = replace(one, redeclaration=replace(one.redeclaration, modifiers=inner))
            elif one.path[-1:] == (_UNNAMED,):
                before = self._sources.get(one.place.source, b"")[: one.place.start].decode(
                    "latin-1"
                )
                name = _NAME_BEFORE.search(before)
                if name is None or self.text(one.place) != "break":
                    continue
                path = (*one.path[:-1], *re.split(r"\s*\.\s*", name.group(1)))
                one = replace(one, path=path)
            result.append(one)
        return tuple(result)

    def _constraint(self, raw: Mapping[str, Any] | None) -> tuple[Modification, ...] | None:
        if raw is None:
            return None
        last = _place(raw["name"][-1]["location"])
        return read_modifiers(self._sources.get(last.source, b""), last.source, last.end)


def read_classes(model: Any, sources: Mapping[int, str]) -> ClassTree:
    """Ask rumoca for the classes of a compiled model."""
    with TemporaryFolder("classes") as folder:
        (folder / "target.toml").write_text(_TARGET, encoding="utf-8")
        (folder / "classes.jinja").write_text(_TEMPLATE, encoding="utf-8")
        printed = model.codegen(str(folder)).files[0].content
    return ClassTree(_from_printed(printed), sources)


def _from_printed(text: str) -> Any:
    """Read what a template prints: JSON, but for ``none`` and the escapes of its strings."""

    def escape(match: re.Match[str]) -> str:
        code, zero, quote, other = match.groups()
        if code:
            return json.dumps(chr(int(code, 16)))[1:-1]
        return "\\u0000" if zero else quote or f"\\{other}"

    def mend(match: re.Match[str]) -> str:
        token = match.group()
        return _ESCAPE.sub(escape, token) if token.startswith('"') else "null"

    return json.loads(_STRING_OR_NONE.sub(mend, text))


def _place(location: Mapping[str, Any]) -> Place:
    return Place(int(location["source"]), int(location["start"]), int(location["end"]))


def _name(raw: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(token["text"] for token in raw["name"])


def _target(raw: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(part["ident"]["text"] for part in raw["parts"])


def _whole(node: Any) -> Place | None:
    """The part of the source that an expression covers."""
    places = [place for place in _places(node) if place.source]
    if not places:
        return None
    source = places[0].source
    same = [place for place in places if place.source == source]
    return Place(source, min(p.start for p in same), max(p.end for p in same))


def _places(node: Any) -> Iterator[Place]:
    if isinstance(node, Mapping):
        if {"source", "start", "end"} <= node.keys():
            yield _place(node)
        else:
            for value in node.values():
                yield from _places(value)
    elif isinstance(node, list):
        for value in node:
            yield from _places(value)


def _modifications(
    nodes: Sequence[Mapping[str, Any]], redeclare: Sequence[bool]
) -> Iterator[Modification]:
    """Modifiers of one level, each with the path of the element or attribute that it is for."""
    for node, is_redeclaration in zip(nodes, redeclare, strict=True):
        (kind, body), *_ = node.items()
        place = _whole(node)
        if place is None:
            continue
        if kind == "Empty":
            yield Modification((_UNNAMED,), place, place)
            continue
        # A modifier with the keyword replaceable is a redeclaration, too (7.3).
        if kind == "Modification" and (is_redeclaration or "ClassModification" in body["value"]):
            yield _redeclaration(body, place)
        elif kind == "Modification":
            yield Modification(_target(body["target"]), place, _whole(body["value"]))
        elif kind == "ClassModification":
            yield from _inside(body)
        elif kind == "Binary":  # x(start = 1) = 2
            inside, value = body["lhs"]["ClassModification"], _whole(body["rhs"])
            yield Modification(_target(inside["target"]), place, value)
            yield from _inside(inside)


def _inside(body: Mapping[str, Any]) -> Iterator[Modification]:
    path = _target(body["target"])
    for inner in _modifications(body["modifications"], body["redeclare_flags"]):
        yield Modification((*path, *inner.path), inner.place, inner.value, inner.redeclaration)


def _redeclaration(body: Mapping[str, Any], place: Place) -> Modification:
    value = body["value"].get("ClassModification")
    path = _target(body["target"])
    if value is None:
        return Modification(path, place, None, Redeclaration((), ()))
    modifiers = _modifications(value["modifications"], value["redeclare_flags"])
    redeclaration = Redeclaration(_target(value["target"]), tuple(modifiers))
    return Modification(path, place, None, redeclaration)


def _imports(raw: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for entry in raw:
        (kind, body), *_ = entry.items()
        path = _name(body["path"])
        if kind == "Renamed":
            yield body["alias"]["text"], path
        elif kind == "Qualified":
            yield path[-1], path
        elif kind == "Selective":
            for token in body["names"]:
                yield token["text"], (*path, token["text"])
