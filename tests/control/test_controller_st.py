"""A controller's Structured Text, with its observer: it does what the C module does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
import pytest
from controller_driver import Module
from test_controller_c import SENSORS, design, loop_case

from cranebridge.control import Observer, Sensor, design_law, design_observer, draw_noise
from cranebridge.control.code import observer_st
from cranebridge.control.code.controller import Controller, controller_of
from cranebridge.control.code.controller_st import controller_block
from cranebridge.control.model.reference_motion import ReferenceMotion
from cranebridge.control.model.sampled_motion import motion_step
from cranebridge.emit.st_code import emit_statements
from cranebridge.emit.structured_text import listed
from cranebridge.errors import InputError
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import time_grid
from cranebridge.limits import Limits
from cranebridge.scenario import load_scenario
from structured_text import Machine


@dataclass(frozen=True, eq=False)
class Pair:
    """A controller in both languages, and what its sensors say."""

    controller: Controller
    block: Machine
    module: Module
    measured: np.ndarray

    def rounded(self, measured: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return what one rounding of each reading has changed in the inputs up to a sample.

        Law and filter together may be unstable by themselves, while the loop is not: then what is
        rounded grows where readings are replayed.
        """
        ulp = np.finfo(float).eps * np.random.default_rng(1).choice([-1.0, 1.0], measured.shape)
        changed = np.abs(self.module.run(measured * (1.0 + ulp))[1] - u)
        return np.maximum.accumulate(changed)

    def compare(self, measured: np.ndarray, part: float) -> tuple[np.ndarray, np.ndarray]:
        """Run both, see that they do the same, and return statuses and inputs."""
        status, u = self.module.run(measured)
        lost = "Lost" if self.controller.observer else "Busy"
        found = self.block.run(measured, "Error", lost, "Done", "ErrorID")
        given, (error, lost, done, number) = found[:, : u.shape[1]], found[:, u.shape[1] :].T
        lost *= self.controller.observer is not None
        assert np.isfinite(given).all()
        allowed = np.maximum(part * np.abs(u).max(axis=0), 10.0 * self.rounded(measured, u))
        assert (np.abs(given - u) <= allowed).all()
        assert (np.where(error, -1, np.where(lost, -2, done)) == status).all()
        assert (number == error).all()
        return status, given


def pair(controller: Controller, measured: np.ndarray, folder, precision: str = "double") -> Pair:
    """Compile both; the C module with the motion as the block's table has it."""
    for name in ("st", "c"):
        (folder / name).mkdir()
    block = Machine(controller_block(controller, "mine", precision), folder / "st")
    nodes, samples = block.array("NodeSample").astype(int), np.arange(len(controller.hold))
    thin = {
        name: np.column_stack([np.interp(samples, nodes, column[nodes]) for column in table.T])
        for name, table in (("hold", controller.hold), ("reference", controller.reference))
    }
    assert len(nodes) < len(samples)
    module = Module(replace(controller, **thin), folder / "c", precision)
    return Pair(controller, block, module, measured)


@pytest.fixture(scope="module")
def overhead(tmp_path_factory) -> Pair:
    """Payload estimated, a delay of two and a half cycles, a camera at every fourth sample."""
    case = loop_case("lqr", 0.0125, SENSORS, "parameter.m", {"F_t": 520.0, "M_w": 150.0})
    return pair(case.controller, case.measured, tmp_path_factory.mktemp("overhead"))


# Both do the same operations: what differs is the rounding of the interpolated reference, 1e-16 of
# some metres, times gains of 1e5 N/m.
ROUNDING = 1e-10


def test_block_gives_the_inputs_of_the_module(overhead) -> None:
    status, given = overhead.compare(overhead.measured, ROUNDING)
    assert set(status) == {0, 1}
    limited = np.abs(given[:, 0]) == 520.0
    assert limited.any()
    assert limited.mean() < 0.2
    # what is estimated has names, the payload among them
    told = [overhead.block[name] for name in overhead.block.names("Estimate_")]
    assert "estimate_parameter_m" in overhead.block.names("Estimate_")
    assert told == pytest.approx(overhead.module.estimate, rel=1e-6, abs=1e-8)
    # a block that was never reset begins where a reset one does
    overhead.block.start()
    read = dict(zip(overhead.block.names("In_"), overhead.measured[0].tolist(), strict=True))
    overhead.block.call(Enable=True, **read)
    first = [overhead.block[name] for name in overhead.block.names("Out_")]
    assert first == given[0].tolist()
    overhead.block.call(Enable=False)
    assert [overhead.block[name] for name in overhead.block.names("Out_")] == first


def test_lost_readings_are_lost_as_in_the_module(overhead) -> None:
    measured = overhead.measured.copy()
    measured[100:150, 2] = np.nan
    # at a limit, and the feedforward goes up and down meanwhile: the correction shrinks
    measured[161:230] = np.nan
    measured[300:310, 0] = 1e20
    measured[320:330, 1] = -np.inf
    measured[400:420, 3] = 1e4  # the camera is read in every fourth of these
    status, _ = overhead.compare(measured, ROUNDING)
    assert (status[100:150] == -2).all()
    assert (status[161:230] == -1).all()
    assert (status[400:420] == np.tile([-2, 0, 0, 0], 5)).all()


