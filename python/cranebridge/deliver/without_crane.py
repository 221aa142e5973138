"""Delivery of learned inputs of a plant that has no twin: time and inputs by the FMU's names.

In the trials inputs were straight lines between samples. Tables have the samples; code and the FMU
that plays them have straight lines as well: each sample stands twice among the nodes, with the
slope before it and the slope after it, and cubics with these slopes are the lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.deliver.files import refuse_existing, write_files
from cranebridge.deliver.fmu import BEGIN, HOLD, fmu_archive, played_model
from cranebridge.deliver.formats import require_format
from cranebridge.deliver.order import DeliveryOrder, require_cycle, require_fmi, require_precision
from cranebridge.deliver.provenance import comment, learned_record, sidecar, sign
from cranebridge.deliver.tables import (
    MOST_ROWS,
    SampleTable,
    c_sources,
    csv_table,
    function_block,
    mat4_table,
    mat_table,
    modelica_package,
    modelica_table,
    package_name,
    parquet_table,
    quantisation,
    require_single,
    too_many_rows,
)
from cranebridge.emit import Precision, identifier
from cranebridge.errors import InputError, unknown
from cranebridge.frontend import Variable
from cranebridge.inverse import Samples, Signal

Array = NDArray[np.float64]
Files = dict[Path, bytes]

_TABLES: Mapping[str, Callable[[SampleTable], bytes]] = {
    "csv": csv_table,
    "modelica": modelica_table,
    "mat4": mat4_table,
    "mat": mat_table,
    "parquet": parquet_table,
}
_NEEDS_CRANE = {
    "generator": "plans motions of a crane on line",
    "ssp": "connects a crane's feedforward to its plant by the crane's names",
}
_OWN = (BEGIN, HOLD, "status")
GROUP = "u"


class Input(Signal):
    """An input of an FMU: its column has the FMU's name."""

    @property
    def title(self) -> str:
        """Name of the column."""
        return self.name


@dataclass(frozen=True, eq=False)
class LearnedInputs:
    """What was learned for a plant without a twin.

    Attributes
    ----------
    name : str
        Of the scenario.
    plant : str
        File name of the FMU.
    time, values : numpy.ndarray
        Samples; a column for each input.
    units : mapping of str to str
        By the FMU's name, in the order of the columns.
    """

    name: str
    plant: str
    time: Array
    values: Array
    units: Mapping[str, str]


def deliver_inputs(learned: LearnedInputs, order: DeliveryOrder) -> list[Path]:
    """Hand learned inputs over; returns the files written.

    Raises
    ------
    InputError
        With one message, before anything is written.
    """
    form = require_format(order.to)
    if order.to in _NEEDS_CRANE:
        raise InputError(
            f"format '{order.to}' {_NEEDS_CRANE[order.to]}, and scenario '{learned.name}' has no "
            f"[crane]; take one of {', '.join((*_TABLES, 'c', 'st', 'fmu'))}"
        )
    target = form.target(order.target, f"{identifier(learned.name)}_learned")
    refuse_existing(form.files(target), order.overwrite)
    begin, end = float(learned.time[0]), float(learned.time[-1])
    cycle = require_cycle(order, end - begin, float(learned.time[1] - learned.time[0]))
    precision = require_precision(order, form.single)
    chosen = _chosen(learned, order)
    if order.is_block:
        files = _block_files(learned, order, target, chosen)
    elif order.to in _TABLES:
        files = _table_files(learned, order, target, chosen, cycle)
    else:
        files = _code_files(learned, order, target, chosen, precision)
    return write_files(files, order.overwrite)


def _chosen(learned: LearnedInputs, order: DeliveryOrder) -> list[Signal]:
    """Return the columns: all inputs, or those that are asked for."""
    known: dict[str, Signal] = {
        name: Input(GROUP, i, name, unit, "learned input")
        for i, (name, unit) in enumerate(learned.units.items())
    }
    wanted = order.columns or tuple(known)
    for name in wanted:
        if name not in known:
            raise unknown("column", name, known)
    names = {identifier(name) for name in wanted}
    if len(names) < len(wanted):
        raise InputError("two inputs have names that are one in code; choose the columns")
    return [known[name] for name in dict.fromkeys(wanted)]


