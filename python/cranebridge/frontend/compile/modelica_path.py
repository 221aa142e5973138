"""Modelica libraries that a model uses, found as Modelica tools do: in the folders of MODELICAPATH.

A library ``Name`` is a folder ``Name`` or ``Name 1.2.3`` with a ``package.mo``, or a file
``Name.mo`` (Modelica 3.6, 13.3). Only what a model names is loaded: the Modelica Standard Library
alone has some thousand classes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cranebridge.cache import usable_folder
from cranebridge.frontend.compile import library_cache, source_text
from cranebridge.frontend.compile.library_cache import cache_folder, library_files
from cranebridge.frontend.compile.source_text import blank, class_names
from cranebridge.temporary import TemporaryFolder

_FIRST = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*\.\s*[A-Za-z_]")
_TYPE = re.compile(
    r"(?<![\w.])(?:(?:extends|import)\s+)?([A-Za-z_]\w*)(?:\s*\.\s*\w+)+\s*(?:;|\(|\[|\w+\s*[;(\[=,])"
)
_NAMED_HERE = re.compile(
    r"\b(?:package|model|class|block|function|record|type|connector)\s+(\w+)|\bimport\s+(\w+)\s*="
)
STANDARD = "Modelica"
_RELEASES = "https://github.com/modelica/ModelicaStandardLibrary/releases"


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
        more = _names_in(path)
        pending += sorted(more - seen - set(pending))
    return result


def _names_in(library: Path) -> set[str]:
    """First parts of all names with a dot in a library."""
    key = library_cache.cache_key(["names"], [library])
    known = library_cache.kept(key)
    if known is None:
        known = sorted(set().union(*(used_names(content) for content in _texts(library))))
        library_cache.keep(key, known)
    return set(known)


def _texts(library: Path) -> Iterator[str]:
    for file in library_files(library):
        if file.suffix == ".mo":
            yield file.read_text(encoding="utf-8", errors="replace")


@contextmanager
def gathered(found: Sequence[Path]) -> Iterator[list[Path]]:
    """Roots for the compiler: of several it reads only those that the model itself names.

    Libraries that need each other are therefore put into one folder, by links. It is always the
    same folder: the compiler keeps what it has read by the place where it was.
    """
    if len(found) < 2:
        yield list(found)
        return
    links = {path.name.split()[0]: path.absolute() for path in found}
    text = "\n".join(f"{name}={path}" for name, path in sorted(links.items()))
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    folder = usable_folder(cache_folder() / "libraries" / digest)
    for name, path in links.items():
        with contextlib.suppress(FileExistsError):  # of an earlier run, or made meanwhile
            (folder / name).symlink_to(path)
    if all(os.readlink(folder / name) == str(path) for name, path in links.items()):
        yield [folder]
        return
    with TemporaryFolder("libraries") as other:  # somebody has put something else there
        for name, path in links.items():
            (other / name).symlink_to(path)
        yield [other]


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


def missing_library(text: str) -> tuple[str, str] | None:
    """A library that a text takes classes from and that is not here: its name, and what to do."""
    code = blank(text)
    here = {name for names in _NAMED_HERE.findall(code) for name in names}
    for match in _TYPE.finditer(code):
        name = match.group(1)
        declares = re.match(r"(?:extends|import)\b", match.group()) or re.search(
            r"\w\s+\w+\s*[;(\[=,]\Z", match.group()
        )
        if declares and name not in here and find_library(name) is None and name != "Cranes":
            where = ", ".join(str(folder) for folder in search_path()) or "it is not set"
            reason = (
                f"unknown name '{name}'; if it is a library, set MODELICAPATH to the folder that "
                f"holds it (now: {where})"
            )
            return name, reason
    return None


def class_text(name: str) -> str:
    """Text of a class of a library; empty if there is none."""
    first, *rest = name.split(".")
    place = find_library(first)
    if place is None:
        return ""
    folder, file = place, place if place.is_file() else place / "package.mo"
    while rest:
        if (folder / rest[0] / "package.mo").is_file():
            folder = folder / rest.pop(0)
            file = folder / "package.mo"
        elif (folder / f"{rest[0]}.mo").is_file():
            file = folder / f"{rest.pop(0)}.mo"
            break
        else:
            break
    text = file.read_text(encoding="utf-8", errors="replace")
    return source_text.class_text(text, rest[-1]).text if rest else text
