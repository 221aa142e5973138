"""Optimal gains of sampled linear models: stationary, and backward along a motion.

The cost is the sum of x^T Q x + u^T R u over all samples. Backward in time

    K_k = (R + B^T P B)^-1 B^T P A,   P <- Q + A^T P (A - B K_k),

from the stationary solution of the last model. Modes that no input changes have a stationary
solution only if they decay. Where they stay on the stability limit, their own cost grows without
bound, but it does not enter the gains: with x = (x_c, x_u) in the bases of both subspaces, the gain
needs P_cc (a Riccati equation) and P_cu (a linear equation) only, which always exist.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.model import controllable_basis
from cranebridge.errors import SolutionError

Array = NDArray[np.float64]

# Uncontrollable modes with |z| at least this large count as lasting: their own cost is left out.
LASTING = 1.0 - 1e-9


def gain(P: Array, A: Array, B: Array, R: Array) -> Array:
    """Return K = (R + B^T P B)^-1 B^T P A."""
    PB = P @ B
    return np.asarray(np.linalg.solve(R + B.T @ PB, PB.T @ A))


def stationary(
    A: Array, B: Array, Q: Array, R: Array, sizes: Array | None = None
) -> tuple[Array, Array]:
    """Return P and K of a model that does not change.

    Parameters
    ----------
    A, B, Q, R : numpy.ndarray
        Sampled model and weights.
    sizes : numpy.ndarray, optional
        What a state of size one is, for the test of what the inputs reach; ones if None.

    Raises
    ------
    SolutionError
        If there is no stabilising solution.
    """
    D = np.ones(len(A)) if sizes is None else sizes
    scaled = (A * D / D[:, None], B / np.sqrt(np.diagonal(R)) / D[:, None])
    reached, rest = controllable_basis(*scaled)
    # back in unscaled states: columns span, rows of the inverse pick
    T = D[:, None] * np.column_stack([reached, rest])
    inverse = np.column_stack([reached, rest]).T / D
    c = reached.shape[1]
    A_, B_, Q_ = inverse @ A @ T, inverse @ B, T.T @ Q @ T
    P = np.zeros_like(A)
    P[:c, :c] = _are(A_[:c, :c], B_[:c], Q_[:c, :c], R)
    if rest.shape[1]:
        P[:c, c:] = _coupling(A_, B_, Q_, R, P[:c, :c], c)
        P[c:, :c] = P[:c, c:].T
        P[c:, c:] = _own(A_, B_, Q_, R, P, c)
    P = inverse.T @ P @ inverse
    P = 0.5 * (P + P.T)
    return P, gain(P, A, B, R)


def _are(A: Array, B: Array, Q: Array, R: Array) -> Array:
    from scipy.linalg import solve_discrete_are

    try:
        P = np.asarray(solve_discrete_are(A, B, Q, R))
    except (np.linalg.LinAlgError, ValueError):  # the latter where it is too ill-conditioned
        raise SolutionError(
            "the weights give no stabilising feedback: weigh every coordinate, or the outputs and "
            "all velocities, so that no motion without cost remains"
        ) from None
    K = gain(P, A, B, R)
    # The solver ends with rounding of its own scaling: one step of the recursion removes it.
    P = Q + A.T @ P @ (A - B @ K)
    return np.asarray(0.5 * (P + P.T))


def _coupling(A: Array, B: Array, Q: Array, R: Array, P: Array, c: int) -> Array:
    """Return P_cu of (A_c - B K)^T P_cu A_u - P_cu + Q_cu + (A_c - B K)^T P_cc A_cu = 0."""
    closed = A[:c, :c] - B[:c] @ gain(P, A[:c, :c], B[:c], R)
    right = Q[:c, c:] + closed.T @ P @ A[:c, c:]
    # P - M^T P N = S as one linear system: M can be singular (past inputs), so that no Sylvester
    # solver takes it
    system = np.eye(right.size) - np.kron(closed.T, A[c:, c:].T)
    return np.asarray(np.linalg.solve(system, right.ravel())).reshape(right.shape)


def _own(A: Array, B: Array, Q: Array, R: Array, P: Array, c: int) -> Array:
    """Return P_uu where all of these modes decay, zero otherwise."""
    from scipy.linalg import solve_discrete_lyapunov

    A_u, A_cu = A[c:, c:], A[:c, c:]
    if np.abs(np.linalg.eigvals(A_u)).max() >= LASTING:
        return np.zeros_like(A_u)
    full = np.vstack([A_cu, A_u])
    part = P.copy()
    part[c:, c:] = 0.0
    PB = part[:c, :c] @ B[:c]
    G = PB.T @ A_cu + B[:c].T @ part[:c, c:] @ A_u
    reduced = full.T @ part @ full - G.T @ np.linalg.solve(R + B[:c].T @ PB, G)
    return np.asarray(solve_discrete_lyapunov(A_u.T, Q[c:, c:] + reduced))


def backward(A: Array, B: Array, Q: Array, R: Array, P: Array) -> tuple[Array, Array]:
    """Return the gains at all times but the last, and P at the first.

    Parameters
    ----------
    A, B : numpy.ndarray
        Sampled models at all times, the last of which is not used: first axis time.
    Q, R : numpy.ndarray
        Weights, Q a matrix or one for each time.
    P : numpy.ndarray
        The cost at the last time.
    """
    count = len(A) - 1
    weights = np.broadcast_to(Q, (len(A), *P.shape))
    K = np.empty((count, B.shape[2], A.shape[1]))
    for k in range(count - 1, -1, -1):
        K[k] = gain(P, A[k], B[k], R)
        P = weights[k] + A[k].T @ P @ (A[k] - B[k] @ K[k])
        P = 0.5 * (P + P.T)
    return K, P


def optimal_gains(A: Array, B: Array, Q: Array, R: Array, sizes: Array) -> tuple[Array, Array]:
    """Return the gains at all times of a motion that ends at rest, and P at the first.

    At the last time the gain is the stationary one, which holds from there on.

    Parameters
    ----------
    A, B, Q : numpy.ndarray
        Sampled models and weights at all times: first axis time.
    R : numpy.ndarray
        Weight of the inputs.
    sizes : numpy.ndarray
        What a state of size one is; see `stationary`.
    """
    P, last = stationary(A[-1], B[-1], Q[-1], R, sizes)
    gains, cost = backward(A, B, Q, R, P)
    return np.concatenate([gains, last[None]]), cost
