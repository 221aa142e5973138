"""Run rumoca on a Modelica class; what it loses or refuses ends in one sentence."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cranebridge.errors import InputError, MissingDependencyError
from cranebridge.frontend.compile import library_cache, source_text
from cranebridge.frontend.compile.class_tree import read_classes
from cranebridge.frontend.compile.compiler_messages import Failure, explain, refuse_crashing
from cranebridge.frontend.compile.file_tables import has_file_tables, with_tables
from cranebridge.frontend.compile.library_parts import PROBE, faulty_part
from cranebridge.frontend.compile.lost_modifiers import inlined, refuse_lost
from cranebridge.frontend.compile.unit_kinds import unit_clash
from cranebridge.temporary import TemporaryFolder

RUMOCA_VERSION = "0.10.2"
"""The version whose expression graph was read and tested."""

SCHEMA_VERSION = 43
"""Schema of rumoca's DAE dictionary that the reader in ``frontend.read`` understands."""

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
    inlined : dict of str to str
        Parameters that have the value of another one in `dae` and must follow that one.
    """

    class_name: str
    dae: dict[str, Any]
    flat: dict[str, Any]
    sources: dict[int, SourceFile]
    main: SourceFile
    inlined: Mapping[str, str]


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
    refuse_crashing(path, text, class_name)
    if source_text.within(text) or path.name == "package.mo":
        return _load_of_package(rumoca, path, text, class_name, roots)
    # rumoca reads all .mo files beside the one it is given, and a broken or duplicate one among
    # them stops it. A file that belongs to no package is therefore compiled in a directory of its
    # own.
    if has_file_tables(text):
        text = with_tables(text, path)
    with TemporaryFolder("model") as directory:
        place = directory / path.name
        place.write_text(text, encoding="utf-8")
        return _load(rumoca, place, text, class_name, roots, path)


def _load_of_package(
    rumoca: Any, path: Path, text: str, class_name: str, roots: Sequence[Path]
) -> CompiledModel:
    package = package_root(path)
    written = dict(_with_tables_in(package, path))
    if not written:
        return _load(rumoca, path, text, class_name, [*roots, package], path)
    with TemporaryFolder("package") as directory:
        copy = directory / package.name
        shutil.copytree(package, copy)
        for file, content in written.items():
            (copy / file.relative_to(package)).write_text(content, encoding="utf-8")
        place = copy / path.relative_to(package)
        found = _load(rumoca, place, _read(place), class_name, [*roots, copy], path)
        shown = {str(copy): str(package)}
        sources = {n: replace(s, path=_shown(s.path, shown)) for n, s in found.sources.items()}
        return replace(found, sources=sources)


def _with_tables_in(package: Path, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files of a package that have tables in files, with their new texts."""
    for file in package.rglob("*.mo"):
        if not has_file_tables(file.read_text(encoding="utf-8", errors="replace")):
            continue
        try:
            yield file, with_tables(_read(file), file)
        except InputError:
            if file == path:  # a table that another model lacks is no fault of this one
                raise


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
    main = SourceFile(str(path), text)
    key = library_cache.cache_key(
        ["model", rumoca.version(), class_name, text, str(path)], [Path(root) for root in unique]
    )
    known = library_cache.kept(key)
    if known is not None:
        sources = {number: _source(name, main) for number, name in known["sources"]}
        return CompiledModel(
            class_name, known["dae"], known["flat"], sources, main, known["inlined"]
        )
    try:
        with _without_modelica_path():
            model = rumoca.Session(roots=unique).load(str(place), model=class_name)
            dae, flat = model.to_dict("dae"), model.to_dict("flat")
    except (rumoca.RumocaError, RuntimeError, ValueError) as error:
        failure = Failure(str(error), place, path, text, class_name)
        syntax = syntax_error(rumoca, failure)
        part = None if syntax else faulty_part(failure, lambda model: _fault(rumoca, model, unique))
        raise part or explain(failure, syntax) from error
    schema = dae.get("schema_version")
    if schema != SCHEMA_VERSION:
        raise MissingDependencyError(
            f"rumoca's DAE has schema version {schema}, but this front end reads version "
            f"{SCHEMA_VERSION}; run: {INSTALL}"
        )
    shown = {str(place): str(path), **_linked(unique)}
    sources = {
        number: SourceFile(_shown(name, shown), content)
        for number, name, content in dae.pop("source_map")["files"]
    }
    tree = read_classes(model, {number: source.text for number, source in sources.items()})
    refuse_lost(tree, class_name, flat, sources)
    _refuse_clash(flat, sources)
    copies = inlined(tree, class_name, flat)
    names = [(number, source.path) for number, source in sources.items()]
    library_cache.keep(key, {"dae": dae, "flat": flat, "sources": names, "inlined": copies})
    return CompiledModel(class_name, dae, flat, sources, main, copies)


def _fault(rumoca: Any, text: str, roots: Sequence[str]) -> str | None:
    """What the compiler says against a model of a text; ``None`` if nothing."""
    with TemporaryFolder("model") as directory, _without_modelica_path():
        place = directory / f"{PROBE}.mo"
        place.write_text(text, encoding="utf-8")
        try:
            rumoca.Session(roots=list(roots)).load(str(place), model=PROBE).to_dict("dae")
        except (rumoca.RumocaError, RuntimeError, ValueError) as error:
            return str(error)
    return None


def _refuse_clash(flat: Mapping[str, Any], sources: Mapping[int, SourceFile]) -> None:
    clash = unit_clash(flat)
    if clash is not None:
        span, words = clash
        source = sources[span["source"]]
        before = source.text.encode()[: span["start"]]
        line = before.count(b"\n") + 1
        shown = source.text.splitlines()[line - 1].strip()
        raise InputError(f"{source.path}:{line}: '{shown}': {words}.")


def _source(name: str, main: SourceFile) -> SourceFile:
    if name == main.path:
        return main
    return SourceFile(name, Path(name).read_text(encoding="utf-8", errors="replace"))


def _linked(roots: Sequence[str]) -> dict[str, str]:
    """Where the libraries are that are linked in a root."""
    folders = [Path(root) for root in roots if Path(root).is_dir()]
    links = [path for folder in folders for path in folder.iterdir() if path.is_symlink()]
    return {str(link): str(link.readlink()) for link in links}


def _shown(name: str, shown: Mapping[str, str]) -> str:
    """The user's own name of a file that the compiler saw at another place."""
    for seen, own in shown.items():
        if name == seen or name.startswith(f"{seen}{os.sep}"):
            return own + name[len(seen) :]
    return name


@contextmanager
def _without_modelica_path() -> Iterator[None]:
    """rumoca would read all that is in MODELICAPATH; the roots have what is needed."""
    value = os.environ.pop("MODELICAPATH", None)
    try:
        yield
    finally:
        if value is not None:
            os.environ["MODELICAPATH"] = value


def syntax_error(rumoca: Any, failure: Failure) -> tuple[int, str] | None:
    """Line and reason of the first syntax error; ``None`` if the text can be read."""
    try:
        with _without_modelica_path():
            found = rumoca.validate_source(
                failure.text, model=failure.class_name, filename=str(failure.place)
            )
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
