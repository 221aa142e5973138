"""A nonlinear program over splines: rows at many times, assembled sparsely, solved by IPOPT.

The variables are spline coefficients and durations. A *group* has rows at some times of a leg; each
sees, through a constant matrix, the few coefficients that act there and the leg's duration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.plan.python_function import PythonFunction

Array = NDArray[np.float64]
Index = NDArray[np.intp]


class Rows(Protocol):
    """Rows with derivatives as functions of z, and of unknowns w that belong to z."""

    count: int

    def settle(self, z: Array, w: Array) -> Array:
        """Return the unknowns that belong to z, from those nearby."""

    def values(self, z: Array, w: Array) -> Array:
        """Return the rows."""

    def slopes(self, z: Array, w: Array) -> tuple[Array, Array]:
        """Return the rows and their derivatives."""

    def curvature(self, z: Array, w: Array, weights: Array) -> Array | None:
        """Return the second derivatives of the weighted sum of the rows; None for linear ones."""


@dataclass(eq=False)
class Group:
    """Rows at some times.

    Attributes
    ----------
    rows : Rows
        What they are.
    matrix, base : numpy.ndarray
        z = base + matrix x[columns] at each time.
    columns : numpy.ndarray
        Which variables act at each time; -1 for none.
    least, most : numpy.ndarray
        Bounds of the rows, the same at all times or a row for each.
    cost : numpy.ndarray or None
        For a term of the objective: its weight at each time; it has one row and no bounds.
    w : numpy.ndarray
        The unknowns that were found last.
    kept : numpy.ndarray of bool or None
        Which rows count at each time; all if None.
    """

    rows: Rows
    matrix: Array
    base: Array
    columns: Index
    least: Array
    most: Array
    w: Array
    cost: Array | None = None
    kept: NDArray[np.bool_] | None = None

    @property
    def chosen(self) -> NDArray[np.bool_]:
        """Which rows count at each time."""
        if self.kept is None:
            return np.ones((len(self.base), self.rows.count), dtype=bool)
        return self.kept

    def arguments(self, x: Array) -> Array:
        """Return z at each time."""
        chosen = np.where(self.columns >= 0, np.append(x, 0.0)[self.columns], 0.0)
        return np.asarray(self.base + np.einsum("ijk,ik->ij", self.matrix, chosen))


@dataclass(frozen=True, eq=False)
class Outcome:
    """What the optimiser found.

    Attributes
    ----------
    x : numpy.ndarray
        Variables.
    cost : float
        The objective.
    status : str
        IPOPT's word.
    iterations : int
        How many it took.
    multipliers : (numpy.ndarray, numpy.ndarray)
        Of the bounds of the variables and of the rows.
    """

    x: Array
    cost: float
    status: str
    iterations: int
    multipliers: tuple[Array, Array]

    @property
    def solved(self) -> bool:
        """Whether it is an optimum."""
        return self.status in ("Solve_Succeeded", "Solved_To_Acceptable_Level")


class _Pattern:
    """Where the entries of all groups go in one sparse matrix."""

    def __init__(
        self, rows: Index, columns: Index, kept: NDArray[np.bool_], shape: tuple[int, int]
    ):
        keys = columns[kept].astype(np.int64) * shape[0] + rows[kept]
        unique, self._places = np.unique(keys, return_inverse=True)
        self._kept, self._count = kept, unique.size
        starts = np.searchsorted(unique // shape[0], np.arange(shape[1] + 1))
        self.sparsity = ca.Sparsity(*shape, starts.tolist(), (unique % shape[0]).tolist())

    def fill(self, entries: Array) -> Array:
        """Return the entries of the matrix: the sums of what goes to each place."""
        sums = np.bincount(self._places, weights=entries[self._kept], minlength=self._count)
        return np.asarray(sums, dtype=float)


@dataclass(eq=False)
class Program:
    """Groups of rows, bounds of the variables, and a linear objective besides that of the groups.

    Attributes
    ----------
    groups : sequence of Group
        Constraints and terms of the objective.
    linear : numpy.ndarray
        Weights of the variables in the objective.
    least, most : numpy.ndarray
        Bounds of the variables.
    """

    groups: Sequence[Group]
    linear: Array
    least: Array
    most: Array

    def solve(
        self,
        x: Array,
        start: float = 0.1,
        tolerance: float = 1e-6,
        before: Outcome | None = None,
    ) -> Outcome:
        """Solve it by IPOPT.

        Parameters
        ----------
        x : numpy.ndarray
            Where to start.
        start : float
            IPOPT's barrier parameter at the start: small near a solution.
        tolerance : float
            Relative tolerance.
        before : Outcome, optional
            Of a program with the same variables and the first of these rows: its multipliers are
            started from.
        """
        functions = _functions(self, tolerance)
        unknown, none = ca.MX.sym("x", x.size), ca.MX.sym("p", 0)
        program = ca.Function(
            "nlp",
            [unknown, none],
            [functions["objective"](unknown), functions["rows"](unknown)],
            ["x", "p"],
            ["f", "g"],
        )
        solver = ca.nlpsol(
            "plan",
            "ipopt",
            program,
            {
                "print_time": False,
                "show_eval_warnings": False,  # where the crane cannot go, a smaller step is taken
                "no_nlp_grad": True,
                "grad_f": functions["gradient"],
                "jac_g": functions["slopes"],
                "hess_lag": functions["curvature"],
                "ipopt": _settings(start, tolerance, before is not None),
            },
        )
        least, most = self._bounds()
        known = {}
        if before is not None:
            by_bounds, by_rows = before.multipliers
            more = np.zeros(least.size - by_rows.size)
            known = {"lam_x0": by_bounds, "lam_g0": np.concatenate([by_rows, more])}
        found = solver(x0=x, lbx=self.least, ubx=self.most, lbg=least, ubg=most, **known)
        stats = solver.stats()
        return Outcome(
            np.array(found["x"]).ravel(),
            float(found["f"]),
            str(stats["return_status"]),
            int(stats["iter_count"]),
            (np.array(found["lam_x"]).ravel(), np.array(found["lam_g"]).ravel()),
        )

    def _bounds(self) -> tuple[Array, Array]:
        """Return the bounds of all rows."""
        least, most = [], []
        for group in self.constraints:
            shape = len(group.base), group.rows.count
            least.append(np.broadcast_to(group.least, shape)[group.chosen])
            most.append(np.broadcast_to(group.most, shape)[group.chosen])
        return np.concatenate(least), np.concatenate(most)

    @property
    def constraints(self) -> list[Group]:
        """The groups that are bounded."""
        return [group for group in self.groups if group.cost is None]

    @property
    def terms(self) -> list[Group]:
        """The groups that are parts of the objective."""
        return [group for group in self.groups if group.cost is not None]


def _settings(start: float, tolerance: float, warm: bool) -> dict[str, Any]:
    """Return IPOPT's options."""
    settings: dict[str, Any] = {
        "print_level": 0,
        "sb": "yes",
        "max_iter": 80 if warm else 300,  # multipliers that help do so soon
        "tol": tolerance,
        "acceptable_iter": 5,
        "acceptable_tol": 10.0 * tolerance,
        "mu_strategy": "adaptive" if start >= 0.1 else "monotone",
        "mu_init": start,
        "bound_push": 0.1 * start,
        "bound_frac": 0.1 * start,
        "bound_relax_factor": 0.0,
    }
    if warm:
        push = 0.1 * start
        settings |= {
            "warm_start_init_point": "yes",
            "warm_start_bound_push": push,
            "warm_start_bound_frac": push,
            "warm_start_slack_bound_push": push,
            "warm_start_slack_bound_frac": push,
            "warm_start_mult_bound_push": push,
        }
    return settings


