"""Run rumoca on a Modelica class, and turn its errors into one sentence with file and line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cranebridge.errors import InputError, MissingDependencyError
from cranebridge.frontend.compile import modelica_path, source_text, unbalanced
from cranebridge.frontend.library import library_path
from cranebridge.temporary import TemporaryFolder

RUMOCA_VERSION = "0.10.2"
"""The version whose expression graph was read and tested."""

SCHEMA_VERSION = 43
"""Schema of rumoca's DAE dictionary that the reader in ``frontend.read`` understands."""

_ELEMENT = (
    r"'\1' is an element of an array, which the compiler cannot change at an event: change the "
    "whole array, or use scalars or an array of components"
)
# What rumoca says, and what a user needs to know.
_WORDS = {
    "duplicate reinitialization owner": "two when clauses give the same state a new value by "
    "reinit; write one of them",
    r"state variables: ([\w.]+\[[\d,]+\]) is not a state": _ELEMENT,
    r"`([\w.]+\[[\d,]+\])` is not a discrete coordinate": _ELEMENT,
    "function-call assignment must retain": "reinit, assert and terminate in an algorithm are not "
    "supported; write them in equations",
}

INSTALL = "pip install cranebridge"


@dataclass(frozen=True)
class SourceFile:
    """A Modelica file that took part in a model."""

    path: str
    text: str


@dataclass(frozen=True)
class CompiledModel:
    """rumoca's view of a model.

    Attributes
    ----------
    class_name : str
        Full Modelica name.
    dae, flat : dict
        rumoca's DAE and flat model.
    sources : dict
        Files by rumoca's source id.
    main : SourceFile
        The file that holds the class.
    """

    class_name: str
    dae: dict[str, Any]
    flat: dict[str, Any]
    sources: dict[int, SourceFile]
    main: SourceFile


def import_rumoca() -> Any:
    """Import rumoca and check that it is the version that this front end was written for."""
    try:
        import rumoca
    except ImportError as error:
        raise MissingDependencyError(
            f"the Modelica compiler rumoca is not installed; run: {INSTALL}"
        ) from error
    version = rumoca.version()
    if version != RUMOCA_VERSION:
        raise MissingDependencyError(
            f"rumoca {version} is installed, but its expression graph is only known to be read "
            f"correctly for {RUMOCA_VERSION}; run: {INSTALL}"
        )
    return rumoca


def compile_class(path: Path, class_name: str, roots: Sequence[Path] = ()) -> CompiledModel:
    """Compile a class of a Modelica file.

    Parameters
    ----------
    path : Path
        The file; if it has a ``within`` clause, its package directory is loaded too.
    class_name : str
        Full name of the class.
    roots : sequence of Path
        Directories of packages that the class may use.
    """
    rumoca = import_rumoca()
    text = _read(path)
    if source_text.within(text) or path.name == "package.mo":
        package = package_root(path)
        return _load(rumoca, path, text, class_name, [*roots, package], path)
    # rumoca reads all .mo files beside the one it is given, and a broken or duplicate one among
    # them stops it. A file that belongs to no package is therefore compiled in a directory of its
    # own.
    with TemporaryFolder("model") as directory:
        place = directory / path.name
        place.write_text(text, encoding="utf-8")
        return _load(rumoca, place, text, class_name, roots, path)


def package_root(path: Path) -> Path:
    """Outermost directory with a ``package.mo`` around a file."""
    root = path.parent
    while (root.parent / "package.mo").is_file():
        root = root.parent
    return root


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read Modelica file '{path}': {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"Modelica file '{path}' is not UTF-8 text.") from error


def _load(
    rumoca: Any, place: Path, text: str, class_name: str, roots: Sequence[Path], path: Path
) -> CompiledModel:
    unique = list(dict.fromkeys(str(root) for root in roots))
    try:
        with _without_modelica_path():
            model = rumoca.Session(roots=unique).load(str(place), model=class_name)
            dae, flat = model.to_dict("dae"), model.to_dict("flat")
    except (rumoca.RumocaError, RuntimeError, ValueError) as error:
        raise _explain(rumoca, error, place, text, class_name, path) from error
    schema = dae.get("schema_version")
    if schema != SCHEMA_VERSION:
        raise MissingDependencyError(
            f"rumoca's DAE has schema version {schema}, but this front end reads version "
            f"{SCHEMA_VERSION}; run: {INSTALL}"
        )
    sources = {
        number: SourceFile(name.replace(str(place), str(path)), content)
        for number, name, content in dae["source_map"]["files"]
    }
    return CompiledModel(class_name, dae, flat, sources, SourceFile(str(path), text))


