from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cranebridge.limits import Limits
from cranebridge.report.plots.panels import drive_columns
from cranebridge.report.plots.series import make_series, thin
from cranebridge.report.report_motion import shown_motion
from cranebridge.report.rows.number_texts import prefix, quantity
from cranebridge.twin.language.crane import names


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
        (-0.0, "m", "0 m"),
        (-0.0, "N", "0 N"),
        (-3.2e-14, "N", "0 N"),
        (4e-13, "N*m", "0 N·m"),
        (2e-7, "m", "200 nm"),
        (14.58333, "m/s^3", "14.6 m/s³"),
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
def test_drive_coordinates_are_found_from_the_input_matrix(solved, name, drives):
    scenario, result = solved(name)
    coordinates = names(scenario.crane.coordinates)
    assert [coordinates[i] for i in drive_columns(result)] == drives


def panels(result):
    """Return the panels by key; several of the same key in a list."""
    found = {}
    for panel in make_series(shown_motion(result)).panels:
        found.setdefault(panel.key, []).append(panel)
    return found


def limited(result, **table):
    """Return a result with other limits in force."""
    return replace(result, limits=Limits.from_mapping(table, result.feedforward.problem.crane))


def test_panels_have_one_unit_each_and_hold_si_values(verified):
    _, result = verified("cablev-rotate")
    series = make_series(shown_motion(result))
    keys = [panel.key for panel in series.panels]
    assert keys[:4] == ["path", "path", "error", "error"]
    units = [panel.unit for panel in series.panels[:4]]
    assert units[:2] == ["m", "rad"]
    assert [unit.lstrip("fpnµm") for unit in units[2:]] == ["", "rad"]
    assert set(keys) == {
        "path", "error", "controls", "ropes", "margin", "drives", "speeds", "powers",
    }  # fmt: skip
    for panel in panels(result)["error"]:
        for curve in panel.curves:
            column = names(result.feedforward.problem.crane.outputs).index(curve.label)
            wanted = result.tracking.error[series.chosen, column]
            np.testing.assert_array_equal(curve.values, wanted)


def test_without_verification_the_feedforward_is_shown(solved):
    _, result = solved("rotary")
    series = make_series(shown_motion(result))
    assert {panel.key for panel in series.panels} == {
        "path", "controls", "ropes", "margin", "drives", "speeds",
    }  # fmt: skip
    np.testing.assert_array_equal(series.time, result.feedforward.time)


def test_speed_of_a_torque_drive_is_an_angular_speed(verified):
    """A drive's power is its force or torque times its speed: W = N m/s = N m rad/s."""
    scenario, result = verified("rotary")
    units = {part.name: part.unit for part in scenario.crane.inputs}
    found = {
        curve.label: panel.unit for panel in panels(result)["speeds"] for curve in panel.curves
    }
    wanted = {"N": "m/s", "N*m": "rad/s"}
    assert set(units.values()) == set(wanted)
    assert found == {name: wanted[unit] for name, unit in units.items()}


def lines(panel):
    return {(label.replace("\u00a0", " "), value) for label, value in panel.limits}


def only(result, key):
    (panel,) = panels(result)[key]
    return panel


def test_limits_of_controls_are_lines_with_both_bounds(verified):
    _, result = verified("overhead")
    ranged = limited(result, u={"F_t": [-700.0, 600.0], "M_w": [-200.0, -50.0]})
    force, torque = panels(ranged)["controls"]
    assert lines(force) == {("F_t ≤ 600 N", 600.0), ("F_t ≥ −700 N", -700.0)}
    assert lines(torque) == {("M_w ≤ −50 N·m", -50.0), ("M_w ≥ −200 N·m", -200.0)}
    force, torque = panels(limited(result, u={"F_t": 600.0}))["controls"]
    assert {value for _, value in force.limits} == {-600.0, 600.0}
    assert torque.limits == ()
    assert panels(result)["controls"][0].limits == ()


def test_limits_of_speeds_are_lines(verified, solved):
    for _, result in (verified("overhead"), solved("overhead")):
        panel = panels(limited(result, v={"s": 5.0, "z": [-3.0, 4.0]}))["speeds"][-1]
        signal = next(curve for curve in panel.curves if curve.signal == "v.z")
        assert np.abs(signal.values).max() == pytest.approx(2.4609375, rel=1e-4)  # 3 m in 3 s
        assert {("z ≤ 4 m/s", 4.0), ("z ≥ −3 m/s", -3.0)} <= lines(panel)
    values = {value for panel in panels(limited(result, v={"s": 5.0}))["speeds"]
              for _, value in panel.limits}  # fmt: skip
    assert values == {-5.0, 5.0}


