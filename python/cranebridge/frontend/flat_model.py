"""What the Modelica front end hands to the exporter: an explicit ODE with named variables.

    der(x) = f(t, x, u, p),    y = g(t, x, u, p),    x(0) = x0(p)

Outputs that no expression gives come from an :class:`Algorithm` instead of g. What changes at
events only is a memory m behind the parameters, f(t, x, u, [p; m]), and :class:`Events` tell when
and how it changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import casadi as ca


@dataclass(frozen=True)
class Variable:
    """A scalar variable of a plant model.

    Attributes
    ----------
    name : str
        Name in the flat Modelica model, such as ``"phi"`` or ``"r[1]"``.
    unit : str
        Modelica unit string, such as ``"N.m"``; empty for none.
    description : str
        What it means.
    start : float
        Value at the start (states, inputs) or default value (parameters).
    variability : str
        Inputs and outputs are continuous or discrete, parameters fixed or tunable.
    type : {"real", "boolean", "integer"}
        Inputs and outputs of an algorithm need not be real.
    """

    name: str
    unit: str = ""
    description: str = ""
    start: float = 0.0
    nominal: float | None = None
    min: float | None = None
    max: float | None = None
    quantity: str = ""
    display_unit: str = ""
    variability: Literal["fixed", "tunable", "discrete", "continuous"] = "continuous"
    type: Literal["real", "boolean", "integer"] = "real"


@dataclass(frozen=True)
class Experiment:
    """The default experiment of a model."""

    start_time: float = 0.0
    stop_time: float = 1.0
    tolerance: float = 1e-8
    interval: float | None = None


@dataclass(frozen=True)
class Algorithm:
    """C code that gives the outputs and remembers what has happened.

    Attributes
    ----------
    files : mapping of str to str
        C files by name. ``algorithm_code.c`` is compiled after the runtime, in one unit with it,
        and defines ``static const CbAlgorithm cb_algorithm`` (``runtime/model.h``).
    """

    files: Mapping[str, str]


@dataclass(frozen=True)
class Action:
    """Something besides new values: the end of the simulation, or an assertion that fails.

    `singular` is the position beyond which the chosen states do not describe the motion.
    """

    kind: Literal["terminate", "error", "warning", "singular"]
    message: str


@dataclass(frozen=True)
class Events:
    """When a plant's memory changes, and how.

    The memory m holds what keeps its value between events; q stands for [p; m], with the unknowns
    of :class:`Loops` behind it if there are any.

    Attributes
    ----------
    memory : tuple of str
        Names of the memory's entries, for messages.
    start : casadi.Function
        ``(t, x, u, q) -> m`` before the initialization; the memory in q is zero then.
    update : casadi.Function
        ``(t, x, u, q, i) -> m, x, a``: memory and states after one pass through the equations at an
        event, to be repeated until nothing changes, and which of the `actions` are due. i is 1
        during initialization.
    indicators : casadi.Function
        ``(t, x, u, q) -> z``: where one changes between z > 0 and z <= 0 is an event.
    times : casadi.Function
        ``(t, q) -> times of the coming time events``; those in the past do not count.
    after : tuple of bool
        Which of these events happen right after their time, not at it.
    checks : casadi.Function
        ``(t, x, u, q) -> which of the assertions fail``.
    """

    memory: tuple[str, ...]
    start: ca.Function
    update: ca.Function
    indicators: ca.Function
    times: ca.Function
    after: tuple[bool, ...]
    actions: tuple[Action, ...]
    checks: ca.Function
    assertions: tuple[Action, ...]


@dataclass(frozen=True)
class Loops:
    """Nonlinear equations G(t, x, u, q) = 0 for the last entries v of q = [p; m; v].

    Attributes
    ----------
    names : tuple of str
        The unknowns.
    nominal : tuple of float
        Their sizes, for the end of the iteration.
    residual, jacobian : casadi.Function
        ``(t, x, u, q) -> G`` and ``(t, x, u, q) -> dG/dv``.
    start : casadi.Function
        ``q -> v`` where the first iteration begins.
    advice : str
        What to check where they have no solution.
    """

    names: tuple[str, ...]
    nominal: tuple[float, ...]
    residual: ca.Function
    jacobian: ca.Function
    start: ca.Function
    advice: str = "check start values, parameters and states."


@dataclass(frozen=True)
class PlantModel:
    """An explicit ODE with named variables, ready for export.

    Attributes
    ----------
    rhs : casadi.Function
        ``(t, x, u, p) -> der(x)``.
    outputs_function : casadi.Function
        ``(t, x, u, p) -> y``.
    initial : casadi.Function
        ``p -> x0``: start values of the states, which may depend on parameters.
    algorithm : Algorithm, optional
        Gives the outputs instead of `outputs_function`, to a model without states.
    locals : tuple of Variable
        What `outputs_function` gives after the outputs: discrete variables, and at last one for
        each event indicator.
    events : Events, optional
        With them the argument p of the functions is [p; memory].
    loops : Loops, optional
        With them the argument p of the functions is [p; memory; v].
    remarks : tuple of str
        What a user should know of how the states and their start were found, a sentence each.
    inner : tuple of Variable
        Further variables, which can be shown if `load_model` is asked for them: name, unit and
        description only.
    """

    name: str
    states: tuple[Variable, ...]
    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    parameters: tuple[Variable, ...]
    rhs: ca.Function
    outputs_function: ca.Function
    initial: ca.Function
    description: str = ""
    documentation: str = ""
    experiment: Experiment = field(default_factory=Experiment)
    sources: tuple[str, ...] = ()
    algorithm: Algorithm | None = None
    locals: tuple[Variable, ...] = ()
    events: Events | None = None
    loops: Loops | None = None
    remarks: tuple[str, ...] = ()
    inner: tuple[Variable, ...] = ()

    @property
    def shown(self) -> tuple[Variable, ...]:
        """What `outputs_function` gives."""
        return (*self.outputs, *self.locals)

    @property
    def memory(self) -> int:
        """Number of values behind the parameters."""
        return (len(self.events.memory) if self.events else 0) + (
            len(self.loops.names) if self.loops else 0
        )

    @property
    def indicators(self) -> int:
        """Number of event indicators."""
        return int(self.events.indicators.numel_out(0)) if self.events else 0
