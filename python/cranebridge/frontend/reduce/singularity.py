"""Where the chosen states stop describing the motion: watched while an FMU runs.

The constraints give the dummy derivatives w from the states' derivatives v, w = T v, by a matrix T
that grows beyond all bounds where the choice becomes singular: a pendulum with the state x has
T = -x/y, and y = 0 when it is level. There the equations have a second solution, on which an
integrator may go on unnoticed. What is watched is

    rho = 1 / (1 + |T|^2 / (1 + |T_0|^2))

with T_0 from the start. At the singularity rho has a minimum of zero. Its time derivative is an
event indicator, so that a solver finds each minimum, however long its steps are; and at a minimum
near zero, or after a step that ends there, the simulation stops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from cranebridge.frontend.reduce.index_reduction import ReducedModel
from cranebridge.frontend.reduce.state_choice import order_name
from cranebridge.structure import SIGNAL, VARIABLE, Order, causalize

# An error of the states is this much larger in the other variables than at the start.
_AMPLIFIED = 50.0
LEAST = 1.0 / _AMPLIFIED**2
"""The rho at which a simulation stops."""


@dataclass(frozen=True, eq=False)
class SingularityWatch:
    """What is watched: `ratio` is the rho above, `rate` its derivative with respect to time."""

    ratio: ca.SX
    rate: ca.SX
    message: str


def singularity_watches(
    reduced: ReducedModel, clock: int, at_start: Callable[[ca.SX], float]
) -> Iterator[SingularityWatch]:
    """Find the dummy derivatives whose equations may become singular.

    Parameters
    ----------
    clock : int
        Position of time among the signals.
    at_start : callable
        Value of an expression of states, iterated unknowns and parameters at the start.
    """
    dummies = set(reduced.choice.dummies)
    symbols = reduced.system.dae.symbols
    for names, states, matrix in _sensitivities(reduced, dummies):
        entries = ca.vec(ca.densify(matrix))
        moving = [s for (kind, _, _), s in symbols.of(entries).items() if kind == VARIABLE]
        if not moving:
            continue
        size = ca.sumsqr(entries)
        usual = at_start(size)
        if not np.isfinite(usual):
            continue  # refused by who evaluates the model at its start
        ratio = 1 / (1 + size / (1 + usual))
        rate = symbols.rate(ratio)
        rate = ca.substitute(rate, symbols.at(SIGNAL, clock, 1), ca.SX(1))
        sparse = ca.sparsify(matrix)
        acting = [s for k, s in enumerate(states) if sparse[:, k].nnz()]
        chosen = ", ".join(order_name(reduced.unknowns, state) for state in acting)
        yield SingularityWatch(
            ratio,
            rate,
            f"the states chosen at the start ({chosen}) cannot describe the motion beyond this "
            f"position, where they do not determine {', '.join(names)}; states do not change "
            "during a simulation.",
        )


def _sensitivities(
    reduced: ReducedModel, dummies: set[Order]
) -> Iterator[tuple[list[str], list[Order], ca.SX]]:
    """T of each set of dummy derivatives that has no constant solution, with names and states."""
    orders = _orders_by_symbol(reduced)
    for core in reduced.cores:
        keys = [orders[unknown.symbol.element_hash()] for unknown in core.unknowns]
        if not set(keys) <= dummies:
            continue
        stage = keys[0][1] - int(reduced.system.d[keys[0][0]])
        states = _states_of_stage(reduced, stage)
        values = causalize.apply(reduced.found, *(unknown.symbol for unknown in core.unknowns))
        names = [order_name(reduced.unknowns, key) for key in keys]
        yield names, states, ca.jacobian(ca.vertcat(*values), reduced.system.symbols(states))
    for loop in reduced.loops:
        keys = [orders[unknown.symbol.element_hash()] for unknown in loop.unknowns]
        if not set(keys) <= dummies:
            continue
        stage = keys[0][1] - int(reduced.system.d[keys[0][0]])
        states = _states_of_stage(reduced, stage)
        beside = reduced.system.symbols(states)
        residual = ca.vertcat(
            *causalize.apply(reduced.found, *(residual.value for residual in loop.residuals))
        )
        own = ca.vertcat(*(unknown.symbol for unknown in loop.unknowns))
        matrix, right = ca.jacobian(residual, own), -ca.densify(ca.jacobian(residual, beside))
        columns = [causalize.solve_linear(matrix, right[:, i]) for i in range(right.shape[1])]
        names = [unknown.name for unknown in loop.unknowns]
        yield names, states, ca.horzcat(ca.SX(len(names), 0), *columns)


def _orders_by_symbol(reduced: ReducedModel) -> dict[int, Order]:
    wanted = [*((j, int(d)) for j, d in enumerate(reduced.system.d)), *reduced.choice.dummies]
    return {reduced.system.symbol(order).element_hash(): order for order in wanted}


def _states_of_stage(reduced: ReducedModel, stage: int) -> list[Order]:
    d: Sequence[int] = reduced.system.d.tolist()
    return [(j, k) for j, k in reduced.choice.states if k - d[j] == stage]
