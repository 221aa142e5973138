"""The compiled loop of Model Exchange: its library, built once by the parent and kept in a cache.

Without a compiler there is none, and the child process simulates in Python: slower, and with the
same results to rounding.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import platformdirs

from cranebridge.cache import find, store, usable_folder
from cranebridge.errors import CranebridgeError
from cranebridge.plant.child.integrators import dop853_coefficients as dop853
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
    written = {file.name: file.read_text("ascii") for file in sorted(_SOURCES.glob("*.[ch]"))}
    return written | {"dop853_tables.h": tables()}


def _build(compiler: Compiler, files: dict[str, str]) -> bytes:
    with TemporaryFolder("build") as directory:
        for name, text in files.items():
            (directory / name).write_text(text, encoding="ascii")
        return compile_library(directory, None, host_platform(), compiler)


def tables() -> str:
    """Coefficients of DOP853 in C: the numbers of `dop853_coefficients`, bit by bit."""
    rows = [f"    {_row(dop853.A[s])}," for s in range(1, dop853.EXTENDED_STAGES)]
    step, extra = rows[: dop853.STAGES], rows[dop853.STAGES :]
    return "\n".join(
        [
            "/* Made by loop_library.py. */",
            "typedef struct {",
            "    int count;",
            f"    int stage[{dop853.EXTENDED_STAGES}];",
            f"    double a[{dop853.EXTENDED_STAGES}];",
            "} Row;",
            f"static const double NODES_C[] = {_numbers(dop853.C)};",
            f"static const double E3[] = {_numbers(dop853.E3)};",
            f"static const double E5[] = {_numbers(dop853.E5)};",
            f"static const double D[][{dop853.EXTENDED_STAGES}] = {{",
            *(f"    {_numbers(row)}," for row in dop853.D),
            "};",
            *("static const Row STEP_ROWS[] = {", *step, "};"),
            *("static const Row EXTRA_ROWS[] = {", *extra, "};"),
            "",
        ]
    )


def _row(values: dop853.Array) -> str:
    """Coefficients of a stage without the zeros among them."""
    stages = [i for i, value in enumerate(values.tolist()) if value != 0.0]
    places = ", ".join(map(str, stages))
    return f"{{{len(stages)}, {{{places}}}, {_numbers(values[stages])}}}"


def _numbers(values: dop853.Array) -> str:
    return "{" + ", ".join(value.hex() for value in values.tolist()) + "}"
