"""Forward dynamics: the twin as a plant, and integrators for constrained mechanical systems.

`simulate_twin` moves any crane with given controls. `integrate` runs one of `METHODS` on a
`MechanicalSystem`; `simulate` and `simulate_minimal` integrate local state-space forms.
`linearise_along` gives the matrices of small deviations from a feedforward.

Everything is imported when it is first asked for: who moves the twin needs no integrators of
mechanical systems, and the other way round.
"""

from typing import TYPE_CHECKING

from cranebridge.lazily import when_asked

if TYPE_CHECKING:
    from cranebridge.forward.base import Scheme, SystemMotion, run
    from cranebridge.forward.crane_accelerations import CraneDynamics, crane_dynamics, project
    from cranebridge.forward.discrete_gradients import discrete_gradient
    from cranebridge.forward.linearisation import LinearModel, linearise, linearise_along
    from cranebridge.forward.local_charts import simulate_minimal
    from cranebridge.forward.local_state_space import LocalMotion, simulate
    from cranebridge.forward.methods import METHODS, integrate, make_scheme
    from cranebridge.forward.null_space import Reduction, joint_reduction, null_space_scheme
    from cranebridge.forward.servo_study import DirectServo, direct_servo
    from cranebridge.forward.system import MechanicalSystem, system_of_crane
    from cranebridge.forward.twin import TwinSimulation, simulate_twin

_PLACES = {
    "CraneDynamics": "crane_accelerations",
    "DirectServo": "servo_study",
    "LinearModel": "linearisation",
    "LocalMotion": "local_state_space",
    "METHODS": "methods",
    "MechanicalSystem": "system",
    "SystemMotion": "base",
    "Reduction": "null_space",
    "Scheme": "base",
    "TwinSimulation": "twin",
    "crane_dynamics": "crane_accelerations",
    "direct_servo": "servo_study",
    "discrete_gradient": "discrete_gradients",
    "integrate": "methods",
    "joint_reduction": "null_space",
    "linearise": "linearisation",
    "linearise_along": "linearisation",
    "make_scheme": "methods",
    "null_space_scheme": "null_space",
    "project": "crane_accelerations",
    "run": "base",
    "simulate": "local_state_space",
    "simulate_minimal": "local_charts",
    "simulate_twin": "twin",
    "system_of_crane": "system",
}
__getattr__ = when_asked(__name__, _PLACES)

__all__ = [
    "METHODS",
    "CraneDynamics",
    "DirectServo",
    "LinearModel",
    "LocalMotion",
    "MechanicalSystem",
    "Reduction",
    "Scheme",
    "SystemMotion",
    "TwinSimulation",
    "crane_dynamics",
    "direct_servo",
    "discrete_gradient",
    "integrate",
    "joint_reduction",
    "linearise",
    "linearise_along",
    "make_scheme",
    "null_space_scheme",
    "project",
    "run",
    "simulate",
    "simulate_minimal",
    "simulate_twin",
    "system_of_crane",
]
