"""Delivery as C code that plans and solves on line: for any start, goal and duration.

The equations are the index-1 stages of the crane (:mod:`cranebridge.inverse.extension.stages`), the
path is of the scenario's kind and profile, with the ramps in the same proportion to the duration.
Nothing is allocated, Newton's iterations are bounded, and at any failure the last valid output
stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import casadi as ca
import numpy as np

from cranebridge.emit import Precision, emit_function, enumerators, filled, identifier, literal
from cranebridge.errors import InputError
from cranebridge.inverse import ServoProblem, signals
from cranebridge.inverse.extension import Stages
from cranebridge.inverse.index1 import point_solver, require_smoothness, start_solution
from cranebridge.limits import ROPE_ZERO, Limits
from cranebridge.online.continuation import control_weights, stop_weights
from cranebridge.online.status import STATUSES, group_names, limit_statuses
from cranebridge.path import (
    Profile,
    common_profile,
    coordinate_names,
    end_points,
    outputs_function,
    own_coordinates_function,
)
from cranebridge.twin.language import Crane, Quantity, names, require_no_motions

_TEMPLATES = Path(__file__).with_name("templates")

# Newton converges quadratically, from the tangent at the last time as a rule in two sweeps.
SWEEPS = 12
CHECKS = 64
TOLERANCE: dict[Precision, float] = {"double": 1e-11, "single": 2e-5}
PIVOT: dict[Precision, float] = {"double": 1e-13, "single": 1e-7}

# How a plan is judged; the header that is written says what they mean.
LOOKS = 2048
FINEST: dict[Precision, int] = {"double": CHECKS * 256, "single": CHECKS * 16}
SLACK: dict[Precision, float] = {"double": 1e-9, "single": 1e-4}
NOISE: dict[Precision, float] = {"double": 1e-12, "single": 5e-6}
HERE: dict[Precision, float] = {"double": 1e-6, "single": 1e-4}
HIDDEN = 256.0

# How a shortest duration is searched for: from 8 ms to 512 s, each longer by a factor of the fourth
# root of two. Seven halvings of the last step leave 1.5e-3 of the duration.
SHORTEST = 2.0**-7
LONGER = 2.0**0.25
DURATIONS = 65
HALVINGS = 7
ROUGH_HALVINGS = 1
BUDGET = 32768
# How long the present motion may fade, of the shortest time to stop, besides the whole duration.
SLOWER = (2.0, 1.4, 1.1)
ROUGH: dict[Precision, float] = {"double": 1e-6, "single": 1e-3}


def generator_sources(
    problem: ServoProblem, limits: Limits, stem: str, precision: Precision
) -> tuple[str, str]:
    """Return header and source of the on-line generator of a flat crane.

    Parameters
    ----------
    problem : ServoProblem
        Crane, parameters, kind and profile of the path; its start is where Newton begins.
    limits : Limits
        Limits that every plan must keep.
    stem : str
        File name without suffix; all names in C begin with it.
    precision : {"double", "single"}
        Floating-point type.
    """
    require_no_motions(problem.crane, "the on-line generator", "deliver a table, such as csv")
    solver = point_solver(problem)
    stages = solver.stages
    require_smoothness(problem, stages.structure)
    prefix = identifier(stem)
    values = _names(problem) | _profile(common_profile(problem.path), precision)
    values |= _defaults(problem, limits, start_solution(problem, solver), precision)
    values |= _sizes(problem, stages) | _judging(prefix, precision)
    values |= _searching(stages, precision)
    values |= {
        "GENERATOR_HEADER": f'"{stem}.h"',
        "GENERATOR_GUARD": f"{prefix.upper()}_H",
        "TYPE": "double" if precision == "double" else "float",
        "ORDER": str(stages.path_order),
        "SWEEPS": str(SWEEPS),
        "CHECKS": str(CHECKS),
        "TOLERANCE": literal(TOLERANCE[precision], precision),
        "PIVOT": literal(PIVOT[precision], precision),
        "LARGEST": literal(_largest(precision), precision),
        "FABS": "fabs" if precision == "double" else "fabsf",
        "ZERO": literal(0.0, precision),
        "ONE": literal(1.0, precision),
        "FUNCTIONS": "\n".join(
            emit_function(function, function.name(), precision, "real")
            for function in (
                own_coordinates_function(problem.path, stages.path_order),
                outputs_function(problem.path, stages.path_order),
                *_parts(stages),
                derived_function(stages),
            )
        ),
    }
    header, source = (
        filled(_TEMPLATES / name, values, {"generator": prefix})
        for name in ("generator.h", "generator.c")
    )
    return header, source


def _judging(prefix: str, precision: Precision) -> dict[str, str]:
    """Return how a plan is judged, and what is answered."""
    groups, known = group_names(), limit_statuses()
    members = [f"    case {name}: return signals->{group};" for group, name in groups.items()]
    members[-1] = f"    default: return signals->{list(groups)[-1]};"
    numbers = {
        "SLACK": SLACK[precision],
        "ROPE_SLACK": max(ROPE_ZERO, SLACK[precision]),
        "NOISE": NOISE[precision],
        "HIDDEN": HIDDEN,
        "HERE": HERE[precision],
        "FINEST": float(FINEST[precision]),
        "FIVE": 5.0,
        "EIGHT": 8.0,
        "TWELVE": 12.0,
    }
    return {
        "GENERATOR_STATUSES": enumerators(prefix, STATUSES),
        "GROUP_NAMES": ",\n    ".join(groups.values()),
        "GROUP_MEMBERS": "\n".join(members),
        "GROUP_STATUS": ", ".join(f"{prefix}_{s.name}" for s in known.values()),
        "QUICK": ", ".join(groups[group] for group, s in known.items() if s.quick),
        "LOOKS": str(LOOKS),
        "BOUND": f"{_largest(precision):.3g}",
    } | {name: literal(value, precision) for name, value in numbers.items()}


def _searching(stages: Stages, precision: Precision) -> dict[str, str]:
    """Return how durations are searched for, and the polynomials that continue a motion."""
    smooth = max(stages.structure.path_derivatives.values())
    rows = (_array([float(x) for x in row], precision) for row in control_weights(smooth))
    return {
        "SMOOTH": str(smooth),
        "ZSMOOTH": str(max(smooth, 1)),
        "CONTROL_WEIGHTS": ",\n".join(f"    {row}" for row in rows),
        "STOP_WEIGHTS": _array([float(x) for x in stop_weights(smooth)], precision),
        "SHORTEST": literal(SHORTEST, precision),
        "LONGER": literal(LONGER, precision),
        "FIRST_TRIED": f"{SHORTEST:.2g}",
        "STEP_TRIED": f"{LONGER:.3g}",
        "DURATIONS": str(DURATIONS),
        "HALVINGS": str(HALVINGS),
        "ROUGH_HALVINGS": str(ROUGH_HALVINGS),
        "BUDGET": str(BUDGET),
        "FADES": str(1 + len(SLOWER)),
        "SLOWER": _array(SLOWER, precision),
        "ROUGH": literal(ROUGH[precision], precision),
    }


def derived_function(stages: Stages) -> ca.Function:
    """Build rates of rope forces, power of the drives and its rate from motion and rates."""
    model, part = stages.structure.model, stages.layout
    motion = ca.SX.sym("motion", stages.finish.numel_out(0))
    rates = ca.SX.sym("rates", stages.finish.numel_out(2))
    power = (model.input_matrix.T @ model.v) * model.u
    state = ca.vertcat(model.q, model.v, model.a, model.lam, model.u)
    moving = ca.vertcat(
        motion[part["v"]],
        motion[part["a"]],
        rates[part["jerk"]],
        rates[part["lambda_rate"]],
        rates[part["u_rate"]],
    )
    now = ca.vertcat(*(motion[part[name]] for name in ("q", "v", "a", "lambda", "u")))
    found = [ca.jtimes(model.ropes, state, moving), power, ca.jtimes(power, state, moving)]
    found = [ca.densify(ca.substitute(expression, state, now)) for expression in found]
    names_out = ["rope_rate", "power", "power_rate"]
    return ca.Function(
        "derived", [motion, rates, model.p], ca.cse(found), ["motion", "rates", "p"], names_out
    )


def _parts(stages: Stages) -> list[ca.Function]:
    """Return sweep, finish and jacobians with dense arguments; finish also gives the rates of w."""
    sweep = stages.sweep
    w, p = ca.SX.sym("w", sweep.size1_in(0)), ca.SX.sym("p", sweep.size1_in(2))
    rows, columns = sweep.size_in(1)
    flat = ca.SX.sym("gammas", rows * columns)
    gammas = ca.reshape(flat, rows, columns)
    new, step = sweep(w, gammas, p)
    motion, ropes, rates, jacobians = stages.finish(w, gammas, p)
    rest = {
        "sweep": {"w_new": new, "step": step},
        "finish": {
            "motion": motion,
            "ropes": ropes,
            "rates": rates,
            "w_rate": _guess_rates(stages, motion, rates),
        },
        "jacobians": {"entries": jacobians},
    }
    return [
        ca.Function(
            name,
            [w, flat, p],
            ca.cse([ca.densify(output) for output in outputs.values()]),
            ["w", "gammas", "p"],
            list(outputs),
        )
        for name, outputs in rest.items()
    ]


def _guess_rates(stages: Stages, motion: ca.SX, rates: ca.SX) -> ca.SX:
    """Return the time derivatives of Newton's unknowns, zero where they are not at hand."""
    part = stages.layout
    n = part["q"].stop - part["q"].start
    m = part["lambda"].stop - part["lambda"].start
    coordinates = (motion[part["v"]], motion[part["a"]], rates[part["jerk"]])
    algebraic = ca.vertcat(rates[part["lambda_rate"]], rates[part["u_rate"]])
    found = []
    for j, order in stages.guess:
        if j < n and order < len(coordinates):
            found.append(coordinates[order][j])
        elif j >= n and order == 0 and j < n + m + algebraic.numel():
            found.append(algebraic[j - n])
        else:
            found.append(ca.SX(0))
    return ca.vertcat(*found) if found else ca.SX(0, 1)


