"""Part done and time left from what jobs report: scripted jobs and a clock of the test's own."""

from __future__ import annotations

import pytest

from cranebridge.progress import JobProgress, stage_of
from cranebridge.verify.tracking.run_counter import RunCounter


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


Seen = list[tuple[float, float | None, float | None]]


def carried_out(
    expected: dict[str, float], truth: dict[str, float], parts: tuple[str, ...] = ()
) -> Seen:
    """Carry out stages that take their true times; stages in `parts` report how far they are.

    Returns rows of time left in truth, time left as estimated, and part done, ten times a second.
    """
    clock = Clock()
    job, seen = JobProgress(expected, clock), Seen()
    end = clock.now + sum(truth.values())
    for stage, seconds in truth.items():
        job.begin(stage)
        for i in range(round(seconds / 0.1)):
            if stage in parts:
                job.progress(i * 0.1 / seconds)
            seen.append((end - clock.now, job.left(), job.done()))
            clock.now += 0.1
    job.end()
    return seen


EXPECTED = {"check": 1.0, "export": 4.0, "verify": 2.0, "report": 1.0}
SLOW = {stage: 3.0 * seconds for stage, seconds in EXPECTED.items()}
LONG_VERIFY = {**EXPECTED, "verify": 60.0}
CACHED = {"check": 1.0, "export": 0.1, "verify": 2.0, "report": 1.0}


@pytest.mark.parametrize(
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
def test_time_left_is_never_negative_and_the_part_done_never_falls(truth, parts) -> None:
    seen = carried_out(EXPECTED, truth, parts)
    done = [row[2] for row in seen if row[2] is not None]
    assert all(left >= 0.0 for _, left, _ in seen if left is not None)
    assert done == sorted(done)
    assert all(0.0 <= part <= 1.0 for part in done)


def test_time_left_and_part_done_are_exact_where_all_is_as_the_last_time() -> None:
    whole = sum(EXPECTED.values())
    for true, left, done in carried_out(EXPECTED, EXPECTED):
        assert left == pytest.approx(true)
        assert done == pytest.approx((whole - true) / whole, abs=1e-9)


def test_part_of_a_stage_says_more_than_what_it_took_the_last_time() -> None:
    seen = carried_out(EXPECTED, LONG_VERIFY, ("verify",))
    # the report is 1 s of what is left of 61 s at the begin of the verification
    late = [(true, left) for true, left, _ in seen if 2.0 < true < 60.0]
    assert all(left == pytest.approx(true) for true, left in late)


def test_first_time_both_are_those_of_the_stage_at_work() -> None:
    seen = carried_out({}, {"check": 1.0, "verify": 10.0, "report": 1.0}, ("verify",))
    assert all((left, done) == (None, None) for true, left, done in seen if true > 10.95)
    during = [(true, left, done) for true, left, done in seen if 1.05 < true < 10.9]
    assert all(left == pytest.approx(true - 1.0) for true, left, _ in during)
    assert all(done == pytest.approx((11.0 - true) / 10.0) for true, _, done in during)
    # nothing is known of the report: no time left is invented
    assert all((left, done) == (None, None) for true, left, done in seen if true < 0.95)


def test_stages_that_are_left_out_are_not_waited_for() -> None:
    job = JobProgress(EXPECTED, Clock())
    job.begin("verify")
    assert job.left() == pytest.approx(3.0)


def test_time_left_is_not_known_in_a_stage_that_never_was() -> None:
    job = JobProgress(EXPECTED, clock := Clock())
    job.begin("check")
    job.begin("planning")
    clock.now += 4.0
    assert job.left() is None
    job.progress(0.25)
    assert job.left() == pytest.approx(12.0 + 7.0)


def test_taken_times_are_kept_by_stage() -> None:
    clock = Clock()
    job = JobProgress({}, clock)
    for stage, seconds in (("trial", 2.0), ("judge", 1.0), ("trial", 3.0)):
        job.begin(stage)
        clock.now += seconds
    job.end()
    assert job.taken == {"trial": 5.0, "judge": 1.0}


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


def test_runs_of_a_verification_are_counted_and_more_than_estimated_do_no_harm() -> None:
    reported: list[float] = []
    runs = RunCounter(2, reported.append)
    for _ in range(3):
        run = runs.begin()
        run(0.5)
        run(1.0)
    assert reported[:6] == [0.0, 0.25, 0.5, 0.5, 0.75, 1.0]
    assert reported[6:] == pytest.approx([2 / 3, 2.5 / 3, 1.0])  # whoever shows it never goes back
