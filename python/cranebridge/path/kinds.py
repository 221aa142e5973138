"""What ``[path]`` can choose from, with a sentence each: table, template and docs read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LIMITS = ("speed", "acceleration", "jerk", "higher")
"""Keys of the S-curve, in the order of derivatives."""

SHAPE = ("duration", "profile", "ramp", "smoothness", *LIMITS)
"""Keys that say how a path is passed in time."""

KEYS: Mapping[str, str] = {
    "kind": "what path it is",
    "start": "outputs at the start",
    "goal": "outputs at the end",
    "axis": "direction of the axis of a rotation",
    "angle": "rad, how far a rotation turns about its axis",
    "size": "how far a figure eight reaches from its centre, in each of its two outputs",
    "points": "outputs at each waypoint, a list of lists",
    "times": "s, when each waypoint is reached, from 0; equally spaced if not given",
    "stop": "whether the load stops at each waypoint, or at the end of what is tracked",
    "degree": "of the pieces of a B-spline",
    "knots": "s, of a B-spline with their multiplicities: first 0 and last the duration, each "
    "degree + 1 times (as t of scipy's BSpline)",
    "coefficients": "control points of a B-spline, a list of lists of the outputs",
    "moving_start": "whether a B-spline starts in motion; if not, it is joined with rest",
    "moving_end": "whether a B-spline ends in motion; if not, it is joined with rest",
    "value": "outputs of a hold",
    "parts": "tables, each with outputs and the keys of a kind",
    "outputs": "names of the outputs that a part moves",
    "state": "a table of q and v at the start, moving and swinging, in place of start",
    "goal_state": "a table of q and v at the end, in place of goal",
    "objective": "what is least: time, effort in the given duration, or weighted",
    "effort": "s, weight of the effort where the objective is weighted",
    "via": "points that the load passes, a list of lists; times says when, if given",
    "overshoot": "whether the load may leave the box between two via points",
    "method": "how the path is found; flat if not given",
    "accuracy": "what finer splines may still gain, as a part of the cost; 0.005 if not given",
    "track": "a path, also one that cannot be followed exactly: the drives do their best",
    "weights": "of errors by output and of controls by input, in tracking",
    "derivatives": "of each piece: outputs and their time derivatives at its begin",
    "duration": "s, from start to goal; not with an s-curve, whose duration follows",
    "profile": "how the load goes along the path in time",
    "ramp": "s, acceleration and deceleration of the three-phase profile",
    "smoothness": "continuous derivatives, also at start and goal; 4 if not given",
    "speed": "m/s along the path (rad/s of a rotation), limit of the s-curve",
    "acceleration": "m/s^2 along the path, limit of the s-curve",
    "jerk": "m/s^3 along the path, limit of the s-curve",
    "higher": "limits of the derivatives after jerk, a list",
}
"""The keys of all kinds, and what they mean."""

PROFILES: Mapping[str, str] = {
    "polynomial": "one smooth step of degree 2 smoothness + 1",
    "three-phase": "accelerates over ramp seconds, moves steadily, decelerates",
    "s-curve": "as fast as speed, acceleration and jerk allow; any of them may be left out",
}


@dataclass(frozen=True)
class Kind:
    """A kind of path.

    Attributes
    ----------
    meaning : str
        What it is, in a few words.
    keys : tuple of str
        The keys of its own.
    shared : tuple of str
        Which of `SHAPE` it takes besides.
    """

    meaning: str
    keys: tuple[str, ...]
    shared: tuple[str, ...] = SHAPE


KINDS: Mapping[str, Kind] = {
    "line": Kind("a straight line in the outputs", ("start", "goal")),
    "cylindrical": Kind(
        "a line in cylindrical coordinates: start and goal are radius, angle, height",
        ("start", "goal"),
    ),
    "rotation": Kind(
        "a turn about a fixed axis: start and goal are Bryant angles, or axis and angle",
        ("start", "goal", "axis", "angle"),
    ),
    "figure-eight": Kind(
        "a figure eight in two outputs, once around from its centre, which is the start",
        ("start", "size"),
    ),
    "waypoints": Kind(
        "via points, passed on a spline, or stopped at with stop = true",
        ("points", "times", "stop"),
    ),
    "spline": Kind(
        "a B-spline in the outputs, which may start and end in motion: what a planner finds",
        ("degree", "knots", "coefficients", "moving_start", "moving_end"),
        (),
    ),
    "hold": Kind("outputs that stay where they are", ("value",), ("duration",)),
    "optimal": Kind(
        "the path itself is found: fastest or least effort within the limits, around obstacles",
        (
            "start",
            "goal",
            "state",
            "goal_state",
            "objective",
            "effort",
            "via",
            "times",
            "overshoot",
            "method",
            "accuracy",
            "track",
            "weights",
            "stop",
        ),
        ("duration",),
    ),
    "pieces": Kind(
        "polynomial pieces, as a plan writes them; may start or end in motion",
        ("knots", "derivatives", "moving_start", "moving_end"),
        ("smoothness",),
    ),
    "combined": Kind(
        "several of these together; each of its parts has outputs and a kind", ("parts",)
    ),
}

MOTIONS: Mapping[str, Kind] = {
    "harmonic": Kind(
        "a sum of sines: one of each amplitude, frequency and phase, about mean",
        ("amplitude", "frequency", "phase", "mean"),
        ("duration",),
    ),
    "recorded": Kind(
        "a record in a CSV file: a spline on its columns time and value",
        ("file", "value", "factor", "degree", "smoothing", "begin"),
        ("duration",),
    ),
}
"""Kinds of motions that are no paths of a load; a motion can also be of any of `KINDS`."""

MOTION_KEYS: Mapping[str, str] = {
    "kind": "how it moves: one of these, or a kind of [path] with its keys, such as hold or line",
    "amplitude": "m or rad, of each sine: a number or a list",
    "frequency": "Hz, of each sine",
    "phase": "rad, of each sine at the start of the path; 0 if not given",
    "mean": "m or rad, what the sines swing about; 0 if not given",
    "file": "CSV file with a column time, in s, and one of values",
    "value": "title of that column; the motion's name if not given",
    "factor": "by which its values become SI units; 1 if not given",
    "degree": "of the spline, odd; 5 if not given, so that four derivatives are continuous",
    "smoothing": "rms deviation from the values that the spline may have; through all if not given",
    "begin": "s, time of the record at the start of the path; its first if not given",
    "duration": "s; as long as the path if not given. A path that is shorter stays at its goal",
}
"""The keys of `MOTIONS`, and what they mean."""
