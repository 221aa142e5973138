"""The path itself found: how fast it can be within limits."""

from cranebridge.plan.timing import Timing, scale_problem, scale_scenario, shortest_duration

__all__ = ["Timing", "scale_problem", "scale_scenario", "shortest_duration"]
