"""IEC 61131-3 Structured Text of a controller: a function block for a PLC.

Only what all dialects share is used (see :mod:`cranebridge.emit.structured_text`): every product of
the law stands by itself, an observer is loops over arrays of one dimension
(:mod:`cranebridge.control.code.observer_st`). Feedforward, reference and gains are thinned tables
with straight lines between their rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.code.controller import Channel, Controller
from cranebridge.control.code.estimates import estimates_of
from cranebridge.control.code.observer_st import ObserverText, indented, observer_text
from cranebridge.control.design import COUNTED, straight_rows
from cranebridge.emit import (
    SINGLE_LARGEST,
    Precision,
    Value,
    filled,
    identifier,
    listed,
    number,
    numbers,
)
from cranebridge.errors import InputError

Array = NDArray[np.float64]

MOTION_ERROR = 1e-4
"""What feedforward and reference between the rows of their table may be wrong, of their range."""

LARGEST: dict[Precision, float] = {"double": 1e150, "single": 1e18}
"""What is larger counts as no number: squares of what is left are numbers, too."""

_BLOCK = Path(__file__).with_name("templates") / "controller.st"


def controller_block(controller: Controller, stem: str, precision: Precision = "double") -> str:
    """Return a function block that does what a controller does.

    Parameters
    ----------
    controller : Controller
        What it does.
    stem : str
        File name without suffix, from which the name of the block is made.
    precision : {"double", "single"}
        LREAL or REAL.

    Raises
    ------
    InputError
        If names cannot be told apart, or an observer is too large for a PLC.
    """
    return _BlockWriter(controller, precision).text(stem)


class _BlockWriter:
    """Writes the parts of a block."""

    def __init__(self, controller: Controller, precision: Precision) -> None:
        self.c, self.precision = controller, precision
        self.kind = "LREAL" if precision == "double" else "REAL"
        self.inputs = [f"Out_{identifier(one.name)}" for one in controller.inputs]
        self.measured = [
            f"In_{i}_{identifier(one.name)}" for i, one in enumerate(controller.measured)
        ]
        motion = np.hstack([controller.hold, controller.reference])
        size = np.ptp(motion, axis=0)
        self.nodes = straight_rows(motion / np.where(size > 0.0, size, 1.0), MOTION_ERROR)
        signals = range(controller.reference.shape[1])
        self.errors = [f"Error{i}" for i in signals]
        self.integrals = [f"Integral{i}" for i in range(len(controller.integrals))]
        self.past = [f"Past{i}" for i in range(controller.past)]
        estimated = [f"Estimated{i}" for i in range(controller.disturbances)]
        self.fed = [*self.errors, *self.integrals, *self.past, *estimated]
        each = range(len(self.inputs))
        self.kept = [*self.integrals, *self.past, *(f"Correction{i}" for i in each)]
        self.holds = [f"Hold{i}" for i in each]
        self.wanted = [f"Wanted{i}" for i in each]
        self.estimates = [f"Estimate_{identifier(one.name)}" for one in estimates_of(controller)]
        self.beyond = [f"Beyond{i}" for i in each]
        self.observer: ObserverText | None = None
        self.signals = self.measured
        if controller.observer is not None:
            self.observer = observer_text(controller, self.measured, self.inputs, precision)
            self.signals = [f"Signal{i}" for i in signals]
        own = [] if self.observer is None else [*self.signals, *estimated]
        if self.integrals:
            own += [*self.beyond, "Step", "Leads", "Pull", "Room"]
        self.temporary = [*self.errors, *self.holds, *self.wanted, *own]

    def text(self, stem: str) -> str:
        """Return the block."""
        c, precision = self.c, self.precision
        whole, rest = c.delay
        names = [*self.measured, *self.inputs, *self.estimates]
        if len({name.upper() for name in names}) < len(names):
            raise InputError("two signals have names that Structured Text cannot tell apart")
        begin = ["Sample := 0.0;", "Node := 0;", "GainNode := 0;"]
        begin += [f"{name} := 0.0;" for name in self.kept]
        state = [*listed(self.temporary, self.kind), *listed(self.kept, f"{self.kind} := 0.0")]
        values: dict[str, Value] = {
            "NAME": f"FB_{identifier(stem)}",
            "KIND": c.kind,
            "TYPE": self.kind,
            "CYCLE_TEXT": f"{c.cycle:g}",
            "BEGIN_TEXT": f"{c.start:g}",
            "DELAY_TEXT": f"{whole * c.cycle + rest:g}",
            "MOTION_ROWS": str(len(self.nodes)),
            "MOTION_ERROR": f"{MOTION_ERROR:g}",
            "GAIN_ROWS": str(len(c.nodes)),
            "GAIN_ERROR": f"{c.error:g}",
            "LAST_NODE": str(len(self.nodes) - 1),
            "LAST_GAIN": str(len(c.nodes) - 1),
            "LARGEST": number(LARGEST[precision], precision),
            "MEASURED": self._declared(self.measured, c.measured, None),
            "GIVEN": self._declared(self.inputs, c.inputs, c.hold[0]),
            "TOLD": self._declared(self.estimates, estimates_of(c), None),
            "VARIABLES": indented(state),
            "TABLES": "\n".join(self._tables()),
            "RESET": indented(begin),
            "MOTION": indented(self._motion()),
            "LAW": indented(self._law()),
            "AFTER": indented((*self._integrate(), *self._shift())),
        }
        return filled(_BLOCK, values | self._observed())

    def _observed(self) -> dict[str, Value]:
        """Return what differs with whether there is an observer."""
        observer = self.observer
        if observer is None:
            beyond = ", or beyond all sense" if self.integrals else ""
            return {
                "OBSERVED": False,
                "DRIVE_PLACES": False,
                "RESTART": "Reset",
                "CHECKS": indented(self._numbers(self.measured)),
                "ERROR_TEXT": f"a measured value is no number{beyond}",
                "SIZE": "",
            }
        estimate = ", or the estimate is" if self.integrals else ""
        return observer.values | {
            "OBSERVED": True,
            "RESTART": "Reset OR (NOT Started)",
            "CHECKS": "",
            "TELL": indented(self._estimated_values()),
            "ERROR_TEXT": f"all readings that are due are impossible{estimate}",
            "SIZE": f" The observer has {observer.written} statements of single operations and, in "
            f"loops,\n   {observer.looped} products at a step in which all sensors are read. A "
            "reading that is no number, or\n   beyond all expectation, is not taken: give one "
            "such as 1.0E30 where a sensor has failed.",
        }

    def _estimated_values(self) -> Iterator[str]:
        """Give out what is estimated, as it is after the readings of a sample."""
        assert self.c.observer is not None
        n = len(self.c.observer.crane.coordinates)
        places = [f"{array}[{i}]" for array in ("Place", "Speed") for i in range(n)]
        places += [f"Disturbance[{i}]" for i in range(len(self.estimates) - len(places))]
        for name, place in zip(self.estimates, places, strict=True):
            yield f"{name} := {place};"

    def _declared(
        self, names: list[str], channels: tuple[Channel, ...], start: Array | None
    ) -> str:
        lines = []
        for i, (name, channel) in enumerate(zip(names, channels, strict=True)):
            first = "" if start is None else f" := {number(float(start[i]), self.precision)}"
            unit = f" [{channel.unit}]" if channel.unit else ""
            meaning = f": {channel.meaning}" if channel.meaning else ""
            text = f"{channel.name}{unit}{meaning}".replace("*)", "* )").replace("(*", "( *")
            lines.append(f"{name} : {self.kind}{first}; (* {text} *)")
        return indented(lines)

    def _tables(self) -> Iterator[str]:
        c = self.c
        yield self._table("NodeSample", self.nodes.astype(float))
        for i, column in enumerate(c.hold[self.nodes].T):
            yield self._table(f"HoldAt{i}", column)
        for i, column in enumerate(c.reference[self.nodes].T):
            yield self._table(f"ReferenceAt{i}", column)
        yield self._table("GainSample", c.nodes.astype(float))
        for i, j in self._used():
            yield self._table(f"Gain{i}At{j}", c.gains[:, i, j])

    def _used(self) -> list[tuple[int, int]]:
        """Return the products of the law that are not always zero."""
        used = np.abs(self.c.gains).max(axis=0) > 0.0
        return [(int(i), int(j)) for i, j in np.argwhere(used)]

    def _table(self, name: str, values: Array) -> str:
        head = f"    {name} : ARRAY[0..{len(values) - 1}] OF {self.kind} := [\n"
        return head + numbers(values, self.precision) + "];"

    def _numbers(self, names: list[str]) -> Iterator[str]:
        for name in names:
            # not a number is neither more nor less
            yield f"IF NOT ({name} >= -Largest) THEN Error := TRUE; END_IF;"
            yield f"IF {name} > Largest THEN Error := TRUE; END_IF;"

    def _motion(self) -> Iterator[str]:
        for i, name in enumerate(self.holds):
            yield f"{name} := Rest * HoldAt{i}[Node] + Part * HoldAt{i}[Node + 1];"
        for i, (name, signal) in enumerate(zip(self.errors, self.signals, strict=True)):
            yield f"{name} := {signal} - (Rest * ReferenceAt{i}[Node]"
            yield f"    + Part * ReferenceAt{i}[Node + 1]);"
        for i in range(self.c.disturbances):
            yield f"Estimated{i} := Disturbance[{i}] - FirstDisturbance[{i}];"
        for name, far in zip(self.errors, self.c.far, strict=True):
            value = number(float(far), self.precision)
            yield f"IF NOT ({name} >= -{value}) THEN Error := TRUE; END_IF;"
            yield f"IF {name} > {value} THEN Error := TRUE; END_IF;"

    def _law(self) -> Iterator[str]:
        """Write the sums as the C module has them, and what follows where they are no numbers."""
        yield "IF NOT Error THEN"
        for i, wanted in enumerate(self.wanted):
            yield "    Fed := 0.0;"
            for j in (j for row, j in self._used() if row == i):
                gain = f"Gain{i}At{j}"
                yield f"    Fed := Fed + (Rest * {gain}[GainNode]"
                yield f"        + Part * {gain}[GainNode + 1]) * {self.fed[j]};"
            yield f"    {wanted} := {self.holds[i]} - Fed;"
        yield from (f"    {line}" for line in self._numbers(self.wanted))
        yield "END_IF;"
        yield "IF Error THEN"
        yield "    ErrorID := 1;"
        for i, wanted in enumerate(self.wanted):
            yield f"    {wanted} := {self.holds[i]} + Correction{i};"
        yield "END_IF;"
        for i, (name, wanted) in enumerate(zip(self.inputs, self.wanted, strict=True)):
            yield from self._limits(i, wanted)
            yield f"{name} := {wanted};"
            yield f"Correction{i} := {wanted} - {self.holds[i]};"

    def _limits(self, i: int, wanted: str) -> Iterator[str]:
        if self.integrals:
            yield f"{self.beyond[i]} := 0.0;"
        for bound, sign in ((self.c.least[i], "<"), (self.c.most[i], ">")):
            if _is_bound(bound):
                value = number(float(bound), self.precision)
                yield f"IF {wanted} {sign} {value} THEN"
                yield f"    {wanted} := {value};"
                if self.integrals:
                    yield f"    {self.beyond[i]} := {'-1.0' if sign == '<' else '1.0'};"
                yield "    Limited := TRUE;"
                yield "END_IF;"

    def _integrate(self) -> Iterator[str]:
        """Write the integrals as the C module has them: only what leads back, within limits."""
        if not self.integrals:
            return
        cycle, first = number(self.c.cycle, self.precision), len(self.errors)
        yield "IF NOT Error THEN"
        for j, (name, signal) in enumerate(zip(self.integrals, self.c.integrals, strict=True)):
            rows = [i for i, column in self._used() if column == first + j]
            counted = number(COUNTED * float(self.c.far[self.c.integrals[j]]), self.precision)
            yield f"    Step := {self.errors[signal]};"
            yield f"    IF Step > {counted} THEN Step := {counted}; END_IF;"
            yield f"    IF Step < -{counted} THEN Step := -{counted}; END_IF;"
            yield f"    Step := {cycle} * Step;"
            yield "    Leads := 1.0;"
            for i in rows:
                yield from self._pull(i, first + j)
                yield f"    IF {self.beyond[i]} * (Pull * Step) < 0.0 THEN Leads := 0.0; END_IF;"
            yield f"    IF Leads > 0.0 THEN {name} := {name} + Step; END_IF;"
            for i in rows:
                yield from self._pull(i, first + j)
                yield f"    Step := -Pull * {name};"
                for bound, sign in ((self.c.most[i], ">"), (self.c.least[i], "<")):
                    if _is_bound(bound):
                        value = number(float(bound), self.precision)
                        yield f"    Room := {value} - {self.holds[i]};"
                        yield f"    IF (Step {sign} 0.0) AND (Step {sign} Room) THEN"
                        yield f"        {name} := 0.0;"
                        yield f"        IF Room {sign} 0.0 THEN {name} := -Room / Pull; END_IF;"
                        yield "    END_IF;"
        yield "END_IF;"

    def _pull(self, i: int, column: int) -> Iterator[str]:
        gain = f"Gain{i}At{column}"
        yield f"    Pull := Rest * {gain}[GainNode] + Part * {gain}[GainNode + 1];"

    def _shift(self) -> Iterator[str]:
        m = len(self.inputs)
        for i in range(len(self.past) - 1, m - 1, -1):
            yield f"Past{i} := Past{i - m};"
        for i in range(min(m, len(self.past))):
            yield f"Past{i} := Correction{i};"


def _is_bound(value: float) -> bool:
    return bool(np.isfinite(value) and abs(value) < SINGLE_LARGEST)
