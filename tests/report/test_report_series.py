from __future__ import annotations

import numpy as np
import pytest
from report_stand_in import make_tracking

from cranebridge.report.series import drive_columns, make_series, thin
from cranebridge.report.units import prefix, quantity
from cranebridge.twin.crane import names


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (4.126e-9, "m", "4.13 nm"),
        (1e-3, "m", "1 mm"),
        (9.99996e-4, "m", "1 mm"),
        (972.48, "N", "972 N"),
        (4396.19, "N*m", "4400 N·m"),
        (12345.0, "N", "12.3 kN"),
        (-2.5, "m", "−2.5 m"),
        (0.0, "m", "0 m"),
        (3.4e-14, "1", "3.4e−14"),
        (float("nan"), "m", "not known"),
        (None, "m", "not known"),
    ],
)
def test_numbers_read_well(value, unit, text):
    assert quantity(value, unit).replace("\u00a0", " ") == text


def test_prefix_brings_values_into_range():
    factor, unit = prefix(3.2e-8, "m")
    assert unit == "nm"
    assert 3.2e-8 * factor == pytest.approx(32.0)


def test_short_series_is_shown_whole():
    time = np.linspace(0.0, 1.0, 50)
    np.testing.assert_array_equal(thin(time, [time], None, most=100), np.arange(50))


def test_thinned_series_keeps_ends_and_extremes():
    time = np.linspace(0.0, 1.0, 10_001)
    curve = np.zeros_like(time)
    curve[[1234, 7771]] = 5.0, -3.0
    chosen = thin(time, [curve], None, most=500)
    assert {0, 1234, 7771, 10_000} <= set(chosen.tolist())
    assert chosen.size < 600
    assert (np.diff(chosen) > 0).all()


def test_thinned_error_is_not_an_alias():
    """An error that changes its sign from sample to sample keeps its size."""
    time = np.linspace(0.0, 1.0, 9999)
    error = np.where(np.arange(9999) % 4 == 3, 1.0, 0.0)[:, None]
    chosen = thin(time, [], error, most=2500)
    assert (error[chosen][:-1] == 1.0).mean() > 0.99


@pytest.mark.parametrize(
    ("name", "drives"),
    [
        ("rotary", ["phi", "s", "l"]),
        ("navy3d", ["L_1", "L_3", "x_3", "y_3"]),
        ("cablev-rotate", ["p_g0", "p_g1", "p_g2", "p_g3", "p_c1", "p_c2", "p_c3"]),
    ],
)
def test_drive_coordinates_are_found_from_the_input_matrix(verified, name, drives):
    solved, _ = verified(name)
    coordinates = names(solved.scenario.crane.coordinates)
    assert [coordinates[i] for i in drive_columns(solved)] == drives


def test_panels_have_one_unit_each_and_hold_si_values(verified):
    solved, tracking = verified("cablev-general")
    series = make_series(solved, tracking)
    keys = [(panel.key, panel.unit) for panel in series.panels]
    assert keys[:4] == [("path", "m"), ("path", "rad"), ("error", "nm"), ("error", "nrad")]
    assert {key for key, _ in keys} == {
        "path", "error", "controls", "ropes", "margin", "drives", "speeds", "powers",
    }  # fmt: skip
    error = next(panel for panel in series.panels if panel.key == "error")
    np.testing.assert_array_equal(error.curves[0].values, tracking.error[series.chosen, 0])


def test_without_verification_the_feedforward_is_shown(verified):
    solved, _ = verified("rotary")
    series = make_series(solved, None)
    assert {panel.key for panel in series.panels} == {
        "path", "controls", "ropes", "margin", "drives", "speeds",
    }  # fmt: skip
    np.testing.assert_array_equal(series.time, solved.feedforward.time)


def test_limit_is_drawn_where_the_error_comes_near_it(verified):
    solved, tracking = verified("rotary")
    near = make_tracking(solved, size=0.5e-3)
    for result, lines in ((tracking, 0), (near, 2)):
        panels = make_series(solved, result).panels
        assert len(next(panel for panel in panels if panel.key == "error").limits) == lines


def test_margin_is_the_least_rope_force(verified):
    solved, tracking = verified("navy2d")
    panels = make_series(solved, tracking).panels
    margin = next(panel for panel in panels if panel.key == "margin")
    np.testing.assert_array_equal(margin.curves[0].values, tracking.ropes.min(axis=1))
    assert margin.limits == (("slack below", 0.0),)
