"""Equations as text: what is printed has the value of what is solved, and reads as on paper."""

from __future__ import annotations

import math
import re
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from cranebridge.twin import CRANES, Crane, equations_of_motion, find_crane
from cranebridge.twin.language.crane import names
from cranebridge.twin.printing.equation_text import (
    SHORT,
    EquationText,
    equation_texts,
    used_parameters,
)
from cranebridge.twin.printing.sums import joined, sum_of

EXAMPLES = Path(__file__).parents[2] / "examples"
OWN = ("spring_trolley.py:SpringTrolley", "hook_path.py:HookPath")
FUNCTIONS = {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, "tanh": math.tanh}


def valued(text: str, numbers: dict[str, float]) -> float:
    """Evaluate a side of an equation as Python would read it."""
    code = text.replace("''", "__dd").replace("'", "__d").replace("^", "**")
    code = re.sub(r"\blambda\b", "lambda_", code)  # the one name that Python keeps for itself
    return float(eval(code, {"__builtins__": {}}, FUNCTIONS | numbers))


def state(crane: Crane, model) -> tuple[list[np.ndarray], dict[str, float]]:
    random = np.random.default_rng(3)
    groups = (
        (model.q, crane.coordinates, ""),
        (model.v, crane.coordinates, "__d"),
        (model.a, crane.coordinates, "__dd"),
        (model.lam, crane.multipliers, ""),
        (model.u, crane.inputs, ""),
        (model.p, crane.parameters, ""),
    )
    values = [random.uniform(0.5, 1.5, vector.numel()) for vector, _, _ in groups]
    numbers = {
        ("lambda_" if name == "lambda" else name) + mark: float(number)
        for (_, quantities, mark), part in zip(groups, values, strict=True)
        for name, number in zip(names(quantities), part, strict=True)
    }
    return values, numbers


@pytest.mark.parametrize("name", [*sorted(set(CRANES) - {"rpr"}), *OWN])
def test_printed_equations_have_the_value_of_those_that_are_solved(name: str) -> None:
    crane = find_crane(name, EXAMPLES)
    model = equations_of_motion(crane)
    values, numbers = state(crane, model)
    symbols = [model.q, model.v, model.a, model.lam, model.u, model.p]
    stacked = ca.vertcat(model.motion, model.constraints, model.outputs, model.ropes)
    wanted = np.array(ca.Function("f", symbols, [stacked])(*values))[:, 0]
    texts = equation_texts(model)
    assert len(texts) == wanted.size
    for entry, value in zip(texts, wanted, strict=True):
        left, right = entry.text().split(" = ")
        if entry.group in ("output", "rope"):
            assert left == entry.name
            found = valued(right, numbers)
        elif left == "0":
            found = valued(right, numbers)
        else:
            found = valued(left, numbers) - valued(right, numbers)
        # constants are printed with ten digits, and products are summed in another order
        assert found == pytest.approx(value, rel=1e-8, abs=1e-8), entry


def test_pendulum_reads_as_on_paper() -> None:
    theta, m, x = (ca.SX.sym(name) for name in ("theta", "m", "x"))
    length = m * ca.sin(theta) ** 2 * x + m * ca.cos(theta) ** 2 * x - 0.5 * (2 * theta)
    assert joined(sum_of(length, {})) == "m*x - theta"
    assert joined(sum_of(ca.SX(0), {})) == "0"
    assert joined(sum_of((x + 1) / (2 * m), {})) == "0.5*x/m + 0.5/m"
    assert joined(sum_of(1 / (x + m) ** 2, {})) == "1/(x^2 + 2*m*x + m^2)"
    assert joined(sum_of(ca.atan2(x, 2 * m), {"x": "y"})) == "atan2(y, 2*m)"


def test_squares_of_different_angles_are_not_gathered() -> None:
    a, b = ca.SX.sym("a"), ca.SX.sym("b")
    text = joined(sum_of(ca.sin(a) ** 2 + ca.cos(b) ** 2, {}))
    assert text == "sin(a)^2 + cos(b)^2"


def test_product_of_long_sums_stays_a_product() -> None:
    a, b = ca.SX.sym("a", 60), ca.SX.sym("b", 60)
    text = joined(sum_of(ca.sum1(a) * ca.sum1(b), {}))
    assert text.count("*") == 1
    numbers = {f"{name}_{i}": float(i) for name in "ab" for i in range(60)}
    assert valued(text, numbers) == (59 * 60 / 2) ** 2


def test_overhead_crane_reads_as_in_its_documentation() -> None:
    texts = {entry.name: entry.text() for entry in equation_texts(model_of("overhead"))[:4]}
    assert texts == {
        "s": "m_t*s'' = F_t + (x - s)*lambda",
        "l": "J*l''/r^2 = M_w/r + l*lambda",
        "x": "m*x'' = -(x - s)*lambda",
        "z": "m*z'' = -z*lambda - g*m",
    }


def model_of(name: str):
    return equations_of_motion(find_crane(name, EXAMPLES))


def test_long_equation_is_cut_and_says_by_how_much() -> None:
    entry = EquationText("motion", "x", ("+ m*x''",), tuple(f"- {'a' * 50}{i}" for i in range(9)))
    short = entry.text(full=False)
    assert len(short) < len(entry.text()) == len("m*x'' = ") + 9 * 51 + 8 * 3 + 1
    shown = short.count("a" * 50)
    assert short.endswith(f"({9 - shown} more terms)")


def test_long_term_is_cut_and_says_how_long_it_is() -> None:
    entry = EquationText("motion", "x", (f"+ ({'a' * 5000})*x''", "+ b"), ("+ F",))
    assert entry.text(full=False) == (
        f"({'a' * (SHORT - 1)}... (a term of 5006 characters) + ... (1 more terms) = F"
    )


def test_equation_that_nobody_could_read_says_how_long_it_is() -> None:
    # Three legs that follow by geometry, each used in many places: written out they fill memory.
    texts = equation_texts(model_of("rpr"))
    motion, outputs = texts[:6], texts[6:]
    for entry in motion:
        assert re.fullmatch(r"too long to read: an expression of \d{4} operations", entry.text())
    assert [entry.text() for entry in outputs] == ["x = x", "y = y", "psi = psi"]


def test_parameters_of_the_equations_are_known() -> None:
    assert used_parameters(model_of("overhead")) == {"m", "m_t", "J", "r", "g"}
    crane = CRANES["navy2d"]()
    assert used_parameters(equations_of_motion(crane)) == set(names(crane.parameters))
