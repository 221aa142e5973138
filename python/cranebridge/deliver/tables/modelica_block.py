"""A motion as a Modelica block with outputs, for any plant: values inside, no library needed.

Each signal is a table of values and exact rates with cubic pieces between its rows, so that few are
enough. Where a signal jumps, the table goes on without the jump, and the jump is added at its time:
an event that any Modelica tool finds.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cranebridge.emit import identifier
from cranebridge.errors import InputError
from cranebridge.inverse import Samples, Signal, hermite

Array = NDArray[np.float64]

_TABLE = Path(__file__).with_name("templates") / "table.mo"

BLOCK = "Feedforward"
"""Name of the block in the package that is delivered."""

ACCURACY = 1e-6
"""What the block may differ from the solution, of the range of each output; torque sensors and
drives are a thousand times worse."""
PIECES = 16
"""Into how many pieces a motion is cut at first."""
ENOUGH_ROWS = 500
"""Rows that are not exceeded for accuracy."""
MOST_ROWS = 2000
"""Rows of a block at most: compilers take minutes for more, since each is an equation."""
# What is said to be a jump or a bend, of the largest value or rate: rounding stays below it.
_TINY = 1e-9
# What changes less than this part of its largest value is taken for constant.
_FLAT = 1e-6

_WORDS = """
algorithm and annotation block break class connect connector constant constrainedby der discrete
each else elseif elsewhen encapsulated end enumeration equation expandable extends external false
final flow for function if import impure in initial inner input loop model not operator or outer
output package parameter partial protected public pure record redeclare replaceable return stream
then time true type when while within startTime
"""
_KEYWORDS = frozenset(_WORDS.split())


@dataclass(frozen=True)
class TableRows:
    """The table of one signal.

    Attributes
    ----------
    table : numpy.ndarray
        Time, value without the jumps so far, rate after this row, rate before the next.
    jumps : tuple of pair of float
        Time and height.
    bends : tuple of float
        Times at which the rate jumps.
    """

    table: Array
    jumps: tuple[tuple[float, float], ...]
    bends: tuple[float, ...]

    @property
    def smoothness(self) -> str:
        """What importers and controllers want to know."""
        if self.jumps:
            return f"jumps at {_times(t for t, _ in self.jumps)}; else continuous"
        if self.bends:
            return f"continuous; its rate jumps at {_times(self.bends)}"
        return "continuously differentiable"

    def at(self, times: Array) -> Array:
        """Return what the block gives at some times."""
        t, v, after, before = self.table.T[:, :, None]
        pieces = hermite(t[:, 0], (v[:-1], after[:-1]), (v[1:], before[:-1]))
        found = pieces(np.clip(times, t[0, 0], t[-1, 0]))[:, 0]
        for place, height in self.jumps:
            found = found + np.where(times >= place, height, 0.0)
        return found


def rows(samples: Samples, signal: Signal) -> TableRows:
    """Return the table of a signal from samples with both sides of the knots."""
    time, value, rate = samples.time, samples.value(signal), samples.rate(signal)
    begins = np.flatnonzero(np.diff(time) > 0.0)
    twice = np.flatnonzero(np.diff(time) == 0.0) + 1  # the right side of a knot
    steps, bent = value[twice] - value[twice - 1], rate[twice] - rate[twice - 1]
    jump = np.abs(steps) > _TINY * np.abs(value).max()
    bend = np.abs(bent) > _TINY * np.abs(rate).max()
    jumps = tuple(zip(time[twice[jump]].tolist(), steps[jump].tolist(), strict=True))
    passed = np.array([sum(h for t, h in jumps if t <= now) for now in time[begins]])
    table = np.column_stack([time[begins], value[begins] - passed, rate[begins], rate[begins + 1]])
    last = [time[-1], value[-1] - sum(h for _, h in jumps), 0.0, 0.0]
    return TableRows(np.vstack([table, last]), jumps, tuple(time[twice[bend]].tolist()))


def block_times(
    make: Callable[[Array], Samples],
    exact: Callable[[Array], Samples],
    chosen: Sequence[Signal],
    times: Array,
) -> tuple[Array, float]:
    """Add times of rows where the cubics are not near enough: a piece that is not is halved.

    Parameters
    ----------
    make : callable
        Samples with both sides of the knots, from times of rows.
    exact : callable
        The solution at some times.
    chosen : sequence of Signal
        What the block has.
    times : numpy.ndarray
        To begin with.

    Returns
    -------
    tuple of numpy.ndarray and float
        Times of rows, and the largest deviation, of the range of an output.
    """
    while True:
        ends, errors = deviations(make(times), exact, chosen)
        worst = float(errors.max())
        middle = ends[:-1] + 0.5 * np.diff(ends)
        # what follows the motion is held, and has no times of its own
        bad = (errors > ACCURACY) & (middle < times[-1])
        if not bad.any() or ends.size + bad.sum() > ENOUGH_ROWS:
            return times, worst
        times = np.union1d(times, middle[bad])


def deviations(
    samples: Samples, exact: Callable[[Array], Samples], chosen: Sequence[Signal]
) -> tuple[Array, Array]:
    """Return the ends of all pieces, and how far each is from the solution, of an output's range.

    The error of a cubic with the right values and rates is largest in the middle, or, where its
    leading term vanishes there, beside it.
    """
    ends = np.unique(samples.time)
    between = ends[:-1, None] + np.diff(ends)[:, None] * np.array([0.25, 0.5, 0.75])
    there = exact(between.ravel())
    errors = np.zeros(ends.size - 1)
    for signal in chosen:
        wanted = there.value(signal)
        found = rows(samples, signal).at(between.ravel())
        scale = max(float(np.ptp(wanted)), _FLAT * float(np.abs(wanted).max()), 1e-300)
        errors = np.maximum(errors, np.abs(found - wanted).reshape(between.shape).max(1) / scale)
    return ends, errors


def output_names(chosen: Sequence[Signal]) -> list[str]:
    """Return the names of the block's outputs: those of controls alone, others with their group."""
    found = []
    for signal in chosen:
        name = identifier(signal.name if signal.group == "u" else signal.title)
        found.append(f"{name}_" if name in _KEYWORDS else name)
    if len(set(found)) < len(found):
        raise InputError(
            "two columns have names that are one in Modelica; choose the columns to deliver"
        )
    return found


