"""Forward dynamics: the twin as a plant, and integrators for constrained mechanical systems.

`simulate_twin` moves any crane with given controls. `integrate` runs one of `METHODS` on a
`MechanicalSystem`; `simulate` and `simulate_minimal` integrate local state-space forms.
`linearise_along` gives the matrices of small deviations from a feedforward.

Everything is imported when it is first asked for: who moves the twin needs no integrators of
mechanical systems, and the other way round.
"""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.forward.crane_accelerations import CraneDynamics, crane_dynamics, project
    from cranebridge.forward.examples import dumbbell, free_rotary_crane
    from cranebridge.forward.linearisation import (
        CANDIDATES,
        LinearModel,
        linearise,
        linearise_along,
    )
    from cranebridge.forward.local_charts import simulate_minimal
    from cranebridge.forward.local_state_space import (
        CONDITION_LIMIT,
        LocalMotion,
        choose_independent,
        simulate,
        validity,
    )
    from cranebridge.forward.schemes import (
        METHODS,
        MechanicalSystem,
        Reduction,
        Scheme,
        SystemMotion,
        discrete_gradient,
        integrate,
        joint_reduction,
        make_scheme,
        null_space_scheme,
        run,
        system_of_crane,
    )
    from cranebridge.forward.servo_study import DirectServo, direct_servo
    from cranebridge.forward.twin import TwinSimulation, simulate_twin
else:
    __getattr__, __dir__ = front(__name__)
