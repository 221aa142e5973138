"""What a plant says at given states, and how that changes: readings with two time derivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse import ServoProblem
from cranebridge.plant import Plant
from cranebridge.plant.sandbox import Rates, differentiable
from cranebridge.twin.language import names
from cranebridge.verify.mapping.plant_map import PlantMap

Array = NDArray[np.float64]
Answer = TypeVar("Answer")

# A reading whose value is another one's rate to this accuracy is its velocity.
SAME_RATE = 1e-9


@dataclass(frozen=True, eq=False)
class Points:
    """States of the plant itself, for one set of parameters."""

    problem: ServoProblem
    parameters: Mapping[str, float]
    x: Array
    u: Array
    time: Array
    where: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Readings:
    """What the plant says at some points, and how it changes; a column for each reading.

    Attributes
    ----------
    values, rates, second : numpy.ndarray
        Readings with their first and second time derivatives along the plant's trajectory.
    exact, exact_second : numpy.ndarray
        Which of the derivatives are exact, and not from differences.
    """

    values: Array
    rates: Array
    second: Array
    exact: NDArray[np.bool_]
    exact_second: NDArray[np.bool_]


def _plant_inputs(points: Points, plant: Plant, mapping: PlantMap) -> Array:
    K, k = mapping.input_matrix(points.problem.parameters)
    values = np.tile([signal.start or 0.0 for signal in plant.info.inputs], (len(points.u), 1))
    columns = [plant.info.input_names.index(name) for name in mapping.input_names]
    values[:, columns] = points.u @ K.T + k
    return values


def read_points(points: Points, plant: Plant, mapping: PlantMap) -> Readings:
    """Ask the plant for all readings and their derivatives.

    Local variables are asked for by themselves: FMI gives no exact derivatives of them.
    """
    own = {*plant.info.output_names, *plant.info.states, *plant.info.derivatives}
    local = np.array([name not in own for name in mapping.readings], dtype=bool)
    groups = [chosen for chosen in (~local, local) if chosen.any()]
    wanted = _second_rates_needed(mapping)
    size = (len(points.x), local.size)
    values, first, second = (np.zeros(size) for _ in range(3))
    exact, exact_second = np.zeros(local.size, dtype=bool), np.zeros(local.size, dtype=bool)
    for chosen in groups:
        names_ = [name for name, ok in zip(mapping.readings, chosen, strict=True) if ok]
        needed = wanted[chosen]
        ask = _Question(points, _plant_inputs(points, plant, mapping), tuple(names_))
        rates = ask.put_to(plant.rates)
        values[:, chosen], first[:, chosen] = rates.outputs, rates.output_rates
        units = [mapping.units.factor(name) for name in (*names_, *plant.info.states)]
        found = _second_rates(ask, plant, rates, needed, np.array(units))
        second[:, chosen], exact_second[chosen] = found
        exact[chosen] = rates.exact
    return Readings(values, first, second, exact, exact_second)


def exact_rates(
    points: Points, plant: Plant, mapping: PlantMap, signals: Sequence[str]
) -> dict[str, Array]:
    """Return the rates of signals of the twin at states of the plant, by its exact derivatives.

    Those of signals that depend on the plant's states only: what inputs reach directly changes
    with them, and where the FMU does not tell that, differences must do.
    """
    states, dependencies = set(plant.info.states), plant.info.output_dependencies
    used = {name: [mapping.readings[i] for i in mapping.read_by(name)] for name in signals}
    free = {
        name: reads
        for name, reads in used.items()
        if all(read in states or dependencies.get(read) == () for read in reads)
    }
    wanted = tuple(dict.fromkeys(read for reads in free.values() for read in reads))
    if not wanted or not differentiable(plant.info, wanted):
        return {}
    ask = _Question(points, _plant_inputs(points, plant, mapping), wanted)
    rates = ask.put_to(plant.rates)
    if not rates.exact:
        return {}
    values, first = (np.zeros((len(points.x), len(mapping.readings))) for _ in range(2))
    columns = [mapping.readings.index(read) for read in wanted]
    values[:, columns], first[:, columns] = rates.outputs, rates.output_rates
    p = np.tile(points.problem.parameter_vector, (len(values), 1)).T
    motion = values.T, first.T, np.zeros_like(first).T, p
    return {
        name: np.array(mapping.kinematics(name).map(len(values))(*motion)[1]).T for name in free
    }


@dataclass(frozen=True, eq=False)
class _Question:
    """Where the plant is asked for which readings."""

    points: Points
    inputs: Array
    outputs: tuple[str, ...]

    def put_to(self, ask: Callable[..., Answer]) -> Answer:
        """Ask `Plant.rates` or `Plant.second_rates`."""
        points = self.points
        return ask(
            points.x,
            self.inputs,
            np.tile(list(points.parameters.values()), (len(self.inputs), 1)),
            parameter_names=list(points.parameters),
            outputs=self.outputs,
            times=points.time,
        )


def _second_rates_needed(mapping: PlantMap) -> NDArray[np.bool_]:
    """Return which readings must tell an acceleration: of coordinates without a velocity."""
    needed = np.zeros(len(mapping.readings), dtype=bool)
    for name in names(mapping.crane.coordinates):
        given = not mapping.missing([name])
        if given and mapping.missing([f"v.{name}"]) and mapping.missing([f"a.{name}"]):
            needed[mapping.read_by(name)] = True
    return needed


def _second_rates(
    ask: _Question,
    plant: Plant,
    rates: Rates,
    needed: NDArray[np.bool_],
    units: Array,
) -> tuple[Array, NDArray[np.bool_]]:
    """Return the readings' second rates, and which of them are exact.

    A reading or state of the plant that is the rate of another reading has that one's second rate
    as its own rate. What has no such partner comes from differences along the plant's trajectory.
    `units` are factors to SI units: a position may be in mm and its velocity in m/s.
    """
    values = np.concatenate([rates.outputs, ask.points.x], axis=1)
    own_rates = np.concatenate([rates.output_rates, rates.derivatives], axis=1)
    count = rates.outputs.shape[1]
    second, exact = np.zeros_like(rates.outputs), np.zeros(count, dtype=bool)
    for i in range(count if rates.exact else 0):
        rate = rates.output_rates[:, i]
        size = float(np.abs(rate).max())
        relative = units / units[i]
        distance = np.abs(relative * values - rate[:, None]).max(axis=0)
        partner = int(np.argmin(distance))
        # A reading that never changes, such as an angle of a planar motion, has no rates at all.
        if size == 0.0:
            exact[i] = True
        elif distance[partner] <= SAME_RATE * size:
            second[:, i], exact[i] = relative[partner] * own_rates[:, partner], True
    if not exact[needed].all():
        second[:, ~exact] = ask.put_to(plant.second_rates)[:, ~exact]
    return second, exact
