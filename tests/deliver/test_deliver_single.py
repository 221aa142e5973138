"""Single precision: exact constants, a refusal of what it cannot hold, its rounding stated."""

from __future__ import annotations

import ctypes
import json
import re
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

from cranebridge.deliver import DeliveryOrder, deliver
from cranebridge.emit import emit_function, literal
from cranebridge.emit.structured_text import number
from cranebridge.errors import InputError
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.sampling import sample
from cranebridge.inverse.signal_groups import signals
from cranebridge.limits import Limits, Range
from cranebridge.path import Line, three_phase

CODE = ("c", "st", "generator")


def random_singles(count):
    """Numbers of single precision of all sizes, most of which need nine digits."""
    bits = np.random.default_rng(3).integers(0, 2**32, count, dtype=np.uint32)
    values = bits.view(np.float32)
    return values[np.isfinite(values)]


@pytest.mark.parametrize(
    "write", [lambda x: literal(x, "single").rstrip("f"), lambda x: number(x, "single")]
)
def test_constants_of_single_precision_read_back_as_the_same_number(write):
    values = random_singles(2000)
    assert len(values) > 1900
    found = np.array([np.float32(write(float(value))) for value in values])
    assert np.array_equal(found, values)


def test_the_single_c_table_has_the_rounded_solution_at_its_nodes(solved, compile_c, tmp_path):
    """To the last bit: at a node the cubic is its value."""
    feedforward, tables = solved("rotary")
    target = tmp_path / "table.c"
    deliver(
        feedforward,
        DeliveryOrder("c", target, scenario=tables, precision="single", columns=["u", "q"]),
    )
    times = np.arange(0.0, 20.0, 0.25)  # exact in single precision, and multiples of the cycle
    exact = sample(feedforward, times)
    expected = np.hstack([exact.values["u"], exact.values["q"]]).astype(np.float32)
    library, array = compile_c(target), (ctypes.c_float * expected.shape[1])()
    library.table_at.argtypes = [ctypes.c_float, type(array)]
    for time, row in zip(times, expected, strict=True):
        library.table_at(time, array)
        assert np.array_equal(np.array(array, dtype=np.float32), row), time


@pytest.fixture
def moved(solved):
    """A rotary crane's feedforward with other parameters, another place or another duration."""

    def make(parameters=None, start=None, goal=None, duration=20.0, name="rotary"):
        feedforward, tables = solved(name, 0.5)
        problem = feedforward.problem
        path = problem.path
        if start is not None:
            path = Line(path.outputs, start, goal, three_phase(duration, duration / 4))
        problem = replace(problem, parameters=problem.parameters | (parameters or {}), path=path)
        return solve_index1(problem, np.linspace(0.0, path.duration, 101)), tables

    return make


def refused(feedforward, tables, to, folder, message, in_double=True, **options):
    options = {"precision": "single", "allow_violations": True, "scenario": tables} | options
    with pytest.raises(InputError, match=message) as caught:
        deliver(feedforward, DeliveryOrder(to, folder / "out", **options))
    assert "\n" not in str(caught.value)
    assert "double precision" in str(caught.value)
    assert not list(folder.iterdir())
    if in_double:
        deliver(
            feedforward, DeliveryOrder(to, folder / "out", **(options | {"precision": "double"}))
        )


@pytest.mark.parametrize("to", CODE)
def test_positions_far_from_the_origin_are_refused(moved, tmp_path, to):
    """At 2000 km a number of single precision is good to 6 cm, half its spacing of 2^-3 m."""
    start, goal = (2e6, 0.0, -5.0), (2e6 + 7.0, 2.0, -2.0)
    feedforward, tables = moved(start=start, goal=goal)
    message = r"rounds (q\.s|gamma\.x) by 0\.062 m, which does not resolve a motion of 7"
    # a cycle so long that the motion within it alone would be resolved
    refused(feedforward, tables, to, tmp_path, message, cycle=1.0, **columns(to))


def columns(to):
    return {} if to == "generator" else {"columns": ["u", "q", "gamma"]}


