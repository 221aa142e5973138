"""Two models of a crane compared: a twin, a Modelica class or an FMU with another of these."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from cranebridge.errors import InputError
from cranebridge.inverse import ServoProblem, analyse, time_grid
from cranebridge.inverse.index1 import solve_index1
from cranebridge.job.comparison.compared_model import ComparedModel, find_model
from cranebridge.job.comparison.comparison_result import ModelComparison
from cranebridge.job.plant_drives import speed_loops
from cranebridge.job.solving import solve_scenario
from cranebridge.plant import Plant
from cranebridge.plant.description import inspect
from cranebridge.plant.export import cached_fmu
from cranebridge.progress import StageReport, ignore_stage
from cranebridge.scenario import Scenario
from cranebridge.twin import Crane
from cranebridge.twin.language import names
from cranebridge.verify import (
    CommonSource,
    PlantMap,
    certify,
    compare_plants,
    compare_twins,
    differing,
    other_values,
    source_of_both,
)

SHARED_COMPILER = (
    "cranebridge translated both: a mistake of the compiler (rumoca), of reading or of index "
    "reduction can be in both"
)

AWAY = 0.5
"""How far a crane without a scenario moves its outputs, in their SI units."""

DURATION = 8.0
"""How long that takes [s]."""


def compare_models(
    first: str, second: str, report_stage: StageReport = ignore_stage
) -> ModelComparison:
    """Compare two models of a crane.

    Parameters
    ----------
    first, second : str
        A ready scenario or a TOML file, whose twin is meant; a built-in crane or
        ``FILE.py:Class``; ``FILE.mo:Class`` or a model of ``modelica/Cranes``; or ``FILE.fmu``.
    report_stage : callable
        Called with the name of each stage as it begins.

    Raises
    ------
    InputError
        If a name is wrong, or nothing of the two can be compared.
    """
    report_stage("export")
    models = find_model(first), find_model(second)
    report_stage("certify")
    plants = [model for model in models if model.fmu is not None]
    if len(plants) == 2:
        found = _compare_plants(*models)
    elif plants:
        twin = next(model for model in models if model.fmu is None)
        found = _compare_with_plant(twin, plants[0], turned=models[0] is plants[0])
    else:
        found = _compare_twins(*models)
    common = _common_source(*models)
    certificate = found.certificate
    if common is None and all(model.is_translated for model in models):
        certificate = replace(certificate, notes=(*certificate.notes, SHARED_COMPILER))
    return replace(found, certificate=certificate, common_source=common)


def _common_source(first: ComparedModel, second: ComparedModel) -> CommonSource | None:
    """Return the one Modelica source of both, if they have one."""
    for one, other in ((first, second), (second, first)):
        if one.modelica and (other.modelica or other.fmu is not None):
            return source_of_both(one.modelica, other.modelica or None, other.fmu)
    return None


def _compare_plants(first: ComparedModel, second: ComparedModel) -> ModelComparison:
    with _opened(first) as one, _opened(second) as other:
        values = other_values(one.info, other.info)
        return ModelComparison(first.name, second.name, compare_plants(one, other), values)


def _opened(model: ComparedModel) -> Plant:
    """Open a plant by Model Exchange, or by Co-Simulation where it has nothing else."""
    assert model.fmu is not None
    return Plant(model.fmu, interface="me" if inspect(model.fmu).has_me else "cs")


def _compare_with_plant(
    model: ComparedModel, other: ComparedModel, turned: bool
) -> ModelComparison:
    """Compare a twin with a plant: by the certificate of a scenario, its own or a short motion."""
    with _opened(other) as plant:
        scenario = model.scenario
        if scenario is None:
            assert model.crane is not None
            scenario = _short_motion(model.name, model.crane, plant)
        own = _names_plant(scenario, other)
        table = scenario.tables.plant.map.model_dump() if own else {}
        loops = speed_loops(scenario) if own else ()
        mapping = PlantMap(scenario.crane, plant.info, table, loops)
        certificate = certify(solve_scenario(scenario).feedforward.frictionless, plant, mapping)
    given = scenario.tables.crane.parameters
    # what a scenario sets is for both
    own_names = set(names(scenario.crane.parameters)) - set(given)
    values = {}
    for row in certificate.parameters:
        name, mine, theirs = str(row["name"]), row["value"], row["default"]
        if not isinstance(mine, float) or not isinstance(theirs, float):
            continue
        if name in own_names:
            values[name] = mine, theirs
    values = differing(values)
    if turned:
        values = {name: (theirs, mine) for name, (mine, theirs) in values.items()}
    pair = (other.name, model.name) if turned else (model.name, other.name)
    return ModelComparison(*pair, certificate, values)


def _names_plant(scenario: Scenario, other: ComparedModel) -> bool:
    """Return whether a plant is the one that a scenario names: its map is of no other."""
    table = scenario.tables.plant
    if table.fmu is not None:
        return other.fmu is not None and Path(table.fmu).resolve() == other.fmu.resolve()
    return table.model is not None and Path(cached_fmu(table.model)) == other.fmu


def _short_motion(name: str, crane: Crane, plant: Plant) -> Scenario:
    """Return a scenario of a crane that begins where a plant starts by itself."""
    mapping = PlantMap(crane, plant.info, {})
    outputs = names(crane.outputs)
    if missing := mapping.missing(outputs):
        raise InputError(
            f"plant '{plant.info.name}' does not show {', '.join(missing)} of crane '{name}': give "
            "a scenario in the place of the crane, with plant.map.signals"
        )
    run = plant.simulate(times=[0.0, 1e-3], outputs=mapping.readings)
    values = crane.parameter_values({})
    vector = np.array([values[known] for known in names(crane.parameters)])
    start = mapping.signals(outputs, run.outputs[:1], vector)[0]
    path = {
        "kind": "line",
        "start": start.tolist(),
        "goal": (start + AWAY).tolist(),
        "duration": DURATION,
        "profile": "polynomial",
        "smoothness": max(analyse(crane).path_derivatives.values()),
    }
    return Scenario.of(name, path)


def _compare_twins(first: ComparedModel, second: ComparedModel) -> ModelComparison:
    """Compare two twins by a motion along the path of the first that has a scenario."""
    scenarios = [model.scenario for model in (first, second) if model.scenario is not None]
    if not scenarios:
        raise InputError(
            f"{first.name} and {second.name} are cranes without a path: give a scenario in the "
            "place of one of them"
        )
    base = scenarios[0]
    own = [_own_parameters(model) for model in (first, second)]
    shared = {name: value for name, value in own[0].items() if name in own[1]}
    cranes = [_crane(model) for model in (first, second)]
    problems = [
        ServoProblem(crane, base.problem.path, crane.parameter_values({**mine, **shared}))
        for crane, mine in zip(cranes, own, strict=True)
    ]
    times = time_grid(base.problem.path.duration, base.tables.solve.step)
    certificate = compare_twins(*(solve_index1(problem, times) for problem in problems))
    values = differing({name: (own[0][name], own[1][name]) for name in shared})
    return ModelComparison(first.name, second.name, certificate, values)


def _crane(model: ComparedModel) -> Crane:
    crane = model.crane if model.scenario is None else model.scenario.crane
    assert crane is not None
    return crane


def _own_parameters(model: ComparedModel) -> dict[str, float]:
    if model.scenario is not None:
        return dict(model.scenario.problem.parameters)
    return dict(_crane(model).parameter_values({}))
