"""What happens at events, read from rumoca's dictionary.

Conditions, the owners of discrete variables and the actions (``reinit``, ``terminate``, ``assert``)
refer to each other by number. A ``when`` acts where its condition becomes true; what the condition
was before is part of the memory. rumoca lists the branches of ``when ... elsewhen`` as if each
stood alone, so that a branch is held back by those before it in the same clause, which the source
text shows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import casadi as ca

from cranebridge.frontend.compile import blank
from cranebridge.frontend.flat_model import Action
from cranebridge.frontend.read.dae_dictionary import CompiledDae, DaeVariable
from cranebridge.frontend.read.expression_pool import Span, find_span
from cranebridge.frontend.read.values import Value

_CLAUSE = re.compile(r"\bend\s+when\b|\bwhen\b|\belsewhen\b")


@dataclass(frozen=True)
class Clock:
    """``sample(start, interval)``: how often it has ticked, and whether it ticks now."""

    count: ca.SX
    tick: ca.SX
    due: ca.SX
    phase: float
    period: float


@dataclass(frozen=True)
class DueAction:
    """An action and when it is due."""

    action: Action
    due: ca.SX


class Conditions:
    """The conditions of a model.

    Parameters
    ----------
    dae : CompiledDae
        The model, with values for its variables.
    initial : casadi.SX
        Symbol that is 1 during initialization.
    """

    def __init__(self, dae: CompiledDae, initial: ca.SX) -> None:
        self.dae, self.initial = dae, initial
        self._list: Sequence[Mapping[str, Any]] = dae.storage["conditions"]
        self.clocks = [_clock(dae, i, c) for i, c in enumerate(dae.storage["clocks"])]
        self._before: dict[int, ca.SX] = {}
        self._earlier: dict[int, list[int]] = {}

    def memory(self) -> list[tuple[ca.SX, ca.SX]]:
        """Symbols of what conditions were before, and what they are now."""
        return [(symbol, self.value(number)) for number, symbol in self._before.items()]

    def value(self, number: int, *, literal: bool = False) -> ca.SX:
        """Whether a condition holds."""
        node = self._list[number]["node"]
        if node == "always":
            return ca.SX(1)
        if node == "initial":
            return self.initial
        ((kind, body),) = node.items()
        if kind == "clock":
            tick: ca.SX = self.clocks[body].tick
            return tick
        if kind == "any_rise":
            return ca.logic_or(self.rise(body["lhs"]), self.rise(body["rhs"]))
        if kind == "not":
            return ca.logic_not(self.value(body, literal=literal))
        if kind in ("and", "or"):
            left, right = (self.value(body[side], literal=literal) for side in ("lhs", "rhs"))
            return ca.logic_and(left, right) if kind == "and" else ca.logic_or(left, right)
        if kind == "relation":
            body = self.dae.storage["relations"][body]["relation"]["expression"]
        elif kind != "discrete":
            self.dae.refuse(find_span(self._list[number]), f"'{kind}' conditions are not supported")
        evaluate = self.dae.literally if literal else self.dae.expression
        return evaluate(body).data

    def rise(self, number: int) -> ca.SX:
        """Whether a condition has become true just now.

        During initialization only ``initial()`` does: what holds from the start has not become so.
        """
        node = self._list[number]["node"]
        if isinstance(node, Mapping) and "any_rise" in node:
            return self.value(number)
        now, running = self.value(number), ca.logic_not(self.initial)
        if isinstance(node, Mapping) and "clock" in node:
            return now
        if number not in self._before:
            self._before[number] = ca.SX.sym(f"condition{number}")
        risen = ca.logic_and(now, ca.logic_not(self._before[number]))
        return risen if node == "initial" else ca.logic_and(risen, running)

    def acts(self, trigger: int, guard: int) -> ca.SX:
        """Whether a branch of a when clause acts: it rises, none before it does, and its if."""
        if not self._earlier:
            self._find_clauses()
        result = self.rise(trigger)
        for other in self._earlier.get(trigger, ()):
            result = ca.logic_and(result, ca.logic_not(self.rise(other)))
        if guard != trigger:
            result = ca.logic_and(result, self.value(guard, literal=True))
        return result

    def _find_clauses(self) -> None:
        """Which triggers stand before which in the same clause."""
        clauses: dict[tuple[int, int], list[int]] = {}
        for number in self._triggers():
            span = find_span(self._list[number])
            place = _place(self.dae.source_text(span), span)
            if place is None:
                continue
            first, rank = place
            key = (span["source"], first)
            # The same clause of another component starts again.
            earlier = clauses.get(key, []) if rank > 0 else []
            self._earlier[number] = list(earlier)
            clauses[key] = [*earlier, number]

    def _triggers(self) -> list[int]:
        storage = self.dae.storage
        activations = [entry["activation"] for entry in storage["discrete_real_equations"]]
        for owner in storage["discrete_value_owners"]:
            activations += [branch["activation"] for branch in owner["branches"]]
        numbers = {a["when"]["trigger"] for a in activations if a != "always"}
        return sorted(numbers | {entry["trigger"] for entry in storage["event_actions"]})


def _clock(dae: CompiledDae, number: int, raw: Mapping[str, Any]) -> Clock:
    periodic = raw["kind"].get("periodic")
    if periodic is None or periodic["anchor"] != "absolute":
        dae.refuse(find_span(raw), "only sample(start, interval) is supported as a clock")
    lattice = periodic["lattice"]
    phase, period = (
        float(Fraction(lattice[key]["num"], lattice[key]["den"])) for key in ("phase", "period")
    )
    if period <= 0.0:
        dae.refuse(find_span(raw), "the interval of sample(...) must be positive")
    count, tick = ca.SX.sym(f"ticks{number}"), ca.SX.sym(f"tick{number}")
    return Clock(count, tick, phase + count * period, phase, period)


def _place(text: str, span: Span) -> tuple[int, int] | None:
    """Where the when clause around a place begins, and which of its branches it is."""
    characters = len(text.encode()[: span["start"]].decode(errors="replace"))
    code = blank(text)[:characters]
    open_at, rank = None, 0
    for match in _CLAUSE.finditer(code):
        word = match.group().split()[0]
        if word == "when":
            open_at, rank = match.start(), 0
        elif word == "elsewhen":
            rank += 1
        else:
            open_at = None
    return None if open_at is None else (open_at, rank)


def discrete_values(
    dae: CompiledDae, conditions: Conditions, before: Mapping[int, Value]
) -> dict[int, list[ca.SX]]:
    """Values of the discrete variables at an event, by the variables' index.

    Parameters
    ----------
    before : mapping of int to Value
        The variables' values before the event.
    """
    result = {index: list(value.entries()) for index, value in before.items()}
    for owner in dae.storage["discrete_value_owners"]:
        structure = owner["structure"]
        if structure is not None and structure["scalar_view"] != "RowMajorProjection":
            dae.refuse(find_span(owner), "write these Booleans or Integers one by one")
        for branch in reversed(owner["branches"]):
            for target, entry in zip(owner["targets"], branch["values"], strict=True):
                _set(dae, conditions, result, target, entry["value"], branch["activation"])
    for equation in reversed(dae.storage["discrete_real_equations"]):
        _set_reals(dae, conditions, result, equation)
    return result


def _set(
    dae: CompiledDae,
    conditions: Conditions,
    result: dict[int, list[ca.SX]],
    target: int,
    node: int,
    activation: Any,
) -> None:
    value = dae.expression(node) if activation == "always" else dae.literally(node)
    entries = value.broadcast(dae.variables[target].shape).entries()
    result[target] = _chosen(conditions, activation, entries, result[target])


def _chosen(
    conditions: Conditions, activation: Any, new: Sequence[ca.SX], old: Sequence[ca.SX]
) -> list[ca.SX]:
    if activation == "always":
        return list(new)
    acts = conditions.acts(activation["when"]["trigger"], activation["when"]["guard"])
    return [ca.if_else(acts, a, b) for a, b in zip(new, old, strict=True)]


def _set_reals(
    dae: CompiledDae,
    conditions: Conditions,
    result: dict[int, list[ca.SX]],
    equation: Mapping[str, Any],
) -> None:
    """``variable = expression``, as rumoca writes it: variable - expression."""
    node, activation = equation["residual"], equation["activation"]
    kind, body = dae.node(node)
    if kind != "binary" or body["operator"] not in ("subtract", "elementwise_subtract"):
        dae.refuse(dae.span_of(node), "write 'variable = expression' for what changes at events")
    evaluate = dae.expression if activation == "always" else dae.literally
    sides = [evaluate(body["lhs"]), evaluate(body["rhs"])]
    places = _places(dae, sides[0])
    if places is None:
        sides.reverse()
        places = _places(dae, sides[0])
    if places is None:
        dae.refuse(dae.span_of(node), "write 'variable = expression' for what changes at events")
    new = sides[1].broadcast(sides[0].shape).entries()
    old = [result[index][k] for index, k in places]
    chosen = _chosen(conditions, activation, new, old)
    for (index, k), value in zip(places, chosen, strict=True):
        result[index][k] = value


def _places(dae: CompiledDae, value: Value) -> list[tuple[int, int]] | None:
    """Which entries of discrete variables a value consists of; ``None`` if of something else."""
    known = {
        entry.element_hash(): (variable.index, k)
        for variable in dae.with_role("discrete_real")
        for k, entry in enumerate(dae.value("discrete_real", variable).entries())
    }
    places = [known.get(e.element_hash()) if e.is_symbolic() else None for e in value.entries()]
    return None if None in places else [place for place in places if place is not None]


def reset_variables(dae: CompiledDae) -> set[int]:
    """Indices of the variables to which ``reinit`` gives new values."""
    kinds = (entry["kind"] for entry in dae.storage["event_actions"])
    actions = (kind["reinitialize"] for kind in kinds if "reinitialize" in kind)
    return {action["state"] for action in actions}


def reinitialized(dae: CompiledDae, conditions: Conditions) -> dict[int, list[ca.SX]]:
    """States after ``reinit``, by the variables' index."""
    result: dict[int, list[ca.SX]] = {}
    # Of the branches of a clause the first that acts wins.
    for entry in reversed(dae.storage["event_actions"]):
        what = entry["kind"].get("reinitialize")
        if what is None:
            continue
        variable = dae.variables[what["state"]]
        old = result.get(variable.index) or dae.value("state", variable).entries()
        new = dae.literally(what["value"]).broadcast(variable.shape).entries()
        acts = conditions.acts(entry["trigger"], entry["guard"])
        result[variable.index] = [ca.if_else(acts, a, b) for a, b in zip(new, old, strict=True)]
    return result


