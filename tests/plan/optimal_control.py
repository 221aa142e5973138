"""The problems of the benchmark A (optimal control), in the twins' own coordinates.

The benchmark's z of the overhead crane points down, the twin's up; torques have the same signs.
The sample tables are those of the benchmark, made by a program that shares no code with ours.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cranebridge.limits import Limits
from cranebridge.path import Line, polynomial, three_phase
from cranebridge.plan.collocation.collocation_solution import CollocationSolution
from cranebridge.plan.task.task import Objective, PlanTask, State
from cranebridge.plan.task.tracking_cost import TrackingCost
from cranebridge.twin import Crane
from cranebridge.twin.cranes.overhead import OverheadCrane
from cranebridge.twin.cranes.rotary import RotaryCrane

Array = NDArray[np.float64]
TABLES = Path(__file__).parents[1] / "data" / "optimal-control"

OVERHEAD = OverheadCrane()
DATA = OVERHEAD.parameter_values()
ROTARY = RotaryCrane()
ROTARY_DATA = ROTARY.parameter_values({"J_b": 30000.0, "m_t": 50.0, "m": 500.0})

FORCES = {"u": {"F_t": 300.0, "M_w": [-150.0, -50.0]}, "rope": 98.1, "q": {"l": [1.0, 8.0]}}
SPEEDS = {"v": {"s": 2.5, "l": 1.0}}
ROTARY_LIMITS = {
    "u": {"M_b": 8000.0, "F_t": 300.0, "M_w": [-700.0, -300.0]},
    "v": {"phi": 0.25, "s": 0.8, "l": 1.0},
    "q": {"s": [3.0, 15.0], "l": [2.0, 20.0]},
    "rope": 490.5,
}


def hanging(x: float, z: float) -> State:
    """Return the overhead crane at rest, z up."""
    return State(np.array([x, -z, x, z]), np.zeros(4))


def overhead_task(
    objective: Objective = "time", duration: float | None = None, speeds: bool = True
) -> PlanTask:
    """Return c1, c2 or (without limits of speeds) c3."""
    limits = Limits.from_mapping(FORCES | (SPEEDS if speeds else {}), OVERHEAD)
    ends = hanging(0.0, -5.0), hanging(10.0, -3.0)
    return PlanTask(OVERHEAD, DATA, *ends, limits, objective, duration)


def rotary_task(objective: Objective = "time", duration: float | None = None) -> PlanTask:
    """Return d1 or d2."""
    limits = Limits.from_mapping(ROTARY_LIMITS, ROTARY)
    ends = slewed(14.0, 0.0, -15.0), slewed(8.0, 2.0 * np.pi / 3.0, -8.0)
    return PlanTask(ROTARY, ROTARY_DATA, *ends, limits, objective, duration)


def slewed(r: float, phi: float, z: float) -> State:
    """Return the rotary crane at rest."""
    q = np.array([phi, r, -z, r * np.cos(phi), r * np.sin(phi), z])
    return State(q, np.zeros(6))


ENDS = (("x", "z"), (0.0, -4.0), (5.0, -1.0))
P9 = Line(*ENDS, polynomial(3.0))
C1 = Line(*ENDS, three_phase(3.0, 1.0, 1))
C0 = Line(*ENDS, polynomial(3.0, 0))
WINCH = {"M_w": DATA["r"]}
"""The benchmark weighs M / r."""

TRACKINGS = {
    "a1": TrackingCost(P9, 1e-8, scales=WINCH),
    "a2": TrackingCost(P9, 1e-6, chi=5.0, alpha=0.1, scales=WINCH),
    "a3": TrackingCost(P9, 1e-8, scales=WINCH, end="rest"),
    "b1": TrackingCost(C1, 1e-7, scales=WINCH, before=1.0, after=1.0, end="rest"),
    "b3": TrackingCost(C0, 1e-7, scales=WINCH, after=1.0, end="rest"),
    "e1": TrackingCost(P9, 1e-6, scales=WINCH, extra=lambda q, v, u, y: 0.5 * (q.s - y.x) ** 2),
    "e2": TrackingCost(P9, 1e-8, scales=WINCH, weights={"z": 0.0}, end="rest"),
}
TRACKINGS |= {
    f"{case} {rho:g}": replace(TRACKINGS[case], rho=rho)
    for case, others in {
        "a1": (1e-6, 1e-10),
        "a2": (1e-8,),
        "b1": (1e-6, 1e-8),
        "e1": (1e-7, 1e-8),
    }.items()
    for rho in others
}
"""By case of the table A.2, with rho where there are several."""


def table(name: str, folder: Path = TABLES) -> dict[str, Array]:
    """Return the benchmark's samples by column."""
    found = np.genfromtxt(folder / f"{name}.csv", delimiter=",", names=True, deletechars="")
    assert found.dtype.names is not None
    return {column: found[column] for column in found.dtype.names}


def differences(
    found: CollocationSolution, samples: dict[str, Array], crane: Crane
) -> dict[str, float]:
    """Return the largest difference of each signal that a table of an overhead crane has."""
    at = found.sample(samples["t"])
    q = dict(zip([c.name for c in crane.coordinates], at.q.T, strict=True))
    v = dict(zip([c.name for c in crane.coordinates], at.v.T, strict=True))
    # at a node the benchmark takes the controls of the interval that begins there
    u = dict(zip([c.name for c in crane.inputs], found.controls(samples["t"]).T, strict=True))
    ours = {**q, "F": u["F_t"], "T": at.ropes[:, 0], "s'": v["s"], "l'": v["l"]}
    if "phi" in q:
        ours |= {"M_b": u["M_b"], "M_w": u["M_w"], "phi'": v["phi"]}
    else:
        ours |= {"M": u["M_w"], "z": -q["z"]}
    return {
        name: float(np.abs(ours[name] - values).max())
        for name, values in samples.items()
        if name != "t"
    }


def least_rope_force(found: CollocationSolution) -> float:
    """Return the least rope force at the 21 times of the benchmark's samples."""
    return float(found.sample(np.linspace(found.mesh[0], found.mesh[-1], 21)).ropes.min())


def errors(found: CollocationSolution, tracking: TrackingCost) -> tuple[Array, Array]:
    """Return largest and root mean square errors of the outputs on 601 points."""
    times = np.linspace(found.mesh[0], found.mesh[-1], 601)
    e = found.sample(times).outputs - tracking.at(times)[0].T
    return np.abs(e).max(axis=0), np.sqrt(np.mean(e**2, axis=0))