class _Evaluation:
    """All functions of a program at its last variables, each computed once for them."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._x = np.empty(0)
        self._z: dict[int, tuple[Array, Array]] = {}
        self._slopes: dict[int, tuple[Array, Array]] = {}
        size, constraints = program.linear.size, program.constraints
        self.chosen = [group.chosen for group in program.groups]
        rows = sum(int(np.count_nonzero(group.chosen)) for group in constraints)
        self.jacobian = _Pattern(*_slope_places(constraints), (rows, size))
        self.hessian = _Pattern(*_curvature_places(program.groups), (size, size))
        self.rows = rows

    def move(self, x: Array) -> None:
        """Take other variables; the unknowns follow from those found last."""
        if np.array_equal(x, self._x):
            return
        self._x, self._z, self._slopes = x.copy(), {}, {}
        for k, group in enumerate(self._program.groups):
            z = group.arguments(x)
            w = group.rows.settle(z, group.w)
            if np.isfinite(w).all():
                group.w = w
            self._z[k] = z, w

    def values(self, k: int) -> Array:
        """Return the rows of a group."""
        z, w = self._z[k]
        return self._program.groups[k].rows.values(z, w)

    def slopes(self, k: int) -> tuple[Array, Array]:
        """Return the rows of a group and their derivatives by the variables that act."""
        if k not in self._slopes:
            z, w = self._z[k]
            group = self._program.groups[k]
            values, by_z = group.rows.slopes(z, w)
            self._slopes[k] = values, by_z @ group.matrix
        return self._slopes[k]

    def curvature(self, k: int, weights: Array) -> Array:
        """Return the second derivatives of the weighted rows by the variables that act."""
        z, w = self._z[k]
        group = self._program.groups[k]
        by_z = group.rows.curvature(z, w, weights)
        if by_z is None:
            return np.zeros(len(z) * group.matrix.shape[2] ** 2)
        return np.asarray(group.matrix.transpose(0, 2, 1) @ by_z @ group.matrix)


def _slope_places(groups: Sequence[Group]) -> tuple[Index, Index, NDArray[np.bool_]]:
    """Return where first derivatives go, and which of them count."""
    rows, columns, begin = [], [], 0
    for group in groups:
        time = np.nonzero(group.chosen)[0]
        shape = time.size, group.columns.shape[1]
        own = begin + np.arange(time.size)[:, None]
        rows.append(np.broadcast_to(own, shape).ravel())
        columns.append(group.columns[time].ravel())
        begin += time.size
    row, column = np.concatenate(rows), np.concatenate(columns)
    return row, column, column >= 0


def _curvature_places(groups: Sequence[Group]) -> tuple[Index, Index, NDArray[np.bool_]]:
    """Return where second derivatives go, in the upper triangle."""
    rows, columns = [], []
    for group in groups:
        n = group.columns.shape[1]
        shape = len(group.base), n, n
        rows.append(np.broadcast_to(group.columns[:, :, None], shape).ravel())
        columns.append(np.broadcast_to(group.columns[:, None, :], shape).ravel())
    row, column = np.concatenate(rows), np.concatenate(columns)
    return row, column, (row >= 0) & (row <= column)


def _functions(program: Program, tolerance: float) -> dict[str, PythonFunction]:
    """Return what IPOPT calls."""
    at = _Evaluation(program)
    # Rows are of size one: rounding times such multipliers is more than the tolerance, and IPOPT
    # seldom comes back from there. Its linear solver may even never end.
    lost = tolerance / np.finfo(float).eps
    size = program.linear.size
    bounded = [k for k, group in enumerate(program.groups) if group.cost is None]
    costs = {k: group.cost for k, group in enumerate(program.groups) if group.cost is not None}
    summed = list(costs)
    dense, scalar = ca.Sparsity.dense, ca.Sparsity.dense(1, 1)

    def objective(given: list[Array]) -> list[Array | float]:
        at.move(given[0])
        total = float(program.linear @ given[0])
        for k in summed:
            total += float(costs[k] @ at.values(k)[:, 0])
        return [total]

    def rows(given: list[Array]) -> list[Array | float]:
        at.move(given[0])
        return [np.concatenate([at.values(k)[at.chosen[k]] for k in bounded])]

    def gradient(given: list[Array]) -> list[Array | float]:
        value = objective(given)[0]
        slope = program.linear.copy()
        for k in summed:
            group = program.groups[k]
            parts = costs[k][:, None] * at.slopes(k)[1][:, 0]
            own = group.columns >= 0
            np.add.at(slope, group.columns[own], parts[own])
        return [value, slope]

    def slopes(given: list[Array]) -> list[Array | float]:
        at.move(given[0])
        found = [at.slopes(k) for k in bounded]
        chosen = [at.chosen[k] for k in bounded]
        every = list(zip(found, chosen, strict=True))
        values = np.concatenate([value[own] for (value, _), own in every])
        entries = np.concatenate([slope[own].ravel() for (_, slope), own in every])
        return [values, at.jacobian.fill(entries)]

    def curvature(given: list[Array]) -> list[Array | float]:
        at.move(given[0])
        weight, forces, begin, parts = float(given[2][0]), given[3], 0, []
        if np.abs(forces).max(initial=0.0) > lost:
            raise np.linalg.LinAlgError
        for k, group in enumerate(program.groups):
            if group.cost is not None:
                weights = weight * group.cost[:, None]
            else:
                own = at.chosen[k]
                weights, count = np.zeros(own.shape), int(np.count_nonzero(own))
                weights[own] = forces[begin : begin + count]
                begin += count
            parts.append(at.curvature(k, weights).ravel())
        return [at.hessian.fill(np.concatenate(parts))]

    x, p = ("x", size), ("p", 0)
    multipliers = [("lam_f", 1), ("lam_g", at.rows)]
    return {
        "objective": PythonFunction("objective", [x], [("f", scalar)], objective),
        "rows": PythonFunction("rows", [x], [("g", dense(at.rows, 1))], rows),
        "gradient": PythonFunction(
            "nlp_grad_f", [x, p], [("f", scalar), ("grad_f_x", dense(size, 1))], gradient
        ),
        "slopes": PythonFunction(
            "nlp_jac_g",
            [x, p],
            [("g", dense(at.rows, 1)), ("jac_g_x", at.jacobian.sparsity)],
            slopes,
        ),
        "curvature": PythonFunction(
            "nlp_hess_l",
            [x, p, *multipliers],
            [("hess_gamma_x_x", at.hessian.sparsity)],
            curvature,
        ),
    }
