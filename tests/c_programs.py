"""C code of the tests' subjects: compiled strictly and loaded, or run under sanitizers."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from cranebridge.frontend.flat_model import PlantModel
from cranebridge.plant.export.fmu_export import Fmi, export_fmu

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2", "-fPIC", "-shared")
SANITIZERS = ("-std=c99", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")

_libraries: dict[tuple[object, ...], bytes] = {}


def load_strict(source: Path, *more: str) -> ctypes.CDLL:
    """Compile a C source as C99 with all warnings as errors, and load it; `more` are flags.

    The same text is compiled once. Each call loads a file of its own: nothing static is shared.
    """
    library = source.with_suffix(".so")
    headers = sorted(source.parent.glob("*.h"))
    key = (more, source.name, *((file.name, file.read_bytes()) for file in (source, *headers)))
    if key not in _libraries:
        command = ["gcc", *STRICT, *more, str(source), "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        _libraries[key] = library.read_bytes()
    else:
        library.write_bytes(_libraries[key])
    return ctypes.CDLL(str(library))


def run_sanitized(files: Sequence[Path], words: Sequence[str] = (), level: str = "-O0") -> str:
    """Compile a program with address and undefined sanitizers and run it; returns its output.

    Unoptimised, all that they look for is there, and compiling takes a third of the time; a program
    that runs for seconds wants another `level`.
    """
    program = files[0].with_suffix("")
    command = ["gcc", *SANITIZERS, level, *map(str, files), "-o", str(program), "-lm"]
    subprocess.run(command, check=True)
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def export_quickly(model: PlantModel, path: Path, fmi: Fmi = "2.0") -> Path:
    """Export an FMU whose library is not optimised: it is run for milliseconds.

    Operations are rounded one by one at every level, so that the numbers are the same. The FMUs of
    some cranes are looked at as users get them in tests/plant/test_export_cranes.py.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", str(Path(__file__).parent / "data" / "quick_cc"))
        return export_fmu(model, path, fmi=fmi)