def package_name(stem: str) -> str:
    """Return the name of the package: that of its file, as Modelica tools ask for.

    Raises
    ------
    InputError
        If the file's name cannot be one of Modelica's.
    """
    if not stem.isascii() or not stem.isidentifier() or stem in _KEYWORDS:
        raise InputError(
            f"a Modelica package has the name of its file, and '{stem}' cannot be one: take "
            f"letters, digits and underscores, such as '{identifier(stem)}.mo'"
        )
    return stem


def too_many_rows(count: int) -> InputError:
    """Return what is said of a block that no compiler would be done with."""
    return InputError(
        f"a Modelica block of {count} rows takes compilers minutes; at most {MOST_ROWS} are "
        "written: take a longer cycle, or none, or deliver a table (a file .txt)"
    )


def modelica_package(
    name: str,
    samples: Samples,
    chosen: Sequence[Signal],
    about: Sequence[str],
    example: str = "",
    uses: Mapping[str, str] | None = None,
) -> str:
    """Return a Modelica package: a block whose outputs are the signals, and an example of its use.

    Parameters
    ----------
    name : str
        Of the package.
    samples : Samples
        The motion, with both sides of the knots.
    chosen : sequence of Signal
        What the block gives.
    about : sequence of str
        Sentences for its documentation, without markup.
    example : str
        Text of a model beside it, if there is one.
    uses : mapping of str to str, optional
        Libraries that the example uses, with their versions.
    """
    signals = list(zip(output_names(chosen), chosen, strict=True))
    libraries = ", ".join(f'{one}(version="{version}")' for one, version in (uses or {}).items())
    parts = [
        f'package {name} "A feedforward as a block"',
        textwrap.indent(_CONNECTOR, "  "),
        textwrap.indent(_TABLE.read_text(encoding="utf-8"), "  "),
        textwrap.indent("\n".join(_block(samples, signals, about)) + "\n", "  "),
        *([textwrap.indent(example, "  ")] if example else []),
        f"  annotation (uses({libraries})," if libraries else "  annotation (",
        '    preferredView="info",',
        '    Documentation(info="<html>',
        *_paragraphs(about),
        '</html>"));',
        f"end {name};",
        "",
    ]
    return "\n".join(line.rstrip() for part in parts for line in part.splitlines()) + "\n"


