"""IPOPT on the programme of a motion, with exact first and second derivatives.

The blocks of all intervals stand on the diagonals of Jacobian and Hessian; below them the linear
equations that tie neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.plan.collocation.ipopt_progress import Convergence, IpoptMonitor
from cranebridge.plan.collocation.transcription import Transcription
from cranebridge.progress import Progress, ignore_progress

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class IpoptResult:
    """The unknowns that were found on a mesh, and what IPOPT says.

    Attributes
    ----------
    pressure : numpy.ndarray
        How hard each limit is pressed: the sum of its multipliers' magnitudes.
    """

    unknowns: Array
    cost: float
    status: str
    iterations: int
    pressure: Array


def solve_programme(
    programme: Transcription,
    parts: Array,
    references: Array,
    guess: Array,
    cost_size: float,
    options: Mapping[str, Any],
    progress: Progress = ignore_progress,
) -> IpoptResult:
    """Solve on a mesh.

    Parameters
    ----------
    programme : Transcription
        What is to be found.
    parts : numpy.ndarray
        The intervals' lengths, as parts of the duration.
    references : numpy.ndarray
        Of all points, a row for each interval.
    guess : numpy.ndarray
        Unknowns where IPOPT starts: a row for each interval, then those of the end.
    cost_size : float
        By what the cost is divided.
    options : mapping
        Of IPOPT.
    progress : callable
        Called with the part that is done.
    """
    mapped = _IpoptFunctions(programme, parts, references, cost_size)
    lbx, ubx = mapped.unknown_bounds
    lbg, ubg = mapped.row_bounds
    monitor = None
    if progress is not ignore_progress:  # it costs some time
        convergence = Convergence(options["tol"], options.get("mu_init", 0.1))
        monitor = IpoptMonitor(np.size(lbx), np.size(lbg), convergence, progress)
    solver = ca.nlpsol(
        "programme",
        "ipopt",
        mapped.problem,
        {
            "jac_g": mapped.jacobian,
            "hess_lag": mapped.hessian,
            "print_time": False,
            **({} if monitor is None else {"iteration_callback": monitor}),
            "ipopt": {"print_level": 0, "sb": "yes", **options},
        },
    )
    if monitor is not None:
        monitor.solver = solver
    found = solver(x0=guess, lbx=lbx, ubx=ubx, lbg=lbg, ubg=ubg)
    stats = solver.stats()
    return IpoptResult(
        np.array(found["x"])[:, 0],
        float(found["f"]) * cost_size,
        str(stats["return_status"]),
        int(stats["iter_count"]),
        mapped.pressure(np.array(found["lam_x"])[:, 0], np.array(found["lam_g"])[:, 0]),
    )


class _IpoptFunctions:
    """All intervals and the end together, with the ties between them."""

    def __init__(
        self, programme: Transcription, parts: Array, references: Array, cost_size: float
    ) -> None:
        self.programme, self.count = programme, parts.size
        self.known = ca.DM(np.column_stack([parts, references]).T)
        self.scale = 1.0 / cost_size
        interval, last = programme.interval, programme.last
        self.width = int(interval.cost.size1_in(0))
        self.x = ca.MX.sym("x", self.count * self.width + last.cost.size1_in(0))
        self.p = ca.MX.sym("p", 0)
        self.inner = ca.reshape(self.x[: self.count * self.width], self.width, self.count)
        self.outer = self.x[self.count * self.width :]
        self.ties = self._ties()

    def _ties(self) -> ca.DM:
        """Rows: begin of an interval minus end of the one before; the copies of the duration."""
        state = self.programme.start.size
        point = self.programme.sizes.point.size
        free, width, count = int(self.programme.free), self.width, self.count
        end = state + (self.programme.method.degree - 1) * point
        own = np.arange(state)
        i = np.arange(1, count + 1)[:, None]
        plus, minus = i * width + own, (i - 1) * width + end + own
        if free:
            j = np.arange(1, count)[:, None]
            plus = np.concatenate([plus.reshape(-1), (j * width + width - 1).reshape(-1)])
            minus = np.concatenate([minus.reshape(-1), (j * width - 1).reshape(-1)])
        rows = np.arange(plus.size)
        triplet = ca.DM.triplet(
            [*rows.tolist(), *rows.tolist()],
            [*plus.reshape(-1).tolist(), *minus.reshape(-1).tolist()],
            ca.DM([*np.ones(plus.size), *-np.ones(plus.size)]),
            int(plus.size),
            int(self.x.numel()),
        )
        return triplet

    @property
    def problem(self) -> dict[str, ca.MX]:
        """The programme for `nlpsol`."""
        f, g = self._values()
        return {"x": self.x, "f": f, "g": g, "p": self.p}

    def _values(self) -> tuple[ca.MX, ca.MX]:
        interval, last, none = self.programme.interval, self.programme.last, ca.DM(0, 1)
        costs = interval.cost.map(self.count)(self.inner, self.known)
        rows = interval.residuals.map(self.count)(self.inner, self.known)
        f = self.scale * (ca.sum2(costs) + last.cost(self.outer, none))
        return f, ca.vertcat(ca.vec(rows), last.residuals(self.outer, none), self.ties @ self.x)

    @property
    def jacobian(self) -> ca.Function:
        """``(x, p) -> (g, dg/dx)``."""
        block, last = self.programme.interval.jacobian, self.programme.last.jacobian
        inner = self._diagonal(block, block.map(self.count)(self.inner, self.known))
        outer = last(self.outer, ca.DM(0, 1))
        whole = ca.vertcat(ca.diagcat(inner, outer), self.ties)
        return ca.Function("jac_g", [self.x, self.p], [self._values()[1], whole])

    @property
    def hessian(self) -> ca.Function:
        """``(x, p, factor of f, multipliers of g) -> upper triangle``."""
        block, last = self.programme.interval, self.programme.last
        rows, end = block.residuals.size1_out(0), last.residuals.size1_out(0)
        factor = ca.MX.sym("factor")
        multipliers = ca.MX.sym("multipliers", self.count * rows + end + self.ties.size1())
        own = ca.reshape(multipliers[: self.count * rows], rows, self.count)
        scaled = self.scale * factor
        known = (self.inner, self.known, ca.repmat(scaled, 1, self.count), own)
        inner = self._diagonal(block.hessian, block.hessian.map(self.count)(*known))
        at_end = multipliers[self.count * rows : self.count * rows + end]
        outer = last.hessian(self.outer, ca.DM(0, 1), scaled, at_end)
        arguments = [self.x, self.p, factor, multipliers]
        return ca.Function("hess_lag", arguments, [ca.diagcat(inner, outer)])

    def _diagonal(self, block: ca.Function, side_by_side: ca.MX) -> ca.MX:
        """Put the blocks of all intervals, which stand side by side, on the diagonal.

        Both store the same numbers in the same order: only the row numbers differ.
        """
        whole = ca.diagcat(*[block.sparsity_out(0)] * self.count)
        return ca.sparsity_cast(side_by_side, whole)

    @property
    def unknown_bounds(self) -> tuple[Array, Array]:
        """Least and most of all unknowns; the begin is given."""
        least, most = (np.tile(part, self.count) for part in self.programme.unknown_bounds)
        start = self.programme.start / self.programme.sizes.state
        least[: start.size] = most[: start.size] = start
        open_ = np.full(self.outer.numel(), np.inf)
        return np.concatenate([least, -open_]), np.concatenate([most, open_])

    @property
    def row_bounds(self) -> tuple[Array, Array]:
        """Least and most of all rows."""
        least, most = (np.tile(part, self.count) for part in self.programme.row_bounds)
        zero = np.zeros(self.programme.last.residuals.size1_out(0) + self.ties.size1())
        return np.concatenate([least, zero]), np.concatenate([most, zero])

    def pressure(self, of_unknowns: Array, of_rows: Array) -> Array:
        """Return the sum of the multipliers' magnitudes of each limit."""
        programme, d = self.programme, self.programme.method.degree
        point, rows = programme.sizes.point.size, programme.interval.residuals.size1_out(0)
        own = np.abs(of_unknowns[: self.count * self.width]).reshape(self.count, self.width)
        first = programme.start.size
        at_points = own[:, first : first + d * point].reshape(-1, point).sum(axis=0)
        every = np.abs(of_rows[: self.count * rows]).reshape(self.count, rows).sum(axis=0)
        watched = programme.watched[0]
        between = rows - len(watched) * (d - 1)
        residuals = every[:between].reshape(d, -1).sum(axis=0)
        first_row = programme.equations.residual.size1_out(0)
        found = np.zeros(len(programme.bounds.signals))
        for i, position in programme.bounded.items():
            found[i] = at_points[position]
        for k, i in enumerate(programme.rows):
            found[i] = residuals[first_row + k]
        found[watched] += every[between:].reshape(d - 1, len(watched)).sum(axis=0)
        return found
