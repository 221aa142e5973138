"""Delivery of a controller as an SSP: its FMU and the plant's, connected to a closed loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cranebridge.control.code import Controller
from cranebridge.deliver.fmu import controller_model
from cranebridge.deliver.ssp.builder import Driver, driven_archive, plant_of, plant_values
from cranebridge.deliver.ssp.feedforward_ssp import motion_values
from cranebridge.deliver.ssp.system import PLANT, Connection, Connector
from cranebridge.errors import InputError
from cranebridge.frontend import PlantModel
from cranebridge.inverse import Feedforward
from cranebridge.plant.description import PlantInfo
from cranebridge.plant.export import Fmi
from cranebridge.verify.feedback import PlantSide

CONTROLLER = "controller"
"""Name of the component."""


def closed_loop_archive(
    feedforward: Feedforward,
    controller: Controller,
    side: PlantSide,
    scenario: Mapping[str, Any] | None,
    record: Mapping[str, Any],
    *,
    fmi: Fmi = "2.0",
    folder: Path = Path(),
    describe: Callable[[PlantInfo], PlantModel] | None = None,
) -> bytes:
    """Make the SSP of a controller and its plant.

    Parameters
    ----------
    feedforward : Feedforward
        The motion; its first point is the plant's start.
    controller : Controller
        What drives the plant.
    side : PlantSide
        How its signals relate to the plant's.
    scenario : mapping
        Its ``plant`` table names the plant.
    record : mapping
        Provenance.
    fmi : {"2.0", "3.0"}
        Version of the standard, of a plant that is exported, too.
    folder : pathlib.Path
        What a relative file name in the scenario is relative to.
    describe : callable, optional
        Describes the controller's FMU beside a plant, where it is not that of one motion: what it
        does not read of the plant it gets as parameters, with the motion of the scenario.

    Raises
    ------
    InputError
        If there is no plant, or the controller reads what is no output of it.
    """
    problem = feedforward.problem
    file, mapping = plant_of(problem, scenario, fmi, folder)
    hidden = [name for name in side.readings if name not in mapping.info.output_names]
    if hidden:
        raise InputError(
            f"the controller reads {', '.join(hidden)}, which plant '{mapping.info.name}' has as a "
            "local variable: a connection of an SSP needs an output"
        )
    if describe is None:
        model = controller_model(controller, CONTROLLER, side, mapping.info)
    else:
        model = describe(mapping.info)
    connections = [
        *(Connection(name, name, source=CONTROLLER) for name in side.inputs),
        *(Connection(name, name, source=PLANT, target=CONTROLLER) for name in side.readings),
    ]
    values: dict[str, float | bool] = {**plant_values(feedforward, mapping, scenario)}
    # for tools that exchange values after the first step only: what acts from the start on
    first = side.D @ controller.hold[0] + side.d
    values |= {f"{PLANT}.{name}": float(u) for name, u in zip(side.inputs, first, strict=True)}
    if describe is not None:
        motion = motion_values(model)
        values |= {f"{CONTROLLER}.{k}": v for k, v in motion.items() if k not in side.readings}
    connectors = [
        *(Connector(v.name, "input", v.unit) for v in model.inputs if v.name in side.readings),
        *(Connector(v.name, "output", v.unit, v.type.capitalize()) for v in model.outputs),
    ]
    duration = model.experiment.stop_time
    driver = Driver(CONTROLLER, model, connectors, connections, values, duration)
    return driven_archive(problem, driver, (file, mapping), record, fmi)
