"""The path itself found: how fast it can be within limits, and the best that the drives can do.

`find_plan` finds the path of a flat crane, `solve_collocation` the motion of any; `fastest_profile`
keeps the geometry of a path, `shortest_duration` its profile too. Everything is imported when it is
first asked for: who only solves needs no optimiser.
"""

from typing import TYPE_CHECKING

from cranebridge.lazily import when_asked

if TYPE_CHECKING:
    from cranebridge.plan.collocated import ActiveLimit, Collocated
    from cranebridge.plan.collocation import solve_collocation, track_by_collocation
    from cranebridge.plan.drafts import Fineness
    from cranebridge.plan.fastest import Candidate, Fastest, fastest_profile
    from cranebridge.plan.gradient import Descended, Descent, track_by_gradient
    from cranebridge.plan.obstacles import Box, Cylinder, Obstacle, Stack
    from cranebridge.plan.planned import Active, Plan
    from cranebridge.plan.planning import find_plan
    from cranebridge.plan.refinement import Mesh
    from cranebridge.plan.task import State, Task, Via
    from cranebridge.plan.timing import Timing, scale_problem, scale_scenario, shortest_duration
    from cranebridge.plan.tracking import Tracking

_PLACES = {
    "Active": "planned",
    "ActiveLimit": "collocated",
    "Box": "obstacles",
    "Candidate": "fastest",
    "Collocated": "collocated",
    "Cylinder": "obstacles",
    "Descended": "gradient",
    "Descent": "gradient",
    "Fastest": "fastest",
    "Fineness": "drafts",
    "Mesh": "refinement",
    "Obstacle": "obstacles",
    "Plan": "planned",
    "Stack": "obstacles",
    "State": "task",
    "Task": "task",
    "Timing": "timing",
    "Tracking": "tracking",
    "Via": "task",
    "fastest_profile": "fastest",
    "find_plan": "planning",
    "scale_problem": "timing",
    "scale_scenario": "timing",
    "shortest_duration": "timing",
    "solve_collocation": "collocation",
    "track_by_collocation": "collocation",
    "track_by_gradient": "gradient",
}
__getattr__ = when_asked(__name__, _PLACES)

__all__ = [
    "Active",
    "ActiveLimit",
    "Box",
    "Candidate",
    "Collocated",
    "Cylinder",
    "Descended",
    "Descent",
    "Fastest",
    "Fineness",
    "Mesh",
    "Obstacle",
    "Plan",
    "Stack",
    "State",
    "Task",
    "Timing",
    "Tracking",
    "Via",
    "fastest_profile",
    "find_plan",
    "scale_problem",
    "scale_scenario",
    "shortest_duration",
    "solve_collocation",
    "track_by_collocation",
    "track_by_gradient",
]
