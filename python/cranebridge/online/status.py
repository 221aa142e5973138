"""What the on-line generator and its FMU answer: one table of codes for C, FMI and the docs."""

from __future__ import annotations

from dataclasses import dataclass

from cranebridge.emit import Status


@dataclass(frozen=True)
class PlanStatus(Status):
    """An answer of the generator.

    Attributes
    ----------
    limit : str
        The group of signals whose limit a plan would break, if that is what it says.
    quick : bool
        Whether a limit of that group bounds how quick a motion can be.
    """

    limit: str = ""
    quick: bool = False


STATUSES = (
    PlanStatus("OK", 0, "planned, or moving"),
    PlanStatus("DONE", 1, "the goal is reached, or there was no motion yet: at rest"),
    PlanStatus("NO_PLAN", -1, "step without a plan: the output is the last valid one"),
    PlanStatus("BAD_ARGUMENT", -2, "a value is not a number, or the duration is not positive"),
    PlanStatus("NO_CONVERGENCE", -3, "no solution found within the bounded number of iterations"),
    PlanStatus("SINGULAR", -4, "the crane cannot hold the load somewhere on the way"),
    PlanStatus("ROPE_LIMIT", -5, "a rope force would break its limit", "rope"),
    PlanStatus("INPUT_LIMIT", -6, "an input would break its limit", "u", quick=True),
    PlanStatus("BUSY", -7, "the last motion has not ended"),
    PlanStatus("ELSEWHERE", -8, "the start is not where the load is"),
    PlanStatus("POSITION_LIMIT", -9, "a coordinate would break its limit", "q"),
    PlanStatus("VELOCITY_LIMIT", -10, "a velocity would break its limit", "v", quick=True),
    PlanStatus("ACCELERATION_LIMIT", -11, "an acceleration would break its limit", "a", quick=True),
    PlanStatus("JERK_LIMIT", -12, "a jerk would break its limit", "jerk", quick=True),
    PlanStatus("POWER_LIMIT", -13, "a drive's power would break its limit", "power", quick=True),
    PlanStatus("TOO_QUICK", -14, "somewhere too quick for the bounded number of looks at a plan"),
    PlanStatus("NO_DURATION", -15, "no duration that was tried keeps the limits"),
    PlanStatus("PAST", -16, "a plan cannot begin before the last step"),
    PlanStatus("SEARCH_ENDED", -17, "no duration found within the bounded number of solutions"),
    PlanStatus("UNLIMITED", -18, "no limit restricts the duration"),
)
"""All answers. The numbers stay what they are: other people's code compares with them."""


def limit_statuses() -> dict[str, PlanStatus]:
    """Return the answers that name a limit, by group of signals, in the order of judging."""
    return {status.limit: status for status in STATUSES if status.limit}


def group_names() -> dict[str, str]:
    """Return the names of the groups of signals in C, by group, in the order of judging."""
    found = limit_statuses().items()
    return {group: f"{status.name.removesuffix('_LIMIT')}_GROUP" for group, status in found}
