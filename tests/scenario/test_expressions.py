"""Expressions of a map: a number, a CasADi expression or a sentence, never another exception."""

from __future__ import annotations

import contextlib
import math
import operator
import re
from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranebridge.errors import InputError
from cranebridge.expressions import LONGEST, evaluate, parse, require_expression

VALUES = {"a": 3.0, "b": -5.0, "zero": 0.0}

NO_VALUE = [
    "1/0",
    "a/0",
    "a/zero",
    "10**400",
    "2**10000",
    "1" + "0" * 400,
    "1e999",
    "-1e999",
    "(-1)**0.5",
    "b**0.5",
    "0**(-1)",
    "sqrt(-1)",
    "sqrt(b)",
    "log(0)",
    "log(b)",
    "asin(a)",
    "exp(1000)",
    "exp(a*1000)",
    "1e308*10",
    "1e308 + 1e308",
    "1e999 - 1e999",
]


@pytest.mark.parametrize("text", NO_VALUE)
def test_what_has_no_finite_real_value_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="has no finite real value") as caught:
        evaluate("plant.map.start.s", text, VALUES)
    assert str(caught.value).startswith("plant.map.start.s = '")


@pytest.mark.parametrize("text", ["a/0", "a/(b - b)", "a + 1/0", "a*10**400", "a + sqrt(-1)"])
def test_symbolic_expression_without_a_value_is_refused(text: str) -> None:
    symbols = {name: ca.SX.sym(name) for name in ("a", "b")}
    with pytest.raises(InputError, match="has no finite real value"):
        parse("key", text, symbols)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(" * 250 + "a" + ")" * 250, "not an expression|nested too deeply"),
        ("-" * 1500 + "a", "nested too deeply"),
        ("a + " * LONGEST + "a", f"at most {LONGEST} are read"),
        ("9" * 1900, "no finite real value"),
        ("a\0b", "not an expression"),
        ("\ud800", "not an expression"),
        ("", "not an expression"),
        ("a\nb", "not an expression"),
        ("1if a else b", "only numbers, names"),
        ("1j", "only numbers, names"),
        ("a[0]", "only numbers, names"),
        ("a // b", "only numbers, names"),
        ("a < b", "only numbers, names"),
        ("sin(*a)", "only numbers, names"),
        ("lambda: 1", "only numbers, names"),
        ("(a := 3)", "only numbers, names"),
        ("f'{a}'", "only numbers, names"),
        ("None", "only numbers, names"),
    ],
)
def test_strange_text_is_refused_in_one_short_sentence(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        evaluate("key", text, VALUES)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_long_sum_is_no_nesting() -> None:
    assert evaluate("key", "a" + "+a" * 200, VALUES) == 603.0


def test_syntax_is_judged_before_names_are_known() -> None:
    require_expression("key", "anything*2 + sin(else_)")
    with pytest.raises(InputError, match="not an expression"):
        require_expression("key", "anything*")


OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=0.0)
Tree = tuple[str, Callable[[], float]]


def combined(parts: tuple[Tree, str, Tree]) -> Tree:
    (left, x), sign, (right, y) = parts
    return f"({left} {sign} {right})", lambda: OPERATORS[sign](x(), y())


TREES: st.SearchStrategy[Tree] = st.recursive(
    st.one_of(
        NUMBERS.map(lambda value: (repr(value), lambda: value)),
        st.sampled_from(sorted(VALUES)).map(lambda name: (name, lambda: VALUES[name])),
    ),
    lambda inner: st.tuples(inner, st.sampled_from(sorted(OPERATORS)), inner).map(combined),
    max_leaves=12,
)


def value_or_sentence(text: str) -> float | str:
    """Return the value, or the message; any other exception goes through and fails the test."""
    try:
        return evaluate("key", text, VALUES)
    except InputError as error:
        return str(error)


@settings(max_examples=300, deadline=None)
@given(TREES)
def test_random_arithmetic_is_pythons_or_has_no_value(tree: Tree) -> None:
    text, value = tree
    found = value_or_sentence(text)
    if isinstance(found, float):
        assert found == value()
    else:  # some intermediate result is not finite
        assert "has no finite real value" in found
        assert not _all_finite(text)


def _all_finite(text: str) -> bool:
    with np.errstate(all="raise", under="ignore"):
        try:
            names = {name: np.float64(value) for name, value in VALUES.items()}
            wrapped = re.sub(r"(?<![\w.])(\d[\d.]*(?:e[+-]?\d+)?)", r"F(\1)", text)
            return bool(np.isfinite(eval(wrapped, {"F": np.float64, **names})))
        except (FloatingPointError, ZeroDivisionError):
            return False


WORDS = ["a", "b", "zero", "c", "pi", "sin", "atan2", "sqrt", "exp", "1e308", "0", "10**400", "1j"]
PIECES = st.sampled_from([*WORDS, *"+-*/()., ", "**", "'", "[", "]", ":", "=", "if", "\0", "é"])


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.lists(PIECES, max_size=20).map("".join), st.text(max_size=30)))
def test_random_text_is_a_number_or_a_sentence(text: str) -> None:
    found = value_or_sentence(text)
    assert math.isfinite(found) if isinstance(found, float) else found
    symbols = {name: ca.SX.sym(name) for name in VALUES}
    with contextlib.suppress(InputError):
        assert ca.SX(parse("key", text, symbols)).is_scalar()
