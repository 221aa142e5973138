"""Rows of closed loops that follow from the others: found at random consistent states.

A planar loop in space, closed by a ball, has three conditions of which one says nothing: nobody can
leave the plane. Its row of G = dg/dq depends on the others wherever the loop is closed, so G G^T is
singular. The rank is judged on rows and columns scaled to lengths of one, at several random states
on the constraints' manifold; rows are chosen by pivoted QR, so that what is kept is as regular as
can be at the worst of these states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rows = Callable[[Array], tuple[Array, Array]]
"""Constraints and their Jacobian at coordinates."""

STATES = 6
"""Random consistent states."""
RANK = 1e-8
"""Singular values of the scaled Jacobian below this part of the largest are zero; those that are
zero in exact arithmetic are some 1e-15, those of a sound machine above 1e-4."""
CLOSED = 1e-10
_NEWTON = 60
_SPREADS = (0.0, 0.1, 0.3, 0.6, 1.0)


class NotClosedError(ValueError):
    """No state fulfils the constraints; `rows` tells what is left of them at the best one."""

    def __init__(self, rows: Array) -> None:
        super().__init__("constraints cannot be fulfilled")
        self.rows = rows


@dataclass(frozen=True, eq=False)
class Independent:
    """Which constraints are kept.

    Attributes
    ----------
    kept, dropped : tuple of int
        Rows.
    states : numpy.ndarray
        Consistent states, a row each.
    smallest : float
        The smallest scaled singular value of the rows kept.
    """

    kept: tuple[int, ...]
    dropped: tuple[int, ...]
    states: Array
    smallest: float


def independent_rows(rows: Rows, guess: Array) -> Independent:
    """Find the rows that determine all others.

    Parameters
    ----------
    rows : callable
        Constraints and Jacobian.
    guess : numpy.ndarray
        Coordinates near a consistent state.

    Raises
    ------
    NotClosedError
        If there is no consistent state near it.
    """
    from scipy.linalg import qr  # not needed where no loop is closed

    states = consistent_states(rows, guess)
    scaled = [_scaled(rows(state)[1]) for state in states]
    rank = max(_rank(one) for one in scaled)
    scaled = [one for one in scaled if _rank(one) == rank]  # a guess may be a singular place
    best: tuple[float, tuple[int, ...]] = (-1.0, ())
    for one in scaled:
        chosen = tuple(sorted(qr(one.T, pivoting=True, mode="r")[1][:rank].tolist()))
        worst = min(np.linalg.svd(two[list(chosen)], compute_uv=False)[-1] for two in scaled)
        # Rows that come first are kept among equals, so that the choice does not hang on rounding.
        if worst > best[0] * (1 + 1e-6) or (worst > best[0] * (1 - 1e-6) and chosen < best[1]):
            best = (float(worst), chosen)
    dropped = tuple(i for i in range(scaled[0].shape[0]) if i not in best[1])
    return Independent(best[1], dropped, states, best[0])


def consistent_states(rows: Rows, guess: Array, count: int = STATES) -> Array:
    """Return random states that fulfil the constraints, the first as near the guess as can be."""
    draw = np.random.default_rng(0)
    found: list[Array] = []
    least: Array | None = None
    for attempt in range(8 * count):
        spread = _SPREADS[min(attempt // 2, len(_SPREADS) - 1)] if not found else 0.3
        noise = spread if attempt else 0.0
        state, left = project(rows, guess + noise * draw.standard_normal(guess.size))
        if np.abs(left).max(initial=0.0) <= CLOSED:
            found.append(state)
        elif least is None or np.abs(left).max() < np.abs(least).max():
            least = left
        if len(found) == count:
            break
    if not found:
        assert least is not None
        raise NotClosedError(least)
    return np.array(found)


def project(rows: Rows, q: Array) -> tuple[Array, Array]:
    """Return the state that damped Gauss-Newton steps lead to, and what is left there."""
    g, G = rows(q)
    for _ in range(_NEWTON):
        if np.abs(g).max(initial=0.0) <= 1e-13:
            break
        step = -np.linalg.lstsq(G, g, rcond=1e-10)[0]
        step *= min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        size = 1.0
        while size > 1e-4:
            trial = rows(q + size * step)
            if np.linalg.norm(trial[0]) < np.linalg.norm(g):
                break
            size /= 2
        else:
            break
        q, (g, G) = q + size * step, trial
    return q, g


def _scaled(G: Array) -> Array:
    """Columns and rows of length one: metres and radians do not compare."""
    columns = np.linalg.norm(G, axis=0)
    G = G / np.where(columns > 1e-12 * columns.max(initial=0.0), columns, 1.0)
    lengths = np.linalg.norm(G, axis=1)
    return np.asarray(G / np.where(lengths > 1e-12, lengths, 1.0)[:, None])


def _rank(scaled: Array) -> int:
    values = np.linalg.svd(scaled, compute_uv=False)
    return int((values > RANK * max(values.max(initial=0.0), 1e-300)).sum())
