"""What is asked of a plan: ends, limits, obstacles, costs, and how near a motion comes to them."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plan.task.bounds import Bounds, bounds_of
    from cranebridge.plan.task.clearance import (
        clearance_count,
        clearance_function,
        clearances,
        load_axes,
    )
    from cranebridge.plan.task.clearance_verdicts import (
        PLANT_CLEARANCE_OF,
        judge_clearance,
        judge_plant_clearance,
    )
    from cranebridge.plan.task.guesses import (
        Guess,
        guess_path,
        guess_task,
        rest_line,
        standing_state,
        still,
    )
    from cranebridge.plan.task.obstacles import (
        KEYS,
        KINDS,
        MEANINGS,
        OBSTACLES,
        Box,
        Cylinder,
        Obstacle,
        Stack,
    )
    from cranebridge.plan.task.planned import Active, Alternative, Plan
    from cranebridge.plan.task.states import given_state, rest_state
    from cranebridge.plan.task.task import (
        METHODS,
        OBJECTIVES,
        Objective,
        State,
        Task,
        Via,
        effort_scales,
        effort_scales_by_use,
    )
    from cranebridge.plan.task.track_reading import TrackOrder, read_tracking
    from cranebridge.plan.task.tracking_cost import Tracking, tracking_costs
    from cranebridge.plan.task.watch import ROOM, Row, Stretch, View, Watcher, widened
else:
    __getattr__, __dir__ = front(__name__)
