"""The compiled loop of Model Exchange: its library, built once by the parent and kept in a cache.

Without a compiler there is none, and the child process simulates in Python with SciPy's DOP853:
slower, and with the same results to the tolerance.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import platformdirs

from cranebridge.cache import find, store, usable_folder
from cranebridge.errors import CranebridgeError
from cranebridge.plant.library_compiler import (
    Compiler,
    compile_library,
    find_compiler,
    flags_of,
    host_platform,
)
from cranebridge.temporary import TemporaryFolder

_SOURCES = Path(__file__).parents[1] / "loop"


def folder() -> Path:
    """Return the folder in which the library is kept."""
    return usable_folder(Path(platformdirs.user_cache_dir("cranebridge")) / "loop")


@cache
def compiled() -> Path | None:
    """Return the compiled loop; None where it cannot be made."""
    try:
        compiler = find_compiler()
        files = sources()
        flags = flags_of(compiler, host_platform(), None)
        identity = "\0".join([compiler.identity(), *flags, *files, *files.values()])
        name = f"loop-{hashlib.sha256(identity.encode()).hexdigest()[:32]}.so"
        return find(folder(), name) or store(folder(), name, _build(compiler, files))
    except (CranebridgeError, OSError):
        return None


def sources() -> dict[str, str]:
    """All files to compile, with what stands in them."""
    return {file.name: file.read_text("ascii") for file in sorted(_SOURCES.glob("*.[ch]"))}


def _build(compiler: Compiler, files: dict[str, str]) -> bytes:
    with TemporaryFolder("build") as directory:
        for name, text in files.items():
            (directory / name).write_text(text, encoding="ascii")
        return compile_library(directory, None, host_platform(), compiler)
