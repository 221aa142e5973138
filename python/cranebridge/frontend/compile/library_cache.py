"""What is known of large libraries, kept: the compiler needs many seconds to read one.

An entry belongs to the libraries' files (by size and time of change), to our own code here and to
what else it was made from: the model's text and the compiler's version. Without a large library
nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs

from cranebridge.cache import find, store, usable_folder

MANY_FILES = 300
"""Libraries with fewer files are read at once: the compiler needs a millisecond for each."""

MOST_ENTRIES = 20
"""Models that are kept; one of the MSL's MultiBody takes some megabytes."""


def cache_folder() -> Path:
    """Where what is known of libraries is kept."""
    return Path(platformdirs.user_cache_dir("cranebridge")) / "modelica"


def library_files(library: Path) -> list[Path]:
    """Modelica files of a library."""
    if library.is_file():
        return [library]
    wanted = (p for p in library.rglob("*") if p.suffix == ".mo" or p.name == "package.order")
    return sorted(p for p in wanted if p.is_file())


def cache_key(made_from: Sequence[str], roots: Sequence[Path]) -> str:
    """Name of an entry; empty if it is not worth keeping."""
    files = [file for root in roots for file in _files(root)]
    if len(files) < MANY_FILES or any(_has_links(root) for root in roots):
        return ""
    states = [(str(file), (state := file.stat()).st_size, state.st_mtime_ns) for file in files]
    content = json.dumps([_own_code(), list(made_from), states])
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def kept(key: str) -> Any:
    """Return what was kept under a key, or ``None``."""
    if not key:
        return None
    entry = find(_folder(), f"{key}.json")
    if entry is None:
        return None
    with contextlib.suppress(OSError, ValueError):
        return json.loads(entry.read_bytes())
    return None


def keep(key: str, content: Any) -> None:
    """Keep something under a key; the oldest entries go. That it cannot be written is no error."""
    if not key:
        return
    folder = _folder()
    with contextlib.suppress(OSError):
        store(folder, f"{key}.json", json.dumps(content).encode())
        entries = sorted(folder.glob("*.json"), key=lambda entry: entry.stat().st_mtime)
        for entry in entries[:-MOST_ENTRIES]:
            entry.unlink()
            entry.with_name(f"{entry.name}.sha256").unlink()


def _folder() -> Path:
    return usable_folder(cache_folder() / "compiled")


def _files(root: Path) -> list[Path]:
    """Files of a library, or of the libraries that are linked in a folder."""
    if root.is_file() or (root / "package.mo").is_file():
        return library_files(root)
    return [file for place in sorted(root.iterdir()) for file in library_files(place.resolve())]


def _has_links(root: Path) -> bool:
    """Whether a library has linked folders, whose files are not seen here."""
    return (root / "package.mo").is_file() and any(path.is_symlink() for path in root.rglob("*"))


@cache
def _own_code() -> str:
    """Fingerprint of this room, which says what is refused and what is handed on."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
