"""Compile CasADi functions with the C compiler, with a cache that later processes find.

The cache is keyed by a hash of the generated source, the compiler and its flags, so that it never
needs clearing and a change of a crane's equations is never missed. A cache that others can write to
is not used: see :mod:`cranebridge.cache`.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Literal

import casadi as ca
import platformdirs

from cranebridge.c_compiler import chosen_command
from cranebridge.cache import find, store, usable_folder
from cranebridge.errors import InputError, MissingDependencyError
from cranebridge.temporary import TemporaryFolder

Mode = Literal["auto", "always", "never"]

# CasADi's code is straight-line arithmetic: higher levels cost time and bring nothing.
FLAGS = ("-O2", "-fPIC", "-shared", "-fno-math-errno")
QUICK_FLAGS = ("-O1", *FLAGS[1:])
"""For derivatives that are evaluated less often: compiled in two thirds to a third of the time."""


def compile_function(
    function: ca.Function, mode: Mode = "auto", flags: tuple[str, ...] = FLAGS
) -> ca.Function:
    """Return `function` as compiled code.

    Parameters
    ----------
    function : casadi.Function
        An SX function.
    mode : {"auto", "always", "never"}
        With "auto" the function itself comes back where no compiler is found or it fails.
    flags : tuple of str
        `FLAGS` or `QUICK_FLAGS`.
    """
    if not compiles(mode):
        return function
    generator = ca.CodeGenerator(f"{function.name()}.c")
    generator.add(function)
    library = compile_source(function.name(), generator.dump(), mode, flags)
    return function if library is None else ca.external(function.name(), str(library))


def compiles(mode: Mode) -> bool:
    """Return whether anything is compiled in a mode.

    Raises
    ------
    MissingDependencyError
        If it must be and there is no compiler.
    """
    found = find_compiler() is not None
    if mode == "always" and not found:
        raise MissingDependencyError(
            "solve.compile = 'always' needs a C compiler: set CC, or run apt-get install gcc"
        )
    return found and mode != "never"


def compile_source(name: str, source: str, mode: Mode, flags: tuple[str, ...]) -> Path | None:
    """Return the shared library of a C source, from the cache where it is there.

    With "auto", None where the compiler fails: CasADi's machine is slower, and just as right.
    """
    compiler = find_compiler()
    assert compiler is not None
    try:
        key = hashlib.sha256("\0".join((source, *_identity(compiler), *flags)).encode()).hexdigest()
        folder, entry = usable_folder(cache_folder()), f"{name}-{key[:32]}.so"
        return find(folder, entry) or store(folder, entry, _build(compiler, source, flags))
    except (OSError, subprocess.CalledProcessError) as error:
        if mode == "auto":
            return None
        raise InputError(f"{shlex.join(compiler)} cannot compile the functions: {error}") from error


def cache_folder() -> Path:
    """Return the folder of compiled functions."""
    return Path(platformdirs.user_cache_dir("cranebridge")) / "functions"


@cache
def find_compiler() -> tuple[str, ...] | None:
    """Return the command of the C compiler: CC, gcc or clang, or None."""
    candidates = (chosen_command(), ("gcc",), ("clang",))
    return next((command for command in candidates if command and shutil.which(command[0])), None)


@cache
def _identity(compiler: tuple[str, ...]) -> tuple[str, ...]:
    """Return the compiler's file, its flags and the machine, which cached code depends on."""
    # As ccache does: another version is another file. Asking a compiler for its version takes
    # longer than all else that is done to find its code in the cache.
    file = Path(os.path.realpath(shutil.which(compiler[0]) or compiler[0]))
    status = file.stat()
    found = (str(file), str(status.st_size), str(status.st_mtime_ns))
    return (*found, *compiler[1:], platform.machine())


def _build(compiler: tuple[str, ...], source: str, flags: tuple[str, ...]) -> bytes:
    """Return the shared library of a source."""
    with TemporaryFolder("build") as folder:
        file = folder / "function.c"
        file.write_text(source)
        built = folder / "function.so"
        command = [*compiler, *flags, str(file), "-o", str(built), "-lm"]
        subprocess.run(command, check=True, capture_output=True)
        return built.read_bytes()
