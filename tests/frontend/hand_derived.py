"""Motions of small machines from equations derived by hand, for models of higher index.

Nothing here comes from Modelica: each is integrated with DOP853 to 1e-12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import casadi as ca
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


def stopped_without_pull(force: float) -> float:
    """The same with a stop whose spring and damper together never pull, nor push over twice."""
    c, d, state, time = 5e3, 100.0, [1.0, -2.5], 0.0

    def spring(x: Sequence[float]) -> float:
        return c * max(-x[0], 0.0)

    def rate(x: Array) -> list[float]:
        push = spring(x)
        return [x[1], (force + push - float(np.clip(d * x[1], -push, push))) / 10.0]

    def kinks() -> Iterator[Callable[[float, Array], float]]:
        for kink in (lambda x: x[0], lambda x: d * x[1] + c * x[0], lambda x: d * x[1] - c * x[0]):
            crossing = lambda _, x, kink=kink: kink(x)  # noqa: E731
            crossing.terminal = True
            yield crossing

    while time < 2.0:
        run = solve_ivp(
            lambda _, x: rate(x), (time, 2.0), state, method="DOP853", rtol=1e-12, atol=1e-13,
            events=list(kinks()), max_step=1e-2,
        )  # fmt: skip
        time, state = float(run.t[-1]), list(run.y[:, -1])
        if time < 2.0:  # a step that is too short to matter leads over the kink
            step = min(1e-10, 2.0 - time)
            state = [x + step * r for x, r in zip(state, rate(np.array(state)), strict=True)]
            time += step
    return float(state[0])


def controlled(target: float, limit: float = np.inf) -> float:
    """10 kg from 0.5 m with a PID controller: 20 N/m, 2 s, 0.3 s with a lag of 0.03 s.

    With a limit the derivative is of the place alone, and what is cut off acts on the integral, as
    in the library's LimPID.
    """
    gain, wind_up = 20.0, 0.9
    limited = np.isfinite(limit)

    def rate(x: Array) -> list[float]:
        place, speed, integral, slow = x
        error = target - place
        lag = ((-place if limited else error) - slow) / 0.03
        force = gain * (error + integral + 0.3 * lag)
        given = float(np.clip(force, -limit, limit))
        return [speed, given / 10.0, (error + (given - force) / (gain * wind_up)) / 2.0, lag]

    step = 1e-3 if limited else np.inf  # the limit is a kink
    run = solve_ivp(
        lambda _, x: rate(x), (0.0, 2.0), [0.5, 0.0, 0.0, 0.0], method="DOP853", rtol=1e-12,
        atol=1e-13, max_step=step,
    )  # fmt: skip
    return float(run.y[0, -1])


def block_loop(target: float) -> float:
    """Gain 3, lag of 0.2 s and an integrator from 0.5, in a loop."""
    return float(moved(lambda x: [(3.0 * (target - x[1]) - x[0]) / 0.2, x[0]], [0.0, 0.5])[1])


def sticking(force: float) -> float:
    """10 kg with 1 m/s against friction of 20 N and 5 N s/m: on, to a stop, or back."""

    def moved_on(drive: float, speed: float, time: float) -> float:
        steady, rate = drive / 5.0, 5.0 / 10.0
        return steady * time + (speed - steady) / rate * (1.0 - np.exp(-rate * time))

    ahead = force - 20.0
    if ahead >= 0.0:
        return float(moved_on(ahead, 1.0, 2.0))
    stop = 2.0 * np.log((1.0 - ahead / 5.0) / (-ahead / 5.0))
    if stop >= 2.0:
        return float(moved_on(ahead, 1.0, 2.0))
    back = moved_on(force + 20.0, 0.0, 2.0 - stop) if force < -20.0 else 0.0
    return float(moved_on(ahead, 1.0, stop) + back)


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


def two_inertias(torque: float) -> float:
    """0.4 and 1.3 kg m^2 with 60 N m/rad and 1.5 N m s/rad between them: the second's angle."""

    def rate(x: Array) -> list[float]:
        twist = 60.0 * (x[2] - x[0]) + 1.5 * (x[3] - x[1])
        return [x[1], (torque + twist) / 0.4, x[3], -twist / 1.3]

    return float(moved(rate, [0.0, 0.0, 0.2, 0.1])[2])


def electric_trolley(voltage: float) -> float:
    """0.5 ohm, 10 mH, 0.8 N m/A, 0.02 kg m^2, 50 rad of the motor per metre, 100 kg: its way."""

    def rate(x: Array) -> list[float]:
        current, speed, _ = x
        rise = (voltage - 0.5 * current - 0.8 * 50.0 * speed) / 0.01
        return [rise, 50.0 * 0.8 * current / (100.0 + 0.02 * 50.0**2), speed]

    return float(moved(rate, [0.0, 0.0, 0.0])[2])


