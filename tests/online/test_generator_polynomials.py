"""The polynomials of plans while moving, against exact arithmetic."""

from __future__ import annotations

import math
import subprocess
from fractions import Fraction

import numpy as np
import pytest
from fading_path import FadingPath, differentiate, evaluate, fading, hermite, stopping

from cranebridge.inverse.index1.solvers import point_solver
from cranebridge.online.continuation import control_weights, stop_weights
from further import further


def random_state(random, k):
    """Derivatives 0 to k as fractions."""
    return [Fraction(int(n), 64) for n in random.integers(-200, 200, k + 1)]


@pytest.mark.parametrize("k", [1, 2, 4, 6])
def test_control_points_are_those_of_the_hermite_polynomial(k):
    """Against a linear system, in exact arithmetic."""
    start, duration = random_state(np.random.default_rng(k), k), Fraction(7, 3)
    goal, n = Fraction(5, 4), 2 * k + 1
    exact = hermite(start, [goal] + [Fraction(0)] * k, duration)
    points = [
        sum(w * duration**i * start[i] for i, w in enumerate(row)) for row in control_weights(k)
    ] + [goal] * (k + 1)
    for x in (Fraction(0), Fraction(1, 7), Fraction(1, 2), Fraction(9, 10), Fraction(1)):
        bernstein = sum(
            math.comb(n, j) * x**j * (1 - x) ** (n - j) * b for j, b in enumerate(points)
        )
        assert bernstein == evaluate(exact, x * duration)


@pytest.mark.parametrize("k", [1, 2, 4, 6])
def test_a_stop_has_the_end_that_needs_the_least(k):
    """The integral of the square of derivative k + 1 is a parabola over the end: its vertex."""
    start, duration = random_state(np.random.default_rng(k), k), Fraction(7, 3)
    weights = enumerate(stop_weights(k))
    end = start[0] + sum(w * duration ** (i + 1) * start[i + 1] for i, w in weights)
    assert evaluate(stopping(start, duration), duration) == end

    def effort(goal):
        high = differentiate(hermite(start, [goal] + [Fraction(0)] * k, duration), k + 1)
        square = [Fraction(0)] * (2 * len(high) - 1)
        for i, a in enumerate(high):
            for j, b in enumerate(high):
                square[i + j] += a * b
        return sum(a * duration ** (i + 1) / (i + 1) for i, a in enumerate(square))

    assert effort(end - 1) == effort(end + 1) > effort(end)


PROBE = """\
#include "online.c"
#include <stdio.h>
int main(void)
{
    static beginning from;
    static online_motion plan;
    static const real given[] = {GIVEN}, goal[] = {TARGET};
    real own[online_OUTPUTS * (ORDER + 1)];
    int i, k;
    memcpy(from.own, given, sizeof given);
    memcpy(plan.goal, goal, sizeof goal);
    from.stopping = STOPPING;
    plan.moving = 1;
    set_duration(&from, (real)DURATION, (real)FADE, &plan);
    for (k = 0; k <= 32; k++) {
        own_at(&plan, (real)k / 32, 1, given, own);
        for (i = 0; i < online_OUTPUTS * (ORDER + 1); i++) printf("%.17g ", (double)own[i]);
        printf("\\n");
    }
    return 0;
}
"""


@pytest.mark.parametrize(
    ("name", "precision", "digits", "stop"),
    [
        ("overhead", "double", 53, True),
        ("overhead", "double", 53, False),
        ("overhead", "single", 24, True),
        ("overhead", "single", 24, False),
        further("double-pendulum", "double", 53, False),
    ],
)
def test_polynomials_in_c_are_those_of_exact_arithmetic(
    moving, tmp_path, name, precision, digits, stop
):
    """A derivative of order m is a difference of order m of points that are rounded relative to the
    largest of them, b: 2^m n! / (n - m)! b / T^m times a few roundings (de Casteljau has n steps).
    """
    _, problem, _, folder = moving(name, precision)
    stages = point_solver(problem).stages
    k, order = max(stages.structure.path_derivatives.values()), stages.path_order
    random = np.random.default_rng(7)
    count, duration, fade = len(problem.path.outputs), 2.5, 1.25 if not stop else 2.5
    state, goal = (
        random.integers(-64, 64, (k + 1, count)) / 32.0,
        random.integers(-9, 9, count) / 4.0,
    )
    given = np.zeros((order + 1, count))
    given[: k + 1] = state
    values = {"GIVEN": given.ravel().tolist(), "TARGET": goal.tolist()}
    text = PROBE
    for key, numbers in values.items():
        text = text.replace(key, ", ".join(map(repr, numbers)))
    for key, number in (("STOPPING", int(stop)), ("DURATION", duration), ("FADE", fade)):
        text = text.replace(key, repr(number))
    (tmp_path / "probe.c").write_text(text)
    program = tmp_path / "probe"
    files = [f"-I{folder}", str(tmp_path / "probe.c"), "-o", str(program)]
    command = ["gcc", "-std=c99", "-O0", *files, "-lm"]
    subprocess.run(command, check=True, capture_output=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    found = np.array([line.split() for line in done.stdout.splitlines()], dtype=float)
    found = found.reshape(33, order + 1, count)
    path = FadingPath(
        problem.path.outputs,
        tuple(map(tuple, state.T.tolist())),
        None if stop else tuple(goal.tolist()),
        duration,
        fade,
    )
    for i, row in enumerate(path.start):
        exact = None if stop else Fraction(goal[i])
        pieces = fading([Fraction(x) for x in row], exact, Fraction(duration), Fraction(fade))
        size = max(
            abs(float(evaluate(p, Fraction(t)))) for p in pieces for t in (0, fade, duration)
        )
        for m in range(order + 1):
            n = 2 * k + 1
            scale = 2.0**m * math.perm(n, m) * size / fade**m
            for j in range(33):
                piece = pieces[j / 32 > fade / duration]
                wanted = float(
                    evaluate(differentiate(piece, m), Fraction(j, 32) * Fraction(duration))
                )
                assert abs(found[j, m, i] - wanted) <= 4 * n * 2.0**-digits * scale
