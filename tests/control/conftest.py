"""The rotary crane and motion of the benchmark of two-degree-of-freedom control."""

from __future__ import annotations

import math
from functools import cache

import pytest

from cranebridge.control.design.law import LawDesign, design_law
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import ServoProblem, time_grid
from cranebridge.path import make_path
from cranebridge.twin.cranes.rotary import RotaryCrane

CYCLE = 0.005
WEIGHTS = {
    **{"q.phi": 10.0, "q.s": 1.0, "q.x": 100.0, "q.y": 100.0, "q.z": 100.0},
    **{"v.phi": 10.0, "v.s": 1.0, "v.x": 10.0, "v.y": 10.0, "v.z": 10.0},
    **{"u.M_b": 1e-6, "u.F_t": 1e-4, "u.M_w": 1e-3},
}
INTEGRALS = {"i.x": 5.0, "i.y": 5.0, "i.z": 5.0}
INDEPENDENT = ("phi", "s", "x", "y", "z")


@cache
def solved() -> Feedforward:
    crane = RotaryCrane()
    path = make_path(
        {
            "kind": "cylindrical",
            "start": [14.0, 0.0, -15.0],
            "goal": [5.0, 1.5 * math.pi, -3.0],
            "profile": "three-phase",
            "duration": 40.0,
            "ramp": 10.0,
            "smoothness": 4,
        },
        ("x", "y", "z"),
    )
    parameters = crane.parameter_values({"J_b": 30000.0, "m_t": 50.0, "m": 500.0})
    servo = ServoProblem(crane, path, parameters)
    return solve_index1(servo, time_grid(40.0, CYCLE))


@cache
def designed(kind: str) -> LawDesign:
    weights = WEIGHTS | (INTEGRALS if kind == "lqi" else {})
    return design_law(solved(), CYCLE, kind, weights, independent=INDEPENDENT)


@pytest.fixture(scope="session")
def feedforward() -> Feedforward:
    return solved()


@pytest.fixture(scope="session")
def lqr() -> LawDesign:
    return designed("lqr")


@pytest.fixture(scope="session")
def lqi() -> LawDesign:
    return designed("lqi")
