"""Check the controller of a scenario: its poles and margins on the twin, before a plant is run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cranebridge.control import gains_over_position
from cranebridge.control.analysis import LawAndMotion, LoopCheck, check_loop, slack_notes
from cranebridge.control.design import Law
from cranebridge.control.model import reference_of
from cranebridge.errors import unknown
from cranebridge.forward import linearise
from cranebridge.inverse import Feedforward, SpeedDrive
from cranebridge.job.plant_drives import speed_loops
from cranebridge.scenario import CYCLE, Scenario, control_cycle, sensors_of
from cranebridge.twin.language import names
from cranebridge.verify import DriveController, Feedback, Sensing
from cranebridge.verify.feedback import design_asked, finished_law

LOOKED_AT = 1e-3
"""Cycle [s] with which continuous loops are looked at, where margins need one."""


def check_control(scenario: Scenario, solution: Feedforward) -> LoopCheck:
    """Return poles and margins of a scenario's controller.

    Raises
    ------
    CranebridgeError
        If there is no law.
    """
    table, limits = scenario.tables.control, scenario.limits
    notes, cycle = slack_notes(solution), control_cycle(table)
    if table.kind == "drives":
        timing = f"cycle {cycle:g} s, delay {table.delay:g} s" if cycle else "continuous"
        loops = _loops(scenario, solution)
        if isinstance(loops, str):
            return LoopCheck(scenario.crane, f"drives, {timing}", (), {}, (), (loops,), ())
        if not cycle:
            notes = (*notes, f"margins are those of loops that are sampled every {LOOKED_AT:g} s")
        return check_loop(loops, f"drives, {timing}", notes, continuous=not cycle)
    kind = table.kind
    speed = speed_loops(scenario)
    sensing = Sensing(sensors_of(table), **table.observer.model_dump())
    asked = Feedback(kind, cycle, table.delay, table.weights, limits, sensing=sensing, speed=speed)
    design = design_asked(solution, asked)
    notes = (*notes, *design.remarks())
    title = f"{kind}, cycle {cycle:g} s, delay {table.delay:g} s"
    observer = design.observer
    law = finished_law(design)
    if table.gains == "position":
        law = gains_over_position(design, limits, finished_law).along(design.reference)
        title += ", gains over position"
    if observer is not None:
        title += f", measured: {', '.join(sensor.title for sensor in observer.sensors)}"
    if speed:
        title += ", of velocity references"
    along = LawAndMotion(law, design.reference, design.model)
    return _named(check_loop(along, title, notes, observer=observer), speed)


def _named(checked: LoopCheck, drives: Sequence[SpeedDrive]) -> LoopCheck:
    """Return the check with the names of velocity references in place of those of forces."""
    titles = {f"u.{drive.input}": f"w.{drive.coordinate}" for drive in drives}
    margins = tuple(
        replace(one, gain={titles.get(name, name): span for name, span in one.gain.items()})
        for one in checked.margins
    )
    return replace(checked, margins=margins)


def _loops(scenario: Scenario, solution: Feedforward) -> LawAndMotion | str:
    """Return the loops of the drives as a law on the twin; why not, where only the plant knows."""
    control = scenario.tables.control
    loops = [
        DriveController(input=name, **drive.model_dump())
        for name, drive in (scenario.tables.plant.drives | control.drives).items()
    ]
    unknown_loop = _not_known(scenario, loops)
    if unknown_loop:
        return unknown_loop
    cycle = control_cycle(control)
    reference = reference_of(solution, cycle or CYCLE, control.delay)
    crane = reference.crane
    inputs, coordinates = names(crane.inputs), names(crane.coordinates)
    n, count, rows = len(coordinates), len(loops), len(reference.time)
    K, K_integral = np.zeros((len(inputs), 2 * n)), np.zeros((len(inputs), count))
    for i, loop in enumerate(loops):
        row, column = inputs.index(loop.input), coordinates.index(loop.coordinate)
        K[row, column], K[row, n + column], K_integral[row, i] = loop.kp, loop.kv, loop.ki
    none = np.zeros((rows, len(inputs), 0))
    law = Law(
        crane=crane,
        kind="drives",
        cycle=cycle or LOOKED_AT,
        delay=control.delay,
        time=reference.time,
        K=np.tile(K, (rows, 1, 1)),
        integrals=tuple(f"q.{loop.coordinate}" for loop in loops) if cycle else (),
        K_integral=np.tile(K_integral, (rows, 1, 1)) if cycle else none,
        K_past=none,
        disturbances=(),
        K_disturbance=none,
    )
    motion = (reference.q, reference.v, reference.u, reference.time)
    return LawAndMotion(law, reference, linearise(crane, reference.parameters, *motion))


def _not_known(scenario: Scenario, loops: Sequence[DriveController]) -> str:
    """Return which loop has an input or a position that only the plant knows; empty if none has."""
    crane, mapped = scenario.crane, scenario.tables.plant.map
    coordinates = names(crane.coordinates)
    for loop in loops:
        if loop.coordinate not in coordinates:
            where = f"coordinate in control.drives.{loop.input}"
            raise unknown(where, loop.coordinate, coordinates)
        own = loop.input in names(crane.inputs) and loop.input not in mapped.inputs
        if not own or loop.position not in ("", loop.coordinate):
            return (
                f"poles and margins are not known before the plant is: the loop of {loop.input} is "
                "closed on signals of its own; verify shows what it does"
            )
    return ""
