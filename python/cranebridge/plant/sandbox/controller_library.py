"""Controllers compiled for the verification: the very text that is handed over, and a way in.

The parent compiles, the child process only loads. What was compiled is kept in the folder that the
child may read; of many, the newest.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

from cranebridge.cache import find, store
from cranebridge.plant.library_compiler import (
    Compiler,
    compile_library,
    find_compiler,
    flags_of,
    host_platform,
)
from cranebridge.plant.sandbox.loop_library import folder
from cranebridge.temporary import TemporaryFolder

STEM = "controller"
"""All names of the module begin with it, as `controller_library.c` expects."""

KEPT = 32
"""Compiled controllers that are kept at most."""

# A crane's equations are straight-line arithmetic: more makes compiling longer and nothing faster.
_LEVEL = "-O1"
_WAY_IN = Path(__file__).with_suffix(".c")


def compiled_controller(header: str, source: str, estimates: bool = False) -> Path:
    """Compile a controller in double precision whose names begin with `STEM`.

    Parameters
    ----------
    header, source : str
        Its module.
    estimates : bool
        Whether its state has an array ``estimate``.

    Raises
    ------
    MissingDependencyError
        If there is no compiler.
    CranebridgeError
        If it does not compile.
    """
    compiler = find_compiler()
    way_in = ("#define ESTIMATES\n" if estimates else "") + _WAY_IN.read_text(encoding="utf-8")
    files = {f"{STEM}.h": header, f"{STEM}.c": source, "all.c": way_in}
    flags = flags_of(compiler, host_platform(), None, _LEVEL)
    identity = "\0".join([compiler.identity(), *flags, *files.values()])
    name = f"{STEM}-{hashlib.sha256(identity.encode()).hexdigest()[:32]}.so"
    found = find(folder(), name)
    if found is not None:
        with contextlib.suppress(OSError):
            os.utime(found)
        return found
    _make_room()
    return store(folder(), name, _build(compiler, files))


def _build(compiler: Compiler, files: dict[str, str]) -> bytes:
    with TemporaryFolder("build") as directory:
        for name, text in files.items():
            (directory / name).write_text(text, encoding="utf-8")
        return compile_library(directory, None, host_platform(), compiler, _LEVEL)


def _make_room() -> None:
    """Remove the oldest ones beyond what is kept."""
    with contextlib.suppress(OSError):
        files = sorted(folder().glob(f"{STEM}-*.so"), key=lambda file: file.stat().st_mtime)
        for file in files[: max(len(files) - KEPT + 1, 0)]:
            file.unlink(missing_ok=True)
            file.with_name(f"{file.name}.sha256").unlink(missing_ok=True)
