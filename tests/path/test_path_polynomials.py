"""Tables of polynomials give the same numbers as the paths that they are made from."""

from __future__ import annotations

import numpy as np
import pytest

from cranebridge.path import Combined, Cylindrical, Hold, Line, Pieces, Stops, s_curve, three_phase
from cranebridge.path.path_tables import PolynomialTable, polynomial_table

ORDER = 6
LINE = Line(("x", "y", "z"), (5.0, 0.0, -5.0), (-2.0, 0.0, -2.1), three_phase(20.0, 5.0, 4))
STOPS = Stops(
    ("x", "y"),
    ((0.0, 1.0), (0.1, 1.0), (-3.0, 7.0)),
    (three_phase(3.3, 1.1, 4), three_phase(5.7, 2.0, 4, begin=3.3)),
)
TURN = Cylindrical(("x", "y", "z"), three_phase(8.0, 2.0, 4), (4.0, 0.0, -5.0), (5.0, 2.0, -3.0))


def pieces(moving: bool) -> Pieces:
    """Two quintics with values of any kind: that they join is not what is looked at."""
    random = np.random.default_rng(7)
    rows = random.normal(size=(2, 6, 2))
    table = tuple(tuple(tuple(row) for row in piece) for piece in rows.tolist())
    return Pieces(("x", "y"), (0.0, 1.7, 4.0), table, 3, moving, moving)


def evaluated(table: PolynomialTable, t: np.ndarray, outputs: int, side: str) -> np.ndarray:
    """Evaluate a table as it is described, all orders by Horner's rule."""
    out = np.full((ORDER + 1, outputs, t.size), np.nan)
    for track in table.tracks:
        row = track.segments[np.searchsorted(track.bounds, t, side=side)]
        x = (t - row[:, 0]) / row[:, 1]
        end = 2 + (track.degree + 1) * (ORDER + 1)
        powers = row[:, 2:end].reshape(t.size, track.degree + 1, ORDER + 1)
        c = np.zeros((t.size, ORDER + 1))
        for n in range(track.degree, -1, -1):
            c = c * x[:, None] + powers[:, n]
        for i, output in enumerate(track.outputs):
            out[:, output] = c.T + 0.0
            if track.affine:
                first, last, step = row[:, end + 3 * i : end + 3 * i + 3].T
                nearer = np.where(
                    c[:, 0] > 0.5, last + step * (c[:, 0] - 1), first + step * c[:, 0]
                )
                out[:, output] = np.vstack([nearer, step * c[:, 1:].T]) + 0.0
    return out


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize(
    "path",
    [
        LINE,
        STOPS,
        Line(("x",), (0.0,), (4.0,), s_curve(4.0, [1.0, 1.0, 2.0, 8.0])),
        Hold(("x", "y"), (2.5, -1.0), 3.0),
        pieces(moving=False),
        pieces(moving=True),
        Combined(("y", "b", "x", "a", "z"), (LINE, Hold(("a", "b"), (1.0, 2.0), 20.0))),
    ],
    ids=["line", "stops", "s-curve", "hold", "pieces", "moving pieces", "combined"],
)
def test_table_has_the_path_bit_by_bit(path, side) -> None:
    knots = np.asarray(path.knots)
    table = polynomial_table(path, ORDER)
    inner = [track.bounds[1:-1] for track in table.tracks]
    random = np.random.default_rng(2).uniform(-0.5, path.duration + 0.5, 500)
    t = np.unique(np.concatenate([random, knots, np.nextafter(knots[1:], 0.0), *inner]))
    assert table.others == ()
    found = evaluated(table, t, len(path.outputs), side)
    assert found.tobytes() == path.derivatives(t, ORDER, side).tobytes()


def test_what_is_no_polynomial_is_named_with_its_outputs() -> None:
    path = Combined(("h", "x", "y", "z"), (TURN, Hold(("h",), (1.0,), 8.0)))
    table = polynomial_table(path, ORDER)
    assert table.others == (((1, 2, 3), TURN),)
    assert [track.outputs for track in table.tracks] == [(0,)]


def test_derived_class_is_asked_itself() -> None:
    class Shifted(Line):
        """Computes its values in its own way."""

    path = Shifted(LINE.outputs, LINE.start, LINE.goal, LINE.profile)
    assert polynomial_table(path, ORDER).others == (((0, 1, 2), path),)
