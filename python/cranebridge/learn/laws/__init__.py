"""Laws of learning, and what they are computed with."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.learn.laws.change_weights import ChangeWeights, weights_for
    from cranebridge.learn.laws.frequency import (
        Frequency,
        Transfer,
        frequencies_of,
        integrators,
        require_no_integrator,
        transfer_of,
    )
    from cranebridge.learn.laws.lifted import LiftedLaw
    from cranebridge.learn.laws.recursion import solve_backwards
    from cranebridge.learn.laws.stepwise import Stepwise, StepwiseResult, step_by_step
else:
    __getattr__, __dir__ = front(__name__)
