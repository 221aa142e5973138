"""C code of a plant's events and nonlinear loops: CasADi's functions and tables for the runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca

from cranebridge.frontend import Action, Events, Loops, PlantModel
from cranebridge.plant.export.c_text import c_string, function_entry

EVENT_ROLES = ("event_start", "event_update", "event_indicators", "event_times", "event_checks")
LOOP_ROLES = ("loop_residual", "loop_jacobian", "loop_start")
_KINDS = {
    "terminate": "CB_TERMINATE",
    "error": "CB_FAIL",
    "warning": "CB_WARN",
    "singular": "CB_SINGULAR",
}


def event_functions(model: PlantModel, prefix: str) -> dict[str, ca.Function]:
    """Functions of a plant's events by role, with names for C; empty for a plant without events."""
    events = model.events
    if events is None:
        return {}
    parts = (events.start, events.update, events.indicators, events.times, events.checks)
    return {
        role: _renamed(function, f"{prefix}_{role}")
        for role, function in zip(EVENT_ROLES, parts, strict=True)
    }


def loop_functions(model: PlantModel, prefix: str) -> dict[str, ca.Function]:
    """Functions of a plant's nonlinear loops by role; empty for a plant without them."""
    loops = model.loops
    if loops is None:
        return {}
    parts = (loops.residual, loops.jacobian, loops.start)
    return {
        role: _renamed(function, f"{prefix}_{role}")
        for role, function in zip(LOOP_ROLES, parts, strict=True)
    }


def loop_tables(loops: Loops, functions: Mapping[str, ca.Function]) -> str:
    """C tables that tell the runtime about the loops."""
    names = "".join(f"    {c_string(name)},\n" for name in loops.names)
    sizes = ", ".join(repr(float(size)) for size in loops.nominal)
    return (
        f"static const char *const LOOP_NAMES[] = {{\n{names}}};\n\n"
        f"static const double LOOP_NOMINAL[] = {{{sizes}}};\n\n"
        "static const CbLoops cb_loops = {\n"
        "    .names = LOOP_NAMES, .nominal = LOOP_NOMINAL,\n"
        f"    .advice = {c_string(loops.advice)},\n"
        + "".join(
            function_entry(role.removeprefix("loop_"), functions[role]) for role in LOOP_ROLES
        )
        + "};\n\n"
    )


def _renamed(function: ca.Function, name: str) -> ca.Function:
    arguments = function.sx_in()
    results = [ca.densify(result) for result in function.call(arguments)]
    return ca.Function(name, arguments, ca.cse(results))


def event_tables(events: Events, functions: Mapping[str, ca.Function]) -> str:
    """C tables that tell the runtime about the events."""
    after = ", ".join(str(int(flag)) for flag in events.after)
    names = "".join(f"    {c_string(name)},\n" for name in events.memory)
    return (
        (f"static const unsigned char AFTER[] = {{{after}}};\n\n" if events.after else "")
        + (f"static const char *const MEMORY[] = {{\n{names}}};\n\n" if events.memory else "")
        + _actions("ACTIONS", events.actions)
        + _actions("ASSERTIONS", events.assertions)
        + "static const CbEvents cb_events = {\n"
        f"    .nz = {events.indicators.numel_out(0)}, .nt = {len(events.after)}, "
        f".n_actions = {len(events.actions)}, .n_assertions = {len(events.assertions)},\n"
        f"    .after = {'AFTER' if events.after else 'NULL'},\n"
        f"    .memory = {'MEMORY' if events.memory else 'NULL'},\n"
        f"    .actions = {'ACTIONS' if events.actions else 'NULL'},\n"
        f"    .assertions = {'ASSERTIONS' if events.assertions else 'NULL'},\n"
        + "".join(
            function_entry(role.removeprefix("event_"), functions[role]) for role in EVENT_ROLES
        )
        + "};\n\n"
    )


def _actions(name: str, actions: Sequence[Action]) -> str:
    if not actions:
        return ""
    rows = "".join(f"    {{{_KINDS[a.kind]}, {c_string(a.message)}}},\n" for a in actions)
    return f"static const CbAction {name}[] = {{\n{rows}}};\n\n"
