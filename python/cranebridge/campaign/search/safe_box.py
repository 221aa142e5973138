"""The largest box of parameters in which all limits hold, by searching for the worst case.

A box is proposed; its worst points are looked for (`worst_case`); each that breaks a limit cuts the
box, by the margin's slope there (`cuts`); the largest box within all cuts is the next one. Between
these, the box is drawn towards the nominal point until its worst points keep the limits. The
largest box that was found so is the result. For concave margins this is the method of cutting
planes, whose boxes tend to the largest one; for others it finds a box that cannot be enlarged
nearby.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.campaign.search.cuts import Cut, cut_of, largest_box, point_of, size
from cranebridge.campaign.search.worst_case import COARSE, FINE, Evaluator, Margins, Valley, valleys
from cranebridge.errors import InputError

Array = NDArray[np.float64]

BUDGET = 5000
"""Evaluations of the margin."""

# Starts of a search.
_STARTS = 8
# How many times more starts the search has that the result is stated by.
_FINAL = 4
# Sums of logarithms that differ by less are the same.
_SAME = 1e-3
# So many boxes in a row that are not better end the search.
_PATIENCE = 6
# How far below the linear guess a box is drawn in: margins are rarely quite concave.
_DRAWN = 0.999
_DRAWS = 6


@dataclass(frozen=True)
class SafeBox:
    """A box of parameters in which no broken limit was found.

    Attributes
    ----------
    keys : tuple of str
        The parameters.
    low, high : tuple of float
        The box.
    nominal : tuple of float
        A point in it.
    fraction : float
        Its volume as a part of the range that was allowed.
    worst : tuple of float
        The worst point that was found in it.
    margin : float
        There.
    evaluations, searches : int
        Of the margin, and for worst points.
    ended : str
        Why the box is not larger.
    """

    keys: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    nominal: tuple[float, ...]
    fraction: float
    worst: tuple[float, ...]
    margin: float
    evaluations: int
    searches: int
    ended: str

    @property
    def statement(self) -> str:
        """What was shown, and what was not."""
        return (
            f"all limits held at every point that was tried in this box; its worst point was "
            f"looked for by pattern searches from {_STARTS * _FINAL} starts, {self.evaluations} "
            f"evaluations in all. This is a search and no proof: a worse point that is narrow may "
            f"have been missed, and a larger box of another shape may exist. Ended: {self.ended}."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        sides = zip(self.keys, self.low, self.high, strict=True)
        return {
            "box": {key: [low, high] for key, low, high in sides},
            "nominal": dict(zip(self.keys, self.nominal, strict=True)),
            "fraction": self.fraction,
            "worst": dict(zip(self.keys, self.worst, strict=True)),
            "margin": self.margin,
            "evaluations": self.evaluations,
            "searches": self.searches,
            "ended": self.ended,
            "statement": self.statement,
        }


def largest_safe_box(
    margins: Margins,
    keys: Sequence[str],
    nominal: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    budget: int = BUDGET,
    seed: int = 0,
) -> SafeBox:
    """Find the largest box around a point in which all limits hold.

    Largest is the sum of the logarithms of the sides, relative to the allowed range: the volume.

    Parameters
    ----------
    margins : callable
        Takes points, a row each, and returns a margin for each: at least 0 where all limits hold,
        best of similar size in all limits, and nan where it cannot be evaluated. Called with many
        points at once.
    keys : sequence of str
        The parameters.
    nominal : sequence of float
        The point that the box contains.
    low, high : sequence of float
        The allowed range.
    budget : int
        Evaluations after which no further search begins.
    seed : int
        The random seed of the starts.

    Raises
    ------
    InputError
        If the nominal point is out of range, or breaks a limit itself.
    """
    least, most, point = (np.asarray(part, dtype=float) for part in (low, high, nominal))
    _check(keys, point, least, most)
    inner = Evaluator(lambda unit: margins(least + unit * (most - least)))
    search = _BoxSearch(inner, (point - least) / (most - least), budget, seed)
    box, worst, ended = search.best_box()
    lower, upper = np.split(box, 2)
    return SafeBox(
        tuple(keys),
        tuple((least + lower * (most - least)).tolist()),
        tuple((least + upper * (most - least)).tolist()),
        tuple(point.tolist()),
        float(np.prod(upper - lower)),
        tuple((least + worst.point * (most - least)).tolist()),
        worst.margin,
        inner.count,
        search.searches,
        ended,
    )


def _check(keys: Sequence[str], nominal: Array, low: Array, high: Array) -> None:
    for i, key in enumerate(keys):
        if not (np.isfinite(low[i]) and np.isfinite(high[i]) and low[i] < high[i]):
            raise InputError(f"the range of '{key}' is not one: {low[i]:g} to {high[i]:g}")
        if not low[i] <= nominal[i] <= high[i]:
            raise InputError(
                f"the nominal value {nominal[i]:g} of '{key}' is not between {low[i]:g} and "
                f"{high[i]:g}"
            )


class _BoxSearch:
    """The search in parts of the allowed range."""

    def __init__(self, margins: Evaluator, nominal: Array, budget: int, seed: int) -> None:
        self._margins, self._nominal, self._budget = margins, nominal, budget
        self._rng = np.random.default_rng(seed)
        self._cuts: list[Cut] = []
        self._dearest = 0
        self.searches = 0
        margin = float(margins(nominal[None])[0])
        if not margin >= 0.0:
            raise InputError(
                f"the nominal point itself does not keep the limits (margin {margin:g}): there is "
                f"no safe box around it"
            )
        here = np.zeros(len(nominal))
        self._point = Valley(nominal, margin, here, here.astype(int))
        self._best = np.concatenate([nominal, nominal])

    def best_box(self) -> tuple[Array, Valley, str]:
        """Return the largest safe box, its worst point and why the search ended."""
        ended = self._enlarge()
        # The result is stated by a search of its own, with more starts.
        while size(self._best) > size(np.concatenate([self._nominal] * 2)):
            worst = self._look(self._best, _STARTS * _FINAL, FINE)[0]
            if worst.margin >= 0.0:
                return self._best, worst, ended
            if self._margins.count > 2 * self._budget:
                break
            self._best = self._drawn_in(self._best, [worst])
        return np.concatenate([self._nominal] * 2), self._point, "no safe box was found"

    def _enlarge(self) -> str:
        """Propose, look, cut; return why it ended."""
        idle = 0
        while self._margins.count + _FINAL * self._dearest < self._budget:
            before = size(self._best)
            box = largest_box(self._cuts, self._nominal, self._best)
            found = self._look(box, _STARTS)
            if found[0].margin >= 0.0 and size(box) > before:
                self._best = box
                if not self._cuts:
                    return "the limits hold in the whole range"
            self._renew(box)
            self._add(found, box)
            self._draw_in(box, found)
            if size(box) - size(self._best) < _SAME and not self._renewed:
                return "no cut leaves a larger box"
            idle = 0 if size(self._best) > before + _SAME else idle + 1
            if idle > _PATIENCE:
                return f"{idle} proposals were not larger"
        return "the budget of evaluations"

    def _look(self, box: Array, starts: int, steps: Sequence[float] = COARSE) -> list[Valley]:
        before = self._margins.count
        low, high = np.split(box, 2)
        found = valleys(self._margins, low, high, starts, self._rng, steps)
        self._dearest = max(self._dearest, self._margins.count - before)
        self.searches += 1
        return found

    def _add(self, found: Sequence[Valley], box: Array) -> None:
        self._cuts += [
            cut_of(valley, self._nominal, box, self._margins)
            for valley in found
            if valley.margin < 0.0
        ]

    def _renew(self, box: Array) -> None:
        """Take back cuts that claimed too little for this box: the margin is not concave there."""
        binding = [cut for cut in self._cuts if cut.valley is not None and abs(cut.at(box)) < _SAME]
        self._renewed = False
        if not binding:
            return
        points = [point_of(cut.valley, box) for cut in binding if cut.valley is not None]
        margins = self._margins(np.array(points))
        for cut, margin in zip(binding, margins.tolist(), strict=True):
            if margin > cut.at(box) + _SAME * self._point.margin:
                self._cuts.remove(cut)
                self._cuts.append(Cut(cut.row, cut.margin + margin - cut.at(box), cut.valley))
                self._renewed = True

    def _draw_in(self, box: Array, found: Sequence[Valley]) -> None:
        """Draw a box towards the nominal point until it is safe, as long as it is the largest."""
        for _ in range(_DRAWS):
            broken = [valley for valley in found if valley.margin < 0.0]
            # What stands inside, or has no margin, is kept out by its cut and not by drawing in.
            if not broken or not all(v.sides.any() and np.isfinite(v.margin) for v in broken):
                return
            box = self._drawn_in(box, broken)
            if size(box) <= size(self._best) + _SAME / 10.0:
                return
            found = self._look(box, _STARTS)
            if found[0].margin >= 0.0:
                self._best = box
            else:
                self._add(found, box)

    def _drawn_in(self, box: Array, found: Sequence[Valley]) -> Array:
        """Return the box in which the worst point would be at a margin of 0, were it linear.

        The sides that the broken limits found stand at are moved; all if one stands inside.
        """
        middle, worst = self._point.margin, found[0].margin
        part = _DRAWN * middle / (middle - worst) if np.isfinite(worst) else 0.5
        sides = np.array([valley.sides for valley in found])
        moved = np.concatenate([(sides == side).any(axis=0) for side in (-1, 1)])
        moved |= not sides.any(axis=1).all()
        centre = np.concatenate([self._nominal, self._nominal])
        return np.where(moved, centre + part * (box - centre), box)
