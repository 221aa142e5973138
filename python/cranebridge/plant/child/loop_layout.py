"""Memory that Python and the compiled loop share: the structures of ``loop/loop.h``.

A :class:`CMemory` keeps what the structures point to alive as long as it lives itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import POINTER, Structure, c_double, c_int32, c_size_t, c_void_p
from enum import IntEnum, auto
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.plant.child.fmi import Instance, VariableBlock
from cranebridge.plant.protocol import Controls, VariableReference

FUNCTIONS = {
    "2.0": (
        *("fmi2SetTime", "fmi2SetContinuousStates", "fmi2GetContinuousStates"),
        *("fmi2GetDerivatives", "fmi2GetEventIndicators", "fmi2NewDiscreteStates"),
        *("fmi2EnterEventMode", "fmi2EnterContinuousTimeMode", "fmi2CompletedIntegratorStep"),
    ),
    "3.0": (
        *("fmi3SetTime", "fmi3SetContinuousStates", "fmi3GetContinuousStates"),
        *("fmi3GetContinuousStateDerivatives", "fmi3GetEventIndicators"),
        *("fmi3UpdateDiscreteStates", "fmi3EnterEventMode", "fmi3EnterContinuousTimeMode"),
        "fmi3CompletedIntegratorStep",
    ),
}
"""Functions of the standard that the loop calls, by version, in its order."""
KINDS = (
    *("Float64", "Float32", "Int8", "UInt8", "Int16", "UInt16"),
    *("Int32", "UInt32", "Int64", "UInt64", "Boolean"),
)
"""Types of variables in the loop's order."""


class Reason(IntEnum):
    """Why a simulation stopped, as in ``loop.h``."""

    COMPLETE = 0
    ENDED = auto()
    BAD_STATUS = auto()
    MISSING = auto()
    NOT_SETTLED = auto()
    CHATTERS = auto()
    BAD_INDICATOR = auto()
    BAD_STATE = auto()
    BAD_DERIVATIVE = auto()
    BAD_LATER = auto()
    NO_DERIVATIVES = auto()
    STEP_TOO_SMALL = auto()
    NOT_WHOLE = auto()
    NO_MEMORY = auto()
    TOO_MANY_STEPS = auto()
    PAST_EVENT = auto()


class CGroup(Structure):
    """Variables of one type."""

    _fields_ = (
        ("kind", c_int32),
        ("partial", c_int32),
        ("references", c_size_t),
        ("values", c_size_t),
        ("count", c_size_t),
        ("reference", c_void_p),
        ("position", c_void_p),
        ("place", c_void_p),
        ("lent", c_void_p),
        ("value", c_void_p),
        ("get", c_void_p),
        ("set", c_void_p),
    )


class CBlock(Structure):
    """Variables that are read or set together."""

    _fields_ = (("groups", c_size_t), ("group", POINTER(CGroup)))


class CSignals(Structure):
    """Signals over time."""

    _fields_ = (
        *((name, c_size_t) for name in ("intervals", "signals", "powers")),
        *((name, c_void_p) for name in ("breakpoint", "coefficient")),
        *((name, c_size_t) for name in ("low", "high", "last")),
    )


class CDrive(Structure):
    """Controller of a drive."""

    _fields_ = (("column", c_size_t), ("kp", c_double), ("kv", c_double))


class CLaw(Structure):
    """A sampled controller."""

    _fields_ = (
        *((name, c_size_t) for name in ("samples", "readings", "signals", "inputs")),
        *((name, c_size_t) for name in ("plant_inputs", "whole", "operations", "noisy")),
        ("measured", CBlock),
        *((name, c_void_p) for name in ("time", "change", "program", "noise", "resolution")),
        *((name, c_void_p) for name in ("D", "d", "every", "step", "controller")),
        ("estimate", c_void_p),
        *((name, c_size_t) for name in ("estimates", "taken", "changed")),
        *((name, c_void_p) for name in ("reading", "place", "under_way", "active")),
        *((name, c_void_p) for name in ("said", "given", "status", "estimated")),
    )


