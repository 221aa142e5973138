"""Check a Modelica model without a scenario: which inputs and outputs make a servo problem."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import combinations, islice
from math import comb
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from cranebridge.errors import StructureError
from cranebridge.frontend import PlantModel, Variable
from cranebridge.inverse import Structure, analyse
from cranebridge.job.checks.crane_checking import CheckedCrane, checked
from cranebridge.twin import ChosenModel, output_candidates
from cranebridge.twin.language import Quantity, names

_MOST = 200
"""Combinations of outputs that are tried."""

_SECONDS = 20.0
"""How long they are tried."""


@dataclass(frozen=True)
class OutputChoice:
    """A combination of outputs, and what the servo problem is with it.

    Attributes
    ----------
    outputs : tuple of str
        Their names.
    internal_dynamics : int or None
        Number of free initial values: zero for a flat choice, None for a singular one.
    index : int or None
        Differentiation index.
    problem : str
        Why it is singular, in a sentence.
    """

    outputs: tuple[str, ...]
    internal_dynamics: int | None
    index: int | None
    problem: str = ""

    @property
    def kind(self) -> str:
        """Flat, internal dynamics, or singular."""
        if self.internal_dynamics is None:
            return "singular"
        return "internal dynamics" if self.internal_dynamics else "flat"


@dataclass(frozen=True, eq=False)
class CheckedModel:
    """What can be said of a Modelica model before there is a scenario.

    Attributes
    ----------
    source : str
        ``FILE.mo:Class``.
    model : PlantModel
        The model as it was read.
    inputs : tuple of str
        Inputs that are taken for controls; the others keep their start values.
    candidates : tuple of Quantity
        What could follow a path.
    choices : tuple of OutputChoice
        As many candidates as inputs: flat ones first, singular ones last.
    not_tried : int
        Combinations that were not looked at.
    best : CheckedCrane or None
        The crane with the first choice, if that is not singular.
    start : tuple of float
        Its outputs where the model starts.
    """

    source: str
    model: PlantModel
    inputs: tuple[str, ...]
    candidates: tuple[Quantity, ...]
    choices: tuple[OutputChoice, ...]
    not_tried: int
    best: CheckedCrane | None
    start: tuple[float, ...]

    @property
    def exit_code(self) -> int:
        """0 solvable with some choice, 2 with none that was tried."""
        return 0 if self.best is not None else 2

    @property
    def held(self) -> tuple[Variable, ...]:
        """Inputs that keep their start values."""
        return tuple(one for one in self.model.inputs if one.name not in self.inputs)

    @property
    def advice(self) -> str:
        """What to do next, in a sentence."""
        tried = "" if not self.not_tried else f"; {self.not_tried} more were not tried"
        if self.best is None:
            return (
                f"No choice of {len(self.inputs)} outputs for the inputs {', '.join(self.inputs)} "
                f"can be solved{tried}. Choose other inputs with --inputs, or declare as output "
                "what shall follow the path."
            )
        flat = sum(one.kind == "flat" for one in self.choices)
        if not flat:
            return (
                f"No choice is flat{tried}: along a path values stay free. Check a scenario with "
                'solve.method = "inversion", with your start and goal, as:'
            )
        return (
            f"{flat} of {len(self.choices)} choices are flat{tried}. Write a scenario, with your "
            "choice, start and goal, as:"
        )

    @property
    def scenario(self) -> str:
        """A scenario to start from, as TOML; empty where there is nothing to solve."""
        if self.best is None or self.best.structure is None:
            return ""
        crane, structure = self.best.crane, self.best.structure
        forces = [v.name for v in self.model.outputs if v.unit == "N"]
        units = ", ".join(f"{output.name} [{output.unit}]" for output in crane.outputs)
        goal = [value + (i == 0) for i, value in enumerate(self.start)]
        lines = [
            "[crane]",
            f'model = "{self.source}"',
            f"inputs = {_listed(self.inputs)}",
            f"outputs = {_listed(names(crane.outputs))}",
            f"# ropes = {_listed(forces[:1] or ['...'])}  # rope forces, positive pulls",
            "",
            "[path]",
            'kind = "line"',
            f"start = {list(self.start)}  # {units}",
            f"goal = {goal}",
            "duration = 10.0",
            'profile = "polynomial"',
            f"smoothness = {max(structure.path_derivatives.values())}",
        ]
        if structure.internal_dynamics:
            lines += ["", "[solve]", 'method = "inversion"']
        return "\n".join([*lines, ""])

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        model = self.model
        return {
            "model": self.source,
            "description": model.description,
            "inputs": [
                {**_described(one), "start": one.start, "is_control": one.name in self.inputs}
                for one in model.inputs
            ],
            "outputs": [_described(one) for one in model.outputs],
            "states": [{**_described(one), "start": one.start} for one in model.states],
            "parameters": [{**_described(one), "value": one.start} for one in model.parameters],
            "remarks": list(model.remarks),
            "candidates": [asdict(one) for one in self.candidates],
            "choices": [{"kind": one.kind, **asdict(one)} for one in self.choices],
            "not_tried": self.not_tried,
            "crane": None if self.best is None else self.best.as_dict(),
            "next": self.advice,
            "scenario": self.scenario,
        }


def check_model(source: str, inputs: tuple[str, ...] = ()) -> CheckedModel:
    """Check a Modelica model, with all outputs that its inputs could move along a path.

    Parameters
    ----------
    source : str
        ``FILE.mo:Class``, or ``FILE.mo`` for its first class.
    inputs : tuple of str
        Inputs that are controls; all but wind and disturbances if none are given.

    Raises
    ------
    InputError
        If the file, the class or a name is wrong, or the model is not smooth.
    StructureError
        If the inputs do not move the model independently.
    """
    form = output_candidates(str(Path.cwd() / source), inputs)
    chosen, candidates = form.choice.inputs, form.choice.outputs
    count = comb(len(candidates), len(chosen))
    declared = {variable.name for variable in form.model.outputs}
    units = {quantity.name: quantity.unit for quantity in form.quantities}
    found = sorted(_tried(form), key=lambda one: _rank(one[0], declared, units))
    best: CheckedCrane | None = None
    start: tuple[float, ...] = ()
    if found and found[0][1] is not None:
        best = checked(source, found[0][1].crane, found[0][1])
        start = _start_of(form, found[0][0].outputs)
    return CheckedModel(
        source=source,
        model=form.model,
        inputs=chosen,
        candidates=form.quantities,
        choices=tuple(choice for choice, _ in found),
        not_tried=count - len(found),
        best=best,
        start=start,
    )


def _tried(form: ChosenModel) -> Iterator[tuple[OutputChoice, Structure | None]]:
    """Yield combinations of outputs with their structure, as many as there is time for."""
    begun, places = time.monotonic(), range(len(form.choice.outputs))
    for chosen in islice(combinations(places, len(form.choice.inputs)), _MOST):
        if time.monotonic() - begun > _SECONDS:
            return
        part = form.with_outputs(chosen)
        outputs = part.choice.outputs
        try:
            structure = analyse(part.crane())
        except StructureError as error:
            yield OutputChoice(outputs, None, None, str(error)), None
        else:
            yield OutputChoice(outputs, structure.internal_dynamics, structure.index), structure


def _rank(
    choice: OutputChoice, declared: set[str], units: dict[str, str]
) -> tuple[bool, int, int, int]:
    """Return what choices are ordered by: flat first, those of declared outputs, of one unit."""
    inner = sum(name not in declared for name in choice.outputs)
    kinds = len({units[name] for name in choice.outputs})
    return choice.internal_dynamics is None, choice.internal_dynamics or 0, inner, kinds


def _start_of(form: ChosenModel, outputs: tuple[str, ...]) -> tuple[float, ...]:
    """Return outputs where the model starts."""
    model, places = form.model, form.motion.positions
    part = form.with_outputs([form.choice.outputs.index(name) for name in outputs])
    q = [model.states[i].start for i in places]
    p = [variable.start for variable in form.parameters]
    values = ca.Function("start", [form.motion.q, form.p], [part.outputs])(q, p)
    return tuple(float(f"{value:.9g}") + 0.0 for value in np.array(values).ravel())


def _described(variable: Variable) -> dict[str, str]:
    return {
        "name": variable.name,
        "unit": variable.unit or "1",
        "meaning": variable.description or variable.name,
    }


def _listed(entries: tuple[str, ...] | list[str]) -> str:
    return "[" + ", ".join(f'"{entry}"' for entry in entries) + "]"
