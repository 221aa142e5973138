"""A nonlinear program over splines: rows at many times.

The variables are spline coefficients and durations. A *group* has rows at some times of a leg; each
sees, through a constant matrix, the few coefficients that act there and the leg's duration. Such
programs are chains of pieces, and are solved as these (:mod:`cranebridge.plan.nlp.solve`); IPOPT,
which has more ways out, gets what is not solved there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.plan.nlp.evaluation import Evaluation
from cranebridge.plan.nlp.group import RowGroup
from cranebridge.plan.nlp.legs import Leg
from cranebridge.plan.nlp.python_function import PythonFunction
from cranebridge.plan.nlp.solve import solve_chain

Array = NDArray[np.float64]
Index = NDArray[np.intp]

# IPOPT is given up where the violation of rows of size one stays larger than this ...
_STALLED_VIOLATION = 1e-2
# ... with a smallest value of more than this part of the largest ...
_STALLED_RATIO = 0.9
# ... for so many iterations.
_STALLED_ITERATIONS = 11


@dataclass(frozen=True, eq=False)
class ProgramSolution:
    """What the optimiser found.

    Attributes
    ----------
    x : numpy.ndarray
        Variables.
    cost : float
        The objective.
    status : str
        IPOPT's word for how it ended.
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


@dataclass(eq=False)
class SplineProgram:
    """Groups of rows, bounds of the variables, and a linear objective besides that of the groups.

    Attributes
    ----------
    groups : sequence of RowGroup
        Constraints and terms of the objective.
    linear : numpy.ndarray
        Weights of the variables in the objective.
    least, most : numpy.ndarray
        Bounds of the variables; only durations have any.
    legs : sequence of Leg
        Whose pieces and durations the variables are.
    """

    groups: Sequence[RowGroup]
    linear: Array
    least: Array
    most: Array
    legs: Sequence[Leg] = ()

    def solve(
        self,
        x: Array,
        start: float = 0.1,
        tolerance: float = 1e-6,
        before: ProgramSolution | None = None,
    ) -> ProgramSolution:
        """Solve it.

        Parameters
        ----------
        x : numpy.ndarray
            Where to start.
        start : float
            The barrier parameter at the start: small near a solution.
        tolerance : float
            Relative tolerance.
        before : ProgramSolution, optional
            Of a program with the same variables and the first of these rows: its multipliers are
            started from.
        """
        known = None
        if before is not None:
            by_bounds, by_rows = before.multipliers
            more = np.zeros(self.row_bounds()[0].size - by_rows.size)
            known = by_bounds, np.concatenate([by_rows, more])
        found = solve_chain(self, x, start, tolerance, known)
        if found is not None:
            return ProgramSolution(
                found.x, found.cost, "Solve_Succeeded", found.steps, found.multipliers
            )
        return self.solve_by_ipopt(x, start, tolerance, known)

    def solve_by_ipopt(
        self,
        x: Array,
        start: float = 0.1,
        tolerance: float = 1e-6,
        known: tuple[Array, Array] | None = None,
    ) -> ProgramSolution:
        """Solve it by IPOPT; with multipliers of variables and rows that are started from."""
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
                "ipopt": _settings(start, tolerance, known is not None),
            },
        )
        least, most = self.row_bounds()
        given = {} if known is None else {"lam_x0": known[0], "lam_g0": known[1]}
        found = solver(x0=x, lbx=self.least, ubx=self.most, lbg=least, ubg=most, **given)
        stats = solver.stats()
        return ProgramSolution(
            np.array(found["x"]).ravel(),
            float(found["f"]),
            str(stats["return_status"]),
            int(stats["iter_count"]),
            (np.array(found["lam_x"]).ravel(), np.array(found["lam_g"]).ravel()),
        )

    def row_bounds(self) -> tuple[Array, Array]:
        """Return the bounds of all rows."""
        least, most = [], []
        for group in self.constraints:
            shape = len(group.base), group.rows.count
            least.append(np.broadcast_to(group.least, shape)[group.chosen])
            most.append(np.broadcast_to(group.most, shape)[group.chosen])
        return np.concatenate(least), np.concatenate(most)

    @property
    def constraints(self) -> list[RowGroup]:
        """The groups that are bounded."""
        return [group for group in self.groups if group.cost is None]

    @property
    def terms(self) -> list[RowGroup]:
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
        # minimum degree suits these narrow bands, and steps need no more digits than the solver has
        "mumps_pivot_order": 0,
        "min_refinement_steps": 0,
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


