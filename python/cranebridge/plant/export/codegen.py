"""C code of a plant: CasADi's functions (equations.c) and the tables that describe it (model.c).

The runtime needs of a plant

    der(x) = f(t, x, u, p),    y = g(t, x, u, p),    x(0) = x0(p)

the functions f, g and x0, the Jacobian df/dx for the implicit integrator, and products of the
complete Jacobian with a vector from the right (directional derivatives) and from the left
(adjoint derivatives). Products cost a small multiple of f whatever the number of variables, so no
other Jacobian is generated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import casadi as ca

from cranebridge.errors import InputError, unknown
from cranebridge.frontend import Loops, PlantModel, Variable
from cranebridge.frontend.reduce import implicit
from cranebridge.plant.export.c_text import c_string, function_entry
from cranebridge.plant.export.codegen_events import (
    EVENT_ROLES,
    LOOP_ROLES,
    event_functions,
    event_tables,
    loop_functions,
    loop_tables,
)

METHODS = {"dopri5": 1, "rodas4": 2}
"""Values of the enumeration ``integrator.method``."""

_ROLES = (
    "rhs",
    "outputs",
    "initial",
    "jacobian",
    "forward",
    "adjoint",
    "initial_forward",
    "initial_adjoint",
)

_ADJOINT_ROLES = ("adjoint", "initial_adjoint")  # FMI 3 only

_LARGE_JACOBIAN = 10_000
"""Scalar operations above which the Jacobian is computed column by column."""


@dataclass(frozen=True)
class PlantFunctions:
    """The functions of a plant that the runtime calls, by role, expanded where CasADi can."""

    functions: Mapping[str, ca.Function]
    state_start: tuple[float, ...]
    calculated: tuple[bool, ...]

    def __getitem__(self, role: str) -> ca.Function:
        return self.functions[role]


def identifier(name: str) -> str:
    """Make a C identifier of a Modelica class name (``Cranes.RotaryCrane`` -> ``RotaryCrane``)."""
    last = re.sub(r"\W", "_", name.rsplit(".", 1)[-1], flags=re.ASCII)
    return last if re.match(r"[A-Za-z_]", last) else f"M{last}"


def check_model(model: PlantModel) -> None:
    """Refuse a model whose functions do not fit its variables or whose start values are wrong."""
    sizes = {
        "x": len(model.states),
        "u": len(model.inputs),
        "p": len(model.parameters) + model.memory,
    }
    for label, function, expected in (
        ("rhs", model.rhs, len(model.states)),
        ("outputs_function", model.outputs_function, len(model.shown)),
        ("initial", model.initial, len(model.states)),
    ):
        if function.numel_out(0) != expected:
            raise InputError(
                f"{model.name}: {label} gives {function.numel_out(0)} values, "
                f"the model has {expected} variables for them."
            )
    for function in (model.rhs, model.outputs_function):
        for i, size in enumerate(sizes.values(), start=1):
            if function.numel_in(i) != size:
                raise InputError(
                    f"{model.name}: argument {function.name_in(i)} of {function.name()} has "
                    f"{function.numel_in(i)} elements, the model {size} variables."
                )
    if model.algorithm is not None and model.states:
        raise InputError(f"{model.name}: a model with an algorithm cannot have states.")
    _check_names(model)
    for variable in (*model.states, *model.inputs, *model.parameters):
        if not math.isfinite(variable.start):
            raise InputError(f"{model.name}: the start value of {variable.name} is not finite.")


def _check_names(model: PlantModel) -> None:
    """Names must be unique; an output may have the name of the state that it shows."""
    seen: set[str] = {"time"}
    state_names = {state.name for state in model.states}
    outputs = [output for output in model.shown if output.name not in state_names]
    for variable in (*model.states, *model.inputs, *outputs, *model.parameters):
        if variable.name in seen:
            raise InputError(f"{model.name}: two variables have the name '{variable.name}'.")
        seen.add(variable.name)


def with_parameters(model: PlantModel, values: Mapping[str, float]) -> PlantModel:
    """Give parameters other default values.

    Parameters
    ----------
    model : PlantModel
        The model.
    values : mapping of str to float
        New default values by parameter name.
    """
    names = [parameter.name for parameter in model.parameters]
    for name, value in values.items():
        if name not in names:
            raise unknown("parameter", name, names)
        parameter = model.parameters[names.index(name)]
        low = -math.inf if parameter.min is None else parameter.min
        high = math.inf if parameter.max is None else parameter.max
        if not (math.isfinite(value) and low <= value <= high):
            raise InputError(
                f"parameter '{name}' = {value:g} is not between its min {low:g} and max {high:g}."
            )
    parameters = tuple(
        replace(parameter, start=float(values.get(parameter.name, parameter.start)))
        for parameter in model.parameters
    )
    return replace(model, parameters=parameters)


def _expand(function: ca.Function) -> ca.Function:
    """Scalar operations run several times faster; what CasADi cannot expand stays as it is."""
    try:
        return function.expand()
    except RuntimeError:
        return function


def _jacobian_by_columns(name: str, column: ca.Function) -> ca.Function:
    """Jacobian from one product a column: slower to run, but C compilers get through it."""
    arguments = [ca.MX.sym(column.name_in(i), column.size1_in(i)) for i in range(4)]
    identity = ca.DM.eye(column.size1_in(4))
    columns = [column(*arguments, identity[:, j]) for j in range(identity.size2())]
    return ca.Function(name, arguments, [ca.horzcat(*columns)])


def _differentiable(
    loops: Loops | None, functions: Sequence[ca.Function], arguments: Sequence[Any]
) -> tuple[Any, Any, Callable[..., list[Any]]]:
    """(der(x), y) and der(x) with the right derivatives, and what to do after differentiation."""
    if loops is None:
        values = [ca.densify(ca.vec(function(*arguments))) for function in functions]
        return ca.vertcat(*values), values[0], lambda *results: list(results)
    q, inner, inverse = implicit(loops, arguments)
    values = [ca.densify(ca.vec(function(*arguments[:-1], q))) for function in functions]
    return (
        ca.vertcat(*values),
        values[0],
        lambda *results: ca.substitute(list(results), [inner], [inverse]),
    )


def derive_equations(model: PlantModel) -> PlantFunctions:
    """Build every function that the runtime needs from the plant's f, g and x0."""
    f, g, x0 = (_expand(h) for h in (model.rhs, model.outputs_function, model.initial))
    # A function that calls another symbolically must be MX if any of them could not be expanded.
    symbol: Any = ca.SX if all(h.is_a("SXFunction") for h in (f, g, x0)) else ca.MX
    t, dt = symbol.sym("t"), symbol.sym("dt")
    x, u, p = (
        symbol.sym(name, size)
        for name, size in (
            ("x", len(model.states)),
            ("u", len(model.inputs)),
            ("p", len(model.parameters) + model.memory),
        )
    )
    y_bar = symbol.sym("y_bar", len(model.shown))
    dx, du, dp, f_bar = (symbol.sym(f"d{v}", v.numel()) for v in (x, u, p, x))
    rate, y = ca.densify(ca.vec(f(t, x, u, p))), ca.densify(ca.vec(g(t, x, u, p)))
    start = ca.densify(ca.vec(x0(p)))
    knowns, seeds = ca.vertcat(t, x, u, p), ca.vertcat(dt, dx, du, dp)
    both, moved, settle = _differentiable(model.loops, (f, g), [t, x, u, p])
    tangent = ca.densify(ca.jtimes(both, knowns, seeds))
    cotangent = ca.densify(ca.jtimes(both, knowns, ca.vertcat(f_bar, y_bar), True))
    ends = [0, 1, 1 + x.numel(), 1 + x.numel() + u.numel(), knowns.numel()]
    arguments = [t, x, u, p]
    slopes = ca.jacobian(moved, x)
    tangent, cotangent, slopes = settle(tangent, cotangent, slopes)
    parts: dict[str, tuple[list[Any], list[Any]]] = {
        "rhs": (arguments, [rate]),
        "outputs": (arguments, [y]),
        "initial": ([p], [start]),
        "jacobian": (arguments, [ca.densify(slopes)]),
        "forward": (
            [*arguments, dt, dx, du, dp],
            [tangent[: x.numel()], tangent[x.numel() :]],
        ),
        "adjoint": (
            [*arguments, f_bar, y_bar],
            [cotangent[a:b] for a, b in pairwise(ends)],
        ),
        "initial_forward": ([p, dp], [ca.densify(ca.jtimes(start, p, dp))]),
        "initial_adjoint": ([p, f_bar], [ca.densify(ca.jtimes(start, p, f_bar, True))]),
    }
    # A prefix of its own: a model may be called like something in the runtime.
    name = f"equations_{identifier(model.name)}"
    functions = {
        role: ca.Function(f"{name}_{role}", arguments, ca.cse(results))
        for role, (arguments, results) in parts.items()
    }
    if functions["jacobian"].n_instructions() > _LARGE_JACOBIAN:
        (product,) = settle(ca.jtimes(moved, x, dx))
        product = ca.cse(ca.densify(product))
        column = ca.Function(f"{name}_column", [*arguments, dx], [product])
        functions["jacobian"] = _jacobian_by_columns(f"{name}_jacobian", column)
    functions |= event_functions(model, name) | loop_functions(model, name)
    start = [parameter.start for parameter in model.parameters]
    values = functions["initial"]([*start, *(0.0 for _ in range(model.memory))])
    depends = functions["initial"].jac_sparsity(0, 0)
    rows = {int(row) for row in depends.row()}
    return PlantFunctions(
        functions=functions,
        state_start=tuple(float(value) for value in values.full().ravel()),
        calculated=tuple(i in rows for i in range(len(model.states))),
    )


