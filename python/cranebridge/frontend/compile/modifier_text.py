"""Modifiers ``(a = 1, b(c = 2), redeclare model D = E(f = 3))`` read from the text.

What is read is what follows a constraining class, whose modifiers the compiler drops (Modelica
3.6, 7.3.2). Expressions are not looked into: a value is a place in the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cranebridge.frontend.compile.source_text import blank

_HEAD = re.compile(r"\s*((?:each|final|replaceable|redeclare)\s+)*")
_CLASS_KIND = re.compile(
    r"(?:(?:partial|encapsulated|pure|impure|expandable|operator)\s+)*"
    r"(?:class|model|record|block|connector|type|package|function)\s+(\w+)\s*=\s*([\w.]+)"
)
_PREFIX = re.compile(r"(?:(?:parameter|constant|discrete|input|output|flow|stream)\s+)*")
_COMPONENT = re.compile(r"([\w.]+)\s+(\w+)\s*(?:\[[^\]]*\])?")
_PATH = re.compile(r"\w+(?:\s*\.\s*\w+)*")


@dataclass(frozen=True)
class Place:
    """A range of bytes of a source file."""

    source: int
    start: int
    end: int

    def meets(self, other: Place) -> bool:
        """Whether two ranges have something in common."""
        return self.source == other.source and self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class Redeclaration:
    """The class that a redeclaration puts in the place of another, with its modifiers."""

    type_name: tuple[str, ...]
    modifiers: tuple[Modification, ...]


@dataclass(frozen=True)
class Modification:
    """A value, or a redeclaration, for the element or attribute of a path; () is the value."""

    path: tuple[str, ...]
    place: Place
    value: Place | None
    redeclaration: Redeclaration | None = None


def read_modifiers(source: bytes, number: int, start: int) -> tuple[Modification, ...]:
    """Modifiers in the parentheses that follow a position; none if none follow."""
    # One character a byte, so that offsets are those of the compiler.
    code = blank(source.decode("latin-1"))
    return _ModifierReader(code, number).parenthesised(start)[0]


class _ModifierReader:
    def __init__(self, code: str, number: int) -> None:
        self._code = code
        self._number = number

    def parenthesised(self, start: int) -> tuple[tuple[Modification, ...], int]:
        """Modifiers that begin here, and where they end."""
        match = re.compile(r"\s*\(").match(self._code, start)
        if match is None:
            return (), start
        end = self._closing(match.end() - 1)
        parts = self._split(match.end(), end)
        found = tuple(modifier for part in parts for modifier in self._argument(*part))
        return found, end + 1

    def _argument(self, start: int, end: int) -> Iterator[Modification]:
        head = _HEAD.match(self._code, start, end)
        position = head.end() if head else start
        place = self._place(position, end)
        if head and ("redeclare" in head.group() or "replaceable" in head.group()):
            yield from self._redeclaration(position, end)
            return
        name = _PATH.match(self._code, position, end)
        if name is None:
            return
        path = tuple(part.strip() for part in name.group().split("."))
        inner, after = self.parenthesised(name.end())
        for modifier in inner:
            yield Modification(
                (*path, *modifier.path), modifier.place, modifier.value, modifier.redeclaration
            )
        equals = re.compile(r"\s*=").match(self._code, after, end)
        if equals:
            yield Modification(path, place, self._place(equals.end(), end))

    def _redeclaration(self, start: int, end: int) -> Iterator[Modification]:
        match = _CLASS_KIND.match(self._code, start, end)
        if match:
            name, type_name = match.groups()
        else:
            prefix = _PREFIX.match(self._code, start, end)
            match = _COMPONENT.match(self._code, prefix.end() if prefix else start, end)
            if match is None:
                return
            type_name, name = match.groups()
        modifiers, _ = self.parenthesised(match.end())
        redeclaration = Redeclaration(tuple(type_name.split(".")), modifiers)
        yield Modification((name,), self._place(start, end), None, redeclaration)

    def _place(self, start: int, end: int) -> Place:
        text = self._code[start:end]
        return Place(
            self._number,
            start + len(text) - len(text.lstrip()),
            end - len(text) + len(text.rstrip()),
        )

    def _closing(self, opening: int) -> int:
        depth = 0
        for position in range(opening, len(self._code)):
            if self._code[position] in "([{":
                depth += 1
            elif self._code[position] in ")]}":
                depth -= 1
                if depth == 0:
                    return position
        return len(self._code)

    def _split(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        depth, begin = 0, start
        for position in range(start, end):
            character = self._code[position]
            depth += (character in "([{") - (character in ")]}")
            if character == "," and depth == 0:
                yield begin, position
                begin = position + 1
        yield begin, end
