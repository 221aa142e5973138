"""Random states near a start, consistent with the equations: where ranks are judged.

A state is a value for every symbol of a DAE: variables, driving signals and their derivatives. With
the offsets c, d of the structure analysis an equation differentiated k times belongs to stage
k - c_i, the derivative x_j^(k) to stage k - d_j; a state is consistent up to a stage if all
equations up to it hold. The path is free here: whatever the crane can do is a path that can be
asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.structure.dae import SIGNAL, VARIABLE, Dae, Key

Array = NDArray[np.float64]

# Of a variable's size: how far random states lie from the start.
SPREAD = 0.3
_ITERATIONS = 40
_ATTEMPTS = 12
_CONVERGED = 1e-13
# A state that would turn a length around is looked for again, this much closer to the start.
_CLOSER = 0.75
# Part of its value at rest that a variable keeps: where a rope has no length, equations that the
# length multiplies hold for every motion, and ranks are those of nothing.
_KEPT = 0.1


def uniform(random: Random, low: float, high: float, count: int) -> Array:
    """Return random numbers between two bounds.

    By Python's generator: the import of NumPy's takes as long as the analysis of a crane.
    """
    return np.array([random.uniform(low, high) for _ in range(count)])


@dataclass(frozen=True, eq=False)
class Start:
    """Where a problem starts.

    Attributes
    ----------
    x : numpy.ndarray
        Values of the variables at rest.
    size : numpy.ndarray
        Their sizes: random states differ by parts of them.
    p : numpy.ndarray
        Parameters.
    coordinates : int
        How many of the variables, the first ones, are lengths and angles.
    known : bool
        Whether it is the start of a problem, so that states can be made consistent near it.
    signals : numpy.ndarray
        Values of the driving signals at rest; zero where they are not known.
    """

    x: Array
    size: Array
    p: Array
    coordinates: int = 0
    known: bool = True
    signals: Array = field(default_factory=lambda: np.zeros(0))

    def at_rest(self, keys: Sequence[Key]) -> Array:
        """Return the values of symbols at rest, where all derivatives vanish."""
        return np.array([0.0 if order else self._value(kind, i) for kind, i, order in keys])

    def _value(self, kind: str, i: int) -> float:
        if kind == VARIABLE:
            return float(self.x[i])
        return float(self.signals[i]) if self.signals.size else 0.0

    def sizes(self, keys: Sequence[Key]) -> Array:
        """Return the sizes of symbols."""
        return np.array([self.size[i] if kind == VARIABLE else 1.0 for kind, i, _ in keys])

    def near(self, keys: Sequence[Key], random: Random, spread: float) -> Array:
        """Return random values of symbols near rest."""
        offset = uniform(random, -1.0, 1.0, len(keys))
        # Away from zero, where terms vanish that do not vanish elsewhere.
        offset = np.copysign(0.2 + 0.8 * np.abs(offset), offset)
        return self.at_rest(keys) + spread * self.sizes(keys) * offset

    def keeps(self, keys: Sequence[Key], values: Array) -> bool:
        """Return whether every coordinate that has a value at rest has kept its sign."""
        rest = self.at_rest(keys)
        lengths = [kind == VARIABLE and i < self.coordinates for kind, i, _ in keys]
        own = np.array(lengths, dtype=bool) & (rest != 0.0) & (np.abs(rest) >= self.sizes(keys))
        return bool((values[own] / rest[own] >= _KEPT).all())

    def parameters(self, random: Random) -> Array:
        """Return the parameters of the problem, or random ones where there is none.

        Exactly those: terms may cancel because two parameters are equal.
        """
        return self.p if self.known else self.p * uniform(random, 0.8, 1.2, self.p.size)


def generic_start(variables: int, parameters: int) -> Start:
    """Return a start for equations of which nothing is known: all values about one."""
    return Start(np.ones(variables), np.ones(variables), np.ones(parameters), known=False)


@dataclass(frozen=True, eq=False)
class StagedEquations:
    """Equations up to a stage, and the symbols in them."""

    keys: tuple[Key, ...]
    function: ca.Function

    @classmethod
    def up_to(
        cls, dae: Dae, c: Sequence[int], stage: int, also: Sequence[Key] = ()
    ) -> StagedEquations:
        """Differentiate the equations of a DAE up to a stage."""
        stacked: list[ca.SX] = []
        for residual, offset in zip(dae.residuals, c, strict=True):
            for _ in range(offset + stage + 1):
                stacked.append(residual)
                residual = dae.symbols.rate(residual)
        equations = ca.vertcat(ca.SX(0, 1), *stacked)
        found = dae.symbols.of(equations)
        for kind, i, order in also:
            found.setdefault((kind, i, order), dae.symbols.at(kind, i, order))
        symbols = ca.vertcat(ca.SX(0, 1), *found.values())
        jacobian = ca.jacobian(equations, symbols)
        function = ca.Function("stages", [symbols, dae.p], ca.cse([equations, jacobian]))
        return cls(tuple(found), function)

    def consistent(
        self, start: Start, random: Random, spread: float = SPREAD
    ) -> tuple[Array, Array] | None:
        """Return a consistent state near a start and its parameters; None if none is found.

        Gauss and Newton's method from a random state, with the smallest step in each iteration.
        """
        size = np.maximum(start.sizes(self.keys), 1e-9)
        for attempt in range(_ATTEMPTS):
            near = spread * _CLOSER**attempt
            z, p = start.near(self.keys, random, near), start.parameters(random)
            for _ in range(_ITERATIONS):
                values, jacobian = (np.array(part) for part in self.function(z, p))
                scaled = jacobian * size
                rows = np.abs(scaled).max(axis=1, initial=0.0, keepdims=True)
                if not (np.isfinite(scaled).all() and np.isfinite(values).all()):
                    break
                rows[rows == 0.0] = 1.0
                step = np.linalg.lstsq(scaled / rows, -values / rows, rcond=1e-12)[0][:, 0]
                z = z + size * step
                largest = 1.0 + np.abs(z / size).max(initial=0.0)
                if np.abs(step).max(initial=0.0) <= _CONVERGED * largest:
                    if start.keeps(self.keys, z):
                        return z, p
                    break
        return None


def stage_of(keys: Sequence[Key], d: Sequence[int], signals: Sequence[int]) -> int:
    """Return the last stage that symbols belong to."""
    offsets = {VARIABLE: d, SIGNAL: signals}
    return max((order - offsets[kind][i] for kind, i, order in keys), default=-(10**6))
