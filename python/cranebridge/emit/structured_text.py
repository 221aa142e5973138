"""IEC 61131-3 Structured Text of a motion: a function block with a table, for a PLC.

Only what all dialects share is used: one-dimensional arrays with initial values, IF, WHILE and
arithmetic; no pointers, no methods, no conversions. AND is not assumed to stop early.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import Template

import numpy as np

from cranebridge.emit.c_code import Precision, digits, identifier
from cranebridge.errors import InputError
from cranebridge.inverse import Samples, Signal

_BLOCK = """\
FUNCTION_BLOCK $NAME
VAR_INPUT
    Enable : BOOL; (* FALSE keeps the last values *)
    PathTime : $TYPE; (* time since the path began in s, counted up by the caller from $BEGIN *)
END_VAR
VAR_OUTPUT
    Busy : BOOL; (* the motion is under way *)
    Done : BOOL; (* the goal is reached *)
    Error : BOOL; (* the values are the last valid ones *)
    ErrorID : UINT; (* 1: PathTime is before $BEGIN or not a number *)
$OUTPUTS
END_VAR
VAR
    Node : DINT := 0;
    Now : $TYPE;
    Span : $TYPE;
    Part : $TYPE;
    Rest : $TYPE;
    F0 : $TYPE;
    F1 : $TYPE;
    G0 : $TYPE;
    G1 : $TYPE;
END_VAR
VAR CONSTANT
    (* A knot of the path stands twice among the nodes, because rates jump there. *)
    LastNode : DINT := $LAST;
    NodeTime : ARRAY[0..$LAST] OF $TYPE := [
$TIMES];
$TABLES
END_VAR

Busy := FALSE;
Done := FALSE;
Error := FALSE;
ErrorID := 0;
IF Enable THEN
    IF NOT (PathTime >= NodeTime[0]) THEN
        Error := TRUE;
        ErrorID := 1;
    ELSE
        Now := PathTime;
        IF Now >= NodeTime[LastNode] THEN
            Now := NodeTime[LastNode];
            Done := TRUE;
        ELSE
            Busy := TRUE;
        END_IF;
        WHILE (Node > 0) AND (Now < NodeTime[Node]) DO
            Node := Node - 1;
        END_WHILE;
        WHILE (Node < LastNode - 1) AND (Now >= NodeTime[Node + 1]) DO
            Node := Node + 1;
        END_WHILE;
        Span := NodeTime[Node + 1] - NodeTime[Node];
        Part := (Now - NodeTime[Node]) / Span;
        Rest := 1.0 - Part;
        F0 := Rest * Rest * (1.0 + Part + Part);
        F1 := Part * Part * (1.0 + Rest + Rest);
        G0 := Span * Part * Rest * Rest;
        G1 := -Span * Part * Part * Rest;
$ASSIGNMENTS
    END_IF;
END_IF;
END_FUNCTION_BLOCK
"""


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
    return Template(_BLOCK).substitute(
        NAME=f"FB_{identifier(stem)}",
        TYPE=kind,
        LAST=str(last),
        BEGIN=number(times[0], precision),
        TIMES=numbers(times, precision),
        OUTPUTS="\n".join(outputs),
        TABLES="\n".join(tables),
        ASSIGNMENTS="\n".join(assignments),
    )


def number(value: float, precision: Precision) -> str:
    """Write a real literal: IEC 61131-3 wants a decimal point, also before an exponent."""
    mantissa, _, exponent = digits(value, precision).partition("e")
    if "." not in mantissa:
        mantissa += ".0"
    return f"{mantissa}E{int(exponent)}" if exponent else mantissa


def numbers(values: Sequence[float] | np.ndarray, precision: Precision) -> str:
    """Write the elements of an array, some in a line."""
    words = [number(value, precision) for value in values]
    lines = (", ".join(words[i : i + 8]) for i in range(0, len(words), 8))
    return re.sub(r"^", "        ", ",\n".join(lines), flags=re.MULTILINE)


def listed(names: Sequence[str], kind: str) -> list[str]:
    """Return declarations of variables of one type, some in a line."""
    rows = (", ".join(names[i : i + 8]) for i in range(0, len(names), 8))
    return [f"{row} : {kind};" for row in rows]
