"""How a plant's names, units and signs relate to the twin's.

Equal names mean equal things; what differs is stated in the scenario as expressions:

    [plant.map.parameters]   plant parameter = expression of twin parameters
    [plant.map.inputs]       plant input = expression of twin inputs and parameters, linear
    [plant.map.start]        plant parameter = expression of twin coordinates at t = 0
    [plant.map.signals]      twin output, coordinate or rope = expression of plant outputs

Plant parameters called ``NAME_start`` and ``v_NAME_start`` take the twin's initial coordinate and
velocity of that name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PPoly

from cranebridge.errors import InputError, unknown
from cranebridge.expressions import parse
from cranebridge.inverse.problem import ServoProblem
from cranebridge.plant.controls import Controls
from cranebridge.plant.fmu import PlantInfo
from cranebridge.twin.crane import Crane, names

Array = NDArray[np.float64]
TABLES = ("parameters", "inputs", "start", "signals")


@dataclass(frozen=True, eq=False)
class PlantMap:
    """The relation between a twin and a plant.

    Parameters
    ----------
    crane : Crane
        The twin.
    info : PlantInfo
        The plant.
    tables : mapping
        The content of ``[plant.map]``.
    """

    crane: Crane
    info: PlantInfo
    tables: Mapping[str, Mapping[str, str]]

    def __post_init__(self) -> None:
        plant_parameters = [signal.name for signal in self.info.parameters]
        keys: dict[str, Iterable[str]] = {
            "parameters": plant_parameters,
            "start": plant_parameters,
            "inputs": self.info.input_names,
            "signals": self._twin_signals,
        }
        for table, entries in self.tables.items():
            if table not in TABLES:
                raise unknown("table in plant.map", table, TABLES)
            for key, value in entries.items():
                if key not in keys[table]:
                    raise unknown(f"name in plant.map.{table}", key, keys[table])
                if not isinstance(value, str):
                    raise InputError(f"plant.map.{table}.{key} must be an expression in quotes")
        missing = [name for name in names(self.crane.inputs) if name not in self._used_inputs]
        if missing:
            raise InputError(
                f"plant '{self.info.name}' has no input for {', '.join(missing)} of crane "
                f"'{self.crane.name}'; add plant.map.inputs (its inputs: "
                f"{', '.join(self.info.input_names)})"
            )

    @property
    def _twin_signals(self) -> tuple[str, ...]:
        crane = self.crane
        together = (*names(crane.coordinates), *names(crane.outputs), *names(crane.ropes))
        return tuple(dict.fromkeys(together))

    def _entries(self, table: str) -> Mapping[str, str]:
        return self.tables.get(table, {})

    # ------------------------------------------------------------------ inputs

    @cached_property
    def _input_expressions(self) -> dict[str, str]:
        """Plant input to expression, for those that the twin drives."""
        mapped = dict(self._entries("inputs"))
        for name in self.info.input_names:
            if name in names(self.crane.inputs):
                mapped.setdefault(name, name)
        return mapped

    @cached_property
    def _used_inputs(self) -> set[str]:
        used: set[str] = set()
        for plant_input, expression in self._input_expressions.items():
            u, p = self._symbols("inputs"), self._symbols("parameters")
            value = parse(f"plant.map.inputs.{plant_input}", expression, {**p, **u})
            used |= {name for name, symbol in u.items() if ca.depends_on(ca.SX(value), symbol)}
        return used

    @property
    def input_names(self) -> tuple[str, ...]:
        """The plant's inputs that the twin drives."""
        return tuple(self._input_expressions)

    def input_matrix(self, parameters: Mapping[str, float]) -> tuple[Array, Array]:
        """Return K and k with plant inputs = K u + k."""
        u, p = self._symbols("inputs"), self._symbols("parameters")
        rows = [
            ca.SX(parse(f"plant.map.inputs.{name}", text, {**p, **u}))
            for name, text in self._input_expressions.items()
        ]
        stacked, inputs = ca.vertcat(*rows), ca.vertcat(*u.values())
        K = ca.jacobian(stacked, inputs)
        if ca.depends_on(K, inputs):
            raise InputError("plant.map.inputs must be linear in the twin's inputs")
        values = [parameters[name] for name in p]
        function = ca.Function(
            "K", [ca.vertcat(*p.values())], [K, ca.substitute(stacked, inputs, inputs * 0)]
        )
        matrix, offset = function(values)
        return np.array(matrix), np.array(offset)[:, 0]

    def controls(self, polynomial: PPoly, problem: ServoProblem) -> Controls:
        """Return the twin's u(t) as the plant's inputs; it has kinks at the path's knots only."""
        K, k = self.input_matrix(problem.parameters)
        coefficients = polynomial.c @ K.T
        coefficients[-1] += k
        return Controls.from_ppoly(
            PPoly(coefficients, polynomial.x), self.input_names, stops=problem.path.knots
        )

    # ------------------------------------------------------------------ parameters

    def parameters(self, problem: ServoProblem, q: Array, v: Array) -> dict[str, float]:
        """Return the plant's parameters and start values for an initial state of the twin."""
        coordinates = names(self.crane.coordinates)
        values = dict(problem.parameters)
        position = dict(zip(coordinates, (float(value) for value in q), strict=True))
        velocity = dict(zip(coordinates, (float(value) for value in v), strict=True))
        result = {}
        for name in (signal.name for signal in self.info.parameters):
            if name in self._entries("parameters"):
                result[name] = self._number("parameters", name, values)
            elif name in self._entries("start"):
                result[name] = self._number("start", name, {**values, **position})
            elif name in values:
                result[name] = values[name]
            elif name.endswith("_start"):
                stem = name.removesuffix("_start")
                if stem in position:
                    result[name] = position[stem]
                elif stem.removeprefix("v_") in velocity and stem.startswith("v_"):
                    result[name] = velocity[stem.removeprefix("v_")]
        return result

    def _number(self, table: str, key: str, values: Mapping[str, float]) -> float:
        text = self._entries(table)[key]
        return float(ca.DM(parse(f"plant.map.{table}.{key}", text, values)))

    # ------------------------------------------------------------------ signals

    @cached_property
    def _expressions(self) -> dict[str, ca.SX]:
        """Twin signal to expression of plant outputs and twin parameters, where there is one."""
        y, p = self._plant_symbols, self._symbols("parameters")
        result = {}
        for name in self._twin_signals:
            text = self._entries("signals").get(name)
            if text is not None:
                # An output hides a parameter of the same name.
                result[name] = ca.SX(parse(f"plant.map.signals.{name}", text, {**p, **y}))
            elif name in y:
                result[name] = y[name]
        return result

    @cached_property
    def _plant_symbols(self) -> dict[str, ca.SX]:
        return {name: ca.SX.sym(name) for name in self.info.output_names}

    def missing(self, wanted: Iterable[str]) -> list[str]:
        """Return the twin's signals that neither a plant output nor the map gives."""
        return [name for name in wanted if name not in self._expressions]

    def require(self, wanted: Iterable[str], what: str) -> None:
        """Raise an InputError that names the missing mappings."""
        missing = self.missing(wanted)
        if missing:
            raise InputError(
                f"{what} needs {', '.join(missing)} of crane '{self.crane.name}' from plant "
                f"'{self.info.name}'; add to plant.map.signals, such as "
                f'{missing[0]} = "..." (its outputs: {", ".join(self.info.output_names)})'
            )

    def function(self, wanted: Iterable[str]) -> ca.Function:
        """Return ``(plant outputs, p) -> (signals, d signals / d outputs)``."""
        y = ca.vertcat(*self._plant_symbols.values())
        p = ca.vertcat(*self._symbols("parameters").values())
        signals = ca.vertcat(*(self._expressions[name] for name in wanted))
        return ca.Function("signals", [y, p], [signals, ca.densify(ca.jacobian(signals, y))])

    def signals(self, wanted: Iterable[str], outputs: Array, parameters: Array) -> Array:
        """Evaluate twin signals for rows of plant outputs."""
        values = self.function(list(wanted)).map(len(outputs))(
            outputs.T, np.tile(parameters, (len(outputs), 1)).T
        )[0]
        return np.array(values).T

    @cached_property
    def _all_symbols(self) -> dict[str, dict[str, ca.SX]]:
        return {
            "inputs": {name: ca.SX.sym(name) for name in names(self.crane.inputs)},
            "parameters": {name: ca.SX.sym(name) for name in names(self.crane.parameters)},
        }

    def _symbols(self, kind: str) -> dict[str, ca.SX]:
        return self._all_symbols[kind]
