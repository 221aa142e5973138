"""What can be chosen in the table `[campaign]`, with a sentence each."""

from __future__ import annotations

from collections.abc import Mapping

KINDS: Mapping[str, str] = {
    "sobol": "Sobol' points, scrambled: even in all directions; more runs keep the earlier ones",
    "latin": "Latin hypercube: a run in each of as many equally probable parts as there are runs",
    "random": "independent draws; more runs keep the earlier ones",
    "grid": "all combinations of values, and of equally probable points of distributions, in at "
    "most as many runs as given",
    "saltelli": "Sobol' points in blocks of (factors + 2) for Sobol' indices, in at most as many "
    "runs as given; more runs keep the earlier ones",
}

NATURAL: Mapping[str, tuple[tuple[str, ...], str]] = {
    "uniform": (("low", "high"), "equally probable between two values"),
    "normal": (("mean", "std"), "mean and standard deviation"),
    "lognormal": (("median", "sigma"), "median, and standard deviation of the logarithm"),
    "triangular": (("low", "mode", "high"), "least, most probable and largest value"),
}
"""Distributions with their own parameters; all others have SciPy's names and parameters."""

BEYOND = "beyond"
"""What is said in place of a quantile that lies among runs without a number."""