def _details(cycle: float, chosen: list[Signal], words: str) -> dict[str, Any]:
    titles = {"time": "s"} | {signal.title: signal.unit for signal in chosen}
    return {"cycle": cycle, "accuracy": words, "columns": titles}


def _table_files(
    learned: LearnedInputs, order: DeliveryOrder, target: Path, chosen: list[Signal], cycle: float
) -> Files:
    begin, end = float(learned.time[0]), float(learned.time[-1])
    time = begin + cycle * np.arange(np.floor((end - begin) / cycle + 1e-9) + 1.0)
    if time[-1] < end - 1e-9 * cycle:
        time = np.append(time, end)
    values = np.column_stack([np.interp(time, learned.time, u) for u in learned.values.T])
    words = "learned samples, straight lines between them"
    record = learned_record(learned.name, learned.plant, order, _details(cycle, chosen, words))
    samples = Samples(None, time, {GROUP: values}, {}, words)
    table = SampleTable(samples, chosen, order.units, record)
    content = _TABLES[order.to](table)
    if not require_format(order.to).beside:
        return {target: content}
    beside, text = sidecar(record, target, content)
    return {target: content, beside: text}


def _block_files(
    learned: LearnedInputs, order: DeliveryOrder, target: Path, chosen: list[Signal]
) -> Files:
    name = package_name(target.stem)
    if learned.time.size > MOST_ROWS:
        raise too_many_rows(learned.time.size)
    samples = _with_lines(learned)
    step = float(learned.time[1] - learned.time[0])
    details = _details(step, chosen, samples.accuracy)
    record = learned_record(learned.name, learned.plant, order, details)
    about = [
        f"Inputs of {learned.plant} that were learned: straight lines between samples, as in the "
        "trials."
    ]
    text = modelica_package(name, samples, chosen, about)
    head = comment(record, begin="", line="// ", end="")
    return {target: sign(head + text).encode()}


def _code_files(
    learned: LearnedInputs,
    order: DeliveryOrder,
    target: Path,
    chosen: list[Signal],
    precision: Precision,
) -> Files:
    samples = _with_lines(learned)
    step = float(learned.time[1] - learned.time[0])
    if precision == "single":
        require_single(samples, chosen, step)
    details = _details(step, chosen, samples.accuracy) | {
        "precision": precision,
        "quantisation": quantisation(samples, chosen, precision),
        "interpolation": "straight lines, as in the trials: cubics between doubled nodes",
    }
    record = learned_record(learned.name, learned.plant, order, details)
    if order.to == "st":
        head = comment(record, begin="(*\n", line="   ", end="*)\n")
        block = function_block(samples, chosen, target.stem, precision)
        return {target: sign(head + block).encode()}
    # two nodes in a step
    sources = c_sources(samples, chosen, target.stem, 0.5 * step, precision)
    if order.to == "c":
        head = comment(record, begin="/*\n", line=" * ", end=" */\n")
        header, source = (sign(head + text).encode() for text in sources)
        return {target: source, target.with_suffix(".h"): header}
    own = [signal.name for signal in chosen if signal.name in _OWN]
    if own:
        raise InputError(
            f"an FMU that plays inputs has a variable '{own[0]}' itself, and so is one of the "
            "inputs called: deliver a table or code"
        )
    outputs = tuple(Variable(s.name, "" if s.unit == "1" else s.unit, s.meaning) for s in chosen)
    table = SampleTable(samples, chosen, False, record)
    words = f"Learned inputs of {learned.plant}"
    model = played_model(outputs, len(chosen), table, 0.5 * step, target.stem, words)
    fmi = require_fmi(order)
    return {target: fmu_archive(model, {**record, "fmi": fmi}, fmi=fmi)}


def _with_lines(learned: LearnedInputs) -> Samples:
    """Return the samples with the slopes of straight lines: inner ones twice."""
    slopes = np.diff(learned.values, axis=0) / np.diff(learned.time)[:, None]
    rows = np.repeat(np.arange(len(learned.time)), 2)[1:-1]
    rates = np.repeat(slopes, 2, axis=0)
    words = "learned samples"
    return Samples(None, learned.time[rows], {GROUP: learned.values[rows]}, {GROUP: rates}, words)
