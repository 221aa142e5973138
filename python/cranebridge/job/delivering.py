"""Hand over a scenario's feedforward."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cranebridge.deliver import CONTAINING, DeliveryOrder, deliver, played_note
from cranebridge.errors import InputError
from cranebridge.inverse import Feedforward
from cranebridge.job.ordering import Wishes, make_order
from cranebridge.job.plant_drives import drive_loops
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import plant_file, plant_map, plant_settings
from cranebridge.plan import scale_problem, scale_scenario
from cranebridge.plant.description import inspect
from cranebridge.progress import StageReport, ignore_stage
from cranebridge.scenario import Scenario
from cranebridge.verify.feedback import design_controller, plant_side

__all__ = ["Wishes", "hand_over", "left_out"]


def hand_over(
    scenario: Scenario, wishes: Wishes, report_stage: StageReport = ignore_stage
) -> list[Path]:
    """Solve a scenario and deliver it; returns the files written."""
    content = scenario.complete()
    if wishes.duration is not None:
        now = scenario.problem.path.duration
        scenario = scenario.with_problem(scale_problem(scenario.problem, wishes.duration))
        content = scale_scenario(content, wishes.duration, now)
    order = make_order(scenario, wishes, content)
    if wishes.target is None:
        raise InputError("where to? Give -o FILE or -o FOLDER")
    if order.learned and order.one_motion:
        _require_played(order, scenario)
    report_stage("solve")
    solution = solve_scenario(scenario).feedforward
    report_stage("deliver")
    if wishes.learned is not None:
        from cranebridge.job.learning import learned_feedforward

        before, solution = learned_feedforward(solution, wishes.learned, order.to, scenario)
        order = replace(order, moved=_moved(order, scenario, before, solution))
    if order.to in CONTAINING:
        order = _with_controller(order, scenario, solution)
    return deliver(solution, order)


def _moved(
    order: DeliveryOrder, scenario: Scenario, before: Feedforward, learned: Feedforward
) -> dict[str, NDArray[np.float64]]:
    """Return how far learned controls move the references of drives with units of their own."""
    if not order.looped or not order.drives(scenario.problem):
        return {}
    from cranebridge.learn.trials import moved_references

    mapping = plant_map(scenario, inspect(plant_file(scenario)))
    return moved_references(before, learned.u, mapping, drive_loops(scenario))


def _with_controller(
    order: DeliveryOrder, scenario: Scenario, solution: Feedforward
) -> DeliveryOrder:
    """Return the order with the controller that the scenario's verification runs."""
    feedback, table = plant_settings(scenario).feedback, scenario.tables.plant
    if feedback is None:
        return order
    if order.to == "generator":  # it is for any motion: gains along one would be of no use
        feedback = replace(feedback, gains="position")
    if table.model is None and table.fmu is None:
        return replace(order, controller=design_controller(solution, feedback, None).controller)
    mapping = plant_map(scenario, inspect(plant_file(scenario)))
    designed = design_controller(solution, feedback, mapping)
    side = plant_side(designed, mapping, feedback) if order.to == "ssp" else None
    mixed = None
    if feedback.kind == "drives":
        mixed = mapping.input_matrix(designed.reference.parameters)
    return replace(order, controller=designed.controller, side=side, mixed=mixed)


def _require_played(order: DeliveryOrder, scenario: Scenario) -> None:
    """Refuse learned controls in an FMU that plans on line, and in an SSP without its loops."""
    settings = plant_settings(scenario)
    feedback = settings.feedback
    if order.to == "ssp" and feedback is None and settings.loops:
        raise InputError(
            "these controls were learned behind the loops of the drives, which are continuous and "
            "not in an SSP: without them the plant drifts away; have them sampled in it with "
            "--set control.kind=drives --set control.cycle=0.001"
        )
    if feedback is not None and feedback.gains == "position":
        raise InputError(
            f"format '{order.to}' with control.gains = 'position' solves on line and has no place "
            "for learned controls; give control.gains = 'time'"
        )


def left_out(scenario: Scenario, to: str | None = None) -> list[str]:
    """Say what of a scenario is not in what was handed over in a format."""
    control, form = scenario.tables.control, to or scenario.tables.deliver.to or ""
    if control.kind == "none" and scenario.tables.plant.speed and form in ("generator", "fmu"):
        return [
            "what plans on line gives forces, positions and velocities; the references of the "
            "drives in plant.speed are in tables and code (csv, c, st, ...)"
        ]
    if control.kind == "none":
        return played_note(form, scenario.problem, bool(scenario.friction))
    sampled = plant_settings(scenario).feedback is not None
    if sampled and form in CONTAINING:
        if form != "generator" or control.gains == "position" or control.kind == "drives":
            return []
        return [
            "the controller of the generator has gains over position, and verify runs those over "
            "time; with --set control.gains=position it runs the same ones"
        ]
    why = "is designed and verified here, but not handed over in this format"
    if not sampled:
        why = "is continuous and not handed over; give control.cycle for one that is"
    return [
        "these are the feedforward and its references; the controller of control.kind = "
        f"'{control.kind}' {why}"
    ]
