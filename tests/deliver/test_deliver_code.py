"""Tables as code: compiled C and parsed Structured Text give the signals at random times."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cranebridge.deliver import DeliveryOrder, deliver
from cranebridge.emit.structured_text import number
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.sampling import sample
from structured_text import Machine, parse

COLUMNS = ["u", "q", "a.s", "rope", "gamma", "lambda"]
GROUPS = ("u", "q", "rope", "gamma", "lambda")


@pytest.mark.parametrize(("precision", "tolerance"), [("double", 5e-7), ("single", 2e-5)])
@pytest.mark.parametrize("name", ["overhead", "rotary"])
def test_c_table_gives_the_exact_solution_at_random_times(
    solved, compile_c, tmp_path, name, precision, tolerance
):
    feedforward, tables = solved(name)
    target = tmp_path / "table.c"
    deliver(
        feedforward,
        DeliveryOrder("c", target, scenario=tables, columns=COLUMNS, precision=precision),
    )
    library = compile_c(target)
    real = ctypes.c_double if precision == "double" else ctypes.c_float
    duration = feedforward.problem.path.duration
    # in single precision the time itself is rounded: compare at times that it can hold
    times = np.sort(np.random.default_rng(5).uniform(0.0, duration, 500))
    times = times.astype(np.float32).astype(float)
    exact = sample(feedforward, times)
    values = [exact.values[g] for g in GROUPS]
    values.insert(2, exact.values["a"][:, [[*_names(feedforward)].index("s")]])
    expected = np.column_stack(values)
    array = (real * expected.shape[1])()
    library.table_at.argtypes = [real, type(array)]
    for time, row in zip(times, expected, strict=True):
        assert library.table_at(time, array) == 0
        error = np.abs(np.array(array) - row)
        assert (error <= tolerance * np.abs(expected).max(axis=0)).all()


def _names(feedforward):
    return [c.name for c in feedforward.problem.crane.coordinates]


def test_c_table_tells_before_after_and_not_a_number(solved, compile_c, tmp_path):
    feedforward, tables = solved("overhead")
    target = tmp_path / "table.c"
    deliver(feedforward, DeliveryOrder("c", target, scenario=tables, columns=["q"]))
    library = compile_c(target)
    array = (ctypes.c_double * 4)()
    library.table_at.argtypes = [ctypes.c_double, type(array)]
    for time, status, row in ((-1.0, 2, 0), (3.0, 1, -1), (99.0, 1, -1), (0.0, 0, 0)):
        assert library.table_at(time, array) == status
        assert np.allclose(array, feedforward.q[row], rtol=0.0, atol=1e-12)
    before = list(array)
    assert library.table_at(float("nan"), array) == -1
    assert list(array) == before
    assert ctypes.c_double.in_dll(library, "table_duration").value == 3.0


def test_hermite_interpolation_of_the_c_table_has_order_four(solved, compile_c, tmp_path):
    """Also over the knots of the path at 5 s and 15 s, which are not multiples of the cycle."""
    feedforward, tables = solved("rotary")
    times = np.random.default_rng(2).uniform(0.0, 20.0, 2000)
    times = np.sort(np.append(times, [4.99, 5.0, 5.01, 15.0]))
    exact = solve_index1(feedforward.problem, times).u
    errors = []
    for count in (61, 122, 244):
        target = tmp_path / f"t{count}.c"
        deliver(
            feedforward,
            DeliveryOrder("c", target, scenario=tables, columns=["u"], cycle=20.0 / count),
        )
        library = compile_c(target)
        at, array = getattr(library, f"t{count}_at"), (ctypes.c_double * 3)()
        at.argtypes = [ctypes.c_double, type(array)]
        worst = np.zeros(3)
        for time, row in zip(times, exact, strict=True):
            at(time, array)
            worst = np.maximum(worst, np.abs(np.array(array) - row))
        errors.append(worst)
    rates = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert (rates > 3.5).all(), errors


@pytest.fixture
def block_text(solved, tmp_path):
    """The Structured Text of a short table: blark's parser is slow."""

    def write(name: str, **options: Any) -> tuple[str, Any]:
        feedforward, _ = solved(name)
        target = tmp_path / f"{name}.st"
        duration = feedforward.problem.path.duration
        options = {"columns": ["u"], "cycle": duration / 10, "scenario": None} | options
        deliver(feedforward, DeliveryOrder("st", target, **options))
        return target.read_text(), feedforward

    return write


