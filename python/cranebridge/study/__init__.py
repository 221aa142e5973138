"""Studies: every method and integrator on one scenario, as tables, pictures and one page."""

from cranebridge.study.convergence_study import convergence
from cranebridge.study.integrator_study import integrators
from cranebridge.study.method_study import methods
from cranebridge.study.result import Chart, Study, Table
from cranebridge.study.study_files import KINDS, study

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
