"""A crane read from a Modelica model: inputs, outputs and ropes by the model's own names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, StructureError, unknown
from cranebridge.frontend import PlantModel, Variable, load_model
from cranebridge.twin.language import (
    Components,
    Crane,
    Equations,
    Expressions,
    Parameter,
    Quantity,
    names,
    scaled_parts,
)
from cranebridge.twin.modelica.input_elimination import cleaned, passive_rows, without_forces
from cranebridge.twin.modelica.motion_equations import SecondOrder, second_order
from cranebridge.twin.modelica.output_coordinates import OutputCoordinates, with_output_coordinates
from cranebridge.twin.modelica.servo_choice import ServoChoice

Array = NDArray[np.float64]

_STRUCTURAL = (0.0, 1.0, -1.0)
"""Values of parameters that say what a part is, more often than how large it is."""

_ITERATIONS = 60
_SETTLED = 1e-13

_PRESENT = 1e-3
"""What stands for a parameter of zero where it is found out what cancels: friction that is switched
off is still in the equations."""


class ModelicaCrane(Crane):
    """A crane read from Modelica: its equations are those of the model, and not of energies."""

    source: str
    choice: ServoChoice
    equations: Equations
    held: Mapping[str, float]
    has_model_names = True
    _start: Array
    _balance: ca.Function
    _states: ca.Function
    _state_names: tuple[str, ...]

    def stated_equations(self) -> Equations:
        """Return the model's equations, in the second order."""
        return self.equations

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Return the outputs, as the model has them."""
        model = self.equations
        function = ca.Function("outputs", [model.q, model.p], [model.outputs])
        values = function(ca.vertcat(*q), ca.vertcat(ca.SX(0, 1), *p))
        return {output.name: values[i] for i, output in enumerate(self.outputs)}

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Refuse what needs energies: a Modelica model has equations only."""
        raise InputError(
            f"crane '{self.source}' is read from Modelica, which has equations and no energies: "
            "describe the crane in Python for this (docs/own-crane.md)"
        )

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Return zero: it is not known, and `kinetic_energy` refuses who needs more than a hint."""
        return 0.0

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Return v^T B u of the model's equations: which coordinates the inputs act on."""
        matrix = self.equations.input_matrix
        own = ca.DM(matrix.sparsity(), 1.0)
        return ca.dot(ca.vertcat(*v), own @ ca.vertcat(*u))

    def model_states(self, q: Components, v: Components, p: Components) -> Expressions:
        """Return the model's states, of which some are velocities and quasi-velocities."""
        values = self._states(*(ca.vertcat(ca.SX(0, 1), *part) for part in (q, v, p)))
        return {name: values[i] for i, name in enumerate(self._state_names)}

    def variables_in(self, model: str) -> tuple[str, ...]:
        """Return outputs, ropes and states, if it is the model that they are from."""
        if _place(model) != _place(self.source):
            return ()
        return tuple(dict.fromkeys((*names((*self.outputs, *self.ropes)), *self._state_names)))

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Return the equilibrium with the outputs `y`, by Newton's method from the start values.

        Steps are the smallest that there are: what no output and no balance decides stays where
        the model starts.
        """
        wanted = np.array([y[output.name] for output in self.outputs])
        parameters = np.array([p[parameter.name] for parameter in self.parameters])
        z, count = self._start.copy(), len(self.coordinates) + len(self.multipliers)
        for _ in range(_ITERATIONS):
            values, jacobian = (np.array(part) for part in self._balance(z, parameters))
            error = values.ravel()
            error[count:] -= wanted
            if not np.isfinite(error).all() or not np.isfinite(jacobian).all():
                break
            step = np.linalg.lstsq(jacobian, -error, rcond=1e-12)[0]
            z += step
            if np.abs(step).max(initial=0.0) <= _SETTLED * (1.0 + np.abs(z).max()):
                break
        return {c.name: float(z[i]) for i, c in enumerate(self.coordinates)}


@lru_cache(maxsize=8)
def plant_model(source: str, shown: tuple[str, ...], _stamp: object = None) -> PlantModel:
    """Return a model with further variables among its outputs; read once for each text."""
    return load_model(source, shown=shown, keeps_blocks=True)


def crane_from_modelica(source: str, choice: ServoChoice) -> ModelicaCrane:
    """Return the crane that a Modelica model describes.

    Parameters
    ----------
    source : str
        ``FILE.mo:Class``, or ``FILE.mo`` for its first class.
    choice : ServoChoice
        Inputs, outputs and ropes.

    Raises
    ------
    InputError
        If the file or a name is wrong, or the model is not smooth.
    StructureError
        If its equations cannot be brought to the form that inverse dynamics needs.
    """
    return _crane(source, choice, _stamp(source))


def read_model(source: str, shown: Collection[str] = ()) -> PlantModel:
    """Return a smooth model whose variables `shown` are among its outputs.

    Raises
    ------
    InputError
        If the model has events.
    """
    model = plant_model(source, tuple(shown), _stamp(source))
    if model.events is not None and model.events.memory:  # assertions alone change nothing
        first = next((x.description for x in model.locals if "indicator" in x.name), "")
        what = first.removeprefix("Event indicator of ") or "when clauses"
        raise InputError(
            f"crane '{source}' has events ({what}), and a twin is smooth: describe friction and "
            "stops by smooth functions (tanh), or keep this model as plant.model, and take one "
            "without them as crane.model"
        )
    return model


def _place(source: str) -> tuple[Path, str]:
    """Return file and class of a model; no class for the file's first."""
    file, class_name = source.rsplit(":", 1) if ".mo:" in source else (source, "")
    return Path(file), class_name


