"""One call for all formats: choose, check, sample, write."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from cranebridge.deliver.c_table import c_sources
from cranebridge.deliver.columns import DEFAULT, select
from cranebridge.deliver.feedforward_fmu import feedforward_fmu, feedforward_model
from cranebridge.deliver.files import refuse_existing, write_files
from cranebridge.deliver.generator import SWEEPS, TOLERANCE, generator_sources
from cranebridge.deliver.provenance import comment, record, sidecar, sidecar_path, sign
from cranebridge.deliver.rounding import (
    quantisation,
    require_single,
    require_single_parameters,
)
from cranebridge.deliver.ssp import ssp_archive
from cranebridge.deliver.structured_text import structured_text
from cranebridge.deliver.tables import (
    Table,
    csv_table,
    mat4_table,
    mat_table,
    modelica_table,
    parquet_table,
)
from cranebridge.emit.c_code import Precision, identifier
from cranebridge.errors import InputError, unknown
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.problem import time_grid
from cranebridge.inverse.sampling import Signal, sample, signals
from cranebridge.limits import Limits, judge_solution
from cranebridge.plant.export import Fmi

# Code interpolates by values and rates; jerk and power have no exact rate.
_CODE_COLUMNS = ("u", "q", "v")
_NO_RATE = ("jerk", "power")
_FMI = ("2.0", "3.0")


@dataclass(frozen=True, eq=False)
class Request:
    """What is to be delivered, checked."""

    feedforward: Feedforward
    target: Path
    scenario: Mapping[str, Any] | None
    cycle: float
    columns: Sequence[str] | None
    units: bool
    precision: Precision
    limits: Limits
    hold: float  # the cycle if it was asked for, else zero
    fmi: Fmi
    folder: Path


@dataclass(frozen=True)
class Format:
    """A format of delivery.

    Attributes
    ----------
    description : str
        One line.
    suffix : str
        Of the target; that of the source where there is also a header.
    function : callable
        Returns the contents of all files.
    also : tuple of str
        Suffixes of further files with the same stem.
    beside : bool
        Whether provenance is in a JSON file beside the target, not in its header.
    single : bool
        Whether it can be had in single precision.
    """

    description: str
    suffix: str
    function: Callable[[Request], dict[Path, bytes]]
    also: tuple[str, ...] = ()
    beside: bool = False
    single: bool = False

    def files(self, target: Path) -> list[Path]:
        """Return all files that a delivery to `target` writes."""
        beside = [sidecar_path(target)] if self.beside else []
        return [target, *(target.with_suffix(suffix) for suffix in self.also), *beside]


def deliver(
    feedforward: Feedforward,
    to: str,
    target: Path,
    *,
    scenario: Mapping[str, Any] | None,
    cycle: float | None = None,
    columns: Sequence[str] | None = None,
    units: bool = False,
    precision: str = "double",
    overwrite: bool = False,
    allow_violations: bool = False,
    limits: Limits | None = None,
    fmi: str | None = None,
    folder: Path = Path(),
) -> list[Path]:
    """Hand a feedforward over in the form that another toolchain takes.

    Parameters
    ----------
    feedforward : Feedforward
        The solution.
    to : str
        One of `FORMATS`.
    target : pathlib.Path
        File to write, or a folder in which to write ``CRANE_feedforward`` with the format's suffix.
    scenario : mapping, optional
        The complete scenario; it goes into the provenance and gives default cycle and limits.
    cycle : float, optional
        The controller's cycle [s]; by default the scenario's ``deliver.cycle``, else its
        ``solve.step``, else the step of the solution. An SSP takes it as the interval over which
        the controls are held, and none if it is not given here or as ``deliver.cycle``.
    columns : sequence of str, optional
        Groups ``u``, ``q``, ``v``, ``a``, ``jerk``, ``rope``, ``gamma``, ``lambda``, ``power`` and
        single signals such as ``u.M_b``.
    units : bool
        Whether titles of columns carry units.
    precision : {"double", "single"}
        Of the formats that are code.
    overwrite : bool
        Whether existing files may be replaced.
    allow_violations : bool
        Whether to deliver what violates a limit.
    limits : Limits, optional
        By default those of the scenario; without a scenario, ropes must pull.
    fmi : {"2.0", "3.0"}, optional
        Version of the FMUs; by default the scenario's ``plant.fmi``, else 2.0.
    folder : pathlib.Path
        What relative file names in the scenario are relative to.

    Returns
    -------
    list of pathlib.Path
        The files written.

    Raises
    ------
    InputError
        With one message, before anything is written.
    """
    if to not in FORMATS:
        raise unknown("format", to, FORMATS)
    form = FORMATS[to]
    if precision not in ("double", "single"):
        raise unknown("precision", precision, ("double", "single"))
    if precision == "single" and not form.single:
        raise InputError(f"format '{to}' is always in double precision")
    if target.is_dir():
        target = target / f"{identifier(feedforward.problem.crane.name)}_feedforward{form.suffix}"
    elif form.also and target.suffix != form.suffix:
        stem = target.stem if target.suffix in form.also else target.name
        target = target.with_name(stem + form.suffix)
    # first, because it costs nothing: solving again can take a while
    refuse_existing(form.files(target), overwrite)
    if limits is None:
        table = (scenario or {}).get("limits", {})
        limits = Limits.from_mapping(table, feedforward.problem.crane)
    request = Request(
        feedforward=feedforward,
        target=target,
        scenario=scenario,
        cycle=_cycle(feedforward, scenario, cycle),
        columns=columns,
        units=units,
        precision=cast(Precision, precision),
        limits=limits,
        hold=_given_cycle(scenario, cycle) or 0.0,
        fmi=_fmi_version(scenario, fmi),
        folder=folder,
    )
    if not allow_violations:
        _require_limits(feedforward, limits)
    return write_files(form.function(request), overwrite)


def _given_cycle(scenario: Mapping[str, Any] | None, cycle: float | None) -> float | None:
    table = (scenario or {}).get("deliver", {})
    return table.get("cycle") if cycle is None else cycle


def _fmi_version(scenario: Mapping[str, Any] | None, fmi: str | None) -> Fmi:
    if fmi is None:
        fmi = (scenario or {}).get("plant", {}).get("fmi", "2.0")
    if fmi not in _FMI:
        raise unknown("FMI version", str(fmi), _FMI)
    return cast(Fmi, fmi)


def _cycle(
    feedforward: Feedforward, scenario: Mapping[str, Any] | None, cycle: float | None
) -> float:
    cycle = _given_cycle(scenario, cycle)
    if cycle is None:
        cycle = (scenario or {}).get("solve", {}).get("step")
    if cycle is None:
        cycle = float(feedforward.time[1] - feedforward.time[0])
    if isinstance(cycle, bool) or not isinstance(cycle, int | float):
        raise InputError(f"the cycle must be a number of seconds, got {cycle!r}")
    duration = feedforward.problem.path.duration
    if not math.isfinite(cycle) or cycle <= 0.0:
        raise InputError(f"the cycle must be a positive number of seconds, got {cycle:g}")
    if cycle > duration:
        raise InputError(f"the cycle of {cycle:g} s is longer than the motion of {duration:g} s")
    if duration / cycle > 1e7:
        raise InputError(
            f"a cycle of {cycle:g} s makes {duration / cycle:.0f} rows of a motion of "
            f"{duration:g} s; at most ten million are written"
        )
    return float(cycle)


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


def _table(request: Request, for_code: bool = False) -> Table:
    default = _CODE_COLUMNS if for_code else DEFAULT
    chosen = select(request.feedforward, request.columns, default)
    if for_code:
        _require_rates(chosen)
        _require_precision(request, chosen)
    times = time_grid(request.feedforward.problem.path.duration, request.cycle)
    samples = sample(request.feedforward, times, both_sides=for_code)
    details: dict[str, Any] = {
        "cycle": request.cycle,
        "accuracy": samples.accuracy,
        "columns": {"time": "s"} | {signal.title: signal.unit for signal in chosen},
    }
    if for_code:
        details["precision"] = request.precision
        details["quantisation"] = quantisation(samples, chosen, request.precision)
        details["interpolation"] = "cubic Hermite, error of order 4 in the cycle"
    entries = record(request.feedforward, request.scenario, details)
    return Table(samples, chosen, request.units, entries)


def _require_rates(chosen: Sequence[Signal]) -> None:
    without = [signal.title for signal in chosen if signal.group in _NO_RATE]
    if without:
        raise InputError(
            f"code interpolates with exact rates, which {without[0]} does not have; choose from u, "
            "q, v, a, rope, gamma, lambda, or deliver a table"
        )


def _require_precision(request: Request, chosen: Sequence[Signal]) -> None:
    """Refuse single precision for what it cannot hold, before anything is solved at the cycle."""
    if request.precision == "single":
        samples = sample(request.feedforward, request.feedforward.time)
        require_single(samples, chosen, request.cycle)
        require_single_parameters(request.feedforward.problem.parameters)


def _with_sidecar(write: Callable[[Table], bytes]) -> Callable[[Request], dict[Path, bytes]]:
    def function(request: Request) -> dict[Path, bytes]:
        table = _table(request)
        content = write(table)
        beside, text = sidecar(table.record, request.target, content)
        return {request.target: content, beside: text}

    return function


def _modelica(request: Request) -> dict[Path, bytes]:
    return {request.target: modelica_table(_table(request))}


def _c(request: Request) -> dict[Path, bytes]:
    table = _table(request, for_code=True)
    sources = c_sources(table, request.target.stem, request.cycle, request.precision)
    return _c_files(request, sources, table.record)


def _c_files(
    request: Request, sources: tuple[str, str], entries: Mapping[str, Any]
) -> dict[Path, bytes]:
    head = comment(entries, begin="/*\n", line=" * ", end=" */\n")
    header, source = (sign(head + text).encode() for text in sources)
    return {request.target: source, request.target.with_suffix(".h"): header}


def _st(request: Request) -> dict[Path, bytes]:
    table = _table(request, for_code=True)
    head = comment(table.record, begin="(*\n", line="   ", end="*)\n")
    text = structured_text(table, request.target.stem, request.precision)
    return {request.target: sign(head + text).encode()}


def _generator(request: Request) -> dict[Path, bytes]:
    problem, precision = request.feedforward.problem, request.precision
    samples = sample(request.feedforward, request.feedforward.time)
    chosen = [signal for signal in signals(problem.crane).values() if signal.group != "power"]
    _require_precision(request, chosen)
    entries = _on_line_record(
        request, "the generator", {"quantisation": quantisation(samples, chosen, precision)}
    )
    sources = generator_sources(problem, request.limits, request.target.stem, precision)
    return _c_files(request, sources, entries)


def _on_line_record(
    request: Request, what: str, details: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the provenance of what solves on line."""
    if request.columns is not None:
        raise InputError(f"{what} gives all signals; columns cannot be chosen")
    precision = request.precision
    own = {
        "method": "index1, solved on line",
        "precision": precision,
        "accuracy": f"Newton's method to a relative step of {TOLERANCE[precision]:g}, at most "
        f"{SWEEPS} sweeps a call",
    }
    return record(request.feedforward, request.scenario, own | dict(details or {}))


