"""A model with its inputs, outputs and ropes chosen, on its way to a crane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, StructureError, unknown
from cranebridge.frontend import PlantModel, Variable
from cranebridge.twin.language import Equations, Parameter, Quantity, scaled_parts
from cranebridge.twin.modelica.input_elimination import cleaned, passive_rows, without_forces
from cranebridge.twin.modelica.model_reading import Stamp, read_model, stamp_of
from cranebridge.twin.modelica.modelica_crane import ModelicaCrane
from cranebridge.twin.modelica.motion_equations import (
    SecondOrder,
    second_order,
    with_implicit_coordinates,
)
from cranebridge.twin.modelica.output_coordinates import OutputCoordinates, with_output_coordinates
from cranebridge.twin.modelica.servo_choice import ServoChoice

Array = NDArray[np.float64]

_STRUCTURAL = (0.0, 1.0, -1.0)
"""Values of parameters that say what a part is, more often than how large it is."""

_PRESENT = 1e-3
"""What stands for a parameter of zero where it is found out what cancels: friction that is switched
off is still in the equations."""


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
    outside = read_model(source)
    _require_names(source, choice, outside)
    structural = {v.name for v in outside.parameters if v.start in _STRUCTURAL}
    varied = tuple(name for name in sorted(choice.varied) if name in structural)
    return _crane(source, replace(choice, varied=varied), stamp_of(source))


@lru_cache(maxsize=8)
def _crane(source: str, choice: ServoChoice, stamp: Stamp) -> ModelicaCrane:
    del stamp
    outside = read_model(source)
    known = {variable.name for variable in (*outside.outputs, *outside.states)}
    iterated = outside.loops.names if outside.loops is not None else ()
    inner = {variable.name for variable in outside.inner}
    wanted = (*choice.outputs, *choice.ropes, *(name for name in iterated if name in inner))
    more = [name for name in dict.fromkeys(wanted) if name not in known]
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
    constants: tuple[str, ...] = ()
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
        begun = ca.DM() if model.loops is None else model.loops.start([*defaults, *_zeros(w)])
        motion = second_order(
            x, f, w, g, u=u, p=p, known=ca.vertcat(known, x), w_start=np.array(begun).ravel()
        )
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
        start = np.array([self.model.states[i].start for i in motion.positions])
        inputs = self._inputs_at_start
        motion = without_forces(motion, u, p, (start, inputs, self._defaults))
        if motion.forces:
            left = [self._iterated[j] for j in motion.forces]
            found = with_implicit_coordinates(motion, u)
            if found is None:
                raise StructureError(
                    f"crane '{self.source}': {', '.join(left)} is in nonlinear equations with "
                    "velocities, accelerations or inputs, which a twin cannot use; write these "
                    "equations so that each gives one variable (l = sqrt(...) for l^2 = ...)"
                )
            motion = found
        if ca.depends_on(ca.jacobian(motion.rows, u), u):
            raise StructureError(
                f"crane '{self.source}' is not linear in its inputs {', '.join(self.choice.inputs)}"
            )
        form = replace(self, motion=motion)
        try:
            rows = passive_rows(motion, u, p, (form._start, inputs, form._present))
        except StructureError as error:
            raise StructureError(f"crane '{self.source}': {error}") from None
        return replace(form, motion=replace(motion, rows=rows), is_reduced=True)

    @property
    def _iterated(self) -> tuple[str, ...]:
        """Unknowns of the model's blocks."""
        return self.model.loops.names if self.model.loops is not None else ()

    @property
    def _defaults(self) -> Array:
        return np.array([variable.start for variable in self.parameters])

    @property
    def _present(self) -> Array:
        """Values of the parameters, none of them zero: what a user may set counts as there."""
        return np.where(self._defaults == 0.0, _PRESENT, self._defaults)

    @property
    def _start(self) -> Array:
        """Coordinates at the start."""
        states = [self.model.states[i].start for i in self.motion.positions]
        return np.concatenate([states, self.motion.implicit_start])

    @property
    def _inputs_at_start(self) -> Array:
        return np.array([self._input(name).start for name in self.choice.inputs])

    @property
    def _coordinates(self) -> tuple[Quantity, ...]:
        states = (_quantity(self.model.states[i]) for i in self.motion.positions)
        return (*states, *(self._of_block(self._iterated[j]) for j in self.motion.implicit))

    def _of_block(self, name: str) -> Quantity:
        known = {variable.name: variable for variable in self.model.shown}
        return _quantity(known[name]) if name in known else Quantity(name, "1", name)

    def _with_constants(self) -> ChosenModel:
        """Return the model with parameters that are 0, 1 or -1 by default as constants.

        A load whose moments of inertia are zero is a point, and the axis of a joint is a vector of
        zeros and a one; a user who changes these changes what the crane is, in the model.
        """
        kept = [i for i, v in enumerate(self.parameters) if not self._may_be_constant(v)]
        p, values = ca.SX.sym("p", len(kept)), ca.SX(ca.DM(self._defaults))
        for k, i in enumerate(kept):
            values[i] = p[k]
        motion = self.motion
        rows, known = ca.substitute([motion.rows, motion.known], [self.p], [values])
        return replace(
            self,
            motion=replace(motion, rows=ca.simplify(rows), known=known),
            p=p,
            parameters=tuple(self.parameters[i] for i in kept),
            constants=tuple(v.name for i, v in enumerate(self.parameters) if i not in kept),
        )

    def _may_be_constant(self, variable: Variable) -> bool:
        return variable.start in _STRUCTURAL and variable.name not in self.choice.varied

    def _output_coordinates(self) -> OutputCoordinates | None:
        """Return the model with outputs as coordinates, where its balances allow that."""
        outputs = [self.outputs[i] for i in range(self.outputs.numel())]
        if all(output.is_symbolic() for output in outputs):
            return None  # they are coordinates already
        values = (self._start, self._present)
        offered = self.offered[1]
        return with_output_coordinates(self.motion, self.u, self.p, self.outputs, offered, values)

    def crane(self) -> ModelicaCrane:
        """Return the crane of a model that is reduced."""
        assert self.is_reduced
        if len(self.positions) < self.outputs.numel():
            self._refuse_outputs()
        self._require_si()
        forms = [self]
        if any(map(self._may_be_constant, self.parameters)):
            forms.append(self._with_constants())
        for form in forms:
            further = form._output_coordinates()
            if further is not None:
                return form._with_outputs_as_coordinates(further)
        return self._crane(self.motion, self.outputs, self._coordinates, self._start)

    def _with_outputs_as_coordinates(self, further: OutputCoordinates) -> ModelicaCrane:
        offered = self.offered[0]
        positions = [*self.choice.outputs, *(offered[i] for i in further.positions)]
        values = ca.Function("positions", [self.motion.q, self.p], [further.values])
        start = np.concatenate([self._start, np.array(values(self._start, self._defaults)).ravel()])
        start = np.concatenate([start, start[list(further.copied)]])
        at = (start, self._inputs_at_start, self._present)
        rows = cleaned(further.motion.rows, further.motion, self.u, self.p, at)
        coordinates = [*self._coordinates, *(_quantity(self._shown(name)) for name in positions)]
        coordinates += [_copy_of(coordinates[i]) for i in further.copied]
        motion = replace(further.motion, rows=rows)
        return self._crane(motion, further.outputs, coordinates, start)

    def _crane(
        self, motion: SecondOrder, outputs: ca.SX, coordinates: Sequence[Quantity], start: Array
    ) -> ModelicaCrane:
        states, u, p = self.model.states, self.u, self.p
        kind: type[ModelicaCrane] = type("ModelicaCrane", (ModelicaCrane,), {})
        kind.equations = self._equations(kind(), motion, outputs)
        unknowns, moving = ca.vertcat(motion.q, u), ca.vertcat(motion.v, motion.a)
        both = ca.vertcat(motion.rows, motion.conditions, outputs)
        balance = ca.substitute(both, moving, ca.SX.zeros(moving.numel()))
        jacobian = ca.jacobian(balance, unknowns)
        kind._balance = ca.Function("balance", [unknowns, p], [balance, jacobian])
        kind._states = ca.Function("states", [motion.q, motion.v, p], [self.states])
        kind._state_names = tuple(state.name for state in states)
        kind._start = np.concatenate([start, self._inputs_at_start])
        kind.source, kind.held, kind.constants = self.source, self.held, self.constants
        kind.name = self.model.name
        kind.description = self.model.description or f"read from {Path(self.source).name}"
        kind.coordinates = tuple(coordinates)
        kind.parameters = tuple(map(_parameter, self.parameters))
        kind.inputs = tuple(_quantity(self._input(name)) for name in self.choice.inputs)
        kind.outputs = self.quantities
        kind.ropes = tuple(_quantity(self._shown(name)) for name in self.choice.ropes)
        return kind()

    def _equations(self, crane: ModelicaCrane, motion: SecondOrder, outputs: ca.SX) -> Equations:
        """Lay the equations out: conditions stand in place of those of the last coordinates."""
        every = ca.vertcat(motion.rows[_row_order(motion)], motion.conditions)
        mass, own = ca.jacobian(every, motion.a), ca.jacobian(every, self.u)
        at_rest = ca.vertcat(motion.a, self.u)
        count = motion.q.numel()
        return Equations(
            crane=crane,
            q=motion.q,
            v=motion.v,
            a=motion.a,
            lam=ca.SX(0, 1),
            u=self.u,
            p=self.p,
            motion=every,
            mass_matrix=mass,
            force=-ca.substitute(every, at_rest, ca.SX.zeros(at_rest.numel())),
            input_matrix=-own,
            constraints=ca.SX(0, 1),
            constraint_jacobian=ca.SX(0, count),
            outputs=outputs,
            ropes=self.ropes,
            energy=ca.SX.nan(1, 1),  # the model's is not known
            massless=(*motion.first, *range(motion.rows.numel(), count)),
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


def _row_order(motion: SecondOrder) -> list[int]:
    """Return the rows so that those without accelerations are at coordinates of first order."""
    rows = range(motion.rows.numel())
    still = [i for i in rows if not ca.depends_on(motion.rows[i], motion.a)]
    if len(still) != len(motion.first):
        return list(rows)
    moving = [i for i in rows if i not in still]
    return [(still if k in motion.first else moving).pop(0) for k in rows]


def _column(parts: Sequence[ca.SX]) -> ca.SX:
    return ca.vertcat(*parts) if parts else ca.SX(0, 1)


def _zeros(vector: ca.SX) -> list[float]:
    return [0.0] * int(vector.numel())


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
