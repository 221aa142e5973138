"""Nonlinear programmes over splines, and the interior-point method for chains of blocks."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plan.nlp.group import RowGroup
    from cranebridge.plan.nlp.legs import RATE, Identity, Leg, LegEnd, make_legs
    from cranebridge.plan.nlp.program import ProgramSolution, SplineProgram
    from cranebridge.plan.nlp.splines import SplineSpace, graded, uniform
else:
    __getattr__, __dir__ = front(__name__)
