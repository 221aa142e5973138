"""Integrators for Model Exchange behind one small interface, used in the child process.

SciPy's and SUNDIALS' CVODE (from FMPy's libraries) are imported only when asked for: importing
SciPy takes longer than a usual simulation, which is compiled (`loop/`) and needs none of them.

The implicit ones get a Jacobian: what they make of differences by themselves is wrong where states
are zero (`state_jacobian`).
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.fmi import DiscardedError
from cranebridge.plant.child.integrators.integrator import (
    Integrator,
    Jacobian,
    Rhs,
    StepControl,
    StepTooSmallError,
)

Array = NDArray[np.float64]

_EXPLICIT = ("RK45", "DOP853")
# Evaluations in an attempt of a step of DOP853.
_STAGES = 12
# Corrections of Newton's method below this part of the tolerance need no further one.
_NEGLIGIBLE = 1e-3
# CVODE and LSODA go on where a step is too small for the time to change, and would do so for ever:
# so many steps of that kind in a row.
_STALLED_STEPS = 10


Make = Callable[[Rhs, int, StepControl, Jacobian], Integrator]


class _LibraryIntegrator:
    """What integrators of other libraries cannot do: go from an event to one right after it."""

    t: float
    t_old: float
    x: Array
    x_old: Array
    steps: int
    evaluations: int
    _rhs: Rhs
    _over = False

    def _is_tiny(self, bound: float) -> bool:
        """Whether it is but some roundings of time to a bound, a way that they refuse."""
        self._over = bound - self.t <= 4.0 * math.ulp(max(abs(self.t), abs(bound)))
        return self._over

    def _step_over(self, bound: float) -> None:
        """Go straight on."""
        rates = np.empty(self.x.size)
        self.x_old, self.t_old = self.x, self.t
        self._rhs(self.t, self.x_old.ctypes.data, rates.ctypes.data)
        self.evaluations += 1
        self.t, self.x = bound, self.x_old + (bound - self.t_old) * rates
        self.steps += 1

    def _line(self, times: Array) -> Array:
        """Return the states within such a step."""
        parts = (self.t - np.asarray(times)) / (self.t - self.t_old)
        return np.asarray(self.x + np.outer(parts, self.x_old - self.x))


class ScipyIntegrator(_LibraryIntegrator):
    """One of SciPy's integrators."""

    def __init__(
        self, method: str, rhs: Rhs, size: int, steps: StepControl, jacobian: Jacobian
    ) -> None:
        from scipy import integrate

        self._make: Callable[..., Any] = getattr(integrate, method)
        self._rhs = rhs
        tolerances = {"rtol": max(steps.rtol, 2.3e-14), "atol": steps.atol}
        self._options: dict[str, Any] = {**tolerances, "max_step": steps.max_step}
        if method not in _EXPLICIT:
            self._options["jac"] = jacobian
        # read and written by the plant
        self._states, self._rates = np.zeros(size), np.zeros(size)
        self._addresses = self._states.ctypes.data, self._rates.ctypes.data
        self._solver: Any = None
        self._interpolant: Any = None
        self.t = self.t_old = 0.0
        self.x = self.x_old = np.zeros(size)
        self.steps = self.rejected = self.evaluations = 0

    def _fun(self, t: float, x: Array) -> Array:
        self._states[:] = x
        self._rhs(float(t), *self._addresses)
        self.evaluations += 1
        return self._rates.copy()

    def begin(self, t: float, x: Array, bound: float, restart: bool = False) -> None:
        """Begin a piece that ends at a bound; the step size is found anew in any case."""
        self.t, self.x, self._bound = t, x.copy(), bound
        if self._is_tiny(bound):
            return
        self._solver = self._make(self._fun, t, self.x, bound, **self._options)
        if self._make.__name__ == "BDF":
            _ignore_rounding(self._solver)

    def step(self) -> None:
        """Take one step."""
        if self._over:
            self._step_over(self._bound)
            return
        for _ in range(_STALLED_STEPS):
            message = self._solver.step()
            if self._solver.status == "failed":
                raise StepTooSmallError(message)
            if float(self._solver.t) > self.t:
                break
        else:
            raise StepTooSmallError
        self.t_old, self.t = self.t, float(self._solver.t)
        self.x_old, self.x = self.x, np.array(self._solver.y)
        self._interpolant = None
        self.steps += 1

    def dense(self, times: Array) -> Array:
        """Return the states at times within the last step."""
        if self._over:
            return self._line(times)
        if self._interpolant is None:
            self._interpolant = self._solver.dense_output()
        return np.asarray(self._interpolant(times)).T


