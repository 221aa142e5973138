"""Studies: every method and integrator on one scenario, as tables, pictures and one page."""

from cranebridge.study.convergence_study import convergence
from cranebridge.study.integrator_study import integrators
from cranebridge.study.method_study import methods
from cranebridge.study.result import Chart, Study, Table
from cranebridge.study.writing import KINDS, make_study, study_files

__all__ = [
    "KINDS",
    "Chart",
    "Study",
    "Table",
    "convergence",
    "integrators",
    "make_study",
    "methods",
    "study_files",
]
