"""Studies: every method and integrator on one scenario, as tables, pictures and one page."""

from cranebridge.study.convergence import convergence
from cranebridge.study.integrators import integrators
from cranebridge.study.methods import methods
from cranebridge.study.result import Chart, Study, Table
from cranebridge.study.run import KINDS, study

__all__ = [
    "KINDS",
    "Chart",
    "Study",
    "Table",
    "convergence",
    "integrators",
    "methods",
    "study",
]
