"""Are twin and plant the same machine? Accelerations and rope forces at many random states.

The plant is asked at random states, inputs and parameter values for its state derivatives, outputs
and exact Jacobians; d/dt of its velocity outputs are accelerations. The same state in the twin's
coordinates goes through the twin's equations of motion. Nothing is simulated.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.forward.crane_accelerations import CraneDynamics, crane_dynamics
from cranebridge.inverse.problem import ServoProblem
from cranebridge.mapping import PlantMap
from cranebridge.plant.plant import Plant
from cranebridge.twin.crane import names

Array = NDArray[np.float64]

SAMPLES = 48
PARAMETER_SETS = 4
CERTIFIED = 1e-9


@dataclass(frozen=True)
class Certificate:
    """The measured agreement of twin and plant.

    Attributes
    ----------
    max_relative_difference : float
        Largest difference of an acceleration or rope force, relative to the largest value of that
        signal among the samples.
    where : str
        Which signal and equation that is, and at which sample.
    differences : dict of str to float
        The largest relative difference of each signal.
    parameters : list of dict
        The plant's parameters: value given, default, and where it comes from.
    samples : int
        Number of states.
    exact : bool
        Whether the plant's Jacobians are its own; otherwise differences limit the accuracy.
    """

    max_relative_difference: float
    where: str
    differences: dict[str, float]
    parameters: list[dict[str, object]] = field(default_factory=list)
    samples: int = 0
    exact: bool = True

    @property
    def passed(self) -> bool:
        """Whether they are the same machine."""
        return self.max_relative_difference <= (CERTIFIED if self.exact else 1e-5)

    def as_dict(self) -> dict[str, object]:
        """Return the entry of ``summary.json``."""
        return {
            "max_relative_difference": self.max_relative_difference,
            "where": self.where,
            "passed": self.passed,
            "samples": self.samples,
            "exact": self.exact,
            "differences": dict(self.differences),
            "parameters": list(self.parameters),
        }


def certify(problem: ServoProblem, plant: Plant, mapping: PlantMap, seed: int = 1) -> Certificate:
    """Compare the twin of `problem` with `plant`.

    Raises
    ------
    InputError
        If a coordinate of the twin cannot be had from the plant; the missing mapping is named.
    """
    crane = problem.crane
    coordinates, ropes = names(crane.coordinates), names(crane.ropes)
    mapping.require((*coordinates, *ropes), "the certificate")
    samples = _Samples(problem, plant, mapping, np.random.default_rng(seed))
    twin_a, twin_ropes = _twin(problem, samples)
    differences = _compare("acceleration of", coordinates, twin_a, samples.a)
    differences |= _compare("rope", ropes, twin_ropes, samples.ropes)
    name, (worst, row) = max(differences.items(), key=lambda item: item[1][0])
    return Certificate(
        max_relative_difference=worst,
        where=f"{name} at sample {row}, equation of motion of {_worst_equation(problem, samples)}",
        differences={name: value for name, (value, _) in differences.items()},
        parameters=_parameters(problem, plant, mapping),
        samples=len(samples.a),
        exact=samples.exact,
    )


class _Samples:
    """Random states of the plant, in the twin's coordinates.

    Attributes
    ----------
    q, v, a, ropes : numpy.ndarray
        Rows of coordinates, velocities, accelerations (nan where the plant gives none) and ropes.
    u, p : numpy.ndarray
        Rows of the twin's inputs and parameters.
    """

    def __init__(
        self, problem: ServoProblem, plant: Plant, mapping: PlantMap, rng: np.random.Generator
    ) -> None:
        self.exact = True
        rows: list[tuple[Array, ...]] = []
        for index in range(PARAMETER_SETS):
            factors = rng.uniform(0.9, 1.1, len(problem.parameters)) if index else 1.0
            values = np.array(list(problem.parameters.values())) * factors
            varied = ServoProblem(
                problem.crane, problem.path, dict(zip(problem.parameters, values, strict=True))
            )
            rows += self._draw(varied, plant, mapping, rng, SAMPLES // PARAMETER_SETS)
        stacked = [np.array(column) for column in zip(*rows, strict=True)]
        self.q, self.v, self.a, self.ropes, self.u, self.p = stacked

    def _draw(
        self,
        problem: ServoProblem,
        plant: Plant,
        mapping: PlantMap,
        rng: np.random.Generator,
        count: int,
    ) -> list[tuple[Array, ...]]:
        crane, info = problem.crane, plant.info
        coordinates, ropes = names(crane.coordinates), names(crane.ropes)
        parameters = mapping.parameters(problem, *_rest(problem))
        base = self._start(plant, parameters)
        spread = 0.1 + 0.05 * np.abs(base)
        x = base + spread * rng.uniform(-1.0, 1.0, (count, base.size))
        scale = max(1.0, _weight(problem))
        u = scale * rng.uniform(-1.0, 1.0, (count, len(crane.inputs)))
        plant_u = self._plant_inputs(problem, plant, mapping, u)
        table = np.tile(list(parameters.values()), (count, 1))
        rates, y = plant.derivatives(
            x, plant_u, table, parameter_names=list(parameters), outputs=info.output_names
        )
        p = problem.parameter_vector
        position = mapping.function(coordinates)
        forces = mapping.signals(ropes, y, p)
        result: list[tuple[Array, ...]] = []
        for row in range(count):
            linear = plant.directional(
                x[row], plant_u[row], parameters=parameters, outputs=info.output_names
            )
            self.exact &= linear.exact
            y_rate = linear.C @ rates[row]
            q, jacobian = position(y[row], p)
            v = np.array(jacobian) @ y_rate
            a = self._accelerations(coordinates, info.output_names, y_rate)
            result.append((np.array(q)[:, 0], v, a, forces[row], u[row], p))
        return result

    @staticmethod
    def _start(plant: Plant, parameters: dict[str, float]) -> Array:
        """Return the plant's start state for these parameters."""
        times = np.array([0.0, 1e-9])
        found: Array = plant.simulate(times=times, parameters=parameters, outputs=[]).states[0]
        return found

    @staticmethod
    def _plant_inputs(problem: ServoProblem, plant: Plant, mapping: PlantMap, u: Array) -> Array:
        K, k = mapping.input_matrix(problem.parameters)
        values = np.tile([signal.start or 0.0 for signal in plant.info.inputs], (len(u), 1))
        columns = [plant.info.input_names.index(name) for name in mapping.input_names]
        values[:, columns] = u @ K.T + k
        return values

    @staticmethod
    def _accelerations(
        coordinates: tuple[str, ...], outputs: tuple[str, ...], y_rate: Array
    ) -> Array:
        """Rates of the velocity outputs ``v_NAME``; nan where the plant has none."""
        return np.array(
            [
                y_rate[outputs.index(f"v_{name}")] if f"v_{name}" in outputs else np.nan
                for name in coordinates
            ]
        )


