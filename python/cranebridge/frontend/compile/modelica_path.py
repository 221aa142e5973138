"""Modelica libraries that a model uses, found as Modelica tools do: in the folders of MODELICAPATH.

A library ``Name`` is a folder ``Name`` or ``Name 1.2.3`` with a ``package.mo``, or a file
``Name.mo`` (Modelica 3.6, 13.3). Only what a model names is loaded: the Modelica Standard Library
alone has some thousand classes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cranebridge.frontend.compile.source_text import blank, class_names
from cranebridge.temporary import TemporaryFolder

_USES = re.compile(r"\buses\s*\(((?:[^()]|\([^()]*\))*)\)")
_USED = re.compile(r'([A-Za-z_]\w*)\s*(?:\(\s*version\s*=\s*"([^"]*)"[^()]*\))?')
_FIRST = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*\.\s*[A-Za-z_]")
STANDARD = "Modelica"
_RELEASES = "https://github.com/modelica/ModelicaStandardLibrary/releases"


@dataclass(frozen=True)
class Requirement:
    """A library that a model needs.

    Attributes
    ----------
    name : str
        Of the library.
    version : str
        What the ``uses`` annotation asks for; empty if it does not say.
    path : Path or None
        Where MODELICAPATH has it, if it does.
    """

    name: str
    version: str = ""
    path: Path | None = None


def uses(text: str) -> dict[str, str]:
    """Libraries that the ``uses`` annotations of a text name, each with its version or ``""``."""
    code = blank(text)
    found: dict[str, str] = {}
    for place in _USES.finditer(code):
        inside = text[place.start(1) : place.end(1)]  # versions are strings, which are blanked
        found |= {match[1]: match[2] or "" for match in _USED.finditer(inside)}
    return found


def requirements(texts: Sequence[str], known: Iterable[str] = ()) -> list[Requirement]:
    """Libraries that texts need, by their names or their ``uses``; those at hand need others.

    Parameters
    ----------
    texts : sequence of str
        All files of a model, or of the package that it is in.
    known : iterable of str
        Packages that are loaded anyway.

    Returns
    -------
    list of Requirement
        Those that need no other first. What is neither in MODELICAPATH, nor named by a ``uses``,
        nor the standard library is not among them: it may be the name of a component.
    """
    seen = {*known}.union(*(class_names(text) for text in texts))
    versions: dict[str, str] = {}
    for text in texts:
        versions |= uses(text)
    found: list[Requirement] = []

    def need(name: str, version: str, named: bool) -> None:
        if name in seen:
            return
        seen.add(name)
        path = find_version(name, version)
        if path is not None:
            # its tests and examples may name more; what it needs is what it says
            for other, wanted in uses(_head(path)).items():
                need(other, versions.get(other, wanted), True)
        if path is not None or named or name == STANDARD:
            found.append(Requirement(name, version, path))

    for name in sorted({*versions}.union(*map(used_names, texts))):
        need(name, versions.get(name, ""), name in versions)
    return found


def find_version(name: str, version: str) -> Path | None:
    """Folder or file of a library in the version that is asked for, or else in another."""
    for folder in search_path() if version else ():
        path = folder / f"{name} {version}"
        if (path / "package.mo").is_file():
            return path
    return find_library(name)


def _head(library: Path) -> str:
    """Text of the package itself, which has the annotation."""
    file = library if library.is_file() else library / "package.mo"
    return file.read_text(encoding="utf-8", errors="replace")


def used_names(text: str) -> set[str]:
    """First parts of all names with a dot in a text: packages and components alike."""
    return set(_FIRST.findall(blank(text)))


def find_library(name: str) -> Path | None:
    """Folder or file of a library; of several versions the latest, but without a number first."""
    found: list[tuple[tuple[int, ...], Path]] = []
    for folder in search_path():
        if not folder.is_dir():
            continue
        for path in folder.iterdir():
            match = re.fullmatch(rf"{re.escape(name)}(?: ([0-9.]+).*)?", path.name)
            if match and (path / "package.mo").is_file():
                number = match.group(1)
                key = tuple(int(part) for part in number.split(".") if part) if number else (10**9,)
                found.append((key, path))
            elif path.name == f"{name}.mo" and path.is_file():
                found.append(((10**9,), path))
        if found:  # an earlier folder goes before a later one
            return max(found, key=lambda entry: entry[0])[1]
    return None


def search_path() -> list[Path]:
    """Folders of MODELICAPATH."""
    entries = os.environ.get("MODELICAPATH", "").split(os.pathsep)
    return [Path(entry).expanduser() for entry in entries if entry]


def libraries(text: str, known: Iterable[str] = ()) -> list[Path]:
    """Libraries of MODELICAPATH that a text needs, and those that they need in turn.

    Parameters
    ----------
    known : iterable of str
        Packages that are loaded anyway.
    """
    seen, result = {*known, *class_names(text)}, []
    pending = sorted(used_names(text) - seen)
    while pending:
        name = pending.pop()
        seen.add(name)
        path = find_library(name)
        if path is None:
            continue
        result.append(path)
        more = set().union(*(used_names(content) for content in _texts(path)))
        pending += sorted(more - seen - set(pending))
    return result


def _texts(library: Path) -> Iterator[str]:
    for file in library_files(library):
        if file.suffix == ".mo":
            yield file.read_text(encoding="utf-8", errors="replace")


def library_files(library: Path) -> list[Path]:
    """Modelica files of a library."""
    if library.is_file():
        return [library]
    wanted = (p for p in library.rglob("*") if p.suffix == ".mo" or p.name == "package.order")
    return sorted(p for p in wanted if p.is_file())


@contextmanager
def gathered(found: Sequence[Path]) -> Iterator[list[Path]]:
    """Roots for the compiler: of several it reads only those that the model itself names.

    Libraries that need each other are therefore put into one folder, by links.
    """
    if len(found) < 2:
        yield list(found)
        return
    with TemporaryFolder("libraries") as folder:
        for path in found:
            (folder / path.name.split()[0]).symlink_to(path.absolute())
        yield [folder]


def missing(name: str) -> str | None:
    """Say what to do for a name whose library is not here; ``None`` if it may be anything."""
    first = name.split(".")[0].split("=")[-1].strip()
    if first != STANDARD or find_library(STANDARD) is not None:
        return None
    where = ", ".join(str(folder) for folder in search_path()) or "it is not set"
    return (
        f"'{name.split('=')[-1].strip()}' is of the Modelica Standard Library, which is not here: "
        f"unpack a release of {_RELEASES} and set MODELICAPATH to the folder that holds "
        f"'Modelica 4.0.0' (now: {where})"
    )