def test_limits_of_powers_coordinates_accelerations_and_jerks_are_lines(verified):
    _, result = verified("overhead")
    power = float(np.abs(result.tracking.powers["F_t"]).max())
    table = {"power": {"F_t": 1.2 * power}, "q": {"s": [-1.0, 6.0], "x": [-0.5, 5.5]}}
    found = panels(limited(result, **table, a={"x": 6.0}, jerk={"z": 12.0}))
    values = {
        curve.signal: {value for _, value in panel.limits}
        for key in ("powers", "drives", "coordinates", "accelerations", "jerks")
        for panel in found[key]
        for curve in panel.curves
    }
    assert values["power.F_t"] == {1.2 * power, -1.2 * power}
    assert values["q.s"] == {-1.0, 6.0}
    assert values["q.x"] == {-0.5, 5.5}
    assert values["a.x"] == {-6.0, 6.0}
    assert values["jerk.z"] == {-12.0, 12.0}
    assert {"coordinates", "accelerations", "jerks"}.isdisjoint(panels(result))


def test_limits_of_ropes_are_lines(verified):
    _, result = verified("overhead")
    assert lines(only(result, "ropes")) == {("T_cable ≥ 0 N", 0.0)}
    strong = limited(result, rope=[800.0, 1500.0])
    assert lines(only(strong, "ropes")) == {
        ("T_cable ≤ 1500 N", 1500.0),
        ("T_cable ≥ 800 N", 800.0),
    }
    ignored = limited(result, ropes="ignore")
    assert only(ignored, "ropes").limits == ()


def test_limit_of_the_error_is_drawn_where_the_error_comes_near_it(verified):
    _, result = verified("overhead")
    far = only(result, "error")
    assert far.limits == ()
    assert far.note.replace("\u00a0", " ") == "Limits beyond this plot: x, z ±1 mm."
    largest = max(result.tracking.max_error.values())
    near = only(limited(result, tracking=2.0 * largest), "error")
    assert {value for _, value in near.limits} == {2.0 * largest, -2.0 * largest}
    assert near.note == ""


def test_bound_that_would_flatten_the_curves_is_told_and_the_other_one_drawn(verified):
    _, result = verified("overhead")
    _, torque = panels(limited(result, u={"M_w": [-200.0, 5000.0]}))["controls"]
    assert lines(torque) == {("M_w ≥ −200 N·m", -200.0)}
    assert torque.note.replace("\u00a0", " ") == "Limits beyond this plot: M_w ≤ 5000 N·m."


def test_broken_limit_is_always_drawn(verified):
    _, result = verified("overhead")
    force, _ = panels(limited(result, u={"F_t": 1e-3}))["controls"]
    assert {value for _, value in force.limits} == {-1e-3, 1e-3}


def test_margin_is_the_least_rope_force(verified):
    _, result = verified("navy2d")
    margin = only(result, "margin")
    np.testing.assert_array_equal(margin.curves[0].values, result.tracking.ropes.min(axis=1))
    assert margin.limits == (("slack below", 0.0),)
    assert margin.title == "Margin of the ropes to slack"


def test_margin_is_to_the_least_force_of_each_rope(verified):
    _, result = verified("navy2d")
    table = {"T_cable1_A": 100.0, "T_cable2_upper_P": 900.0}
    margin = only(limited(result, rope=table), "margin")
    wanted = (result.tracking.ropes - [100.0, 900.0, 0.0]).min(axis=1)
    np.testing.assert_allclose(margin.curves[0].values, wanted)
    assert margin.title == "Margin of the ropes to their least force"


def test_single_rope_has_a_plot_of_its_margin_only_where_its_own_lacks_the_limit(verified):
    _, near = verified("overhead")
    assert "margin" not in panels(near)
    _, far = verified("rotary")  # 973 N to 991 N: a line at 0 N would flatten that
    assert only(far, "ropes").note.replace("\u00a0", " ").endswith("T_cable ≥ 0 N.")
    assert only(far, "margin").limits == (("slack below", 0.0),)


def test_forces_that_are_only_rounding_are_drawn_as_zero(verified):
    _, result = verified("overhead")
    noise = 1e-14 * result.tracking.u
    force, torque = panels(replace(result, tracking=replace(result.tracking, u=noise)))["controls"]
    assert (force.unit, torque.unit) == ("N", "N·m")
    assert not force.curves[0].values.any()
