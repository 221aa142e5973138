"""Signals beside the inputs of a plant: disturbances of drives, forces that no drive gives.

Two piecewise polynomials become one on the breakpoints of both. What a drive's input gets is added
to what the controls or a sampled law give; an input that they do not know gets its signal alone.
"""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.plant.protocol import Controls

Array = NDArray[np.float64]


def add_signals(controls: Controls, more: Controls) -> Controls:
    """Return the controls with further signals added to theirs.

    Parameters
    ----------
    controls : Controls
        The inputs, with drive controllers or a law if there are any; these know nothing of `more`.
    more : Controls
        Plain signals.
    """
    if more.drives is not None or more.law is not None:
        raise InputError("controls: what is added must be plain signals.")
    fresh = tuple(name for name in more.names if name not in controls.names)
    names = (*controls.names, *fresh)
    x = np.union1d(controls.breakpoints, more.breakpoints)
    parts = [_on(part, x) for part in (controls, more)]
    powers = max(len(part) for part in parts)
    coefficients = np.zeros((powers, x.size - 1, len(names)))
    for found, own in zip(parts, (controls.names, more.names), strict=True):
        columns = [names.index(name) for name in own]
        coefficients[powers - len(found) :, :, columns] += found
    law = controls.law
    if law is not None:
        D = np.vstack([law.D, np.zeros((len(fresh), law.D.shape[1]))])
        law = replace(law, D=D, d=np.concatenate([law.d, np.zeros(len(fresh))]))
    stops = np.union1d(controls.stops, more.stops)
    return Controls(coefficients, x, names, stops, controls.drives, law)


def _on(signals: Controls, x: Array) -> Array:
    """Return the coefficients on finer breakpoints; beyond its own the end values hold."""
    own, begins = signals.breakpoints, x[:-1]
    i = np.clip(np.searchsorted(own, begins, side="right") - 1, 0, own.size - 2)
    shift = (begins - own[i])[:, None]
    c = signals.coefficients[:, i]
    degree = len(c) - 1
    # p(s + shift) by the powers of s, highest first
    found = np.stack(
        [
            sum(comb(j, k) * c[degree - j] * shift ** (j - k) for j in range(k, degree + 1))
            for k in range(degree, -1, -1)
        ]
    )
    outside = (begins < own[0]) | (begins >= own[-1])
    found[:-1, outside] = 0.0
    found[-1, outside] = signals(begins[outside])
    return np.asarray(found)