def _stamp(source: str) -> object:
    """Return what changes when a file changes."""
    file, _ = _place(source)
    try:
        status = file.stat()
    except OSError:  # told when it is read
        return None
    return status.st_mtime_ns, status.st_size


def _crane(source: str, choice: ServoChoice, stamp: object) -> ModelicaCrane:
    outside = read_model(source)
    _require_names(source, choice, outside)
    structural = {v.name for v in outside.parameters if v.start in _STRUCTURAL}
    varied = tuple(name for name in sorted(choice.varied) if name in structural)
    return _chosen_crane(source, replace(choice, varied=varied), stamp)


@lru_cache(maxsize=8)
def _chosen_crane(source: str, choice: ServoChoice, stamp: object) -> ModelicaCrane:
    outside = read_model(source)
    known = {variable.name for variable in (*outside.outputs, *outside.states)}
    more = [name for name in (*choice.outputs, *choice.ropes) if name not in known]
    model = read_model(source, more) if more else outside
    return ChosenModel.of(source, model, choice).reduced().crane()


@dataclass(frozen=True, eq=False)
class ChosenModel:
    """A model in the second order, and what was chosen of it.

    Once it is `reduced`, inputs are in as few of its equations as can be.
    """

    source: str
    model: PlantModel
    choice: ServoChoice
    motion: SecondOrder
    u: ca.SX
    p: ca.SX
    parameters: tuple[Variable, ...]
    held: Mapping[str, float]
    is_reduced: bool = False

    @property
    def outputs(self) -> ca.SX:
        """What shall follow the path."""
        return self.motion.known[: len(self.choice.outputs)]

    @property
    def ropes(self) -> ca.SX:
        """The rope forces."""
        first = len(self.choice.outputs)
        return self.motion.known[first : first + len(self.choice.ropes)]

    @property
    def states(self) -> ca.SX:
        """The model's states, in coordinates and velocities."""
        first = len(self.choice.outputs) + len(self.choice.ropes) + len(self.model.shown)
        return self.motion.known[first:]

    @property
    def offered(self) -> tuple[list[str], ca.SX]:
        """Further positions of the model, and their names."""
        motion, first = self.motion, len(self.choice.outputs) + len(self.choice.ropes)
        others = ca.vertcat(motion.v, motion.a, motion.lam, self.u)
        shown = [v.name for v in self.model.shown]
        places = [
            i
            for i, name in enumerate(shown)
            if name not in self.choice.outputs
            and ca.depends_on(motion.known[first + i], motion.q)
            and not ca.depends_on(motion.known[first + i], others)
        ]
        column = _column([motion.known[first + i] for i in places])
        return [shown[i] for i in places], column

    @classmethod
    def of(cls, source: str, model: PlantModel, choice: ServoChoice) -> ChosenModel:
        """Hold the other inputs, and bring the model to the second order."""
        time, x = ca.SX.sym("t"), ca.SX.sym("x", len(model.states))
        u, w = ca.SX.sym("u", len(choice.inputs)), ca.SX.sym("w", model.memory)
        held = {v.name: v.start for v in model.inputs if v.name not in choice.inputs}
        inputs = _column(
            [
                u[choice.inputs.index(v.name)] if v.name in choice.inputs else ca.SX(v.start)
                for v in model.inputs
            ]
        )
        defaults = [variable.start for variable in model.parameters]
        whole = ca.SX.sym("p", len(defaults))
        arguments = (time, x, inputs, ca.vertcat(whole, w))
        f, y = model.rhs(*arguments), model.outputs_function(*arguments)
        g = ca.SX(0, 1) if model.loops is None else model.loops.residual(*arguments)
        shown = [variable.name for variable in model.shown]
        states = [variable.name for variable in model.states]
        known = _column(
            [
                y[shown.index(name)] if name in shown else x[states.index(name)]
                for name in (*choice.outputs, *choice.ropes)
            ]
        )
        every = ca.vertcat(f, g, known)
        if ca.depends_on(every, time):
            raise InputError(
                f"crane '{source}' depends on time by itself: make an input of what drives it, or "
                "keep this model as plant.model"
            )
        used = ca.which_depends(every, whole, 1, False) if defaults else []
        kept = [i for i, matters in enumerate(used) if matters]
        p, values = ca.SX.sym("p", len(kept)), ca.SX(ca.DM(defaults))
        for k, i in enumerate(kept):
            values[i] = p[k]
        # positions of the model may become coordinates: see `output_coordinates`
        known = ca.vertcat(known, y[: len(shown)])
        f, g, known = ca.substitute([f, g, known], [whole], [values])
        motion = second_order(x, f, w, g, u=u, p=p, known=ca.vertcat(known, x))
        parameters = tuple(model.parameters[i] for i in kept)
        return cls(source, model, choice, motion, u, p, parameters, held)

    @property
    def positions(self) -> tuple[int, ...]:
        """Those of the outputs that are positions or angles."""
        motion = self.motion
        moving = ca.vertcat(motion.v, motion.a, motion.lam, self.u)
        count = self.outputs.numel()
        return tuple(i for i in range(count) if not ca.depends_on(self.outputs[i], moving))

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """The outputs with units and meanings."""
        return tuple(_quantity(self._shown(name)) for name in self.choice.outputs)

    def with_outputs(self, chosen: Sequence[int]) -> ChosenModel:
        """Return the model with some of the outputs only; what is eliminated stays eliminated."""
        known, count = self.motion.known, len(self.choice.outputs)
        kept = ca.vertcat(*(known[i] for i in chosen), known[count:])
        outputs = tuple(self.choice.outputs[i] for i in chosen)
        return replace(
            self,
            motion=replace(self.motion, known=kept),
            choice=replace(self.choice, outputs=outputs),
        )

    def reduced(self) -> ChosenModel:
        """Return the model with inputs in as few equations as can be."""
        motion, u, p = self.motion, self.u, self.p
        if ca.depends_on(ca.jacobian(motion.rows, u), u):
            raise StructureError(
                f"crane '{self.source}' is not linear in its inputs {', '.join(self.choice.inputs)}"
            )
        start, inputs = self._start
        defaults = np.array([variable.start for variable in self.parameters])
        motion = without_forces(motion, p, (start, inputs, defaults))
        try:
            rows = passive_rows(motion, u, p, (start, inputs, self._present))
        except StructureError as error:
            raise StructureError(f"crane '{self.source}': {error}") from None
        return replace(self, motion=replace(motion, rows=rows), is_reduced=True)

    @property
    def _start(self) -> tuple[Array, Array]:
        """Coordinates and inputs at the start."""
        states = self.model.states
        start = np.array([states[i].start for i in self.motion.positions])
        return start, np.array([self._input(name).start for name in self.choice.inputs])

    @property
    def _present(self) -> Array:
        """Values of the parameters, none of them zero: what a user may set counts as there."""
        defaults = np.array([variable.start for variable in self.parameters])
        return np.where(defaults == 0.0, _PRESENT, defaults)

    def _with_constants(self) -> ChosenModel:
        """Return the model with parameters that are 0, 1 or -1 by default as constants.

        A load whose moments of inertia are zero is a point, and the axis of a joint is a vector of
        zeros and a one; a user who changes these changes what the crane is, in the model.
        """
        kept = [i for i, v in enumerate(self.parameters) if not self._may_be_constant(v)]
        p = ca.SX.sym("p", len(kept))
        values = ca.SX(ca.DM([variable.start for variable in self.parameters]))
        for k, i in enumerate(kept):
            values[i] = p[k]
        motion = self.motion
        rows, known = ca.substitute([motion.rows, motion.known], [self.p], [values])
        return replace(
            self,
            motion=replace(motion, rows=ca.simplify(rows), known=known),
            p=p,
            parameters=tuple(self.parameters[i] for i in kept),
        )

    def _may_be_constant(self, variable: Variable) -> bool:
        return variable.start in _STRUCTURAL and variable.name not in self.choice.varied

    def _with_further_coordinates(self) -> OutputCoordinates | None:
        """Return the model with outputs as coordinates, where its balances allow that."""
        outputs = [self.outputs[i] for i in range(self.outputs.numel())]
        if all(output.is_symbolic() for output in outputs):
            return None  # they are coordinates already
        start, _ = self._start
        values = (start, self._present)
        offered = self.offered[1]
        return with_output_coordinates(self.motion, self.u, self.p, self.outputs, offered, values)

    def crane(self) -> ModelicaCrane:
        """Return the crane of a model that is reduced."""
        assert self.is_reduced
        if len(self.positions) < self.outputs.numel():
            self._refuse_outputs()
        self._require_si()
        further = self._with_further_coordinates()
        if further is None and any(map(self._may_be_constant, self.parameters)):
            fixed = self._with_constants()
            further = fixed._with_further_coordinates()
            if further is not None:
                return fixed._crane(further)
        return self._crane(further)

    def _crane(self, further: OutputCoordinates | None) -> ModelicaCrane:
        motion, u, p = self.motion, self.u, self.p
        states, (start, inputs) = self.model.states, self._start
        own, of_states = len(start), self.states
        coordinates = [_quantity(states[i]) for i in motion.positions]
        conditions, outputs = ca.SX(0, 1), self.outputs
        if further is not None:
            offered, given = self.offered[0], motion.q
            motion, conditions, outputs = further.motion, further.conditions, further.outputs
            positions = [*self.choice.outputs, *(offered[i] for i in further.positions)]
            defaults = np.array([variable.start for variable in self.parameters])
            values = ca.Function("positions", [given, p], [further.values])
            start = np.concatenate([start, np.array(values(start, defaults)).ravel()])
            start = np.concatenate([start, start[list(further.copied)]])
            rows = cleaned(motion.rows, motion, u, p, (start, inputs, self._present))
            motion = replace(motion, rows=rows)
            coordinates += [_quantity(self._shown(name)) for name in positions]
            coordinates += [_copy_of(coordinates[i]) for i in further.copied]
            of_states = ca.substitute(
                of_states,
                ca.vertcat(given, self.motion.v),
                ca.vertcat(motion.q[:own], motion.v[:own]),
            )
        self = replace(self, motion=motion)
        kind: type[ModelicaCrane] = type("ModelicaCrane", (ModelicaCrane,), {})
        kind.equations = self._equations(kind(), conditions, outputs)
        unknowns, moving = ca.vertcat(motion.q, motion.lam, u), ca.vertcat(motion.v, motion.a)
        both = ca.vertcat(motion.rows, conditions, outputs)
        balance = ca.substitute(both, moving, ca.SX.zeros(moving.numel()))
        jacobian = ca.jacobian(balance, unknowns)
        kind._balance = ca.Function("balance", [unknowns, p], [balance, jacobian])
        kind._states = ca.Function("states", [motion.q, motion.v, p], [of_states])
        kind._state_names = tuple(state.name for state in states)
        kind._start = np.concatenate([start, np.zeros(motion.lam.numel()), inputs])
        kind.source, kind.choice, kind.held = self.source, self.choice, self.held
        kind.name = self.model.name
        kind.description = self.model.description or f"read from {Path(self.source).name}"
        kind.coordinates = tuple(coordinates)
        kind.parameters = tuple(map(_parameter, self.parameters))
        kind.inputs = tuple(_quantity(self._input(name)) for name in self.choice.inputs)
        kind.outputs = self.quantities
        kind.ropes = tuple(_quantity(self._shown(name)) for name in self.choice.ropes)
        inner = self.model.loops.names if self.model.loops is not None else ()
        kind.multipliers = tuple(Quantity(inner[j], "1", inner[j]) for j in motion.forces)
        return kind()

    def _equations(self, crane: ModelicaCrane, conditions: ca.SX, outputs: ca.SX) -> Equations:
        """Lay the equations out: those with accelerations are the equations of motion.

        Conditions stand in place of those of the last coordinates, which have none.
        """
        motion, u, rows = self.motion, self.u, self.motion.rows
        count = motion.q.numel() - conditions.numel()
        order = sorted(
            range(rows.numel()),
            key=lambda i: (not ca.depends_on(rows[i], motion.a), i),
        )
        first, others = ca.vertcat(rows[order[:count]], conditions), rows[order[count:]]
        mass, own = ca.jacobian(first, motion.a), ca.jacobian(first, u)
        at_rest = ca.vertcat(motion.a, u)
        return Equations(
            crane=crane,
            q=motion.q,
            v=motion.v,
            a=motion.a,
            lam=motion.lam,
            u=u,
            p=self.p,
            motion=first,
            mass_matrix=mass,
            force=-ca.substitute(first, at_rest, ca.SX.zeros(at_rest.numel())),
            input_matrix=-own,
            constraints=others,
            constraint_jacobian=ca.jacobian(first, motion.lam).T,
            outputs=outputs,
            ropes=self.ropes,
            energy=ca.SX.nan(1, 1),  # the model's is not known
            massless=(*motion.first, *range(count, motion.q.numel())),
        )

    def _input(self, name: str) -> Variable:
        return next(variable for variable in self.model.inputs if variable.name == name)

    def _shown(self, name: str) -> Variable:
        known = (*self.model.shown, *self.model.states)
        return next(variable for variable in known if variable.name == name)

    def _require_si(self) -> None:
        """Refuse other units: a value of Modelica is in `unit`, and `displayUnit` is for show."""
        used = [self._input(name) for name in self.choice.inputs]
        used += [self._shown(name) for name in (*self.choice.outputs, *self.choice.ropes)]
        used += [*self.model.states, *self.parameters]
        wrong = [f"{one.name} [{one.unit}]" for one in used if scaled_parts(one.unit)]
        if wrong:
            raise InputError(
                f"crane '{self.source}' has {', '.join(dict.fromkeys(wrong))}, and a twin is in SI "
                "units: give them in SI units in the model (displayUnit shows them in others), or "
                "keep this model as plant.model, where units are converted"
            )

    def _refuse_outputs(self) -> None:
        wrong = [name for i, name in enumerate(self.choice.outputs) if i not in self.positions]
        raise InputError(
            f"crane '{self.source}': {', '.join(wrong)} depends on velocities or inputs; outputs "
            "that shall follow a path are positions and angles"
        )