def _roles(fmi: str) -> list[str]:
    """Functions that the runtime of an FMI version calls."""
    return [role for role in _ROLES if fmi == "3.0" or role not in _ADJOINT_ROLES]


def equations_source(model: PlantModel, equations: PlantFunctions, fmi: str) -> str:
    """C code of the functions, generated by CasADi."""
    options: dict[str, Any] = {
        "with_header": False,
        "with_export": False,
        "casadi_int": "long long int",
        "prefix": f"equations_{identifier(model.name)}",
    }
    generator = ca.CodeGenerator("equations", options)
    more = [role for role in (*EVENT_ROLES, *LOOP_ROLES) if role in equations.functions]
    for role in [*_roles(fmi), *more]:
        generator.add(equations[role])
    return str(generator.dump())


def _number(value: float) -> str:
    """C literal that gives exactly this value."""
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(float(value))


def _table(name: str, rows: Iterable[tuple[Variable, float, int]]) -> tuple[str, str]:
    """C array of CbVariable and the expression that points to it (C has no empty arrays)."""
    lines = []
    for variable, start, flags in rows:
        low = -math.inf if variable.min is None else variable.min
        high = math.inf if variable.max is None else variable.max
        nominal = abs(variable.nominal) if variable.nominal else 1.0
        numbers = ", ".join(_number(v) for v in (start, nominal, low, high))
        lines.append(f"    {{{c_string(variable.name)}, {numbers}, {flags}}},\n")
    if not lines:
        return "", "NULL"
    return f"static const CbVariable {name}[] = {{\n{''.join(lines)}}};\n\n", name


