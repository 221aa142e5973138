"""Speed of the inverse, as ratios against peers in the same run.

    .venv/bin/python benchmarks/inverse.py

Peers of the rotary crane: a SciPy `fsolve` loop over the same algebraic system, and IPOPT on a
direct collocation of the same tracking problem. Both solve a part of the 20 001 points and are
compared per point. How fast the kernel over lanes is, against an earlier version and against other
forms of itself, is measured by `benchmarks/inverse_kernel.py`, which runs first.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial

import casadi as ca
import numpy as np
from inverse_kernel import kernel_claims
from scipy.optimize import fsolve

from cranebridge.inverse import ServoProblem
from cranebridge.inverse.extension import analyse, residuals
from cranebridge.inverse.index1 import point_solver, solve_index1
from cranebridge.scenario import load_scenario

POINTS = 20_001


def best_of(action: Callable[[], object], repeat: int = 7) -> float:
    """Shortest wall time of several runs, in s: what the machine can do when left alone."""
    times = []
    for _ in range(repeat):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return min(times)


def fsolve_seconds_per_point(problem: ServoProblem, points: int) -> float:
    """Solve the index-1 system at each time by `fsolve`, warm started, compiled residual."""
    structure = analyse(problem.crane)
    m, n = structure.model, structure.model.q.numel()
    gammas = [ca.SX.sym(f"g{k}", m.outputs.numel()) for k in range(5)]
    q, v, a = m.q, m.v, m.a
    start = residuals(m, gammas[0])
    # Stages -4 ... 0 as one system: the unknowns are all derivatives that the stages determine.
    unknowns: list[ca.SX] = [q, v, a, m.lam, m.u]
    rate = {k: ca.SX.sym(k, size) for k, size in (("q3", n), ("q4", n), ("l1", 1), ("l2", 1))}
    state = ca.vertcat(q, v, a, rate["q3"], m.lam, rate["l1"], *gammas[:4])
    shifted = ca.vertcat(v, a, rate["q3"], rate["q4"], rate["l1"], rate["l2"], *gammas[1:])
    load = [i for i, c in enumerate(structure.equation_offsets) if c >= 2]
    servo = [i for i, c in enumerate(structure.equation_offsets) if c == 4]
    once = ca.jtimes(start[load], state, shifted)
    twice = ca.jtimes(once, state, shifted)
    servo_rates = [start[servo]]
    for _ in range(4):
        servo_rates.append(ca.jtimes(servo_rates[-1], state, shifted))
    equations = ca.vertcat(start, once, twice, *servo_rates[3:])
    loads = list(range(n - 3, n))
    unknowns += [rate["q3"][loads], rate["q4"][loads], rate["l1"], rate["l2"]]
    z = ca.vertcat(*unknowns)
    fixed = ca.vertcat(rate["q3"][:3], rate["q4"][:3])
    equations = ca.substitute(equations, fixed, ca.SX.zeros(6))
    function = ca.Function(
        "f", [z, ca.vertcat(*gammas), m.p], [equations, ca.jacobian(equations, z)]
    )
    assert equations.numel() == z.numel()
    times = np.linspace(0.0, problem.path.duration, POINTS)[:points]
    values = problem.path.derivatives(times, 4).transpose(2, 0, 1).reshape(points, -1)
    p = problem.parameter_vector
    exact = solve_index1(problem, times)
    guess = np.zeros(z.numel())
    guess[: 3 * n + 4] = np.concatenate(
        [x[0] for x in (exact.q, exact.v, exact.a, exact.lam, exact.u)]
    )
    started = time.perf_counter()
    for row in range(points):
        g = values[row]
        guess = fsolve(
            lambda y, g=g: np.array(function(y, g, p)[0])[:, 0],
            guess,
            fprime=lambda y, g=g: np.array(function(y, g, p)[1]),
            xtol=1e-12,
        )
    seconds = (time.perf_counter() - started) / points
    error = np.abs(guess[3 * n + 1 : 3 * n + 4] - exact.u[-1]).max()
    assert error < 1e-6, f"the peer solves another problem: {error}"
    return seconds


def ipopt_seconds_per_point(problem: ServoProblem, intervals: int) -> float:
    """Track the path by direct collocation (Radau's one-point rule) with IPOPT.

    Minimal coordinates phi, s, l and two swing angles; least squares of the load's error, and of
    the controls' changes with a small weight, without which the problem is singular. Started from
    the path itself with the load hanging straight, which is close.
    """
    p = problem.parameters
    y, yd = ca.SX.sym("y", 5), ca.SX.sym("yd", 5)
    u = ca.SX.sym("u", 3)
    phi, s, length, a, b = ca.vertsplit(y)
    n = ca.vertcat(ca.sin(b), -ca.sin(a) * ca.cos(b), -ca.cos(a) * ca.cos(b))
    bridge = ca.vertcat(s, 0, 0) + length * n
    x = ca.vertcat(
        ca.cos(phi) * bridge[0] - ca.sin(phi) * bridge[1],
        ca.sin(phi) * bridge[0] + ca.cos(phi) * bridge[1],
        bridge[2],
    )
    velocity = ca.jtimes(x, y, yd)
    kinetic = 0.5 * (
        (p["J_b"] + p["m_t"] * s**2) * yd[0] ** 2
        + p["m_t"] * yd[1] ** 2
        + p["J_w"] / p["r_w"] ** 2 * yd[2] ** 2
        + p["m"] * ca.sumsqr(velocity)
    )
    momentum = ca.gradient(kinetic, yd)
    force = (
        ca.gradient(kinetic, y)
        - ca.jtimes(momentum, y, yd)
        - ca.gradient(p["m"] * p["g"] * x[2], y)
        + ca.vertcat(u[0], u[1], u[2] / p["r_w"], 0, 0)
    )
    rhs = ca.vertcat(yd, ca.solve(ca.jacobian(momentum, yd), force))
    state = ca.vertcat(y, yd)
    f = ca.Function("f", [state, u], [rhs])
    position = ca.Function("x", [state], [x])
    times = np.linspace(0.0, problem.path.duration, intervals + 1)
    h, wanted = times[1] - times[0], problem.path(times)
    X, U = ca.MX.sym("X", 10, intervals + 1), ca.MX.sym("U", 3, intervals + 1)
    slopes = f.map(intervals + 1)(X, U)
    defects = X[:, 1:] - X[:, :-1] - h * slopes[:, 1:]
    cost = ca.sumsqr(position.map(intervals + 1)(X) - wanted) + 1e-6 * ca.sumsqr(
        U[:, 1:] - U[:, :-1]
    )
    start = np.zeros(10)
    start[1:3] = 5.0, 5.0
    constraints = ca.vertcat(X[:, 0] - start, ca.vec(defects))
    nlp = {"x": ca.vertcat(ca.vec(X), ca.vec(U)), "f": cost, "g": constraints}
    options = {"print_time": False, "ipopt": {"print_level": 0, "sb": "yes", "max_iter": 100}}
    solver = ca.nlpsol("ipopt", "ipopt", nlp, options)
    holding = np.array([0.0, 0.0, -p["m"] * p["g"] * p["r_w"]])
    hanging = np.zeros((intervals + 1, 10))
    hanging[:, 0] = np.unwrap(np.arctan2(wanted[1], wanted[0]))
    hanging[:, 1], hanging[:, 2] = np.hypot(wanted[0], wanted[1]), -wanted[2]
    hanging[:, 5:8] = np.gradient(hanging[:, :3], h, axis=0)
    guess = np.concatenate([hanging.ravel(), np.tile(holding, intervals + 1)])
    started = time.perf_counter()
    solution = solver(x0=guess, lbg=0.0, ubg=0.0)
    seconds = (time.perf_counter() - started) / (intervals + 1)
    states = np.array(solution["x"])[: 10 * (intervals + 1)].reshape(-1, 10)
    error = np.abs(np.array(position.map(intervals + 1)(states.T)) - wanted).max()
    print(f"IPOPT: {solver.stats()['return_status']}, load within {error:.1e} m of the path")
    return seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer-points", type=int, default=2001, help="points of each peer")
    peer_points = parser.parse_args().peer_points
    reached = kernel_claims()
    problem = load_scenario("rotary").problem
    times = np.linspace(0.0, problem.path.duration, POINTS)
    rates = {}
    for mode in ("always", "never"):
        point_solver(problem, mode)
        rates[mode] = POINTS / best_of(partial(solve_index1, problem, times, mode))
        print(f"index 1, compile {mode}: {rates[mode]:,.0f} points per second")
    own = 1.0 / rates["always"]
    fsolve_ratio = fsolve_seconds_per_point(problem, peer_points) / own
    ipopt_ratio = ipopt_seconds_per_point(problem, 400) / own
    print(f"index 1 is {fsolve_ratio:,.0f} times faster than fsolve (wanted: 50)")
    print(f"index 1 is {ipopt_ratio:,.0f} times faster than IPOPT collocation (wanted: 100)")
    reached |= {
        "100 000 points per second without a compiler": rates["never"] >= 1e5,
        "50 times faster than fsolve": fsolve_ratio >= 50,
        "100 times faster than IPOPT": ipopt_ratio >= 100,
    }
    for claim, holds in reached.items():
        print(f"{'reached' if holds else 'MISSED '}  {claim}")
    return 0 if all(reached.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
