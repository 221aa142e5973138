"""Delivery as an SSP: the FMU of the feedforward connected to the FMU of the plant.

Its parameter values are start, goal, duration and trigger of the motion where it is planned on
line, parameters of the crane, start values of the plant, which may start moving. A tool that opens
it and simulates sees the load move from start to goal.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cranebridge.deliver.fmu import HOLD, TRIGGER, feedforward_model
from cranebridge.deliver.ssp.builder import Driver, driven_archive, plant_of, plant_values
from cranebridge.deliver.ssp.system import FEEDFORWARD, PLANT, Connection, Connector
from cranebridge.errors import InputError
from cranebridge.frontend import PlantModel, Variable
from cranebridge.inverse import Feedforward, ServoProblem
from cranebridge.limits import Limits
from cranebridge.plant.export import Fmi
from cranebridge.verify.mapping import PlantMap


def ssp_archive(
    feedforward: Feedforward,
    limits: Limits,
    scenario: Mapping[str, Any] | None,
    record: Mapping[str, Any],
    *,
    fmi: Fmi = "2.0",
    hold: float = 0.0,
    folder: Path = Path(),
    played: PlantModel | None = None,
) -> bytes:
    """Make the SSP of a feedforward and its plant.

    Parameters
    ----------
    feedforward : Feedforward
        The solution; its problem is solved again on line if nothing is played, its first point is
        the plant's start.
    limits : Limits
        Limits that every plan must keep.
    scenario : mapping
        Its ``plant`` table names the plant, and how its names relate to the crane's.
    record : mapping
        Provenance.
    fmi : {"2.0", "3.0"}
        Version of the standard, of a plant that is exported, too.
    hold : float
        Interval over which the controls are held [s], zero for who passes their derivatives on.
    folder : pathlib.Path
        What a relative file name in the scenario is relative to.
    played : PlantModel, optional
        The feedforward's FMU, where it plays one motion and does not solve on line.

    Raises
    ------
    InputError
        If there is no plant, its inputs are not single controls, or it cannot start as the motion.
    """
    problem = feedforward.problem
    file, mapping = plant_of(problem, scenario, fmi, folder)
    if mapping.speed:
        raise InputError(
            "an SSP of a feedforward alone gives forces, and the drives of this plant take "
            "velocity references; give control.kind = 'lqr', whose controller gives them"
        )
    connections, constants = connections_to(problem, mapping)
    model = played or feedforward_model(problem, limits, FEEDFORWARD)
    motion = {} if played else motion_values(model)
    values: dict[str, float | bool] = {f"{FEEDFORWARD}.{k}": value for k, value in motion.items()}
    if hold > 0.0:
        values[f"{FEEDFORWARD}.{HOLD}"] = hold
    values |= {f"{PLANT}.{name}": value for name, value in constants.items()}
    values |= plant_values(feedforward, mapping, scenario)
    # for tools that exchange values after the first step only: what acts from the start on
    known = dict(zip((one.name for one in problem.crane.inputs), feedforward.u[0], strict=True))
    values |= {
        f"{PLANT}.{wire.end}": float(wire.factor * known[wire.start] + wire.offset)
        for wire in connections
    }
    driver = Driver(
        FEEDFORWARD,
        model,
        [_connector_of(variable) for variable in model.outputs],
        connections,
        values,
        model.experiment.stop_time if played else None,
    )
    return driven_archive(problem, driver, (file, mapping), record, fmi)


def motion_values(model: PlantModel) -> dict[str, float | bool]:
    """Return what the feedforward gets: the motion, triggered at the start, and parameters."""
    values: dict[str, float | bool] = {v.name: v.start for v in model.inputs if v.type == "real"}
    # All other wishes are false without being set; FMPy 0.3.32 takes the text "false" for true.
    values[TRIGGER] = True
    return values | {v.name: v.start for v in model.parameters if v.name != HOLD}


def connections_to(
    problem: ServoProblem, mapping: PlantMap
) -> tuple[list[Connection], dict[str, float]]:
    """Return connections, and the values of plant inputs that depend on no control."""
    matrix, offset = mapping.input_matrix(problem.parameters)
    controls = [quantity.name for quantity in problem.crane.inputs]
    found, constants = [], {}
    for name, row, constant in zip(mapping.input_names, matrix, offset, strict=True):
        used = np.flatnonzero(row)
        if used.size > 1:
            raise InputError(
                f"plant input '{name}' is made of several controls "
                f"({', '.join(controls[i] for i in used)}), which a connection of an SSP cannot do"
            )
        if used.size == 0:
            constants[name] = float(constant)
            continue
        found.append(Connection(controls[used[0]], name, float(row[used[0]]), float(constant)))
    return found, constants


def _connector_of(variable: Variable) -> Connector:
    return Connector(variable.name, "output", variable.unit, variable.type.capitalize())
