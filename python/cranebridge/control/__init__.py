"""Feedback beside the feedforward: sampled laws, observers, their margins and their simulation.

`design_law` makes an optimal law along a motion, `drive_law` the loops of the drives,
`gains_over_position` gains for motions that are not known in advance. `design_observer` makes the
filter that a law can take its state from. `poles`, `margins_along` and `observability_at` say what
to expect of them, `simulate_loop` shows it on the twin. `controller_of` and `controller_sources`
write what runs on the machine, and in the verification.

Everything is imported when it is first asked for.
"""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.control.analysis import Margins, Span, margins_along, margins_at, poles
    from cranebridge.control.code import Controller, controller_of, controller_sources, thinned_law
    from cranebridge.control.design import (
        DriveGains,
        Law,
        LawDesign,
        PositionGains,
        compensated_law,
        design_along,
        design_law,
        design_over_position,
        drive_law,
        interpolated_law,
        thinned_rows,
    )
    from cranebridge.control.gain_grid import gains_over_position
    from cranebridge.control.law_kinds import KINDS, OPTIMAL_LAWS, SCHEDULES, Kind
    from cranebridge.control.model import (
        Mode,
        MotionStep,
        ReferenceMotion,
        SampledStateSpace,
        discretise,
        motion_step,
        reference_of,
    )
    from cranebridge.control.observer import (
        Direction,
        Observability,
        Observer,
        Sensor,
        design_observer,
        observability_at,
    )
    from cranebridge.control.simulation import (
        Deviations,
        LoopMotion,
        draw_noise,
        open_loop,
        simulate_loop,
    )
    from cranebridge.control.speed_law import design_speed_law, speed_reference
    from cranebridge.control.weights import Weight, Weights, choose_weights, require_weights
else:
    __getattr__, __dir__ = front(__name__)
