"""Boundary value problems of ordinary differential equations by collocation at Gauss points.

In each interval of a mesh the solution of y' = f(t, y) is a polynomial that satisfies the equation
at the Gauss points; neighbours meet at the mesh's times, and linear conditions hold at both ends:

    y_ij = y_i + h_i sum_l A_jl k_il,   k_ij = f(t_ij, y_ij),   y_(i+1) = y_i + h_i sum_j b_j k_ij,
    B_0 (y_0 - a_0) = 0,   B_1 (y_N - a_1) = 0.

Newton's method on all of it: the k of each interval are eliminated, a sparse LU factorisation
solves for the y_i. An initial value problem is the case in which all conditions are at one end. The
mesh is refined where the polynomial misses the equation between the Gauss points, and the result is
accepted when the solution on the halved mesh differs from it by less than the tolerance.

References
----------
U. M. Ascher, R. M. M. Mattheij, R. D. Russell, Numerical Solution of Boundary Value Problems for
Ordinary Differential Equations, SIAM 1995, Chapters 5 and 9.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.inverse.piecewise import Piecewise

Array = NDArray[np.float64]
Rate = Callable[[Array, Array], tuple[Array, Array]]
"""``(times, y) -> (f, df/dy)``, a row for each time; not finite where f does not exist."""

STAGES = 5
NEWTON_STEPS = 40
SHORTEST_STEP = 2.0**-10
# Newton's method ends when the step is this part of the solution's range: the next is rounding.
SETTLED = 1e-11
# Residuals this small, as a part of that range, that Newton's method does not reduce are rounding.
STALLED = 1e-10
MOST_INTERVALS = 40_000
REFINEMENTS = 16
SAFETY = 0.3


def _gauss(stages: int) -> tuple[Array, Array, Array]:
    """Return the points c, the integrals A of the Lagrange polynomials to them, the weights b."""
    c = 0.5 * (leggauss(stages)[0] + 1.0)
    powers = np.arange(1, stages + 1)
    inverse = np.linalg.inv(c[:, None] ** (powers - 1))
    return c, (c[:, None] ** powers / powers) @ inverse, (1.0 / powers) @ inverse


POINTS, INTEGRALS, WEIGHTS = _gauss(STAGES)
# Between the Gauss points, and at the ends: where the defect is looked at.
_BETWEEN = 0.5 * (np.concatenate([[0.0], POINTS]) + np.concatenate([POINTS, [1.0]]))


@dataclass(frozen=True, eq=False)
class Boundary:
    """Linear conditions rows (y - state) = 0 at one end; there can be none."""

    rows: Array
    state: Array


@dataclass(frozen=True, eq=False)
class BoundarySolution:
    """A solution on a mesh.

    Attributes
    ----------
    mesh : numpy.ndarray
        Times between which the solution is a polynomial.
    nodes : numpy.ndarray
        y at these times.
    slopes : numpy.ndarray
        y' at the Gauss points, (intervals, points, components).
    error : float
        Largest difference to the solution on a mesh of half the number of intervals, relative to
        each component's range; nan before that is known.
    """

    mesh: Array
    nodes: Array
    slopes: Array
    error: float = float("nan")

    @property
    def polynomial(self) -> Piecewise:
        """The solution as a piecewise polynomial."""
        powers = np.arange(STAGES)
        to_powers = np.linalg.inv(POINTS[:, None] ** powers)
        h = np.diff(self.mesh)
        terms = np.einsum("pj,ijn->pin", to_powers, self.slopes) / (powers + 1.0)[:, None, None]
        scaled = [terms[k] / h[:, None] ** k for k in powers]
        return Piecewise(np.stack([*scaled[::-1], self.nodes[:-1]]), self.mesh)

    def within(self, points: Array) -> tuple[Array, Array]:
        """Return times and y at the same relative points of all intervals."""
        return _within(self.mesh, self.nodes, self.slopes, points)

    @property
    def range(self) -> Array:
        """How far each component goes."""
        low, high = self.nodes.min(axis=0), self.nodes.max(axis=0)
        return np.asarray(high - low)


def _within(mesh: Array, nodes: Array, slopes: Array, points: Array) -> tuple[Array, Array]:
    """Return times and y at the same relative points of all intervals, one after another."""
    h = np.diff(mesh)
    powers = np.arange(1, STAGES + 1)
    integrals = (points[:, None] ** powers / powers) @ np.linalg.inv(
        POINTS[:, None] ** (powers - 1)
    )
    times = mesh[:-1, None] + h[:, None] * points
    y = nodes[:-1, None, :] + h[:, None, None] * np.einsum("pj,ijn->ipn", integrals, slopes)
    return times.reshape(-1), y.reshape(times.size, -1)


def solve_collocation(
    rate: Rate,
    start: Boundary,
    end: Boundary,
    mesh: Array,
    guess: Callable[[Array], Array],
    scale: Array,
    tolerance: float,
) -> BoundarySolution:
    """Solve a boundary value problem to a tolerance.

    Parameters
    ----------
    rate : callable
        The right-hand side with its Jacobian.
    start, end : Boundary
        Conditions; together as many as components.
    mesh : numpy.ndarray
        The first mesh. Its times stay in all others, so that knots are never stepped over.
    guess : callable
        y near the solution at some times.
    scale : numpy.ndarray
        The least range of each component that counts.
    tolerance : float
        Of the solution, between the mesh's times, too, relative to each component's range.

    Raises
    ------
    SolutionError
        If Newton's method fails, or the tolerance is not met with the finest mesh.
    """
    found = _solve_on(rate, start, end, mesh, guess, scale)
    for _ in range(REFINEMENTS):
        parts = _parts(rate, found, scale, SAFETY * tolerance)
        if parts.max() == 1:
            finer = _solve_on(
                rate, start, end, _divided(found.mesh, 2 * parts), found.polynomial, scale
            )
            error = _difference(found, finer, scale)
            if error <= tolerance:
                return BoundarySolution(finer.mesh, finer.nodes, finer.slopes, error)
            found = finer
            continue
        mesh = _divided(found.mesh, parts)
        if mesh.size > MOST_INTERVALS:
            break
        found = _solve_on(rate, start, end, mesh, found.polynomial, scale)
    raise UnresolvedError(
        f"the internal dynamics are not resolved to {tolerance:.0e} with {found.mesh.size} "
        "intervals: the path asks for motions near a place where the inversion is singular, or the "
        "window is very long for vibrations so fast; shorten it by solve.before or solve.after, or "
        "add the damping that the crane has"
    )


def _parts(rate: Rate, found: BoundarySolution, scale: Array, tolerance: float) -> NDArray[np.int_]:
    """Return into how many parts each interval must be divided, from the defect between its points.

    The defect is of order STAGES in the interval's length, what it does to y of one order more.
    """
    h = np.diff(found.mesh)
    times, y = found.within(_BETWEEN)
    basis = np.linalg.inv(POINTS[:, None] ** np.arange(STAGES))
    slopes = np.einsum(
        "pk,kj,ijn->ipn", _BETWEEN[:, None] ** np.arange(STAGES), basis, found.slopes
    )
    defect = rate(times, y)[0].reshape(slopes.shape) - slopes
    error = h[:, None] * np.abs(defect).max(axis=1) / np.maximum(found.range, scale)
    ratio = np.nan_to_num(error.max(axis=1) / tolerance, nan=np.inf)
    wanted = np.ceil(np.clip(ratio, 1.0, 1e6) ** (1.0 / (STAGES + 1.0)))
    return np.asarray(np.where(ratio <= 1.0, 1, np.clip(wanted, 2, 6)).astype(int))


def _divided(mesh: Array, parts: NDArray[np.int_]) -> Array:
    pieces = [
        np.linspace(a, b, n, endpoint=False)
        for a, b, n in zip(mesh[:-1], mesh[1:], parts, strict=True)
    ]
    return np.append(np.concatenate(pieces), mesh[-1])


def _difference(coarse: BoundarySolution, fine: BoundarySolution, scale: Array) -> float:
    times, y = fine.within(np.concatenate([[0.0], _BETWEEN, POINTS]))
    size = np.maximum(fine.range, scale)
    return float((np.abs(y - coarse.polynomial(times)) / size).max())


class _System:
    """Residuals and Newton steps of the collocation equations on one mesh."""

    def __init__(self, rate: Rate, start: Boundary, end: Boundary, mesh: Array) -> None:
        self.rate, self.start, self.end = rate, start, end
        self.mesh, self.h = mesh, np.diff(mesh)
        self.times = (mesh[:-1, None] + self.h[:, None] * POINTS).reshape(-1)

    def evaluate(self, nodes: Array, slopes: Array) -> tuple[list[Array], Array]:
        """Return the residuals (start, defects of slopes, jumps, end) and df/dy."""
        n = nodes.shape[1]
        _, y = _within(self.mesh, nodes, slopes, POINTS)
        f, by_y = self.rate(self.times, y)
        moved = self.h[:, None] * np.einsum("j,ijn->in", WEIGHTS, slopes)
        parts = [
            self.start.rows @ (nodes[0] - self.start.state),
            slopes - f.reshape(-1, STAGES, n),
            nodes[1:] - nodes[:-1] - moved,
            self.end.rows @ (nodes[-1] - self.end.state),
        ]
        return parts, by_y.reshape(-1, STAGES, n, n)

    def size(self, parts: list[Array], scale: Array) -> float:
        """Return how large residuals are, as changes of y in its scale."""
        inner = np.abs(parts[1] * self.h[:, None, None] / scale).max()
        jumps = np.abs(parts[2] / scale).max()
        ends = [np.abs(part).max(initial=0.0) / scale.max() for part in (parts[0], parts[3])]
        return float(max(inner, jumps, *ends))

    def step(self, parts: list[Array], by_y: Array) -> tuple[Array, Array]:
        """Return the Newton step of nodes and slopes."""
        from scipy.sparse import bsr_array, csc_array, vstack
        from scipy.sparse.linalg import splu

        count, _, n, _ = by_y.shape
        whole = STAGES * n
        coupled = np.einsum("jl,ijab->ijalb", INTEGRALS, by_y) * self.h[:, None, None, None, None]
        local = np.eye(whole) - coupled.reshape(count, whole, whole)
        right = np.concatenate(
            [by_y.reshape(count, whole, n), -parts[1].reshape(count, whole, 1)], axis=2
        )
        solved = np.linalg.solve(local, right).reshape(count, STAGES, n, n + 1)
        weighted = self.h[:, None, None] * np.einsum("j,ijab->iab", WEIGHTS, solved)
        # Rows of intervals: -(1 + h b K) dy_i + dy_(i+1) = -jump + h b k
        blocks = np.empty((2 * count, n, n))
        blocks[0::2] = -np.eye(n) - weighted[:, :, :n]
        blocks[1::2] = np.eye(n)
        columns = np.stack([np.arange(count), np.arange(1, count + 1)], axis=1).reshape(-1)
        middle = bsr_array(
            (blocks, columns, 2 * np.arange(count + 1)), shape=(count * n, (count + 1) * n)
        )
        first = csc_array((len(self.start.rows), (count + 1) * n)).tolil()
        first[:, :n] = self.start.rows
        last = csc_array((len(self.end.rows), (count + 1) * n)).tolil()
        last[:, -n:] = self.end.rows
        matrix = vstack([part for part in (first, middle, last) if part.shape[0]], format="csc")
        rest = np.concatenate([-parts[0], (-parts[2] + weighted[:, :, n]).reshape(-1), -parts[3]])
        nodes = splu(matrix).solve(rest).reshape(count + 1, n)
        slopes = solved[..., n] + np.einsum("ijab,ib->ija", solved[..., :n], nodes[:-1])
        return nodes, slopes


# A Newton step may go far off; the residual, then not finite, tells.
@np.errstate(over="ignore", invalid="ignore")
def _solve_on(
    rate: Rate,
    start: Boundary,
    end: Boundary,
    mesh: Array,
    guess: Callable[[Array], Array],
    scale: Array,
) -> BoundarySolution:
    """Solve on a given mesh by Newton's method, with shorter steps where the whole one is worse."""
    system = _System(rate, start, end, mesh)
    nodes = guess(mesh)
    slopes = _slopes_of(system, guess)
    parts, by_y = system.evaluate(nodes, slopes)
    size = np.maximum(nodes.max(axis=0) - nodes.min(axis=0), scale)
    now = system.size(parts, size)
    for _ in range(NEWTON_STEPS):
        if not np.isfinite(now):
            break
        try:
            d_nodes, d_slopes = system.step(parts, by_y)
        except (np.linalg.LinAlgError, RuntimeError):  # SciPy's word for a singular matrix
            break
        fraction = 1.0
        while True:
            new = nodes + fraction * d_nodes, slopes + fraction * d_slopes
            parts, by_y = system.evaluate(*new)
            following = system.size(parts, size)
            small = float((np.abs(d_nodes) / size).max()) <= SETTLED
            if following <= (1.0 - 0.1 * fraction) * now or (small and np.isfinite(following)):
                break
            fraction *= 0.5
            if now <= STALLED:  # rounding is all that is left
                return BoundarySolution(mesh, nodes, slopes)
            if fraction < SHORTEST_STEP:
                raise _failed(mesh, d_nodes / size)
        nodes, slopes = new
        size = np.maximum(nodes.max(axis=0) - nodes.min(axis=0), scale)
        now = system.size(parts, size)
        if fraction == 1.0 and float((np.abs(d_nodes) / size).max()) <= SETTLED:
            return BoundarySolution(mesh, nodes, slopes)
    raise _failed(mesh, np.zeros((1, 1)))


def _slopes_of(system: _System, guess: Callable[[Array], Array]) -> Array:
    """Return slopes of a guess at the Gauss points, those of the polynomial through it there."""
    count = system.h.size
    ends = np.concatenate([[0.0], POINTS])
    times = system.mesh[:-1, None] + system.h[:, None] * ends
    y = guess(times.reshape(-1)).reshape(count, ends.size, -1)
    moved = (y[:, 1:] - y[:, :1]) / system.h[:, None, None]
    return np.asarray(np.einsum("jl,iln->ijn", np.linalg.inv(INTEGRALS), moved))


class UnresolvedError(SolutionError):
    """The tolerance is not met with the finest mesh."""


class NewtonError(SolutionError):
    """Newton's method failed on a mesh."""


def _failed(mesh: Array, step: Array) -> NewtonError:
    time = mesh[int(np.argmax(np.abs(step).max(axis=1)))]
    return NewtonError(f"no bounded motion is found: Newton's method fails near t = {time:.4g} s")
