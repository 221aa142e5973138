"""The path that a scenario asks for: found once, and kept for later commands."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs

from cranebridge.cache import find, store, usable_folder
from cranebridge.errors import InputError
from cranebridge.inverse import ServoProblem
from cranebridge.inverse.index1 import structure_of
from cranebridge.plan import PlanRequest
from cranebridge.plan.flat import find_plan, held_problem
from cranebridge.plan.task import Plan
from cranebridge.progress import Progress
from cranebridge.version_info import program_hash, versions


class NotPlannedError(InputError):
    """A path is asked for that was not found yet, and finding it takes longer than one can wait."""


def find_path(
    order: PlanRequest,
    initial: Mapping[str, float],
    made_from: Mapping[str, Any],
    progress: Progress,
    plan_now: bool = True,
) -> tuple[ServoProblem, Plan]:
    """Find the path of an order, or take it from the cache.

    Parameters
    ----------
    order : PlanRequest
        What is asked.
    initial : mapping of str to float
        Coordinates at the start that the scenario states.
    made_from : mapping
        All that the path depends on, for the cache.
    progress : callable, optional
        Called with the fraction that is done.
    plan_now : bool
        Whether a path that was not found before is found now.

    Raises
    ------
    NotPlannedError
        If it was not found before and shall not be found now.
    """
    if order.method != "flat":
        raise InputError(
            f"path.method = '{order.method}' gives a second opinion, no path: use "
            "cranebridge plan --method"
        )
    if not structure_of(held_problem(order.task, order.task.start)).flat:
        raise InputError(
            f"crane '{order.task.crane.name}' is not flat: its motion is planned by cranebridge "
            "plan --method collocation alone"
        )
    plan = _kept(made_from)
    if plan is None and not plan_now:
        raise NotPlannedError("the path has not been found yet: plan it first")
    if plan is None:
        progress(0.0)  # from now on it is planned: the first round may take long
        plan = find_plan(order.task, order.fineness, overshoot=order.overshoot, progress=progress)
        _keep(made_from, plan)
    problem = order.task.problem(plan.path)
    if initial and not problem.initial:
        problem = ServoProblem(problem.crane, plan.path, problem.parameters, initial)
    return problem, plan


def _place(made_from: Mapping[str, Any]) -> tuple[Path, str]:
    content = {"made_from": made_from, "versions": versions(), "program": program_hash()}
    text = json.dumps(content, sort_keys=True, default=str)
    folder = Path(platformdirs.user_cache_dir("cranebridge")) / "plans"
    return usable_folder(folder), f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.json"


def _kept(made_from: Mapping[str, Any]) -> Plan | None:
    file = find(*_place(made_from))
    if file is None:
        return None
    try:
        return Plan.from_dict(json.loads(file.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError, OSError):
        return None


def _keep(made_from: Mapping[str, Any], plan: Plan) -> None:
    try:
        store(*_place(made_from), json.dumps(plan.complete()).encode())
    except OSError:
        return  # it is found again next time
