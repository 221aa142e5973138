"""A verification's result made up from a feedforward: known errors on top of the wanted path."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from cranebridge.solve import Solved, solve_scenario

from cranebridge.inverse.feedforward import Feedforward
from cranebridge.limits.verdict import Verdict
from cranebridge.scenario import load_scenario
from cranebridge.twin.crane import names

SETTLING = 2.0


@dataclass(frozen=True)
class StandIn:
    feedforward: Feedforward
    time: Any
    wanted: Any
    achieved: Any
    error: Any
    q: Any
    u: Any
    ropes: Any
    drive_speeds: dict[str, Any]
    powers: dict[str, Any]
    max_error: dict[str, float]
    rms_error: dict[str, float]
    residual_swing: float
    budget: dict[str, float | None]
    verdicts: list[Verdict]
    energy_balance: float | None = 2e-12
    variants: dict[str, dict[str, float]] = field(default_factory=dict)


def make_solved(name: str, *settings: str) -> Solved:
    return solve_scenario(load_scenario(name, settings))


def make_tracking(solved: Solved, size: float = 4e-9, step: float = 0.01) -> StandIn:
    """Track with an error of `size` that swings, and rests of it while the load settles."""
    solution = solved.feedforward
    path, crane = solution.problem.path, solution.problem.crane
    time = np.append(np.arange(0.0, path.duration + SETTLING, step), path.duration + SETTLING)
    wanted = path(time).T
    swing = np.sin(2.0 * np.pi * time / 3.0) * np.minimum(time / path.duration, 1.0)
    error = size * swing[:, None] * np.linspace(1.0, 0.5, wanted.shape[1])
    limit = solved.scenario.tables.limits.tracking
    largest = float(np.abs(error).max())
    u = solution.controls(time)
    ropes = [np.interp(time, solution.time, column) for column in solution.ropes.T]
    speeds = {part.name: 0.1 * np.cos(time + i) for i, part in enumerate(crane.inputs)}
    verdict = Verdict(
        "tracking", largest <= limit, largest, limit, limit - largest, "m", float(time[-1])
    )
    return StandIn(
        feedforward=solution,
        time=time,
        wanted=wanted,
        achieved=wanted + error,
        error=error,
        q=solution.coordinates(time),
        u=u,
        ropes=np.column_stack(ropes),
        drive_speeds=speeds,
        powers={name: u[:, i] * speed for i, (name, speed) in enumerate(speeds.items())},
        max_error=dict(zip(names(crane.outputs), np.abs(error).max(axis=0), strict=True)),
        rms_error=dict(zip(names(crane.outputs), np.sqrt((error**2).mean(axis=0)), strict=True)),
        residual_swing=largest,
        budget={"sampling": 0.9 * size, "integrator": 2e-11, "model": 3e-13},
        verdicts=[verdict, *solved.verdicts],
        variants={"payload +20 %": dict.fromkeys(names(crane.outputs), 0.031)},
    )


CERTIFICATE = {"max_relative_difference": 3.4e-14, "where": "acceleration of s", "states": 1000}
