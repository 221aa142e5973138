"""Time left from stages and parts that are told: scripted jobs and a clock of the test's own."""

from __future__ import annotations

from itertools import pairwise

import pytest

from cranebridge.progress import estimate, receiving_estimates
from cranebridge.progress.course import Course, stage_of
from cranebridge.verify.tracking.run_counter import RunCounter


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


Seen = list[tuple[float, float, float]]


def carried_out(
    expected: dict[str, float], truth: dict[str, float], parts: tuple[str, ...] = ()
) -> Seen:
    """Carry out stages that take their true times; stages in `parts` tell how far they are.

    Returns rows of time left in truth, time left as told, and part done, some times a second.
    """
    clock = Clock()
    course, seen = Course(expected, clock), Seen()
    end = clock.now + sum(truth.values())
    for stage, seconds in truth.items():
        course.begin(stage)
        for i in range(round(seconds / 0.1)):
            if stage in parts:
                course.progress(i * 0.1 / seconds)
            seen.append((end - clock.now, course.left(), course.done()))
            clock.now += 0.1
    course.end()
    return seen


EXPECTED = {"check": 1.0, "export": 4.0, "verify": 2.0, "report": 1.0}
SLOW = {stage: 3.0 * seconds for stage, seconds in EXPECTED.items()}
LONG_VERIFY = {**EXPECTED, "verify": 60.0}
CACHED = {"check": 1.0, "export": 0.1, "verify": 2.0, "report": 1.0}
JOBS = pytest.mark.parametrize(
    ("truth", "parts"),
    [
        (EXPECTED, ()),
        (SLOW, ()),
        (CACHED, ()),
        (LONG_VERIFY, ("verify",)),
        ({**SLOW, "verify": 0.5}, ("verify",)),
        ({"check": 1.0, "other": 5.0, "verify": 2.0}, ("verify",)),
    ],
)


@JOBS
def test_time_left_is_never_negative_and_the_part_done_never_falls(truth, parts) -> None:
    seen = carried_out(EXPECTED, truth, parts)
    done = [row[2] for row in seen]
    assert all(left >= 0.0 for _, left, _ in seen)
    assert done == sorted(done)
    assert all(0.0 <= part <= 1.0 for part in done)


def test_time_left_is_exact_where_all_is_as_expected() -> None:
    for true, left, _ in carried_out(EXPECTED, EXPECTED):
        # the last third of a stage is put off, by half of it at most: it may be late
        assert left == pytest.approx(true, abs=0.5 * 4.0)


@pytest.mark.parametrize(
    ("truth", "parts"),
    [(SLOW, ()), (SLOW, ("export", "verify")), (LONG_VERIFY, ("verify",)), (CACHED, ())],
)
def test_time_left_comes_to_the_truth_as_the_work_goes_on(truth, parts) -> None:
    seen = carried_out(EXPECTED, truth, parts)
    whole = seen[0][0]
    late = [(true, left) for true, left, _ in seen if true <= 0.5 * whole]
    assert all(0.5 * true - 1.0 <= left <= 2.0 * true + 2.0 for true, left in late)


def test_time_left_falls_as_long_as_nothing_is_late() -> None:
    left = [row[1] for row in carried_out(EXPECTED, EXPECTED, ("export", "verify"))]
    rises = [b - a for a, b in pairwise(left) if b > a]
    # a sixth of what a stage takes is added near its end, and taken back when it ends
    assert sum(rises) <= sum(EXPECTED.values()) / 6.0 + 0.1


def test_parts_in_few_steps_do_not_make_time_left_swing() -> None:
    # ten runs of 3 s, of which each is told when it begins
    clock = Clock()
    course = Course({"runs": 5.0}, clock)
    course.begin("runs")
    shown = []
    for run in range(10):
        course.progress(run / 10)
        for _ in range(30):
            shown.append((3.0 * (10 - run), course.left()))
            clock.now += 0.1
    later = shown[60:]
    # 5 s were expected, it is 30 s: each part puts that right by a little
    assert all(b[1] <= 1.1 * a[1] + 0.1 for a, b in pairwise(later))
    assert all(0.5 * true - 3.0 <= left <= 2.0 * true for true, left in later)


def test_what_a_compiler_takes_is_foreseen() -> None:
    clock = Clock()
    course = Course({"check": 1.0, "verify": 2.0}, clock)
    with receiving_estimates(course.estimate):
        course.begin("check")
        clock.now += 0.5
        estimate(20.0)
        assert course.left() == pytest.approx(22.0)
        clock.now += 20.0
        course.begin("verify")
        # it took as long as was foreseen: the machine is as fast as expected
        assert course.left() == pytest.approx(2.0, rel=0.01)
        estimate(0.1)  # less than what is expected anyway
        assert course.left() == pytest.approx(2.0, rel=0.01)
    estimate(100.0)
    assert course.left() == pytest.approx(2.0, rel=0.01)


def test_stages_that_are_left_out_are_not_waited_for() -> None:
    course = Course(EXPECTED, Clock())
    course.begin("verify")
    assert course.left() == pytest.approx(3.0)


def test_taken_times_are_kept_by_stage() -> None:
    clock = Clock()
    course = Course({}, clock)
    for stage, seconds in (("trial", 2.0), ("judge", 1.0), ("trial", 3.0)):
        course.begin(stage)
        clock.now += seconds
    course.end()
    assert course.taken == {"trial": 5.0, "judge": 1.0}


@pytest.mark.parametrize(
    ("text", "stage"),
    [
        ("trial 12", "trial"),
        ("3 of 20 runs, 2 runs/s, 9 s left", "runs"),
        ("which factor matters, 25 %, 9 s left", "which factor matters"),
        ("export, certify", "export"),
    ],
)
def test_sentences_about_one_stage_are_known(text, stage) -> None:
    assert stage_of(text, "runs") == stage


def test_stage_that_nobody_expected_stands_before_those_to_come() -> None:
    course = Course(EXPECTED, Clock())
    course.begin("check")
    course.begin("planning", 10.0)
    assert course.left() == pytest.approx(17.0)


def test_runs_of_a_verification_are_counted_and_more_than_foreseen_do_no_harm() -> None:
    reported: list[float] = []
    runs = RunCounter(2, reported.append)
    for _ in range(3):
        run = runs.begin()
        run(0.5)
        run(1.0)
    assert reported[:6] == [0.0, 0.25, 0.5, 0.5, 0.75, 1.0]
    assert reported[6:] == pytest.approx([2 / 3, 2.5 / 3, 1.0])  # whoever shows it never goes back