def _require_names(source: str, choice: ServoChoice, model: PlantModel) -> None:
    """Refuse unknown inputs, and numbers of outputs and inputs that differ."""
    known = [variable.name for variable in model.inputs]
    for name in choice.inputs:
        if name not in known:
            raise unknown(f"input of crane '{source}'", name, known)
    for key in ("inputs", "outputs"):
        given: Sequence[str] = getattr(choice, key)
        if not given:
            what = known if key == "inputs" else [v.name for v in model.outputs]
            raise InputError(
                f"crane.{key} is missing: a crane read from Modelica needs the names of its {key}; "
                f"'{source}' has {_listed(what)}"
            )
        if len(set(given)) != len(given):
            raise InputError(f"crane.{key} names a variable twice: {', '.join(given)}")
    if len(choice.inputs) != len(choice.outputs):
        raise InputError(
            f"crane.inputs has {len(choice.inputs)} names and crane.outputs "
            f"{len(choice.outputs)}: inverse dynamics needs as many outputs as inputs"
        )


def _column(parts: Sequence[ca.SX]) -> ca.SX:
    return ca.vertcat(*parts) if parts else ca.SX(0, 1)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _quantity(variable: Variable) -> Quantity:
    return Quantity(variable.name, variable.unit or "1", variable.description or variable.name)


def _copy_of(coordinate: Quantity) -> Quantity:
    meaning = f"{coordinate.name} of the copy with the same positions"
    return Quantity(f"copy_{coordinate.name}", coordinate.unit, meaning)


def _parameter(variable: Variable) -> Parameter:
    least = variable.min
    positive = least is not None and least >= 0.0 and variable.start > 0.0
    return Parameter(
        variable.name,
        variable.unit or "1",
        variable.description or variable.name,
        variable.start,
        "non-negative" if positive else "real",
    )
