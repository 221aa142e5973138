"""The files that a Modelica model may be made of."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from cranebridge.errors import InputError
from cranebridge.frontend.library import library_path
from cranebridge.regular_files import require_regular

_TABLE_FILE = re.compile(r'"([^"\n]+\.(?:txt|mat|csv))"')


def modelica_sources(source: str) -> Iterator[Path]:
    """Files that the model may be made of: our library, and the user's file or package."""
    yield from _package_files(library_path())
    text = source.rsplit(":", 1)[0] if ".mo:" in source else source
    if not text.endswith(".mo"):
        return
    path = Path(text).absolute()
    if not path.is_file():
        require_regular(f"Modelica file '{text}'", path)
        raise InputError(f"Modelica file '{text}' does not exist.")
    if os.environ.get("MODELICAPATH"):
        yield from _library_files(path)
    for file in package_files(path)[1]:
        yield file
        yield from _tables_named_in(file)


def package_files(path: Path) -> tuple[Path, list[Path]]:
    """Return the files of a user's model, all of its package if it is in one, and their folder."""
    root = path.parent
    if not (root / "package.mo").is_file():
        return root, [path]
    while (root.parent / "package.mo").is_file():
        root = root.parent
    return root.parent, list(_package_files(root))


def _tables_named_in(file: Path) -> Iterator[Path]:
    """Files of tables that a model names: their contents become part of it."""
    if file.suffix != ".mo":
        return
    for name in _TABLE_FILE.findall(file.read_text(encoding="utf-8", errors="replace")):
        # who asks for an FMU without tables should not wait for the compiler's side
        from cranebridge.frontend.compile import resource_place

        with suppress(InputError):  # no such library: the compiler's side says so
            place = resource_place(file.parent, name)
            if place.is_file():
                yield place


def _library_files(path: Path) -> Iterator[Path]:
    # who asks for an FMU of the cache should not wait for the compiler's side to be imported
    from cranebridge.frontend.compile import libraries, library_files

    for library in libraries(path.read_text(encoding="utf-8", errors="replace"), ["Cranes"]):
        yield from library_files(library)


def _package_files(root: Path) -> Iterator[Path]:
    yield from sorted(
        path for path in root.rglob("*") if path.suffix == ".mo" or path.name == "package.order"
    )
