"""A compiled controller at work in the child process: its library, its state, its step."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class ControllerModule:
    """A controller that `controller_library` has compiled, from its start on.

    Attributes
    ----------
    state : ctypes.Array
        Memory of the controller.
    address : int
        Of its step ``int step(void *state, const double *measured, double *u)``.
    estimate_address : int
        Of what it estimates, within its state; 0 where it estimates nothing.
    """

    def __init__(self, library: str) -> None:
        self._library = ctypes.CDLL(library)
        self._library.cb_controller_size.restype = ctypes.c_size_t
        # of doubles, so that the structure is aligned
        count = -(-int(self._library.cb_controller_size()) // 8)
        self.state = (ctypes.c_double * count)()
        self._library.cb_controller_init(self.state)
        step = self._library.cb_controller_step
        step.argtypes = [ctypes.c_void_p] * 3
        self.address = int(ctypes.cast(step, ctypes.c_void_p).value or 0)
        self._step = step
        self._library.cb_controller_estimate.restype = ctypes.c_void_p
        found = self._library.cb_controller_estimate(self.state)
        self.estimate_address = int(found or 0)

    def step(self, measured: Array, u: Array) -> int:
        """Take a sample; returns the status, `u` gets what is given out."""
        return int(self._step(self.state, measured.ctypes.data, u.ctypes.data))

    def copy_estimate(self, estimate: Array) -> None:
        """Write what was estimated at the last sample."""
        if estimate.size:
            ctypes.memmove(estimate.ctypes.data, self.estimate_address, estimate.nbytes)
