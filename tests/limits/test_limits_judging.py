"""One judge: ranges, ropes, what is between the samples, and what cannot be judged."""

from __future__ import annotations

import ast
import inspect
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import cranebridge.limits.limits as limits
from cranebridge.errors import InputError
from cranebridge.inverse import solve_index1, solve_index3
from cranebridge.limits import Limits, Motion, Range, Verdict, exit_code, judge, judge_solution
from cranebridge.limits.judged_motion import extremes
from cranebridge.limits.judging import ROPE_ZERO, judge_range
from cranebridge.limits.verdict import worst
from cranebridge.twin import find_crane
from cranebridge.twin.language.crane import names

CRANE = find_crane("overhead")
TIME = np.linspace(0.0, 3.0, 31)


def test_limits_that_type_checkers_see_are_those_that_there_are() -> None:
    """The class is made from the table of groups when it runs, and written out for mypy."""
    source = Path(inspect.getsourcefile(limits) or "").read_text(encoding="utf-8")
    branch = next(node for node in ast.parse(source).body if isinstance(node, ast.If))
    (shown,) = (node for node in branch.body if isinstance(node, ast.ClassDef))
    names_shown = [n.target.id for n in shown.body if isinstance(n, ast.AnnAssign)]
    assert sorted(names_shown) == sorted(field.name for field in fields(Limits))


def motion(source="solution", time=TIME, **values) -> Motion:
    """A motion with the given signals; titles have an underscore for the dot."""
    titles = {key.replace("_", ".", 1): np.asarray(x, dtype=float) for key, x in values.items()}
    titles.setdefault("rope.T_cable", np.full(time.size, 900.0))
    titles |= {f"tracking.{n}": np.zeros(time.size) for n in "xz" if f"tracking.{n}" not in titles}
    return Motion(source, CRANE, time, titles, missing={"jerk": "there are none"})


def verdict(judged: Motion, limits: Limits, name: str):
    return next(v for v in judge(judged, limits) if v.name == name)


def test_extreme_between_samples_is_that_of_the_function() -> None:
    # A polynomial through five samples of a sine at distance h misses its top by less than
    # 1.42 h^5/120: fifth derivative 1, and |s (s^2 - 1) (s^2 - 4)| < 1.42 beside the middle.
    time = np.linspace(0.0, 3.0, 20)
    low, high = extremes(time, np.sin(time + 0.03))
    assert high.value == pytest.approx(1.0, abs=1.42 * (3.0 / 19) ** 5 / 120)
    assert high.time == pytest.approx(np.pi / 2 - 0.03, abs=0.01)
    assert low.value == np.sin(0.03)


def test_the_top_of_a_cubic_within_a_step_is_exact() -> None:
    """Controls that change much within one step of the integrator are not judged too large."""
    nodes = np.array([0.0, 0.5 - np.sqrt(21.0) / 14.0, 0.5, 0.5 + np.sqrt(21.0) / 14.0, 1.0])
    cubic = np.polynomial.Polynomial([0.3, 3.0, -7.0, 4.0])
    time = np.concatenate([nodes - 1.0, nodes, nodes + 1.0])
    values = np.concatenate([0.0 * nodes, cubic(nodes), 0.0 * nodes])
    _, high = extremes(time, values)
    top = (14.0 - np.sqrt(14.0**2 - 4.0 * 12.0 * 3.0)) / 24.0  # 12 t^2 - 14 t + 3 = 0
    assert high.time == pytest.approx(top, abs=1e-12)
    assert high.value == pytest.approx(cubic(top), abs=1e-14)


def test_samples_that_nearly_coincide_are_no_slope() -> None:
    time = np.array([0.0, 1.0, 1.0 + 1e-12, 2.0, 3.0])
    _, high = extremes(time, np.array([0.0, 1.0, 1.0 - 1e-15, 0.0, 0.0]))
    assert high.value == 1.0


