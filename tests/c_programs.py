"""C code of the tests' subjects: compiled strictly and loaded, or run under sanitizers."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Sequence
from pathlib import Path

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2", "-fPIC", "-shared")
SANITIZERS = ("-std=c99", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def load_strict(source: Path, *more: str) -> ctypes.CDLL:
    """Compile a C source as C99 with all warnings as errors, and load it; `more` are flags."""
    library = source.with_suffix(".so")
    command = ["gcc", *STRICT, *more, str(source), "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library))


def run_sanitized(files: Sequence[Path], words: Sequence[str] = ()) -> str:
    """Compile a program with address and undefined sanitizers and run it; returns its output."""
    program = files[0].with_suffix("")
    subprocess.run(["gcc", *SANITIZERS, *map(str, files), "-o", str(program), "-lm"], check=True)
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
