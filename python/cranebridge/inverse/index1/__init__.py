"""The index-1 method: the stages of a flat crane solved at every time."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.inverse.index1 import grid_solving
    from cranebridge.inverse.index1.following import (
        follow_path,
        gammas_at,
        initial_guess,
        start_motion,
        start_solution,
    )
    from cranebridge.inverse.index1.parameter_sets import SetSolution, solve_parameter_sets
    from cranebridge.inverse.index1.solution import (
        newton_unknowns,
        require_smoothness,
        solve_in_parts,
        solve_index1,
        system_jacobians,
    )
    from cranebridge.inverse.index1.solvers import PointSolver, point_solver, structure_of
    from cranebridge.inverse.index1.starting import require_rest_ends, rest_values
else:
    __getattr__, __dir__ = front(__name__)