def test_no_parabola_reaches_over_a_jump() -> None:
    # 1 until t = 1, then 0: a parabola over the jump would go above 1.
    time = np.array([0.0, 0.5, 1.0, 1.0, 1.5, 2.0])
    _, high = extremes(time, np.array([0.9, 0.95, 1.0, 0.0, 0.0, 0.0]))
    assert high.value == 1.0


@pytest.mark.parametrize(
    ("bound", "values", "status", "value", "limit"),
    [
        (10.0, (-9.0, 8.0), "passed", 9.0, 10.0),
        (10.0, (-11.0, 8.0), "failed", 11.0, 10.0),
        ([-700.0, -300.0], (-650.0, -310.0), "passed", -310.0, -300.0),
        ([-700.0, -300.0], (-650.0, -290.0), "failed", -290.0, -300.0),
        ([-700.0, -300.0], (-710.0, -310.0), "failed", -710.0, -700.0),
    ],
)
def test_number_bounds_the_magnitude_and_a_pair_is_a_range(
    bound, values, status, value, limit
) -> None:
    limits = Limits.from_mapping({"u": {"F_t": bound}}, CRANE)
    course = np.linspace(values[0], values[1], TIME.size)
    found = verdict(motion(u_F_t=course), limits, "u.F_t")
    assert (found.status, found.value, found.limit) == (status, value, limit)
    assert (found.margin >= 0.0) == (status == "passed")
    assert abs(abs(found.value - found.limit) - abs(found.margin)) < 1e-12


@pytest.mark.parametrize(("beyond", "passed"), [(0.5e-6, True), (2e-6, False)])
def test_motion_may_end_exactly_at_a_limit(beyond, passed) -> None:
    # rounding of a solution, and the integrator's tolerance on a plant
    limits = Limits.from_mapping({"q": {"s": [0.0, 5.0]}}, CRANE)
    course = np.linspace(0.0, 5.0 * (1.0 + beyond), TIME.size)
    assert verdict(motion(q_s=course), limits, "q.s").passed is passed


@pytest.mark.parametrize("group", ["q", "v", "a", "power"])
def test_every_group_is_judged_on_solution_and_plant_alike(group: str) -> None:
    name = "F_t" if group == "power" else "s"
    limits = Limits.from_mapping({group: {name: 1.0}}, CRANE)
    course = {f"{group}_{name}": np.linspace(0.0, 2.0, TIME.size)}
    on_solution = verdict(motion(**course), limits, f"{group}.{name}")
    on_plant = verdict(motion("plant", **course), limits, f"plant {group}.{name}")
    assert on_solution.status == on_plant.status == "failed"
    assert on_solution.value == on_plant.value == 2.0


def test_limit_on_an_unknown_signal_is_not_judged_with_the_reason() -> None:
    limits = Limits.from_mapping({"jerk": {"s": 1.0}}, CRANE)
    found = verdict(motion("plant"), limits, "plant jerk.s")
    assert found.status == "not judged"
    assert not found.passed
    assert found.value is None
    assert "there are none" in found.message


def test_jerk_without_a_limit_is_no_matter() -> None:
    assert all(v.passed for v in judge(motion("plant"), Limits()))


def test_ropes_are_waived_by_ignore_but_not_a_limit_of_their_own() -> None:
    pushing = motion(rope_T_cable=np.linspace(-5.0, 100.0, TIME.size))
    assert verdict(pushing, Limits(), "rope T_cable pulls").status == "failed"
    assert judge(pushing, Limits(ropes="ignore")) == []
    own = Limits.from_mapping({"ropes": "ignore", "rope": 50.0}, CRANE)
    assert verdict(pushing, own, "rope T_cable pulls").status == "failed"


@pytest.mark.parametrize(("part", "passed"), [(0.5, True), (2.0, False)])
@pytest.mark.parametrize("source", ["solution", "plant"])
def test_rope_force_of_zero_has_one_tolerance(source, part, passed) -> None:
    force = np.linspace(-part * ROPE_ZERO * 1000.0, 1000.0, TIME.size)
    name = "rope T_cable pulls" if source == "solution" else "plant rope T_cable pulls"
    found = verdict(motion(source, rope_T_cable=force), Limits(), name)
    assert found.passed is passed
    assert (found.value == 0.0) is passed


