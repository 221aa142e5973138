"""From a checked request to the contents of its files, one function a format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.code import controller_block, controller_sources
from cranebridge.deliver.fmu import (
    controller_model,
    feedforward_model,
    fmu_archive,
    on_line_loop_model,
    table_columns,
    table_model,
)
from cranebridge.deliver.order import Request
from cranebridge.deliver.playing import why_played
from cranebridge.deliver.provenance import comment, record, sidecar, sign
from cranebridge.deliver.ssp import CONTROLLER as IN_SSP
from cranebridge.deliver.ssp import FEEDFORWARD, closed_loop_archive, ssp_archive, wiring
from cranebridge.deliver.tables import (
    BLOCK_DEFAULT,
    CODE_DEFAULT,
    DEFAULT,
    MOST_ROWS,
    PIECES,
    SampleTable,
    block_times,
    c_sources,
    deviations,
    function_block,
    modelica_package,
    modelica_table,
    package_name,
    quantisation,
    require_given,
    require_single,
    require_single_parameters,
    select,
    too_many_rows,
)
from cranebridge.frontend import PlantModel
from cranebridge.inverse import (
    DERIVED,
    GROUP,
    Samples,
    Signal,
    cycle_times,
    sample,
    signals,
    speed_references,
    with_speeds,
)
from cranebridge.limits import REFERENCE, with_drives, with_moved, with_references
from cranebridge.online import SWEEPS, TOLERANCE, generator_sources, on_line_sources
from cranebridge.plant.description import PlantInfo
from cranebridge.verify.feedback import PlantSide

Files = dict[Path, bytes]

CONTROLLER = "_controller"
"""What the names of a controller's files, and of its block, end with."""

LEARNED = (
    "u for drives that keep their references; or drive_position, references that are moved by what "
    "was learned (du/kp), beside the controls before learning: one of them, not both"
)
"""What is said of a table with both."""


def with_sidecar(write: Callable[[SampleTable], bytes]) -> Callable[[Request], Files]:
    """Return the writer of a table that cannot carry its provenance itself."""

    def function(request: Request) -> Files:
        table = _table(request)
        content = write(table)
        beside, text = sidecar(table.record, request.target, content)
        return {request.target: content, beside: text}

    return function


def write_modelica(request: Request) -> Files:
    """Write a CombiTimeTable, a block, or both."""
    files: Files = {}
    for suffix in request.order.modelica_suffixes:
        target = request.target.with_suffix(suffix) if suffix else request.target
        block = suffix == ".mo"
        files[target] = _block(request, target) if block else modelica_table(_table(request))
    return files


