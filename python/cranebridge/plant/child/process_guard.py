"""What keeps the child process within its limits, and sees whether an FMU has changed it."""

from __future__ import annotations

import ctypes
import math
import platform
import resource
import signal
import sys
from functools import cache
from typing import Any

from cranebridge.plant.child.fmi import FmuError
from cranebridge.plant.child.fmpy_simulation import import_fmpy
from cranebridge.plant.child.pyfmi_instance import import_pyfmi
from cranebridge.plant.containment import measures

_FILE_SIZE = 256 * 2**20


def limit_memory(memory: int) -> None:
    """Limit memory, written files and core dumps of this process."""
    for kind, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, _FILE_SIZE),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))


def limit_time(seconds: float) -> None:
    """End this process after a time, should the parent not be there to do it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = math.ceil(used.ru_utime + used.ru_stime + seconds) + 1
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
    signal.setitimer(signal.ITIMER_REAL, seconds + 5.0)


class ProcessGuard:
    """Contains this process at the first request, and looks whether a call left it as it was."""

    def __init__(self, ends: bool) -> None:
        self._ends = ends
        self._arithmetic = _arithmetic()

    def contain(self, body: dict[str, Any]) -> dict[str, Any]:
        """Take away what an FMU does not need; returns what was enforced."""
        load = {"pyfmi": import_pyfmi, "fmpy": import_fmpy}.get(body["backend"])
        missing = "" if load is None else load()
        enforced: list[str] = []
        version = 0
        if body["contain"]:
            enforced, version = measures.contain(body["read"], body["write"])
        if self._ends:
            enforced.append("lifetime")
        return {"enforced": enforced, "landlock": version, "missing": missing}

    def check(self) -> None:
        """Raise an error if the FMU has changed how this process calculates."""
        found = _arithmetic()
        changed = [name for name in found if found[name] != self._arithmetic[name]]
        if changed:
            raise FmuError(f"it changed {_ARITHMETIC[changed[0]]}, all its numbers are doubtful")


# What decides how a processor calculates, and its name in the message on an FMU that changes it.
_ARITHMETIC = {
    "rounding": "the processor's rounding mode",
    "tiny": "what the processor does with tiny numbers (flush to zero; is it built with "
    "-ffast-math?)",
    "precision": "the processor's precision",
}
# By machine, the C library's fenv_t: name, byte, bits of the word there.
_CONTROL_WORDS = {
    "x86_64": (
        *(("rounding", 0, 0x0C00), ("precision", 0, 0x0300)),  # of the x87 unit
        *(("rounding", 28, 0x6000), ("tiny", 28, 0x8040)),  # MXCSR: SSE and AVX
    ),
    "aarch64": (("rounding", 0, 0x00C00000), ("tiny", 0, 0x01080003)),  # FPCR
}


def _arithmetic() -> dict[str, tuple[int, ...]]:
    """Return how this thread calculates now: the control bits by the names of `_ARITHMETIC`."""
    found: dict[str, tuple[int, ...]] = dict.fromkeys(_ARITHMETIC, ())
    words = _CONTROL_WORDS.get(platform.machine(), ())
    state = (ctypes.c_uint32 * 16)()
    if sys.platform.startswith("linux") and words and _c_function("fegetenv")(state) == 0:
        for name, byte, bits in words:
            found[name] += (state[byte // 4] & bits,)
    elif _c_function("fegetround") is not None:
        found["rounding"] = (int(_c_function("fegetround")()),)
    return found


@cache
def _c_function(name: str) -> Any:
    """Return a function of this system's C library; None if it has none."""
    return getattr(ctypes.CDLL(None), name, None)