def test_a_reading_that_stays_refused_is_taken_again_as_in_the_module(overhead, tmp_path) -> None:
    observer = replace(overhead.controller.observer, gate=20.0)
    both = pair(replace(overhead.controller, observer=observer), overhead.measured, tmp_path)
    measured = overhead.measured.copy()
    measured[150:260, 1] += 0.2  # m of rope, for longer than the filter is patient
    status, given = both.compare(measured, ROUNDING)
    patience = round(observer.patience / observer.cycle)
    assert (status[150 : 151 + patience] == -2).all()
    assert status[151 + patience] == 0
    # what the block does then is not what it does without the jump
    _, before = both.compare(overhead.measured, ROUNDING)
    assert np.abs(given[195:260] - before[195:260]).max() > 10.0


def test_estimate_that_leads_nowhere_is_not_taken_as_in_the_module(overhead) -> None:
    # as in test_controller_c: a rope of no length is where the crane's equations have no answer
    measured = overhead.measured.copy()
    measured[100:110, 1:] = 0.0
    status, _ = overhead.compare(measured[:200], ROUNDING)
    assert (status[101:110] == -1).any()


@pytest.mark.parametrize("refuses", [True, False])
def test_block_brings_the_load_to_its_goal_past_a_wrong_reading(refuses, tmp_path) -> None:
    made = design("lqi")
    reference, crane = made.reference, made.law.crane
    controller = controller_of(made.law, reference, Limits())
    if not refuses:
        controller = replace(controller, far=np.full(controller.far.shape, 1e100))
    both = pair(controller, np.zeros((0, len(controller.measured))), tmp_path)
    motion = motion_step(crane, made.model.coordinates)
    p = np.array([reference.parameters[part.name] for part in crane.parameters])
    names = both.block.names("In_"), both.block.names("Out_")
    q, v, said = reference.q[0], reference.v[0], []
    both.block.call(Enable=False, Reset=True)
    for k in range(1400):
        known = {f"q.{c.name}": q[i] for i, c in enumerate(crane.coordinates)}
        known |= {f"v.{c.name}": v[i] for i, c in enumerate(crane.coordinates)}
        wrong = {150: 1e3, 250: 1e30} if refuses else {200: 1e3}
        known |= {"y.x": wrong.get(k, q[2]), "y.z": q[3]}
        said.append([known[channel.name] for channel in controller.measured])
        both.block.call(Enable=True, Reset=False, **dict(zip(names[0], said[k], strict=True)))
        u = [both.block[name] for name in names[1]]
        q, v = (np.array(part)[:, 0] for part in motion.step(q, v, u, [0.0, 0.0], p, 0.005))
    # the reference is that of the table, right to 1e-4 of its range
    assert q[2:] == pytest.approx(reference.outputs[-1], abs=1e-3)
    status, given = both.compare(np.array(said), ROUNDING)
    assert np.flatnonzero(status < 0).tolist() == ([150, 250] if refuses else [])
    limits = (given == controller.least) | (given == controller.most)
    assert limits.any() != refuses


DISPLACED = np.array([0.0, 0.0, 0.0, 0.05, 0.05, 0.0])


@pytest.fixture(scope="module")
def rotary(tmp_path_factory) -> Pair:
    """Encoders, and a camera at every fifth sample; the block in a loop with the twin."""
    problem = load_scenario("rotary").problem
    sensors = [*(Sensor(f"q.{name}", 1e-3) for name in ("phi", "s", "l"))]
    sensors += [Sensor(f"y.{name}", 1e-2, cycle=0.1) for name in "xyz"]

    def observing(reference: ReferenceMotion, independent: Sequence[str]) -> Observer:
        return design_observer(reference, independent, sensors)

    # a law that did not know of so slow a camera would be stiff, and rounding grow in the module
    solution = solve_index1(problem, time_grid(20.0, 0.02))
    made = design_law(solution, 0.02, "lqr", sensing=observing)
    observer = made.observer
    controller = controller_of(made.law, made.reference, None, observer)
    folder = tmp_path_factory.mktemp("rotary")
    both = pair(controller, np.zeros((0, len(sensors))), folder)
    return replace(both, measured=driven(both, made.reference, 400))


def driven(both: Pair, reference: ReferenceMotion, samples: int) -> np.ndarray:
    """Return what the sensors say of the twin that the block drives, its load displaced."""
    observer = both.controller.observer
    p, noise = observer.parameter_vector, draw_noise(observer, samples, 5)
    names = both.block.names("In_"), both.block.names("Out_")
    q, v = observer.motion.complete(reference.q[0] + DISPLACED, reference.v[0], p)
    both.block.call(Enable=False, Reset=True)
    said = []
    for k in range(samples):
        said.append(np.array(observer.readings(q, v, p)[0])[:, 0] + noise[k])
        both.block.call(Enable=True, Reset=False, **dict(zip(names[0], said[k], strict=True)))
        u = [both.block[name] for name in names[1]]
        q, v = observer.motion.step(q, v, u, np.zeros(3), p, observer.cycle)
    # the load is where it shall be, as well as the camera sees it
    assert np.array(q)[3:, 0] == pytest.approx(reference.q[samples, 3:], abs=5e-3)
    return np.array(said)