def _fmu(request: Request) -> dict[Path, bytes]:
    entries = _on_line_record(request, "the FMU", {"fmi": request.fmi})
    model = feedforward_model(request.feedforward.problem, request.limits, request.target.stem)
    return {request.target: feedforward_fmu(model, entries, fmi=request.fmi)}


def _ssp(request: Request) -> dict[Path, bytes]:
    details = {"fmi": request.fmi, "hold": request.hold}
    entries = _on_line_record(request, "the SSP", details)
    content = ssp_archive(
        request.feedforward,
        request.limits,
        request.scenario,
        entries,
        fmi=request.fmi,
        hold=request.hold,
        folder=request.folder,
    )
    return {request.target: content}


FORMATS: Mapping[str, Format] = {
    "csv": Format(
        "CSV, a row each cycle; provenance beside it", ".csv", _with_sidecar(csv_table), beside=True
    ),
    "modelica": Format("Modelica CombiTimeTable, text", ".txt", _modelica),
    "mat4": Format(
        "MATLAB v4, as Modelica's CombiTimeTable reads it",
        ".mat",
        _with_sidecar(mat4_table),
        beside=True,
    ),
    "mat": Format(
        "MATLAB v7 (Level 5, compressed) with structs",
        ".mat",
        _with_sidecar(mat_table),
        beside=True,
    ),
    "parquet": Format(
        "Apache Parquet (needs pyarrow)", ".parquet", _with_sidecar(parquet_table), beside=True
    ),
    "c": Format("C99 table with cubic Hermite interpolation", ".c", _c, (".h",), single=True),
    "st": Format("IEC 61131-3 Structured Text function block", ".st", _st, single=True),
    "generator": Format(
        "C99 that plans and solves on line, any start, goal and duration",
        ".c",
        _generator,
        (".h",),
        single=True,
    ),
    "fmu": Format("FMU that plans and solves on line (FMI 2.0 or 3.0)", ".fmu", _fmu),
    "ssp": Format("SSP that connects that FMU to the plant's", ".ssp", _ssp),
}
