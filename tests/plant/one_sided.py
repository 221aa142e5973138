"""A crane with a rope that can only pull, end stops and sticking drives, from the physics.

An oracle for the plants ``OverheadCraneReal`` and ``RotaryCraneReal``: the load is a point in
Cartesian coordinates, free unless the rope pulls, where the plants use swing angles. SciPy finds
the events, each of which is watched in the one direction that ends the present mode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.integrate import solve_ivp

Array = np.ndarray
Modes = dict[str, int]
DRIVES = ("phi", "s", "l")
PHI, S, L, C = 0, 1, 2, slice(3, 6)
V, W, LOST = 6, 12, 13  # velocities begin at V; work of the drives; energy lost


@dataclass(frozen=True)
class Machine:
    """Data in SI units; ``slide`` and ``stick`` in the order of the drives phi, s, l (at the drum).

    The overhead crane is the rotary crane whose slewing sticks for ever.
    """

    m: float = 100.0
    m_t: float = 10.0
    J_b: float = 480.0
    J_w: float = 0.1
    r: float = 0.1
    g: float = 9.81
    k_r: float = 1e5
    d_r: float = 0.0
    slide: tuple[float, float, float] = (0.0, 0.0, 0.0)
    stick: tuple[float, float, float] = (0.0, 0.0, 0.0)
    s_min: float = -1000.0
    s_max: float = 1000.0
    k_e: float = 1e5
    d_e: float = 1e3
    torques: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def springs(self, y: Array) -> dict[str, tuple[float, float, float, float]]:
        """Deflection, its rate, stiffness and damping."""
        _, _, top, top_v = self.jib(y)
        rope, rope_v = y[C] - top, y[V:][C] - top_v
        length = np.linalg.norm(rope)
        s, v_s = y[S], y[V + S]
        return {
            "rope": (length - y[L], rope @ rope_v / length - y[V + L], self.k_r, self.d_r),
            "min": (self.s_min - s, -v_s, self.k_e, self.d_e),
            "max": (s - self.s_max, v_s, self.k_e, self.d_e),
        }

    def jib(self, y: Array) -> tuple[Array, Array, Array, Array]:
        """Directions across and along the jib, position and velocity of the trolley."""
        along = np.array([np.cos(y[PHI]), np.sin(y[PHI]), 0.0])
        across = np.array([-np.sin(y[PHI]), np.cos(y[PHI]), 0.0])
        top_v = y[V + S] * along + y[S] * y[V + PHI] * across
        return across, along, y[S] * along, top_v

    def push(self, y: Array, modes: Modes) -> tuple[Array, dict[str, float]]:
        """What acts on the drives without friction, and the springs' forces."""
        across, along, top, _ = self.jib(y)
        forces = {
            name: (k * x + d * v) * modes[name] for name, (x, v, k, d) in self.springs(y).items()
        }
        pull = forces["rope"] * (y[C] - top) / np.linalg.norm(y[C] - top)
        s, v_s, v_phi = y[S], y[V + S], y[V + PHI]
        acting = np.array(self.torques) + np.array(
            [
                s * (pull @ across) - 2.0 * self.m_t * s * v_s * v_phi,
                pull @ along + self.m_t * s * v_phi**2 + forces["min"] - forces["max"],
                self.r * forces["rope"],
            ]
        )
        return acting, forces

    def derivative(self, y: Array, modes: Modes) -> Array:
        push, forces = self.push(y, modes)
        rope = y[C] - self.jib(y)[2]
        inertia = np.array([self.J_b + self.m_t * y[S] ** 2, self.m_t, self.J_w / self.r])
        free = np.array([modes[name] != 0 or self.stick[i] == 0 for i, name in enumerate(DRIVES)])
        friction = np.array([modes[name] for name in DRIVES]) * self.slide
        rate = np.array([y[V + PHI], y[V + S], y[V + L] / self.r])
        dy = np.zeros(14)
        dy[:V] = y[V:W]
        dy[V : V + 3] = free * (push - friction) / inertia
        dy[V:][C] = -forces["rope"] * rope / np.linalg.norm(rope) / self.m
        dy[V + 5] -= self.g
        dy[W] = self.torques @ rate
        # Also while it does not act but is deflected still: the damper takes the spring's energy.
        dampers = [
            (forces[name] - k * max(x, 0.0)) * v for name, (x, v, k, _) in self.springs(y).items()
        ]
        dy[LOST] = sum(dampers) + friction @ rate
        return dy

    def energy(self, y: Array) -> float:
        inertia = np.array([self.J_b + self.m_t * y[S] ** 2, self.m_t, self.J_w / self.r**2])
        inertia = np.concatenate([inertia, np.full(3, self.m)])
        stored = sum(k * max(x, 0.0) ** 2 / 2 for x, _, k, _ in self.springs(y).values())
        return float(inertia @ y[V:W] ** 2 / 2 + self.m * self.g * y[5] + stored)

    # --- events ---------------------------------------------------------------------------------

    def margin(self, name: str, y: Array) -> float:
        """Positive where a spring acts: deflected, and neither pulled nor pushed the other way."""
        x, v, k, d = self.springs(y)[name]
        return min(x, x + d / k * v)

    def first_modes(self, y: Array) -> Modes:
        modes = {name: int(self.margin(name, y) > 0.0) for name in ("rope", "min", "max")}
        for i, name in enumerate(DRIVES):
            modes[name] = int(np.sign(y[V + i])) if self.stick[i] else 0
        return self.broken_loose(y, modes)

    def broken_loose(self, y: Array, modes: Modes) -> Modes:
        """Let drives slide that stick no more."""
        push = self.push(y, modes)[0]
        loose = {
            name: self.breaks(i, push)
            for i, name in enumerate(DRIVES)
            if self.stick[i] and not modes[name]
        }
        return modes | loose

    def breaks(self, i: int, push: Array) -> int:
        """Direction in which a drive at rest begins to slide; 0 if it sticks."""
        return int(np.sign(push[i])) if abs(push[i]) > self.stick[i] else 0

    def watches(self, modes: Modes) -> list[tuple[str, Callable[[Array], float], int]]:
        """What ends the present modes: name, function of the state, direction of its zero."""
        found: list[tuple[str, Callable[[Array], float], int]] = [
            (name, partial(self.margin, name), -1 if modes[name] else 1)
            for name in ("rope", "min", "max")
        ]

        def slides(i: int, sign: int, y: Array) -> float:
            return float(sign * y[V + i])

        def holds(i: int, y: Array) -> float:
            return float(abs(self.push(y, modes)[0][i]) - self.stick[i])

        for i, name in enumerate(DRIVES):
            if self.stick[i] and modes[name]:
                found.append((name, partial(slides, i, modes[name]), -1))
            elif self.stick[i] and np.isfinite(self.stick[i]):
                found.append((name, partial(holds, i), 1))
        return found

    def after(self, name: str, y: Array, modes: Modes) -> tuple[Array, Modes]:
        """State and modes after what was watched has happened."""
        y = y.copy()
        if name not in DRIVES:
            modes = modes | {name: 1 - modes[name]}
        elif modes[name]:
            y[V + DRIVES.index(name)] = 0.0
            modes = modes | {name: 0}
        else:
            push = self.push(y, modes)[0][DRIVES.index(name)]
            return y, modes | {name: int(np.sign(push))}
        return y, self.broken_loose(y, modes)


