"""A plant that only offers Co-Simulation is compared with the twin by short motions.

From many states of the feedforward's motion, with constant inputs and also other parameter values,
plant and twin move for half a second, each by its own integrator, as far as the plant's start can
be set. Their motions and rope forces must agree to 1e-6 of their range.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import CranebridgeError
from cranebridge.forward import crane_dynamics, project, simulate_twin
from cranebridge.inverse import Feedforward, ServoProblem
from cranebridge.plant import Plant
from cranebridge.plant.protocol import Controls
from cranebridge.twin.language import names
from cranebridge.verify.certificate.outcome import (
    Certificate,
    Comparison,
    Coverage,
    Omission,
    looked_at,
)
from cranebridge.verify.certificate.states import PARAMETER_SETS, changed_parameters
from cranebridge.verify.mapping import PlantMap

Array = NDArray[np.float64]

MOTIONS = 16
# Length of each and distance of the compared times in s.
DURATION = 0.5
STEP = 0.02
TOLERANCE = 1e-10
# A start that misses what was asked for by more than this part of the range is another.
START = 1e-7


@dataclass(frozen=True, eq=False)
class _PairOfMotions:
    """One motion of both: coordinates and ropes, a row for each time, by signal."""

    twin: Mapping[str, Array]
    plant: Mapping[str, Array]
    where: str
    q: Array
    v: Array


def certify_by_motions(
    solution: Feedforward, plant: Plant, mapping: PlantMap, rng: np.random.Generator
) -> Certificate:
    """Compare twin and plant by short motions."""
    crane = mapping.crane
    wanted = (*names(crane.coordinates), *names(crane.ropes))
    missing = [
        Omission(name, "the plant does not give it; add plant.map.signals")
        for name in mapping.missing(wanted)
    ]
    times = np.linspace(solution.time[0], solution.time[-1], MOTIONS)
    motions: list[_PairOfMotions] = []
    for k, t in enumerate(times):
        try:
            found = _move(solution, float(t), k, plant, mapping, rng)
        except CranebridgeError as error:
            missing.append(Omission(f"the motion from t = {t:.3f} s", str(error)))
            continue
        if isinstance(found, Omission):
            missing.append(found)
        else:
            motions.append(found)
    return Certificate(
        compared=tuple(_comparisons(motions)),
        not_compared=tuple(dict.fromkeys(missing)),
        fmu_sha256=plant.info.sha256,
        samples=len(motions),
        notes=mapping.unit_notes,
        looked=_looked(solution, motions),
        parameters=tuple(mapping.parameter_rows(solution.problem, solution.q[0], solution.v[0])),
    )


def _looked(solution: Feedforward, motions: list[_PairOfMotions]) -> tuple[Coverage, ...]:
    if not motions:
        return ()
    compared = tuple(np.concatenate([getattr(one, group) for one in motions]) for group in "qv")
    coordinates = names(solution.problem.crane.coordinates)
    return looked_at(coordinates, (compared[0], compared[1]), (solution.q, solution.v))


def _move(
    solution: Feedforward,
    t: float,
    index: int,
    plant: Plant,
    mapping: PlantMap,
    rng: np.random.Generator,
) -> _PairOfMotions | Omission:
    """Let both move from the state that the solution has at a time."""
    crane, problem = mapping.crane, solution.problem
    if index % PARAMETER_SETS:
        problem = changed_parameters(problem, mapping, rng)
    row = int(np.argmin(np.abs(solution.time - t)))
    q, v = _start(problem, solution, row)
    u = solution.u[row] * rng.uniform(0.9, 1.1, len(crane.inputs))
    K, k = mapping.input_matrix(problem.parameters)
    times = np.linspace(0.0, DURATION, round(DURATION / STEP) + 1)
    run = plant.simulate(
        times=times,
        inputs=Controls.constant(K @ u + k, mapping.input_names),
        parameters=mapping.parameters(problem, q, v),
        start=mapping.start(problem, q, v),
        outputs=mapping.readings,
        rtol=TOLERANCE,
        atol=1e-2 * TOLERANCE,
        step=STEP,
    ).complete()
    given = [
        name
        for name in (*names(crane.coordinates), *names(crane.ropes))
        if not mapping.missing([name])
    ]
    values = mapping.signals(given, run.outputs, problem.parameter_vector)
    plant_values = dict(zip(given, values.T, strict=True))
    for group, state, motion in (("", q, solution.q), ("v.", v, solution.v)):
        for i, name in enumerate(names(crane.coordinates)):
            if mapping.missing([f"{group}{name}"]):
                continue
            size = float(np.ptp(motion[:, i])) + 1.0
            first = mapping.signals([f"{group}{name}"], run.outputs[:1], problem.parameter_vector)
            if abs(first[0, 0] - state[i]) > START * size:
                return Omission(
                    f"motions from other starts of {group}{name}",
                    "its start cannot be set: the plant has no parameter for it; add "
                    "plant.map.start",
                )
    twin = simulate_twin(
        crane, problem.parameters, q, v, lambda _t: u, times, rtol=TOLERANCE, atol=TOLERANCE
    )
    twin_values = {
        **dict(zip(names(crane.coordinates), twin.q.T, strict=True)),
        **dict(zip(names(crane.ropes), twin.ropes.T, strict=True)),
    }
    suffix = ", other parameters" if index % PARAMETER_SETS else ""
    where = f"from the state at t = {t:.3f} s{suffix}"
    return _PairOfMotions(twin_values, plant_values, where, twin.q, twin.v)


def _start(problem: ServoProblem, solution: Feedforward, row: int) -> tuple[Array, Array]:
    """Return a consistent state near the solution's, for the parameters of this motion."""
    dynamics = crane_dynamics(problem.crane)
    return project(dynamics, solution.q[row], solution.v[row], problem.parameter_vector)


def _comparisons(motions: list[_PairOfMotions]) -> list[Comparison]:
    if not motions:
        return []
    result = []
    for name in motions[0].plant:
        twin = np.array([motion.twin[name] for motion in motions])
        plant = np.array([motion.plant[name] for motion in motions])
        scale = max(float(np.ptp(plant)), 1e-6)
        difference = np.abs(twin - plant).max(axis=1)
        worst = int(np.argmax(difference))
        size = float(difference[worst]) / scale
        result.append(Comparison(f"motion of {name}", "motions", size, scale, motions[worst].where))
    return result