# The overhead crane does so in test_block_gives_the_inputs_of_the_module, with a delay and an
# estimated payload; the block itself drives a crane, too, past a wrong reading.
@pytest.mark.further
def test_rotary_block_drives_the_crane_as_the_module_would(rotary) -> None:
    status, _ = rotary.compare(rotary.measured, ROUNDING)
    assert (status == 0).all()


def test_single_precision_does_the_same_to_its_rounding(overhead, tmp_path) -> None:
    both = pair(overhead.controller, overhead.measured, tmp_path, "single")
    assert both.block.real == "REAL"
    # as in test_controller_c: 6e-8 of some metres times gains of 1e4 N/m, through the filter
    _, given = both.compare(both.measured, 2e-3)
    assert np.abs(given[:, 0]).max() == 520.0


def test_head_says_how_large_it_is(overhead) -> None:
    text = controller_block(overhead.controller, "mine")
    head = " ".join(text[: text.index("*)")].split())
    results = r"(?:Expected|Slope|NewPlace|NewSpeed|NewDisturbance|Rate)\[\d+\]|Signal\d+"
    lines = re.findall(rf"^ +(?:IF .* THEN )?(?:W\d+|{results}) := .*;$", text, re.MULTILINE)
    assert f"The observer has {len(lines)} statements" in head
    assert f"Feedforward and reference stand in {overhead.block.sizes['nodesample']} rows" in head


def test_observer_that_is_too_large_is_refused_with_its_size(overhead, monkeypatch) -> None:
    monkeypatch.setattr(observer_st, "MOST_STATEMENTS", 1000)
    with pytest.raises(InputError, match=r"has 1\d\d\d operations, too many for Structured Text"):
        controller_block(overhead.controller, "mine")


def test_names_that_differ_in_case_only_are_refused(overhead) -> None:
    first, *rest = overhead.controller.inputs
    twice = replace(first, name=first.name.lower())
    controller = replace(overhead.controller, inputs=(first, twice, *rest[1:]), observer=None)
    with pytest.raises(InputError, match="cannot tell apart"):
        controller_block(controller, "mine")


def test_every_operation_is_that_of_casadi(tmp_path) -> None:
    a, b = ca.SX.sym("a"), ca.SX.sym("b")
    results = [
        *(a + b, a - b, a * b, a / b, -a, a * a, a + a, 1.0 / b, a - (-2.5), 1e-5 * a),
        *(ca.fabs(a) ** b, ca.fabs(b) ** 1.5, ca.sqrt(ca.fabs(a)), ca.sin(a), ca.cos(a), ca.tan(a)),
        *(ca.asin(a / 9.0), ca.acos(b / 9.0), ca.atan(a), ca.exp(a), ca.log(ca.fabs(a))),
        *(ca.fmin(a, b), ca.fmax(a, b), ca.hypot(a, b), ca.tanh(a), ca.tanh(99.0 * b), ca.sign(a)),
        *(a < b, a <= b, a == b, a != b, ca.logic_not(a < b), ca.logic_and(a < b, b > 1.0)),
        *(ca.logic_or(a < b, b > 1.0), ca.if_else(a < b, a, b)),
    ]
    function = ca.Function("all", [ca.vertcat(a, b)], [ca.vertcat(*results)])
    code = emit_statements(function, ["In[{}]"], ["Out[{}]"], "double")
    body = "\n".join(code.lines)
    text = f"""\
FUNCTION_BLOCK FB_all
VAR_INPUT
    A, B : LREAL;
END_VAR
VAR
    In : ARRAY[0..1] OF LREAL;
    Out : ARRAY[0..{len(results) - 1}] OF LREAL;
    {listed([f"W{i}" for i in range(code.work)], "LREAL")[0]}
END_VAR
In[0] := A;
In[1] := B;
{body}
END_FUNCTION_BLOCK
"""
    block = Machine(text, tmp_path)
    for given in ((0.5, 2.0), (-3.0, 0.25), (1.5, 1.5), (-2.0, -0.75)):
        block.call(A=given[0], B=given[1])
        # tanh by an exponential loses a digit
        assert block.array("Out") == pytest.approx(np.array(function(given))[:, 0], rel=1e-14)


def test_operation_that_structured_text_has_not_is_refused() -> None:
    a = ca.SX.sym("a")
    function = ca.Function("rounded", [a], [ca.floor(a)])
    with pytest.raises(InputError, match="'rounded' uses an operation that has no Structured Text"):
        emit_statements(function, ["A"], ["B"], "double")
