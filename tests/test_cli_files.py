"""What is no regular file, has too long a name or takes no more text: a sentence, never a hang."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cranebridge.deliver.files import write_files
from cranebridge.errors import CranebridgeError, InputError
from cranebridge.plant.description.archive import check_archive
from cranebridge.report.files import require_target
from cranebridge.scenario.black_box_scenario import read_columns
from further import further

BASE = """
[crane]
model = "overhead"
[path]
kind = "line"
start = [0.0, -4.0]
goal = [5.0, -1.0]
profile = "polynomial"
duration = 3.0
smoothness = 4
"""
ALONE = """
[plant]
fmu = "{fmu}"
[learn]
inputs = ["u"]
outputs = ["y"]
target = "{target}"
"""
# By what is named in it: a scenario.
SCENARIOS: dict[str, Callable[[str], str]] = {
    "crane.model": lambda name: BASE.replace('"overhead"', f'"{name}.py:Crane"'),
    "plant.fmu": lambda name: BASE + f'[plant]\nfmu = "{name}.fmu"\n',
    "plant.model": lambda name: BASE + f'[plant]\nmodel = "{name}.mo:Model"\n',
    "campaign.file": lambda name: BASE + f'[campaign]\nfile = "{name}.csv"\n',
    "learn.target": lambda name: ALONE.format(fmu="absent.fmu", target=f"{name}.csv"),
    "learn.first": lambda name: (
        ALONE.format(fmu="absent.fmu", target="absent.csv") + f'first = "{name}.csv"\n'
    ),
}
SUFFIX = {"crane.model": "py", "plant.fmu": "fmu", "plant.model": "mo"}


def make_other(path: Path, kind: str) -> Path:
    """Make what is no file; reading it would never end."""
    if kind == "a named pipe":
        os.mkfifo(path)
    else:
        try:
            os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # zeros
        except PermissionError:
            pytest.skip("only root makes devices")
    return path


KINDS = ["a named pipe", "a device"]


# ---------------------------------------------------------------------------- read


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", SCENARIOS)
def test_a_scenario_names_regular_files(key, kind, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_other(tmp_path / f"other.{SUFFIX.get(key, 'csv')}", kind)
    (tmp_path / "s.toml").write_text(SCENARIOS[key]("other"))
    code, _, told = run("learn" if key.startswith("learn") else "check", "s.toml")
    assert code == 2
    assert f"error: {key} = 'other.{SUFFIX.get(key, 'csv')}' is {kind}; give a regular file" in told


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("command", "name"),
    [
        (("check", "other.toml"), "other.toml"),
        (("check", "other.py:Crane"), "other.py"),
        further(("check", "other.py"), "other.py"),
        (("export", "other.mo:Model"), "other.mo"),
    ],
)
def test_an_argument_is_a_regular_file(command, name, kind, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_other(tmp_path / name, kind)
    code, _, told = run(*command)
    assert code == 2
    assert f"is {kind}; give a regular file" in told
    assert name in told


def test_an_archive_is_not_waited_for(tmp_path):
    with pytest.raises(CranebridgeError, match="is not a regular file"):
        check_archive(make_other(tmp_path / "pipe.fmu", "a named pipe"))


# ---------------------------------------------------------------------------- written


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize(
    "command",
    [
        ("deliver", "overhead", "--to", "csv"),
        ("export", "OverheadCrane"),
        ("solve", "overhead"),
        further(("init", "overhead")),
    ],
)
def test_what_is_no_file_is_never_replaced(command, force, kind, run, tmp_path):
    target = make_other(tmp_path / "other", kind)
    before = os.stat(target)
    force = () if command[0] == "init" else force
    code, _, told = run(*command, "-o", str(target), *force)
    assert code == 2
    assert told.count("error: ") == 1
    after = os.stat(target)
    assert (after.st_mode, after.st_rdev, after.st_ino) == (
        before.st_mode,
        before.st_rdev,
        before.st_ino,
    )
    assert sorted(os.listdir(tmp_path)) == ["other"]


def test_files_beside_a_delivery_are_regular_too(tmp_path):
    """A table's record is written beside it: what has that name stays, and nothing is written."""
    make_other(tmp_path / "table.csv.json", "a named pipe")
    files = {tmp_path / "table.csv": b"1", tmp_path / "table.csv.json": b"2"}
    with pytest.raises(InputError, match="is a named pipe; give a regular file"):
        write_files(files, overwrite=True)
    assert os.listdir(tmp_path) == ["table.csv.json"]


def test_a_report_does_not_take_the_place_of_a_pipe(tmp_path):
    with pytest.raises(InputError, match="is a named pipe; give a regular file"):
        require_target(make_other(tmp_path / "report.html", "a named pipe"), True)