class CInputs(Structure):
    """Inputs over time."""

    _fields_ = (
        *((name, CSignals) for name in ("control", "reference", "rate")),
        ("law", CLaw),
        *((name, CBlock) for name in ("continuous", "discrete", "measured")),
        ("drives", c_size_t),
        ("drive", POINTER(CDrive)),
        ("part", c_double),
        *((name, c_void_p) for name in ("jump", "row", "other", "y")),
    )


class CStop(Structure):
    """Where and why a simulation stopped."""

    _fields_ = (
        *((name, c_int32) for name in ("reason", "function", "status", "kind")),
        ("index", c_size_t),
        ("time", c_double),
        ("value", c_double),
    )


class CNodes(Structure):
    """Nodes within the integrator's steps."""

    _fields_ = (
        *((name, c_size_t) for name in ("steps", "nodes", "step_room", "node_room")),
        *((name, POINTER(c_double)) for name in ("start", "time", "state", "output")),
    )


class CTask(Structure):
    """One simulation."""

    _fields_ = (
        ("instance", c_void_p),
        ("fmi", c_int32),
        ("needs_completed_step", c_int32),
        *((name, c_size_t) for name in ("nx", "nz", "ny")),
        ("function", c_void_p * len(FUNCTIONS["2.0"])),
        ("rtol", c_double),
        ("atol", c_double),
        ("max_step", c_double),
        *((name, c_size_t) for name in ("times", "bounds", "state_values")),
        *((name, c_void_p) for name in ("time", "bound", "state_position", "state_value")),
        ("outputs", CBlock),
        ("inputs", CInputs),
        ("dense", c_int32),
        ("unused", c_int32),
        ("collected", c_size_t),
        ("reached", c_void_p),
        ("most", c_size_t),
        ("output", c_void_p),
        ("state", c_void_p),
        *((name, c_size_t) for name in ("steps", "rejected", "evaluations", "events")),
        ("nodes", CNodes),
        ("stop", CStop),
    )


class CMemory:
    """Makes structures, and keeps what they point to."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._kept: list[Any] = []

    def keep(self, values: ArrayLike, kind: Any = np.float64) -> int:
        """Return where some numbers are, one after the other."""
        array = np.ascontiguousarray(values, dtype=kind)
        self._kept.append(array)
        return int(array.ctypes.data)

    def structures(self, items: Sequence[Any], kind: Any) -> Any:
        """Return a C array of structures."""
        array = (kind * len(items))(*items)
        self._kept.append(array)
        return array

    def block(self, references: Sequence[VariableReference], positions: Sequence[int]) -> CBlock:
        """Variables, and where their values stand in a row."""
        groups = []
        for group in VariableBlock(references).groups:
            groups.append(
                CGroup(
                    kind=KINDS.index(group.kind),
                    partial=not group.is_whole,
                    references=len(group.references),
                    values=group.count,
                    count=len(group.positions),
                    reference=self.keep(group.references, np.uint32),
                    position=self.keep([positions[i] for i in group.positions], np.uintp),
                    place=self.keep(group.places, np.uintp),
                    lent=self.keep(group.references, np.uint32),
                    value=self.keep(np.zeros(group.count)),
                    get=self._instance.address(self._instance.variable_call("Get", group.kind)),
                    set=self._instance.address(self._instance.variable_call("Set", group.kind)),
                )
            )
        return CBlock(len(groups), self.structures(groups, CGroup))

    def signals(self, controls: Controls) -> CSignals:
        """Return piecewise polynomials."""
        powers, intervals, signals = controls.coefficients.shape
        return CSignals(
            intervals=intervals,
            signals=signals,
            powers=powers,
            breakpoint=self.keep(controls.breakpoints),
            coefficient=self.keep(controls.coefficients),
        )


def copied(pointer: Any, *shape: int) -> NDArray[np.float64]:
    """Copy numbers that the loop has made."""
    if 0 in shape:
        return np.zeros(shape)
    return np.array(np.ctypeslib.as_array(pointer, shape))