def _flags(variable: Variable) -> int:
    """Flags of an input, output or parameter, as in ``runtime/model.h``."""
    kinds = {"tunable": 1, "discrete": 4}
    types = {"boolean": 8, "integer": 16}
    return kinds.get(variable.variability, 0) | types.get(variable.type, 0)


def model_source(
    model: PlantModel, equations: PlantFunctions, fmi: str, token: str, solver: str
) -> str:
    """C code of the tables that tell the runtime about the plant."""
    calculated = (2 if flag else 0 for flag in equations.calculated)
    tables = {
        "x": _table("STATES", zip(model.states, equations.state_start, calculated, strict=True)),
        "u": _table("INPUTS", ((v, v.start, _flags(v)) for v in model.inputs)),
        "y": _table("OUTPUTS", ((v, v.start, _flags(v)) for v in model.shown)),
        "p": _table("PARAMETERS", ((v, v.start, _flags(v)) for v in model.parameters)),
    }
    own = model.algorithm is not None
    experiment = model.experiment
    return (
        "/* Generated by cranebridge: what the runtime must know about the plant. */\n\n"
        '#include "model.h"\n\n#include <math.h>\n\n'
        + ("static const CbAlgorithm cb_algorithm;\n\n" if own else "")
        + "".join(table for table, _ in tables.values())
        + (event_tables(model.events, equations.functions) if model.events else "")
        + (loop_tables(model.loops, equations.functions) if model.loops else "")
        + "static const CbModel cb_model = {\n"
        f"    .token = {c_string(token)},\n"
        f"    .start_time = {_number(experiment.start_time)},\n"
        f"    .stop_time = {_number(experiment.stop_time)},\n"
        f"    .tolerance = {_number(experiment.tolerance)},\n"
        f"    .method = {METHODS[solver]},\n"
        f"    .nx = {len(model.states)}, .nu = {len(model.inputs)}, "
        f".ny = {len(model.shown)}, .np = {len(model.parameters)}, "
        f".nm = {len(model.events.memory) if model.events else 0}, "
        f".nv = {len(model.loops.names) if model.loops else 0},\n"
        + "".join(f"    .{name} = {pointer},\n" for name, (_, pointer) in tables.items())
        + "".join(function_entry(role, equations[role]) for role in _roles(fmi))
        + ("    .algorithm = &cb_algorithm,\n" if own else "")
        + ("    .events = &cb_events,\n" if model.events else "")
        + ("    .loops = &cb_loops,\n" if model.loops else "")
        + "};\n"
    )


def config_source(model: PlantModel, fmi: str) -> str:
    """C header with the FMI version and, for static linking, the prefix of its functions."""
    version = fmi[0]
    return (
        "/* Generated by cranebridge. Shared libraries define FMI"
        f"{version}_OVERRIDE_FUNCTION_PREFIX: no prefix there. */\n\n"
        f"#define CB_FMI {version}\n"
        f"#define FMI{version}_FUNCTION_PREFIX {identifier(model.name)}_\n"
        + ("#define CB_ALGORITHM\n" if model.algorithm else "")
    )
