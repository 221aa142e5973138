"""What the compiler does not hand on, read from the Modelica text itself.

rumoca keeps neither annotations nor the line of an unresolved name. A full parser is not needed for
them: comments and strings are blanked out (offsets stay), the rest is found by keywords.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cranebridge.frontend.flat_model import Experiment

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_CLASS = re.compile(
    r"\b(package|model|class|block|function|record|type|connector|operator)\s+([A-Za-z_]\w*)"
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "'": "'", "?": "?"}


@dataclass(frozen=True)
class ClassText:
    """The part of a file that holds one class, and the same with comments and strings blanked."""

    text: str
    code: str


def blank(text: str) -> str:
    """Replace comments and the inside of strings by spaces; offsets and line breaks stay."""

    def spaces(match: re.Match[str]) -> str:
        token = match.group()
        keep = '"' if token.startswith('"') else " "
        inner = re.sub(r"[^\n]", " ", token[1:-1])
        return f"{keep}{inner}{keep}"

    return _TOKEN.sub(spaces, text)


def within(text: str) -> str | None:
    """Name of the package that a file says it belongs to; ``None`` without a ``within``."""
    match = re.match(r"\s*within\s*([\w.]*)\s*;", blank(text))
    return match.group(1) if match else None


def top_class(text: str) -> tuple[str, str] | None:
    """Kind and name of the first class in a file, such as ``("model", "Pendulum")``."""
    match = _CLASS.search(blank(text))
    return (match.group(1), match.group(2)) if match else None


def class_names(text: str) -> list[str]:
    """Names of the models and blocks in a file, without their packages."""
    found = _CLASS.findall(blank(text))
    return [name for kind, name in found if kind in ("model", "block", "class")]


def class_text(text: str, name: str) -> ClassText:
    """Find a class by its last name; the whole file if it is not found as a long class."""
    code = blank(text)
    head = re.search(rf"\b(?:model|block|class|package)\s+{re.escape(name)}\b", code)
    tail = re.search(rf"\bend\s+{re.escape(name)}\s*;", code[head.end() :]) if head else None
    if head is None or tail is None:
        return ClassText(text, code)
    span = slice(head.start(), head.end() + tail.end())
    return ClassText(text[span], code[span])


def documentation_text(part: ClassText) -> str:
    """Return the ``info`` string of the class' Documentation annotation; empty without one."""
    # The last one is the class' own: annotations of nested classes come before it.
    for match in reversed(list(re.finditer(r"\bDocumentation\s*\(\s*info\s*=\s*\"", part.code))):
        end = part.code.find('"', match.end())
        return _unescape(part.text[match.end() : end])
    return ""


def experiment(part: ClassText) -> Experiment:
    """Return the class' experiment annotation; Modelica's defaults for what it leaves out."""
    found = list(re.finditer(r"\bexperiment\s*\(([^)]*)\)", part.code))
    if not found:
        return Experiment()
    settings = dict(re.findall(r"(\w+)\s*=\s*([-+.\deE]+)", found[-1].group(1)))
    interval = settings.get("Interval")
    return Experiment(
        start_time=float(settings.get("StartTime", 0.0)),
        stop_time=float(settings.get("StopTime", 1.0)),
        tolerance=float(settings.get("Tolerance", 1e-8)),
        interval=None if interval is None else float(interval),
    )


def line_of_name(text: str, name: str) -> int | None:
    """Line (from 1) where a name first stands in the code; ``None`` if it does not."""
    match = re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", blank(text))
    return text.count("\n", 0, match.start()) + 1 if match else None


def line_of_definition(text: str, name: str) -> int | None:
    """Line (from 1) of the first equation ``name = ...``; ``None`` if there is none."""
    match = re.search(rf"(?m)^\s*({re.escape(name)})\s*=", blank(text))
    return text.count("\n", 0, match.start(1)) + 1 if match else None


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match.group(1), match.group(1)), text)
