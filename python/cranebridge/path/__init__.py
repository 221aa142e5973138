"""Where the load shall go: smooth paths and their exact time derivatives.

`make_path` builds a path from the ``[path]`` table of a scenario; the classes can be used directly:

>>> from cranebridge.path import Line, three_phase
>>> path = Line(("x", "z"), (5.0, -5.0), (-2.0, -2.0), three_phase(duration=20, ramp=5))
>>> path.knots, path.smoothness()
((0.0, 5.0, 15.0, 20.0), 4)
"""

from cranebridge.path.base import Break, Path
from cranebridge.path.bryant import bryant_matrix
from cranebridge.path.bspline import BSplinePath
from cranebridge.path.combined import Combined
from cranebridge.path.curved import Curve, Cylindrical, FigureEight
from cranebridge.path.cut import Tail, tail
from cranebridge.path.pieces import Pieces
from cranebridge.path.profile import Piece, Profile, polynomial, smooth_step, three_phase
from cranebridge.path.rotation import Rotation, rotation_between
from cranebridge.path.scaled import ScaledPath
from cranebridge.path.scurve import averaged, s_curve
from cranebridge.path.spline import Spline
from cranebridge.path.straight import Hold, Line, Stops
from cranebridge.path.table import make_path

__all__ = [
    "BSplinePath",
    "Break",
    "Combined",
    "Curve",
    "Cylindrical",
    "FigureEight",
    "Hold",
    "Line",
    "Path",
    "Piece",
    "Pieces",
    "Profile",
    "Rotation",
    "ScaledPath",
    "Spline",
    "Stops",
    "Tail",
    "averaged",
    "bryant_matrix",
    "make_path",
    "polynomial",
    "rotation_between",
    "s_curve",
    "smooth_step",
    "tail",
    "three_phase",
]
