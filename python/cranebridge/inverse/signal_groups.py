"""The signals of a crane, group by group: one table for all that deliver, judge or draw them.

A group that can have limits says so with a sentence, `SignalGroup.limit`; judge, planners, schema,
template, page and report take it from here. What cannot take a group says that in a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

import casadi as ca

from cranebridge.twin import Crane, Equations, equations_of_motion
from cranebridge.twin.language import Quantity, steered

MOTION = ("q", "v", "a", "jerk", "lambda", "u")
"""What signals are functions of, before the parameters."""


@dataclass(frozen=True)
class SignalGroup:
    """A group of signals.

    Attributes
    ----------
    columns : str
        What its columns are, in a sentence.
    quantities : callable
        Whose names and meanings the signals have, from the crane.
    expression : callable
        The signals as CasADi expressions, in the order of `quantities`, from the crane's equations
        and the symbols of its jerks.
    per : str
        What stands behind the units of `quantities`.
    unit : str
        The unit of all of them instead, if not empty.
    word : str
        What a signal is, besides the meaning of its quantity.
    derived : bool
        Whether it is made from a motion by its expression. The others are what a solution consists
        of, and a plant may show them.
    limit : str
        What can be limited, in a sentence; empty if it cannot.
    pulls : bool
        Whether they are forces of ropes, which must pull: a single number limits them from below.
    panel, title : str
        Key and heading of its plot where it has limits; empty for what is plotted anyway.
    """

    columns: str
    quantities: Callable[[Crane], tuple[Quantity, ...]]
    expression: Callable[[Equations, ca.SX], ca.SX]
    per: str = ""
    unit: str = ""
    word: str = ""
    derived: bool = False
    limit: str = ""
    pulls: bool = False
    panel: str = ""
    title: str = ""


def _powers(model: Equations) -> ca.SX:
    """Return the powers of the drives; what is prescribed over time has none."""
    powers = (model.input_matrix.T @ model.v) * model.u
    return powers[: len(steered(model.crane))]


SIGNAL_GROUPS: Mapping[str, SignalGroup] = {
    "u": SignalGroup(
        "forces and torques of the drives",
        lambda crane: crane.inputs,
        lambda model, _: model.u,
        limit="force or torque of an input",
    ),
    "q": SignalGroup(
        "coordinates: drive positions first, then the load",
        lambda crane: crane.coordinates,
        lambda model, _: model.q,
        limit="coordinate",
        panel="coordinates",
        title="Coordinates with limits",
    ),
    "v": SignalGroup(
        "velocities",
        lambda crane: crane.coordinates,
        lambda model, _: model.v,
        per="/s",
        word="velocity",
        limit="speed of a coordinate",
        panel="speeds",
        title="Speeds with limits",
    ),
    "a": SignalGroup(
        "accelerations",
        lambda crane: crane.coordinates,
        lambda model, _: model.a,
        per="/s^2",
        word="acceleration",
        limit="acceleration of a coordinate",
        panel="accelerations",
        title="Accelerations with limits",
    ),
    "jerk": SignalGroup(
        "jerks",
        lambda crane: crane.coordinates,
        lambda _, jerk: jerk,
        per="/s^3",
        word="jerk",
        limit="jerk of a coordinate",
        panel="jerks",
        title="Jerks with limits",
    ),
    "power": SignalGroup(
        "mechanical power of the drives",
        steered,
        lambda model, _: _powers(model),
        unit="W",
        word="power",
        derived=True,
        limit="mechanical power of an input's drive, driving or braking",
        panel="powers",
        title="Drive powers with limits",
    ),
    "rope": SignalGroup(
        "rope forces, positive pulls",
        lambda crane: crane.ropes,
        lambda model, _: model.ropes,
        limit="rope force; a number is the least, a pair least and most",
        pulls=True,
    ),
    "gamma": SignalGroup(
        "wanted outputs",
        lambda crane: crane.outputs,
        lambda model, _: model.outputs,
        word="wanted",
    ),
    "lambda": SignalGroup(
        "multipliers",
        lambda crane: crane.multipliers,
        lambda model, _: model.lam,
        word="multiplier",
    ),
}
"""All groups of signals, in the order of columns and verdicts."""

DERIVED = tuple(key for key, group in SIGNAL_GROUPS.items() if group.derived)
"""The groups that are made from a motion."""


@dataclass(frozen=True)
class Signal:
    """A column: its group and position there, with unit and meaning."""

    group: str
    position: int
    name: str
    unit: str
    meaning: str

    @property
    def title(self) -> str:
        """Name of the column, such as ``u.M_b``."""
        return f"{self.group}.{self.name}"


@cache
def signals(crane: Crane) -> Mapping[str, Signal]:
    """Return all signals of a crane by title, group after group."""
    found = [
        Signal(key, i, x.name, group.unit or x.unit + group.per, x.meaning)
        for key, group in SIGNAL_GROUPS.items()
        for i, x in enumerate(group.quantities(crane))
    ]
    return {signal.title: signal for signal in found}


@lru_cache(maxsize=64)
def signal_function(crane: Crane, wanted: tuple[Signal, ...]) -> ca.Function:
    """Return ``(q, v, a, jerk, lambda, u, p) -> values`` of signals; made once."""
    model = equations_of_motion(crane)
    jerk = ca.SX.sym("jerk", model.q.numel())
    groups = {
        key: SIGNAL_GROUPS[key].expression(model, jerk)
        for key in dict.fromkeys(signal.group for signal in wanted)
    }
    values = [groups[signal.group][signal.position] for signal in wanted]
    arguments = [model.q, model.v, model.a, jerk, model.lam, model.u, model.p]
    return ca.Function("bounds", arguments, [ca.densify(ca.vertcat(ca.SX(0, 1), *values))])


@cache
def needing_jerks(crane: Crane) -> tuple[str, ...]:
    """Return the groups that are functions of the jerks."""
    model = equations_of_motion(crane)
    jerk = ca.SX.sym("jerk", model.q.numel())
    groups = SIGNAL_GROUPS.items()
    return tuple(key for key, one in groups if ca.depends_on(one.expression(model, jerk), jerk))
