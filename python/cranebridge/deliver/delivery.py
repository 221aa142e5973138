"""One call for all formats: check the order, judge the motion, write."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from cranebridge.deliver.files import refuse_existing, write_files
from cranebridge.deliver.formats import require_format
from cranebridge.deliver.order import (
    DeliveryOrder,
    Request,
    require_cycle,
    require_fmi,
    require_precision,
)
from cranebridge.deliver.playing import require_on_line, why_played
from cranebridge.deliver.tables import (
    BLOCK_DEFAULT,
    CODE_DEFAULT,
    DEFAULT,
    package_name,
    require_rates,
    select,
)
from cranebridge.emit import identifier
from cranebridge.errors import InputError
from cranebridge.inverse import Feedforward, ServoProblem, cycle_times, hermite, sample
from cranebridge.limits import Limits, Verdict, judge_range, judge_solution, with_drive_limits
from cranebridge.twin.language import require_no_motions

# FmuParts of a cycle at which controls between its samples are judged.
_PARTS = np.linspace(0.0, 1.0, 11)


def deliver(feedforward: Feedforward, order: DeliveryOrder) -> list[Path]:
    """Hand a feedforward over in the form that another toolchain takes.

    Parameters
    ----------
    feedforward : Feedforward
        The solution.
    order : DeliveryOrder
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
    order = replace(order, friction=order.friction or feedforward.friction is not None)
    form = require_format(order.to)
    target = form.target(order.target, f"{identifier(problem.crane.name)}_feedforward")
    # first, because it costs nothing: solving again can take a while
    both = order.to == "modelica" and order.target.is_dir()
    files = [*form.files(target), *([target.with_suffix(".mo")] if both else [])]
    refuse_existing(files, order.overwrite)
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
        _require_limits(feedforward, limits, request.cycle)
    return write_files(form.write(request), order.overwrite)


def check_order(order: DeliveryOrder, problem: ServoProblem) -> None:
    """Check an order before anything is solved, all but its target.

    Raises
    ------
    InputError
        If format, precision, version of FMI, cycle or a column is unknown or cannot be.
    """
    form = require_format(order.to)
    if form.kind == "on line" or order.controller is not None:
        require_no_motions(problem.crane, f"format '{order.to}'", "deliver a table, such as csv")
    require_precision(order, form.single)
    require_fmi(order)
    require_cycle(order, problem.path.duration)
    on_line = form.kind == "on line" and not order.one_motion
    if on_line and why_played(order, problem) is None:
        require_on_line(order, problem)
    if form.kind == "on line" and order.columns is not None:
        raise InputError(f"format '{order.to}' gives all signals; columns cannot be chosen")
    if order.is_block:
        package_name(order.target.stem)
    default = CODE_DEFAULT if form.kind == "code" else BLOCK_DEFAULT if order.is_block else DEFAULT
    drives, speeds = order.drives(problem), order.speed_drives
    unlearned = order.unlearned(problem)
    chosen = select(problem.crane, order.columns, default, drives, speeds, unlearned)
    if form.kind == "code" or order.is_block:
        require_rates(chosen)


def _require_limits(feedforward: Feedforward, limits: Limits, cycle: float) -> None:
    """Stop where a limit is violated, or is not known to be kept."""
    found = judge_solution(feedforward, limits)
    if feedforward.nodes is None:
        found += _of_delivered_controls(feedforward, limits, cycle)
    bad = [v for v in found if not v.passed]
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


def _of_delivered_controls(feedforward: Feedforward, limits: Limits, cycle: float) -> list[Verdict]:
    """Judge controls as they are delivered: code has cubics between the samples of a cycle.

    An exact solution is judged between its times already. Learned controls and those of a method of
    time stepping are known at their own times, and what is between them is made here.
    """
    rows = sample(feedforward, cycle_times(feedforward, cycle))
    u, rate = rows.values["u"], rows.rates["u"]
    fine = np.unique(np.concatenate([t + _PARTS * (w - t) for t, w in pairwise(rows.time)]))
    between = hermite(rows.time, (u[:-1], rate[:-1]), (u[1:], rate[1:]))(fine)
    time = np.concatenate([rows.time, fine])
    order = np.argsort(time, kind="stable")
    values = np.concatenate([u, between])[order]
    inputs = feedforward.problem.crane.inputs
    return [
        judge_range(f"u.{signal.name} as delivered", time[order], values[:, i], bound, signal.unit)
        for i, signal in enumerate(inputs)
        if (bound := limits.u.get(signal.name)) is not None
    ]