def _block(request: Request, target: Path) -> bytes:
    """Write a Modelica block with the controls, and an example that connects it with the plant."""
    feedforward, order = request.feedforward, request.order
    name = package_name(target.stem)
    crane = feedforward.problem.crane
    drives, speeds = order.drives(feedforward.problem), order.speed_drives
    # beside a table in a folder, what has no rates is in the table alone
    wanted = order.columns if order.is_block else None
    own = (*BLOCK_DEFAULT, *((GROUP,) if speeds else ()))
    unlearned = order.unlearned(feedforward.problem)
    chosen = select(crane, wanted or own, own, drives, speeds, unlearned)
    wires = [s for s in select(crane, own, own, drives, speeds) if s not in chosen]
    chosen = [*chosen, *wires]

    span = float(feedforward.time[-1] - feedforward.time[0])
    # a controller's cycle, which the scenario may have, is for tables: a block needs few rows
    asked = order.is_block and order.cycle != order.table("deliver").get("cycle")
    given = order.cycle if asked else None
    step = span / PIECES if given is None else given
    if span / step > MOST_ROWS:
        raise too_many_rows(int(span / step))

    def samples_at(times: NDArray[np.float64]) -> Samples:
        samples = sample(feedforward, times, both_sides=True)
        return _with_drives(samples, replace(request, cycle=step), chosen)

    def exact(times: NDArray[np.float64]) -> Samples:
        inside = np.clip(times, feedforward.time[0], feedforward.time[-1])
        return _with_drives(sample(feedforward, inside), replace(request, cycle=0.0), chosen)

    times = cycle_times(feedforward, step)
    if given is None:
        times, error = block_times(samples_at, exact, chosen, times)
    else:
        error = float(deviations(samples_at(times), exact, chosen)[1].max())
    samples = samples_at(times)
    example = wiring(feedforward, order.scenario, chosen, order.folder)
    kept = f"cubic Hermite, within {error:.1e} of the range of each output"
    details = {
        "rows": int(np.unique(samples.time).size),
        "accuracy": samples.accuracy,
        "interpolation": kept,
        "columns": {"time": "s"} | {signal.title: signal.unit for signal in chosen},
    }
    about = [
        f"Moves crane {crane.name} along its path in {feedforward.problem.path.duration:g} s: "
        f"{crane.description}.",
        f"The outputs are within {error:.1e} of the solution, of the range of each.",
        example.words,
    ]
    text = modelica_package(name, samples, chosen, about, example.text, example.uses)
    head = comment(record(feedforward, order, details), begin="", line="// ", end="")
    return sign(head + text).encode()


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
    beside = _beside(request.target)
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
    # its output has what a solution consists of
    chosen = [s for s in signals(problem.crane).values() if s.group not in DERIVED]
    _require_precision(request, chosen)
    if precision == "single":
        require_single_parameters(problem.parameters)
    samples = sample(request.feedforward, request.feedforward.time)
    chosen = [signal for signal in chosen if signal.group in samples.values]
    details = {"quantisation": quantisation(samples, chosen, precision)}
    sources = generator_sources(problem, request.limits, request.target.stem, precision)
    entries = _on_line_record(request, details)
    files = _c_files(request.target, sources, entries)
    order = request.order
    if order.controller is None:
        return files
    beside = _beside(request.target)
    own = on_line_sources(
        order.controller,
        problem.crane,
        beside.stem,
        request.target.stem,
        precision,
        order.mixed,
    )
    return files | _c_files(beside, own, _controller_record(request, entries))


def write_fmu(request: Request) -> Files:
    """Write an FMU."""
    model, entries = _fmu(request, request.target.stem)
    return {request.target: fmu_archive(model, entries, fmi=request.fmi)}


def _fmu(request: Request, name: str) -> tuple[PlantModel, dict[str, Any]]:
    """Describe an FMU, with its provenance: of the controller if there is one, else of a motion."""
    controller = request.order.controller
    if controller is not None and controller.schedule is not None:
        entries = _controller_record(request, _on_line_record(request, {"fmi": request.fmi}))
        return _on_line_loop(request, name), entries
    if controller is not None:
        entries = _controller_record(request, record(request.feedforward, request.order, {}))
        return controller_model(controller, name), entries
    played = _played(request, name)
    if played is not None:
        return played
    entries = _on_line_record(request, {"fmi": request.fmi})
    return feedforward_model(request.feedforward.problem, request.limits, name), entries


def write_ssp(request: Request) -> Files:
    """Write that FMU connected to the plant's."""
    order = request.order
    if order.controller is not None and order.side is not None:
        on_line = order.controller.schedule is not None
        own = closed_loop_archive(
            request.feedforward,
            order.controller,
            order.side,
            order.scenario,
            _controller_record(
                request,
                _on_line_record(request, {}) if on_line else record(request.feedforward, order, {}),
            ),
            fmi=request.fmi,
            folder=order.folder,
            describe=(lambda info: _on_line_loop(request, IN_SSP, order.side, info))
            if on_line
            else None,
        )
        return {request.target: own}
    own_details = {"fmi": request.fmi, "hold": request.hold}
    played, entries = _played(request, FEEDFORWARD) or (None, _on_line_record(request, {}))
    entries |= own_details
    content = ssp_archive(
        request.feedforward,
        request.limits,
        request.order.scenario,
        entries,
        fmi=request.fmi,
        hold=request.hold,
        folder=request.order.folder,
        played=played,
    )
    return {request.target: content}