@pytest.mark.parametrize("name", ["manifest.json", "summary.json"])
def test_an_earlier_result_with_a_pipe_in_it_is_not_replaced(name, run, tmp_path):
    folder = tmp_path / "out"
    assert run("solve", "overhead", "-o", str(folder))[0] == 0
    (folder / name).unlink()
    make_other(folder / name, "a named pipe")
    code, _, told = run("solve", "overhead", "-o", str(folder), "--force")
    assert code == 2
    assert "holds other files" in told
    assert stat.S_ISFIFO(os.stat(folder / name).st_mode)


# ---------------------------------------------------------------------------- long ones


LONG = "n" * 300


@pytest.mark.parametrize("key", SCENARIOS)
def test_a_scenario_with_a_name_of_300_characters_is_no_fault_of_ours(key, run, tmp_path):
    (tmp_path / "s.toml").write_text(SCENARIOS[key](LONG))
    verbs = {"plant.model": "verify", "plant.fmu": "verify", "campaign.file": "campaign"}
    verb = "learn" if key.startswith("learn") else verbs.get(key, "check")
    out = () if verb == "check" else ("-o", str(tmp_path / "out"))
    code, _, told = run(verb, str(tmp_path / "s.toml"), *out)
    assert code == 2
    assert told.count("error: ") == 1
    assert "fault of cranebridge" not in told


@pytest.mark.parametrize(
    "command",
    [
        ("check", LONG),
        ("check", f"{LONG}.toml"),
        further(("check", f"{LONG}.py:Crane")),
        ("export", f"{LONG}.mo:Model"),
        further(("export", LONG)),
        ("solve", "overhead", "-o", LONG),
        ("deliver", "overhead", "--to", "csv", "-o", LONG),
        ("export", "OverheadCrane", "-o", LONG),
        further(("init", "overhead", "-o", LONG)),
        further(("deliver", "overhead", "--to", "csv", "-o", "out.csv", "--learned", LONG)),
        further(("study", "convergence", "overhead", "-o", LONG)),
    ],
    ids=lambda command: " ".join(command).replace(LONG, "LONG"),
)
def test_a_name_of_300_characters_is_one_sentence(command, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, told = run(*command)
    assert code == 2
    assert told.count("error: ") == 1
    assert "fault of cranebridge" not in told
    assert os.listdir(tmp_path) == []


def test_signals_may_have_names_of_300_characters(run, tmp_path):
    """A crane of a user's own, with such an input, is checked and delivered."""
    source = Path(__file__).parents[1] / "examples" / "spring_trolley.py"
    (tmp_path / "crane.py").write_text(source.read_text().replace("F_d", f"F_{LONG}"))
    own = BASE.replace('"overhead"', '"crane.py:SpringTrolley"')
    (tmp_path / "s.toml").write_text(own.replace("smoothness = 4", "smoothness = 6"))
    target = tmp_path / "table.csv"
    command = ("deliver", str(tmp_path / "s.toml"), "--to", "csv", "--set", "solve.step=0.1")
    assert run(*command, "-o", str(target))[0] == 0
    assert f"F_{LONG}" in target.read_text().splitlines()[0]


@pytest.mark.parametrize("length", [200_000, 131_073])
def test_a_field_of_csv_of_any_length_is_one_sentence(length, run, tmp_path):
    field = "1" * length
    (tmp_path / "design.csv").write_text(f"plant.parameters.m\n{field}\n")
    (tmp_path / "s.toml").write_text(
        BASE + '[plant]\nmodel = "OverheadCrane"\n[campaign]\nfile = "design.csv"\n'
    )
    code, _, told = run("campaign", str(tmp_path / "s.toml"), "-o", str(tmp_path / "out"))
    assert (code, told.count("error: ")) == (2, 1)
    (tmp_path / "target.csv").write_text(f"time,y\n0,{field}\n1,1\n")
    with pytest.raises(InputError, match="cannot be read"):
        read_columns("learn.target", str(tmp_path / "target.csv"), ["y"])


# ---------------------------------------------------------------------------- standard output


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")
@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("init", "overhead", "--json"),
        further(("--help",)),
        further(("check", "nope", "--json")),
    ],
    ids=" ".join,
)
def test_a_full_standard_output_is_one_sentence(arguments, tmp_path):
    """Found while it is written, or (a short text) when the buffer is emptied at the end."""
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "cranebridge", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=tmp_path,
            env={k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"},
        )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    if "nope" not in arguments:
        assert done.stderr == "error: standard output cannot be written: No space left on device\n"


def test_whoever_has_read_enough_gets_no_complaint():
    command = [sys.executable, "-m", "cranebridge", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        started.stdout.close()
        assert started.stderr.read() == b""
    assert started.returncode == 1
