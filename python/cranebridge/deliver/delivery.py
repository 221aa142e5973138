"""One call for all formats: check the order, judge the motion, write."""

from __future__ import annotations

from pathlib import Path

from cranebridge.deliver.columns import CODE_DEFAULT, DEFAULT, require_rates, select
from cranebridge.deliver.files import refuse_existing, write_files
from cranebridge.deliver.formats import require_format
from cranebridge.deliver.order import (
    Order,
    Request,
    require_cycle,
    require_fmi,
    require_precision,
)
from cranebridge.deliver.playing import require_on_line, why_played
from cranebridge.emit import identifier
from cranebridge.errors import InputError
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.problem import ServoProblem
from cranebridge.limits import Limits, judge_solution
from cranebridge.limits.drive_units import with_drive_limits


def deliver(feedforward: Feedforward, order: Order) -> list[Path]:
    """Hand a feedforward over in the form that another toolchain takes.

    Parameters
    ----------
    feedforward : Feedforward
        The solution.
    order : Order
        What is wanted.

    Returns
    -------
    list of pathlib.Path
        The files written.

    Raises
    ------
    InputError
        With one message, before anything is written.
    """
    problem = feedforward.problem
    form = require_format(order.to)
    target = form.target(order.target, f"{identifier(problem.crane.name)}_feedforward")
    # first, because it costs nothing: solving again can take a while
    refuse_existing(form.files(target), order.overwrite)
    check_order(order, problem)
    limits = order.limits
    if limits is None:
        limits = Limits.from_mapping(order.table("limits"), problem.crane)
        limits = with_drive_limits(limits, order.drives(problem))
    step = float(feedforward.time[1] - feedforward.time[0])
    request = Request(
        feedforward=feedforward,
        order=order,
        target=target,
        cycle=require_cycle(order, problem.path.duration, step),
        precision=require_precision(order, form.single),
        limits=limits,
        fmi=require_fmi(order),
    )
    if not order.allow_violations:
        _require_limits(feedforward, limits)
    return write_files(form.write(request), order.overwrite)


def check_order(order: Order, problem: ServoProblem) -> None:
    """Check an order before anything is solved, all but its target.

    Raises
    ------
    InputError
        If format, precision, version of FMI, cycle or a column is unknown or cannot be.
    """
    form = require_format(order.to)
    require_precision(order, form.single)
    require_fmi(order)
    require_cycle(order, problem.path.duration)
    on_line = form.kind == "on line" and not order.one_motion
    if on_line and why_played(order, problem) is None:
        require_on_line(order, problem)
    if form.kind == "on line" and order.columns is not None:
        raise InputError(f"format '{order.to}' gives all signals; columns cannot be chosen")
    default = CODE_DEFAULT if form.kind == "code" else DEFAULT
    drives, speeds = order.drives(problem), order.speed_drives
    unlearned = order.unlearned(problem)
    chosen = select(problem.crane, order.columns, default, drives, speeds, unlearned)
    if form.kind == "code":
        require_rates(chosen)


def _require_limits(feedforward: Feedforward, limits: Limits) -> None:
    """Stop where a limit is violated, or is not known to be kept."""
    bad = [v for v in judge_solution(feedforward, limits) if not v.passed]
    if not bad:
        return
    bad.sort(key=lambda verdict: verdict.status == "not judged")
    more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
    nevertheless = "or allow violations to deliver it nevertheless"
    if bad[0].status == "failed":
        raise InputError(
            f"the feedforward violates its limits: {bad[0].message}{more}; give it more time, "
            f"{nevertheless}"
        )
    raise InputError(
        f"a limit of the feedforward is not known to be kept: {bad[0].message}{more}; solve it so "
        f"that it can be judged, {nevertheless}"
    )
