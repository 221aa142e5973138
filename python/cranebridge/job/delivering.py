"""Hand over a scenario's feedforward."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cranebridge.deliver import deliver
from cranebridge.errors import InputError
from cranebridge.job.ordering import Wishes, make_order
from cranebridge.job.solving import solve_scenario
from cranebridge.plan import scale_problem, scale_scenario
from cranebridge.scenario import Scenario

__all__ = ["Wishes", "hand_over", "left_out"]


def hand_over(scenario: Scenario, wishes: Wishes) -> list[Path]:
    """Solve a scenario and deliver it; returns the files written."""
    content = scenario.complete()
    if wishes.duration is not None:
        now = scenario.problem.path.duration
        scenario = replace(scenario, problem=scale_problem(scenario.problem, wishes.duration))
        content = scale_scenario(content, wishes.duration, now)
    order = make_order(scenario, wishes, content)
    if wishes.target is None:
        raise InputError("where to? Give -o FILE or -o FOLDER")
    return deliver(solve_scenario(scenario).feedforward, order)


def left_out(scenario: Scenario) -> list[str]:
    """Say what of a scenario is not in what was handed over."""
    kind = scenario.tables.control.kind
    if kind == "none":
        return []
    return [
        f"these are the feedforward and its references; the controller of control.kind = '{kind}' "
        "is designed and verified here, but not handed over"
    ]