def test_rope_has_a_least_and_a_most() -> None:
    limits = Limits.from_mapping({"rope": [50.0, 950.0]}, CRANE)
    name = "rope T_cable pulls"
    for low, high, passed in ((60, 940, True), (40, 940, False), (60, 960, False)):
        force = np.linspace(low, high, TIME.size)
        assert verdict(motion(rope_T_cable=force), limits, name).passed is passed
    found = verdict(motion(rope_T_cable=np.linspace(60, 960, TIME.size)), limits, name)
    assert (found.value, found.limit) == (960.0, 950.0)


def test_pushing_rope_is_told_with_its_times() -> None:
    force = 100.0 * (np.abs(TIME - 1.5) - 0.5)
    found = verdict(motion(rope_T_cable=force), Limits(), "rope T_cable pulls")
    assert "would have to push from 1.000 s to 2.000 s" in found.message


def ended(whole: Motion, end: float = 2.0, **missing: str) -> Motion:
    """The same motion, whose manoeuvre ends earlier than it is watched."""
    return Motion("plant", CRANE, whole.time, whole.values, missing, end=end)


def test_tracking_is_judged_until_nobody_watches_and_not_on_a_solution() -> None:
    away = np.clip(TIME - 2.0, 1e-4, None)
    found = verdict(ended(motion("plant", tracking_x=away)), Limits(), "tracking of x")
    assert (found.status, found.value) == ("failed", 1.0)
    assert ", after the end, must be" in found.message
    # an error of the manoeuvre is not called so
    back = motion("plant", tracking_x=np.clip(2.0 - TIME, 1e-4, None))
    found = verdict(ended(back), Limits(), "tracking of x")
    assert found.status == "failed"
    assert "after the end" not in found.message
    assert not any("tracking" in v.name for v in judge(motion(tracking_x=away), Limits()))


def swinging(offset: float, amplitude: float) -> Motion:
    """Ten periods after a manoeuvre of 1 s, as fine as an integrator's steps."""
    time = np.linspace(0.0, 11.0, 1101)
    error = np.where(time >= 1.0, offset + amplitude * np.sin(2.0 * np.pi * time), 0.9)
    return ended(motion("plant", time, tracking_x=error), end=1.0)


@pytest.mark.parametrize(
    ("limits", "status", "limit"),
    [
        (Limits(tracking=1.0), "passed", 1.0),
        (Limits(tracking=1.0, swing=0.21), "passed", 0.21),
        (Limits(tracking=1.0, swing=0.19), "failed", 0.19),
        (Limits(tracking=0.19), "failed", 0.19),
    ],
)
def test_residual_swing_is_an_amplitude_with_a_limit_of_its_own(limits, status, limit) -> None:
    found = verdict(swinging(0.5, 0.2), limits, "residual swing of x")
    assert found.value == pytest.approx(0.2, rel=1e-3)
    assert (found.status, found.limit, found.unit) == (status, limit, "m")
    assert found.margin == pytest.approx(limit - found.value)
    assert ("limits.tracking" in found.message) == (limits.swing is None)


@pytest.mark.parametrize("largest", [0.7, 1.6])
@pytest.mark.parametrize("twice", [True, False])
def test_extremes_of_both_parts_are_those_of_the_whole(largest: float, twice: bool) -> None:
    """During the manoeuvre, and after it; with a step that ends there, and without."""
    steps = [np.linspace(0.0, 1.0, 9), np.linspace(1.0, 2.0, 9)[0 if twice else 1 :]]
    time = np.concatenate(steps)
    course = np.sin(3.0 * time) * np.where(time > 1.0, largest, 1.0)
    found = ended(motion("plant", time, tracking_x=course), end=1.0)
    assert found.extremes_of_parts("tracking.x") == extremes(time, course)
    low, high = found.extremes_of_parts("tracking.x")
    assert (low.value < -0.5, high.value > 0.9) == (largest > 0.5, True)