def _played(request: Request, name: str) -> tuple[PlantModel, dict[str, Any]] | None:
    """Describe the FMU that plays one motion, with its provenance; None where one plans on line."""
    problem = request.feedforward.problem
    why = why_played(request.order, problem)
    if why is None:
        return None
    table = _table(request, for_code=True, columns=table_columns(problem.crane))
    own = table_model(problem, table, request.cycle, name)
    return own, {**table.record, "fmi": request.fmi, "plays one motion": why}


def _on_line_loop(
    request: Request, name: str, side: PlantSide | None = None, info: PlantInfo | None = None
) -> PlantModel:
    """Describe the on-line generator with its controller, by itself or beside a plant."""
    assert request.order.controller is not None
    return on_line_loop_model(
        request.feedforward.problem,
        request.limits,
        request.order.controller,
        name,
        request.order.mixed,
        side,
        info,
    )


def _beside(target: Path) -> Path:
    """Return the file of the controller beside that of the feedforward."""
    return target.with_name(f"{target.stem}{CONTROLLER}{target.suffix}")


def _table(
    request: Request, for_code: bool = False, columns: Sequence[str] | None = None
) -> SampleTable:
    """Sample the wanted columns at the cycle."""
    feedforward, precision = request.feedforward, request.precision
    default = CODE_DEFAULT if for_code else DEFAULT
    drives = request.order.drives(feedforward.problem)
    speeds = request.order.speed_drives
    wanted = columns or request.order.columns
    unlearned = request.order.unlearned(feedforward.problem)
    chosen = select(feedforward.problem.crane, wanted, default, drives, speeds, unlearned)
    require_given(feedforward, chosen)
    if for_code:
        _require_precision(request, chosen)
    samples = sample(feedforward, cycle_times(feedforward, request.cycle), both_sides=for_code)
    samples = _with_drives(samples, request, chosen)
    details: dict[str, Any] = {
        "cycle": request.cycle,
        "accuracy": samples.accuracy,
        "columns": {"time": "s"} | {signal.title: signal.unit for signal in chosen},
    }
    if any(signal.group == "drive_position" for signal in chosen) and request.order.moved:
        details["learned"] = LEARNED
    if for_code:
        details["precision"] = precision
        details["quantisation"] = quantisation(samples, chosen, precision)
        details["interpolation"] = "cubic Hermite, error of order 4 in the cycle"
    return SampleTable(
        samples, chosen, request.order.units, record(feedforward, request.order, details)
    )


def _with_drives(samples: Samples, request: Request, chosen: Sequence[Signal]) -> Samples:
    """Return samples with columns of drives: in their own units, and velocity references.

    References fade out after the motion: rows that hold all else are added until they have.
    """
    drives, speeds = request.order.drives(request.feedforward.problem), request.order.speed_drives
    moved, time = request.order.moved, request.feedforward.time
    if not any(signal.group in (GROUP, REFERENCE) for signal in chosen):
        return with_moved(with_drives(samples, drives), drives, time, moved)
    references = speed_references(request.feedforward, speeds)
    samples = with_drives(with_speeds(samples, references, request.cycle), drives)
    return with_moved(with_references(samples, drives, speeds), drives, time, moved)


def _require_precision(request: Request, chosen: Sequence[Signal]) -> None:
    """Refuse single precision for what it cannot hold, before anything is solved at the cycle."""
    if request.precision == "single":
        samples = sample(request.feedforward, request.feedforward.time)
        samples = _with_drives(samples, request, chosen)
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
    gains = f"{len(controller.nodes)} rows, straight lines, wrong by {controller.error:g}"
    over = controller.schedule
    if over is not None:
        axes = ", ".join(axis.name for axis in over.axes) or "no position"
        gains = f"over {axes}: {len(over.gains)} rows, wrong by {over.error:.2g}"
    return found | {
        "cycle": controller.cycle,
        "controller": controller.kind,
        "measured": [channel.name for channel in controller.measured],
        "gains": f"{gains} of the largest part of an input",
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
