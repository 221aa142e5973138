"""From a compiled Modelica model to a ``PlantModel``.

The expression graph becomes CasADi expressions (``read``), the equations are ordered and
solved for derivatives and algebraic variables (``causalize``), and what changes at events becomes a
memory (``hybrid``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import casadi as ca
import numpy as np

from cranebridge.errors import StructureError
from cranebridge.errors import unknown as unknown_name
from cranebridge.frontend.compile import CompiledModel, source_text
from cranebridge.frontend.flat_model import Events, Loops, PlantModel, Variable
from cranebridge.frontend.read import CompiledDae, DaeVariable, Value, names_in_samples
from cranebridge.frontend.reduce.algebraic_loops import solve_loops
from cranebridge.frontend.reduce.explicit_form import (
    ExplicitForm,
    InitialConditions,
    solve_explicitly,
)
from cranebridge.frontend.reduce.hybrid import Hybrid, PlantSymbols
from cranebridge.frontend.reduce.index_reduction import FlatEquations
from cranebridge.frontend.reduce.scalars import scalar_unknowns, start_value
from cranebridge.structure import causalize

Variability = Literal["fixed", "tunable", "discrete", "continuous"]


class Builder:
    """Steps from a compiled model to a ``PlantModel``."""

    def __init__(
        self, compiled: CompiledModel, shown: Sequence[str] = (), keeps_blocks: bool = False
    ) -> None:
        self.compiled = compiled
        self.shown = shown
        self.keeps_blocks = keeps_blocks
        self.dae = CompiledDae(compiled)
        self.states = self.dae.with_role("state")
        self.inputs = self.dae.with_role("input")
        self.algebraic = self.dae.with_role("algebraic")
        self.parameters: list[DaeVariable] = []
        self.p_default: list[float] = []
        parameters = {v.name: v for v in self.dae.with_role("parameter", "constant")}
        self._followed = {
            name: parameters[other]
            for name, other in compiled.inlined.items()
            if other in parameters
        }
        # The compiler has put the values of what stands in sample(...) in already.
        self.in_samples = self._needed_by(names_in_samples(self.dae))

    def build(self) -> PlantModel:
        """Make the explicit form and its events."""
        dae = self.dae
        time = ca.SX.sym("time")
        dae.set_time(time)
        p = self._parameters()
        x = self._symbols("state", self.states)
        der = self._symbols("derivative", self.states)
        u = self._symbols("input", self.inputs)
        z = self._symbols("algebraic", self.algebraic)
        hybrid = Hybrid(dae, time, ca.vertcat(x, der, self._continuous_inputs(), z))
        name = self.compiled.class_name.rsplit(".", 1)[-1]
        part = source_text.class_text(self.compiled.main.text, name)
        experiment = source_text.experiment(part)
        flat = self._flat_equations(hybrid, p, time)
        form = solve_explicitly(flat, self._initial_conditions(u, time, experiment.start_time))
        found, x = form.found, form.x
        v = _column([unknown.symbol for loop in form.loops for unknown in loop.unknowns])
        hybrid.read()
        if form.is_reduced:
            hybrid.check_reinit(x)
            found = [*hybrid.drop_constants(), *found]
        for watched in () if self.keeps_blocks else form.watches:
            hybrid.watch(watched)
        outputs = self._outputs()
        inner = [v for v in hybrid.variables if v not in outputs]
        y = _column([*(self._value(v) for v in [*outputs, *inner]), hybrid.indicators()])
        rhs, y = hybrid.between_events(*causalize.apply(found, form.rates, y))
        memory = hybrid.memory()
        self._check_initial(form.x0, ca.vertcat(memory.symbols, v))
        point = PlantSymbols(time, x, u, p, v)
        events = None if hybrid.is_empty else hybrid.events(found, point, memory, self._start)
        q = ca.vertcat(p, memory.symbols, v)
        arguments, names = [time, x, u, q], ["t", "x", "u", "p"]
        model = PlantModel(
            name=name,
            states=self._state_variables(form, self._state_starts(form.x0, p)),
            inputs=self._variables(self.inputs, self._starts(self.inputs, p)),
            outputs=self._variables(outputs, None),
            parameters=self._parameter_variables(_used(rhs, y, events, point, q), p),
            rhs=ca.Function("rhs", arguments, [rhs], names, ["der_x"]),
            outputs_function=ca.Function("outputs", arguments, [y], names, ["y"]),
            initial=ca.Function("initial", [q], [form.x0], ["p"], ["x0"]),
            description=str(self.compiled.flat.get("model_description") or ""),
            documentation=source_text.documentation_text(part),
            experiment=experiment,
            sources=tuple(source.path for source in self.compiled.sources.values()),
            locals=(*self._variables(inner, None), *_indicator_variables(hybrid)),
            events=events,
            loops=self._loops(form, hybrid, point, q),
            remarks=tuple(form.remarks()),
            inner=self._inner(outputs),
        )
        self._check_start(model)
        return model

    # --- parameters ----------------------------------------------------------------------------

    def _parameters(self) -> ca.SX:
        """Make symbols of what can be set; constants and dependent parameters become values."""
        symbols: list[ca.SX] = []
        pending = self.dae.with_role("parameter", "constant")
        while pending:
            later: list[DaeVariable] = []
            for variable in pending:
                value = self._binding(variable, pending)
                if value is None:
                    later.append(variable)
                    continue
                if self._is_settable(variable, value):
                    self.parameters.append(variable)
                    self.p_default += [float(entry) for entry in value.entries()]
                    value = Value(value.shape, _fresh(variable))
                    symbols.append(value.data)
                self.dae.set_value("parameter", variable, value)
            if len(later) == len(pending):
                names = ", ".join(variable.name for variable in later)
                self.dae.refuse(later[0].declaration, f"the values of {names} depend on each other")
            pending = later
        # Parameters with a value of their own may stand after those that use them.
        order = {variable.index: i for i, variable in enumerate(self.parameters)}
        by_index = sorted(self.parameters, key=lambda variable: variable.index)
        columns = [symbols[order[variable.index]] for variable in by_index]
        defaults = {
            variable.index: values
            for variable, values in zip(
                self.parameters, _split(self.p_default, symbols), strict=True
            )
        }
        self.parameters = by_index
        self.p_default = [value for variable in by_index for value in defaults[variable.index]]
        return _column(columns)

    def _needed_by(self, names: set[str]) -> set[int]:
        """Indices of the parameters with these names, and of those that give them a value."""
        parameters = {v.index: v for v in self.dae.with_role("parameter", "constant")}
        found = {i for i, v in parameters.items() if v.name.rsplit(".", 1)[-1] in names}
        pending = list(found)
        while pending:
            node = parameters[pending.pop()].attributes["binding"]
            more = self.dae.parameters_in(node) - found if node is not None else set()
            found |= more
            pending += more
        return found

    def _binding(self, variable: DaeVariable, pending: Sequence[DaeVariable]) -> Value | None:
        """Value of a parameter; ``None`` while it needs one that is not known yet."""
        followed = self._followed.get(variable.name)
        if followed is not None:
            if any(other.index == followed.index for other in pending):
                return None
            return self.dae.value("parameter", followed).broadcast(variable.shape)
        node = variable.attributes["binding"]
        if node is None:
            node = variable.attributes["start"]
        needed = self.dae.parameters_in(node)
        if any(other.index in needed for other in pending):
            return None
        return self.dae.expression(node).broadcast(variable.shape)

    def _is_settable(self, variable: DaeVariable, value: Value) -> bool:
        """Only Reals with a value of their own: the rest is structure, final, or computed.

        rumoca marks as evaluable what it has already used to choose a branch or a size (and what
        has ``annotation(Evaluate=true)``): changing it later would be ignored in part.
        """
        return (
            variable.role == "parameter"
            and bool(variable.attributes["is_tunable"])
            and not variable.flat.get("is_protected")
            and self.dae.type_of(variable) == "real"
            and variable.index not in self.in_samples
            and value.data.is_constant()
        )

    # --- equations -----------------------------------------------------------------------------

    def _symbols(self, coordinate: str, variables: Sequence[DaeVariable]) -> ca.SX:
        columns = []
        for variable in variables:
            prefix = "der_" if coordinate == "derivative" else ""
            column = _fresh(variable, prefix)
            self.dae.set_value(coordinate, variable, Value(variable.shape, column))
            columns.append(column)
        return _column(columns)

    def _value(self, variable: DaeVariable) -> ca.SX:
        coordinate = "state" if variable.role == "state" else variable.role
        return self.dae.value(coordinate, variable).data

    def _flat_equations(self, hybrid: Hybrid, p: ca.SX, time: ca.SX) -> FlatEquations:
        """The continuous equations, and what everything else is at the default start values."""
        values = dict(zip(_hashes(p), self.p_default, strict=True))
        moving, others = [], []
        for variable in self.inputs:
            symbol = self.dae.value("input", variable).data
            others.append((symbol, self._start(variable)))
            if not self.dae.is_discrete(variable):
                names = variable.scalar_names()
                moving += [causalize.Unknown(symbol[k], name) for k, name in enumerate(names)]
        for variable in hybrid.variables:
            for known in (hybrid.now, hybrid.before):
                others.append((known[variable.index].data, self._start(variable)))
        for symbol, start in others:
            numbers = self._state_starts(start, p)
            values |= dict(zip(_hashes(symbol), numbers, strict=True))
        return FlatEquations(
            unknowns=tuple(scalar_unknowns(self.dae)),
            residuals=tuple(causalize.Residual(e.residual, e.where) for e in self.dae.equations()),
            inputs=tuple(moving),
            time=time,
            values=values,
            keeps_blocks=self.keeps_blocks,
        )

    def _initial_conditions(self, u: ca.SX, time: ca.SX, start_time: float) -> InitialConditions:
        equations = self.dae.initial_equations()
        known_u = _column([self._start(variable) for variable in self.inputs])
        return InitialConditions(
            equations=tuple(causalize.Residual(e.residual, e.where) for e in equations),
            symbols=ca.vertcat(u, time),
            values=ca.vertcat(known_u, start_time),
        )

    def _loops(
        self, form: ExplicitForm, hybrid: Hybrid, point: PlantSymbols, q: ca.SX
    ) -> Loops | None:
        """Functions for the iteration of all nonlinear blocks together."""
        if not form.loops:
            return None
        unknowns = [unknown for loop in form.loops for unknown in loop.unknowns]
        values = _column([r.value for loop in form.loops for r in loop.residuals])
        (residual,) = hybrid.between_events(*causalize.apply(form.found, values))
        arguments = [point.time, point.x, point.u, q]
        start = _column(
            [ca.SX(0) if unknown.start is None else unknown.start for unknown in unknowns]
        )
        jacobian = ca.densify(ca.jacobian(residual, point.v))
        sizes = {
            name: self._number(v, "nominal", k)
            for v in (*self.algebraic, *self.states)
            for k, name in enumerate(v.scalar_names())
        }
        return Loops(
            names=tuple(unknown.name for unknown in unknowns),
            nominal=tuple(abs(sizes.get(unknown.name) or 1.0) for unknown in unknowns),
            residual=ca.Function("residual", arguments, [residual]),
            jacobian=ca.Function("jacobian", arguments, [jacobian]),
            start=ca.Function("start", [q], [start]),
            advice=form.advice,
        )

    def _check_initial(self, x0: ca.SX, held: ca.SX) -> None:
        if ca.depends_on(x0, held):
            raise StructureError(
                f"{self.compiled.main.path}: an initial equation needs what events or an iteration "
                "give; write start values with fixed=true for the states instead."
            )

    def _start(self, variable: DaeVariable) -> ca.SX:
        return start_value(self.dae, variable)

    def _continuous_inputs(self) -> ca.SX:
        """Inputs that may change at any time; Booleans and Integers change at events."""
        inputs = [v for v in self.inputs if not self.dae.is_discrete(v)]
        return _column([self.dae.value("input", v).data for v in inputs])

    def _outputs(self) -> list[DaeVariable]:
        """Outputs of the model, and the other variables that are to be shown."""
        inner = {
            name: variable
            for variable in (*self.algebraic, *self.states)
            for name in (variable.name, *variable.scalar_names())
        }
        found = [v for v in self.dae.variables if v.attributes["causality"] == "output"]
        known = {name for v in found for name in (v.name, *v.scalar_names())}
        for name in self.shown:
            if name not in known and name not in inner:
                where = f"variable of model '{self.compiled.class_name}'"
                raise unknown_name(where, name, [*known, *inner])
            if name not in known:
                found.append(inner[name])
                known |= {inner[name].name, *inner[name].scalar_names()}
        return found

    # --- description ---------------------------------------------------------------------------

    def _starts(self, variables: Sequence[DaeVariable], p: ca.SX) -> list[float]:
        column = _column([self._start(variable) for variable in variables])
        return self._state_starts(column, p)

    def _state_starts(self, column: ca.SX, p: ca.SX) -> list[float]:
        return _numbers(ca.Function("start", [p], [column])(self.p_default))

    def _variables(
        self, variables: Sequence[DaeVariable], starts: Sequence[float] | None
    ) -> tuple[Variable, ...]:
        result: list[Variable] = []
        for variable in variables:
            for k, name in enumerate(variable.scalar_names()):
                start = 0.0 if starts is None else starts[len(result)]
                kind: Variability = "discrete" if self.dae.is_discrete(variable) else "continuous"
                result.append(self._variable(variable, name, k, start, kind))
        return tuple(result)

    def _state_variables(self, form: ExplicitForm, starts: Sequence[float]) -> tuple[Variable, ...]:
        """States; one that is a derivative has its variable's unit by seconds."""
        result: list[Variable] = []
        for (unknown, order), start in zip(form.states, starts, strict=True):
            shown = self._variable(
                unknown.variable, unknown.name, unknown.entry, start, "continuous"
            )
            result.append(shown if order == 0 else _derivative(shown, order))
        return tuple(result)

    def _parameter_variables(self, used: ca.SX, p: ca.SX) -> tuple[Variable, ...]:
        """Parameters that only the start values need are fixed, the others tunable."""
        matters = ca.which_depends(used, p, 1, False) if p.numel() and used.numel() else []
        result: list[Variable] = []
        for variable in self.parameters:
            for k, name in enumerate(variable.scalar_names()):
                position = len(result)
                tunable = bool(matters[position]) if matters else False
                result.append(
                    self._variable(
                        variable,
                        name,
                        k,
                        self.p_default[position],
                        "tunable" if tunable else "fixed",
                    )
                )
        return tuple(result)

    def _variable(
        self,
        variable: DaeVariable,
        name: str,
        k: int,
        start: float,
        variability: Variability,
    ) -> Variable:
        attributes, flat = variable.attributes, variable.flat
        return Variable(
            name=name,
            unit=attributes["unit"] or "",
            description=attributes["description"] or "",
            start=start,
            nominal=self._number(variable, "nominal", k),
            min=self._number(variable, "min", k),
            max=self._number(variable, "max", k),
            quantity=flat.get("quantity") or "",
            display_unit=flat.get("display_unit") or "",
            variability=variability,
            type=self.dae.type_of(variable),
        )

    def _inner(self, outputs: Sequence[DaeVariable]) -> tuple[Variable, ...]:
        """Variables that are no outputs, as far as they can become ones."""
        return tuple(
            Variable(
                name, variable.attributes["unit"] or "", variable.attributes["description"] or ""
            )
            for variable in (*self.states, *self.algebraic)
            if variable not in outputs
            for name in variable.scalar_names()
        )

    def _number(self, variable: DaeVariable, attribute: str, k: int) -> float | None:
        node = variable.attributes[attribute]
        if node is None:
            return None
        value = self.dae.expression(node).broadcast(variable.shape).data[k]
        p = _column([self.dae.value("parameter", v).data for v in self.parameters])
        return float(ca.Function("attribute", [p], [value])(self.p_default))

    def _check_start(self, model: PlantModel) -> None:
        """A model that is singular where it starts is refused now, not in the FMU."""
        x0 = [variable.start for variable in model.states]
        u0 = [variable.start for variable in model.inputs]
        p0 = self.p_default
        if model.events is not None:
            zeros = [0.0] * model.memory
            start = model.events.start(model.experiment.start_time, x0, u0, [*p0, *zeros])
            p0 = [*p0, *_numbers(start)]
        if model.loops is not None:
            p0 = solve_loops(model.loops, (model.experiment.start_time, x0, u0), p0)
        arguments = (model.experiment.start_time, x0, u0, p0)
        rhs = np.array(model.rhs(*arguments)).ravel()
        y = np.array(model.outputs_function(*arguments)).ravel()
        names = [f"der({variable.name})" for variable in model.states]
        names += [variable.name for variable in model.shown]
        bad = [n for n, v in zip(names, [*rhs, *y], strict=True) if not np.isfinite(v)]
        if bad:
            raise StructureError(
                f"{self.compiled.main.path}: {', '.join(bad)} cannot be computed at the start "
                "values: the equations are singular there (they depend on each other, or the start "
                "values do not fit)."
            )


