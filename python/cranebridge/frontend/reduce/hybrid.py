"""A model's memory and its equations at events: from the compiler's lists to :class:`Events`.

The memory holds, in this order, the discrete variables, the held relations, what the conditions of
when clauses were before, and how often each ``sample`` has ticked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca

from cranebridge.errors import StructureError
from cranebridge.frontend.flat_model import Action, Events
from cranebridge.frontend.read import (
    CompiledDae,
    DaeVariable,
    HeldQuantity,
    Setting,
    Switches,
    Value,
    clocks,
    event_dictionary,
    order,
)
from cranebridge.frontend.reduce.singularity import LEAST, SingularityWatch
from cranebridge.structure import causalize

Start = Callable[[DaeVariable], ca.SX]


@dataclass(frozen=True)
class PlantSymbols:
    """Symbols that the functions of a plant depend on; v are the unknowns of nonlinear loops."""

    time: ca.SX
    x: ca.SX
    u: ca.SX
    p: ca.SX
    v: ca.SX


@dataclass(frozen=True)
class EventMemory:
    """Symbols of the memory between events, and their names."""

    symbols: ca.SX
    names: tuple[str, ...]


class Hybrid:
    """Discrete variables and conditions of a model.

    Parameters
    ----------
    dae : CompiledDae
        The model; it gets symbols for its discrete variables and for what they were before.
    time : casadi.SX
        Symbol of time.
    moving : casadi.SX
        States, their derivatives, continuous inputs and algebraic variables.
    """

    def __init__(self, dae: CompiledDae, time: ca.SX, moving: ca.SX) -> None:
        self.dae, self.time = dae, time
        self.variables = event_dictionary.discrete_variables(dae)
        self.now: dict[int, Value] = {}
        self.before: dict[int, Value] = {}
        for variable in self.variables:
            self.now[variable.index] = _symbols(dae, variable, variable.role, "")
            self.before[variable.index] = _symbols(dae, variable, f"pre_{variable.role}", "pre ")
        for variable in dae.with_role("state"):
            dae.set_value("pre_state", variable, dae.value("state", variable))
        self.initial = ca.SX.sym("initial")
        self.conditions = event_dictionary.Conditions(dae, self.initial)
        dae.use_conditions(self.conditions.value)
        self.switches = Switches(time, moving, self._clocks(moving))
        dae.switches = self.switches

    def _clocks(self, moving: ca.SX) -> list[causalize.Assignment]:
        """Algebraic variables that time alone gives; most models do not know of time at all."""
        if not self.dae.uses_time:
            return []
        unknowns = [self.dae.value("algebraic", v).data for v in self.dae.with_role("algebraic")]
        residuals = [equation.residual for equation in self.dae.equations()]
        self.dae.forget_values()
        return clocks(residuals, _column(unknowns), self.time, moving)

    def read(self) -> None:
        """Evaluate everything that happens at events, so that all relations are known."""
        self._settings = event_dictionary.discrete_values(self.dae, self.conditions, self.before)
        self._states = event_dictionary.reinitialized(self.dae, self.conditions)
        self._actions, self._checks = event_dictionary.actions(self.dae, self.conditions)
        self._old = self.conditions.memory()

    def drop_constants(self) -> list[causalize.Assignment]:
        """Discrete variables that never change, such as the colours of library models."""
        found: list[causalize.Assignment] = []
        pending = [v for v in self.variables if v.attributes["causality"] != "output"]
        while True:  # one may be another's
            left = []
            for variable in pending:
                values = causalize.apply(found, *self._settings[variable.index])
                if not all(value.is_constant() for value in values):
                    left.append(variable)
                    continue
                for known in (self.now, self.before):
                    symbols = known.pop(variable.index).entries()
                    pairs = zip(symbols, values, strict=True)
                    found += [causalize.Assignment(symbol, value) for symbol, value in pairs]
            if len(left) == len(pending):
                break
            pending = left
        self.variables = [v for v in self.variables if v.index in self.now]
        return found

    def check_reinit(self, states: ca.SX) -> None:
        """Refuse new values for variables that are no states of the reduced model."""
        chosen = {states[i].element_hash() for i in range(states.numel())}
        for index in self._states:
            variable = self.dae.variables[index]
            for name, symbol in zip(
                variable.scalar_names(), self.dae.value("state", variable).entries(), strict=True
            ):
                if symbol.element_hash() not in chosen:
                    raise StructureError(
                        f"{self.dae.where(variable.declaration)}: reinit gives '{name}' a new "
                        "value, but constraints of the model determine it from other states."
                    )

    def watch(self, watched: SingularityWatch) -> None:
        """Stop the simulation where the choice of states becomes singular."""
        held = ca.SX.sym(f"watch{len(self.switches.held)}")
        place = "the choice of states"
        self.switches.held.append(
            HeldQuantity(held, watched.rate > 0, (watched.rate,), where=place)
        )
        action = Action("singular", watched.message)
        self._checks.append(event_dictionary.DueAction(action, watched.ratio < LEAST))

    @property
    def is_empty(self) -> bool:
        """Whether the model has no events and nothing to check."""
        return not (
            self.variables or self.switches.held or self._states or self._actions or self._checks
        )

    def memory(self) -> EventMemory:
        """What is kept between events."""
        names = [name for variable in self.variables for name in variable.scalar_names()]
        symbols = [entry for value in self.now.values() for entry in value.entries()]
        for held in self.switches.held:
            symbols.append(held.symbol)
            names.append(held.where)
        for k, (symbol, _) in enumerate(self._old):
            symbols.append(symbol)
            names.append(f"the condition of when clause {k + 1}")
        for clock in self.conditions.clocks:
            symbols.append(clock.count)
            names.append("the count of a sample")
        return EventMemory(_column(symbols), tuple(names))

    def between_events(self, *expressions: ca.SX) -> list[ca.SX]:
        """Put in what is known between events: nothing rises, and pre(v) is v."""
        old = [*_entries(self.before), self.initial, *(c.tick for c in self.conditions.clocks)]
        zeros = [ca.SX(0)] * (len(self.conditions.clocks) + 1)
        new = [*_entries(self.now), *zeros]
        return ca.substitute(list(expressions), [_column(old)], [_column(new)])

    def indicators(self) -> ca.SX:
        """Event indicators, in terms of the model's unknowns."""
        return _column([z for held in self.switches.held for z in held.indicators])

    def indicator_places(self) -> list[str]:
        """Where the relations of the indicators stand."""
        return [held.where for held in self.switches.held for _ in held.indicators]

    # --- functions -----------------------------------------------------------------------------

    def events(
        self,
        found: Sequence[causalize.Assignment],
        point: PlantSymbols,
        memory: EventMemory,
        start: Start,
    ) -> Events:
        """Make the functions that the runtime calls at events."""
        time, x, u = point.time, point.x, point.u
        q = ca.vertcat(point.p, memory.symbols, point.v)
        arguments, names = [time, x, u, q], ["t", "x", "u", "q"]
        timed = [due for held in self.switches.held for due in held.dues]
        checks = _column([acting.due for acting in self._checks])
        indicators = self.indicators()
        due = _column([*(at for at, _ in timed), *(c.due for c in self.conditions.clocks)])
        checks, indicators, due = self.between_events(
            *causalize.apply(found, checks, indicators, due)
        )
        return Events(
            memory=memory.names,
            start=self._start(found, point, memory, start),
            update=self._update(found, point, memory),
            indicators=ca.Function("indicators", arguments, [indicators], names, ["z"]),
            times=ca.Function("times", [time, q], [due], ["t", "q"], ["due"]),
            after=(*(strict for _, strict in timed), *(False for _ in self.conditions.clocks)),
            actions=tuple(acting.action for acting in self._actions),
            checks=ca.Function("checks", arguments, [checks], names, ["failed"]),
            assertions=tuple(acting.action for acting in self._checks),
        )

    def _update(
        self, found: Sequence[causalize.Assignment], point: PlantSymbols, memory: EventMemory
    ) -> ca.Function:
        """One pass at an event: the memory on entry is what was before."""
        before = ca.SX.sym("m", memory.symbols.numel())
        count, held = len(_entries(self.now)), self.switches.held
        clocks, first = self.conditions.clocks, len(_entries(self.now)) + len(self.switches.held)
        ticks = [
            ca.logic_and(point.time >= clock.due, ca.logic_not(self.initial)) for clock in clocks
        ]
        # Everything about the past in terms of the memory on entry.
        old = [*_entries(self.before), *(s for s, _ in self._old), *(c.count for c in clocks)]
        entry = _column([before[i] for i in range(before.numel()) if not count <= i < first])
        settings = self._all_settings(before, count, held)
        settings += [
            Setting(clock.tick, tick, ca.SX(0), "sample")
            for clock, tick in zip(clocks, ticks, strict=True)
        ]
        ordered = order(found, settings)
        counts = [clock.count + clock.tick for clock in clocks]
        rest = [*(h.symbol for h in held), *(now for _, now in self._old), *counts]
        memory_after = _column([*_entries(self.now), *rest])
        after = self._states_after()
        states = _column([after.get(x.element_hash(), x) for x in ca.vertsplit(point.x)])
        due = _column([acting.due for acting in self._actions])
        results = causalize.apply(ordered, memory_after, states, due)
        results = ca.substitute(results, [_column(old)], [entry])
        q = ca.vertcat(point.p, before, point.v)
        arguments = [point.time, point.x, point.u, q, self.initial]
        return ca.Function(
            "update", arguments, results, ["t", "x", "u", "q", "initial"], ["m", "x_new", "due"]
        )

    def _all_settings(
        self, before: ca.SX, count: int, held: Sequence[HeldQuantity]
    ) -> list[Setting]:
        """New values of discrete variables and relations."""
        names = [name for variable in self.variables for name in variable.scalar_names()]
        new = [value for variable in self.variables for value in self._settings[variable.index]]
        symbols = _entries(self.now)
        result = [Setting(symbols[i], new[i], before[i], names[i]) for i in range(count)]
        result += [
            Setting(h.symbol, h.literal, before[count + i], h.where, is_relation=True)
            for i, h in enumerate(held)
        ]
        return result

    def _states_after(self) -> dict[int, ca.SX]:
        """New values of states by their symbols' hashes."""
        found: dict[int, ca.SX] = {}
        for index, values in self._states.items():
            symbols = self.dae.value("state", self.dae.variables[index]).entries()
            hashes = (symbol.element_hash() for symbol in symbols)
            found |= dict(zip(hashes, values, strict=True))
        return found

    def _start(
        self,
        found: Sequence[causalize.Assignment],
        point: PlantSymbols,
        memory: EventMemory,
        start: Start,
    ) -> ca.Function:
        """Memory before the initialization: start values, nothing true, the next ticks."""
        given = event_dictionary.starts(self.dae)
        values = [
            given[v.index].broadcast(v.shape).data if v.index in given else start(v)
            for v in self.variables
        ]
        discrete = _column(values)
        zeros = ca.SX.zeros(len(self.switches.held) + len(self._old))
        counts = [
            ca.fmax(0, ca.ceil((point.time - clock.phase) / clock.period))
            for clock in self.conditions.clocks
        ]
        column = ca.vertcat(discrete, zeros, *counts)
        (column,) = self.between_events(*causalize.apply(found, column))
        # Start values may name other discrete variables: their own start, and nothing is held yet.
        names = _column([*_entries(self.now), *(held.symbol for held in self.switches.held)])
        column = ca.substitute(column, names, ca.SX.zeros(names.shape))
        q = ca.vertcat(point.p, memory.symbols, point.v)
        arguments = [point.time, point.x, point.u, q]
        return ca.Function("start", arguments, [column], ["t", "x", "u", "q"], ["m"])


def _symbols(dae: CompiledDae, variable: DaeVariable, coordinate: str, prefix: str) -> Value:
    column = ca.vertcat(*[ca.SX.sym(prefix + name) for name in variable.scalar_names()])
    value = Value(variable.shape, column)
    dae.set_value(coordinate, variable, value)
    return value


def _entries(values: dict[int, Value]) -> list[ca.SX]:
    return [entry for value in values.values() for entry in value.entries()]


def _column(parts: Sequence[ca.SX]) -> ca.SX:
    return ca.vertcat(*parts) if parts else ca.SX(0, 1)
