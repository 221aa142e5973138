"""Forward dynamics: the twin as a plant, and integrators for constrained mechanical systems.

`simulate_twin` moves any crane with given controls. `integrate` runs one of `METHODS` on a
`MechanicalSystem`; `simulate` and `simulate_minimal` integrate local state-space forms.
"""

from cranebridge.forward.base import Motion, Scheme, run
from cranebridge.forward.crane_accelerations import CraneDynamics, crane_dynamics, project
from cranebridge.forward.discrete_gradients import discrete_gradient
from cranebridge.forward.local_charts import simulate_minimal
from cranebridge.forward.local_state_space import LocalMotion, simulate
from cranebridge.forward.methods import METHODS, integrate, make_scheme
from cranebridge.forward.null_space import Reduction, joint_reduction, null_space_scheme
from cranebridge.forward.servo_study import DirectServo, direct_servo
from cranebridge.forward.system import MechanicalSystem, system_of_crane
from cranebridge.forward.twin import TwinSimulation, simulate_twin

__all__ = [
    "METHODS",
    "CraneDynamics",
    "DirectServo",
    "LocalMotion",
    "MechanicalSystem",
    "Motion",
    "Reduction",
    "Scheme",
    "TwinSimulation",
    "crane_dynamics",
    "direct_servo",
    "discrete_gradient",
    "integrate",
    "joint_reduction",
    "make_scheme",
    "null_space_scheme",
    "project",
    "run",
    "simulate",
    "simulate_minimal",
    "simulate_twin",
    "system_of_crane",
]
