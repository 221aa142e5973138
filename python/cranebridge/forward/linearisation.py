"""Linearisation of a crane along a motion on its constraint manifold, exact by differentiation.

With independent coordinates y = R q the state (y, y') determines the whole motion: on the manifold
h(q) = 0, H(q) v = 0 of :mod:`cranebridge.forward.crane_accelerations` neighbouring states differ by

    dq = K dy,   dv = K dy' + L dy,   K = [R; H]^-1 [I; 0],   L = -[R; H]^-1 [0; d(H v)/dq K]

(Spencer 2004, 2.44-2.46). The accelerations solve A(q) (a, lambda) = b(q, v, u), so that

    d(a, lambda) = -A^-1 (r_q dq + r_v dv + r_u du),   r = A (a, lambda) - b,

and y'' = R a gives the state matrices of d/dt (dy, dy') = A (dy, dy') + B du. What a(q, v, u) is
off the manifold does not enter. Along a motion A(t), B(t) are those of a time-varying system; at
rest their eigenvalues and transfer functions do not depend on the choice of y.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.errors import InputError, SolutionError, unknown
from cranebridge.forward.crane_accelerations import crane_dynamics
from cranebridge.forward.local_state_space import CONDITION_LIMIT, choose_independent, validity
from cranebridge.inverse import Feedforward
from cranebridge.twin import Crane
from cranebridge.twin.language import names

Array = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]

# At how many times of a motion independent coordinates are sought.
CANDIDATES = 11


@dataclass(frozen=True, eq=False)
class LinearModel:
    """d/dt dx = A dx + B du, dy = C dx along a motion; first axis time.

    Attributes
    ----------
    crane : Crane
        What was linearised.
    states : tuple of str
        Names of dx: the independent coordinates, then their velocities with the prefix ``v_``.
    time : numpy.ndarray
        Times in s.
    A, B, C : numpy.ndarray
        State, input and output matrices; inputs and outputs are the crane's.
    q_matrix, v_matrix : numpy.ndarray
        dq and dv of all coordinates as functions of dx.
    """

    crane: Crane
    states: tuple[str, ...]
    time: Array
    A: Array
    B: Array
    C: Array
    q_matrix: Array
    v_matrix: Array

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The independent coordinates."""
        return self.states[: len(self.states) // 2]

    def eigenvalues(self) -> ComplexArray:
        """Return the eigenvalues of A at each time, frozen there, by decreasing real part."""
        values = np.linalg.eigvals(self.A).astype(complex)
        order = np.lexsort((values.imag, -values.real), axis=-1)
        return np.take_along_axis(values, order, axis=-1)

    def transfer(self, s: complex, row: int = 0) -> ComplexArray:
        """Return C (s I - A)^-1 B at the time `row`."""
        inner = s * np.eye(len(self.states)) - self.A[row]
        return np.asarray(self.C[row] @ np.linalg.solve(inner, self.B[row]))


@dataclass(frozen=True, eq=False)
class _Derivatives:
    """Functions of one point.

    ``point(q, v, u, p) -> (A, b, H, (H v)_q, s_q)`` and ``(q, v, u, x, p) -> (r_q, r_v, r_u)``.
    """

    point: ca.Function
    residual: ca.Function


@cache
def _derivatives(crane: Crane) -> _Derivatives:
    dynamics = crane_dynamics(crane)
    m = dynamics.model
    x = ca.SX.sym("x", dynamics.system.size1_out(1))
    A, b = dynamics.system(m.q, m.v, m.u, m.p)
    h, H = dynamics.manifold(m.q, m.p)
    rate = ca.jtimes(h, m.q, m.v)
    outputs = ca.jacobian(m.outputs, m.q)
    values = [A, b, H, ca.jacobian(rate, m.q), outputs]
    state = [m.q, m.v, m.u, m.p]
    point = ca.Function("point", state, ca.cse([ca.densify(value) for value in values]))
    r = A @ x - b
    jacobians = [ca.densify(ca.jacobian(r, symbol)) for symbol in (m.q, m.v, m.u)]
    return _Derivatives(point, ca.Function("residual", [m.q, m.v, m.u, x, m.p], ca.cse(jacobians)))


def linearise(
    crane: Crane,
    parameters: Mapping[str, float],
    q: ArrayLike,
    v: ArrayLike,
    u: ArrayLike,
    time: ArrayLike | None = None,
    independent: Sequence[str] | None = None,
) -> LinearModel:
    """Linearise a crane at one state or at many.

    Parameters
    ----------
    crane : Crane
        The crane.
    parameters : mapping of str to float
        Values that replace the crane's defaults.
    q, v, u : array_like
        Consistent coordinates and velocities, and inputs; rows for times.
    time : array_like, optional
        The times; counted from 0 by default.
    independent : sequence of str, optional
        The independent coordinates; those that serve best at all states by default.

    Raises
    ------
    SolutionError
        If the independent coordinates are not valid somewhere.
    """
    table = [np.atleast_2d(np.asarray(part, dtype=float)) for part in (q, v, u)]
    count = len(table[0])
    values = crane.parameter_values(dict(parameters))
    p = ca.repmat(ca.DM([values[name] for name in names(crane.parameters)]), 1, count)
    functions = _derivatives(crane)
    columns = [part.T for part in table]
    A, b, H, bending, outputs = (
        _stack(value, count) for value in functions.point.map(count)(*columns, p)
    )
    x = np.linalg.solve(A, b)[:, :, 0]
    jacobians = functions.residual.map(count)(*columns, x.T, p)
    r_q, r_v, r_u = (-np.linalg.solve(A, _stack(value, count)) for value in jacobians)
    times = np.arange(count, dtype=float) if time is None else np.asarray(time, dtype=float)
    inner = _independent(crane, H, independent)
    _require_valid(crane, H, inner, times)
    K, L = _tangent(H, bending, inner)
    q_matrix = np.concatenate([K, np.zeros_like(K)], axis=2)
    v_matrix = np.concatenate([L, K], axis=2)
    a_matrix = (r_q @ q_matrix + r_v @ v_matrix)[:, inner]
    f = len(inner)
    upper = np.broadcast_to(np.eye(f, 2 * f, f), (count, f, 2 * f))
    chosen = [names(crane.coordinates)[i] for i in inner]
    return LinearModel(
        crane=crane,
        states=(*chosen, *(f"v_{name}" for name in chosen)),
        time=times,
        A=np.concatenate([upper, a_matrix], axis=1),
        B=np.concatenate([np.zeros((count, f, r_u.shape[2])), r_u[:, inner]], axis=1),
        C=outputs @ q_matrix,
        q_matrix=q_matrix,
        v_matrix=v_matrix,
    )


def linearise_along(solution: Feedforward, independent: Sequence[str] | None = None) -> LinearModel:
    """Linearise a crane along its feedforward: A(t) and B(t) at the times of the solution.

    The solution should be an exact one (index1): the velocities of the others have the error of
    their step, and lie off the manifold by as much.
    """
    return linearise(
        solution.problem.crane,
        solution.problem.parameters,
        solution.q,
        solution.v,
        solution.u,
        solution.time,
        independent,
    )


def _stack(values: ca.DM, count: int) -> Array:
    """Return matrices beside each other as an array (count, rows, columns)."""
    matrix = np.array(values)
    rows, columns = len(matrix), matrix.shape[1] // count
    return np.ascontiguousarray(matrix.reshape(rows, count, columns).transpose(1, 0, 2))


def _independent(crane: Crane, H: Array, wanted: Sequence[str] | None) -> list[int]:
    """Return the positions of the independent coordinates."""
    coordinates = names(crane.coordinates)
    f = H.shape[2] - H.shape[1]
    if wanted is None:
        rows = np.unique(np.linspace(0, len(H) - 1, CANDIDATES).astype(int))
        choices = {choose_independent(H[row]) for row in rows}
        worst = {choice: max(validity(H[row], choice) for row in rows) for choice in choices}
        best: tuple[int, ...] = min(worst, key=lambda choice: (worst[choice], choice))
        return list(best)
    for name in wanted:
        if name not in coordinates:
            raise unknown(f"coordinate of crane '{crane.name}'", name, coordinates)
    if len(set(wanted)) != f:
        raise InputError(
            f"crane '{crane.name}' has {f} degrees of freedom: give as many independent "
            f"coordinates, got {len(set(wanted))}"
        )
    return [coordinates.index(name) for name in wanted]


def _require_valid(crane: Crane, H: Array, inner: list[int], times: Array) -> None:
    bad = [row for row in range(len(H)) if validity(H[row], inner) > CONDITION_LIMIT]
    if bad:
        chosen = ", ".join(names(crane.coordinates)[i] for i in inner)
        raise SolutionError(
            f"the coordinates {chosen} do not determine the state of crane '{crane.name}' at t = "
            f"{times[bad[0]]:.6g} s; choose others, or linearise that part of the motion by itself"
        )


def _tangent(H: Array, bending: Array, inner: list[int]) -> tuple[Array, Array]:
    """Return K and L (see the module's text) at all times."""
    count, m, n = H.shape
    f = n - m
    chosen = np.broadcast_to(np.eye(n)[inner], (count, f, n))
    stacked = np.concatenate([chosen, H], axis=1)
    right = np.broadcast_to(np.eye(n, f), (count, n, f))
    K = np.linalg.solve(stacked, right)
    lower = np.concatenate([np.zeros((count, f, f)), bending @ K], axis=1)
    return K, -np.linalg.solve(stacked, lower)
