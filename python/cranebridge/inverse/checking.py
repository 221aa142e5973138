"""Everything that can be said of a servo problem before its solution is used.

The structure (index, derivatives, freedom), the smoothness of the path, and the numerical
counterpart along the path: rank and condition of the stages, the assumptions under which minimal
extension is proven to give index 3, the initial state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import CranebridgeError, StructureError
from cranebridge.inverse.extension import (
    Assumption,
    Structure,
    build_stages,
    check_assumptions,
    residuals,
)
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1 import (
    point_solver,
    require_rest_ends,
    require_smoothness,
    solve_index1,
    start_motion,
    structure_of,
    system_jacobians,
)
from cranebridge.inverse.problem import ServoProblem
from cranebridge.twin.language import names

if TYPE_CHECKING:
    from cranebridge.inverse.internal import Classification

Array = NDArray[np.float64]

CHECK_TIMES = 401
# A stated initial state may miss its equations by this much (m, m^2, N/m relative to their terms).
CONSISTENT = 1e-8


@dataclass(frozen=True)
class StageReport:
    """Rank and condition of one stage along the path."""

    stage: int
    size: int
    rank: int
    condition: float
    time: float

    def as_dict(self) -> dict[str, object]:
        """Return it for JSON."""
        return {
            "stage": self.stage,
            "size": self.size,
            "rank": self.rank,
            "condition": self.condition,
            "worst_time": self.time,
        }


@dataclass(frozen=True)
class StructureCheck:
    """The result of :func:`check`.

    Attributes
    ----------
    structure : Structure
        Index, offsets, derivatives, internal dynamics.
    smoothness : dict of str to float
        Continuity class of the path of each output.
    stages, assumptions : list
        Along the path; empty where `problems` stopped the check before.
    solution : Feedforward or None
        The exact solution along which they were looked at.
    static_start : bool or None
        Whether the initial state is an equilibrium.
    initial, initial_velocities : dict of str to float
        Coordinates and velocities of the initial state; velocities of a path that starts in motion.
    internal : Classification or None
        What kind of internal dynamics a crane has that is not flat, where that is known.
    problems : list of str
        What makes the problem unsolvable, a sentence each.
    """

    structure: Structure
    smoothness: dict[str, float]
    stages: list[StageReport] = field(default_factory=list)
    assumptions: list[Assumption] = field(default_factory=list)
    solution: Feedforward | None = None
    static_start: bool | None = None
    initial: dict[str, float] = field(default_factory=dict)
    initial_velocities: dict[str, float] = field(default_factory=dict)
    internal: Classification | None = None
    problems: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """Return the check for JSON."""
        structure = self.structure
        offsets = zip(structure.equations, structure.differentiations, strict=True)
        return {
            "structure": structure.as_dict(),
            "differentiations": dict(offsets),
            "smoothness": {
                name: None if np.isinf(order) else order for name, order in self.smoothness.items()
            },
            "stages": [stage.as_dict() for stage in self.stages],
            "assumptions": [assumption.as_dict() for assumption in self.assumptions],
            "initial_state": {
                "static": self.static_start,
                "coordinates": self.initial,
                **({"velocities": self.initial_velocities} if self.initial_velocities else {}),
            },
            **({} if self.internal is None else {"internal_dynamics": self.internal.as_dict()}),
            "problems": list(self.problems),
        }


def check(
    problem: ServoProblem, method: str = "index1", times: Array | None = None
) -> StructureCheck:
    """Check a servo problem; nothing is raised for what is wrong with it.

    Parameters
    ----------
    problem : ServoProblem
        Crane, path and parameters.
    method : str
        How it shall be solved: index 1 needs a flat crane.
    times : numpy.ndarray, optional
        Times of the exact solution that is looked at.
    """
    structure = structure_of(problem)
    smoothness = {name: float(problem.path.smoothness(name)) for name in problem.path.outputs}
    problems = _collect(lambda: require_smoothness(problem, structure))
    if not structure.flat:
        start_only = method != "inversion" or structure.controls_determined
        problems += _collect(lambda: require_rest_ends(problem, start_only))
        if method == "index1" and not structure.controls_determined:
            problems += _collect(lambda: build_stages(structure))
        return StructureCheck(structure, smoothness, problems=problems)
    if problems:
        return StructureCheck(structure, smoothness, problems=problems)
    problems = _collect(lambda: require_consistent(problem, structure))
    try:
        if times is None:
            times = np.linspace(0.0, problem.path.duration, CHECK_TIMES)
        solution = solve_index1(problem, times)
    except CranebridgeError as error:
        return StructureCheck(structure, smoothness, problems=[*problems, str(error)])
    looked_at, coordinates = _thinned(solution), names(problem.crane.coordinates)
    q, v = (dict(zip(coordinates, x[0].tolist(), strict=True)) for x in (solution.q, solution.v))
    return StructureCheck(
        structure=structure,
        smoothness=smoothness,
        stages=stage_reports(structure, looked_at),
        assumptions=check_assumptions(structure, looked_at),
        solution=solution,
        static_start=_static(solution),
        initial=q,
        initial_velocities=v if problem.path.moving_ends[0] else {},
        problems=problems,
    )


def _thinned(solution: Feedforward) -> Feedforward:
    """Return a solution at some of its times only: stages do not change from point to point."""
    if solution.time.size <= CHECK_TIMES:
        return solution
    rows = np.linspace(0, solution.time.size - 1, CHECK_TIMES).astype(int)
    columns = ("time", "gamma", "q", "v", "a", "u", "lam", "ropes")
    return replace(solution, **{key: getattr(solution, key)[rows] for key in columns})


def require_consistent(problem: ServoProblem, structure: Structure) -> None:
    """Raise a StructureError if the initial state that the user states does not fit.

    The stated coordinates are put into the exact initial state in place of its own; the constraint
    or servo constraint that is violated most is named.
    """
    if not problem.initial:
        return
    motion = start_motion(problem, point_solver(problem))
    coordinates = names(problem.crane.coordinates)
    q = motion["q"].copy()
    for name, value in problem.initial.items():
        q[coordinates.index(name)] = value
    model = structure.model
    gamma = ca.SX(problem.path(np.zeros(1))[:, 0])
    equations = residuals(model, gamma)[model.q.numel() :]
    scale = ca.fabs(ca.jacobian(equations, model.q)) @ ca.fabs(model.q) + 1.0
    function = ca.Function("initial", [model.q, model.p], [equations, scale])
    values, sizes = (np.array(part)[:, 0] for part in function(q, problem.parameter_vector))
    worst = int(np.argmax(np.abs(values) / sizes))
    if abs(values[worst]) > CONSISTENT * sizes[worst]:
        raise StructureError(
            f"the initial state in crane.initial is inconsistent: equation "
            f"'{structure.equations[model.q.numel() + worst]}' is violated by {values[worst]:.6g}"
        )
    far = np.abs(q - motion["q"]) > CONSISTENT * (1.0 + np.abs(q))
    if far.any():
        i = int(np.argmax(far))
        raise StructureError(
            f"the initial state in crane.initial does not fit the path: {coordinates[i]} is "
            f"{q[i]:.9g}, the path needs {motion['q'][i]:.9g}"
        )


def stage_reports(structure: Structure, solution: Feedforward) -> list[StageReport]:
    """Return rank and condition of each stage's Jacobian along a solution."""
    jacobians = _scaled(system_jacobians(solution))
    c, d = np.array(structure.equation_offsets), np.array(structure.variable_offsets)
    reports = []
    for stage in range(-int(d.max()), 1):
        rows, columns = np.flatnonzero(c + stage >= 0), np.flatnonzero(d + stage >= 0)
        part = jacobians[:, rows][:, :, columns]
        values = np.linalg.svd(part, compute_uv=False)
        condition = values[:, 0] / np.maximum(values[:, -1], np.finfo(float).tiny)
        worst = int(np.argmax(condition))
        reports.append(
            StageReport(
                stage=stage,
                size=int(rows.size),
                rank=int((values > 1e-12 * values[:, :1]).sum(axis=1).min()),
                condition=float(condition[worst]),
                time=float(solution.time[worst]),
            )
        )
    return reports


def _scaled(matrices: Array) -> Array:
    """Scale rows and columns to size one: newtons and metres do not compare."""
    rows = np.abs(matrices).max(axis=2, keepdims=True)
    scaled = matrices / np.where(rows > 0.0, rows, 1.0)
    columns = np.abs(scaled).max(axis=1, keepdims=True)
    return np.asarray(scaled / np.where(columns > 0.0, columns, 1.0))


def _static(solution: Feedforward) -> bool:
    """Return whether velocities and accelerations vanish at the start."""
    return bool(np.abs(solution.v[0]).max() < 1e-9 and np.abs(solution.a[0]).max() < 1e-9)


def _collect(action: Callable[[], object]) -> list[str]:
    """Run `action` and return what it found wrong."""
    try:
        action()
    except CranebridgeError as error:
        return [str(error)]
    return []