def _names(problem: ServoProblem) -> dict[str, str]:
    crane = problem.crane
    path = (
        f"{name} [{unit or output.unit}]"
        for (name, unit), output in zip(coordinate_names(problem.path), crane.outputs, strict=True)
    )
    return {
        "OUTPUT_NAMES": _list(crane.outputs),
        "COORDINATE_NAMES": _list(crane.coordinates),
        "INPUT_NAMES": _list(crane.inputs),
        "INPUT_UNITS": ", ".join(f"{u.name} [{u.unit}]" for u in crane.inputs),
        "MULTIPLIER_NAMES": _list(crane.multipliers),
        "ROPE_NAMES": _list(crane.ropes),
        "PARAMETER_NAMES": _list(crane.parameters),
        "PATH_NAMES": ", ".join(path),
    }


def _list(quantities: Sequence[Quantity]) -> str:
    return " ".join(names(quantities)) or "none"


def _sizes(problem: ServoProblem, stages: Stages) -> dict[str, str]:
    """Return the numbers N of signals, and the sizes Z of their arrays, which C wants positive."""
    crane = problem.crane
    blocks = [len(block.variables) for block in stages.watched]
    counts = {
        "Y": len(crane.outputs),
        "Q": len(crane.coordinates),
        "U": len(crane.inputs),
        "L": len(crane.multipliers),
        "R": len(crane.ropes),
        "P": len(crane.parameters),
        "W": len(stages.guess),
    }
    numbers = {f"N{key}": str(count) for key, count in counts.items()}
    sizes = {f"Z{key}": str(max(count, 1)) for key, count in counts.items()}
    return {
        **numbers,
        **sizes,
        "MOTION": str(stages.finish.numel_out(0)),
        "RATES": str(stages.finish.numel_out(2)),
        "BLOCKS": str(len(blocks)),
        "BLOCK_SIZES": "{" + ", ".join(map(str, blocks)) + "}",
        "ENTRIES": str(sum(size * size for size in blocks)),
    }


