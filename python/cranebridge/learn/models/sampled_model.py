"""Time-varying linear models of a trial: how outputs change with the samples of the inputs.

Between samples the inputs are straight lines, so that the next sample acts within the step:

    x_{k+1} = A_k x_k + B0_k u_k + B1_k u_{k+1},   y_k = C_k x_k + D_k u_k.

With z_k = x_k - B1_{k-1} u_k that is an ordinary sampled system,

    z_{k+1} = A_k z_k + (B0_k + A_k B1_{k-1}) u_k,   y_k = C_k z_k + (D_k + C_k B1_{k-1}) u_k,

and dy = S du, the lifted form, is never built: responses are recursions in time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.learn.laws import ChangeWeights, solve_backwards

Array = NDArray[np.float64]
# Of the exponential's series, see `_exponentials`.
TERMS = 12


@dataclass(frozen=True, eq=False)
class SampledModel:
    """x_{k+1} = A_k x_k + B_k u_k, y_k = C_k x_k + D_k u_k, from rest; first axis time.

    Attributes
    ----------
    step : float
        Of the samples, in s.
    A, B, C, D : numpy.ndarray
        Matrices at all samples; the last A and B lead beyond the record and are not used.
    """

    step: float
    A: Array
    B: Array
    C: Array
    D: Array

    def __post_init__(self) -> None:
        count, n, m = self.B.shape
        outputs = self.C.shape[1]
        fits = self.A.shape == (count, n, n) and self.C.shape == (count, outputs, n)
        if not fits or self.D.shape != (count, outputs, m):
            raise InputError("the matrices of a model of trials do not fit each other.")

    @property
    def inputs(self) -> int:
        """Number of inputs."""
        return int(self.B.shape[2])

    def respond(self, u: Array) -> Array:
        """Return the change of the outputs, S u, for changes of the inputs, a row for a sample."""
        x, y = np.zeros(self.A.shape[1]), np.empty((len(u), self.C.shape[1]))
        for k, row in enumerate(u):
            y[k] = self.C[k] @ x + self.D[k] @ row
            x = self.A[k] @ x + self.B[k] @ row
        return y

    def gains(self) -> Array:
        """Return for each input the outputs' change when it is changed by one for the whole time.

        Root of the mean over time of the sum of squares: the scale that weights of an input have.
        """
        return gains_of(self.respond, len(self.A), self.inputs)

    def best_change(self, error: Array, weights: ChangeWeights) -> Array:
        """Return the lifted law's change of the inputs for an error."""
        return solve_backwards(self.step, (self.A, self.B, self.C, self.D), error, weights)

    def trace(self) -> float:
        """Return the trace of S^T S by a recursion backwards: the sum of squares of all of S."""
        W, total = np.zeros(self.A.shape[1:]), float(np.sum(self.D**2))
        for k in range(len(self.A) - 1, -1, -1):
            total += float(np.sum(self.B[k] * (W @ self.B[k])))
            W = self.C[k].T @ self.C[k] + self.A[k].T @ W @ self.A[k]
        return total


def gains_of(respond: Callable[[Array], Array], count: int, inputs: int) -> Array:
    """Return the gains of a model's inputs; see `SampledModel.gains`."""
    found = [respond(np.broadcast_to(row, (count, inputs))) for row in np.eye(inputs)]
    return np.array([np.sqrt(np.mean(np.sum(y**2, axis=1))) for y in found])


def with_lines_between(
    step: float, A: Array, B0: Array, B1: Array, C: Array, D: Array
) -> SampledModel:
    """Return the model of samples with straight lines between them; see the module's text.

    Parameters
    ----------
    step : float
        Of the samples, in s.
    A, B0, B1 : numpy.ndarray
        How state, sample and next sample act in a step; as many as steps.
    C, D : numpy.ndarray
        Of the outputs; as many as samples, one more than steps.
    """
    before = np.concatenate([np.zeros_like(B1[:1]), B1])
    B = np.concatenate([B0 + A @ before[:-1], np.zeros_like(B0[:1])])
    last = np.zeros_like(A[:1])
    return SampledModel(step, np.concatenate([A, last]), B, C, D + C @ before)


def sampled(step: float, A: Array, B: Array, C: Array, D: Array | None = None) -> SampledModel:
    """Return the sampled model of x' = A(t) x + B(t) u, y = C(t) x + D(t) u.

    The matrices are given at all samples. Within a step those at its two ends are averaged, and
    what they do is exact: exp(h [A B 0; 0 0 I/h; 0 0 0]) has what the sample and the slope do.
    """
    middle_A, middle_B = 0.5 * (A[1:] + A[:-1]), 0.5 * (B[1:] + B[:-1])
    count, n, m = middle_B.shape
    block = np.zeros((count, n + 2 * m, n + 2 * m))
    block[:, :n, :n], block[:, :n, n : n + m] = step * middle_A, step * middle_B
    block[:, n : n + m, n + m :] = np.eye(m)
    found = _exponentials(block)
    held, slope = found[:, :n, n : n + m], found[:, :n, n + m :]
    direct = np.zeros((count + 1, C.shape[1], m)) if D is None else D
    return with_lines_between(step, found[:, :n, :n], held - slope, slope, C, direct)


def _exponentials(stack: Array) -> Array:
    """Return the exponentials of many matrices at once: scaled, Taylor series, squared.

    With a norm of 1/2 at most the terms after the twelfth are below rounding. SciPy's takes its
    matrices one by one, a millisecond each.
    """
    norm = float(np.abs(stack).sum(axis=2).max(initial=0.0))
    halvings = max(0, math.ceil(math.log2(norm / 0.5))) if norm > 0.0 else 0
    part = stack / 2.0**halvings
    term = found = np.broadcast_to(np.eye(stack.shape[1]), stack.shape)
    for k in range(1, TERMS + 1):
        term = term @ part / k
        found = found + term
    for _ in range(halvings):
        found = found @ found
    return found
