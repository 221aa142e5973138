"""The curves of the report over one time axis, thinned out to what a screen can show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cranebridge.report.animation import Array
from cranebridge.report.plots.panels import Panel, all_panels
from cranebridge.report.shown import ShownMotion

MOST_SAMPLES = 2500
"""More points than pixels make a file large and no picture better."""


@dataclass(frozen=True, eq=False)
class Series:
    """All panels over one time axis."""

    time: Array
    panels: tuple[Panel, ...]
    chosen: NDArray[np.intp] = field(repr=False)
    samples: int = 0

    @property
    def note(self) -> str:
        """What was left out, in a sentence."""
        if self.time.size == self.samples:
            return f"All {self.samples} samples are shown."
        return (
            f"{self.time.size} of {self.samples} samples are shown: of each group of neighbours "
            "the one with the largest tracking error, and the extremes of every curve. "
            "The CSV files hold all of them."
        )


def make_series(shown: ShownMotion) -> Series:
    """Gather the curves of a motion and thin them out."""
    time, panels = shown.time, tuple(all_panels(shown))
    error = None if shown.verified.tracking is None else shown.verified.tracking.error
    chosen = thin(time, [curve.values for panel in panels for curve in panel.curves], error)
    kept = tuple(_thinned(panel, chosen) for panel in panels)
    return Series(time[chosen], kept, chosen, int(time.size))


def thin(
    time: Array, curves: Sequence[Array], error: Array | None, most: int = MOST_SAMPLES
) -> NDArray[np.intp]:
    """Return which samples to show: about `most`, with the extremes of every curve.

    A fixed stride would show an alias of an error that swings fast, so that of each group of
    neighbours the sample with the largest error is kept.
    """
    count = time.size
    if count <= most:
        return np.arange(count)
    group = -(-count // most)
    starts = np.arange(0, count, group)
    if error is None:
        chosen = starts
    else:
        size = np.nan_to_num(np.linalg.norm(error, axis=1))
        padded = np.full(starts.size * group, -1.0)
        padded[:count] = size
        chosen = starts + padded.reshape(-1, group).argmax(axis=1)
    extremes = [index for curve in curves for index in (np.argmin(curve), np.argmax(curve))]
    return np.unique(np.concatenate([chosen, [0, count - 1], extremes])).astype(np.intp)


def _thinned(panel: Panel, chosen: NDArray[np.intp]) -> Panel:
    curves = tuple(replace(curve, values=curve.values[chosen]) for curve in panel.curves)
    return replace(panel, curves=curves)
