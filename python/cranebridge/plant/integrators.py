"""Integrators for Model Exchange behind one small interface, used in the child process.

`Dop853` is our own; SciPy's LSODA, Radau, BDF, RK45 and SUNDIALS' CVODE (from FMPy's libraries) are
imported only when asked for, because importing SciPy takes longer than a usual simulation.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.dop853 import Dop853, Rhs, StepTooSmallError

Array = NDArray[np.float64]

SCIPY_METHODS = ("LSODA", "Radau", "BDF", "RK45")
METHODS = ("DOP853", *SCIPY_METHODS, "CVODE")


class Integrator(Protocol):
    """What the simulation needs of an integrator; the meaning is as in `Dop853`."""

    t: float
    t_old: float
    x: Array
    x_old: Array
    steps: int
    rejected: int
    evaluations: int

    def begin(self, t: float, x: Array, bound: float, restart: bool = False) -> None:
        """Begin a piece that ends at a bound; `restart` with a step size of its own."""

    def step(self) -> None:
        """Take one step."""

    def dense(self, times: Array) -> Array:
        """Return the states at times within the last step."""


def make_integrator(method: str, rhs: Rhs, size: int, rtol: float, atol: float) -> Integrator:
    """Make an integrator by name."""
    # Without states there is nothing to choose.
    if method == "DOP853" or size == 0:
        return Dop853(rhs, size, rtol, atol)
    if method == "CVODE":
        return Cvode(rhs, size, rtol, atol)
    return ScipyIntegrator(method, rhs, size, rtol, atol)


class ScipyIntegrator:
    """One of SciPy's integrators."""

    def __init__(self, method: str, rhs: Rhs, size: int, rtol: float, atol: float) -> None:
        from scipy import integrate

        self._make: Callable[..., Any] = getattr(integrate, method)
        self._rhs, self._rtol, self._atol = rhs, rtol, atol
        self._size = size
        self._solver: Any = None
        self.t = self.t_old = 0.0
        self.x = self.x_old = np.zeros(size)
        self.steps = self.rejected = self.evaluations = 0

    def _fun(self, t: float, x: Array) -> Array:
        x = np.ascontiguousarray(x, dtype=float)
        dx = np.empty(self._size)
        self._rhs(float(t), x.ctypes.data, dx.ctypes.data)
        self.evaluations += 1
        return dx

    def begin(self, t: float, x: Array, bound: float, restart: bool = False) -> None:
        """Begin a piece that ends at a bound; the step size is found anew in any case."""
        self.t, self.x = t, x.copy()
        self._solver = self._make(
            self._fun, t, self.x, bound, rtol=max(self._rtol, 2.3e-14), atol=self._atol
        )

    def step(self) -> None:
        """Take one step."""
        message = self._solver.step()
        if self._solver.status == "failed":
            raise StepTooSmallError(message)
        self.t_old, self.t = float(self._solver.t_old), float(self._solver.t)
        self.x_old, self.x = self.x, np.array(self._solver.y)
        self.steps += 1

    def dense(self, times: Array) -> Array:
        """Return the states at times within the last step."""
        return np.asarray(self._solver.dense_output()(times)).T


class Cvode:
    """CVODE of SUNDIALS (BDF of variable order) with the libraries that FMPy ships."""

    _ONE_STEP = 2

    def __init__(self, rhs: Rhs, size: int, rtol: float, atol: float) -> None:
        from fmpy import sundials
        from fmpy.sundials import cvode, libraries

        self._rhs, self._size, self._rtol, self._atol = rhs, size, rtol, atol
        self._s, self._cvode = sundials, cvode
        library = libraries.sundials_cvode
        self._set_stop = library.CVodeSetStopTime
        self._set_stop.argtypes = [ctypes.c_void_p, ctypes.c_double]
        self._get_dky = library.CVodeGetDky
        self._get_dky.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_int, ctypes.c_void_p]
        self._memory: Any = None
        self._error: Exception | None = None
        self.t = self.t_old = 0.0
        self.x = self.x_old = np.zeros(size)
        self.steps = self.rejected = self.evaluations = 0
        self._create()

    def _create(self) -> None:
        s = self._s
        self._context = s.SUNContext()
        s.SUNContext_Create(s.SUN_COMM_NULL, ctypes.byref(self._context))
        self._vector = s.N_VNew_Serial(self._size, self._context)
        self._scratch = s.N_VNew_Serial(self._size, self._context)
        tolerance = s.N_VNew_Serial(self._size, self._context)
        self._view(tolerance)[:] = self._atol
        self._memory = s.CVodeCreate(s.CV_BDF, self._context)
        self._function = s.CVRhsFn(self._call)
        self._handler = s.SUNErrHandlerFn(lambda *_arguments: None)
        s.SUNContext_PushErrHandler(self._context, self._handler, None)
        self._check(s.CVodeInit(self._memory, self._function, 0.0, self._vector))
        self._check(s.CVodeSVtolerances(self._memory, self._rtol, tolerance))
        matrix = s.SUNDenseMatrix(self._size, self._size, self._context)
        solver = s.SUNLinSol_Dense(self._vector, matrix, self._context)
        self._check(s.CVodeSetLinearSolver(self._memory, solver, matrix))
        self._check(s.CVodeSetMaxNumSteps(self._memory, 10**6))
        self._keep = (tolerance, matrix, solver)

    def _view(self, vector: Any) -> Array:
        return np.ctypeslib.as_array(self._s.NV_DATA_S(vector), (self._size,))

    def _address(self, vector: Any) -> int:
        address = ctypes.cast(self._s.NV_DATA_S(vector), ctypes.c_void_p).value
        assert address is not None
        return address

    def _call(self, t: float, x: Any, dx: Any, _data: Any) -> int:
        # An exception must not pass through C: keep it and tell CVODE to give up.
        try:
            self._rhs(t, self._address(x), self._address(dx))
            self.evaluations += 1
        except Exception as error:
            self._error = error
            return -1
        return 0

    def _check(self, flag: int) -> None:
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        if flag < 0:
            raise StepTooSmallError(f"CVODE ended with flag {flag}")

    def begin(self, t: float, x: Array, bound: float, restart: bool = False) -> None:
        """Begin a piece that ends at a bound; the step size is found anew in any case."""
        self.t, self.x = t, x.copy()
        self._view(self._vector)[:] = x
        self._check(self._s.CVodeReInit(self._memory, t, self._vector))
        self._check(self._set_stop(self._memory, bound))
        self._bound = bound

    def step(self) -> None:
        """Take one step."""
        reached = ctypes.c_double()
        flag = self._cvode.CVode(
            self._memory, self._bound, self._vector, ctypes.byref(reached), self._ONE_STEP
        )
        self._check(flag)
        self.t_old, self.t = self.t, reached.value
        if math.isclose(self.t, self._bound, rel_tol=1e-15):
            self.t = self._bound
        self.x_old, self.x = self.x, self._view(self._vector).copy()
        self.steps += 1

    def dense(self, times: Array) -> Array:
        """Return the states at times within the last step.

        CVODE's polynomial belongs to the end of the step and misses its begin by some rounding,
        which an event indicator right after an event would take for the next one.
        """
        missed = self.x_old - self._interpolated(self.t_old)
        parts = (self.t - np.asarray(times)) / (self.t - self.t_old)
        rows = [self._interpolated(t) for t in times]
        return np.reshape(rows, (-1, self._size)) + np.outer(parts, missed)

    def _interpolated(self, t: float) -> Array:
        self._check(self._get_dky(self._memory, float(t), 0, self._scratch))
        return self._view(self._scratch).copy()
