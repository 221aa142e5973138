"""Flat plans of random tasks beside collocation: is a plan longer than it says it may be?

    python benchmarks/plan_random.py [--count 32] [--seed 100]

Overhead and rotary cranes in turn, with random payloads, ends and limits; some overhead cranes have
a trolley without a limit of its force, some start with a displaced load. Collocation on 40
intervals finds the shortest time for itself, with drives that jump and limits of drives and ropes
that hold at its points; it ends in other local optima, too, so that a ratio below one is no error.
Prints each task, and the ratios at last. Times are CPU times.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "tests" / "plan"))
from optimal_control import OVERHEAD, ROTARY, hanging, slewed

from cranebridge.errors import CranebridgeError
from cranebridge.limits import Limits
from cranebridge.plan import Mesh, solve_collocation
from cranebridge.plan.flat import find_plan
from cranebridge.plan.task import PlanTask, State

G, RADIUS = 9.81, 0.1
INTERVALS = 40


def overhead(rng: np.random.Generator) -> PlanTask:
    """Return a transport by an overhead crane."""
    m, way = rng.uniform(50.0, 200.0), rng.uniform(2.0, 15.0) * rng.choice([-1.0, 1.0])
    low, high = -rng.uniform(2.0, 7.0, 2)
    hold = m * G * RADIUS
    u = {"M_w": [-rng.uniform(1.2, 2.0) * hold, -rng.uniform(0.3, 0.8) * hold]}
    if rng.random() < 0.7:
        u["F_t"] = rng.uniform(100.0, 600.0)
    v = {"s": rng.uniform(0.5, 4.0), "l": rng.uniform(0.4, 2.0)}
    start = hanging(0.0, low)
    if rng.random() < 0.3:
        away = rng.uniform(-0.5, 0.5)
        start = State(np.array([0.0, np.hypot(away, low), away, low]), np.zeros(4))
    limits = {"u": u, "v": v, "rope": 0.1 * m * G, "q": {"l": [1.0, 9.0]}}
    data = OVERHEAD.parameter_values({"m": m})
    return PlanTask(
        OVERHEAD, data, start, hanging(way, high), Limits.from_mapping(limits, OVERHEAD)
    )


def rotary(rng: np.random.Generator) -> PlanTask:
    """Return a transport by a rotary crane."""
    m, radii, angle = rng.uniform(200.0, 800.0), rng.uniform(5.0, 14.0, 2), rng.uniform(0.3, 2.5)
    low, high = -rng.uniform(4.0, 15.0, 2)
    hold = m * G * RADIUS
    limits = {
        "u": {
            "M_b": rng.uniform(4000.0, 12000.0),
            "F_t": rng.uniform(200.0, 800.0),
            "M_w": [-rng.uniform(1.2, 1.6) * hold, -rng.uniform(0.5, 0.8) * hold],
        },
        "v": {
            "phi": rng.uniform(0.1, 0.4),
            "s": rng.uniform(0.4, 1.2),
            "l": rng.uniform(0.5, 1.5),
        },
        "q": {"s": [3.0, 15.0], "l": [2.0, 20.0]},
        "rope": 0.1 * m * G,
    }
    data = ROTARY.parameter_values({"J_b": 30000.0, "m_t": 50.0, "m": m})
    ends = slewed(radii[0], 0.0, low), slewed(radii[1], angle, high)
    return PlanTask(ROTARY, data, *ends, Limits.from_mapping(limits, ROTARY))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=32, help="how many tasks")
    parser.add_argument("--seed", type=int, default=100, help="of the first task")
    given = parser.parse_args()
    ratios = []
    for seed in range(given.seed, given.seed + given.count):
        make = overhead if seed % 2 else rotary
        task = make(np.random.default_rng(seed))
        begun = time.process_time()
        plan = find_plan(task)
        planned = time.process_time()
        words = (
            f"{seed} {make.__name__:8} {plan.duration:8.4f} s, up to {plan.remaining:.2%} too long"
        )
        words += f" ({planned - begun:.1f} s CPU)" + "".join(f"; {note}" for note in plan.notes)
        try:
            shortest = solve_collocation(task, Mesh(INTERVALS)).cost
        except CranebridgeError as error:
            print(f"{words}; no collocation: {error}", flush=True)
            continue
        ratios.append(plan.duration / shortest)
        took = time.process_time() - planned
        print(
            f"{words}; collocation {shortest:.4f} s ({took:.1f} s CPU): {ratios[-1]:.4f}",
            flush=True,
        )
    print(
        f"{len(ratios)} tasks, ratios {min(ratios):.4f} to {max(ratios):.4f}, "
        f"median {np.median(ratios):.4f}"
    )


if __name__ == "__main__":
    main()
