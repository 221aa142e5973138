"""Many random plans while moving, in C: controls, limits, refusals, sanitizers.

All of 10 000 in each precision are in benchmarks/replan.py --random, which prints what it finds.
"""

from __future__ import annotations

import pytest
from random_plans import PLAIN, SANITIZERS, build, run

from cranebridge.online.generator import SLACK
from further import further
from generator_driver import CODES


@pytest.mark.parametrize(
    ("name", "precision", "flags", "count", "points"),
    [
        ("overhead", "double", SANITIZERS, 1_000, 150),
        ("overhead", "double", PLAIN, 100, 5_000),
        further("overhead", "single", SANITIZERS, 500, 150),
        further("rotary", "double", SANITIZERS, 200, 150),
        ("rotary", "single", SANITIZERS, 200, 150),
        ("navy3d-pulley-safe", "double", PLAIN, 50, 200),
    ],
)
def test_random_plans_while_moving(moving, tmp_path, name, precision, flags, count, points):
    """No control jumps, no limit is broken, and what is refused changes nothing.

    In single precision a control is continuous to what Newton's method and its arguments are
    rounded by: derivatives of the path to some hundred roundings of 6e-8 (see the test of the
    polynomials), that is some 1e-5 of its range, and Newton's last step of 2e-5, whose error is its
    square. Limits are kept to the generator's own slack there, and a value is rounded again when it
    is read.
    """
    powers = not name.startswith("navy")  # its input matrix depends on q
    _, problem, _, sources = moving(name, precision, () if powers else ("power",))
    found = run(build(problem, sources, tmp_path, flags, powers), count, points)
    assert sum(found.counts.values()) == count
    assert found.jump <= (1e-9 if precision == "double" else 2e-5)
    assert found.excess <= (1e-6 if precision == "double" else 1.05 * SLACK["single"])
    # 44 of 100 wishes are sensible, and most of these can be fulfilled
    assert found.counts[CODES["OK"]] >= 0.35 * count
    for status in ("BAD_ARGUMENT", "PAST", "NO_DURATION", "BUSY"):
        assert found.counts[CODES[status]] > 0
