"""Progress on a terminal: what is left, from the fraction done or from the last time."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

from cranebridge.cli import durations
from cranebridge.cli.progress import times_text
from cranebridge.job import telling


@pytest.mark.parametrize(
    ("elapsed", "done", "usual", "search", "text"),
    [
        (3.0, None, None, False, "3 s"),
        (3.0, None, 10.0, False, "3 s, about 7 s left"),
        (3.0, None, 3.4, False, "3 s, nearly done"),
        (12.0, None, 3.4, False, "12 s, nearly done"),
        (10.0, 0.25, 3.0, False, "25 %, 10 s, about 30 s left"),
        (30.0, 0.1, None, False, "10 %, 30 s, about 4 min 30 s left"),
        (0.0, 0.0, None, False, "0 s"),
        (9.0, 1.0, None, False, "9 s"),
        # a search ends when it has found something: its rounds do not tell when
        (10.0, 0.25, None, True, "at least 25 %, 10 s"),
        (10.0, 0.25, 14.0, True, "at least 25 %, 10 s, about 4 s left"),
    ],
)
def test_time_left_follows_from_the_fraction_or_from_the_last_time(
    elapsed, done, usual, search, text
) -> None:
    assert times_text(elapsed, done, usual, search) == text


def test_part_of_a_job_tells_its_time_left_some_seconds_apart(monkeypatch) -> None:
    clock, said = [100.0], list[str]()
    monkeypatch.setattr(telling.time, "monotonic", lambda: clock[0])
    progress = telling.part_teller(said.append, "which factor matters")
    for second, done in ((1.0, 0.1), (3.0, 0.25), (4.0, 0.3), (120.0, 0.5), (240.0, 1.0)):
        clock[0] = 100.0 + second
        progress(done)
    assert said == [
        "which factor matters",
        "which factor matters, 25 %, 9 s left",
        "which factor matters, 50 %, 2 min 0 s left",
    ]


def test_command_that_was_not_given_so_before_takes_as_long_as_its_like(
    monkeypatch, tmp_path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def keys(command: str) -> tuple[str, ...]:
        monkeypatch.setattr(durations.sys, "argv", ["cranebridge", *command.split()])
        return durations.command_keys("delivering")

    durations.remember(keys("deliver rotary --to fmu -o a.fmu"), 4.0)
    durations.remember(keys("deliver rotary --to csv -o a.csv"), 0.5)
    assert durations.usual_seconds(keys("deliver rotary --to fmu -o other.fmu --force")) == 4.0
    assert durations.usual_seconds(keys("deliver rotary --to ssp")) == 0.5
    assert durations.usual_seconds(keys("deliver overhead --to fmu")) is None


def test_durations_are_remembered_and_damage_is_survived(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert durations.usual_seconds(("run rotary",)) is None
    durations.remember(("run rotary",), 4.26)
    assert durations.usual_seconds(("run rotary",)) == 4.3
    for k in range(300):
        durations.remember((f"run {k}",), 1.0)
    assert durations.usual_seconds(("run rotary",)) is None
    assert durations.usual_seconds(("run 299",)) == 1.0
    (tmp_path / "cranebridge" / "durations.json").write_text("[1, 2")
    assert durations.usual_seconds(("run 299",)) is None


def test_terminal_shows_stage_and_time(tmp_path) -> None:
    # a pseudo terminal, as a user has one; results still go to standard output alone
    master, slave = pty.openpty()
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "TERM": "xterm", "COLUMNS": "100"}
    command = [sys.executable, "-m", "cranebridge", "verify", "overhead", "--plant", "twin"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=slave, env=env, check=True)
    os.close(slave)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", os.read(master, 100_000).decode())
    os.close(master)
    assert re.search(r"(solve|verify) \d+ s", shown)
    assert b"tracking of x" in done.stdout
    assert "stages verify overhead" in (tmp_path / "cranebridge" / "durations.json").read_text()
