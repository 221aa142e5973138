"""Gains and poles at the goal against a design by hand: energies, matrix exponential, Riccati.

At rest a crane is M d2(dq) + K dq = B du, M and K second derivatives of kinetic and potential
energy (with the constraints' forces and the inputs in the latter), on what its constraints leave
free. Nothing here is of the design: not its linearisation, discretisation, weights or solver; only
the crane's energies, constraints and the numbers of its weights.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm, null_space, solve_discrete_are

from cranebridge.control import design_law
from cranebridge.control.analysis.frozen import LawAndMotion
from cranebridge.control.analysis.prospects import check_loop
from cranebridge.job.solving import solve_scenario
from cranebridge.scenario import load_scenario
from cranebridge.twin.language.crane import Components
from further import further

CYCLE = 0.005


class Rest:
    """A crane at rest: what its errors are made of, and how they move."""

    def __init__(self, crane, parameters, q0, u0, independent) -> None:
        titles = {
            kind: [one.name for one in getattr(crane, kind)]
            for kind in ("coordinates", "inputs", "outputs")
        }
        q, v = (ca.SX.sym(one, len(q0)) for one in "qv")
        u = ca.SX.sym("u", len(u0))
        p = Components(list(parameters), ca.SX(list(parameters.values())))
        places, rates = (Components(titles["coordinates"], one) for one in (q, v))
        given = Components(titles["inputs"], u)
        # A crane without friction: this is all that acts.
        power = crane.drive_power(places, rates, given, p)
        held = ca.vertcat(*crane.constraints(places, p).values())
        outputs = crane.output_map(places, p)
        seen = ca.vertcat(*(outputs[name] for name in titles["outputs"]))
        mass = ca.hessian(ca.SX(crane.kinetic_energy(places, rates, p)), v)[0]
        force = ca.gradient(ca.SX(crane.potential_energy(places, p)), q) - ca.gradient(power, v)
        lam = ca.SX.sym("lam", held.numel())
        balance = force + ca.jacobian(held, q).T @ lam

        def value(expression, multipliers):
            made = ca.Function("value", [q, v, u, lam], [ca.densify(expression)])
            return np.array(made(q0, np.zeros(len(q0)), u0, multipliers))

        none = np.zeros(held.numel())
        slopes = value(ca.jacobian(held, q), none)
        multipliers = np.linalg.lstsq(slopes.T, -value(force, none)[:, 0], rcond=None)[0]
        assert np.abs(value(balance, multipliers)).max() < 1e-6 * np.abs(u0).max()
        M = value(mass, multipliers)
        K = value(ca.jacobian(balance, q), multipliers)
        B = -value(ca.jacobian(balance, u), multipliers)
        # What has no mass rests where its forces balance: directions that are not free to move.
        free = null_space(slopes)
        massless = free @ null_space(free.T @ M @ free, rcond=1e-9)
        assert np.abs(massless.T @ B).max(initial=0.0) < 1e-9
        W = null_space(np.vstack([slopes, massless.T @ K / np.abs(K).max()]))
        inner = [titles["coordinates"].index(name) for name in independent]
        W = W @ np.linalg.inv(W[inner])
        inertia, f = W.T @ M @ W, len(inner)
        self.A = np.zeros((2 * f, 2 * f))
        self.A[:f, f:] = np.eye(f)
        self.A[f:, :f] = -np.linalg.solve(inertia, W.T @ K @ W)
        self.B = np.vstack([np.zeros((f, len(u0))), np.linalg.solve(inertia, W.T @ B)])
        self.C = value(ca.jacobian(seen, q), multipliers) @ W
        self.W, self.titles, self.inner = W, titles, inner

    def weight(self, weights) -> np.ndarray:
        """Return Q of positions and velocities: a sum of weighted squares."""
        f = self.W.shape[1]
        Q = np.zeros((2 * f, 2 * f))
        for place, rate, known, rows in (
            ("q", "v", "coordinates", self.W),
            ("y", "r", "outputs", self.C),
        ):
            for name, row in zip(self.titles[known], rows, strict=True):
                square = np.outer(row, row)
                Q[:f, :f] += weights[f"{place}.{name}"] * square
                Q[f:, f:] += weights[f"{rate}.{name}"] * square
        return Q


def held_over(A: np.ndarray, B: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
    n, m = B.shape
    block = np.zeros((n + m, n + m))
    block[:n, :n], block[:n, n:] = A, B
    whole = expm(time * block)
    return whole[:n, :n], whole[:n, n:]


def optimal(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray) -> np.ndarray:
    P = solve_discrete_are(A, B, Q, R)
    return np.asarray(np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A))


def resting(name: str, kind: str, delay: float):
    scenario = load_scenario(name)
    feedforward = solve_scenario(scenario).feedforward
    design = design_law(feedforward, CYCLE, kind, limits=scenario.limits, delay=delay)
    crane, end = scenario.crane, design.reference
    rest = Rest(crane, end.parameters, end.q[-1], end.u[-1], design.model.coordinates)
    R = np.diag([design.weights[f"u.{one.name}"] for one in crane.inputs])
    columns = [*rest.inner, *(len(crane.coordinates) + i for i in rest.inner)]
    checked = check_loop(LawAndMotion(design.law, design.reference, design.model), kind, ())
    return design, rest, R, columns, np.sort_complex(checked.poles["goal"])


def close(found: np.ndarray, wanted: np.ndarray) -> None:
    """Gains of each input to 1e-5 of its largest: the Riccati equation in another scaling."""
    assert (np.abs(found - wanted) <= 1e-5 * np.abs(wanted).max(axis=1, keepdims=True)).all()


def same_poles(found: np.ndarray, closed: np.ndarray, count: int) -> None:
    """All `count` of them, and no more: past inputs have z = 0."""
    z = np.linalg.eigvals(closed).astype(complex)
    z = z[np.argsort(-np.abs(z))]
    assert np.abs(z[count:]).max(initial=0.0) < 1e-6  # what rounding makes of two cycles of zeros
    wanted = np.log(z[:count]) / CYCLE
    assert len(found) == count
    for pole in wanted:  # no order is that of rounding
        assert np.abs(found - pole).min() < 1e-4 * max(1.0, abs(pole))


@pytest.mark.parametrize("name", [further("overhead"), "rotary", further("navy3d")])
def test_lqr_with_a_delay_of_one_and_a_half_cycles(name) -> None:
    """x_{k+1} = Phi x_k + (what u_{k-2} does in half a cycle, and u_{k-1} in the other half)."""
    design, rest, R, columns, poles = resting(name, "lqr", 1.5 * CYCLE)
    n, m = rest.B.shape
    half, acting = held_over(rest.A, rest.B, 0.5 * CYCLE)
    A, B = np.zeros((n + 2 * m, n + 2 * m)), np.zeros((n + 2 * m, m))
    A[:n, :n], A[:n, n : n + m], A[:n, n + m :] = half @ half, acting, half @ acting
    A[n + m :, n : n + m], B[n : n + m] = np.eye(m), np.eye(m)
    Q = np.zeros_like(A)
    Q[:n, :n] = rest.weight(design.weights)
    K = optimal(A, B, CYCLE * Q, CYCLE * R)
    close(design.law.K[-1][:, columns], K[:, :n])
    close(design.law.K_past[-1], K[:, n:])
    same_poles(poles, A - B @ K, n)


@pytest.mark.parametrize("name", ["overhead", further("rotary"), further("navy3d")])
def test_lqi(name) -> None:
    """Designed with integrals of the outputs; the loop that runs sums them up at its samples."""
    design, rest, R, columns, poles = resting(name, "lqi", 0.0)
    n, m = rest.B.shape
    k, f = len(rest.C), n // 2
    A, B = np.zeros((n + k, n + k)), np.vstack([rest.B, np.zeros((k, m))])
    A[:n, :n], A[n:, :f] = rest.A, rest.C
    Q = np.zeros_like(A)
    Q[:n, :n] = rest.weight(design.weights)
    Q[n:, n:] = np.diag([design.weights[f"i.{name}"] for name in rest.titles["outputs"]])
    Phi, Gamma = held_over(A, B, CYCLE)
    K = optimal(Phi, Gamma, CYCLE * Q, CYCLE * R)
    close(design.law.K[-1][:, columns], K[:, :n])
    close(design.law.K_integral[-1], K[:, n:])
    Phi[n:], Gamma[n:] = 0.0, 0.0
    Phi[n:, :f], Phi[n:, n:] = CYCLE * rest.C, np.eye(k)
    same_poles(poles, Phi - Gamma @ K, n + k)
