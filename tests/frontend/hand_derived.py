"""Motions of small machines from equations derived by hand, for models of higher index.

Nothing here comes from Modelica: each is integrated with DOP853 to 1e-12.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]

GRAVITY = 9.81


def moved(
    rate: Callable[[Array], Sequence[float]], start: Sequence[float], end: float = 2.0
) -> Array:
    """State at the end."""
    run = solve_ivp(
        lambda _, x: rate(x), (0.0, end), start, method="DOP853", rtol=1e-12, atol=1e-13
    )
    return np.asarray(run.y[:, -1])


def two_masses(force: float) -> float:
    def rate(x: Array) -> list[float]:
        pull = 500.0 * (x[2] - x[0] - 1.0) + 5.0 * (x[3] - x[1])
        return [x[1], (force + pull) / 10.0, x[3], -pull / 5.0]

    return float(moved(rate, [0.0, 0.0, 1.2, 0.0])[2])


def stopped_mass(force: float) -> float:
    """10 kg from s = 1 with v = -2.5 against a spring and damper that touch below s = 0."""

    def rate(x: Array) -> list[float]:
        push = 5e3 * x[0] + 100.0 * x[1] if touches else 0.0
        return [x[1], (force - push) / 10.0]

    time, state, touches = 0.0, [1.0, -2.5], False
    while time < 2.0:
        crossing = lambda _, x: x[0]  # noqa: E731
        crossing.terminal, crossing.direction = True, 1.0 if touches else -1.0
        run = solve_ivp(
            lambda _, x: rate(x), (time, 2.0), state, method="DOP853", rtol=1e-12, atol=1e-13,
            events=crossing,
        )  # fmt: skip
        time, state, touches = run.t[-1], list(run.y[:, -1]), not touches
    return float(state[0])


def pendulum(angle: float, length: float = 2.0, gravity: float = GRAVITY) -> float:
    """Angle from the vertical."""
    return float(moved(lambda x: [x[1], -gravity / length * np.sin(x[0])], [angle, 0.0])[0])


def gantry(force: float, gravity: float = GRAVITY) -> tuple[float, float]:
    """Load of 5 kg on a rod of 2 m below a trolley of 10 kg: its position."""
    m_t, m, length = 10.0, 5.0, 2.0

    def rate(x: Array) -> list[float]:
        _, v, phi, w = x
        matrix = [[m_t + m, m * length * np.cos(phi)], [np.cos(phi), length]]
        a, z = np.linalg.solve(
            matrix, [force + m * length * w**2 * np.sin(phi), -gravity * np.sin(phi)]
        )
        return [v, a, w, z]

    s, _, phi, _ = moved(rate, [0.0, 0.0, 0.3, 0.0])
    return float(s + length * np.sin(phi)), float(-length * np.cos(phi))


def four_bar(inertia: float = 0.0, gravity: float = GRAVITY, end: float = 2.0) -> float:
    """Angle of the first bar of a four-bar linkage in absolute angles with a multiplier.

    Bars of 1 m, 2 m and 1.5 m with 1 kg in their middle, 2 m between the bearings; the first at
    1 rad, the second below its continuation (the branch near -0.8 rad).
    """
    lengths, ground = (1.0, 2.0, 1.5), 2.0

    def along(angle: float) -> tuple[Array, Array]:
        direction = np.array([np.cos(angle), np.sin(angle)])
        return direction, np.array([-direction[1], direction[0]])

    def rate(x: Array) -> list[float]:
        (e1, n1), (e2, n2), (e3, n3) = (along(angle) for angle in x[:3])
        w, zero = x[3:], np.zeros(2)
        jacobians = [
            np.column_stack([lengths[0] / 2 * n1, zero, zero]),
            np.column_stack([lengths[0] * n1, lengths[1] / 2 * n2, zero]),
            np.column_stack([zero, zero, lengths[2] / 2 * n3]),
        ]
        drifts = [
            -lengths[0] / 2 * e1 * w[0] ** 2,
            -lengths[0] * e1 * w[0] ** 2 - lengths[1] / 2 * e2 * w[1] ** 2,
            -lengths[2] / 2 * e3 * w[2] ** 2,
        ]
        mass = sum((j.T @ j for j in jacobians), inertia * np.eye(3))
        weight = np.array([0.0, -gravity])
        force = sum(j.T @ (weight - drift) for j, drift in zip(jacobians, drifts, strict=True))
        closing = np.column_stack([lengths[0] * n1, lengths[1] * n2, -lengths[2] * n3])
        centripetal = (
            lengths[0] * e1 * w[0] ** 2 + lengths[1] * e2 * w[1] ** 2 - lengths[2] * e3 * w[2] ** 2
        )
        matrix = np.block([[mass, closing.T], [closing, np.zeros((2, 2))]])
        found = np.linalg.solve(matrix, np.concatenate([force, centripetal]))
        return [*w, *found[:3]]

    # Closure at the start: |ground + L3 e3 - L1 e1| = L2 for the third angle, near 1.2 rad.
    first = lengths[0] * along(1.0)[0] - np.array([ground, 0.0])
    distance = float(np.linalg.norm(first))
    inner = (distance**2 + lengths[2] ** 2 - lengths[1] ** 2) / (2.0 * distance * lengths[2])
    third = float(np.arctan2(first[1], first[0]) - np.arccos(inner))
    second_end = lengths[2] * along(third)[0] - first
    second = float(np.arctan2(second_end[1], second_end[0]))
    return float(moved(rate, [1.0, second, third, 0.0, 0.0, 0.0], end)[0])
