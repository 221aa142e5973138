"""What laws and observers are designed on: sampled linear models along a motion or at rest."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.control.model.controllability import (
        Mode,
        controllable_basis,
        uncontrollable_modes,
    )
    from cranebridge.control.model.cycle_and_delay import require_delay, require_timing
    from cranebridge.control.model.discretisation import (
        SampledStateSpace,
        cycles_of,
        delayed,
        discretise,
        zero_order_hold,
    )
    from cranebridge.control.model.other_plants import (
        ModelAlong,
        payload_names,
        plant_at,
        plant_with,
        swing_seen,
        swings,
    )
    from cranebridge.control.model.reference_motion import ReferenceMotion, reference_of
    from cranebridge.control.model.rest import drive_names, place_names, rest_state
    from cranebridge.control.model.sampled_motion import MotionStep, motion_step
    from cranebridge.control.model.speed_model import with_integral, with_places, with_speed_loops
    from cranebridge.control.model.trials import (
        CYCLES,
        LAG,
        NOMINAL,
        ROUNDING,
        Deviation,
        FilterModel,
        LoopTrial,
        deviations_of,
        one_time,
        trials_at,
    )
else:
    __getattr__, __dir__ = front(__name__)
