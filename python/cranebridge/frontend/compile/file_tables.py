"""Tables that a model reads from files, written into its text: the compiler reads no files.

    CombiTimeTable t(tableOnFile = true, fileName = "wind.txt", tableName = "gust")

becomes ``CombiTimeTable t(table = [0, 1; 2, 3])``, on as many lines as before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from cranebridge.errors import InputError
from cranebridge.frontend.compile.modelica_path import resource_place
from cranebridge.frontend.compile.source_text import blank
from cranebridge.frontend.compile.table_files import read_table

_ON_FILE = re.compile(r"\btableOnFile\s*=\s*true\b")
_ARGUMENT = re.compile(r"\s*(?:final\s+)?(\w+)\s*=(.*)", re.DOTALL)
_FILE = re.compile(r'\s*(?:[\w.]*\bloadResource\s*\(\s*)?"([^"\\]*)"\s*\)?\s*')
_READ = {"tableOnFile", "fileName", "tableName", "delimiter", "nHeaderLines"}


def has_file_tables(text: str) -> bool:
    """Whether a table of a Modelica text is in a file."""
    return "tableOnFile" in text and _ON_FILE.search(blank(text)) is not None


def with_tables(text: str, path: Path) -> str:
    """Return a text with the data of its tables in it.

    Parameters
    ----------
    path : Path
        The file whose text it is; other files are beside it, or in libraries (``modelica://``).

    Raises
    ------
    InputError
        If a table's file or data are wrong.
    """
    code, parts, end = blank(text), [], 0
    for found in _ON_FILE.finditer(code):
        span = _around(code, found.start())
        if span is None or span.start < end:
            continue  # a declaration, not a modifier
        parts += [text[end : span.start], _with_data(text, code, span, path)]
        end = span.stop
    return "".join((*parts, text[end:]))


def _around(code: str, position: int) -> slice | None:
    """Return what is between the parentheses around a position."""
    depth, start = 0, position
    while start > 0 and depth >= 0:
        start -= 1
        depth += {")": 1, "(": -1}.get(code[start], 0)
    if depth >= 0:
        return None
    depth, stop = 0, position
    while stop < len(code) and depth >= 0:
        depth += {"(": 1, ")": -1}.get(code[stop], 0)
        stop += 1
    return slice(start + 1, stop - 1)


def _arguments(code: str, span: slice) -> Iterator[slice]:
    """Yield the modifiers of a list."""
    depth, start = 0, span.start
    for i in range(span.start, span.stop):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(code[i], 0)
        if code[i] == "," and depth == 0:
            yield slice(start, i)
            start = i + 1
    yield slice(start, span.stop)


def _with_data(text: str, code: str, span: slice, path: Path) -> str:
    given, others = {}, []
    for one in _arguments(code, span):
        match = _ARGUMENT.match(code[one])
        if match is not None and match.group(1) in _READ:
            given[match.group(1)] = text[one][match.start(2) :]
        elif match is None or match.group(1) != "table":
            others.append(text[one].strip())
    line = text.count("\n", 0, span.start) + 1
    name = _text(path, line, "tableName", given.get("tableName", '""'))
    file = _text(path, line, "fileName", given.get("fileName", ""))
    delimiter = _text(path, line, "delimiter", given.get("delimiter", '","'))
    headers = given.get("nHeaderLines", "0").strip()
    if not headers.isdecimal():
        raise InputError(
            f"{path}:{line}: nHeaderLines of a table in a file must be a number, not '{headers}'."
        )
    try:
        data = read_table(resource_place(path.parent, file), name, delimiter, int(headers))
    except InputError as error:
        raise InputError(f"{path}:{line}: {error}") from error
    rows = "; ".join(", ".join(repr(float(x)) for x in row) for row in data)
    # what is cut away may be on several lines: those that follow keep their numbers
    lines = "\n" * (text.count("\n", span.start, span.stop) - sum(o.count("\n") for o in others))
    return ", ".join((*others, f"table = [{rows}]")) + lines


def _text(path: Path, line: int, name: str, value: str) -> str:
    found = _FILE.fullmatch(value)
    if found is None:
        raise InputError(
            f"{path}:{line}: {name} of a table in a file must be a text in quotes, "
            f"not '{value.strip()}'."
        )
    return found.group(1)
