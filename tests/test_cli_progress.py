"""Progress on a terminal: what is done, since when and how long it still takes."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

from cranebridge.cli import progress
from cranebridge.cli.progress import times_text
from cranebridge.job.campaign import stage_times
from cranebridge.progress import durations
from further import further


@pytest.mark.parametrize(
    ("elapsed", "done", "left", "text"),
    [
        (3.0, 0.3, 7.0, "30 %, 3 s, about 7 s left"),
        (30.0, 0.1, 270.0, "10 %, 30 s, about 4 min 30 s left"),
        (3.0, 0.9, 0.4, "90 %, 3 s, nearly done"),
        (0.0, 0.0, 2.0, "0 %, 0 s, about 2 s left"),
        (4.0, 0.25, None, "25 %, 4 s"),
        (4.0, None, None, "4 s"),
    ],
)
def test_time_left_in_words(elapsed, done, left, text) -> None:
    assert times_text(elapsed, done, left) == text


def test_part_of_a_job_tells_its_time_left_some_seconds_apart(monkeypatch) -> None:
    clock, said = [100.0], list[str]()
    monkeypatch.setattr(stage_times.time, "monotonic", lambda: clock[0])
    progress = stage_times.stage_with_time_left(said.append, "which factor matters")
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
        monkeypatch.setattr(progress.sys, "argv", ["cranebridge", *command.split()])
        return progress.command_keys()

    def expected(command: str) -> dict[str, float]:
        return durations.expected_seconds(keys(command))

    durations.remember(keys("deliver rotary --to fmu -o a.fmu"), {"deliver": 4.0})
    durations.remember(keys("deliver rotary --to csv -o a.csv"), {"deliver": 0.5})
    assert expected("deliver rotary --to fmu -o other.fmu --force") == {"deliver": 4.0}
    assert expected("deliver rotary --to ssp") == {"deliver": 0.5}
    assert expected("deliver overhead --to fmu") == {}


def test_durations_are_remembered_and_damage_is_survived(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def seconds(key: str) -> dict[str, float]:
        return durations.expected_seconds((key,))

    assert seconds("run rotary") == {}
    durations.remember(("run rotary",), {"check": 4.26})
    assert seconds("run rotary") == {"check": 4.3}
    for k in range(300):
        durations.remember((f"run {k}",), {"check": 1.0})
    assert seconds("run rotary") == {}
    assert seconds("run 299") == {"check": 1.0}
    file = tmp_path / "cranebridge" / "durations.json"
    for damaged in ("[1, 2", '{"run 299": 4.3}', '{"run 299": {"check": "long"}}'):
        file.write_text(damaged)
        assert seconds("run 299") == {}


def shown_on_terminal(command: str, cache: os.PathLike[str]) -> tuple[str, bytes]:
    """Return what a pseudo terminal shows on standard error, and standard output."""
    master, slave = pty.openpty()
    env = {**os.environ, "XDG_CACHE_HOME": str(cache), "TERM": "xterm", "COLUMNS": "100"}
    work = [sys.executable, "-m", "cranebridge", *command.split()]
    process = subprocess.Popen(work, stdout=subprocess.PIPE, stderr=slave, env=env)
    os.close(slave)
    shown = b""
    while True:
        try:
            shown += os.read(master, 65536)
        except OSError:  # the other end is closed
            break
    out = process.communicate()[0]
    os.close(master)
    assert process.returncode in (0, 1)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode()), out


def test_terminal_shows_stage_and_time(tmp_path) -> None:
    # a pseudo terminal, as a user has one; results still go to standard output alone
    shown, out = shown_on_terminal("verify overhead --plant twin", tmp_path)
    assert re.search(r"(solve|verify) \d+ %, \d+ s, ", shown)
    assert re.search(r"solve \d+ s", shown)  # which does not know how far it is
    assert b"tracking of x" in out
    remembered = (tmp_path / "cranebridge" / "durations.json").read_text()
    assert '"verify overhead"' in remembered
    assert '"solve"' in remembered
    # the next run knows how long all of it takes from its begin
    shown, _ = shown_on_terminal("verify overhead --plant twin", tmp_path)
    assert re.search(r"loading \d+ %, \d+ s, (about .* left|nearly done)", shown)


@pytest.mark.parametrize(
    "command",
    [
        "check overhead",
        further("solve overhead"),
        further("solve overhead --sweep crane.m=80:120:3"),
        further("certify overhead"),
        further("verify overhead"),
        "run overhead -o {out}",
        "export OverheadCrane",
        further("deliver overhead --to c -o {out}"),
        "study convergence overhead -o {out}",
        "learn overhead-real --set learn.trials=1",
        further("doctor"),
    ],
)
def test_every_verb_shows_its_stages_on_its_first_run(command, tmp_path) -> None:
    shown, _ = shown_on_terminal(command.format(out=tmp_path / "out"), tmp_path / "empty")
    frames = [frame for frame in re.split(r"[\r\n]+", shown) if re.search(r"\d+ s", frame)]
    assert frames
    stages = {re.sub(r"( \d+ %,)? \d+ s.*", "", frame[1:]).strip() for frame in frames}
    assert len(stages) > 1, stages
    # whatever is said to be left follows from a part that is known
    assert all("%" in frame for frame in frames if "left" in frame or "nearly done" in frame)
