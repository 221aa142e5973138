"""An explicit model der(x) = f(x, u, w), 0 = g(x, u, w) as equations of motion of second order.

A mechanical model has states in pairs: a position whose derivative is the other state. Where the
derivatives of positions are a linear function of the others instead (angles and the angular
velocity of a body, q' = h(q) + H(q) w), these are solved for w. States that are left over (a
drive's current, a lag) stay of first order. With every state a function s(q, q'), each derivative
that is no position's gives an equation d/dt s(q, q') - f = 0, and those of blocks that have to be
solved together (accelerations and forces) stand beside them as they are: nothing is solved for
accelerations, so that the equations stay as sparse as they were written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import casadi as ca
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SecondOrder:
    """A model of second order in symbols of its own.

    Attributes
    ----------
    positions : tuple of int
        The states that are coordinates.
    first : tuple of int
        The coordinates of first order: those without an acceleration.
    q, v, a : casadi.SX
        Coordinates, velocities and accelerations.
    rows : casadi.SX
        Residuals of the equations.
    forces : tuple of int
        Positions of those unknowns of the blocks that are still in them.
    lam : casadi.SX
        The symbols of these.
    lam_start : numpy.ndarray
        Where an iteration for them begins.
    known : casadi.SX
        What was asked for, in the symbols above.
    conditions : casadi.SX
        What holds for the last coordinates, which no state is: one condition for each.
    implicit : tuple of int
        Which of the blocks' unknowns these coordinates are.
    implicit_start : numpy.ndarray
        Where they start.
    """

    positions: tuple[int, ...]
    first: tuple[int, ...]
    q: ca.SX
    v: ca.SX
    a: ca.SX
    rows: ca.SX
    forces: tuple[int, ...]
    lam: ca.SX
    lam_start: Array
    known: ca.SX
    conditions: ca.SX = field(default_factory=lambda: ca.SX(0, 1))
    implicit: tuple[int, ...] = ()
    implicit_start: Array = field(default_factory=lambda: np.zeros(0))


def second_order(
    x: ca.SX,
    f: ca.SX,
    w: ca.SX,
    g: ca.SX,
    *,
    u: ca.SX,
    p: ca.SX,
    known: ca.SX,
    w_start: Array,
) -> SecondOrder:
    """Bring der(x) = f to the second order.

    Parameters
    ----------
    x, f : casadi.SX
        States and their derivatives.
    w, g : casadi.SX
        Unknowns of blocks and their equations.
    u, p : casadi.SX
        Inputs and parameters.
    known : casadi.SX
        Expressions that are wanted in the new symbols, such as outputs.
    w_start : numpy.ndarray
        Where an iteration for the unknowns begins.
    """
    pairs = _pairs(x, f)
    rest = [i for i in range(x.numel()) if i not in pairs and i not in pairs.values()]
    driven = ca.vertcat(u, w)
    turning = [i for i in rest if not ca.depends_on(f[i], driven)]
    spinning = [i for i in rest if i not in turning]
    if not _are_quasi_velocities(x, f, turning, spinning):
        turning, spinning = [], []
    lonely = [] if turning else rest
    positions = sorted([*pairs, *turning, *lonely])
    count = len(positions)
    q, v, a = (ca.SX.sym(name, count) for name in ("q", "v", "a"))
    place = {state: k for k, state in enumerate(positions)}
    states = ca.SX.zeros(x.numel(), 1)
    for i, k in place.items():
        states[i] = q[k]
        if i in pairs:
            states[pairs[i]] = v[k]
    if turning:
        turned = _column([v[place[i]] for i in turning])
        for i, value in _quasi_velocities(x, f, turning, spinning, states, turned):
            states[i] = value
    first = tuple(place[i] for i in lonely)
    moving = sorted([*pairs.values(), *spinning])
    left = [ca.jtimes(states[i], ca.vertcat(q, v), ca.vertcat(v, a)) for i in moving]
    left += [v[k] for k in first]
    given = [f[i] for i in (*moving, *lonely)]
    rates, g, wanted = ca.substitute([_column(given), g, known], [x], [states])
    every = [rate - rates[i] for i, rate in enumerate(left)]
    every += [g[i] for i in range(g.numel())]
    forces = list(range(w.numel()))
    while (found := _explicit(every, [w[j] for j in forces], p)) is not None:
        row, place_of, value = found
        symbol = w[forces.pop(place_of)]
        del every[row]
        substituted = ca.substitute([*every, wanted], [symbol], [value])
        every, wanted = list(substituted[:-1]), substituted[-1]
    return SecondOrder(
        positions=tuple(positions),
        first=first,
        q=q,
        v=v,
        a=a,
        rows=_column(every),
        forces=tuple(forces),
        lam=_column([w[j] for j in forces]),
        lam_start=w_start[forces],
        known=wanted,
    )


def with_implicit_coordinates(model: SecondOrder, u: ca.SX) -> SecondOrder | None:
    """Make coordinates of what equations between positions determine but do not give.

    Such as the length of a rope, l^2 = x^2 + z^2: a coordinate without mass, and its equation the
    condition that stands in place of an equation of motion. None where velocities, accelerations
    or inputs are in such an equation.
    """
    count = model.lam.numel()
    moving = ca.vertcat(model.v, model.a, u)
    rows = range(model.rows.numel())
    own = [
        i
        for i in rows
        if ca.depends_on(model.rows[i], model.lam) and not ca.depends_on(model.rows[i], moving)
    ]
    if len(own) != count or int(ca.sprank(ca.jacobian(model.rows[own], model.lam))) < count:
        return None
    v, a = (ca.SX.sym(name, count) for name in ("v", "a"))
    return replace(
        model,
        q=ca.vertcat(model.q, model.lam),
        v=ca.vertcat(model.v, v),
        a=ca.vertcat(model.a, a),
        rows=model.rows[[i for i in rows if i not in own]],
        forces=(),
        lam=ca.SX(0, 1),
        lam_start=np.zeros(0),
        conditions=model.rows[own],
        implicit=model.forces,
        implicit_start=model.lam_start,
    )


def _pairs(x: ca.SX, f: ca.SX) -> dict[int, int]:
    """Return the velocity of each position whose derivative is a state."""
    states = {x[j].element_hash(): j for j in range(x.numel())}
    pairs: dict[int, int] = {}
    for i in range(x.numel()):
        j = states.get(f[i].element_hash()) if f[i].is_symbolic() else None
        taken = {*pairs, *pairs.values()}
        if j is not None and j != i and not {i, j} & taken:
            pairs[i] = j
    return pairs


def _are_quasi_velocities(
    x: ca.SX, f: ca.SX, turning: Sequence[int], spinning: Sequence[int]
) -> bool:
    """Return whether the derivatives of some states can be solved for as many others."""
    if not turning or len(turning) != len(spinning):
        return False
    w = _column([x[i] for i in spinning])
    matrix = ca.jacobian(_column([f[i] for i in turning]), w)
    return not ca.depends_on(matrix, w) and int(ca.sprank(matrix.sparsity())) == len(turning)


def _quasi_velocities(
    x: ca.SX,
    f: ca.SX,
    turning: Sequence[int],
    spinning: Sequence[int],
    states: ca.SX,
    rates: ca.SX,
) -> list[tuple[int, ca.SX]]:
    """Return w = H^-1 (q' - h) for each state that is a quasi-velocity."""
    kinematics, w = _column([f[i] for i in turning]), _column([x[i] for i in spinning])
    still = ca.substitute(kinematics, w, ca.SX.zeros(w.numel()))
    solved = ca.solve(ca.jacobian(kinematics, w), rates - still)
    placed = ca.substitute(solved, x, states)
    return [(i, placed[k]) for k, i in enumerate(spinning)]


def _explicit(
    rows: Sequence[ca.SX], forces: Sequence[ca.SX], p: ca.SX
) -> tuple[int, int, ca.SX] | None:
    """Find a force that an equation gives, with a factor that only parameters are in.

    Of several the one in the fewest equations: row, position of the force and its value.
    """
    best: tuple[int, int, int, ca.SX] | None = None
    hashes = {force.element_hash(): j for j, force in enumerate(forces)}
    used = [[hashes.get(s.element_hash()) for s in ca.symvar(row)] for row in rows]
    for j, force in enumerate(forces):
        having = [i for i, present in enumerate(used) if j in present]
        for i in having:
            factor = ca.simplify(ca.jacobian(rows[i], force))
            others = [s for s in ca.symvar(factor) if not ca.depends_on(p, s)]
            if others or factor.is_zero() or (best is not None and best[0] <= len(having)):
                continue
            best = (len(having), i, j, factor)
    if best is None:
        return None
    _, i, j, factor = best
    rest = ca.substitute(rows[i], forces[j], ca.SX(0))
    return i, j, -rest / factor


def _column(parts: Sequence[ca.SX]) -> ca.SX:
    return ca.vertcat(*parts) if parts else ca.SX(0, 1)