class Dop853(ScipyIntegrator):
    """SciPy's DOP853, which keeps its step size from one piece to the next.

    Pieces are many, one a sample of the inputs.

    Attributes
    ----------
    not_finite : numpy.ndarray or None
        Which derivatives were not finite in a step that came to nothing.
    """

    def __init__(self, rhs: Rhs, size: int, steps: StepControl, jacobian: Jacobian) -> None:
        super().__init__("DOP853", rhs, size, steps, jacobian)
        self._h = 0.0
        self.not_finite: NDArray[np.bool_] | None = None

    def begin(self, t: float, x: Array, bound: float, restart: bool = False) -> None:
        """Begin a piece that ends at a bound.

        The step size found so far is kept, unless it is said to `restart`: after an event.
        """
        known = self._h > 0.0 and not restart
        self._options["first_step"] = min(self._h, bound - t) if known else None
        with np.errstate(all="ignore"):
            super().begin(t, x, bound)
        # SciPy's step would never end
        if not self._over and math.isnan(self._solver.h_abs):
            raise StepTooSmallError

    def step(self) -> None:
        """Take one step."""
        before, is_computed = self.evaluations, not self._over
        try:
            with np.errstate(all="ignore"):
                super().step()
        except DiscardedError:
            self.rejected += 1
            raise
        except StepTooSmallError:
            self.not_finite = ~np.isfinite(self._solver.K).all(axis=0)
            raise
        if is_computed:
            # without states nothing is evaluated
            self.rejected += max((self.evaluations - before) // _STAGES - 1, 0)
            # A step that was cut short by the bound says nothing against a longer one.
            found = float(self._solver.h_abs)
            self._h = max(self._h, found) if self.t >= self._bound else found


def _ignore_rounding(solver: Any) -> None:
    """Let SciPy's BDF end Newton's method when corrections are small, not when they get smaller.

    Rounding does not get smaller: where a plant is at rest, BDF would halve its step until there
    is none left. A small correction is taken, the small one after it is none.
    """
    solve = solver.solve_lu
    was_small = False

    def solve_lu(factors: Any, right: Array) -> Array:
        nonlocal was_small
        found = np.asarray(solve(factors, right))
        scale = solver.atol + solver.rtol * np.abs(solver.y)
        is_small = bool(np.linalg.norm(found / scale) < _NEGLIGIBLE * math.sqrt(found.size))
        if is_small and was_small:
            was_small = False
            return np.zeros_like(found)
        was_small = is_small
        return found

    solver.solve_lu = solve_lu


class Cvode(_LibraryIntegrator):
    """CVODE of SUNDIALS (BDF of variable order) with the libraries that FMPy ships."""

    _ONE_STEP = 2

    def __init__(self, rhs: Rhs, size: int, steps: StepControl, jacobian: Jacobian) -> None:
        from fmpy import sundials
        from fmpy.sundials import cvode, libraries, sundials_types

        self._rhs, self._size, self._control = rhs, size, steps
        self._jacobian = jacobian
        self._s, self._cvode = sundials, cvode
        library = libraries.sundials_cvode
        self._set_stop = library.CVodeSetStopTime
        self._set_stop.argtypes = [ctypes.c_void_p, ctypes.c_double]
        self._set_max_step = library.CVodeSetMaxStep
        self._set_max_step.argtypes = [ctypes.c_void_p, ctypes.c_double]
        self._get_dky = library.CVodeGetDky
        self._get_dky.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_int, ctypes.c_void_p]
        self._set_jacobian = library.CVodeSetJacFn
        self._set_jacobian.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self._column = libraries.sundials_sunmatrixdense.SUNDenseMatrix_Column
        self._column.argtypes = [ctypes.c_void_p, sundials_types.sunindextype]
        self._column.restype = ctypes.POINTER(ctypes.c_double)
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
        self._view(tolerance)[:] = self._control.atol
        self._memory = s.CVodeCreate(s.CV_BDF, self._context)
        self._function = s.CVRhsFn(self._call)
        self._handler = s.SUNErrHandlerFn(lambda *_arguments: None)
        s.SUNContext_PushErrHandler(self._context, self._handler, None)
        self._check(s.CVodeInit(self._memory, self._function, 0.0, self._vector))
        self._check(s.CVodeSVtolerances(self._memory, self._control.rtol, tolerance))
        matrix = s.SUNDenseMatrix(self._size, self._size, self._context)
        solver = s.SUNLinSol_Dense(self._vector, matrix, self._context)
        self._check(s.CVodeSetLinearSolver(self._memory, solver, matrix))
        # (t, x, der(x), matrix, user data, three vectors for scratch) -> flag
        arguments: list[Any] = [ctypes.c_double, type(self._vector), *[ctypes.c_void_p] * 6]
        self._jacobian_function = ctypes.CFUNCTYPE(ctypes.c_int, *arguments)(self._call_jacobian)
        self._check(self._set_jacobian(self._memory, self._jacobian_function))
        self._check(s.CVodeSetMaxNumSteps(self._memory, 10**6))
        if math.isfinite(self._control.max_step):
            self._check(self._set_max_step(self._memory, self._control.max_step))
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

    def _call_jacobian(self, t: float, x: Any, _dx: Any, matrix: Any, *_rest: Any) -> int:
        try:
            found = self._jacobian(t, self._view(x).copy())
            for i in range(self._size):
                column = self._column(matrix, i)
                np.ctypeslib.as_array(column, (self._size,))[:] = found[:, i]
        except DiscardedError:
            return 1  # a smaller step may help
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
        self._is_tiny(bound)

    def step(self) -> None:
        """Take one step."""
        if self._over:
            self._step_over(self._bound)
            return
        reached = ctypes.c_double()
        for _ in range(_STALLED_STEPS):
            flag = self._cvode.CVode(
                self._memory, self._bound, self._vector, ctypes.byref(reached), self._ONE_STEP
            )
            self._check(flag)
            if reached.value > self.t:
                break
        else:
            raise StepTooSmallError
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
        if self._over:
            return self._line(times)
        parts = (self.t - np.asarray(times)) / (self.t - self.t_old)
        missed = self.x_old - self._interpolated(self.t_old)
        rows = [self._interpolated(t) for t in times]
        return np.reshape(rows, (-1, self._size)) + np.outer(parts, missed)

    def _interpolated(self, t: float) -> Array:
        self._check(self._get_dky(self._memory, float(t), 0, self._scratch))
        return self._view(self._scratch).copy()


def _scipy(method: str) -> Make:
    return lambda rhs, size, steps, jacobian: ScipyIntegrator(method, rhs, size, steps, jacobian)


METHODS: Mapping[str, Make] = {
    "DOP853": Dop853,
    "LSODA": _scipy("LSODA"),
    "Radau": _scipy("Radau"),
    "BDF": _scipy("BDF"),
    "RK45": _scipy("RK45"),
    "CVODE": Cvode,
}
"""The integrators by name."""


def make_integrator(
    method: str, rhs: Rhs, size: int, steps: StepControl, jacobian: Jacobian
) -> Integrator:
    """Make an integrator by name; implicit ones use the Jacobian."""
    # Without states there is nothing to choose.
    return METHODS[method if size else "DOP853"](rhs, size, steps, jacobian)
