"""Controls evaluate like SciPy's polynomials, and the integrator is DOP853."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.integrate._ivp import dop853_coefficients as scipy_coefficients
from scipy.interpolate import CubicHermiteSpline, CubicSpline

from cranebridge.errors import InputError
from cranebridge.plant.child.integrators import Integrator, StepControl, make_integrator
from cranebridge.plant.protocol.controls import (
    ControlFunction,
    Controls,
    Drives,
    from_message,
    to_message,
)
from cranebridge.plant.sandbox import loop_library

TIMES = np.array([0.0, 0.3, 0.5, 1.1, 2.0])
VALUES = np.random.default_rng(1).normal(size=(5, 3))
NAMES = ("a", "b", "c")


def scalar(controls: Controls, times: np.ndarray) -> np.ndarray:
    function = ControlFunction(controls)
    rows = np.zeros((len(times), len(controls.names)))
    for row, t in zip(rows, times.tolist(), strict=True):
        function.into(t, row)
    return rows


def test_spline_is_evaluated_like_scipys():
    spline = CubicSpline(TIMES, VALUES)
    controls = Controls.from_ppoly(spline, NAMES)
    t = np.linspace(0.0, 2.0, 101)
    assert controls(t) == pytest.approx(spline(t), abs=1e-14)
    assert scalar(controls, t) == pytest.approx(spline(t), abs=1e-14)
    assert controls.derivative()(t) == pytest.approx(spline(t, 1), abs=1e-12)


def test_hermite_and_linear_interpolation_are_those_of_scipy_and_numpy():
    rates = VALUES[::-1].copy()
    t = np.linspace(0.0, 2.0, 101)
    hermite = CubicHermiteSpline(TIMES, VALUES, rates)
    assert Controls.cubic(TIMES, VALUES, rates, NAMES)(t) == pytest.approx(hermite(t), abs=1e-13)
    linear = np.column_stack([np.interp(t, TIMES, column) for column in VALUES.T])
    assert Controls.linear(TIMES, VALUES, NAMES)(t) == pytest.approx(linear, abs=1e-14)


def test_end_values_hold_before_and_after():
    controls = Controls.linear(TIMES, VALUES, NAMES)
    assert scalar(controls, np.array([-1.0, 9.0])) == pytest.approx(VALUES[[0, -1]])
    assert controls([-1.0, 9.0]) == pytest.approx(VALUES[[0, -1]])


def test_window_gives_one_sided_values_at_jumps():
    function = ControlFunction(Controls.hold(TIMES, VALUES, NAMES))
    row = [0.0] * 3
    function.window(0.3, 0.5)
    function.into(0.5, row)
    assert row == VALUES[1].tolist()
    function.into(0.3, row)
    assert row == VALUES[1].tolist()
    function.window(0.5, 1.1)
    function.into(0.5, row)
    assert row == VALUES[2].tolist()


def test_controls_with_drives_survive_pickling_and_the_message():
    reference = Controls.from_ppoly(CubicSpline(TIMES, VALUES[:, :1]), ["r"])
    drives = Drives(("a",), ("s",), ("v",), (2.0,), (3.0,), reference)
    controls = Controls.hold(TIMES, VALUES, NAMES).with_drives(drives)
    for copy in (pickle.loads(pickle.dumps(controls)), from_message(*to_message(controls))):
        assert copy.names == NAMES
        assert copy([0.7]) == pytest.approx(controls([0.7]))
        assert copy.drives.kp == (2.0,)
        assert copy.drives.velocity([0.7]) == pytest.approx(drives.velocity([0.7]))


def test_wrong_controls_are_refused():
    with pytest.raises(InputError, match="do not increase"):
        Controls.hold([0.0, 0.0], VALUES[:2], NAMES)
    with pytest.raises(InputError, match="not finite"):
        Controls.hold([0.0, 1.0], VALUES[:2] * np.nan, NAMES)
    with pytest.raises(InputError, match="do not fit"):
        Controls.hold([0.0, 1.0], VALUES[:2], ["a"])
    with pytest.raises(InputError, match="twice"):
        Controls.constant([0.0, 1.0], ["a", "a"])
    with pytest.raises(InputError, match="no feedforward for input 'z'"):
        Controls.constant([0.0], ["a"]).with_drives(
            Drives(("z",), ("s",), ("v",), (1.0,), (1.0,), Controls.constant([0.0], ["r"]))
        )


# ---------------------------------------------------------------------------- DOP853


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d[\d.e-]*", text)]


def test_coefficients_are_those_of_scipy():
    text = loop_library.sources()["dop853_tables.h"]
    tables = dict(
        re.findall(r"^static const \w+ (\w+)[][\d]* = (.*?);", text, re.DOTALL | re.MULTILINE)
    )
    for name, ours in (("C", "NODES_C"), ("D", "D"), ("E3", "E3"), ("E5", "E5")):
        assert numbers(tables[ours]) == getattr(scipy_coefficients, name).ravel().tolist()
    A = np.zeros_like(scipy_coefficients.A)
    rows = re.findall(
        r"\{(\d+),\s*\{(.*?)\},\s*\{(.*?)\}\}",
        tables["STEP_ROWS"] + tables["EXTRA_ROWS"],
        re.DOTALL,
    )
    for stage, (count, places, values) in enumerate(rows, 1):
        assert int(count) == len(numbers(values))
        A[stage, list(map(int, numbers(places)))] = numbers(values)
    assert np.array_equal(A, scipy_coefficients.A)


def kepler(t: float, y: np.ndarray) -> np.ndarray:
    cube = (y[0] ** 2 + y[1] ** 2) ** 1.5
    return np.array([y[2], y[3], -y[0] / cube, -y[1] / cube])


def integrate(rtol: float, times: np.ndarray, stops: list[float]) -> tuple[np.ndarray, Integrator]:
    import ctypes

    def rhs(t: float, states: int, derivatives: int) -> None:
        x = np.ctypeslib.as_array((ctypes.c_double * 4).from_address(states))
        np.ctypeslib.as_array((ctypes.c_double * 4).from_address(derivatives))[:] = kepler(t, x)

    control = StepControl(rtol, rtol, np.inf)
    integrator = make_integrator("DOP853", rhs, 4, control, lambda t, x: np.eye(4))
    x, t = np.array([0.5, 0.0, 0.0, np.sqrt(3.0)]), 0.0
    rows = []
    for stop in stops:
        integrator.begin(t, x, stop)
        while integrator.t < stop:
            integrator.step()
            inside = times[(times >= integrator.t_old) & (times < integrator.t)]
            rows.append(integrator.dense(inside))
        t, x = integrator.t, integrator.x.copy()
    return np.vstack(rows), integrator


def test_integrator_agrees_with_scipys():
    times = np.linspace(0.0, 9.99, 200)
    y0 = [0.5, 0.0, 0.0, np.sqrt(3.0)]
    reference = solve_ivp(kepler, (0, 10), y0, "DOP853", rtol=1e-13, atol=1e-13, t_eval=times)
    theirs = solve_ivp(kepler, (0, 10), y0, "DOP853", rtol=1e-9, atol=1e-9, t_eval=times)
    rows, integrator = integrate(1e-9, times, [10.0])
    assert np.abs(rows - reference.y.T).max() < 2 * np.abs(theirs.y - reference.y).max() + 1e-9
    assert integrator.evaluations < 1.3 * theirs.nfev + 3 * integrator.steps


def test_integrator_is_not_disturbed_by_stops():
    times = np.linspace(0.0, 9.99, 200)
    whole, one = integrate(1e-10, times, [10.0])
    parts, many = integrate(1e-10, times, [*np.linspace(0.05, 10.0, 200)])
    assert np.abs(whole - parts).max() < 1e-8
    assert many.steps <= 200 + one.steps