def _defaults(
    problem: ServoProblem, limits: Limits, w: np.ndarray, precision: Precision
) -> dict[str, str]:
    start, _ = end_points(problem.path)
    least, most = _bounds(problem.crane, limits, _largest(precision))
    return {
        "DEFAULT_P": _array(problem.parameter_vector, precision),
        "GROUP_SIZES": ", ".join(str(len(row)) for row in least),
        "DEFAULT_LEAST": _rows(least, precision),
        "DEFAULT_MOST": _rows(most, precision),
        "DEFAULT_START": _array(start, precision),
        "DEFAULT_W": _array(w, precision),
    }


def _bounds(
    crane: Crane, limits: Limits, largest: float
) -> tuple[list[list[float]], list[list[float]]]:
    """Return least and most values of all signals, group after group, `largest` for no limit."""
    known = signals(crane).values()
    sizes = {group: sum(s.group == group for s in known) for group in limit_statuses()}
    least = {group: [-largest] * size for group, size in sizes.items()}
    most = {group: [largest] * size for group, size in sizes.items()}
    for signal, bound in limits.in_force(crane):
        if signal.group not in sizes:
            raise InputError(
                f"the on-line generator does not judge limits.{signal.group}; leave it out, or "
                "deliver a motion that was judged before, such as --to c"
            )
        least[signal.group][signal.position] = max(bound.least, -largest)
        most[signal.group][signal.position] = min(bound.most, largest)
    return list(least.values()), list(most.values())


def _rows(rows: Sequence[Sequence[float]], precision: Precision) -> str:
    """Write the initialiser of a struct of arrays."""
    return "{\n    " + ",\n    ".join(_array(row, precision) for row in rows) + "\n}"


def _profile(profile: Profile, precision: Precision) -> dict[str, str]:
    """Return the profile's expansions, over normalised time."""
    segments = profile.segments
    # In units of the piece's length, so that single precision keeps its range
    series = [segment.coefficients(0) for segment in segments]
    degree = max(len(row) for row in series) - 1
    rows = (row + [0.0] * (degree + 1 - len(row)) for row in series)
    return {
        "PIECES": str(len(profile.pieces)),
        "KNOTS": _array([0.0, *(float(piece.end) for piece in profile.pieces)], precision),
        "SEGMENTS": str(len(segments)),
        "DEGREE": str(degree),
        "UNTIL": _array([segment.until for segment in segments], precision),
        "ANCHOR": _array([segment.anchor for segment in segments], precision),
        "LENGTH": _array([segment.length for segment in segments], precision),
        "SERIES": ",\n".join("    " + _array(row, precision) for row in rows),
    }


def _largest(precision: Precision) -> float:
    return float(np.finfo(np.float32 if precision == "single" else np.float64).max)


def _array(values: Sequence[float] | np.ndarray, precision: Precision) -> str:
    """Write an initialiser; an empty one has one zero, as C wants."""
    words = [literal(float(value), precision) for value in values] or [literal(0.0, precision)]
    return "{" + ", ".join(words) + "}"
