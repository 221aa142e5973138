"""Paths on the way to a plan: how fine they become, and what is still to be gained."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.path import Path, Pieces
from cranebridge.plan.nlp import Leg, ProgramSolution, RowGroup, SplineSpace
from cranebridge.plan.task import PathEvaluation

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Fineness:
    """How fine splines become.

    Attributes
    ----------
    pieces : int
        Of each leg at first.
    rounds : int
        How often pieces are cut at most.
    accuracy : float
        Refinement ends when what may still be gained is a smaller part of the cost.
    """

    pieces: int = 24
    rounds: int = 6
    accuracy: float = 5e-3


@dataclass(frozen=True, eq=False)
class SolvedProgram:
    """A program with its solution, to go on from.

    Attributes
    ----------
    legs : tuple of Leg
        Where pieces stand among the variables.
    groups : list of RowGroup
        Its rows.
    outcome : ProgramSolution
        The solution.
    times : tuple of numpy.ndarray
        The times of each leg that have rows besides the regular ones.
    least : numpy.ndarray or None
        Least values of the variables.
    """

    legs: tuple[Leg, ...]
    groups: list[RowGroup]
    outcome: ProgramSolution
    times: tuple[Array, ...]
    least: Array | None = None


@dataclass(frozen=True, eq=False)
class Draft:
    """A path on the way to a plan.

    Attributes
    ----------
    splines : tuple of SplineSpace
        Of the legs.
    durations : tuple of float
        Of the legs [s].
    path : Path
        The whole path.
    times : tuple of numpy.ndarray
        Normalised times of each leg at which limits are checked besides the regular ones.
    cost : float
        What is minimised.
    evaluation : PathEvaluation or None
        Limits and clearances along the path.
    width : float
        Normalised time over which the path is a mean of pieces; zero where it is none.
    pieces : Pieces or None
        These pieces.
    solved : SolvedProgram or None
        The program that it comes from.
    level : int
        How often pieces were cut.
    """

    splines: tuple[SplineSpace, ...]
    durations: tuple[float, ...]
    path: Path
    times: tuple[Array, ...]
    cost: float = np.inf
    evaluation: PathEvaluation | None = None
    width: float = 0.0
    pieces: Pieces | None = None
    solved: SolvedProgram | None = None
    level: int = 0


def remaining(costs: list[float]) -> float:
    """Estimate what is still to be gained, as a part of the cost, from the last refinements."""
    if len(costs) < 2:
        return np.inf
    now = costs[-2] - costs[-1]
    if now <= 0.0:
        return 0.0
    # pieces half as long gain about half as much as those before
    before = costs[-3] - costs[-2] if len(costs) > 2 else 2.0 * now
    ratio = min(now / before, 0.9) if before > 0.0 else 0.9
    return float(now * ratio / (1.0 - ratio) / abs(costs[-1]))
