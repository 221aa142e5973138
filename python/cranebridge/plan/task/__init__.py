"""What is asked of a plan: ends, limits, obstacles, costs, and how near a motion comes to them."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plan.task.bounds import Bounds, bounds_of
    from cranebridge.plan.task.clearance import (
        clearance_count,
        clearances,
        load_axes,
    )
    from cranebridge.plan.task.clearance_verdicts import (
        PLANT_CLEARANCE_OF,
        judge_clearance,
        judge_plant_clearance,
        remaining_clearance,
    )
    from cranebridge.plan.task.consistent_states import given_state, rest_state
    from cranebridge.plan.task.guesses import (
        InitialGuess,
        equilibrium_state,
        guess_path,
        guess_task,
        rest_line,
        still,
    )
    from cranebridge.plan.task.obstacles import (
        KEYS,
        KINDS,
        MEANINGS,
        OBSTACLES,
        Obstacle,
        ObstacleBox,
        ObstacleCylinder,
        Stack,
    )
    from cranebridge.plan.task.path_evaluation import (
        ROOM,
        BoundedSignal,
        PathEvaluation,
        PathEvaluator,
        Stretch,
        widened,
    )
    from cranebridge.plan.task.plan import ActiveConstraint, Alternative, Plan
    from cranebridge.plan.task.task import (
        METHODS,
        OBJECTIVES,
        Objective,
        PlanTask,
        State,
        Via,
        effort_scales,
        effort_scales_by_use,
    )
    from cranebridge.plan.task.tracking_cost import TrackingCost, tracking_costs
    from cranebridge.plan.task.tracking_request import TrackingRequest, read_tracking
else:
    __getattr__, __dir__ = front(__name__)
