"""The path itself found: how fast it can be within limits, and the best that the drives can do."""

from cranebridge.plan.collocated import ActiveLimit, Collocated
from cranebridge.plan.collocation import solve_collocation, track_by_collocation
from cranebridge.plan.gradient import Descended, Descent, track_by_gradient
from cranebridge.plan.refinement import Mesh
from cranebridge.plan.timing import Timing, scale_problem, scale_scenario, shortest_duration
from cranebridge.plan.tracking import Tracking

__all__ = [
    "ActiveLimit",
    "Collocated",
    "Descended",
    "Descent",
    "Mesh",
    "Timing",
    "Tracking",
    "scale_problem",
    "scale_scenario",
    "shortest_duration",
    "solve_collocation",
    "track_by_collocation",
    "track_by_gradient",
]