def test_offset_is_the_mean_after_the_end() -> None:
    found = swinging(0.5, 0.2).after("tracking.x")
    assert found.offset == pytest.approx(0.5, rel=1e-9)


def test_mean_after_the_end_is_one_over_time_and_not_over_samples() -> None:
    """At the goal for 1 s in a hundred steps, then 1 m beside it for 9 s in nine."""
    time = np.concatenate([[0.0], np.linspace(1.0, 2.0, 101), np.linspace(2.0, 11.0, 10)])
    error = np.where(np.arange(time.size) > 101, 1.0, 0.0)
    known = ended(motion("plant", time, tracking_x=error), end=1.0)
    assert known.after("tracking.x").offset == pytest.approx(0.9)


def test_swing_is_told_for_when_the_load_is_farthest_from_its_mean() -> None:
    """1 m beside the goal; 0.2 m farther off at 5 s, and 0.5 m nearer at 8 s."""
    time = np.linspace(0.0, 11.0, 111)
    error = np.ones(111)
    error[50], error[80] = 1.2, 0.5
    known = ended(motion("plant", time, tracking_x=error), end=1.0)
    assert verdict(known, Limits(), "residual swing of x").time == pytest.approx(8.0)


def test_swing_is_wanted_where_somebody_watches_or_a_limit_is_stated() -> None:
    whole = motion("plant")
    unwatched = ended(whole, end=3.0, swing="the motion ends moving")
    assert not any("swing" in v.name for v in judge(unwatched, Limits()))
    found = verdict(unwatched, Limits(swing=1.0), "residual swing of x")
    assert found.status == "not judged"
    assert "the motion ends moving" in found.message
    assert not any("swing" in v.name for v in judge(motion(), Limits(swing=1.0)))


def test_swing_between_few_samples_is_not_judged_where_a_limit_is_stated() -> None:
    """Period 2.2 s, every 0.5 s; without a limit of its own the tracking error covers it."""
    time = np.linspace(0.0, 12.0, 25)
    error = 0.1 * np.sin(2.0 * np.pi * time / 2.2)
    values = motion("plant", time, tracking_x=error).values
    coarse = Motion("plant", CRANE, time, values, end=2.0, sampled=True)
    seen = 0.5 * float(np.ptp(error[time >= 2.0]))
    near = Limits(tracking=1.0, swing=seen + 1e-4)
    found = verdict(coarse, near, "residual swing of x")
    assert found.status == "not judged"
    assert "plant.step" in found.message
    assert verdict(coarse, Limits(tracking=1.0, swing=0.3), "residual swing of x").passed
    assert verdict(coarse, Limits(tracking=1.0), "residual swing of x").passed


STATUSES = ("passed", "failed", "not judged")


def test_only_what_passed_is_a_promise() -> None:
    of = {status: Verdict(status, status, "") for status in STATUSES}
    assert {status: exit_code([one]) for status, one in of.items()} == {
        "passed": 0,
        "failed": 1,
        "not judged": 1,
    }
    assert exit_code([of["passed"], of["not judged"]]) == 1
    assert [one.passed for one in of.values()] == [True, False, False]
    assert [one.as_dict()["passed"] for one in of.values()] == [True, False, False]


def test_worst_verdict_failed_or_was_not_judged_or_has_the_least_margin() -> None:
    passed, near = (Verdict(f"{m}", "passed", "", 1.0, 1.0, m) for m in (0.5, 0.1))
    unknown = Verdict("unknown", "not judged", "")
    failed, far = (Verdict(f"{m}", "failed", "", 1.0, 1.0, m) for m in (-0.1, -0.5))
    assert worst([passed, near]) == near
    assert worst([passed, unknown, near]) == unknown
    assert worst([unknown, failed, passed]) == failed
    assert worst([failed, unknown, far]) == far


