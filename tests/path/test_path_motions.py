"""What moves as prescribed over time: sums of sines, records, and paths, with their derivatives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cranebridge.errors import InputError
from cranebridge.path import Combined, Harmonic, Hold, Recorded, make_motions, make_path
from cranebridge.path.kinds import KINDS, MOTION_KEYS, MOTIONS

TIMES = np.linspace(0.0, 8.0, 41)
LOAD = Hold(("x",), (0.0,), 8.0)


def motion(table: dict[str, Any], path: Any = LOAD) -> Any:
    return make_motions({"b": table}, ("b",), {"b": "m"}, path)


def record(folder: Path, times: np.ndarray, values: np.ndarray, titles: str = "time,b") -> str:
    file = folder / "record.csv"
    rows = "\n".join(f"{t!r},{b!r}" for t, b in zip(times.tolist(), values.tolist(), strict=True))
    file.write_text(f"{titles}\n{rows}\n")
    return str(file)


def test_derivatives_of_sines_are_those_of_complex_exponentials() -> None:
    table = {"kind": "harmonic", "amplitude": [0.7, 0.2], "frequency": [0.1, 0.31], "mean": 0.3}
    path = motion({**table, "phase": [0.4, -1.0]})
    found = path.derivatives(TIMES, 7)[:, 1]
    for k in range(8):
        # A sin(w t + phi) is the imaginary part of A exp(i (w t + phi)), each rate a factor i w
        wanted = sum(
            (a * (2j * np.pi * f) ** k * np.exp(1j * (2 * np.pi * f * TIMES + phi))).imag
            for a, f, phi in ((0.7, 0.1, 0.4), (0.2, 0.31, -1.0))
        )
        np.testing.assert_allclose(found[k], wanted + (0.3 if k == 0 else 0.0), atol=1e-14 * 2**k)


def test_sines_move_at_both_ends_and_are_smooth_in_between() -> None:
    path = motion({"kind": "harmonic", "amplitude": 0.7, "frequency": 0.1})
    assert path.moving_ends == (True, True)
    assert path.breaks("b") == ()
    for side in ("left", "right"):
        assert path.derivatives([0.0, 8.0], 1, side)[1, 1, 0] != 0.0
    # as for each path: outside of it nothing moves
    assert path.derivatives([-1.0, 9.0], 2)[1:].any() == np.False_
    still = motion({"kind": "harmonic", "amplitude": 0.0, "frequency": 0.1})
    assert still.moving_ends == (False, False)


@pytest.mark.parametrize("degree", [3, 5, 7])
def test_a_polynomial_that_was_recorded_is_that_polynomial(degree: int, tmp_path: Path) -> None:
    """A spline of some degree through values of a polynomial of that degree is itself."""
    x = np.linspace(-1.0, 10.0, 45)
    polynomial = np.polynomial.Polynomial([0.3, -0.2, 0.05, 0.01, -0.002, 1e-3, 1e-4, -1e-5])
    polynomial = polynomial.cutdeg(degree)
    file = record(tmp_path, x, polynomial(x))
    path = motion({"kind": "recorded", "file": file, "degree": degree, "begin": 0.0})
    found = path.derivatives(TIMES, degree - 1)[:, 1]
    for k in range(degree):
        wanted = polynomial.deriv(k)(TIMES)
        # rounding of the values, divided by the interval of 0.25 s for each rate
        np.testing.assert_allclose(
            found[k], wanted, atol=1e-13 * np.abs(polynomial(x)).max() * 8**k
        )


def test_accelerations_of_a_record_converge_with_the_order_of_its_spline(tmp_path: Path) -> None:
    errors = []
    for count in (41, 81):
        x = np.linspace(-2.0, 10.0, count)
        file = record(tmp_path, x, np.sin(0.8 * x))
        path = motion({"kind": "recorded", "file": file, "begin": 0.0})
        wanted = -0.64 * np.sin(0.8 * TIMES)
        errors.append(np.abs(path.derivatives(TIMES, 2)[2, 1] - wanted).max())
    # degree 5: order 6 of the values, 4 of second derivatives
    assert 3.5 < np.log2(errors[0] / errors[1]) < 5.0


def test_a_smoothed_record_keeps_the_deviation_that_it_states(tmp_path: Path) -> None:
    x = np.linspace(0.0, 10.0, 401)
    noise = 0.02 * np.random.default_rng(1).standard_normal(x.size)
    file = record(tmp_path, x, np.sin(0.8 * x) + noise)
    path = motion({"kind": "recorded", "file": file, "smoothing": 0.02})
    part = path.part_of("b")
    assert isinstance(part, Recorded)
    inside = x <= 8.0
    missed = path(x[inside])[1] - (np.sin(0.8 * x) + noise)[inside]
    assert np.abs(missed).max() <= part.deviation + 1e-15  # rounding
    # the fit is as smooth as this deviation allows: it is used up, to FITPACK's 0.1 %
    assert part.rms == pytest.approx(0.02, rel=2e-3)
    assert np.sqrt(np.mean(missed**2)) == pytest.approx(part.rms, rel=0.1)
    assert path.notes == (
        f"b is a spline of degree 5 on the 401 values of '{file}'; it is off the recorded values "
        f"by {part.deviation:.3g} at most, {part.rms:.3g} rms",
    )
    # and nearer to what moved than to the noise on it; through the noise it would be off by 30
    accelerations = path.derivatives(TIMES[2:-2], 2)[2, 1]
    assert np.abs(accelerations + 0.64 * np.sin(0.8 * TIMES[2:-2])).max() < 0.2


def test_a_record_begins_where_it_is_told_in_its_own_unit(tmp_path: Path) -> None:
    x = np.linspace(100.0, 120.0, 201)
    file = record(tmp_path, x, 180.0 / np.pi * np.sin(0.5 * x), "time,roll")
    table = {"kind": "recorded", "file": file, "value": "roll", "factor": np.pi / 180.0}
    found = motion({**table, "begin": 105.0})(TIMES)[1]
    np.testing.assert_allclose(found, np.sin(0.5 * (105.0 + TIMES)), atol=1e-9)  # 0.05^6 / 720
    np.testing.assert_allclose(motion(table)(TIMES)[1], np.sin(0.5 * (100.0 + TIMES)), atol=1e-7)


def test_joins_of_a_record_are_as_smooth_as_they_say(tmp_path: Path) -> None:
    x = np.linspace(0.0, 8.0, 17)
    file = record(tmp_path, x, np.sin(x))
    path = motion({"kind": "recorded", "file": file, "degree": 3})
    assert path.smoothness("b") == 2
    joins = np.array([one.time for one in path.breaks("b")])
    left, right = (path.derivatives(joins, 3, side)[:, 1] for side in ("left", "right"))
    np.testing.assert_allclose(left[:3], right[:3], atol=1e-12)
    assert (np.abs(left[3] - right[3]) > 1e-6).all()


def test_whole_lasts_as_long_as_its_longest_part() -> None:
    load = make_path(
        {"kind": "line", "start": [0.0], "goal": [1.0], "duration": 4.0, "smoothness": 4}, ("x",)
    )
    table = {"kind": "harmonic", "amplitude": 0.5, "frequency": 0.2}
    assert motion(table, load).duration == 4.0
    longer = motion({**table, "duration": 9.0}, load)
    assert longer.duration == 9.0
    np.testing.assert_array_equal(longer([5.0, 9.0])[0], 1.0)  # the load stays at its goal
    line = {"kind": "line", "start": [0.0], "goal": [1.0], "duration": 6.0, "smoothness": 2}
    both = make_motions({"b": line, "c": table}, ("b", "c"), {}, load)
    assert isinstance(both, Combined)
    assert both.duration == 6.0
    assert isinstance(both.part_of("c"), Harmonic)
    assert both.part_of("c").duration == 6.0


def test_keys_and_kinds_are_described() -> None:
    keys = {key for kind in MOTIONS.values() for key in (*kind.keys, *kind.shared)}
    assert keys | {"kind"} == set(MOTION_KEYS)
    assert not set(MOTIONS) & set(KINDS)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no file": ({}, "crane.motion.b.file is missing."),
    "file is a number": ({"file": 3}, "crane.motion.b.file must be the name of a CSV file, got 3."),
    "no such file": ({"file": "none.csv"}, "crane.motion.b.file = 'none.csv' cannot be read: "),
    "no such column": ({"value": "c"}, "unknown column of crane.motion.b.file = "),
    "even degree": ({"degree": 4}, "crane.motion.b.degree must be an odd number from 3 to 15, got"),
    "degree and smoothing": (
        {"degree": 7, "smoothing": 0.1},
        "crane.motion.b.degree must be at most 5 with smoothing, got 7.",
    ),
    "negative smoothing": (
        {"smoothing": -0.1},
        "crane.motion.b.smoothing must not be negative, got -0.1.",
    ),
    "too short": (
        {"begin": 5.0},
        "was recorded from 0 to 10 s, but is needed from 5 to 13 s: the motion lasts 8 s",
    ),
    "before its begin": ({"begin": -1.0}, "but is needed from -1 to 7 s"),
    "too few rows": ({"degree": 13}, "has 11 rows; a spline of degree 13 needs more"),
}


@pytest.mark.parametrize("case", sorted(WRONG))
def test_what_is_wrong_with_a_record_is_one_sentence(case: str, tmp_path: Path) -> None:
    change, message = WRONG[case]
    x = np.linspace(0.0, 10.0, 11)
    table = {"kind": "recorded", "file": record(tmp_path, x, np.sin(x)), **change}
    if case == "no file":
        del table["file"]
    with pytest.raises(InputError) as caught:
        motion(table)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1.5,nan", "row 3, column b: 'nan' is no finite number"),
        ("1.5", "row 3 has 1 entries, the titles are 2"),
        ("0.5,1.0", "the times must increase"),
    ],
)
def test_a_wrong_row_of_a_record_is_named(row: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text(f"time,b\n1.0,0.0\n{row}\n2.0,0.0\n")
    with pytest.raises(InputError, match=message):
        motion({"kind": "recorded", "file": str(tmp_path / "b.csv")})
