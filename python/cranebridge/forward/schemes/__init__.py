"""Integrators of constrained mechanical systems, a file each."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.forward.schemes.discrete_gradients import discrete_gradient
    from cranebridge.forward.schemes.energy_momentum import conserving_terms, require_constant_mass
    from cranebridge.forward.schemes.mechanical_system import MechanicalSystem, system_of_crane
    from cranebridge.forward.schemes.null_space import Reduction, joint_reduction, null_space_scheme
    from cranebridge.forward.schemes.scheme import (
        Inputs,
        Scheme,
        SystemMotion,
        check_state,
        input_function,
        require_branch,
        run,
        scales,
        symbols,
    )
    from cranebridge.forward.schemes.scheme_choices import METHODS, integrate, make_scheme
else:
    __getattr__, __dir__ = front(__name__)
