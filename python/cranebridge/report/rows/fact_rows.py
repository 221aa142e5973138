"""The facts of the report: what a reader needs to repeat the result."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
import tomli_w

from cranebridge.plant import BACKENDS, TOOLS
from cranebridge.report.rows.number_texts import pretty_unit
from cranebridge.scenario import Scenario
from cranebridge.twin.language import Quantity
from cranebridge.verify import Verified
from cranebridge.version_info import versions

_INTERFACES = {"me": "Model Exchange", "cs": "Co-Simulation"}


def facts(scenario: Scenario, verified: Verified) -> list[tuple[str, str]]:
    """Return label and text of each fact."""
    solution = verified.feedforward
    rows = [
        ("Scenario", scenario.name),
        ("Crane", f"{scenario.crane.name}: {scenario.crane.description}"),
        ("Parameters", ", ".join(_parameter(scenario, part) for part in scenario.crane.parameters)),
        *_solution(scenario, verified),
        *_plant(scenario, verified),
        ("Versions", ", ".join(f"{name} {text}" for name, text in versions().items())),
        ("Scenario SHA-256", scenario_hash(scenario)),
        ("Solution SHA-256", _array_hash(solution.time, solution.q, solution.u)),
    ]
    if solution.notes:
        rows.append(("Notes", " ".join(solution.notes)))
    return rows


def _solution(scenario: Scenario, verified: Verified) -> list[tuple[str, str]]:
    solution, structure = verified.feedforward, verified.structure
    path, tables = solution.problem.path, scenario.tables
    kind = "flat" if structure.flat else f"internal dynamics {structure.internal_dynamics}"
    if solution.internal is not None:
        kind += f" ({solution.internal['kind']})"
    smooth = path.smoothness()
    exact = "exact on the grid" if solution.order == 0 else f"order {solution.order} in the step"
    method = f"{solution.method}, step {tables.solve.step:g} s, {exact}"
    begin, end = float(solution.time[0]), float(solution.time[-1])
    if (begin, end) != (0.0, float(path.duration)):
        method += f", from {begin:.4g} s to {end:.4g} s"
    return [
        (
            "Path",
            f"{tables.path.get('kind', '')}, {path.duration:g} s, "
            f"class C{'∞' if math.isinf(smooth) else smooth}",
        ),
        *_moving(scenario, verified),
        ("Index", f"{structure.index}, {kind}"),
        ("Method", method),
        ("Largest residual", f"{solution.max_residual:.1e} (relative)"),
    ]


def _moving(scenario: Scenario, verified: Verified) -> list[tuple[str, str]]:
    """Return the states that the motion starts and ends with, where it moves there."""
    units = {part.name: part.unit for part in scenario.crane.coordinates}
    rows = []
    for end, state in verified.feedforward.moving_states().items():
        q = [f"{name} = {x:.6g} {pretty_unit(units[name])}" for name, x in state["q"].items()]
        rates = {name: pretty_unit(f"{unit}/s") for name, unit in units.items()}
        v = [f"v.{name} = {x:.6g} {rates[name]}" for name, x in state["v"].items()]
        title = end.removesuffix("_state").capitalize()
        rows.append((f"{title} in motion", ", ".join([*q, *v])))
    return rows


def _plant(scenario: Scenario, verified: Verified) -> list[tuple[str, str]]:
    plant, tracking = verified.plant, verified.tracking
    if plant is None:
        return []
    if plant.interface == "twin":
        rows = [("Plant", "the twin's own equations of motion, integrated forward")]
    else:
        table = scenario.tables.plant
        name = f"{table.model}, {plant.name}" if table.fmu is None else plant.name
        rows = [
            ("Plant", f"{name}, {_INTERFACES[plant.interface]}"),
            ("FMU SHA-256", plant.sha256),
        ]
        if plant.units:
            rows.append(("Units", ". ".join(plant.units)))
        if plant.backend in TOOLS:
            how = [] if tracking is None else [str(tracking.statistics["interpolation"])]
            rows.append(("Run by", "; ".join([BACKENDS[plant.backend], *how])))
        if plant.containment is not None:
            contained = ", ".join(plant.containment.enforced)
            rows.append(("Containment", plant.containment.warning or f"enforced: {contained}"))
    if tracking is not None and tracking.settings.disturbances:
        words = "; ".join(one.describe() for one in tracking.settings.disturbances)
        rows.append(("Disturbances", f"{words} (not known to the controller)"))
    if tracking is not None and tracking.energy_balance is not None:
        rows.append(("Energy balance", f"{tracking.energy_balance:.1e} (relative)"))
    return rows


def _parameter(scenario: Scenario, part: Quantity) -> str:
    value = scenario.problem.parameters[part.name]
    unit = "" if part.unit == "1" else f" {pretty_unit(part.unit)}"
    return f"{part.name} = {value:.6g}{unit}"


def scenario_hash(scenario: Scenario) -> str:
    """Return the SHA-256 of the complete scenario file."""
    return hashlib.sha256(tomli_w.dumps(scenario.complete()).encode()).hexdigest()


def _array_hash(*arrays: np.ndarray[Any, Any]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return digest.hexdigest()
