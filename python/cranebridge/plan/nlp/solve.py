"""A program solved as a chain of pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cranebridge.plan.nlp.blocks import Chain, chain_code
from cranebridge.plan.nlp.group import RowGroup
from cranebridge.plan.nlp.interior_point import BarrierMethod
from cranebridge.plan.nlp.iterate import Iterate, begin
from cranebridge.plan.nlp.legs import Leg
from cranebridge.plan.nlp.rows import ChainRows

Array = NDArray[np.float64]

# Iterations from a guess at most.
_MAX_ITERATIONS = 100
# Iterations from known multipliers at most: those that help do so soon.
_MAX_ITERATIONS_WARM = 40


class ChainProgram(Protocol):
    """What is needed of a program: see :class:`cranebridge.plan.nlp.program.SplineProgram`."""

    groups: Sequence[RowGroup]
    linear: Array
    least: Array
    most: Array
    legs: Sequence[Leg]

    def row_bounds(self) -> tuple[Array, Array]:
        """Return the bounds of all rows."""


@dataclass(frozen=True, eq=False)
class ChainSolution:
    """An optimum: variables, objective, number of steps, multipliers of bounds and rows."""

    x: Array
    cost: float
    steps: int
    multipliers: tuple[Array, Array]


def solve_chain(
    program: ChainProgram,
    x: Array,
    start: float,
    tolerance: float,
    known: tuple[Array, Array] | None,
) -> ChainSolution | None:
    """Return an optimum; None where none is found, or the program cannot be taken as a chain.

    Parameters
    ----------
    program : ChainProgram
        What to solve.
    x : numpy.ndarray
        Where to start.
    start : float
        The barrier parameter at the start.
    tolerance : float
        Relative tolerance.
    known : (numpy.ndarray, numpy.ndarray) or None
        Multipliers of variables and rows that are started from.
    """
    # where legs join, IPOPT finds more
    if len(program.legs) != 1 or chain_code() is None:
        return None
    chain = Chain(program.legs, program.groups, x)
    durations = [leg.duration for leg in program.legs]
    bounds = program.least[durations], program.most[durations]
    rows = ChainRows(chain, *program.row_bounds(), program.linear, bounds)
    point = rows.evaluate(chain.spread(x))
    if point is None:
        return None
    try:
        rows.weigh_equations(rows.all_slopes(point))
        first = begin(rows, point, 0.1 * start, known and (known[0][durations], known[1]))
        most = _MAX_ITERATIONS if known is None else _MAX_ITERATIONS_WARM
        result = BarrierMethod(rows, tolerance).solve(first, start, most)
    except np.linalg.LinAlgError:  # where the crane cannot go
        return None
    if not result.solved:
        return None
    for batch in chain.batches:
        batch.keep()
    last = result.iterate
    multipliers = np.zeros(x.size), _multipliers(rows, last)
    multipliers[0][durations] = (last.y * rows.unit)[rows.own :]
    found = chain.gathered(last.point.v)
    return ChainSolution(found, last.point.cost, result.steps, multipliers)


def _multipliers(rows: ChainRows, last: Iterate) -> Array:
    """Return the multipliers of all rows, links among them."""
    y, numbers = (last.y * rows.unit)[: rows.own], rows.chain.link_numbers
    y[numbers[numbers >= 0]] = (last.y_links / rows.chain.state_sizes)[numbers >= 0]
    return y
