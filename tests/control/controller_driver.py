"""A controller's C module, compiled strictly and called sample by sample."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np

from c_programs import load_strict
from cranebridge.control.code.controller import Controller
from cranebridge.control.code.controller_c import controller_sources
from cranebridge.control.code.estimates import estimates_of


class Module:
    """The C code of a controller."""

    def __init__(self, controller: Controller, folder: Path, precision: str = "double") -> None:
        header, source = controller_sources(controller, "module", precision)
        # the size of the state is C's own
        more = "\nunsigned long module_size(void) { return sizeof(module_state); }\n"
        declared = "unsigned long module_size(void);\n"
        self.estimates = len(estimates_of(controller))
        if self.estimates:
            more += (
                "const module_real *module_told(const module_state *s) { return s->estimate; }\n"
            )
            declared += "const module_real *module_told(const module_state *s);\n"
        (folder / "module.h").write_text(header + declared)
        (folder / "module.c").write_text(source + more)
        self._library = load_strict(folder / "module.c")
        self._library.module_size.restype = ctypes.c_ulong
        self._type = np.float64 if precision == "double" else np.float32
        self._state = ctypes.create_string_buffer(self._library.module_size())
        self._inputs = len(controller.inputs)
        self.start()

    def start(self) -> None:
        self._library.module_init(self._state)

    def step(self, measured: np.ndarray) -> tuple[int, np.ndarray]:
        """Return status and inputs of one sample."""
        given = np.ascontiguousarray(measured, dtype=self._type)
        u = np.full(self._inputs, np.nan, dtype=self._type)
        pointers = (ctypes.c_void_p(array.ctypes.data) for array in (given, u))
        return self._library.module_step(self._state, *pointers), u

    @property
    def estimate(self) -> np.ndarray:
        """What was estimated at the last sample."""
        real = ctypes.c_double if self._type is np.float64 else ctypes.c_float
        self._library.module_told.restype = ctypes.POINTER(real * self.estimates)
        return np.array(self._library.module_told(self._state).contents)

    def run(self, measured: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return statuses and inputs of many samples, from the start."""
        self.start()
        found = [self.step(row) for row in measured]
        return np.array([status for status, _ in found]), np.array([u for _, u in found])
