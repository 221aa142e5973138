"""From path to controls: structure analysis, index reduction, solvers."""

from cranebridge.inverse.checking import Check, check
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1 import solve_in_parts, solve_index1
from cranebridge.inverse.index3 import solve_index3
from cranebridge.inverse.inversion import solve_inversion
from cranebridge.inverse.parameter_sets import SetSolution, solve_parameter_sets
from cranebridge.inverse.problem import ServoProblem, time_grid
from cranebridge.inverse.projection import solve_projection
from cranebridge.inverse.reduction import solve_minimal
from cranebridge.inverse.sampling import Samples, sample, signals
from cranebridge.inverse.structure import Structure, analyse

__all__ = [
    "Check",
    "Feedforward",
    "Samples",
    "ServoProblem",
    "SetSolution",
    "Structure",
    "analyse",
    "check",
    "sample",
    "signals",
    "solve_in_parts",
    "solve_index1",
    "solve_index3",
    "solve_inversion",
    "solve_minimal",
    "solve_parameter_sets",
    "solve_projection",
    "time_grid",
]
