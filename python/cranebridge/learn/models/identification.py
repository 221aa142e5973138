"""A transfer matrix from noise: all inputs excited at once, G = S_yu S_uu^-1 (the H1 estimate).

S_yu = E[Y U^H] is averaged over segments of the run with a Hann window. The multiple coherence of
an output, S_yu S_uu^-1 S_uy/S_yy, is the part of its power that a linear system explains: what is
missing to 1 is nonlinear, disturbed, or of the time before the segment. G is thus that of the
amplitude that the noise has; for a plant that is not linear, choose it near that of the task.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.learn.laws import Transfer, frequencies_of
from cranebridge.learn.record import step_of

Array = NDArray[np.float64]


def band_noise(
    count: int, step: float, band: float, rms: Array, draw: int, fade: float = 0.0
) -> Array:
    """Return Gaussian noise up to a frequency, a column for each input, independent of the others.

    Parameters
    ----------
    count, step : int, float
        Samples, and their distance in s.
    band : float
        Highest frequency in Hz; the mean is zero.
    rms : numpy.ndarray
        Root mean square of each input.
    draw : int
        Which draw: the same one gives the same noise.
    fade : float
        Time in s over which it begins and ends, so that the plant starts and ends at rest.
    """
    frequency = frequencies_of(count, step)
    inside = (frequency > 0.0) & (frequency <= band)
    if not inside.any():
        raise InputError(f"no frequency of a run of {count * step:g} s is below {band:g} Hz.")
    random = np.random.default_rng(draw)
    size = (int(inside.sum()), len(rms))
    spectrum = np.zeros((frequency.size, len(rms)), dtype=complex)
    spectrum[inside] = random.standard_normal(size) + 1j * random.standard_normal(size)
    noise = np.fft.irfft(spectrum, count, axis=0)
    noise *= rms / np.sqrt(np.mean(noise**2, axis=0))
    if fade:
        time = step * np.arange(count)
        ramp = np.clip(np.minimum(time, time[-1] - time) / fade, 0.0, 1.0)
        noise *= (0.5 - 0.5 * np.cos(np.pi * ramp))[:, None]
    return np.asarray(noise)


def estimate_transfer(
    time: Array, inputs: Array, outputs: Array, segment: float, overlap: float = 0.0
) -> Transfer:
    """Return the H1 estimate of a transfer matrix with its coherence.

    Parameters
    ----------
    time, inputs, outputs : numpy.ndarray
        A run from rest; outputs as changes against rest.
    segment : float
        Length of the averaged parts in s: the resolution is its inverse.
    overlap : float
        Part of a segment that the next one shares, from 0 to below 1.

    Raises
    ------
    InputError
        If there are not more segments than inputs, so that no input can be told from the others.
    """
    step = step_of(time)
    length = round(segment / step)
    begins = range(0, len(time) - length + 1, max(round(length * (1.0 - overlap)), 1))
    m = inputs.shape[1]
    if length < 4 or len(begins) < 2 * m:
        raise InputError(
            f"a noise run of {time[-1] - time[0]:g} s has {len(begins)} segments of {segment:g} s; "
            f"{2 * m} are needed at least for {m} inputs: excite longer."
        )
    window = np.hanning(length + 1)[:-1, None]
    parts = [
        tuple(np.fft.rfft(window * (x - x.mean(axis=0)), axis=0) for x in (u, y))
        for u, y in ((inputs[b : b + length], outputs[b : b + length]) for b in begins)
    ]
    U, Y = (np.stack([part[i] for part in parts]) for i in (0, 1))
    uu = np.einsum("sfi,sfj->fij", U, U.conj())
    yu = np.einsum("sfi,sfj->fij", Y, U.conj())
    yy = np.einsum("sfi,sfi->fi", Y, Y.conj()).real
    # where the noise has no power nothing is estimated: G is zero there, and so is the coherence
    power = np.einsum("fii->f", uu).real
    heard = power > 1e-6 * power.max()
    G = np.zeros(yu.shape, dtype=complex)
    G[heard] = yu[heard] @ np.linalg.inv(uu[heard])
    explained = np.einsum("fij,fij->fi", G, yu.conj()).real
    coherence = np.divide(explained, yy, out=np.zeros_like(yy), where=yy > 0.0)
    return Transfer(frequencies_of(length, step), G, np.clip(coherence, 0.0, 1.0))