def test_signal_of_a_plant_without_a_twin_is_known_at_its_samples_only() -> None:
    # Period 2.2 s, sampled every 0.5 s: the samples stay below 0.95, the course reaches 1.
    time = np.linspace(0.0, 10.0, 21)
    course = np.sin(2.0 * np.pi * time / 2.2)
    found = [
        judge_range("y", time, course, Range(-limit, limit), "m").status
        for limit in (0.9, float(np.abs(course).max()) + 1e-3, 2.0)
    ]
    assert found == ["failed", "not judged", "passed"]


def test_samples_that_are_too_coarse_are_not_judged() -> None:
    # Period 2.2 s, sampled every 0.5 s: the samples stay below 0.95, the course reaches 1.
    time = np.linspace(0.0, 10.0, 21)
    course = np.sin(2.0 * np.pi * time / 2.2)
    limits = Limits.from_mapping({"v": {"s": float(np.abs(course).max()) + 1e-3}}, CRANE)
    values = {"v.s": course, "rope.T_cable": np.full(time.size, 900.0)}
    values |= {"tracking.x": np.zeros(21), "tracking.z": np.zeros(21)}
    coarse = Motion("plant", CRANE, time, values, sampled=True)
    found = verdict(coarse, limits, "plant v.s")
    assert found.status == "not judged"
    assert "plant.step" in found.message
    # Far from the limit the same samples are enough.
    assert verdict(coarse, Limits.from_mapping({"v": {"s": 2.0}}, CRANE), "plant v.s").passed


@pytest.mark.parametrize(
    ("signal", "side", "near", "far"),
    [
        ("v.s", 1.0, [-1e4, 0.1], [-1e4, 100.0]),
        ("v.s", -1.0, [-0.1, 1e4], [-100.0, 1e4]),
        ("rope.T_cable", 1.0, [0.0, 0.1], [0.0, 100.0]),
        ("rope.T_cable", -1.0, [-0.1, 1e4], [-100.0, 1e4]),
    ],
)
def test_samples_that_are_too_coarse_on_one_side_alone_are_not_judged(
    signal, side, near, far
) -> None:
    # the samples miss tips on one side; the limit there is so much beyond the samples
    time = np.linspace(0.0, 10.0, 21)
    course = 900.0 + 100.0 * side * np.maximum(np.sin(2.0 * np.pi * time / 2.2), -0.2)
    values = {"rope.T_cable": np.full(time.size, 900.0), signal: course}
    values |= {"tracking.x": np.zeros(21), "tracking.z": np.zeros(21)}
    coarse = Motion("plant", CRANE, time, values, sampled=True)
    group, name = signal.split(".")
    title = f"plant rope {name} pulls" if group == "rope" else f"plant {signal}"
    found = []
    for least, most in (near, far):
        bound = (
            Range(least, course.max() + most) if side > 0.0 else Range(course.min() + least, most)
        )
        found.append(verdict(coarse, Limits(**{group: {name: bound}}), title).status)
    assert found == ["not judged", "passed"]


def test_time_of_an_extreme_is_the_first_and_not_that_of_rounding() -> None:
    tips = -np.cos(2.0 * np.pi * TIME)  # largest at 0.5 s, 1.5 s and 2.5 s
    tips[25] += 1e-14
    assert extremes(TIME, tips)[1].time == pytest.approx(0.5)
    assert extremes(TIME, -tips)[0].time == pytest.approx(0.5)


def test_tip_between_samples_is_within_what_may_be_there() -> None:
    # a spline through all samples misses some of the tip of a bell between two of them
    time = np.arange(20.0)
    for side in (1.0, -1.0):
        ends = extremes(time, side * np.exp(-(((time - 9.5) / 1.2) ** 2)), sampled=True)
        tip = ends[1] if side > 0.0 else ends[0]
        assert abs(tip.value) + tip.beyond >= 1.0


