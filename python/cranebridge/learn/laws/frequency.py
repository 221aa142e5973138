"""The frequency law: the error's spectrum divided by the transfer matrix (virtual iteration).

    U <- U + gain W(f) G(i w)^+ (Y_d - Y),   w = 2 pi f,

with real Fourier transforms over the whole record, W = 0 above a cut frequency, and the
pseudo-inverse where there are more outputs than inputs (Reichl 2011, Chapter 3). The transform
takes the record as periodic: it must begin and end at rest, and what is transformed is the error of
good controls and never the motion itself. G^-1 grows with the frequency, so that the cut decides
whether learning converges; and one G stands for all times, which no crane does whose hoist moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, unknown
from cranebridge.learn.learn_choices import TAPERS
from cranebridge.learn.record import Record

Array = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]

# Eigenvalues below this part of the largest one, or of 1 rad/s, are zero.
ZERO = 1e-5
# What a band without knowledge of G is left with.
LEAST_COHERENCE = 0.0


@dataclass(frozen=True, eq=False)
class Transfer:
    """A transfer matrix over frequency.

    Attributes
    ----------
    frequency : numpy.ndarray
        In Hz, increasing.
    G : numpy.ndarray
        For each frequency outputs by inputs.
    coherence : numpy.ndarray or None
        For each frequency and output the part of its power that the inputs explain, from 0 to 1,
        where G was estimated.
    poles : numpy.ndarray or None
        Of the linear model, where there is one.
    left : numpy.ndarray or None
        For each output what is left when the noise has faded out, as part of its largest change,
        where G was estimated.
    """

    frequency: Array
    G: ComplexArray
    coherence: Array | None = None
    poles: ComplexArray | None = None
    left: Array | None = None

    def at(self, frequency: Array) -> ComplexArray:
        """Return G between its frequencies: real and imaginary parts by straight lines."""
        count, outputs, inputs = self.G.shape
        flat = self.G.reshape(count, -1)
        columns = [np.interp(frequency, self.frequency, column) for column in flat.T]
        return np.stack(columns, axis=-1).reshape(len(frequency), outputs, inputs)


def transfer_of(A: Array, B: Array, C: Array, D: Array, frequency: Array) -> Transfer:
    """Return C (i w I - A)^-1 B + D of a linear model.

    Raises
    ------
    InputError
        If A has an eigenvalue at zero: the record of an integrator never comes to rest.
    """
    require_no_integrator(integrators(A))
    inner = 2j * np.pi * frequency[:, None, None] * np.eye(len(A)) - A
    states = np.linalg.solve(inner, np.broadcast_to(B, (len(inner), *B.shape)))
    poles = np.linalg.eigvals(A).astype(complex)
    return Transfer(frequency, np.asarray(C @ states + D, dtype=complex), poles=poles)


def frequencies_of(count: int, step: float) -> Array:
    """Return the frequencies in Hz of a record's spectrum."""
    return np.asarray(np.fft.rfftfreq(count, step), dtype=float)


def integrators(A: Array) -> int:
    """Return how many eigenvalues are zero: inputs there move the plant for good."""
    sizes = np.abs(np.linalg.eigvals(A))
    # a double eigenvalue at zero is found as two of the root of rounding
    return int((sizes < ZERO * max(float(sizes.max(initial=0.0)), 1.0)).sum())


def require_no_integrator(count: int) -> None:
    """Refuse a plant that integrates, with so many poles at zero."""
    if count:
        raise InputError(
            f"the plant integrates: {count} of its poles are zero, so that no spectrum of forces "
            "says where it goes; inner loops are needed: close loops around its drives with "
            "[control.drives] (their references are learned then), or in the FMU where there is "
            "no crane, or use learn.law = 'lifted'."
        )


@dataclass(frozen=True, eq=False)
class Frequency:
    """The law with a transfer matrix, a cut frequency and a taper.

    Attributes
    ----------
    transfer : Transfer
        G.
    cut : float
        Frequency in Hz above which nothing is learned.
    taper : {"cosine", "none"}
        How W falls to the cut.
    coherence : float
        Outputs are not learned from where their coherence is below this.
    """

    transfer: Transfer
    cut: float
    taper: str = "cosine"
    coherence: float = LEAST_COHERENCE

    def __post_init__(self) -> None:
        if self.taper not in TAPERS:
            raise unknown("taper", self.taper, TAPERS)
        if not self.cut > 0.0:
            raise InputError(f"the cut frequency must be above 0 Hz, got {self.cut:g}.")

    def correction(self, record: Record) -> Array:
        """Return the change of the inputs, W G^+ of the error."""
        return self.inputs_for(record.error, record.step)

    def inputs_for(self, outputs: Array, step: float) -> Array:
        """Return the inputs that the transfer matrix says give these outputs, within the band."""
        count = len(outputs)
        frequency = frequencies_of(count, step)
        spectrum = self._inverse(frequency) @ np.fft.rfft(outputs, axis=0)[:, :, None]
        return np.asarray(np.fft.irfft(spectrum[:, :, 0], count, axis=0))

    def remaining(self, record: Record) -> Array:
        """Return what would be left of the error if the transfer matrix were exact."""
        frequency = frequencies_of(len(record.time), record.step)
        spectrum = np.fft.rfft(record.error, axis=0)[:, :, None]
        brought = self.transfer.at(frequency) @ (self._inverse(frequency) @ spectrum)
        left = (spectrum - brought)[:, :, 0]
        return np.asarray(np.fft.irfft(left, len(record.time), axis=0))

    def _inverse(self, frequency: Array) -> ComplexArray:
        """Return W G^+ at frequencies."""
        G = self.transfer.at(frequency)
        known = np.ones(G.shape[:2])
        if self.transfer.coherence is not None:
            for i, column in enumerate(self.transfer.coherence.T):
                found = np.interp(frequency, self.transfer.frequency, column)
                known[:, i] = found >= self.coherence
        seen = np.linalg.pinv(known[:, :, None] * G) * known[:, None, :]
        return np.asarray(self._window(frequency)[:, None, None] * seen)

    def _window(self, frequency: Array) -> Array:
        inside = frequency < self.cut if self.taper == "cosine" else frequency <= self.cut
        shape = 0.5 * (1.0 + np.cos(np.pi * frequency / self.cut))
        return np.where(inside, shape if self.taper == "cosine" else 1.0, 0.0)
