"""The staged solution of a crane as one compiled C kernel over lanes, and how it is called.

Results are the same, bit by bit, for every number of lanes, threads and points in a call, and on
every processor as far as a crane uses only + - * / and square roots, sines and cosines; other
functions are libm's (see `c/lanes.h`).
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse.extension import Stages

if TYPE_CHECKING:
    from cranebridge.inverse.piecewise import Piecewise
    from cranebridge.path import Track

Array = NDArray[np.float64]

# Fewer points take about as long as starting threads does.
THREADED_POINTS = 50_000
CHUNK = 4096
"""Points that a thread takes at a time."""


class RowsPointer(ctypes.Structure):
    """A table of numbers with a row for each item, as C sees it."""

    _fields_ = (("x", ctypes.c_void_p), ("row", ctypes.c_long), ("column", ctypes.c_long))


class TrackPointer(ctypes.Structure):
    """A track, as C sees it."""

    _fields_ = (
        ("bounds", ctypes.c_void_p),
        ("bound_count", ctypes.c_long),
        ("segments", ctypes.c_void_p),
        ("degree", ctypes.c_long),
        ("outputs", ctypes.c_void_p),
        ("output_count", ctypes.c_long),
        ("affine", ctypes.c_long),
    )


class _Curve(ctypes.Structure):
    _fields_ = (("evaluate", ctypes.c_void_p), ("path", ctypes.c_void_p))


class _Guess(ctypes.Structure):
    _fields_ = (("breaks", ctypes.c_void_p), ("count", ctypes.c_long), ("rows", ctypes.c_void_p))


class _Grid(ctypes.Structure):
    _fields_ = (
        ("times", ctypes.c_void_p),
        ("count", ctypes.c_long),
        ("tracks", ctypes.c_void_p),
        ("track_count", ctypes.c_long),
        ("curves", ctypes.c_void_p),
        ("curve_count", ctypes.c_long),
        ("gammas", RowsPointer),
        ("guess", _Guess),
        ("p", RowsPointer),
        ("tolerance", ctypes.c_double),
        ("sweeps", ctypes.c_long),
        *((name, RowsPointer) for name in ("gamma", "gamma_rate", "motion", "ropes", "rates")),
        *((name, ctypes.c_void_p) for name in ("worst", "where", "scale")),
    )


@dataclass(frozen=True, eq=False)
class CompiledCurve:
    """Outputs of a path whose derivatives have compiled code of their own.

    Attributes
    ----------
    function : int
        Address of a function like `Curve.evaluate` in ``c/path.h``, for the kernel's lanes.
    path : ctypes.Structure
        Its first argument.
    held : tuple
        What must stay alive for it.
    """

    function: int
    path: ctypes.Structure
    held: tuple[object, ...]


@dataclass(frozen=True, eq=False)
class GridTask:
    """What is to be solved at many times.

    Attributes
    ----------
    times : numpy.ndarray
        Increasing. Where a time stands twice, the first one looks to the left; so does the last.
    tracks : tuple of Track
        The path as polynomials.
    gammas : callable or None
        Gives the path's derivatives from one time to before another, by their numbers, where there
        are outputs without a track: (orders * outputs, times).
    guess : Piecewise or None
        First guesses of Newton's unknowns, quintics; None where there are no such unknowns.
    p : numpy.ndarray
        Parameters.
    tolerance : float
        A relative step of Newton's method this small is its last.
    sweeps : int
        How many steps are tried.
    curves : tuple of CompiledCurve
        Outputs of the path with code of their own.
    """

    times: Array
    tracks: tuple[Track, ...]
    gammas: Callable[[int, int], Array] | None
    guess: Piecewise | None
    p: Array
    tolerance: float
    sweeps: int
    curves: tuple[CompiledCurve, ...] = ()


@dataclass(frozen=True, eq=False)
class GridSolution:
    """Signals at many times, a row for each time; columns are contiguous in memory.

    Attributes
    ----------
    gamma, motion, ropes, gamma_rate, rates : numpy.ndarray
        The path, what the stages give, and the time derivatives.
    stack : numpy.ndarray
        The same memory, a row for each signal in this order.
    failed : int
        Number of the first time at which Newton's method does not settle; -1 if there is none.
    worst, where, scale : numpy.ndarray
        For each equation its largest residual, at which time that is, and its largest terms; not
        a number where one of them was not finite.
    """

    gamma: Array
    motion: Array
    ropes: Array
    gamma_rate: Array
    rates: Array
    stack: Array
    failed: int
    worst: Array
    where: NDArray[np.intp]
    scale: Array


class Kernel:
    """The compiled functions of a crane's stages.

    Parameters
    ----------
    stages : Stages
        What was compiled.
    library : str
        The shared library.
    lanes : int
        For how many lanes it was compiled.
    """

    def __init__(self, stages: Stages, library: str, lanes: int) -> None:
        self.lanes = lanes
        self._sizes = kernel_sizes(stages)
        code = ctypes.CDLL(library)
        self._sweep, self._finish, self._follow = code.cb_sweep, code.cb_finish, code.cb_follow
        self._solve = code.cb_solve
        item = (ctypes.c_long, ctypes.c_long)
        self._sweep.argtypes = self._finish.argtypes = (*item, ctypes.c_void_p)
        self._follow.argtypes = (*item, *item, ctypes.c_void_p)
        self._solve.argtypes = (*item, ctypes.c_void_p)
        self._sweep.restype = self._finish.restype = self._follow.restype = None
        self._solve.restype = ctypes.c_long

    def sweep(self, w: Array, gammas: Array, p: Array) -> tuple[Array, Array]:
        """Do one Newton step for each row; `p` is shared or has a row for each."""
        new, step = (np.empty((len(w), self._sizes["UNKNOWNS"])) for _ in range(2))
        self._call(self._sweep, len(w), (w, gammas, p, new, step))
        return new, step

    def finish(self, w: Array, gammas: Array, p: Array) -> list[Array]:
        """Return motion, rope forces, rates and Jacobians for each row."""
        parts = ("MOTION", "ROPES", "RATES", "JACOBIANS")
        results = [np.empty((len(w), self._sizes[part])) for part in parts]
        self._call(self._finish, len(w), (w, gammas, p, *results))
        return results

    def _call(
        self, function: ctypes._NamedFuncPointer, count: int, arrays: Sequence[Array]
    ) -> None:
        held = [np.ascontiguousarray(array, dtype=float) for array in arrays[:3]]
        rows = [rows_pointer(array) for array in (*held, *arrays[3:])]
        function(0, count, (RowsPointer * len(rows))(*rows))

    def follow(self, w: Array, gammas: Array, p: Array, sweeps: int) -> Array:
        """Follow the solution from time to time, for many sets of parameters at once.

        Parameters
        ----------
        w : numpy.ndarray
            Newton's unknowns before the first time, a row for each set.
        gammas : numpy.ndarray
            The path, a row for each time.
        p : numpy.ndarray
            Parameters, a row for each set.
        sweeps : int
            Newton steps at each time.

        Returns
        -------
        numpy.ndarray, shape (sets, times, unknowns)
        """
        found = np.empty((len(w), len(gammas), w.shape[1]))
        held = [np.ascontiguousarray(array, dtype=float) for array in (w, gammas, p)]
        rows = [*(rows_pointer(array) for array in held)]
        rows.append(RowsPointer(found.ctypes.data, found.shape[1] * found.shape[2], 1))
        self._follow(len(w), len(gammas), sweeps, found.shape[2], (RowsPointer * 4)(*rows))
        return found

    def solve(
        self, task: GridTask, begin: int = 0, end: int | None = None, threads: int | None = None
    ) -> GridSolution:
        """Solve at the times from `begin` to before `end`.

        Parameters
        ----------
        task : GridTask
            With all times: a part of them has the same results as the whole.
        begin, end : int
            Which part is wanted.
        threads : int, optional
            How many work on it; as many as there are processors for many points.
        """
        end = task.times.size if end is None else end
        count, size = end - begin, self._sizes
        if threads is None:
            threads = _processors() if count >= THREADED_POINTS else 1
        parts = {
            "gamma": size["OUTPUTS"],
            "motion": size["MOTION"],
            "ropes": size["ROPES"],
            "gamma_rate": size["OUTPUTS"],
            "rates": size["RATES"],
        }
        stack = _aligned(sum(parts.values()), count)
        bounds = np.cumsum([0, *parts.values()]).tolist()
        found = {
            name: stack[a:b] for name, a, b in zip(parts, bounds[:-1], bounds[1:], strict=True)
        }
        inputs = _Inputs(task)
        # a path that is evaluated by NumPy takes less memory and time in parts
        chunk = count if threads == 1 and task.gammas is None else CHUNK
        begins = range(begin, end, max(chunk, 1))
        reports = np.zeros((len(begins), 3, size["EQUATIONS"]))

        def work(number: int) -> int:
            first, last = begins[number], min(begins[number] + chunk, end)
            gammas = None if task.gammas is None else task.gammas(first, last)
            results = {name: part[:, first - begin :] for name, part in found.items()}
            grid = inputs.grid(results, gammas, first, reports[number])
            return int(self._solve(first, last, ctypes.byref(grid)))

        if threads == 1:
            failed = [work(number) for number in range(len(begins))]
        else:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(threads) as pool:
                failed = list(pool.map(work, range(len(begins))))
        worst, where, scale = _merged(reports)
        return GridSolution(
            **{name: part.T for name, part in found.items()},
            stack=stack,
            failed=min((number for number in failed if number >= 0), default=-1),
            worst=worst,
            where=where,
            scale=scale,
        )


class _Inputs:
    """A task as C sees it; holds what the pointers point to."""

    def __init__(self, task: GridTask) -> None:
        self._task = task
        self._held: list[Array | NDArray[np.int_]] = []
        tracks = [track_pointer(track, self._held) for track in task.tracks]
        self._tracks = (TrackPointer * max(len(tracks), 1))(*tracks)
        curves = [_Curve(one.function, ctypes.addressof(one.path)) for one in task.curves]
        self._curves = (_Curve * max(len(curves), 1))(*curves)
        self._times, self._p = self._pointer(task.times), self._pointer(task.p)
        self._guess = _Guess()
        if task.guess is not None:
            x = task.guess.x
            self._guess = _Guess(self._pointer(x), x.size, self._pointer(task.guess.rows))

    def _pointer(self, array: Array) -> int:
        self._held.append(np.ascontiguousarray(array, dtype=float))
        return self._held[-1].ctypes.data

    def grid(
        self, results: dict[str, Array], gammas: Array | None, first: int, report: Array
    ) -> _Grid:
        """Return the arguments for the times from `first` on."""
        task, rows = self._task, RowsPointer()
        if gammas is not None:
            # the kernel counts times from the first of all
            rows = RowsPointer(gammas.ctypes.data - 8 * first, 1, gammas.strides[0] // 8)
        return _Grid(
            times=self._times,
            count=task.times.size,
            tracks=ctypes.addressof(self._tracks),
            track_count=len(task.tracks),
            curves=ctypes.addressof(self._curves),
            curve_count=len(task.curves),
            gammas=rows,
            guess=self._guess,
            p=RowsPointer(self._p, 0, 1),
            tolerance=task.tolerance,
            sweeps=task.sweeps,
            worst=report[0].ctypes.data,
            where=report[1].ctypes.data,
            scale=report[2].ctypes.data,
            **{name: _columns(part) for name, part in results.items()},
        )


def track_pointer(track: Track, held: list[NDArray[np.float64] | NDArray[np.int_]]) -> TrackPointer:
    """Describe a track to C; what it points to is added to `held`."""
    outputs = np.array(track.outputs, dtype=ctypes.c_long)
    arrays = [np.ascontiguousarray(x, dtype=float) for x in (track.bounds, track.segments)]
    held += [outputs, *arrays]
    return TrackPointer(
        bounds=arrays[0].ctypes.data,
        bound_count=track.bounds.size,
        segments=arrays[1].ctypes.data,
        degree=track.degree,
        outputs=outputs.ctypes.data,
        output_count=outputs.size,
        affine=track.affine,
    )


def _aligned(rows: int, columns: int) -> Array:
    """Return a table whose rows begin with a cache line, and not all at the same place of a page.

    Blocks of lanes then never lie in two cache lines, and the rows do not all compete for the
    same lines of the cache.
    """
    stride = 16 * -(-columns // 16) + 8  # an odd number of cache lines
    memory = np.empty(rows * stride + 8)
    begin = (-memory.ctypes.data // 8) % 8
    return memory[begin : begin + rows * stride].reshape(rows, stride)[:, :columns]


def _columns(array: Array) -> RowsPointer:
    """Describe an array with a column for each item."""
    return RowsPointer(array.ctypes.data, 1, array.strides[0] // 8)


def rows_pointer(array: Array) -> RowsPointer:
    """Describe to C an array with a row for each item, or one row for all of them."""
    if array.ndim == 1:
        return RowsPointer(array.ctypes.data, 0, 1)
    return RowsPointer(array.ctypes.data, array.strides[0] // 8, array.strides[1] // 8)


def _merged(reports: Array) -> tuple[Array, NDArray[np.intp], Array]:
    """Put together the largest residuals of several parts, each with the first time that has it."""
    worst, where, scale = reports.transpose(1, 0, 2)
    part = worst.argmax(axis=0)
    columns = np.arange(worst.shape[1])
    largest, terms = worst[part, columns], scale.max(axis=0)
    # the kernel counts what is not a number as infinite
    largest, terms = (np.where(np.isfinite(x), x, np.nan) for x in (largest, terms))
    return largest, where[part, columns].astype(np.intp), terms


def _processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def kernel_sizes(stages: Stages) -> dict[str, int]:
    """Return the sizes that the C text is written for, by their names in it."""
    sweep, finish = stages.sweep, stages.finish
    names = ("MOTION", "ROPES", "RATES", "JACOBIANS")
    return {
        "UNKNOWNS": len(stages.guess),
        "OUTPUTS": sweep.size1_in(1),
        "ORDERS": sweep.size2_in(1),
        "PARAMETERS": sweep.numel_in(2),
        **{name: finish.numel_out(i) for i, name in enumerate(names)},
        "EQUATIONS": stages.residual.numel_out(0),
    }
