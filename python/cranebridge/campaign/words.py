"""What can be chosen in the table `[campaign]`, with a sentence each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class DesignKind:
    """A kind of design.

    Attributes
    ----------
    meaning : str
        What its runs are, in a sentence.
    intervals : str
        What confidence intervals are worth with it.
    """

    meaning: str
    intervals: str


DESIGNS: Mapping[str, DesignKind] = {
    "sobol": DesignKind(
        "Sobol' points, scrambled: even in all directions; more runs keep the earlier ones",
        "the intervals are those of independent draws; Sobol' points vary less as a rule, "
        "which makes them conservative, but that is not guaranteed",
    ),
    "latin": DesignKind(
        "Latin hypercube: a run in each of as many equally probable parts as there are runs",
        "the intervals are conservative: a Latin hypercube varies less than independent draws",
    ),
    "random": DesignKind(
        "independent draws; more runs keep the earlier ones",
        "the intervals are exact: the runs are independent draws",
    ),
    "grid": DesignKind(
        "all combinations of values, and of equally probable points of distributions, in at "
        "most as many runs as given",
        "the runs are a grid and not drawn: shares of the grid, and intervals as if drawn",
    ),
    "saltelli": DesignKind(
        "Sobol' points in blocks of (factors + 2) for Sobol' indices, in at most as many "
        "runs as given; more runs keep the earlier ones",
        "the intervals are those of independent draws, and of rows A and B alone; Sobol' "
        "points vary less as a rule, which makes them conservative, but that is not guaranteed",
    ),
}
"""All kinds of designs."""

KINDS: Mapping[str, str] = {name: kind.meaning for name, kind in DESIGNS.items()}
NOTES: Mapping[str, str] = {
    **{name: kind.intervals for name, kind in DESIGNS.items()},
    "file": "the runs were given: the intervals hold if they were drawn independently",
}
"""What the intervals are worth, by kind of design; also of one that was read."""

NATURAL: Mapping[str, tuple[tuple[str, ...], str]] = {
    "uniform": (("low", "high"), "equally probable between two values"),
    "normal": (("mean", "std"), "mean and standard deviation"),
    "lognormal": (("median", "sigma"), "median, and standard deviation of the logarithm"),
    "triangular": (("low", "mode", "high"), "least, most probable and largest value"),
}
"""Distributions with their own parameters; all others have SciPy's names and parameters."""

BEYOND = "beyond"
"""What is said in place of a quantile that lies among runs without a number."""
