"""Methods that step in time: index 3 and projection."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.inverse.stepping.index3 import (
        choose_dummies,
        extended_stepper,
        force_scale,
        solve_index3,
    )
    from cranebridge.inverse.stepping.projection import (
        COORDINATES,
        choose_split,
        projected_stepper,
        require_masses,
        require_motion,
        solve_projection,
    )
    from cranebridge.inverse.stepping.size_reduction import (
        minimal_crane,
        reduced_problem,
        solve_minimal,
        to_reduced,
    )
    from cranebridge.inverse.stepping.time_steps import SCHEMES, Stepper
else:
    __getattr__, __dir__ = front(__name__)
