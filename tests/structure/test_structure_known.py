"""Systems on which structure analysis is known to fail: index and free initial values as published.

Each is stated completely and goes through the analysis as a DAE. What must come out follows from
the equations by hand, too: see the comments.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from cranebridge.structure.analysis import analyse_dae, signature_of
from cranebridge.structure.conversion import convert, differentiations
from cranebridge.structure.dae import SIGNAL, VARIABLE, Dae, DerivativeSymbols, rows
from cranebridge.structure.random_states import Start
from cranebridge.structure.ranks import is_regular

Build = Callable[[Callable[[int, int], ca.SX], Callable[[int, int], ca.SX]], ca.SX]


def system(size: int, build: Build, signals: int = 0) -> Dae:
    """Return the DAE of residuals in x(j, order) and g(l, order)."""
    symbols = DerivativeSymbols()
    residuals = build(
        lambda j, order: symbols.at(VARIABLE, j, order),
        lambda i, order: symbols.at(SIGNAL, i, order),
    )
    names = tuple(f"f{i + 1}" for i in range(size))
    variables = tuple(f"x{j + 1}" for j in range(size))
    paths = tuple(f"g{i + 1}" for i in range(signals))
    return Dae(names, variables, paths, tuple(rows(residuals)), symbols, ca.SX.sym("p", 0))


def near(values: list[float]) -> Start:
    x = np.array(values)
    return Start(x, np.maximum(np.abs(x), 1.0), np.zeros(0))


def found(dae: Dae, start: Start) -> tuple[int, int, int]:
    """Return index, free initial values and number of combinations."""
    analysis, combinations = convert(*signature_of(dae, start), start)
    counts = differentiations(len(analysis.c), analysis.c, combinations)
    index = max(counts) + (1 if analysis.d.min() == 0 else 0)
    return index, analysis.freedom, len(combinations)


def pendulum(mixed: np.ndarray) -> Build:
    def build(x, _g):
        plain = ca.vertcat(
            x(0, 2) + x(0, 0) * x(2, 0),
            x(1, 2) + x(1, 0) * x(2, 0) - 9.81,
            x(0, 0) ** 2 + x(1, 0) ** 2 - 1.0,
        )
        return ca.DM(mixed) @ plain

    return build


HANGING = near([0.6, 0.8, 7.0])


def test_pendulum_is_left_as_it_is() -> None:
    assert found(system(3, pendulum(np.eye(3))), HANGING) == (3, 2, 0)


@pytest.mark.parametrize(
    "mixed",
    [
        [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]],
        [[1.0, 1.0, 1.0], [1.0, 2.0, 4.0], [1.0, 3.0, 9.0]],
        [[2.0, -1.0, 0.5], [0.3, 1.0, -2.0], [1.0, 0.7, 3.0]],
    ],
)
def test_pendulum_with_linearly_mixed_equations(mixed: list[list[float]]) -> None:
    # Pryce 2001, Section 6: every equation has all second derivatives, so that the signature says
    # "index 1, four free values"; a constant matrix changes neither index 3 nor the freedom of 2.
    dae = system(3, pendulum(np.array(mixed)))
    signed = analyse_dae(*signature_of(dae, HANGING))
    assert (int(signed.c.max()), signed.freedom) == (0, 4)
    assert not is_regular(signed, HANGING)
    assert found(dae, HANGING) == (3, 2, 1)


def robot_arm(x, g):
    """Return the two-link robot arm of Campbell and Griepentrog; x4, x5 are the controls."""
    x1, x2, x3, u1, u2 = (x(j, 0) for j in range(5))
    common = 2.0 - ca.cos(x3) ** 2
    a, b = 2.0 / common, ca.cos(x3) / common
    c, d = ca.sin(x3) / common, ca.cos(x3) * ca.sin(x3) / common
    both = (x(0, 1) + x(2, 1)) ** 2
    first, spring = x(0, 1) ** 2, 2.0 * x3 - x2
    return ca.vertcat(
        x(0, 2) - (2 * c * both + first * d + spring * (a + 2 * b) + a * (u1 - u2)),
        x(1, 2) + 2 * c * both + first * d - spring * (1 - 3 * a - 2 * b) + a * u1 - (a + 1) * u2,
        x(2, 2)
        + 2 * c * both
        + first * d
        - spring * (a - 9 * b)
        + 2 * first * c
        + d * both
        + (a + b) * (u1 - u2),
        ca.cos(x1) + ca.cos(x1 + x3) - g(0, 0),
        ca.sin(x1) + ca.sin(x1 + x3) - g(1, 0),
    )


def test_two_link_robot_arm() -> None:
    # The path gives x1 and x3; two equations then give x2 and u1 - u2 from the path's second
    # derivatives, the third one needs x2'' and so the fourth: index 5, nothing is free.
    arm = near([0.4, 0.9, 0.7, 0.5, -0.3])
    dae = system(5, robot_arm, signals=2)
    index, free, combined = found(dae, arm)
    assert (index, free) == (5, 0)
    assert combined >= 1


def transistor_amplifier(x, _g):
    """Return the transistor amplifier of the IVP test set: M y' = f(y) with M of rank 5 of 8."""
    beta, voltage, thermal = 1e-6, 6.0, 0.026
    resistances = [1000.0] + 9 * [9000.0]
    capacities = [1e-6 * k for k in range(1, 6)]
    y, rate = [x(j, 0) for j in range(8)], [x(j, 1) for j in range(8)]

    def diode(u: ca.SX) -> ca.SX:
        return beta * (ca.exp(u / thermal) - 1.0)

    r, c = resistances, capacities
    first, second = diode(y[1] - y[2]), diode(y[4] - y[5])
    return ca.vertcat(
        c[0] * (rate[1] - rate[0]) - (y[0] - 0.1) / r[0],
        c[0] * (rate[0] - rate[1]) + voltage / r[2] - y[1] * (1 / r[1] + 1 / r[2]) - 0.01 * first,
        -c[1] * rate[2] + first - y[2] / r[3],
        c[2] * (rate[4] - rate[3]) + voltage / r[4] - y[3] / r[4] - 0.99 * first,
        c[2] * (rate[3] - rate[4]) + voltage / r[6] - y[4] * (1 / r[5] + 1 / r[6]) - 0.01 * second,
        -c[3] * rate[5] + second - y[5] / r[7],
        c[4] * (rate[7] - rate[6]) + voltage / r[8] - y[6] / r[8] - 0.99 * second,
        c[4] * (rate[6] - rate[7]) - y[7] / r[9],
    )


