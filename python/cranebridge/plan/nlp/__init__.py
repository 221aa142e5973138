"""Nonlinear programmes over splines, and the interior-point method for chains of blocks."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plan.nlp.group import Group
    from cranebridge.plan.nlp.legs import RATE, End, Identity, Leg, make_legs
    from cranebridge.plan.nlp.program import Outcome, Program
    from cranebridge.plan.nlp.splines import Spline, graded, uniform
else:
    __getattr__, __dir__ = front(__name__)
