"""Compilers of shared libraries: which one is there, for which platforms, with which flags.

Searched in this order: the environment variable ``CC``, gcc, clang, and the compiler in the Python
package ``ziglang``, which also compiles for other platforms. The flags make the same sources give
the same bytes: no build id, no paths, no contraction of floating point operations.
"""

from __future__ import annotations

import importlib.util
import platform as host
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cranebridge.c_compiler import chosen_command
from cranebridge.errors import CranebridgeError, InputError, MissingDependencyError, unknown
from cranebridge.temporary import TemporaryFolder

INSTALL_ZIG = "pip install 'cranebridge[zig]'"


@dataclass(frozen=True)
class Platform:
    """A platform that an FMU can have a binary for.

    Attributes
    ----------
    name : str
        FMI 3 platform tuple without ABI, such as ``"x86_64-linux"``.
    fmi2 : str
        Directory below ``binaries`` in FMI 2; the FMI 3 name where FMI 2 defines none.
    extension : str
        File name extension of a shared library.
    zig : str
        Target of ``zig cc``; an old glibc, so that old distributions can load the FMU.
    """

    name: str
    fmi2: str
    extension: str
    zig: str


PLATFORMS = {
    platform.name: platform
    for platform in (
        Platform("x86_64-linux", "linux64", ".so", "x86_64-linux-gnu.2.17"),
        Platform("aarch64-linux", "aarch64-linux", ".so", "aarch64-linux-gnu.2.17"),
        Platform("x86_64-windows", "win64", ".dll", "x86_64-windows-gnu"),
        Platform("aarch64-windows", "aarch64-windows", ".dll", "aarch64-windows-gnu"),
        Platform("x86_64-darwin", "darwin64", ".dylib", "x86_64-macos"),
        Platform("aarch64-darwin", "aarch64-darwin", ".dylib", "aarch64-macos"),
    )
}


@dataclass(frozen=True)
class Compiler:
    """A C compiler that can be run."""

    command: tuple[str, ...]
    is_zig: bool = False

    def identity(self) -> str:
        """First line of what the compiler says about its version."""
        argument = "version" if self.is_zig else "--version"
        command = [*self.command[:-1], argument] if self.is_zig else [*self.command, argument]
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            raise InputError(
                f"the C compiler '{shlex.join(self.command)}' does not run: {error}"
            ) from error
        lines = result.stdout.strip().splitlines()
        return f"{Path(self.command[0]).name} {lines[0] if lines else ''}"


def find_platform(name: str) -> Platform:
    """Look a platform up by its FMI 3 name, such as ``"x86_64-windows"``."""
    if name not in PLATFORMS:
        raise unknown("platform", name, PLATFORMS)
    return PLATFORMS[name]


def host_platform() -> Platform:
    """Platform that this Python runs on."""
    machine = {"AMD64": "x86_64", "x86_64": "x86_64", "arm64": "aarch64", "ARM64": "aarch64"}.get(
        host.machine(), host.machine()
    )
    return find_platform(f"{machine}-{host.system().lower()}")


def find_compiler() -> Compiler:
    """Find the C compiler for this platform.

    Raises
    ------
    MissingDependencyError
        If there is none.
    """
    if command := chosen_command():
        if shutil.which(command[0]) is None:
            raise InputError(f"the environment variable CC names '{command[0]}': not found.")
        return Compiler(command)
    for name in ("gcc", "clang"):
        if shutil.which(name):
            return Compiler((name,))
    if _has_zig():
        return _zig()
    raise MissingDependencyError(f"no C compiler found (CC, gcc, clang); run: {INSTALL_ZIG}")


def find_cross_compiler(platform: Platform) -> Compiler:
    """Find the compiler for a platform other than this one: always ``ziglang``."""
    if not _has_zig():
        raise MissingDependencyError(
            f"a binary for {platform.name} needs the cross compiler ziglang; run: {INSTALL_ZIG}"
        )
    return _zig()


def _has_zig() -> bool:
    return importlib.util.find_spec("ziglang") is not None


def _zig() -> Compiler:
    return Compiler((sys.executable, "-m", "ziglang", "cc"), is_zig=True)


def flags_of(
    compiler: Compiler, platform: Platform, fmi: str | None, level: str = "-O3"
) -> list[str]:
    """Flags for the library of an FMU, or, without a version, for any other, optimised so far."""
    flags = [
        "-std=c99",
        # The equations of a plant are straight-line arithmetic: more than -O1 brings nothing there
        # and doubles the time to compile.
        level if fmi is None else "-O1",
        "-fno-math-errno",
        "-ffp-contract=off",
        "-fvisibility=hidden",
        "-shared",
    ]
    if fmi is not None:
        flags.append(f"-DFMI{fmi[0]}_OVERRIDE_FUNCTION_PREFIX")
    if platform.extension != ".dll":
        flags.append("-fPIC")
    if platform.extension == ".so":
        flags += ["-Wl,--build-id=none", "-Wl,-s"]
    if platform.extension == ".dll":
        # The linker would write the time of the build into the file.
        flags += ["-Wl,-s"] if compiler.is_zig else ["-Wl,-s", "-Wl,--no-insert-timestamp"]
    if platform.extension == ".dylib":
        # Otherwise the library has the path of the directory in which it was linked as its name.
        flags += ["-Wl,-install_name,@rpath/fmu.dylib", "-s"]
    if compiler.is_zig:
        flags += ["-target", platform.zig]
    return flags


def compile_library(
    sources: Path, fmi: str | None, platform: Platform, compiler: Compiler, level: str = "-O3"
) -> bytes:
    """Compile ``all.c`` in a directory of sources.

    Parameters
    ----------
    sources : Path
        Directory with all C files.
    fmi : {"2.0", "3.0"} or None
        Version of the standard; None for a library that is no FMU.
    platform : Platform
        What to compile for.
    compiler : Compiler
        What to compile with.
    level : str
        How far a library that is no FMU is optimised.

    Returns
    -------
    bytes
        The shared library.
    """
    with TemporaryFolder("build") as directory:
        # The linker may write the output's name into the file: always the same one.
        output = directory / f"fmu{platform.extension}"
        command = [
            *compiler.command,
            *flags_of(compiler, platform, fmi, level),
            f"-ffile-prefix-map={sources}=.",
            "all.c",
            "-o",
            str(output),
        ]
        if platform.extension != ".dll":
            command.append("-lm")
        result = subprocess.run(command, cwd=sources, capture_output=True, text=True, check=False)
        if result.returncode != 0 or not output.is_file():
            errors = [line for line in result.stderr.splitlines() if "error" in line.lower()]
            reason = errors[0] if errors else result.stderr.strip()[-500:]
            raise CranebridgeError(
                f"the C compiler '{shlex.join(compiler.command)}' failed for {platform.name}: "
                f"{reason}"
            )
        return output.read_bytes()