def _rest(problem: ServoProblem) -> tuple[Array, Array]:
    q = problem.start_coordinates()
    return q, np.zeros(q.size)


def _weight(problem: ServoProblem) -> float:
    """Return the size of the forces at rest, for the random inputs."""
    dynamics = crane_dynamics(problem.crane)
    model = dynamics.model
    force = ca.Function("f", [model.q, model.v, model.p], [model.force])
    q, v = _rest(problem)
    return 0.1 * float(ca.norm_inf(force(q, v, problem.parameter_vector)))


def _twin(problem: ServoProblem, samples: _Samples) -> tuple[Array, Array]:
    """Return the twin's accelerations and rope forces at the samples."""
    dynamics = crane_dynamics(problem.crane)
    rows = [
        _solve(dynamics, q, v, u, p)
        for q, v, u, p in zip(samples.q, samples.v, samples.u, samples.p, strict=True)
    ]
    ropes = [
        np.array(dynamics.ropes(q, lam, p)).ravel()
        for q, (_, lam), p in zip(samples.q, rows, samples.p, strict=True)
    ]
    return np.array([a for a, _ in rows]), np.array(ropes)


def _solve(dynamics: CraneDynamics, q: Array, v: Array, u: Array, p: Array) -> tuple[Array, Array]:
    """Solve the twin for accelerations and multipliers to full accuracy.

    Sparse elimination without pivoting for size loses digits where newtons and metres mix; here
    rows are scaled, pivots chosen, and the solution refined once.
    """
    A, b = (np.array(part) for part in dynamics.system(q, v, u, p))
    scale = np.abs(A).max(axis=1, keepdims=True)
    A, b = A / scale, b / scale
    x = np.linalg.solve(A, b)
    x = (x + np.linalg.solve(A, b - A @ x))[:, 0]
    return x[: q.size], x[q.size :]