@contextmanager
def _without_modelica_path() -> Iterator[None]:
    """rumoca would read all that is in MODELICAPATH; the roots have what is needed."""
    value = os.environ.pop("MODELICAPATH", None)
    try:
        yield
    finally:
        if value is not None:
            os.environ["MODELICAPATH"] = value


def _explain(
    rumoca: Any, error: Exception, place: Path, text: str, class_name: str, path: Path
) -> InputError:
    """Make one sentence with file and line from rumoca's message."""
    syntax = _syntax_error(rumoca, place, text, class_name)
    if syntax is not None:
        line, message = syntax
        return InputError(f"{_at(path, text, line)}: syntax error: {message}.")
    message = str(error).splitlines()[0]
    found = re.search(r"unresolved [\w ]+: '([^']+)'", message)
    line_number = source_text.line_of_name(text, found.group(1)) if found else None
    lost = _lost_library(str(error))
    if lost:
        number = source_text.line_of_name(text, modelica_path.STANDARD)
        where = _at(path, text, number) if number else str(path)
        return InputError(f"{where}: {lost}.")
    if found and line_number:
        return InputError(f"{_at(path, text, line_number)}: unknown name '{found.group(1)}'.")
    cycle = re.search(r"`([\w.\[\],]+)` participates in a current-value dependency cycle", message)
    if cycle:
        name = cycle.group(1)
        place_of = source_text.line_of_definition(text, name)
        where = _at(path, text, place_of) if place_of else str(path)
        return InputError(
            f"{where}: '{name}' depends on itself at the same event; use pre({name}) for its value "
            "from before."
        )
    wind = unbalanced.forgotten_wind(message, text, _has_wind)
    if wind:
        number, hint = wind
        return InputError(f"{_at(path, text, number)}: {_reason(message)}: {hint}.")
    located = re.search(rf"\[{re.escape(str(place))}:(\d+)(?::\d+)?\]", message)
    if located:
        reason = _reason(message[: located.start()])
        return InputError(f"{_at(path, text, int(located.group(1)))}: {reason}.")
    if "resolve/parse failed" in message:
        known = ", ".join(source_text.class_names(text)) or "none"
        return InputError(f"no class '{class_name}' in {path}. Classes in it: {known}.")
    return InputError(f"{path}: {_reason(message).replace(str(place), str(path))}.")


def _has_wind(model: str) -> bool:
    file = library_path() / f"{model}.mo"
    if not file.is_file():
        return False
    return re.search(r"\bextends Interfaces\.\w*Wind\b", _read(file)) is not None


def _lost_library(message: str) -> str | None:
    """What to do if any of the names that were not found is of a library that is not here."""
    names = re.findall(r"unresolved [\w ]+: '([^']+)'", message)
    messages = (modelica_path.missing(name) for name in names)
    return next((text for text in messages if text is not None), None)


def _reason(message: str) -> str:
    """Cut what is said twice from messages such as ``todae failed: D failed in ToDae: reason``."""
    text = re.sub(r"^\w+ failed: [\w.]+ failed in \w+: ", "", message.strip())
    for pattern, words in _WORDS.items():
        found = re.search(pattern, text)
        if found:
            return found.expand(words)
    return re.sub(r"^([\w.]+) could not be compiled: ", "", text).rstrip(".; ")


def _syntax_error(rumoca: Any, place: Path, text: str, class_name: str) -> tuple[int, str] | None:
    try:
        with _without_modelica_path():
            found = rumoca.validate_source(text, model=class_name, filename=str(place))
    except (rumoca.RumocaError, RuntimeError, ValueError):
        return None
    for diagnostic in found:
        if diagnostic.level == "error" and diagnostic.rule == "syntax-error":
            # The position fields always say 1:1; the right one is in the drawing.
            place_found = re.search(r":(\d+):\d+\]", diagnostic.message)
            reason = re.search(r"×\s*(.+)", diagnostic.message)
            line = int(place_found.group(1)) if place_found else diagnostic.line
            return line, reason.group(1).strip() if reason else "cannot be read"
    return None


def _at(path: Path, text: str, line: int) -> str:
    lines = text.splitlines()
    shown = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return f"{path}:{line}: '{shown}'" if shown else f"{path}:{line}"
