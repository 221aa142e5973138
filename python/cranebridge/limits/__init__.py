"""What a machine may do, and whether it was kept: limits, the one judge, verdicts."""

from cranebridge.limits.judging import judge
from cranebridge.limits.limits import Limits, Range
from cranebridge.limits.motion import Motion
from cranebridge.limits.solution import judge_solution, solution_motion
from cranebridge.limits.verdict import Verdict, exit_code, worst

__all__ = [
    "Limits",
    "Motion",
    "Range",
    "Verdict",
    "exit_code",
    "judge",
    "judge_solution",
    "solution_motion",
    "worst",
]
