"""A model of trials by differences: answers to pulses, from a plant that says nothing of itself.

Each input is moved by a hat of two steps, at one time or at several, and the change of the outputs
is its answer. Between these times answers are interpolated, lag by lag: for a plant that does not
change with time one pulse for each input is enough. S is a sum of convolutions then, and the law's
equations

    (S^T S + D^T M2 D + M) du = S^T e

are solved by conjugate gradients, so that S is never built; G^2 + D^T M2 D with the
inputs' gains G, a band of five diagonals, is the preconditioner. The cost is that
of Fourier transforms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.learn.laws import ChangeWeights
from cranebridge.learn.models.sampled_model import gains_of

Array = NDArray[np.float64]

# Relative residual at which conjugate gradients end: far below what differences are worth.
RESIDUAL = 1e-8
ITERATIONS = 1000


@dataclass(frozen=True, eq=False)
class PulseModel:
    """Answers of the outputs to pulses of the inputs.

    Attributes
    ----------
    step : float
        Of the samples, in s.
    rows : numpy.ndarray
        Samples at which pulses of one were given, increasing.
    answers : numpy.ndarray
        By pulse, lag, output and input; as many lags as samples.
    """

    step: float
    rows: NDArray[np.int64]
    answers: Array

    @property
    def samples(self) -> int:
        """Length of the record."""
        return int(self.answers.shape[1])

    @cached_property
    def length(self) -> int:
        """Of the transforms: no shorter than twice the record, and of small prime factors.

        A length with a large prime factor makes a transform several times as long, and 2 n of most
        records has one.
        """
        from scipy.fft import next_fast_len

        return int(next_fast_len(2 * self.samples, real=True))

    @cached_property
    def _shares(self) -> Array:
        """How much of each pulse's answer an input at each sample has."""
        hats = np.eye(len(self.rows))
        columns = [np.interp(np.arange(self.samples), self.rows, hat) for hat in hats]
        shares = np.column_stack(columns)
        shares[0] *= 0.5  # the first sample has the second half of a hat
        return shares

    @cached_property
    def _spectra(self) -> NDArray[np.complex128]:
        return np.asarray(np.fft.rfft(self.answers, self.length, axis=1))

    def respond(self, u: Array) -> Array:
        """Return S u."""
        given = np.fft.rfft(self._shares.T[:, :, None] * u, self.length, axis=1)
        found = np.einsum("pfij,pfj->fi", self._spectra, given)
        return np.asarray(np.fft.irfft(found, self.length, axis=0)[: self.samples])

    def transposed(self, y: Array) -> Array:
        """Return S^T y."""
        given = np.fft.rfft(y, self.length, axis=0)
        each = np.einsum("pfij,fi->pfj", self._spectra.conj(), given)
        back = np.fft.irfft(each, self.length, axis=1)[:, : self.samples]
        return np.asarray(np.einsum("np,pnj->nj", self._shares, back))

    def best_change(self, error: Array, weights: ChangeWeights) -> Array:
        """Return the lifted law's change of the inputs for an error."""
        return _by_conjugate_gradients(self, error, weights)

    def gains(self) -> Array:
        """Return for each input the outputs' change when it is changed by one for the whole time.

        See `SampledModel.gains`.
        """
        return gains_of(self.respond, self.samples, self.answers.shape[3])


def answers_of(
    run: Callable[[Array], Array], first: Array, step: float, sizes: Array, times: Sequence[float]
) -> PulseModel:
    """Return the model by differences; it takes a run for each pulse of each input, and one more.

    Parameters
    ----------
    run : callable
        Outputs for inputs, a row for each sample.
    first : numpy.ndarray
        The inputs that pulses are added to.
    step : float
        Of the samples, in s.
    sizes : numpy.ndarray
        Height of the pulse of each input.
    times : sequence of float
        When pulses are given, in s since the first sample.
    """
    count, m = first.shape
    rows = np.unique([min(max(round(time / step), 1), count - 2) for time in times])
    if not (np.asarray(sizes) > 0.0).all():
        raise InputError("pulses of the inputs must be larger than zero.")
    usual = run(first)
    answers = np.zeros((len(rows), count, usual.shape[1], m))
    for p, row in enumerate(rows):
        for j in range(m):
            inputs = first.copy()
            inputs[row, j] += sizes[j]
            change = (run(inputs) - usual) / sizes[j]
            answers[p, : count - row, :, j] = change[row:]
        if p:  # what comes after the record's end is known from the pulse before
            answers[p, count - row :] = answers[p - 1, count - row :]
    return PulseModel(step, rows, answers)


def _by_conjugate_gradients(model: PulseModel, error: Array, weights: ChangeWeights) -> Array:
    """Return du, a row for each sample; see the module's text."""
    from scipy.linalg import cho_solve_banded, cholesky_banded
    from scipy.sparse.linalg import LinearOperator, cg

    count, m = model.samples, model.answers.shape[3]
    squares = np.maximum(model.gains() ** 2, np.finfo(float).tiny)
    factors = [
        cholesky_banded(_band(count, squares[j] + weights.ridge[j], weights.smooth[j], model.step))
        for j in range(m)
    ]

    def apply(flat: Array) -> Array:
        u = flat.reshape(count, m)
        bent = _second(_second(u, model.step), model.step, transposed=True)
        whole = model.transposed(model.respond(u)) + weights.ridge * u + weights.smooth * bent
        return np.asarray(whole.ravel())

    def condition(flat: Array) -> Array:
        r = flat.reshape(count, m)
        return np.column_stack(
            [cho_solve_banded((factor, False), r[:, j]) for j, factor in enumerate(factors)]
        ).ravel()

    size = (count * m, count * m)
    found, left = cg(
        LinearOperator(size, apply),
        model.transposed(error).ravel(),
        rtol=RESIDUAL,
        maxiter=ITERATIONS,
        M=LinearOperator(size, condition),
    )
    if left > 0 and not np.isfinite(found).all():
        raise InputError("the answers to pulses are no sound model of the plant.")
    return np.asarray(found.reshape(count, m))


def _second(u: Array, step: float, transposed: bool = False) -> Array:
    """Return second differences of columns by the squared step, or what their transpose gives."""
    if not transposed:
        return np.asarray(np.diff(u, 2, axis=0) / step**2)
    found = np.zeros((len(u) + 2, u.shape[1]))
    for shift, factor in enumerate((1.0, -2.0, 1.0)):
        found[shift : shift + len(u)] += factor * u / step**2
    return found


def _band(count: int, diagonal: float, smooth: float, step: float) -> Array:
    """Return diagonal I + smooth D^T D as the upper band that LAPACK takes."""
    band, weight = np.zeros((3, count)), smooth / step**4
    for shift, one in enumerate((1.0, -2.0, 1.0)):
        for other, two in list(enumerate((1.0, -2.0, 1.0)))[shift:]:
            band[2 - (other - shift), other : count - 2 + other] += weight * one * two
    band[2] += diagonal
    return band
