"""Simulators that are called with sampled inputs: the plants of the learning benchmark.

Straight lines between the samples, classical Runge-Kutta steps, restarted from the same state: an
integrator of its own, so that nothing of the package simulates what it learns from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from cranebridge.learn.models.sampled_model import SampledModel, with_lines_between


@dataclass(frozen=True, eq=False)
class BlackBox:
    """x' = f(x, u), y = h(x), sampled."""

    f: Callable[[ca.SX, ca.SX], ca.SX]
    h: Callable[[ca.SX], ca.SX]
    states: int
    inputs: int
    step: float
    parts: int
    start: tuple[float, ...]

    @cached_property
    def _step(self) -> ca.Function:
        x, u0, u1 = ca.SX.sym("x", self.states), *(ca.SX.sym(n, self.inputs) for n in "uw")
        f = ca.Function("f", [x, u0], [self.f(x, u0)])
        end, d = x, self.step / self.parts
        for i in range(self.parts):
            a, b, c = (u0 + (u1 - u0) * (i + part) / self.parts for part in (0.0, 0.5, 1.0))
            k1 = f(end, a)
            k2 = f(end + d / 2 * k1, b)
            k3 = f(end + d / 2 * k2, b)
            k4 = f(end + d * k3, c)
            end = end + d / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return ca.Function("step", [x, u0, u1], [end])

    @cached_property
    def _derivatives(self) -> tuple[ca.Function, ca.Function]:
        x, u0, u1 = ca.SX.sym("x", self.states), *(ca.SX.sym(n, self.inputs) for n in "uw")
        end = self._step(x, u0, u1)
        matrices = [ca.densify(ca.jacobian(end, part)) for part in (x, u0, u1)]
        outputs = ca.densify(ca.jacobian(self.h(x), x))
        return ca.Function("d", [x, u0, u1], matrices), ca.Function("C", [x], [outputs])

    def states_of(self, u: np.ndarray) -> np.ndarray:
        """The states at all samples, a column for each."""
        run = self._step.mapaccum("run", len(u) - 1, {"base": 10})
        return np.hstack(
            [np.reshape(self.start, (-1, 1)), np.array(run(self.start, u[:-1].T, u[1:].T))]
        )

    def __call__(self, u: np.ndarray) -> np.ndarray:
        x = ca.SX.sym("x", self.states)
        outputs = ca.Function("h", [x], [self.h(x)]).map(len(u))
        return np.array(outputs(self.states_of(u))).T

    def model(self, u: np.ndarray) -> SampledModel:
        """The Jacobians of the steps along the motion that inputs give: exact sensitivities."""
        x = self.states_of(u)
        steps, outputs = self._derivatives
        count = len(u) - 1
        found = steps.map(count)(x[:, :-1], u[:-1].T, u[1:].T)
        A, B0, B1 = (_stack(part, count) for part in found)
        C = _stack(outputs.map(count + 1)(x), count + 1)
        return with_lines_between(
            self.step, A, B0, B1, C, np.zeros((count + 1, C.shape[1], self.inputs))
        )


def _stack(values: ca.DM, count: int) -> np.ndarray:
    matrix = np.array(values)
    return matrix.reshape(len(matrix), count, -1).transpose(1, 0, 2)


def lifted_matrix(model: SampledModel) -> np.ndarray:
    """S as a dense matrix, column by column: what the package never builds."""
    count, _, m = model.B.shape
    columns = []
    for j in range(count * m):
        u = np.zeros(count * m)
        u[j] = 1.0
        columns.append(model.respond(u.reshape(count, m)).ravel())
    return np.array(columns).T


# ---------------------------------------------------------------------------- oscillator

MASS, SPRING, DAMPER, CUBIC = 0.5, 150.0, 1.5, 2e6


def oscillator_target(t: np.ndarray) -> np.ndarray:
    second = np.sin(3 * np.pi * t) + np.sin(9 * np.pi * t) / 3
    return np.column_stack([2e-3 * np.sin(2 * np.pi * t), 5e-3 * second])


def _oscillator(x: ca.SX, u: ca.SX) -> ca.SX:
    between = CUBIC * (x[1] - x[0]) ** 3 + DAMPER * (x[3] - x[2])
    first = (-SPRING * x[0] + between + SPRING * u[0]) / MASS
    second = (-SPRING * x[1] - between + SPRING * u[1]) / MASS
    return ca.vertcat(x[2], x[3], first, second)


OSCILLATOR = BlackBox(
    f=_oscillator,
    h=lambda x: x[:2],
    states=4,
    inputs=2,
    step=0.005,
    parts=2,
    start=(0.0, 0.0, 4e-3 * np.pi, 30e-3 * np.pi),
)


def oscillator_matrices(coupling: float) -> tuple[np.ndarray, ...]:
    """A, B, C, D at rest, with an equivalent stiffness of the cubic spring."""
    K = np.array([[SPRING + coupling, -coupling], [-coupling, SPRING + coupling]]) / MASS
    damping = DAMPER / MASS * np.array([[1.0, -1.0], [-1.0, 1.0]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-K, -damping]])
    B = np.vstack([np.zeros((2, 2)), SPRING / MASS * np.eye(2)])
    return A, B, np.eye(2, 4), np.zeros((2, 2))


