"""Discrete gradients: exact directionality, mid-point rule for quadratic functions, symmetry."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from cranebridge.errors import InputError
from cranebridge.forward import discrete_gradient

RANDOM = np.random.default_rng(3)
q = ca.SX.sym("q", 3)
x, y, z = ca.vertsplit(q)
EXPRESSIONS = {
    "rational": (x * y - 2.0) / (1.0 + z**2),
    "root": ca.sqrt(x**2 + y**2 + z**2),
    "trigonometric": x * ca.sin(y) - z * ca.cos(y),
    "power": (x + y) ** 6 - z**3 / x,
    "exponential": ca.exp(x * y) / z,
}


def evaluate(expression: ca.SX, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    a, b = ca.SX.sym("a", 3), ca.SX.sym("b", 3)
    function = ca.Function("D", [a, b], [discrete_gradient(expression, q, a, b)])
    return np.array(function(first, second))


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_discrete_gradient_times_the_step_is_the_difference(name: str) -> None:
    first, second = RANDOM.uniform(0.5, 1.5, (2, 3))
    value = ca.Function("F", [q], [EXPRESSIONS[name]])
    found = evaluate(EXPRESSIONS[name], first, second)[0] @ (second - first)
    assert found == pytest.approx(float(value(second) - value(first)), rel=1e-12)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_discrete_gradient_at_one_point_is_the_gradient(name: str) -> None:
    point = RANDOM.uniform(0.5, 1.5, 3)
    gradient = ca.Function("G", [q], [ca.gradient(EXPRESSIONS[name], q)])
    wanted = np.array(gradient(point))[:, 0]
    assert evaluate(EXPRESSIONS[name], point, point)[0] == pytest.approx(wanted, rel=1e-12)


def test_quadratic_functions_get_their_gradient_at_the_midpoint() -> None:
    expression = 0.5 * ca.sumsqr(q) + x * y - 3 * z + (x - 2 * y) ** 2
    first, second = RANDOM.uniform(-1.0, 1.0, (2, 3))
    gradient = ca.Function("G", [q], [ca.gradient(expression, q)])
    wanted = np.array(gradient((first + second) / 2))[:, 0]
    assert evaluate(expression, first, second)[0] == pytest.approx(wanted, abs=1e-14)


def test_function_of_the_distance_gets_a_gradient_along_the_mean_vector() -> None:
    # so that the force has no moment about the origin at the mid-point
    square = ca.sumsqr(q)
    first, second = RANDOM.uniform(0.5, 1.5, (2, 3))
    found = evaluate(1.0 / square**3 - ca.sqrt(square), first, second)[0]
    assert np.linalg.norm(np.cross(found, first + second)) < 1e-14


def test_rows_belong_to_components() -> None:
    first, second = RANDOM.uniform(0.5, 1.5, (2, 3))
    both = evaluate(ca.vertcat(x * y, ca.SX(2.0), z), first, second)
    assert both.shape == (3, 3)
    assert both[1] == pytest.approx([0, 0, 0])
    assert both[2] == pytest.approx([0, 0, 1])


def test_an_operation_without_slope_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="OP_TAN"):
        evaluate(ca.tan(x), np.ones(3), np.ones(3))
    with pytest.raises(InputError, match="whole exponents"):
        evaluate(x**1.5, np.ones(3), np.ones(3))