def _worst_equation(problem: ServoProblem, samples: _Samples) -> str:
    """Name the twin's equation of motion that the plant's motion violates most.

    A fault in one equation changes all accelerations; the residuals of the twin's equations, with
    the plant's accelerations and with the multipliers that its rope forces tell, show which one.
    """
    dynamics = crane_dynamics(problem.crane)
    m = dynamics.model
    parts = [
        m.motion,
        ca.fabs(ca.jacobian(m.motion, ca.vertcat(m.a, m.lam, m.u)))
        @ ca.fabs(ca.vertcat(m.a, m.lam, m.u))
        + ca.fabs(m.force),
        ca.densify(ca.jacobian(m.ropes, m.lam)),
        m.ropes,
    ]
    function = ca.Function("parts", [m.q, m.v, m.a, m.lam, m.u, m.p], parts)
    worst = np.zeros(m.q.numel())
    for q, v, plant_a, ropes, u, p in zip(
        samples.q, samples.v, samples.a, samples.ropes, samples.u, samples.p, strict=True
    ):
        twin_a, lam = _solve(dynamics, q, v, u, p)
        a = np.where(np.isnan(plant_a), twin_a, plant_a)
        _, _, slope, own = (np.array(part) for part in function(q, v, a, lam, u, p))
        if slope.size:
            lam = lam + np.linalg.pinv(slope) @ (ropes - own[:, 0])
        residual, scale, _, _ = (np.array(part) for part in function(q, v, a, lam, u, p))
        worst = np.maximum(worst, np.abs(residual[:, 0]) / np.maximum(scale[:, 0], 1e-9))
    return names(problem.crane.coordinates)[int(np.argmax(worst))]


def _compare(
    what: str, signals: tuple[str, ...], twin: Array, plant: Array
) -> dict[str, tuple[float, int]]:
    """Return the largest relative difference of each signal and its sample."""
    result = {}
    for column, name in enumerate(signals):
        if np.isnan(plant[:, column]).all():
            continue
        difference = np.abs(twin[:, column] - plant[:, column])
        scale = max(float(np.abs(plant[:, column]).max()), 1e-6)
        row = int(np.argmax(difference))
        result[f"{what} {name}"] = (float(difference[row]) / scale, row)
    return result


def _parameters(problem: ServoProblem, plant: Plant, mapping: PlantMap) -> list[dict[str, object]]:
    """Compare names and values of the parameters."""
    given = mapping.parameters(problem, *_rest(problem))
    rows: list[dict[str, object]] = []
    for signal in plant.info.parameters:
        source = "plant's default"
        if signal.name in given:
            source = "start state" if signal.name.endswith("_start") else "twin"
        rows.append(
            {
                "name": signal.name,
                "unit": signal.unit,
                "value": given.get(signal.name, signal.start),
                "default": signal.start,
                "from": source,
            }
        )
    return rows