# ---------------------------------------------------------------------------- overhead crane

TROLLEY, LOAD, DRUM, RADIUS, G = 10.0, 100.0, 10.0, 0.1, 9.81
POSITION, SPEED = (4000.0, 20000.0), (800.0, 3000.0)
HOLD = -LOAD * G * RADIUS


def _crane(x, force, torque, load, friction):
    """Accelerations; x = (s, x, z, rates), z down; friction of trolley and rope."""
    dx, dz, vx, vz = x[1] - x[0], x[2], x[4] - x[3], x[5]
    length = ca.sqrt(dx**2 + dz**2)
    nx, nz = dx / length, dz / length
    rate = nx * vx + nz * vz
    torque = torque - RADIUS * friction[1] * rate
    force = force - friction[0] * x[3] - friction[2] * ca.tanh(x[3] / 0.02)
    pull = DRUM * (G * nz - nx * force / TROLLEY + (vx**2 + vz**2 - rate**2) / length)
    pull = (pull - torque / RADIUS) / (1 + DRUM * (1 / load + nx**2 / TROLLEY))
    accelerations = ((force + pull * nx) / TROLLEY, -pull * nx / load, G - pull * nz / load)
    return accelerations, length, rate


def _drives(x, u, length, rate):
    force = POSITION[0] * (u[0] - x[0]) - SPEED[0] * x[3]
    return force, RADIUS * (POSITION[1] * (u[1] - length) - SPEED[1] * rate) + HOLD


def _loop_model(x: ca.SX, u: ca.SX) -> ca.SX:
    _, length, rate = _crane(x, 0.0, 0.0, LOAD, (0.0, 0.0, 0.0))
    accelerations, _, _ = _crane(x, *_drives(x, u, length, rate), LOAD, (0.0, 0.0, 0.0))
    return ca.vertcat(x[3:6], *accelerations)


def _real_crane(x: ca.SX, u: ca.SX) -> ca.SX:
    """With friction, a heavier load and a lag of both drives."""
    friction = (40.0, 60.0, 20.0)
    accelerations, length, rate = _crane(x, x[6], x[7], 1.1 * LOAD, friction)
    force, torque = _drives(x, u, length, rate)
    return ca.vertcat(x[3:6], *accelerations, (force - x[6]) / 0.05, (torque - x[7]) / 0.05)


SAGGED = 4.004905
OVERHEAD_MODEL = BlackBox(
    f=_loop_model,
    h=lambda x: x[1:3],
    states=6,
    inputs=2,
    step=0.01,
    parts=2,
    start=(0.0, 0.0, 4.0, 0.0, 0.0, 0.0),
)
OVERHEAD_REAL = BlackBox(
    f=_real_crane,
    h=lambda x: x[1:3],
    states=8,
    inputs=2,
    step=0.01,
    parts=4,
    start=(0.0, 0.0, SAGGED, 0.0, 0.0, 0.0, 0.0, -1.1 * LOAD * G * RADIUS),
)


def overhead_record(count: int = 1000, begin: float = 2.0) -> tuple[np.ndarray, ...]:
    """Times, target and the commands of the flat inverse of the model's loop (derived by hand)."""
    t = 0.01 * np.arange(count)
    k = np.clip((t - begin) / 3.0, 0.0, 1.0)
    powers = np.array([126.0, -420.0, 540.0, -315.0, 70.0])
    c = sum(p * k**n for n, p in enumerate(powers, 5))
    polynomial = np.polynomial.Polynomial(np.concatenate([np.zeros(5), powers]))
    moving = (k > 0.0) & (k < 1.0)
    d1, d2, d3, d4 = (np.where(moving, polynomial.deriv(n)(k), 0.0) / 3.0**n for n in range(1, 5))
    # flat: the rope points along (x'', z'' - g); s = x - z x''/(z'' - g) with z down
    x, z, ax, az = 5 * c, 4 - 3 * c, 5 * d2, -3 * d2
    jx, jz, sx, sz = 5 * d3, -3 * d3, 5 * d4, -3 * d4
    vx, vz = 5 * d1, -3 * d1
    w, w1, w2 = ax / (G - az), None, None
    w1 = (jx + w * jz) / (G - az)
    w2 = (sx + w * sz + 2 * w1 * jz) / (G - az)
    s, s1 = x + z * w, vx + vz * w + z * w1
    s2 = ax + az * w + 2 * vz * w1 + z * w2
    tension = LOAD * np.hypot(ax, G - az)
    length = np.hypot(x - s, z)
    nx = (x - s) / length
    force = TROLLEY * s2 - tension * nx
    rate = np.gradient(length, 0.01)
    rate2 = ((vx - s1) ** 2 + vz**2 - ((x - s) * (vx - s1) + z * vz) ** 2 / length**2) / length
    rate2 = rate2 + ((x - s) * (ax - s2) + z * az) / length
    torque = RADIUS * (DRUM * rate2 - tension)
    commands = np.column_stack(
        [
            s + (force + SPEED[0] * s1) / POSITION[0],
            length + ((torque - HOLD) / RADIUS + SPEED[1] * rate) / POSITION[1],
        ]
    )
    return t, np.column_stack([x, z]), commands
