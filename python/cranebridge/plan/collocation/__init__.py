"""Optimal motions in the full state space: direct collocation, and the gradient method."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plan.collocation.collocation_solution import ActiveLimit, CollocationSolution
    from cranebridge.plan.collocation.direct_collocation import (
        solve_collocation,
        track_by_collocation,
    )
    from cranebridge.plan.collocation.full_state_motion import (
        FullStateMotion,
        follow,
        require_collocation,
        second_opinion,
    )
    from cranebridge.plan.collocation.gradient import Descent, GradientSolution, track_by_gradient
    from cranebridge.plan.collocation.refine_mesh import Mesh
else:
    __getattr__, __dir__ = front(__name__)
