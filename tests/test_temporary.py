"""Temporary folders: all of them are swept, whatever is in them, and sweeps end."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cranebridge import temporary
from cranebridge.temporary import TemporaryFolder, remove_tree, sweep
from further import further

SOURCES = Path(__file__).parents[1] / "python" / "cranebridge"


@pytest.fixture
def dead() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def nest(folder: Path, depth: int, name: str) -> None:
    """Make folders in each other, with a file in the last: no path leads there if it is long."""
    place = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=place)
        inner = os.open(name, os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=place))
    os.close(place)


@pytest.mark.parametrize(("depth", "name"), [further(1100, "n"), (30, 200 * "n")])
def test_folders_of_any_depth_are_swept(tmp_path, dead, depth, name):
    left = tmp_path / f"cranebridge-run-{dead}-deep"
    left.mkdir()
    nest(left, depth, name)
    assert sweep(str(tmp_path)) == [left.name]
    assert list(tmp_path.iterdir()) == []


def test_links_are_removed_and_not_followed(tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir(mode=0o750)
    (kept / "file").write_text("mine")
    gone = tmp_path / "gone"
    (gone / "inner").mkdir(parents=True)
    (gone / "link").symlink_to(kept)
    (gone / "inner" / "link").symlink_to(kept)
    os.mkfifo(gone / "inner" / "pipe")
    remove_tree(str(gone))
    assert not gone.exists()
    assert (kept / "file").read_text() == "mine"
    assert kept.stat().st_mode & 0o777 == 0o750


def test_a_sweep_is_bounded_and_the_next_one_goes_on(tmp_path, dead, monkeypatch):
    left = tmp_path / f"cranebridge-fmu-{dead}-many"
    (left / "inner").mkdir(parents=True)
    for k in range(30):
        (left / "inner" / f"{k}").write_text("")
    monkeypatch.setattr(temporary, "MOST", 20)
    sweep(str(tmp_path))
    assert 0 < len(list((left / "inner").iterdir())) < 30
    sweep(str(tmp_path))
    assert not left.exists()


def test_a_sweep_of_folders_in_folders_ends_in_time_and_the_next_one_goes_on(
    tmp_path, dead, monkeypatch
):
    # twenty thousand folders on a slow disk are half a minute; files in one folder are quick
    for k in range(2):
        inner = tmp_path / f"cranebridge-fmu-{dead}-many{k}"
        for _ in range(20):
            inner = inner / "a"
        inner.mkdir(parents=True)
    seconds = itertools.count()
    monkeypatch.setattr(temporary, "monotonic", lambda: float(next(seconds)))
    monkeypatch.setattr(temporary, "PATIENCE", 30.0)
    sweep(str(tmp_path))
    assert 0 < len(list(tmp_path.rglob("*"))) < 42
    for _ in range(3):
        sweep(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_removed_stops_nothing(tmp_path, dead, monkeypatch):
    for name in ("a", "b"):
        (tmp_path / f"cranebridge-run-{dead}-{name}").mkdir()
        (tmp_path / f"cranebridge-run-{dead}-{name}" / "file").write_text("")
    unlink = os.unlink
    stubborn = {"inode": 0}

    def refuse(name: str, dir_fd: int) -> None:
        inode = os.fstat(dir_fd).st_ino
        if stubborn.setdefault("inode", 0) in (0, inode):
            stubborn["inode"] = inode
            raise PermissionError
        unlink(name, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", refuse)
    sweep(str(tmp_path))
    assert len(list(tmp_path.iterdir())) == 1


def test_every_temporary_folder_of_the_product_is_swept():
    """They are made in one place, whose names the sweep knows."""
    makers = re.compile(r"\b(TemporaryDirectory|mkdtemp)\b")
    found = {
        file.relative_to(SOURCES).as_posix()
        for file in SOURCES.rglob("*.py")
        if makers.search(file.read_text(encoding="utf-8"))
    }
    assert found == {"temporary.py"}


@pytest.mark.parametrize("kind", ["run", "tasks"])
def test_folders_of_every_kind_go_with_the_next_run(tmp_path, kind):
    script = (
        "import os; from cranebridge.temporary import TemporaryFolder; "
        f"f = TemporaryFolder({kind!r}); open(f.name + '/file', 'w'); os._exit(0)"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)
    assert len(list(tmp_path.iterdir())) == 1
    assert len(sweep(str(tmp_path))) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_goes_with_its_with_statement(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with TemporaryFolder("build") as folder:
        (folder / "inner").mkdir()
        assert sweep(str(tmp_path)) == []  # its owner lives
        assert folder.is_dir()
    assert list(tmp_path.iterdir()) == []