@dataclass(frozen=True)
class Motion:
    """States at the times, and what happened when."""

    y: Array
    events: list[tuple[float, str, int]]


def move(
    machine: Machine, y: Array, times: Array, torques: Mapping[float, Sequence[float]]
) -> Motion:
    """Integrate through all events.

    Parameters
    ----------
    y : numpy.ndarray
        Positions phi, s, l, x, y, z and their velocities at the first time.
    torques : mapping of float to sequence of float
        What the drives give from these times on.
    """
    y, t, rows, events = np.concatenate([y, np.zeros(2)]), float(times[0]), [], []
    modes: Modes = {}
    for end in sorted({*map(float, times), *torques}):
        while t < end:
            t, y, modes, happened = _until_event(machine, t, y, modes, end)
            events += [(t, happened, modes[happened])] if happened else []
        if end in torques:
            machine = replace(machine, torques=tuple(torques[end]))
            modes = machine.broken_loose(y, modes) if modes else machine.first_modes(y)
        if end in times:
            rows.append(y)
    return Motion(np.array(rows), events)


def _until_event(
    machine: Machine, t: float, y: Array, modes: Modes, end: float
) -> tuple[float, Array, Modes, str]:
    watches = machine.watches(modes)
    events = []
    for _, watch, direction in watches:

        def event(_t: float, y: Array, watch: Callable[[Array], float] = watch) -> float:
            return watch(y)

        event.terminal, event.direction = True, direction
        events.append(event)
    found = solve_ivp(
        lambda _, y: machine.derivative(y, modes), (t, end), y,
        method="DOP853", rtol=1e-12, atol=1e-12, events=events, max_step=0.05,
    )  # fmt: skip
    assert found.success
    t, y = float(found.t[-1]), found.y[:, -1]
    for (name, _, _), at in zip(watches, found.t_events, strict=True):
        if len(at):
            return t, *machine.after(name, y, modes), name
    return t, y, modes, ""
