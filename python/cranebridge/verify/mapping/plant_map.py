"""How a plant's names, units and signs relate to the twin's.

Equal names mean equal things; what differs is stated in the scenario as expressions:

    [plant.map.parameters]   plant parameter = expression of twin parameters
    [plant.map.inputs]       plant input = expression of twin inputs and parameters, linear
    [plant.map.start]        plant parameter, or state = expression of twin coordinates (``x``),
                             velocities (``v_x``) and parameters at t = 0; ``der(...)`` is a rate
    [plant.map.signals]      twin output, coordinate or rope = expression of plant variables;
                             ``"v.x"`` and ``"a.x"`` for velocities and accelerations
    [plant.map.units]        plant variable = its unit, in place of what the plant declares

Units that the plant declares are converted (:mod:`cranebridge.verify.mapping.plant_units`) where
names are equal or the map has a name alone, such as ``"pos"`` or ``"-pos"``. Any other expression
is taken as it is written, with the plant's own values, so that it can convert by itself; of
variables in ``plant.map.units`` it has SI values.

Plant parameters called ``NAME_start`` and ``v_NAME_start`` take the twin's initial coordinate and
velocity of that name, or the rate of what the map gives for ``NAME_start``; a plant output
``v_NAME`` is the velocity of coordinate NAME. Expressions of signals may use every real variable of
the plant, local ones included, by its name as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, unknown
from cranebridge.expressions import evaluate, parse
from cranebridge.inverse import Piecewise, ServoProblem
from cranebridge.plant.description import PlantInfo
from cranebridge.plant.protocol import Controls
from cranebridge.twin.language import Components, Crane, names
from cranebridge.verify.mapping.known_starts import known_start
from cranebridge.verify.mapping.plant_units import PlantUnits
from cranebridge.verify.mapping.speed_loops import SpeedLoop, inside, require_speed_signals
from cranebridge.verify.mapping.start_values import StartValues

Array = NDArray[np.float64]
TABLES = ("parameters", "inputs", "start", "signals", "units")


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
    speed : tuple of SpeedLoop
        Drives with a speed loop. Where the plant has it, its input stands in the place of the
        twin's: what is called u here is a velocity reference there.
    """

    crane: Crane
    info: PlantInfo
    tables: Mapping[str, Mapping[str, str]]
    speed: tuple[SpeedLoop, ...] = ()

    def __post_init__(self) -> None:
        plant_parameters = [signal.name for signal in self.info.parameters]
        keys: dict[str, Iterable[str]] = {
            "parameters": plant_parameters,
            "start": (*plant_parameters, *self._other_starts),
            "inputs": self.info.input_names,
            "signals": self._twin_signals,
        }
        for table, entries in self.tables.items():
            if table not in TABLES:
                raise unknown("table in plant.map", table, TABLES)
            if table == "units":  # which has names of any variable, and no expressions
                continue
            for key, value in entries.items():
                if key not in keys[table]:
                    raise unknown(f"name in plant.map.{table}", key, keys[table])
                if not isinstance(value, str):
                    raise InputError(f"plant.map.{table}.{key} must be an expression in quotes")
        require_speed_signals(self.info, self.speed)
        missing = [name for name in names(self.crane.inputs) if name not in self._used_inputs]
        if missing:
            raise InputError(
                f"plant '{self.info.name}' has no input for {', '.join(missing)} of crane "
                f"'{self.crane.name}'; add plant.map.inputs (its inputs: "
                f"{', '.join(self.info.input_names)})"
            )
        for name, (unit, of) in self._taken_for.items():
            self.units.require(name, unit, f"{of} of crane '{self.crane.name}'")

    @cached_property
    def units(self) -> PlantUnits:
        """How values of the plant's variables relate to SI units."""
        return PlantUnits(self.info, self._entries("units"))

    @property
    def unit_notes(self) -> tuple[str, ...]:
        """What a user should know of the units of the plant."""
        used = {name: unit for name, (unit, _) in self._taken_for.items()}
        read = dict.fromkeys((*self.input_names, *self._read_names), "")
        # a mapped parameter may well have no dimension: nothing is said of a missing unit
        set_names = dict.fromkeys((*self._entries("parameters"), *self._entries("start")), "1")
        return self.units.notes({**set_names, **read, **used}, self._as_written)

    @cached_property
    def _as_written(self) -> frozenset[str]:
        """Variables whose own values, not those in SI units, an expression of the map has."""
        given = (*self.input_names, *self._entries("parameters"), *self.start_values.known)
        found = {name for name in given if not self._given_in_si(name)}
        for signal, expression in self._raw_expressions.items():
            if not self._read_in_si(signal):
                found |= {x.name() for x in ca.symvar(expression)} - set(self.units.stated)
        return frozenset(found)

    def _given_in_si(self, name: str) -> bool:
        """Whether what the map gives an input, a parameter or a state is in SI units."""
        if name in self.units.stated:
            return True
        for table in ("inputs", "parameters", "start"):
            text = self._entries(table).get(name)
            if text is not None:
                return _is_alone(text)
        # NAME_start by an expression: v_NAME_start is its rate
        place = name.removeprefix("v_")
        text = None if place == name else self._entries("start").get(place)
        return text is None or place in self.units.stated or _is_alone(text)

    def _read_in_si(self, signal: str) -> bool:
        """Whether a signal of the twin is read from values in SI units."""
        return _is_alone(self._entries("signals").get(signal, signal))

    def _own_values(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return values in the plant's own units."""
        return {
            name: self.units.own(name, value) if self._given_in_si(name) else value
            for name, value in values.items()
        }

    @cached_property
    def _taken_for(self) -> dict[str, tuple[str, str]]:
        """Plant variables that stand for one thing of the twin: its SI unit, and its name."""
        crane = self.crane
        found: dict[str, tuple[str, str]] = {}
        units = {part.name: part.unit for part in (*crane.coordinates, *crane.inputs)}
        for name, text in self._input_expressions.items():
            if _alone(text) in names(crane.inputs):
                found[name] = units[_alone(text)], f"input {_alone(text)}"
        rates = {part.name: part.unit for part in crane.coordinates}
        for loop in inside(self.speed):
            place = rates.get(loop.coordinate, "1")
            found[loop.reference_name] = f"{place}/s", f"velocity of {loop.coordinate}"
            found[loop.force_name] = units.get(loop.input, "1"), f"input {loop.input}"
            if loop.integral_name in self.info.output_names:
                found[loop.integral_name] = place, f"coordinate {loop.coordinate}"
        mapped = {*self._entries("parameters"), *self._entries("start")}
        for known in crane.parameters:
            if known.name in self._own_parameters - mapped:
                found[known.name] = known.unit, f"parameter {known.name}"
            for name, text in self._entries("parameters").items():
                if _alone(text) == known.name:
                    found[name] = known.unit, f"parameter {known.name}"
        for part in crane.coordinates:
            for prefix, per in (("", ""), ("v_", "/s")):
                name = f"{prefix}{part.name}_start"
                own = [key for key, x in self._entries("start").items() if _alone(x) == name[:-6]]
                own += [name] if name in self._own_parameters - mapped else []
                of = f"{part.unit}{per}", f"start of {prefix}{part.name}"
                found |= dict.fromkeys(own, of)
        return found | self._signals_taken_for()

    def _signals_taken_for(self) -> dict[str, tuple[str, str]]:
        """Variables that are a signal of the twin as they are, or with the other sign."""
        crane = self.crane
        wanted = {p.name: p.unit for p in (*crane.coordinates, *crane.outputs, *crane.ropes)}
        for part in crane.coordinates:
            wanted[f"v.{part.name}"] = f"{part.unit}/s"
            wanted[f"a.{part.name}"] = f"{part.unit}/s2"
        found = {}
        for signal, expression in self._raw_expressions.items():
            for one in (expression, -expression):
                if one.is_symbolic() and one.name() in self._variables:
                    found[one.name()] = wanted[signal], signal
        return found

    @cached_property
    def _own_parameters(self) -> set[str]:
        return {signal.name for signal in self.info.parameters}

    @cached_property
    def _read_names(self) -> tuple[str, ...]:
        """Variables of the plant that signals of the twin are made of."""
        used = {x.name() for one in self._raw_expressions.values() for x in ca.symvar(one)}
        return tuple(name for name in self._variables if name in used)

    @property
    def _other_starts(self) -> tuple[str, ...]:
        """What can be given a start value besides parameters: states, and exact start values."""
        exact = (
            signal.name
            for signal in self.info.variables
            if signal.initial in ("exact", "approx") and signal.causality in ("output", "local")
        )
        return tuple(dict.fromkeys((*self.info.states, *exact)))

    @property
    def _twin_signals(self) -> tuple[str, ...]:
        crane = self.crane
        coordinates = names(crane.coordinates)
        rates = (f"{group}.{name}" for group in ("v", "a") for name in coordinates)
        together = (*coordinates, *names(crane.outputs), *names(crane.ropes), *rates)
        return tuple(dict.fromkeys(together))

    def _entries(self, table: str) -> Mapping[str, str]:
        return self.tables.get(table, {})

    # ------------------------------------------------------------------ inputs

    @cached_property
    def _input_expressions(self) -> dict[str, str]:
        """Plant input to expression, for those that the twin drives."""
        mapped = dict(self._entries("inputs"))
        driven = {loop.input: loop.reference_name for loop in inside(self.speed)}
        mapped |= {reference: name for name, reference in driven.items()}
        for name in self.info.input_names:
            if name in names(self.crane.inputs) and name not in driven:
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
    def input_expressions(self) -> Mapping[str, str]:
        """The plant's inputs that the twin drives, each with its expression."""
        return self._input_expressions

    @property
    def input_names(self) -> tuple[str, ...]:
        """The plant's inputs that the twin drives."""
        return tuple(self._input_expressions)

    def input_matrix(self, parameters: Mapping[str, float]) -> tuple[Array, Array]:
        """Return K and k with plant inputs = K u + k, these in the plant's own units."""
        if self._fixed_inputs is not None:
            return self._fixed_inputs
        return self._input_matrix([parameters[name] for name in names(self.crane.parameters)])

    def si_input_matrix(self, parameters: Mapping[str, float]) -> Array:
        """Return K in SI units of the plant's inputs, which gains of their loops are made for."""
        factors = [self.units.factor(name) for name in self.input_names]
        return np.asarray(np.array(factors)[:, None] * self.input_matrix(parameters)[0])

    @cached_property
    def _fixed_inputs(self) -> tuple[Array, Array] | None:
        """K and k where parameters do not matter."""
        p = self._input_function.sx_in(0)
        depends = any(ca.depends_on(ca.SX(part), p) for part in self._input_function.call([p]))
        return None if depends else self._input_matrix([1.0] * p.numel())

    def _input_matrix(self, parameters: Sequence[float]) -> tuple[Array, Array]:
        matrix, offset = self._input_function(parameters)
        found = np.array(matrix), np.array(offset)[:, 0]
        if not all(np.isfinite(part).all() for part in found):
            raise InputError("plant.map.inputs: an expression is not finite")
        return found

    @cached_property
    def _input_function(self) -> ca.Function:
        """K and k of the parameters."""
        u, p = self._symbols("inputs"), self._symbols("parameters")
        rows = [
            self._own_input(name, ca.SX(parse(f"plant.map.inputs.{name}", text, {**p, **u})))
            for name, text in self._input_expressions.items()
        ]
        stacked, inputs = ca.vertcat(*rows), ca.vertcat(*u.values())
        K = ca.jacobian(stacked, inputs)
        if ca.depends_on(K, inputs):
            raise InputError("plant.map.inputs must be linear in the twin's inputs")
        offset = ca.substitute(stacked, inputs, inputs * 0)
        return ca.Function("K", [ca.vertcat(*p.values())], [K, offset])

    def _own_input(self, name: str, value: ca.SX) -> ca.SX:
        return ca.SX(self.units.own(name, value)) if self._given_in_si(name) else value

    def controls(
        self, polynomial: Piecewise, problem: ServoProblem, kinks: Array | None = None
    ) -> Controls:
        """Return the twin's u(t) as the plant's inputs.

        It has kinks at the path's knots, and at `kinks`.
        """
        K, k = self.input_matrix(problem.parameters)
        coefficients = polynomial.c
        if k.any() or not np.array_equal(K, np.eye(len(K))):
            coefficients = coefficients @ K.T
            coefficients[-1] += k
        return Controls.from_ppoly(
            Piecewise(coefficients, polynomial.x),
            self.input_names,
            stops=problem.path.knots if kinks is None else np.union1d(problem.path.knots, kinks),
        )

    # ------------------------------------------------------------------ parameters

    def parameters(self, problem: ServoProblem, q: Array, v: Array) -> dict[str, float]:
        """Return the plant's parameters and start values for an initial state of the twin.

        Values are in the plant's own units.
        """
        values = dict(problem.parameters)
        start = self.start_values(q, v, problem.parameter_vector)
        result = {}
        for name in (signal.name for signal in self.info.parameters):
            if name in self._entries("parameters"):
                result[name] = self._number("parameters", name, values)
            elif name in values and name not in self._entries("start"):
                result[name] = values[name]
            elif name in start:
                result[name] = start[name]
        own = {signal.name for signal in self.info.parameters}
        gains = {name: x for loop in inside(self.speed) for name, x in loop.gains.items()}
        given = {name: value for name, value in gains.items() if name in own} | result
        return self._own_values(given)

    @cached_property
    def start_values(self) -> StartValues:
        """The plant's start parameters as functions of the twin's state."""
        parameters = [signal.name for signal in self.info.parameters]
        entries = {**known_start(self.crane, self.info), **self._entries("start")}
        known = (*parameters, *entries, *(self._other_starts if self.crane.has_model_names else ()))
        return StartValues(self.crane, entries, dict.fromkeys(known))

    def start(self, problem: ServoProblem, q: Array, v: Array) -> dict[str, float]:
        """Return start values of states and variables that are no parameters, as the map says."""
        own = {signal.name for signal in self.info.parameters}
        if own.issuperset(self.start_values.known):
            return {}
        found = self.start_values(q, v, problem.parameter_vector)
        return self._own_values({n: value for n, value in found.items() if n not in own})

    def parameter_rows(
        self, problem: ServoProblem, q: Array, v: Array
    ) -> Iterator[dict[str, object]]:
        """Yield the plant's parameters: value given, default, and where it comes from."""
        given = self.parameters(problem, q, v)
        for signal in self.info.parameters:
            source = "plant's default"
            if signal.name in given:
                source = "start state" if signal.name.endswith("_start") else "twin"
            yield {
                "name": signal.name,
                "unit": self.units.text(signal.name),
                "value": given.get(signal.name, signal.start),
                "default": signal.start,
                "from": source,
            }

    def reached_parameters(self) -> set[str]:
        """Return the twin's parameters that the plant has, so that a change reaches both."""
        own = {signal.name for signal in self.info.parameters}
        reached = {name for name in names(self.crane.parameters) if name in own}
        p = self._symbols("parameters")
        for key, text in self._entries("parameters").items():
            value = ca.SX(parse(f"plant.map.parameters.{key}", text, p))
            reached |= {name for name, symbol in p.items() if ca.depends_on(value, symbol)}
        return reached

    def _number(self, table: str, key: str, values: Mapping[str, float]) -> float:
        text = self._entries(table)[key]
        return evaluate(f"plant.map.{table}.{key}", text, values)

    # ------------------------------------------------------------------ signals

    @cached_property
    def _expressions(self) -> dict[str, ca.SX]:
        """Twin signal to expression of the plant's own values, converted to SI units."""
        result = {}
        for signal, expression in self._raw_expressions.items():
            used = {x.name(): x for x in ca.symvar(expression)} if self._in_own_units else {}
            if not self._read_in_si(signal):
                used = {name: x for name, x in used.items() if name in self.units.stated}
            chosen = [name for name in used if name in self._in_own_units]
            own = ca.vertcat(*(used[name] for name in chosen))
            converted = ca.vertcat(*(self.units.si(name, used[name]) for name in chosen))
            result[signal] = ca.substitute(expression, own, converted) if chosen else expression
        return result

    @cached_property
    def _in_own_units(self) -> frozenset[str]:
        """Variables of the plant whose values are not those in SI units."""
        return frozenset(name for name in self._variables if self.units.is_converted(name))

    @cached_property
    def _raw_expressions(self) -> dict[str, ca.SX]:
        """Twin signal to expression of plant variables and twin parameters, where there is one."""
        p = self._symbols("parameters")
        outputs = {name: self._variables[name] for name in self.info.output_names}
        local = {name: x for name, x in self._variables.items() if name not in outputs}
        same, rates = outputs, {}
        if self.crane.has_model_names:
            same, rates = self._variables, self._rate_variables
        result = {}
        for name in self._twin_signals:
            text = self._entries("signals").get(name)
            if text is not None:
                # An output hides a twin parameter of the same name, which hides a local variable.
                plain, symbols = _with_plain_names(text, {**local, **p, **outputs})
                result[name] = ca.SX(parse(f'plant.map.signals."{name}"', plain, symbols))
            elif name.removeprefix("v.") != name:
                place = name[2:]
                # where the plant's own `place` is something else, so is its velocity
                is_other = place in outputs and self._entries("signals").get(place, place) != place
                if place in rates:
                    result[name] = self._variables[rates[place]]
                elif f"v_{place}" in outputs and not is_other:
                    result[name] = outputs[f"v_{place}"]
            elif name in same:
                result[name] = same[name]
        return result

    @cached_property
    def _rate_variables(self) -> dict[str, str]:
        """Variables of the plant that are rates of coordinates, by the model of the crane."""
        crane = self.crane
        coordinates, p = names(crane.coordinates), self._symbols("parameters")
        q, v = (ca.SX.sym(kind, len(coordinates)) for kind in ("q", "v"))
        own = Components(names(crane.parameters), ca.vertcat(ca.SX(0, 1), *p.values()))
        states = crane.model_states(Components(coordinates, q), Components(coordinates, v), own)
        return {
            name: state
            for i, name in enumerate(coordinates)
            for state, value in states.items()
            if state in self._variables and ca.is_equal(ca.SX(value), v[i])
        }

    @cached_property
    def _variables(self) -> dict[str, ca.SX]:
        """All real scalar variables of the plant that vary, as symbols."""
        wanted = ("output", "local")
        found = [
            signal.name
            for signal in self.info.variables
            if signal.type == "Float64" and signal.size == 1 and signal.causality in wanted
        ]
        return {name: ca.SX.sym(name) for name in dict.fromkeys((*self.info.output_names, *found))}

    @cached_property
    def readings(self) -> tuple[str, ...]:
        """The plant's variables that are read: its outputs, and what the map names."""
        everything = ca.vertcat(*self._expressions.values())
        used = {x.name() for x in ca.symvar(everything)} if self._expressions else set()
        outputs = self.info.output_names
        local = [name for name in self._variables if name in used and name not in outputs]
        return (*outputs, *local)

    @property
    def _readings_symbol(self) -> ca.SX:
        return ca.vertcat(*(self._variables[name] for name in self.readings))

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

    def with_rates(self) -> PlantMap:
        """Return the map with further velocities: rates of what the plant shows the rates of."""
        extended, known = replace(self), set(self.info.output_names)
        for name in names(self.crane.coordinates):
            if self.missing([name]) or not self.missing([f"v.{name}"]):
                continue
            expression = self._expressions[name]
            used = ca.symvar(expression)
            if all(f"v_{x.name()}" in known for x in used):
                rates = ca.vertcat(*(self._own_rate(x.name()) for x in used))
                rate = ca.jtimes(expression, ca.vertcat(*used), rates)
                # the same symbols: both maps must speak of one plant
                extended.__dict__["_variables"] = self._variables
                extended.__dict__.setdefault("_expressions", dict(self._expressions))
                extended._expressions[f"v.{name}"] = rate
        return extended

    def _own_rate(self, name: str) -> ca.SX:
        """Return the rate of a variable in its own unit, from the velocity that the plant shows."""
        velocity = f"v_{name}"
        own = self._variables[velocity]
        if self.units.unit(velocity) is None:  # taken for the rate as it is
            return own
        shown: ca.SX = self.units.si(velocity, own)
        factor = self.units.factor(name)
        return shown if factor == 1.0 else shown / factor

    def expression(self, signal: str) -> ca.SX:
        """Return a twin signal as an expression of plant variables and twin parameters."""
        return self._expressions[signal]

    def reader(
        self, expressions: Sequence[ca.SX], parameters: Array
    ) -> tuple[tuple[str, ...], ca.Function]:
        """Return what expressions of twin signals read of the plant, and the function of that."""
        p = ca.vertcat(*self._symbols("parameters").values())
        s = ca.densify(ca.substitute(ca.vertcat(*expressions), p, ca.DM(parameters)))
        used = {x.name() for x in ca.symvar(s)}
        read = tuple(name for name in self.readings if name in used)
        symbols = ca.vertcat(*(self._variables[name] for name in read))
        return read, ca.Function("measure", [symbols], [s], ["y"], ["s"])

    def read_by(self, signal: str) -> list[int]:
        """Return which of the readings a twin signal is made of."""
        used = {x.name() for x in ca.symvar(self._expressions[signal])}
        return [i for i, name in enumerate(self.readings) if name in used]

    def kinematics(self, signal: str) -> ca.Function:
        """Return ``(y, y', y'', p) -> (s, s', s'')``: a twin signal s by the plant's readings y."""
        if signal not in self._kinematics:
            y, p = self._readings_symbol, ca.vertcat(*self._symbols("parameters").values())
            y1, y2 = (ca.SX.sym(name, y.numel()) for name in ("y1", "y2"))
            s = self._expressions[signal]
            s1 = ca.jtimes(s, y, y1)
            s2 = ca.jtimes(s1, y, y1) + ca.jtimes(s, y, y2)
            results = [ca.densify(x) for x in (s, s1, s2)]
            self._kinematics[signal] = ca.Function("kinematics", [y, y1, y2, p], results)
        return self._kinematics[signal]

    @cached_property
    def _kinematics(self) -> dict[str, ca.Function]:
        return {}

    def signals(self, wanted: Iterable[str], readings: Array, parameters: Array) -> Array:
        """Evaluate twin signals for rows of the plant's readings."""
        chosen, rows = list(wanted), len(readings)
        result = np.empty((rows, len(chosen)), order="F")  # signals are looked at one by one
        made = []
        for column, name in enumerate(chosen):
            own = self._reading_of(name)
            if own is None:
                made.append(column)
            else:
                result[:, column] = readings[:, own]
        if made:
            function = self._signal_function(tuple(chosen[column] for column in made))
            result[:, made] = np.array(function(readings.T, parameters)).T
            for column in made:
                if not np.isfinite(result[:, column]).all():
                    name = chosen[column]
                    text = self._entries("signals").get(name, name)
                    raise InputError(
                        f"plant.map.signals.\"{name}\" = '{text}' is not finite for what the plant "
                        "gives"
                    )
        return result

    def _reading_of(self, signal: str) -> int | None:
        """Return which reading of the plant a signal is; None if it is made of several."""
        if signal not in self._own_readings:
            expression, found = self._expressions[signal], None
            if expression.is_symbolic() and expression.name() in self.readings:
                found = self.readings.index(expression.name())
            self._own_readings[signal] = found
        return self._own_readings[signal]

    @cached_property
    def _own_readings(self) -> dict[str, int | None]:
        return {}

    def _signal_function(self, signals: tuple[str, ...]) -> ca.Function:
        """Return ``(y, p) -> signals``, y the plant's readings; made once."""
        if signals not in self._signal_functions:
            y, p = self._readings_symbol, ca.vertcat(*self._symbols("parameters").values())
            s = ca.densify(ca.vertcat(*(self._expressions[name] for name in signals)))
            self._signal_functions[signals] = ca.Function("signals", [y, p], [s])
        return self._signal_functions[signals]

    @cached_property
    def _signal_functions(self) -> dict[tuple[str, ...], ca.Function]:
        return {}

    @cached_property
    def _all_symbols(self) -> dict[str, dict[str, ca.SX]]:
        return {
            "inputs": {name: ca.SX.sym(name) for name in names(self.crane.inputs)},
            "parameters": {name: ca.SX.sym(name) for name in names(self.crane.parameters)},
        }

    def _symbols(self, kind: str) -> dict[str, ca.SX]:
        return self._all_symbols[kind]


def _alone(text: str) -> str:
    """Return the name that an expression is, with or without a sign; empty if it is more."""
    found = re.fullmatch(r"\s*[+-]?\s*([^\W\d][\w.\[\],]*)\s*", text)
    return found[1] if found else ""


def _is_alone(text: str) -> bool:
    return bool(_alone(text))


def _with_plain_names(text: str, symbols: Mapping[str, ca.SX]) -> tuple[str, dict[str, ca.SX]]:
    """Replace names that Python does not read as one, such as ``body.r[1]``, by plain ones."""
    result = {name: symbol for name, symbol in symbols.items() if name.isidentifier()}
    odd = sorted((name for name in symbols if not name.isidentifier()), key=len, reverse=True)
    for number, name in enumerate(odd):
        if name in text:
            plain = f"variable_{number}_"
            pattern = rf"(?<![\w.]){re.escape(name)}(?![\w.\[(])"
            text, count = re.subn(pattern, plain, text)
            if count:
                result[plain] = symbols[name]
    return text, result