def actions(dae: CompiledDae, conditions: Conditions) -> tuple[list[DueAction], list[DueAction]]:
    """Terminations and assertions inside when clauses, and assertions that must always hold."""
    at_events: list[DueAction] = []
    always: list[DueAction] = []
    for entry in dae.storage["event_actions"]:
        ((kind, body),) = entry["kind"].items()
        if kind == "reinitialize":
            continue
        if kind not in ("terminate", "assert", "warning"):
            dae.refuse(find_span(entry), f"'{kind}' is not supported")
        trigger, guard = entry["trigger"], entry["guard"]
        in_when = dae.storage["conditions"][trigger]["node"] != "always"
        due = conditions.acts(trigger, guard) if in_when else conditions.value(guard, literal=True)
        if kind == "warning":  # its condition is not part of the guard
            violated = ca.logic_not(dae.literally(body["condition"]).data)
            due = ca.logic_and(due, violated)
        name = {"assert": "error"}.get(kind, kind)
        action = Action(name, _message(dae, body["message"]))
        (at_events if in_when else always).append(DueAction(action, due))
    for holds, message in dae.asserted:
        action = Action("error", _message(dae, message))
        always.append(DueAction(action, ca.logic_not(holds)))
    return at_events, always


def _message(dae: CompiledDae, number: int) -> str:
    """Text of a message; a value in it is shown as it is written in the source."""
    kind, body = dae.node(number)
    if kind == "literal":
        return str(next(iter(body.values())))
    if kind == "binary":
        return _message(dae, body["lhs"]) + _message(dae, body["rhs"])
    if kind == "string_conversion":
        return f"<{dae.text_of(dae.span_of(body['value'])).strip()}>"
    return f"<{dae.text_of(dae.span_of(number)).strip()}>"


def starts(dae: CompiledDae) -> dict[int, Value]:
    """Start values of discrete variables that initial equations give."""
    return {
        entry["target"]: dae.literally(entry["value"])
        for entry in dae.storage["initial_discrete_values"]
    }


def names_in_samples(dae: CompiledDae) -> set[str]:
    """Names that stand in sample(...): the compiler has put their values in already."""
    texts = [dae.text_of(find_span(clock)) for clock in dae.storage["clocks"]]
    return {name for text in texts for name in re.findall(r"[A-Za-z_]\w*", text)}


def discrete_variables(dae: CompiledDae) -> list[DaeVariable]:
    """Variables that change at events only, in the order of their declaration."""
    return dae.with_role("discrete_real", "discrete_value")
