"""Feedback beside the feedforward: sampled laws, observers, their margins and their simulation.

`design_law` makes an optimal law along a motion, `drive_law` the loops of the drives,
`gains_over_position` gains for motions that are not known in advance. `design_observer` makes the
filter that a law can take its state from. `poles`, `margins_along` and `observability_at` say what
to expect of them, `simulate_loop` shows it on the twin. `controller_of` and `controller_sources`
write what runs on the machine, and in the verification.

Everything is imported when it is first asked for.
"""

from typing import TYPE_CHECKING

from cranebridge.lazily import when_asked

if TYPE_CHECKING:
    from cranebridge.control.compensation import compensated_law
    from cranebridge.control.controllability import Mode
    from cranebridge.control.controller import Controller, controller_of, thinned_law
    from cranebridge.control.controller_c import controller_sources
    from cranebridge.control.discretisation import Sampled, discretise
    from cranebridge.control.drive_loops import DriveLoop, drive_law
    from cranebridge.control.gain_grid import gains_over_position
    from cranebridge.control.law import Design, Law, design_along, design_law
    from cranebridge.control.law_kinds import KINDS
    from cranebridge.control.margins import Margins, Span, margins_along, margins_at, poles
    from cranebridge.control.observability import Direction, Observability, observability_at
    from cranebridge.control.observer import Observer, design_observer
    from cranebridge.control.position_gains import PositionGains, design_over_position
    from cranebridge.control.reference import Reference, reference_of
    from cranebridge.control.sampled_motion import MotionStep, motion_step
    from cranebridge.control.sensors import Sensor
    from cranebridge.control.simulation import (
        Deviations,
        LoopMotion,
        draw_noise,
        open_loop,
        simulate_loop,
    )
    from cranebridge.control.thinning import interpolated_law, thinned_rows
    from cranebridge.control.weights import Weight, Weights, choose_weights

_PLACES = {
    "Controller": "controller",
    "Design": "law",
    "Deviations": "simulation",
    "Direction": "observability",
    "DriveLoop": "drive_loops",
    "KINDS": "law_kinds",
    "Law": "law",
    "LoopMotion": "simulation",
    "Margins": "margins",
    "Mode": "controllability",
    "MotionStep": "sampled_motion",
    "Observability": "observability",
    "Observer": "observer",
    "PositionGains": "position_gains",
    "Reference": "reference",
    "Sampled": "discretisation",
    "Sensor": "sensors",
    "Span": "margins",
    "Weight": "weights",
    "Weights": "weights",
    "choose_weights": "weights",
    "compensated_law": "compensation",
    "controller_of": "controller",
    "controller_sources": "controller_c",
    "design_along": "law",
    "design_law": "law",
    "design_observer": "observer",
    "design_over_position": "position_gains",
    "discretise": "discretisation",
    "draw_noise": "simulation",
    "drive_law": "drive_loops",
    "gains_over_position": "gain_grid",
    "interpolated_law": "thinning",
    "margins_along": "margins",
    "margins_at": "margins",
    "motion_step": "sampled_motion",
    "observability_at": "observability",
    "open_loop": "simulation",
    "poles": "margins",
    "reference_of": "reference",
    "simulate_loop": "simulation",
    "thinned_law": "controller",
    "thinned_rows": "thinning",
}
__getattr__ = when_asked(__name__, _PLACES)

__all__ = [
    "KINDS",
    "Controller",
    "Design",
    "Deviations",
    "Direction",
    "DriveLoop",
    "Law",
    "LoopMotion",
    "Margins",
    "Mode",
    "MotionStep",
    "Observability",
    "Observer",
    "PositionGains",
    "Reference",
    "Sampled",
    "Sensor",
    "Span",
    "Weight",
    "Weights",
    "choose_weights",
    "compensated_law",
    "controller_of",
    "controller_sources",
    "design_along",
    "design_law",
    "design_observer",
    "design_over_position",
    "discretise",
    "draw_noise",
    "drive_law",
    "gains_over_position",
    "interpolated_law",
    "margins_along",
    "margins_at",
    "motion_step",
    "observability_at",
    "open_loop",
    "poles",
    "reference_of",
    "simulate_loop",
    "thinned_law",
    "thinned_rows",
]
