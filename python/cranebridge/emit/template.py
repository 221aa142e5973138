"""Templates of C and Structured Text: files that a compiler can read, with names filled in.

What is written lies in a folder `templates` beside the code that fills it in. In these files

- `NAME_`, capitals with an underscore at the end, is replaced by the text of that name, also within
  comments and longer lines;
- a comment that is a line of its own and has nothing but a name, ``/* NAME_ */`` or
  ``(* NAME_ *)``, is replaced by whole lines, or left out where there are none;
- ``generator_step`` becomes ``x_step`` where `x` is given for the prefix `generator`;
- lines between ``#if NAME_`` (or ``#if !NAME_``), ``#else`` and ``#endif`` are kept or left out, by
  a truth value;
- ``#include "paths.c"`` of a file beside it, or ``#include NAME_`` of a path, is replaced by that
  file, filled in the same way;
- lines between ``#ifndef FILLED`` and ``#endif`` are left out: they give an example of every name,
  so that an editor, a formatter and a compiler can read the file alone.

In Structured Text such directives are comments: ``(* #if NAME_ *)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

Value = str | bool | Path

_DIRECTIVE = re.compile(
    r"(?:\(\*\s*)?#\s*(if|ifdef|ifndef|else|endif|include)\b\s*(.*?)\s*(?:\*\))?"
)
_CONDITION = re.compile(r"(!?)([A-Z][A-Z0-9_]*)_")
_PLACES = (
    r"^[ \t]*(?:/\*|\(\*) (?P<lines>[A-Z][A-Z0-9_]*)_ (?:\*/|\*\))\n",
    r"\b(?P<name>[A-Z][A-Z0-9_]*)_\b",
)


def filled(
    template: Path, values: Mapping[str, Value], prefixes: Mapping[str, str] | None = None
) -> str:
    """Return the text of a template with its names filled in.

    Parameters
    ----------
    template : Path
        The file.
    values : mapping
        By name, without the underscore at its end: a text that is put there, a truth value that
        keeps lines, or a file that is included. More names than the file has do no harm.
    prefixes : mapping of str, optional
        What identifiers begin with in the file, and in the text.

    Raises
    ------
    KeyError
        If a name of the file has no value.
    """
    prefixes = prefixes or {}
    begins = "|".join(map(re.escape, prefixes))
    places = [*_PLACES, rf"\b(?P<prefix>{begins})_(?=\w)"] if prefixes else _PLACES

    def text(found: re.Match[str]) -> str:
        kind = found.lastgroup
        if kind == "prefix":
            return f"{prefixes[found[kind]]}_"
        value = values[found[kind or "name"]]
        if not isinstance(value, str):
            raise TypeError(f"{template.name}: {found[0].strip()} wants a text, not {value!r}")
        return f"{value}\n" if kind == "lines" and value else value

    lines = "".join(f"{line}\n" for line in _wanted(template, values))
    return re.sub("|".join(places), text, lines, flags=re.MULTILINE)


def _wanted(file: Path, values: Mapping[str, Value]) -> Iterator[str]:
    """Yield the lines of a file that are kept, with those of the files that it includes."""
    # of each condition around a line: whether its lines are kept, None where it is the compiler's
    around: list[bool | None] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        found = _DIRECTIVE.fullmatch(line.strip())
        word, rest = found.groups() if found else ("", "")
        if word in ("if", "ifdef", "ifndef"):
            around.append(_condition(word, rest, values))
            own = around[-1] is not None
        elif word in ("else", "endif"):
            last = around.pop()
            own = last is not None
            if word == "else":
                around.append(last if last is None else not last)
        else:
            own = False
        if own or False in around:
            continue
        part = _included(rest, file, values) if word == "include" else None
        if part is None:
            yield line
        else:
            yield from _wanted(part, values)


def _condition(word: str, rest: str, values: Mapping[str, Value]) -> bool | None:
    """Return whether the lines after a condition are kept; None if the compiler decides it."""
    if (word, rest) == ("ifndef", "FILLED"):
        return False
    found = _CONDITION.fullmatch(rest)
    if word != "if" or found is None:
        return None
    return bool(values[found[2]]) != bool(found[1])


def _included(rest: str, file: Path, values: Mapping[str, Value]) -> Path | None:
    """Return the file that is put in place of a line, if it is a template."""
    found = _CONDITION.fullmatch(rest)
    value = values[found[2]] if found else None
    if isinstance(value, Path):
        return value
    beside = file.with_name(rest.strip('"'))
    return beside if rest.startswith('"') and beside.is_file() else None
