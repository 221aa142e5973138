"""Past inputs among the states of a closed loop, and the poles that remain without them.

From sample to sample a loop with a delay moves its other states w and the inputs p of past cycles,

    w <- A w + P p + B u,   p <- S p + E u,   u = -K w - K_p p,

S the shift by one cycle. With T of A T - T S = P, the state as it would be had all of these inputs
acted, xi = w + T p, moves as if there were no delay: xi <- A xi + (B + T E) u. A law that knows its
past inputs acts on xi alone: K_p = K T. What it remembers then moves nothing and has poles at zero,
as many as past inputs are remembered. How many these are is known, and need not be told from
rounding; which makes of a zero of ten cycles a circle of |z| = 0.05, as if that were 600 1/s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]

# Gains of past inputs that differ from K T by less than this part of the loop do not differ: the
# Riccati equation is not solved any better. Values depend on it in their last digits, their count
# does not.
SAME_GAINS = 1e-8
# Combinations of inputs that a law gives less of than this part of the others, it does not give.
NEVER_GIVEN = 1e-12


@dataclass(frozen=True, eq=False)
class PastInputLoop:
    """A closed loop whose last states are past inputs, those of one cycle before first.

    Attributes
    ----------
    closed : numpy.ndarray
        From one sample to the next.
    shift : numpy.ndarray
        T: what past inputs will have done, as a change of the other states now.
    """

    closed: Array
    shift: Array

    def lasting(self, weighed: Sequence[int], known: bool, given: Array) -> ComplexArray:
        """Return the eigenvalues but those that past inputs make zero.

        Parameters
        ----------
        weighed : sequence of int
            Past inputs on which the law acts for their own sake.
        known : bool
            Whether the law knows its past inputs.
        given : numpy.ndarray
            Gains of all that the law acts on, a row for each input.
        """
        if not known:
            return _eigenvalues(self._within(_range(given)))
        first = len(self.shift)
        kept = [*range(first), *(first + i for i in weighed)]
        rest = np.setdiff1d(np.arange(len(self.closed)), kept)
        moved, scaled = self._predicted()
        # what acts on the others and, by the law, on the inputs to come
        if (scaled[: first + len(given), rest] <= SAME_GAINS).all():
            return _eigenvalues(moved[np.ix_(kept, kept)])
        found = _eigenvalues(moved)
        return found[np.argsort(-np.abs(found), kind="stable")][: len(kept)]

    def _predicted(self) -> tuple[Array, Array]:
        """Return the loop in xi and past inputs, and its entries as parts of what they came of."""
        from scipy.linalg import matrix_balance

        there, back = np.eye(len(self.closed)), np.eye(len(self.closed))
        first = len(self.shift)
        there[:first, first:], back[:first, first:] = self.shift, -self.shift
        moved = there @ self.closed @ back
        terms = np.abs(there) @ np.abs(self.closed) @ np.abs(back)
        # units differ by many powers of ten
        balanced, (units, _) = matrix_balance(terms, permute=False, separate=True)
        return moved, np.abs(moved) * units / units[:, None] / balanced.max()

    def _within(self, basis: Array) -> Array:
        """Return the loop of past inputs that are combinations of a basis: all that is given."""
        first, m = len(self.shift), len(basis)
        cycles = (len(self.closed) - first) // m
        Q = np.zeros((len(self.closed), first + cycles * basis.shape[1]))
        Q[:first, :first] = np.eye(first)
        Q[first:, first:] = np.kron(np.eye(cycles), basis)
        return Q.T @ self.closed @ Q


def shift_of(A: Array, P: Array, inputs: int) -> Array:
    """Return T of A T - T S = P, for past inputs of whole cycles, the last one first."""
    T = np.zeros((len(A), P.shape[1] + inputs))
    for first in range(P.shape[1] - inputs, -1, -inputs):
        last = first + inputs
        T[:, first:last] = np.linalg.solve(A, P[:, first:last] + T[:, last : last + inputs])
    return T[:, :-inputs]


def _range(gains: Array) -> Array:
    """Return an orthonormal basis of the inputs that a law can give."""
    sizes = np.linalg.norm(gains, axis=1, keepdims=True)
    U, sigma, _ = np.linalg.svd(gains / np.where(sizes > 0.0, sizes, 1.0), full_matrices=False)
    # inputs have their own units: bases of rows that were scaled are scaled back
    Q, _ = np.linalg.qr(sizes * U[:, sigma > NEVER_GIVEN * sigma[0]])
    return np.asarray(Q)


def _eigenvalues(A: Array) -> ComplexArray:
    from scipy.linalg import matrix_balance

    balanced = matrix_balance(A, permute=False)[0]  # units differ by many powers of ten
    return np.asarray(np.linalg.eigvals(balanced).astype(complex))