def _used(rhs: ca.SX, y: ca.SX, events: Events | None, point: PlantSymbols, q: ca.SX) -> ca.SX:
    """Everything that may need a parameter after the initialization."""
    if events is None:
        return ca.vertcat(rhs, y)
    here = [point.time, point.x, point.u, q]
    update = [ca.densify(part) for part in events.update(*here, 0)]
    checks = ca.vertcat(ca.densify(events.checks(*here)), events.times(point.time, q))
    return ca.vertcat(rhs, y, *update, checks)


def _derivative(variable: Variable, order: int) -> Variable:
    name = f"der({variable.name})" if order == 1 else f"der({variable.name},{order})"
    seconds = "s" if order == 1 else f"s{order}"
    # A quotient of a quotient is no Modelica unit.
    unit = "" if "/" in variable.unit else f"{variable.unit or '1'}/{seconds}"
    text = f"Derivative of {variable.name}"
    return Variable(name=name, unit=unit, description=text, start=variable.start)


def _hashes(symbols: ca.SX) -> list[int]:
    return [symbols[i].element_hash() for i in range(symbols.numel())]


def _indicator_variables(hybrid: Hybrid) -> list[Variable]:
    return [
        Variable(f"events.indicator[{k}]", description=f"Event indicator of {where}")
        for k, where in enumerate(hybrid.indicator_places(), start=1)
    ]


def _fresh(variable: DaeVariable, prefix: str = "") -> ca.SX:
    return ca.vertcat(*[ca.SX.sym(prefix + name) for name in variable.scalar_names()])


def _column(parts: Sequence[ca.SX]) -> ca.SX:
    return ca.vertcat(*parts) if parts else ca.SX(0, 1)


def _split(values: Sequence[float], symbols: Sequence[ca.SX]) -> list[list[float]]:
    result, position = [], 0
    for symbol in symbols:
        result.append(list(values[position : position + symbol.numel()]))
        position += symbol.numel()
    return result


def _numbers(value: ca.DM) -> list[float]:
    return [float(entry) for entry in np.array(value).ravel()]
