"""The path itself found: how fast it can be within limits."""

from cranebridge.plan.fastest import Candidate, Fastest, fastest_profile
from cranebridge.plan.timing import Timing, scale_problem, scale_scenario, shortest_duration

__all__ = [
    "Candidate",
    "Fastest",
    "Timing",
    "fastest_profile",
    "scale_problem",
    "scale_scenario",
    "shortest_duration",
]
