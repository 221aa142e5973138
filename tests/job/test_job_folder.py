"""Results on disk: whole or not at all, one writer, nothing of anybody else's is touched."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import sys
from pathlib import Path

import pytest

from cranebridge.errors import InputError
from cranebridge.job import folder as folder_module
from cranebridge.job.folder import MANIFEST, UNFINISHED, JobKey, open_folder


def key(task: str = "k", made_from: str = "files") -> JobKey:
    return JobKey(task, made_from)


def fill(path: Path, task: str = "k", text: str = "new", force: bool = False) -> None:
    with open_folder(path, key(task), force) as results:
        results.write("a.txt", lambda file: file.write(text))
        results.write_json("b.json", {"x": 1})
        results.finish()


def abandon(path: Path, name: str = "b.json", task: str = "k") -> None:
    """Leave a job in the middle."""
    with open_folder(path, key(task)) as results:
        results.write_json(name, {"x": 7})
        raise KeyboardInterrupt


def names(path: Path) -> set[str]:
    return {file.name for file in path.iterdir()}


def test_finished_result_is_whole_and_named_in_its_manifest(tmp_path) -> None:
    path = tmp_path / "deep" / "result"
    fill(path)
    assert names(path) == {"a.txt", "b.json", MANIFEST}
    manifest = json.loads((path / MANIFEST).read_text())["files"]
    assert set(manifest) == {"a.txt", "b.json"}
    assert all(len(value) == 64 for value in manifest.values())


def test_existing_result_is_replaced_by_force_only(tmp_path) -> None:
    fill(tmp_path / "r")
    with pytest.raises(InputError, match="exists; choose another"):
        fill(tmp_path / "r", text="other")
    fill(tmp_path / "r", text="other", force=True)
    assert (tmp_path / "r" / "a.txt").read_text() == "other"


def test_what_the_old_result_had_and_the_new_one_has_not_goes(tmp_path) -> None:
    fill(tmp_path / "r")
    with open_folder(tmp_path / "r", key("k2"), force=True) as results:
        results.write("c.txt", lambda file: file.write("c"))
        results.finish()
    assert names(tmp_path / "r") == {"c.txt", MANIFEST}


@pytest.mark.parametrize("force", [False, True])
def test_folder_with_any_other_file_is_left_alone(tmp_path, force) -> None:
    fill(tmp_path / "r")
    (tmp_path / "r" / "thesis.tex").write_text("years of work")
    before = {file: file.read_bytes() for file in (tmp_path / "r").iterdir()}
    with pytest.raises(InputError, match=r"holds other files \(thesis.tex\)"):
        fill(tmp_path / "r", text="other", force=force)
    assert {file: file.read_bytes() for file in (tmp_path / "r").iterdir()} == before


def test_forged_manifest_does_not_reach_outside(tmp_path) -> None:
    victim = tmp_path / "victim.txt"
    victim.write_text("keep")
    path = tmp_path / "r"
    fill(path)
    (path / MANIFEST).write_text(json.dumps({"files": {"../victim.txt": None, "a.txt": None}}))
    (path / "b.json").unlink()
    fill(path, force=True)
    assert victim.read_text() == "keep"


def test_interrupted_job_leaves_its_files_and_the_same_job_finds_them(tmp_path) -> None:
    path = tmp_path / "r"
    with pytest.raises(KeyboardInterrupt):
        abandon(path)
    assert names(path) - {".lock"} == {UNFINISHED}
    with pytest.raises(InputError, match="interrupted run of another scenario"):
        fill(path, "other task")
    with open_folder(path, key()) as results:
        assert results.resumed
        assert results.read_json("b.json") == {"x": 7}
        results.finish()
    assert names(path) == {"b.json", MANIFEST}


def test_files_of_another_interrupted_job_do_not_survive_force(tmp_path) -> None:
    path = tmp_path / "r"
    with pytest.raises(KeyboardInterrupt):
        abandon(path, "old.json")
    with open_folder(path, key("k2"), force=True) as results:
        assert not results.resumed
        assert results.read_json("old.json") is None
        results.finish()
    assert "old.json" not in names(path)


def test_same_task_with_other_files_begins_anew(tmp_path) -> None:
    path = tmp_path / "r"
    with pytest.raises(KeyboardInterrupt):
        abandon(path, "old.json")
    with open_folder(path, key(made_from="other files")) as results:
        assert not results.resumed
        assert results.read_json("old.json") is None
        results.finish()
    assert names(path) == {MANIFEST}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"task": "k"}', "\udcff"])
def test_broken_job_file_is_another_job(tmp_path, content) -> None:
    path = tmp_path / "r"
    with pytest.raises(KeyboardInterrupt):
        abandon(path)
    job = path / UNFINISHED / "job.json"
    job.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match="interrupted run of another scenario"):
        fill(path, "k")
    fill(path, "k", force=True)
    assert (path / "a.txt").is_file()


def hold(path: Path, ready, release) -> None:
    with open_folder(path, key()):
        ready.set()
        release.wait(60)


def test_second_run_into_the_same_folder_is_refused(tmp_path) -> None:
    context = multiprocessing.get_context("spawn")
    ready, release = context.Event(), context.Event()
    other = context.Process(target=hold, args=(tmp_path / "r", ready, release))
    other.start()
    try:
        assert ready.wait(60)
        for force in (False, True):
            with pytest.raises(InputError, match="being written by another run"):
                fill(tmp_path / "r", force=force)
    finally:
        release.set()
        other.join()
    fill(tmp_path / "r")


def test_output_that_is_a_link_or_a_file_is_refused(tmp_path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(InputError, match="symbolic link"):
        fill(tmp_path / "link")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="not a folder"):
        fill(tmp_path / "file")
    assert not list((tmp_path / "real").iterdir())


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_read_only_folder_is_a_sentence(tmp_path) -> None:
    (tmp_path / "ro").mkdir(mode=0o500)
    with pytest.raises(InputError, match="cannot be written"):
        fill(tmp_path / "ro" / "r")


def test_full_disk_is_a_sentence_and_the_old_result_stays(tmp_path, monkeypatch) -> None:
    path = tmp_path / "r"
    fill(path, text="old")
    calls = []

    def full(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) > 1:  # the job's own note fits, the first result does not
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folder_module.os, "fsync", full)
    with pytest.raises(InputError, match="cannot be written: No space left on device"):
        fill(path, text="new", force=True)
    assert (path / "a.txt").read_text() == "old"
    assert set(json.loads((path / MANIFEST).read_text())["files"]) == {"a.txt", "b.json"}


def mistaken(path: Path, name: str, task: str = "k", force: bool = False) -> None:
    with open_folder(path, key(task), force) as results:
        results.write_json(name, {})
        raise InputError("a mistake")


def test_mistake_leaves_no_folder_but_what_took_long(tmp_path) -> None:
    path = tmp_path / "r"
    for name in ("check.json", "trial-1.json"):
        with pytest.raises(InputError, match="a mistake"):
            mistaken(path, name)
        assert path.exists() == (name == "trial-1.json")


def test_mistake_leaves_an_earlier_result_as_it_was(tmp_path) -> None:
    path = tmp_path / "r"
    fill(path)
    before = {file: file.read_bytes() for file in path.iterdir()}
    with pytest.raises(InputError, match="a mistake"):
        mistaken(path, "check.json", "k2", force=True)
    after = {file: file.read_bytes() for file in path.iterdir() if file.name != ".lock"}
    assert after == before


def killed_at(path: Path, count: int, force: bool) -> None:
    """Fill a folder, and be gone before so many changes of the file system are made."""
    left = count

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        changes = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "tempfile.mkstemp")
        if event in changes or (event == "open" and arguments[1] == "w"):
            left -= 1
            if left < 0:
                os._exit(9)

    sys.addaudithook(watch)
    fill(path, force=force)
    os._exit(0)


@pytest.mark.parametrize("before", ["nothing", "a result", "another job"])
def test_job_that_is_killed_before_any_change_of_the_file_system_can_be_repeated(
    tmp_path, before
) -> None:
    force = before != "nothing"
    refused = set()
    for count in range(100):
        path = tmp_path / str(count)
        if before == "a result":
            fill(path, "old", text="old")
        elif before == "another job":
            with pytest.raises(KeyboardInterrupt):
                abandon(path, "d.json", "old")
        process = multiprocessing.get_context("fork").Process(
            target=killed_at, args=(path, count, force)
        )
        process.start()
        process.join()
        try:
            fill(path, force=force and not (path / UNFINISHED / "job.json").exists())
        except InputError as error:
            refused.add(str(error).split(f"'{path}' ")[1])
            fill(path, force=True)
        assert names(path) == {"a.txt", "b.json", MANIFEST}
        assert (path / "a.txt").read_text() == "new"
        if process.exitcode == 0:
            break
    assert process.exitcode == 0
    assert count > 10
    # it had ended, but for an empty folder; or the other job is still there
    allowed = "holds an interrupted run of another scenario" if force else "exists"
    assert all(sentence.startswith(f"{allowed};") for sentence in refused)


@pytest.mark.parametrize("force", [False, True])
def test_unfinished_job_behind_a_link_is_not_ours(tmp_path, force) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "thesis.tex").write_text("years of work")
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / UNFINISHED).symlink_to(elsewhere)
    with pytest.raises(InputError, match="holds other files"):
        fill(tmp_path / "r", force=force)
    assert names(elsewhere) == {"thesis.tex"}