def test_transistor_amplifier() -> None:
    # Three capacitors stand between two nodes each: three sums of equations have no derivatives.
    start = near([0.1, 3.0, 2.95, 5.8, 3.0, 2.95, 5.8, 0.1])
    # Diodes are exponential with 26 mV: states that differ by volts are no states of this circuit.
    start = Start(start.x, np.full(8, 0.05), start.p)
    dae = system(8, transistor_amplifier)
    signed = analyse_dae(*signature_of(dae, start))
    assert signed.freedom == 8
    index, free, combined = found(dae, start)
    assert (index, free) == (1, 5)
    assert combined == 3


def ring_modulator(x, _g):
    """Return the ring modulator of the IVP test set with C_s = 0, without its inputs."""
    c, c_p, lh, ls1, ls2, ls3 = 1.6e-8, 1e-8, 4.45, 0.002, 5e-4, 5e-4
    gamma, r, r_p, rg1, rg2, rg3, ri, rc = (
        40.67286402e-9,
        25000.0,
        50.0,
        36.3,
        17.3,
        17.3,
        50.0,
        600.0,
    )
    delta, one, two = 17.7493332, 0.0, 0.0
    y, rate = [x(j, 0) for j in range(15)], [x(j, 1) for j in range(15)]

    def q(u: ca.SX) -> ca.SX:
        return gamma * (ca.exp(delta * u) - 1.0)

    d1, d2 = q(y[2] - y[4] - y[6] - two), q(-y[3] + y[5] - y[6] - two)
    d3, d4 = q(y[3] + y[4] + y[6] + two), q(-y[2] - y[5] + y[6] + two)
    return ca.vertcat(
        c * rate[0] - (y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - y[0] / r),
        c * rate[1] - (y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - y[1] / r),
        y[9] - d1 + d4,
        -y[10] + d2 - d3,
        y[11] + d1 - d3,
        -y[12] - d2 + d4,
        c_p * rate[6] - (-y[6] / r_p + d1 + d2 - d3 - d4),
        lh * rate[7] + y[0],
        lh * rate[8] + y[1],
        ls2 * rate[9] - (0.5 * y[0] - y[2] - rg2 * y[9]),
        ls3 * rate[10] - (-0.5 * y[0] + y[3] - rg3 * y[10]),
        ls2 * rate[11] - (0.5 * y[1] - y[4] - rg2 * y[11]),
        ls3 * rate[12] - (-0.5 * y[1] + y[5] - rg3 * y[12]),
        ls1 * rate[13] - (-y[0] + one - (ri + rg1) * y[13]),
        ls1 * rate[14] - (-y[1] - (rc + rg1) * y[14]),
    )


def test_ring_modulator() -> None:
    # The sum of its four algebraic equations is y10 - y11 + y12 - y13 = 0: it is differentiated,
    # and one free value less than the eleven differential variables.
    start = Start(np.full(15, 0.05), np.full(15, 0.05), np.zeros(0))
    index, free, combined = found(system(15, ring_modulator), start)
    assert (index, free, combined) == (2, 10, 1)


def test_what_cancels_is_taken_at_a_value_where_the_equation_is_defined() -> None:
    # x1' + (x2 - 1/4) / (x2 - 1/4) does not depend on x2; 1/4 stands for small values elsewhere
    def build(x, _g):
        return ca.vertcat(x(0, 1) + (x(1, 0) - 0.25) / (x(1, 0) - 0.25), x(1, 0) - x(0, 0))

    dae, signature, _ = signature_of(system(2, build), near([0.1, 0.1]))
    assert signature[0, 1] == -np.inf
    symbols = dae.symbols.of(dae.residuals[0])
    assert list(symbols) == [(VARIABLE, 0, 1)]
    value = ca.Function("f", list(symbols.values()), [dae.residuals[0]])
    assert float(value(3.0)) == 4.0
