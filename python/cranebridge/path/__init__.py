"""Where the load shall go: smooth paths and their exact time derivatives.

`make_path` builds a path from the ``[path]`` table of a scenario; the classes can be used directly:

>>> from cranebridge.path import Line, three_phase
>>> path = Line(("x", "z"), (5.0, -5.0), (-2.0, -2.0), three_phase(duration=20, ramp=5))
>>> path.knots, path.smoothness()
((0.0, 5.0, 15.0, 20.0), 4)
"""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.path.base import Break, Path, Side
    from cranebridge.path.kinds import KEYS, KINDS, LIMITS, MOTION_KEYS, MOTIONS, PROFILES, SHAPE
    from cranebridge.path.path_tables import PolynomialTable, Track, Turn, polynomial_table
    from cranebridge.path.profiles import (
        Piece,
        Profile,
        averaged,
        polynomial,
        s_curve,
        smooth_step,
        three_phase,
    )
    from cranebridge.path.reading import make_motions, make_path
    from cranebridge.path.shapes import (
        BSplinePath,
        Combined,
        Curve,
        Cylindrical,
        FigureEight,
        Harmonic,
        Hold,
        Line,
        Pieces,
        Recorded,
        Rotation,
        ScaledPath,
        Spline,
        Stops,
        Tail,
        bryant_matrix,
        replaced,
        rotation_between,
        tail,
    )
    from cranebridge.path.symbolic import (
        common_profile,
        coordinate_names,
        end_points,
        outputs_function,
        own_coordinates_function,
    )
else:
    __getattr__, __dir__ = front(__name__)
