"""The family of motions of the on-line generator in Python, from its conditions alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from cranebridge.path.base import Break, FloatArray, Path, Phase, Side


def hermite(start: list[Fraction], end: list[Fraction], duration: Fraction) -> list[Fraction]:
    """Return the polynomial in t with these derivatives 0, 1, ... at 0 and at the duration.

    Exact: the first half of the coefficients is known, the others solve a linear system.
    """
    k = len(start)
    known = [value / math.factorial(i) for i, value in enumerate(start)]
    rows = []
    for m in range(len(end)):
        right = end[m] - sum(math.perm(i, m) * duration ** (i - m) * known[i] for i in range(m, k))
        powers = range(k, k + len(end))
        rows.append([math.perm(i, m) * duration ** (i - m) for i in powers] + [right])
    return known + solve(rows)


def solve(rows: list[list[Fraction]]) -> list[Fraction]:
    """Solve a linear system with its right side in the last column, exactly."""
    n = len(rows)
    for i in range(n):
        pivot = next(j for j in range(i, n) if rows[j][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(n):
            if j != i:
                factor = rows[j][i]
                rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i], strict=True)]
    return [row[-1] for row in rows]


def differentiate(polynomial: list[Fraction], order: int) -> list[Fraction]:
    return [math.perm(i, order) * a for i, a in enumerate(polynomial)][order:]


def evaluate(polynomial: list[Fraction], t: Fraction) -> Fraction:
    return sum((a * t**i for i, a in enumerate(polynomial)), Fraction(0))


def stopping(start: list[Fraction], duration: Fraction) -> list[Fraction]:
    """Return the polynomial whose velocity goes to zero with the lowest degree."""
    velocity = hermite(start[1:], [Fraction(0)] * (len(start) - 1), duration)
    return [start[0], *(a / (i + 1) for i, a in enumerate(velocity))]


def fading(
    start: list[Fraction], goal: Fraction | None, duration: Fraction, fade: Fraction
) -> tuple[list[Fraction], list[Fraction]]:
    """Return the polynomials while the motion fades, and after that."""
    first = stopping(start, fade)
    rest = evaluate(first, fade)
    k = len(start) - 1
    zeros = [Fraction(0)] * k
    step = hermite(
        [Fraction(0), *zeros], [(rest if goal is None else goal) - rest, *zeros], duration
    )
    length = max(len(first), len(step))
    padded = [p + [Fraction(0)] * (length - len(p)) for p in (first, step)]
    return [a + b for a, b in zip(*padded, strict=True)], [step[0] + rest, *step[1:]]


@dataclass(frozen=True)
class FadingPath(Path):
    """Polynomials that continue the derivatives `start` (a row for each output) and end at rest."""

    start: tuple[tuple[float, ...], ...]
    goal: tuple[float, ...] | None
    seconds: float
    fade: float

    @property
    def duration(self) -> float:
        return self.seconds

    @property
    def knots(self) -> tuple[float, ...]:
        return tuple(dict.fromkeys((0.0, self.fade, self.seconds)))

    @property
    def phases(self) -> tuple[Phase, ...]:
        return (("motion", 0.0, self.seconds),)

    @property
    def moving_ends(self) -> tuple[bool, bool]:
        return True, False

    def breaks(self, output: str) -> tuple[Break, ...]:
        k = len(self.start[self._row(output)]) - 1
        return tuple(Break(t, k) for t in self.knots[1:])

    def _evaluate(self, t: FloatArray, order: int, side: Side) -> FloatArray:
        out = np.zeros((order + 1, len(self.outputs), len(t)))
        faded = t >= self.fade if side == "right" else t > self.fade
        ended = t >= self.seconds if side == "right" else t > self.seconds
        exact = Fraction(self.seconds), Fraction(self.fade)
        for i, row in enumerate(self.start):
            goal = None if self.goal is None else Fraction(self.goal[i])
            pieces = fading([Fraction(x) for x in row], goal, *exact)
            for m in range(order + 1):
                first, last = (
                    np.polynomial.Polynomial([float(a) for a in differentiate(p, m)] or [0.0])
                    for p in pieces
                )
                out[m, i] = np.where(faded, last(t), first(t))
            out[0, i, ended] = float(evaluate(pieces[1], exact[0]))
            out[1:, i, ended] = 0.0
        return out