def test_rope_without_force_beside_a_loaded_one_is_zero_within_the_loaded_one_s_rounding() -> None:
    crane = find_crane("navy2d")
    slack, loaded = names(crane.ropes)[:2]
    time = np.linspace(0.0, 3.0, 31)
    values = {f"rope.{name}": np.full(31, 1e6) for name in names(crane.ropes)}
    # 1e-9 of the largest force in any rope is rounding, whatever this one carries
    values[f"rope.{slack}"] = np.where(np.arange(31) % 2, 1e-4, -1e-4)
    values |= {f"tracking.{name}": np.zeros(31) for name in names(crane.outputs)}
    found = judge(Motion("plant", crane, time, values, sampled=True), Limits())
    assert {v.name: v.status for v in found}[f"plant rope {slack} pulls"] == "passed"
    values[f"rope.{loaded}"] = np.full(31, 1e3)
    values |= {f"rope.{name}": np.full(31, 1e3) for name in names(crane.ropes)[2:]}
    found = judge(Motion("plant", crane, time, values, sampled=True), Limits())
    assert {v.name: v.status for v in found}[f"plant rope {slack} pulls"] == "failed"


def test_a_handful_of_samples_tells_nothing_between_them() -> None:
    time = np.linspace(0.0, 5.0, 4)
    values = {"v.s": np.array([0.0, 0.1, 0.1, 0.0]), "rope.T_cable": np.full(4, 900.0)}
    values |= {"tracking.x": np.zeros(4), "tracking.z": np.zeros(4)}
    coarse = Motion("plant", CRANE, time, values, sampled=True)
    found = judge(coarse, Limits.from_mapping({"v": {"s": 50.0}}, CRANE))
    assert {v.name: v.status for v in found if v.name == "plant v.s"} == {"plant v.s": "not judged"}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"u": {"F": 1.0}}, "unknown signal in limits.u 'F'"),
        ({"uu": {}}, "Did you mean 'u'"),
        ({"u": {"F_t": -1.0}}, "limits.u.F_t must be a positive number"),
        ({"u": {"F_t": [1.0, -1.0]}}, "least must be below the most"),
        ({"u": {"F_t": [1.0, 2.0, 3.0]}}, "a pair"),
        ({"u": {"F_t": True}}, "finite number"),
        ({"u": {"F_t": [0.0, float("nan")]}}, "finite number"),
        ({"u": 3.0}, "a table by signal"),
        ({"rope": -1.0}, "must not be negative"),
        ({"tracking": 0.0}, "limits.tracking must be a positive number"),
        ({"swing": -1.0}, "limits.swing must be a positive number"),
        ({"ropes": "push"}, "'pull' or 'ignore'"),
    ],
)
def test_what_is_no_limit_is_refused(table, message) -> None:
    with pytest.raises(InputError, match=message):
        Limits.from_mapping(table, CRANE)


TABLE = {
    "u": {"F_t": 1e4},
    "v": {"s": 99.0},
    "a": {"l": 99.0},
    "jerk": {"s": 1e4},
    "power": {"M_w": 1e5},
    "rope": 1.0,
}


def test_extremes_of_a_solution_do_not_depend_on_its_grid(problem) -> None:
    servo = problem("overhead")
    limits = Limits.from_mapping(TABLE, servo.crane)
    coarse, fine = (
        judge_solution(solve_index1(servo, np.linspace(0.0, 3.0, n)), limits) for n in (4, 30001)
    )
    for a, b in zip(coarse, fine, strict=True):
        assert a.name == b.name
        assert a.value == pytest.approx(b.value, rel=1e-6)
        assert a.time == pytest.approx(b.time, abs=1e-2)


def test_time_stepping_gives_no_jerks(problem) -> None:
    servo = problem("overhead")
    solution = solve_index3(servo, np.linspace(0.0, 3.0, 301), "euler")
    limits = Limits.from_mapping(TABLE, servo.crane)
    statuses = {v.name: v.status for v in judge_solution(solution, limits)}
    assert statuses.pop("jerk.s") == "not judged"
    assert set(statuses.values()) == {"passed"}


def test_ranges_in_python() -> None:
    limits = Limits(u={"F_t": Range(-1.0, 1.0)})
    assert [s.title for s, _ in limits.in_force(CRANE)] == ["u.F_t", "rope.T_cable"]
