"""Studies: every method and integrator on one scenario, as tables, pictures and one page."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.study.convergence_study import convergence
    from cranebridge.study.integrator_study import integrators
    from cranebridge.study.method_study import methods
    from cranebridge.study.pictures import draw, require_matplotlib
    from cranebridge.study.study_result import Cell, Chart, Study, StudyTable
    from cranebridge.study.writing import KINDS, make_study, page, study_files
else:
    __getattr__, __dir__ = front(__name__)