class StallDetector:
    """Tells when rows stay as far outside their bounds as they are, iteration after iteration.

    Steps are ever shorter then, multipliers ever larger, and the linear solver may take minutes for
    a step, or gigabytes.

    Parameters
    ----------
    least, most : numpy.ndarray
        Bounds of all rows, which are of size one.
    """

    def __init__(self, least: Array, most: Array) -> None:
        self._least, self._most = least, most
        self._violations: deque[float] = deque(maxlen=_STALLED_ITERATIONS)

    def at(self, rows: Array) -> bool:
        """Tell so after another iteration."""
        violation = np.maximum(self._least - rows, rows - self._most)
        self._violations.append(float(violation.max(initial=0.0)))
        if len(self._violations) < _STALLED_ITERATIONS:
            return False
        smallest, largest = min(self._violations), max(self._violations)
        return smallest > max(_STALLED_VIOLATION, _STALLED_RATIO * largest)


def _functions(program: SplineProgram, tolerance: float) -> dict[str, PythonFunction]:
    """Return what IPOPT calls."""
    at = Evaluation(program.groups, program.linear.size)
    # Rows are of size one: rounding times such multipliers is more than the tolerance, and IPOPT
    # seldom comes back from there. Its linear solver may even never end.
    lost, stall = tolerance / np.finfo(float).eps, StallDetector(*program.row_bounds())
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

    def values(x: Array) -> Array:
        at.move(x)
        return np.concatenate([at.values(k)[at.chosen[k]] for k in bounded])

    def rows(given: list[Array]) -> list[Array | float]:
        return [values(given[0])]

    def gradient(given: list[Array]) -> list[Array | float]:
        value = objective(given)[0]
        slope = program.linear.copy()
        for k in summed:
            group = program.groups[k]
            parts = costs[k][:, None] * at.slopes_by_variables(k)[:, 0]
            own = group.columns >= 0
            np.add.at(slope, group.columns[own], parts[own])
        return [value, slope]

    def slopes(given: list[Array]) -> list[Array | float]:
        return [values(given[0]), at.jacobian_entries()]

    def curvature(given: list[Array]) -> list[Array | float]:
        at.move(given[0])
        weight, multipliers, begin, weights = float(given[2][0]), given[3], 0, []
        if np.abs(multipliers).max(initial=0.0) > lost or stall.at(values(given[0])):
            raise np.linalg.LinAlgError
        for k, group in enumerate(program.groups):
            if group.cost is not None:
                weights.append(weight * group.cost[:, None])
                continue
            own, mine = at.chosen[k], np.zeros(at.chosen[k].shape)
            end = begin + int(np.count_nonzero(own))
            mine[own] = multipliers[begin:end]
            weights.append(mine)
            begin = end
        return [at.hessian_entries(weights)]

    x, p = ("x", size), ("p", 0)
    lam = [("lam_f", 1), ("lam_g", at.count)]
    return {
        "objective": PythonFunction("objective", [x], [("f", scalar)], objective),
        "rows": PythonFunction("rows", [x], [("g", dense(at.count, 1))], rows),
        "gradient": PythonFunction(
            "nlp_grad_f", [x, p], [("f", scalar), ("grad_f_x", dense(size, 1))], gradient
        ),
        "slopes": PythonFunction(
            "nlp_jac_g",
            [x, p],
            [("g", dense(at.count, 1)), ("jac_g_x", at.jacobian)],
            slopes,
        ),
        "curvature": PythonFunction(
            "nlp_hess_l",
            [x, p, *lam],
            [("hess_gamma_x_x", at.hessian)],
            curvature,
        ),
    }
