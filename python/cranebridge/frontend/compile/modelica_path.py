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
from dataclasses import dataclass
from pathlib import Path

from cranebridge.cache import usable_folder
from cranebridge.errors import InputError
from cranebridge.frontend.compile import library_cache, source_text
from cranebridge.frontend.compile.library_cache import cache_folder, library_files
from cranebridge.frontend.compile.source_text import blank, class_names
from cranebridge.temporary import TemporaryFolder

_USES = re.compile(r"\buses\s*\(((?:[^()]|\([^()]*\))*)\)")
_USED = re.compile(r'([A-Za-z_]\w*)\s*(?:\(\s*version\s*=\s*"([^"]*)"[^()]*\))?')
_FIRST = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*\.\s*[A-Za-z_]")
_TYPE = re.compile(
    r"(?<![\w.])(?:(?:extends|import)\s+)?([A-Za-z_]\w*)(?:\s*\.\s*\w+)+\s*(?:;|\(|\[|\w+\s*[;(\[=,])"
)
_NAMED_HERE = re.compile(
    r"\b(?:package|model|class|block|function|record|type|connector)\s+(\w+)|\bimport\s+(\w+)\s*="
)
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
        for entry in os.listdir(folder):
            if not entry.startswith(name):  # thousands of names are asked for
                continue
            path = folder / entry
            match = re.fullmatch(r"(?: ([0-9.]+).*)?", entry[len(name) :])
            if match and (path / "package.mo").is_file():
                number = match.group(1)
                key = tuple(int(part) for part in number.split(".") if part) if number else (10**9,)
                found.append((key, path))
            elif entry == f"{name}.mo" and path.is_file():
                found.append(((10**9,), path))
        if found:  # an earlier folder goes before a later one
            return max(found, key=lambda entry: entry[0])[1]
    return None


def search_path() -> list[Path]:
    """Folders of MODELICAPATH."""
    entries = os.environ.get("MODELICAPATH", "").split(os.pathsep)
    return [Path(entry).expanduser() for entry in entries if entry]


def resource_place(folder: Path, name: str) -> Path:
    """Where a file is that a model in a folder names.

    That is beside the model, or where ``modelica://Package/...`` says: in the model's own package,
    or in a library.
    """
    scheme, _, rest = name.partition("://")
    if not rest:
        return folder / name  # an absolute path stays one
    package, _, inner = rest.partition("/")
    packages = [at for at in (folder, *folder.parents) if (at / "package.mo").is_file()]
    root = next((at for at in packages if at.name == package), None) or find_library(package)
    if root is None or scheme.lower() != "modelica":
        raise InputError(f"resource '{name}': there is no library '{package}' in MODELICAPATH.")
    return (root if root.is_dir() else root.parent) / inner


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