@pytest.mark.parametrize("to", CODE)
def test_a_cycle_that_time_cannot_tell_is_refused(moved, tmp_path, to):
    """At 200 000 s neighbours are 2^-6 s apart."""
    start, goal = (5.0, 0.0, -5.0), (-2.0, 2.0, -2.0)
    feedforward, tables = moved(start=start, goal=goal, duration=2e5)
    message = r"at 200000 s single precision tells times apart by 0\.016 s"
    # in double precision that would be two million rows
    refused(feedforward, tables, to, tmp_path, message, False, cycle=0.1, **columns(to))


@pytest.mark.parametrize("to", CODE)
def test_motion_below_the_rounding_of_a_cycle_is_refused(moved, tmp_path, to):
    """0.1 m in 2000 s is 1.4e-4 m/s at most; over 2 ms that is less than the rounding at 9 m."""
    start, goal = (9.0, 0.0, -5.0), (9.1, 0.0, -5.0)
    feedforward, tables = moved(start=start, goal=goal, duration=2000.0)
    message = r"does not resolve a motion of 0\.1 m with .*e-07 m in a cycle"
    refused(feedforward, tables, to, tmp_path, message, False, cycle=0.002, **columns(to))


@pytest.mark.parametrize("to", CODE)
def test_values_beyond_single_precision_are_refused(moved, tmp_path, to):
    """A load of 1e38 kg weighs 9.81e38 N; the largest number is 3.4e38."""
    feedforward, tables = moved(parameters={"m": 1e38}, name="overhead")
    message = r"(rope\.T_cable|u\.F_t) is as large as .*e\+3[89] N, beyond single precision"
    wanted = {} if to == "generator" else {"columns": ["rope"]}
    refused(feedforward, tables, to, tmp_path, message, cycle=0.1, **wanted)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1e39, r"parameter J_w is as large as 1e\+39, beyond"),
        (1e-40, "parameter J_w is 1e-40, so small"),
    ],
)
def test_parameters_that_the_generator_cannot_hold_are_refused(moved, tmp_path, value, message):
    feedforward, tables = moved(name="overhead")
    problem = feedforward.problem
    parameters = problem.parameters | {"J_w": value}
    # only the parameter is out of range: the solution is that of the usual winch
    other = replace(feedforward, problem=replace(problem, parameters=parameters))
    refused(other, tables, "generator", tmp_path, message, cycle=0.1)


def test_limits_beyond_single_precision_are_no_limits_or_refused(moved, tmp_path):
    feedforward, tables = moved(name="overhead")
    limits = Limits(u={"F_t": Range(-1e300, 1e300)})
    options = {"scenario": tables, "limits": limits, "precision": "single"}
    deliver(feedforward, DeliveryOrder("generator", tmp_path / "online.c", **options))
    assert "1e+300" not in (tmp_path / "online.c").read_text().split("#include")[1]


def test_constants_of_a_function_that_single_precision_cannot_hold_are_refused():
    x = ca.SX.sym("x")
    for value, message in ((1e60, "beyond single precision"), (1e-60, "makes zero")):
        function = ca.Function("f", [x], [x * value])
        emit_function(function, "f", "double", "double")
        with pytest.raises(InputError, match=message):
            emit_function(function, "f", "single", "float")
    with pytest.raises(InputError, match="only finite numbers"):
        literal(float("inf"), "double")


@pytest.mark.parametrize("to", CODE)
@pytest.mark.parametrize(("precision", "digits"), [("single", 24), ("double", 53)])
def test_the_quantisation_is_stated(solved, tmp_path, to, precision, digits):
    """Half a unit in the last of 24 or 53 binary digits, of the largest value of each unit."""
    feedforward, tables = solved("rotary", 0.5)
    target = tmp_path / "out"
    files = deliver(feedforward, DeliveryOrder(to, target, scenario=tables, precision=precision))
    for file in files:
        lines = [re.sub(r"^(#| \*|  ) ", "", line) for line in file.read_text().splitlines()]
        record = json.loads("\n".join(lines[lines.index("{") : lines.index("}") + 1]))
        stated = record["quantisation"]
        # 20 s lie between 2^4 and 2^5
        assert stated["time"]["s"] == 2.0 ** (5 - digits - 1)
        samples = sample(feedforward, feedforward.time)
        for signal in signals(feedforward.problem.crane).values():
            if signal.group in stated:
                largest = np.abs(samples.value(signal)).max()
                half = 2.0 ** (np.floor(np.log2(largest)) - digits)
                assert stated[signal.group][signal.unit] >= half
        assert set(stated["u"]) == {"N", "N*m"}
