"""The path itself found: how fast it can be within limits, and the best that the drives can do.

`find_plan` finds the path of a flat crane, `solve_collocation` the motion of any; `fastest_profile`
keeps the geometry of a path, `shortest_duration` its profile too. Everything is imported when it is
first asked for: who only solves needs no optimiser.
"""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plan.collocation import (
        ActiveLimit,
        CollocationSolution,
        Descent,
        GradientSolution,
        Mesh,
        solve_collocation,
        track_by_collocation,
        track_by_gradient,
    )
    from cranebridge.plan.flat import Fineness, find_plan
    from cranebridge.plan.plan_request import OPTIMAL, PlanRequest, read_obstacles, read_order
    from cranebridge.plan.profile import Candidate, Fastest, fastest_profile
    from cranebridge.plan.task import (
        ActiveConstraint,
        Obstacle,
        ObstacleBox,
        ObstacleCylinder,
        Plan,
        PlanTask,
        Stack,
        State,
        TrackingCost,
        Via,
    )
    from cranebridge.plan.timing import Timing, scale_problem, scale_scenario, shortest_duration
else:
    __getattr__, __dir__ = front(__name__)
