"""What can be said of internal dynamics before a solution is used: kind, eigenvalues, problems."""

from __future__ import annotations

from dataclasses import replace

from cranebridge.errors import CranebridgeError
from cranebridge.inverse.checking import StructureCheck
from cranebridge.inverse.internal import (
    Classification,
    classified,
    internal_dynamics,
    solve_inversion,
)
from cranebridge.inverse.problem import ServoProblem
from cranebridge.twin.language import names


def check_internal(
    found: StructureCheck,
    problem: ServoProblem,
    method: str,
    step: float,
    before: float | None = None,
    after: float | None = None,
) -> StructureCheck:
    """Add what is known of the internal dynamics to a check.

    Their kind is reported for every method. What makes them unsolvable is a problem of the method
    inversion, what makes them diverge one of the others. The solution of inversion is part of the
    check, so that limits can be judged.

    Parameters
    ----------
    found : StructureCheck
        What is known so far.
    problem : ServoProblem
        Crane, path and parameters.
    method : str
        How it shall be solved.
    step, before, after : float
        See `solve_inversion`.
    """
    determined = found.structure.controls_determined
    wanted = method == "inversion" or (determined and method == "index1")
    problems = list(found.problems)
    internal: Classification | None = None
    if not found.structure.flat and not problems:
        try:
            internal = classified(internal_dynamics(problem))
        except CranebridgeError as error:
            problems += [str(error)] if wanted else []
    if internal is not None and not (wanted or determined) and len(internal.start.unstable):
        problems.append(
            f"{internal.meaning} (eigenvalues {internal.start.text}); the method {method} "
            "integrates from rest and would diverge; use inversion"
        )
    if not wanted or problems:
        return replace(found, internal=internal, problems=problems)
    try:
        solution = solve_inversion(problem, step, before, after)
    except CranebridgeError as error:
        return replace(found, internal=internal, problems=[*problems, str(error)], solution=None)
    start = internal_dynamics(problem).rest.x[0]
    coordinates = names(problem.crane.coordinates)
    return replace(
        found,
        internal=internal,
        solution=solution,
        static_start=True,
        initial=dict(zip(coordinates, start[: len(coordinates)].tolist(), strict=True)),
    )