def dragged(force: float, mass: float, drag: float) -> float:
    """Way of a mass with drag from rest, in closed form."""
    return force / drag * (2.0 - mass / drag * (1.0 - np.exp(-2.0 * drag / mass)))


def softly_coupled(force: float) -> float:
    """2 kg, 400 N/m with 7 N s/m, 9 kg with a drag of 1 N s/m: way of the second."""

    def rate(x: Array) -> list[float]:
        pull = 400.0 * (x[2] - x[0]) + 7.0 * (x[3] - x[1])
        return [x[1], (force + pull) / 2.0, x[3], (-pull - x[3]) / 9.0]

    return float(moved(rate, [0.0, 0.0, 0.0, 0.0])[2])


def wound_load(torque: float) -> tuple[float, float]:
    """5 kg on a rope of 3 m, wound by 32 rad of a motor of 0.02 kg m^2 per metre, hook of 1 kg."""

    def rate(x: Array) -> list[float]:
        length, speed, phi, w = x
        along = 32.0 * torque + 5.0 * length * w**2 + 5.0 * GRAVITY * np.cos(phi)
        across = -(2.0 * speed * w + GRAVITY * np.sin(phi)) / length
        return [speed, along / (1.0 + 0.02 * 32.0**2 + 5.0), w, across]

    length, _, phi, _ = moved(rate, [3.0, 0.0, 0.3, 0.0])
    return float(length * np.sin(phi)), float(-length * np.cos(phi))


def _turned(axis: int, angle: ca.SX) -> ca.SX:
    """Rotation matrix about a coordinate axis."""
    c, s, one = ca.cos(angle), ca.sin(angle), ca.SX(1)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    matrix = ca.SX(3, 3)
    matrix[axis, axis], matrix[i, i], matrix[j, j] = one, c, c
    matrix[i, j], matrix[j, i] = -s, s
    return matrix


def _hung(
    inertia: float,
    suspension: Callable[[ca.SX, ca.SX], ca.SX],
    forces: Sequence[float],
    start: Sequence[float],
    gravity: float,
) -> list[float]:
    """Place of a load of 5 kg on a universal joint and a driven rope, from its Lagrangian.

    Coordinates are two of the suspension, two angles and the rope's length. What moves with the
    first coordinate has an `inertia`, the trolley at the joint 10 kg; `suspension` takes a vector
    from the joint into the world.
    """
    q, v = ca.SX.sym("q", 5), ca.SX.sym("v", 5)
    hung = _turned(0, q[2]) @ _turned(2, q[3]) @ ca.vertcat(0, -q[4], 0)
    load = suspension(q, hung)
    below, above = (ca.jtimes(r, q, v) for r in (load, suspension(q, ca.SX(3, 1))))
    kinetic = 0.5 * inertia * v[0] ** 2 + 5.0 * ca.dot(above, above) + 2.5 * ca.dot(below, below)
    momentum = ca.gradient(kinetic, v)
    force = ca.gradient(kinetic - 5.0 * gravity * load[1], q) - ca.jtimes(momentum, q, v)
    a = ca.solve(ca.jacobian(momentum, v), force + ca.DM(list(forces)))
    f = ca.Function("f", [q, v], [a])
    end = moved(lambda x: [*x[5:], *np.array(f(x[:5], x[5:])).ravel()], [*start, *np.zeros(5)])
    return [float(x) for x in np.array(ca.Function("r", [q], [load])(end[:5])).ravel()]


def bridge(forces: Sequence[float], gravity: float = GRAVITY) -> list[float]:
    """50 kg on the rails along z, 10 kg along x, the load below."""
    return _hung(
        50.0, lambda q, hung: ca.vertcat(q[1], 0, q[0]) + hung,
        [*forces[:2], 0.0, 0.0, forces[2]], [0.0, 0.0, 0.2, 0.1, 2.0], gravity,
    )  # fmt: skip


def rotary(forces: Sequence[float], inertia: float = 0.0, gravity: float = GRAVITY) -> list[float]:
    """Jib of 100 kg and 480 kg m^2 about its centre at 1 m, trolley of 10 kg, the load below.

    `inertia` is the trolley's about the vertical.
    """
    return _hung(
        480.0 + 100.0 + inertia, lambda q, hung: _turned(1, q[0]) @ (ca.vertcat(q[1], 0, 0) + hung),
        [*forces[:2], 0.0, 0.0, forces[2]], [0.0, 3.0, 0.2, 0.1, 2.0], gravity,
    )  # fmt: skip
