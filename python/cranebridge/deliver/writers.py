"""From a checked request to the contents of its files, one function a format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cranebridge.control.controller_c import controller_sources
from cranebridge.control.controller_st import controller_block
from cranebridge.deliver.columns import CODE_DEFAULT, DEFAULT, require_given, select
from cranebridge.deliver.controller_fmu import controller_model
from cranebridge.deliver.controller_ssp import closed_loop_archive
from cranebridge.deliver.generator import SWEEPS, TOLERANCE, generator_sources
from cranebridge.deliver.on_line_fmu import feedforward_fmu, feedforward_model
from cranebridge.deliver.order import Request
from cranebridge.deliver.provenance import comment, record, sidecar, sign
from cranebridge.deliver.rounding import quantisation, require_single, require_single_parameters
from cranebridge.deliver.ssp import ssp_archive
from cranebridge.deliver.tables import Table, modelica_table
from cranebridge.emit import c_sources, function_block
from cranebridge.inverse.sampling import Signal, cycle_times, sample, signals
from cranebridge.limits.drive_units import with_drives

Files = dict[Path, bytes]

CONTROLLER = "_controller"
"""What the names of a controller's files, and of its block, end with."""


def with_sidecar(write: Callable[[Table], bytes]) -> Callable[[Request], Files]:
    """Return the writer of a table that cannot carry its provenance itself."""

    def function(request: Request) -> Files:
        table = _table(request)
        content = write(table)
        beside, text = sidecar(table.record, request.target, content)
        return {request.target: content, beside: text}

    return function


def write_modelica(request: Request) -> Files:
    """Write a CombiTimeTable."""
    return {request.target: modelica_table(_table(request))}


def write_c(request: Request) -> Files:
    """Write a table as C."""
    table = _table(request, for_code=True)
    sources = c_sources(
        table.samples, table.signals, request.target.stem, request.cycle, request.precision
    )
    files = _c_files(request.target, sources, table.record)
    controller = request.order.controller
    if controller is None:
        return files
    beside = request.target.with_name(f"{request.target.stem}{CONTROLLER}{request.target.suffix}")
    own = controller_sources(controller, beside.stem, request.precision)
    return files | _c_files(beside, own, _controller_record(request, table.record))


def write_st(request: Request) -> Files:
    """Write a table as Structured Text."""
    table = _table(request, for_code=True)
    head = comment(table.record, begin="(*\n", line="   ", end="*)\n")
    block = function_block(table.samples, table.signals, request.target.stem, request.precision)
    controller = request.order.controller
    if controller is not None:
        block += "\n" + controller_block(
            controller, f"{request.target.stem}{CONTROLLER}", request.precision
        )
    return {request.target: sign(head + block).encode()}


def write_generator(request: Request) -> Files:
    """Write the on-line generator."""
    problem, precision = request.feedforward.problem, request.precision
    # its output has no power
    chosen = [signal for signal in signals(problem.crane).values() if signal.group != "power"]
    _require_precision(request, chosen)
    if precision == "single":
        require_single_parameters(problem.parameters)
    samples = sample(request.feedforward, request.feedforward.time)
    chosen = [signal for signal in chosen if signal.group in samples.values]
    details = {"quantisation": quantisation(samples, chosen, precision)}
    sources = generator_sources(problem, request.limits, request.target.stem, precision)
    return _c_files(request.target, sources, _on_line_record(request, details))


def write_fmu(request: Request) -> Files:
    """Write the on-line generator as an FMU, or the controller where there is one."""
    controller = request.order.controller
    if controller is not None:
        record_ = _controller_record(request, record(request.feedforward, request.order, {}))
        own = controller_model(controller, request.target.stem)
        return {request.target: feedforward_fmu(own, record_, fmi=request.fmi)}
    entries = _on_line_record(request, {"fmi": request.fmi})
    model = feedforward_model(request.feedforward.problem, request.limits, request.target.stem)
    return {request.target: feedforward_fmu(model, entries, fmi=request.fmi)}


def write_ssp(request: Request) -> Files:
    """Write that FMU connected to the plant's."""
    order = request.order
    if order.controller is not None and order.side is not None:
        own = closed_loop_archive(
            request.feedforward,
            order.controller,
            order.side,
            order.scenario,
            _controller_record(request, record(request.feedforward, order, {})),
            fmi=request.fmi,
            folder=order.folder,
        )
        return {request.target: own}
    content = ssp_archive(
        request.feedforward,
        request.limits,
        request.order.scenario,
        _on_line_record(request, {"fmi": request.fmi, "hold": request.hold}),
        fmi=request.fmi,
        hold=request.hold,
        folder=request.order.folder,
    )
    return {request.target: content}


def _table(request: Request, for_code: bool = False) -> Table:
    """Sample the wanted columns at the cycle."""
    feedforward, precision = request.feedforward, request.precision
    default = CODE_DEFAULT if for_code else DEFAULT
    drives = request.order.drives(feedforward.problem)
    chosen = select(feedforward.problem.crane, request.order.columns, default, drives)
    require_given(feedforward, chosen)
    if for_code:
        _require_precision(request, chosen)
    samples = sample(feedforward, cycle_times(feedforward, request.cycle), both_sides=for_code)
    samples = with_drives(samples, drives)
    details: dict[str, Any] = {
        "cycle": request.cycle,
        "accuracy": samples.accuracy,
        "columns": {"time": "s"} | {signal.title: signal.unit for signal in chosen},
    }
    if for_code:
        details["precision"] = precision
        details["quantisation"] = quantisation(samples, chosen, precision)
        details["interpolation"] = "cubic Hermite, error of order 4 in the cycle"
    return Table(samples, chosen, request.order.units, record(feedforward, request.order, details))


def _require_precision(request: Request, chosen: Sequence[Signal]) -> None:
    """Refuse single precision for what it cannot hold, before anything is solved at the cycle."""
    if request.precision == "single":
        samples = sample(request.feedforward, request.feedforward.time)
        samples = with_drives(samples, request.order.drives(request.feedforward.problem))
        known = [signal for signal in chosen if signal.group in samples.values]
        require_single(samples, known, request.cycle)


def _c_files(target: Path, sources: tuple[str, str], entries: Mapping[str, Any]) -> Files:
    head = comment(entries, begin="/*\n", line=" * ", end=" */\n")
    header, source = (sign(head + text).encode() for text in sources)
    return {target: source, target.with_suffix(".h"): header}


def _controller_record(request: Request, entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return the provenance of a controller, from that of its feedforward."""
    controller = request.order.controller
    assert controller is not None
    known = ("columns", "interpolation", "quantisation")
    found = {name: value for name, value in entries.items() if name not in known}
    return found | {
        "cycle": controller.cycle,
        "controller": controller.kind,
        "measured": [channel.name for channel in controller.measured],
        "gains": f"{len(controller.nodes)} rows, straight lines, wrong by {controller.error:g} of "
        "the largest part of an input",
    }


def _on_line_record(request: Request, details: Mapping[str, Any]) -> dict[str, Any]:
    """Return the provenance of what solves on line."""
    precision = request.precision
    own = {
        "method": "index1, solved on line",
        "precision": precision,
        "accuracy": f"Newton's method to a relative step of {TOLERANCE[precision]:g}, at most "
        f"{SWEEPS} sweeps a call",
    }
    return record(request.feedforward, request.order, own | dict(details))
