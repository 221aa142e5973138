"""Containment of the child process, before an FMU's binary is loaded into it.

What an FMU needs is little: libraries, its own files, a folder to write into, and threads. The rest
of what the user can do is taken away from the child by the kernel: no new privileges and no
capabilities (so that limits hold for root too), Landlock for files, a seccomp filter for the
network, other programs and other processes, and its end when the parent ends. What a kernel cannot
enforce is said by name.
"""

from __future__ import annotations

import ctypes
import os
import platform
import site
import struct
import sys
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cranebridge.plant.containment import landlock, seccomp

MEASURES: Mapping[str, str] = {
    "privileges": "it cannot gain privileges, nor raise its limits",
    "files": "it reads only libraries and its own files, and writes only into its own folder",
    "network": "it has no network",
    "processes": "it starts no programs and no processes, only threads",
    "others": "it reaches no other process, neither by signals, shared memory or queues, nor as "
    "a debugger",
    "lifetime": "it ends when its caller ends",
    "environment": "it sees none of the caller's environment variables",
}
"""What is enforced, a sentence each."""

# Of linux/prctl.h.
_SET_PDEATHSIG = 1
_SET_NO_NEW_PRIVS = 38
_SIGKILL = 9
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION = 0x20080522
# Read by the C library, by Python and by numerical libraries when they are loaded.
_SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/localtime"),
    *("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu"),
    *("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"),
)
# What the child imports may be installed elsewhere, such as below a folder of PYTHONPATH.
_PACKAGES = ("numpy", "scipy", "fmpy", "lxml", "attr", "pyfmi", "assimulo")
_KEPT = ("LANG", "LC_ALL", "LC_CTYPE", "LC_NUMERIC", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


@dataclass(frozen=True)
class Containment:
    """How an FMU was contained.

    Attributes
    ----------
    mode : str
        What was asked for: "auto", "require" or "off".
    enforced, missing : tuple of str
        Names of `MEASURES`.
    landlock : int
        The kernel's version of Landlock; 0 if it has none.
    """

    mode: str
    enforced: tuple[str, ...]
    missing: tuple[str, ...]
    landlock: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return it for ``summary.json``."""
        return {
            "mode": self.mode,
            "enforced": list(self.enforced),
            "missing": list(self.missing),
            "landlock": self.landlock,
        }

    @property
    def warning(self) -> str:
        """What a user must know, in a sentence; empty if all is enforced."""
        if self.mode == "off":
            return (
                "the FMU is NOT contained (plant.contain = 'off'): its binary has all your rights, "
                "your files and your network"
            )
        if not self.missing:
            return ""
        parts = "; ".join(f"{name} ({MEASURES[name]})" for name in self.missing)
        return f"this system cannot enforce on the FMU: {parts}"


# ---------------------------------------------------------------------------- in the parent


def clean_environment(scratch: str) -> dict[str, str]:
    """Return the environment of a child: nothing of the caller's but language and libraries."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | {"PATH": os.defpath, "HOME": scratch, "TMPDIR": scratch}


def readable_folders(package_root: str) -> list[str]:
    """Return where the child's own libraries and Python modules are."""
    folders = [
        *_SYSTEM,
        sys.prefix,
        sys.base_prefix,
        sys.exec_prefix,
        os.path.dirname(os.__file__),
        *site.getsitepackages(),
        os.path.join(package_root, "cranebridge"),
        *os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep),
    ]
    for item in map(os.path.abspath, sys.path):
        if any(os.path.isdir(os.path.join(item, name)) for name in _PACKAGES):
            folders.append(item)
    return [name for name in dict.fromkeys(folders) if name.startswith("/") and name != "/"]


def in_main_thread() -> bool:
    """Whether a child started now ends with the caller and not with one of its threads.

    The kernel ends a child when the thread that started it ends.
    """
    return threading.current_thread() is threading.main_thread()


# ---------------------------------------------------------------------------- in the child


def end_with_parent(parent: int) -> bool:
    """Let the kernel end this process when its parent ends; whether that is so."""
    if not sys.platform.startswith("linux"):
        return False
    done = _prctl(_SET_PDEATHSIG, _SIGKILL)
    if os.getppid() != parent:  # it ended before
        os._exit(0)
    return done


def contain(read: Iterable[str], write: Iterable[str]) -> tuple[list[str], int]:
    """Take away what an FMU does not need; returns what was enforced and Landlock's version."""
    if not sys.platform.startswith("linux"):
        return [], 0
    machine = platform.machine()
    # Landlock holds for the calling thread and those that it starts.
    alone = len(os.listdir("/proc/self/task")) == 1
    enforced = []
    if _prctl(_SET_NO_NEW_PRIVS, 1) and _drop_capabilities(machine):
        enforced.append("privileges")
    version = landlock.restrict([*read, "/proc/self"], [*write, "/dev/null"]) if alone else 0
    if version:
        enforced.append("files")
    if seccomp.install(machine, os.getpid()):
        enforced += ["network", "processes", "others"]
    return enforced, version


def _prctl(option: int, value: int) -> bool:
    library = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    answer = library.prctl(ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero)
    return bool(answer == 0)


def _drop_capabilities(machine: str) -> bool:
    """Give up all capabilities: root could raise its limits again, and read what it likes."""
    if machine not in _CAPSET:
        return os.geteuid() != 0
    header = struct.pack("<Ii", _CAPABILITY_VERSION, 0)
    library = ctypes.CDLL(None, use_errno=True)
    return bool(library.syscall(ctypes.c_long(_CAPSET[machine]), header, bytes(24)) == 0)
