"""Limits and effort at one time of a flat motion, as rows that are built once for a crane.

Numbers that change from task to task (parameters, sizes of limits) are arguments, so that another
task with limits of the same signals builds and compiles nothing.
"""

from __future__ import annotations

from functools import lru_cache

import casadi as ca

from cranebridge.inverse import MOTION, Signal, signal_function
from cranebridge.inverse.index1 import PointSolver
from cranebridge.plan.rows.point_rows import Moment, PointFunctions
from cranebridge.plan.task import Obstacle, clearances


@lru_cache(maxsize=32)
def limit_functions(
    solver: PointSolver,
    order: int,
    signals: tuple[Signal, ...],
    obstacles: tuple[Obstacle, ...],
    sharpness: float,
    boxed: bool,
) -> PointFunctions:
    """Return signals in parts of their sizes, clearances in m, and outputs where asked for.

    The constants are the sizes.

    Parameters
    ----------
    solver : PointSolver
        The stages of the crane.
    order : int
        Highest path derivative that is needed.
    signals : tuple of Signal
        What is limited.
    obstacles : tuple of Obstacle
        What is kept clear of.
    sharpness : float
        Of the smooth form of corners [1/m].
    boxed : bool
        Whether the outputs are rows, too.
    """
    crane = solver.stages.structure.crane
    function = signal_function(crane, signals)

    def write(moment: Moment) -> ca.SX:
        m, y = moment.motion, moment.gammas[:, 0]
        values = function(*(m[name] for name in MOTION), moment.p) / moment.constants
        clear = clearances(crane, obstacles, y, m["q"], moment.p, sharpness)
        return ca.vertcat(values, clear, y) if boxed else ca.vertcat(values, clear)

    return PointFunctions(solver, order, write, len(signals))


@lru_cache(maxsize=32)
def effort_functions(solver: PointSolver, order: int) -> PointFunctions:
    """Return duration times sum ((u - u_rest) / scale)^2; the constants are u_rest and scale."""
    inputs = len(solver.stages.structure.crane.inputs)

    def write(moment: Moment) -> ca.SX:
        rest, scales = moment.constants[:inputs], moment.constants[inputs:]
        return moment.duration * ca.sumsqr((moment.motion["u"] - rest) / scales)

    return PointFunctions(solver, order, write, 2 * inputs)
