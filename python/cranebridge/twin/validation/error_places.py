"""Errors about a user's crane class: one sentence with file and line."""

from __future__ import annotations

import ast
import inspect
import traceback
from pathlib import Path

from cranebridge.errors import CranebridgeError, InputError
from cranebridge.twin.language import Crane


def wrong(
    crane: Crane,
    attribute: str,
    what: str,
    *,
    entry: str = "",
    call: str = "",
    line: int | None = None,
) -> InputError:
    """Return the error about a crane's class, with file and line where they are known.

    Parameters
    ----------
    crane : Crane
        Whose class is wrong.
    attribute : str
        The declaration or method that is; empty for the class as a whole.
    what : str
        What is wrong with it.
    entry : str
        A name inside the declaration or method, whose line is more exact.
    call : str
        What is called with that name as its first argument, such as a part's class.
    line : int, optional
        The line, where it is known already.
    """
    file = _file(crane)
    if line is None:
        line = _line(type(crane), file, attribute, entry, call)
    place = f"crane class {type(crane).__name__}"
    place += f" in {file}" if file is not None else ""
    place += f", line {line}" if line is not None else ""
    return InputError(f"{place}: {what}")


def failed(crane: Crane, method: str, error: Exception) -> InputError:
    """Return the sentence for an exception in the user's code, with the line where it arose."""
    file = _file(crane)
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if file is not None and Path(frame.filename) == file
    ]
    reason = str(error).strip().splitlines() or ["no message"]
    kind = "" if isinstance(error, CranebridgeError) else f"{type(error).__name__}: "
    what = f"{method}() fails: " if method else "its equations cannot be derived: "
    return wrong(crane, method, f"{what}{kind}{reason[0]}", line=lines[-1] if lines else None)


def shown(value: object) -> str:
    """Return a value as short text on one line."""
    try:
        text = repr(value)
    except Exception:  # a user's class can fail even here
        text = f"an object of {type(value).__name__}"
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def class_line(kind: type, file: Path) -> int | None:
    """Return the line where a class of a file begins."""
    return _line(kind, file, "", "")


def _file(crane: Crane) -> Path | None:
    try:
        return Path(inspect.getfile(type(crane)))
    except (TypeError, OSError):
        return None


def _line(kind: type, file: Path | None, attribute: str, entry: str, call: str = "") -> int | None:
    """Return the line of an entry of an attribute, of the attribute, or of the class itself.

    What a class inherits from another one of the same file stands there.
    """
    if file is None:
        return None
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    own = [classes[parent.__name__] for parent in kind.__mro__ if _here(parent, kind, classes)]
    for node in own:
        for item in node.body:
            if attribute in _declared(item):
                return _call_line(item, call, entry) or _entry_line(item, entry) or item.lineno
    return own[0].lineno if own else None


def _here(parent: type, kind: type, classes: dict[str, ast.ClassDef]) -> bool:
    return parent.__module__ == kind.__module__ and parent.__name__ in classes


def _entry_line(item: ast.stmt, entry: str) -> int | None:
    """Return the line where a name stands in quotes inside a statement."""
    lines = [
        node.lineno
        for node in ast.walk(item)
        if isinstance(node, ast.Constant) and entry and node.value == entry
    ]
    return min(lines, default=None)


def _call_line(item: ast.stmt, call: str, entry: str) -> int | None:
    """Return the line where something is called with a name in quotes as its first argument."""
    lines = [
        node.lineno
        for node in ast.walk(item)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == call
        and node.args
        and getattr(node.args[0], "value", None) == entry
    ]
    return min(lines, default=None)


def _declared(item: ast.stmt) -> list[str]:
    if isinstance(item, ast.FunctionDef):
        return [item.name]
    targets = item.targets if isinstance(item, ast.Assign) else [getattr(item, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]