_CONNECTOR = """connector RealOutput = output Real "Signal that goes out" annotation (
  Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
    Polygon(points={{-100,100},{100,0},{-100,-100}}, lineColor={0,0,127},
      fillColor={255,255,255}, fillPattern=FillPattern.Solid)}),
  Documentation(info="<html>
<p>Can be connected with <code>Modelica.Blocks.Interfaces.RealInput</code>.</p>
</html>"));
"""


def _block(
    samples: Samples, signals: Sequence[tuple[str, Signal]], about: Sequence[str]
) -> Iterable[str]:
    tables = {name: rows(samples, signal) for name, signal in signals}
    yield f'block {BLOCK} "Signals of the motion over time"'
    yield '  parameter Real startTime(final quantity="Time", final unit="s") = 0'
    yield '    "Time at which the path begins";'
    for place, (name, signal) in enumerate(signals):
        y = 80 - round(160 * (place + 0.5) / len(signals))
        yield f'  RealOutput {name}(final unit="{modelica_unit(signal.unit)}")'
        yield f"    {quoted(signal.meaning)}"
        extent = f"{{{{100,{y - 8}}},{{116,{y + 8}}}}}"
        yield f"    annotation (Placement(transformation(extent={extent})));"
    yield "protected"
    for name, found in tables.items():
        lines = ";\n".join("    " + ", ".join(map(number, row)) for row in found.table.tolist())
        yield f"  Table table_{name}(final startTime=startTime, table=[\n{lines}])"
        yield f'    "Table of {name}";'
    yield "equation"
    for name, found in tables.items():
        right = f"table_{name}.y"
        for time, height in found.jumps:
            right += f"\n    + (if time >= startTime + {number(time)} then {number(height)} else 0)"
        yield f"  {name} = {right};"
    yield "  annotation ("
    yield "    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={"
    yield "      Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,127},"
    yield "        fillColor={255,255,255}, fillPattern=FillPattern.Solid),"
    yield "      Line(points={{-80,-60},{-40,60},{0,20},{40,-40},{80,-40}}, color={0,114,178},"
    yield "        smooth=Smooth.Bezier),"
    yield '      Text(extent={{-100,-70},{100,-100}}, textColor={0,0,0}, textString="%name")}),'
    yield '    Documentation(info="<html>'
    yield from _paragraphs(about)
    yield "<p>Cubic pieces between the rows of a table; before its first row and after its last one"
    yield "each output keeps the value there.</p>"
    yield '<table border=\\"1\\" cellspacing=\\"0\\" cellpadding=\\"2\\">'
    yield "<tr><th>output</th><th>unit</th><th>meaning</th><th>smoothness</th></tr>"
    for name, signal in signals:
        cells = (name, modelica_unit(signal.unit), signal.meaning, tables[name].smoothness)
        yield f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in cells)}</tr>"
    yield "</table>"
    yield '</html>"));'
    yield f"end {BLOCK};"


def _paragraphs(about: Iterable[str]) -> Iterable[str]:
    for sentence in about:
        yield from textwrap.wrap(f"<p>{_text(sentence)}</p>", 98, break_long_words=False)


def _text(words: str) -> str:
    """Return words for HTML within a Modelica string."""
    return html.escape(words, quote=True).replace("\\", "\\\\")


def quoted(words: str) -> str:
    """Return a Modelica string."""
    text = words[:1].upper() + words[1:]
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def number(value: float) -> str:
    """Return a number as Modelica writes it, without a negative zero."""
    return repr(float(value) + 0.0)


def modelica_unit(unit: str) -> str:
    """Return a unit as Modelica writes it: N.m and m/s2 for N*m and m/s^2."""
    return unit.replace("*", ".").replace("^", "")


def _times(times: Iterable[float]) -> str:
    known = [f"{time:.6g}" for time in times]
    shown = ", ".join(known[:8])
    return f"{shown} s" if len(known) <= 8 else f"{len(known)} times, {shown}, ... s"
