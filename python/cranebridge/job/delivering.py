"""Hand over a scenario's feedforward."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cranebridge.deliver import Order, deliver
from cranebridge.deliver.order import contains
from cranebridge.errors import InputError
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.job.ordering import Wishes, make_order
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import plant_file, plant_settings
from cranebridge.plan import scale_problem, scale_scenario
from cranebridge.plant.fmu import inspect
from cranebridge.scenario import Scenario
from cranebridge.verify.controllers import design_controller
from cranebridge.verify.feedback import plant_side
from cranebridge.verify.mapping import PlantMap

__all__ = ["Wishes", "hand_over", "left_out"]


def hand_over(scenario: Scenario, wishes: Wishes) -> list[Path]:
    """Solve a scenario and deliver it; returns the files written."""
    content = scenario.complete()
    if wishes.duration is not None:
        now = scenario.problem.path.duration
        scenario = replace(scenario, problem=scale_problem(scenario.problem, wishes.duration))
        content = scale_scenario(content, wishes.duration, now)
    order = make_order(scenario, wishes, content)
    if wishes.target is None:
        raise InputError("where to? Give -o FILE or -o FOLDER")
    solution = solve_scenario(scenario).feedforward
    if contains(order.to, bool(scenario.tables.control.sensor)):
        order = _with_controller(order, scenario, solution)
    return deliver(solution, order)


def _with_controller(order: Order, scenario: Scenario, solution: Feedforward) -> Order:
    """Return the order with the controller that the scenario's verification runs."""
    feedback, table = plant_settings(scenario).feedback, scenario.tables.plant
    if feedback is None:
        return order
    if table.model is None and table.fmu is None:
        return replace(order, controller=design_controller(solution, feedback, None).controller)
    mapping = PlantMap(scenario.crane, inspect(plant_file(scenario)), table.map.model_dump())
    designed = design_controller(solution, feedback, mapping)
    side = plant_side(designed, mapping, feedback) if order.to == "ssp" else None
    return replace(order, controller=designed.controller, side=side)


def left_out(scenario: Scenario, to: str | None = None) -> list[str]:
    """Say what of a scenario is not in what was handed over in a format."""
    control = scenario.tables.control
    if control.kind == "none":
        return []
    sampled = plant_settings(scenario).feedback is not None
    if sampled and contains(to or scenario.tables.deliver.to or "", bool(control.sensor)):
        return []
    why = "is designed and verified here, but not handed over in this format"
    if not sampled:
        why = "is continuous and not handed over; give control.cycle for one that is"
    return [
        "these are the feedforward and its references; the controller of control.kind = "
        f"'{control.kind}' {why}"
    ]
