"""Forward dynamics: the twin as a plant, and integrators for constrained mechanical systems.

`simulate_twin` moves any crane with given controls. `integrate` runs one of `METHODS` on a
`MechanicalSystem`; `simulate` and `simulate_minimal` integrate local state-space forms.
`linearise_along` gives the matrices of small deviations from a feedforward.

Everything is imported when it is first asked for: who moves the twin needs no integrators of
mechanical systems, and the other way round.
"""

from typing import TYPE_CHECKING, Any

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
    "CraneDynamics": "cranebridge.forward.crane_accelerations",
    "DirectServo": "cranebridge.forward.servo_study",
    "LinearModel": "cranebridge.forward.linearisation",
    "LocalMotion": "cranebridge.forward.local_state_space",
    "METHODS": "cranebridge.forward.methods",
    "MechanicalSystem": "cranebridge.forward.system",
    "SystemMotion": "cranebridge.forward.base",
    "Reduction": "cranebridge.forward.null_space",
    "Scheme": "cranebridge.forward.base",
    "TwinSimulation": "cranebridge.forward.twin",
    "crane_dynamics": "cranebridge.forward.crane_accelerations",
    "direct_servo": "cranebridge.forward.servo_study",
    "discrete_gradient": "cranebridge.forward.discrete_gradients",
    "integrate": "cranebridge.forward.methods",
    "joint_reduction": "cranebridge.forward.null_space",
    "linearise": "cranebridge.forward.linearisation",
    "linearise_along": "cranebridge.forward.linearisation",
    "make_scheme": "cranebridge.forward.methods",
    "null_space_scheme": "cranebridge.forward.null_space",
    "project": "cranebridge.forward.crane_accelerations",
    "run": "cranebridge.forward.base",
    "simulate": "cranebridge.forward.local_state_space",
    "simulate_minimal": "cranebridge.forward.local_charts",
    "simulate_twin": "cranebridge.forward.twin",
    "system_of_crane": "cranebridge.forward.system",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for (PEP 562)."""
    if name not in _PLACES:
        raise AttributeError(f"module 'cranebridge.forward' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_PLACES[name]), name)


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
