"""IEC 61131-3 Structured Text of a motion: a function block with a table, for a PLC.

Only what all dialects share is used: see :mod:`cranebridge.emit.structured_text`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cranebridge.emit import Precision, filled, identifier, number, numbers
from cranebridge.errors import InputError
from cranebridge.inverse import Samples, Signal

_BLOCK = Path(__file__).with_name("templates") / "table.st"


def function_block(
    samples: Samples, signals: Sequence[Signal], stem: str, precision: Precision
) -> str:
    """Return a function block that interpolates a table with its rates.

    Parameters
    ----------
    samples : Samples
        The motion, with both sides of the knots.
    signals : sequence of Signal
        What the table has.
    stem : str
        File name without suffix, from which the name of the block is made.
    precision : {"double", "single"}
        LREAL or REAL.
    """
    kind = "LREAL" if precision == "double" else "REAL"
    times = samples.time
    last = times.size - 1
    names = [identifier(signal.title) for signal in signals]
    # Structured Text does not tell upper from lower case.
    if len({name.upper() for name in names}) < len(names):
        raise InputError(
            "two columns have names that differ only in their case, which Structured Text cannot "
            "tell apart; choose the columns"
        )
    outputs, tables, assignments = [], [], []
    for name, signal in zip(names, signals, strict=True):
        values, rates = samples.value(signal), samples.rate(signal)
        outputs.append(
            f"    {name} : {kind} := {number(values[0], precision)}; "
            f"(* {signal.title} [{signal.unit}]: {signal.meaning} *)"
        )
        for part, column in (("Value", values), ("Rate", rates)):
            tables.append(f"    {name}_{part} : ARRAY[0..{last}] OF {kind} := [")
            tables.append(numbers(column, precision) + "];")
        assignments.append(
            f"        {name} := F0 * {name}_Value[Node] + F1 * {name}_Value[Node + 1]\n"
            f"            + G0 * {name}_Rate[Node] + G1 * {name}_Rate[Node + 1];"
        )
    fill = {
        "NAME": f"FB_{identifier(stem)}",
        "TYPE": kind,
        "LAST": str(last),
        "BEGIN": number(times[0], precision),
        "TIMES": numbers(times, precision),
        "OUTPUTS": "\n".join(outputs),
        "TABLES": "\n".join(tables),
        "ASSIGNMENTS": "\n".join(assignments),
    }
    return filled(_BLOCK, fill)