@pytest.mark.parametrize("precision", ["double", "single"])
def test_structured_text_gives_the_same_values_as_the_c_table(
    block_text, solved, compile_c, tmp_path, precision
):
    text, feedforward = block_text("overhead", precision=precision)
    block = Machine(text, tmp_path)
    target = tmp_path / "same.c"
    deliver(feedforward, DeliveryOrder("c", target, scenario=None, columns=["u"], cycle=0.3))
    at, array = compile_c(target).same_at, (ctypes.c_double * 2)()
    at.argtypes = [ctypes.c_double, type(array)]
    tolerance = 1e-12 if precision == "double" else 1e-6
    for time in np.random.default_rng(0).uniform(0.0, 3.0, 50):
        block.call(Enable=True, PathTime=float(time))
        at(time, array)
        found = [block["u_F_t"], block["u_M_w"]]
        assert np.allclose(found, list(array), rtol=tolerance, atol=tolerance * 500)
        assert (block["Busy"], block["Done"], block["Error"]) == (
            True,
            False,
            False,
        )


def test_structured_text_block_keeps_its_values_at_an_error(block_text, tmp_path):
    text, feedforward = block_text("overhead")
    block = Machine(text, tmp_path)
    assert block["u_M_w"] == feedforward.u[0, 1]
    block.call(Enable=True, PathTime=1.0)
    before = block["u_F_t"]
    for wrong in (-1.0, float("nan")):
        block.call(Enable=True, PathTime=wrong)
        assert block["Error"]
        assert block["ErrorID"] == 1
        assert block["u_F_t"] == before
    block.call(Enable=False, PathTime=2.0)
    assert not block["Error"]
    assert not block["Busy"]
    assert block["u_F_t"] == before
    block.call(Enable=True, PathTime=5.0)
    assert block["Done"]
    assert block["u_M_w"] == pytest.approx(feedforward.u[-1, 1], rel=1e-12)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("END_IF;", ""),
        (":= FALSE", "= FALSE"),
        ("ARRAY[0..", "ARRAY[0.."[:-1]),
        ("WHILE", "WHILST"),
    ],
)
def test_the_parser_of_structured_text_can_refuse(block_text, old, new):
    text, _ = block_text("overhead", cycle=1.5, columns=["u.F_t"])
    parse(text)
    assert old in text
    with pytest.raises(Exception, match=r"(?s)."):
        parse(text.replace(old, new, 1))


def test_structured_text_literals_have_a_decimal_point(block_text):
    """IEC 61131-3 has no 1e-05: a real literal needs a point before its exponent."""
    assert number(1e-5, "double") == "1.0E-5"
    assert number(-2.5e300, "double") == "-2.5E300"
    assert number(3.0, "single") == "3.0"
    assert float(number(0.1, "double")) == 0.1
    text, _ = block_text("rotary", cycle=0.01)
    assert not re.search(r"(?<![.\d])\d+[eE]", text.split("FUNCTION_BLOCK", 1)[1])


def test_targets_with_odd_names_give_valid_identifiers(solved, compile_c, tmp_path: Path):
    feedforward, tables = solved("overhead", 0.1)
    target = tmp_path / "7 odd-näme__x.c"
    deliver(feedforward, DeliveryOrder("c", target, scenario=tables))
    assert hasattr(compile_c(target), "x7_odd_n_me_x_at")
