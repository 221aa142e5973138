"""ModelStructure of an exported FMU: what its outputs and derivatives depend on, and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.frontend import PlantModel
from cranebridge.plant.export.codegen import PlantFunctions
from cranebridge.plant.export.fmu_variables import References


@dataclass(frozen=True)
class ModelUnknown:
    """An entry of ModelStructure: value references of the unknown and of what it depends on.

    Without dependencies it may depend on everything: so does what an event can change.
    """

    reference: int
    dependencies: tuple[int, ...] | None
    kinds: tuple[str, ...] | None = None


@dataclass(frozen=True)
class ModelStructure:
    """The unknowns of the groups of ModelStructure."""

    outputs: list[ModelUnknown]
    derivatives: list[ModelUnknown]
    initial_unknowns: list[ModelUnknown]
    indicators: list[ModelUnknown] = field(default_factory=list)


def _dependency_kinds(
    model: PlantModel, equations: PlantFunctions
) -> tuple[ca.Sparsity, list[str], NDArray[np.bool_]]:
    """Dependencies of (der(x), y) on (t, x, u) with their kinds, and on p without."""
    symbol: Any = ca.SX if equations["rhs"].is_a("SXFunction") else ca.MX
    t = symbol.sym("t")
    x, u, p = (
        symbol.sym(name, size)
        for name, size in (
            ("x", len(model.states)),
            ("u", len(model.inputs)),
            ("p", len(model.parameters) + model.memory),
        )
    )
    both = ca.vertcat(equations["rhs"](t, x, u, p), equations["outputs"](t, x, u, p))
    knowns = ca.vertcat(t, x, u)
    jacobian = ca.jacobian(both, knowns)
    entries = ca.Function("entries", [knowns, p], [jacobian.nz[:]], {"allow_free": False})
    moving = {int(row) for row in entries.jac_sparsity(0, 0).row()}
    tunable = [parameter.variability == "tunable" for parameter in model.parameters]
    tunable += [False] * model.memory  # what depends on it is told without kinds
    by_parameters: dict[int, bool] = {}
    sparsity = entries.jac_sparsity(0, 1)
    for row, column in zip(*sparsity.get_triplet(), strict=True):
        by_parameters[int(row)] = by_parameters.get(int(row), False) or tunable[int(column)]
    kinds = []
    for k in range(jacobian.nnz()):
        if k in moving:
            kinds.append("dependent")
        elif k in by_parameters:
            kinds.append("tunable" if by_parameters[k] else "fixed")
        else:
            kinds.append("constant")
    on_parameters = _pattern(ca.jacobian_sparsity(both, p))
    return jacobian.sparsity(), kinds, on_parameters


def _pattern(sparsity: ca.Sparsity) -> NDArray[np.bool_]:
    pattern = np.zeros(sparsity.shape, dtype=bool)
    rows, columns = sparsity.get_triplet()
    pattern[list(rows), list(columns)] = True
    return pattern


def structure_of(model: PlantModel, equations: PlantFunctions) -> ModelStructure:
    """Structure from the sparsity of the equations."""
    first = References.of(model)
    nx, nu = len(model.states), len(model.inputs)
    sparsity, kinds, on_parameters = _dependency_kinds(model, equations)
    known_references = [
        0,
        *range(first.state, first.state + nx),
        *range(first.input, first.input + nu),
    ]
    rows: list[list[tuple[int, str]]] = [[] for _ in range(sparsity.size1())]
    for row, column, kind in zip(*sparsity.get_triplet(), kinds, strict=True):
        rows[int(row)].append((known_references[int(column)], kind))
    switched = [bool(row.any()) for row in on_parameters[:, len(model.parameters) :]]
    unknowns = [
        ModelUnknown(reference, None)
        if switches
        else ModelUnknown(
            reference, tuple(r for r, _ in sorted(row)), tuple(k for _, k in sorted(row))
        )
        for reference, row, switches in zip(
            _unknown_references(model, first), rows, switched, strict=True
        )
    ]
    outputs = [
        ModelUnknown(unknown.reference, (unknown.reference,), ("constant",))
        if unknown.reference < first.derivative
        else unknown
        for unknown in unknowns[nx : nx + len(model.outputs)]
    ]
    visible = unknowns[: nx + len(model.outputs)]
    initial = _initial_unknowns(model, equations, visible, on_parameters)
    indicators = unknowns[len(unknowns) - model.indicators :]
    return ModelStructure(outputs, unknowns[:nx], initial, indicators)


def all_on_all(model: PlantModel) -> ModelStructure:
    """Structure of a model with an algorithm: each output may depend on each input."""
    first = References.of(model)
    inputs = (0, *range(first.input, first.input + len(model.inputs)))
    parameters = range(first.parameter, first.parameter + len(model.parameters))
    outputs = range(first.output, first.output + len(model.outputs))
    return ModelStructure(
        [ModelUnknown(reference, inputs) for reference in outputs],
        [],
        [ModelUnknown(reference, (*inputs, *parameters)) for reference in outputs],
    )


def _unknown_references(model: PlantModel, first: References) -> list[int]:
    """References of all der(x) and y; an output with a state's name is that state."""
    states = {state.name: first.state + i for i, state in enumerate(model.states)}
    return [
        *range(first.derivative, first.derivative + len(model.states)),
        *(states.get(output.name, first.output + i) for i, output in enumerate(model.shown)),
    ]


def _initial_unknowns(
    model: PlantModel,
    equations: PlantFunctions,
    unknowns: Sequence[ModelUnknown],
    on_parameters: NDArray[np.bool_],
) -> list[ModelUnknown]:
    """During initialization, states that follow from parameters are unknowns themselves."""
    first = References.of(model)
    count = len(model.parameters)
    start = _pattern(equations["initial"].jac_sparsity(0, 0))[:, :count]

    def parameters(pattern: NDArray[np.bool_]) -> set[int]:
        return {first.parameter + int(j) for j in np.flatnonzero(pattern)}

    calculated = {
        first.state + i: parameters(start[i])
        for i in range(len(model.states))
        if equations.calculated[i]
    }
    found = [ModelUnknown(r, tuple(sorted(p))) for r, p in calculated.items()]
    for unknown, row in zip(unknowns, on_parameters, strict=False):
        if unknown.reference < first.derivative:
            continue  # an output that is a state: exact, or in the list already
        if unknown.dependencies is None:
            found.append(unknown)
            continue
        knowns = parameters(row[:count])
        for reference in unknown.dependencies:
            knowns |= calculated.get(reference, {reference})
        found.append(ModelUnknown(unknown.reference, tuple(sorted(knowns))))
    return sorted(found, key=lambda unknown: unknown.reference)
