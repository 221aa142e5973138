"""Caches hold code: only what the user alone can write is loaded, and only if it is undamaged."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import casadi as ca
import pytest

from cranebridge import cache
from cranebridge.cache import CacheWarning, find, store, usable_folder
from cranebridge.inverse.kernels import compiled


@pytest.fixture(autouse=True)
def nothing_said_yet():
    cache._private_folder.cache_clear()


def test_what_was_stored_is_found(tmp_path):
    folder = usable_folder(tmp_path / "a" / "b")
    assert folder == tmp_path / "a" / "b"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert find(folder, "x") is None
    assert store(folder, "x", b"content") == folder / "x"
    assert find(folder, "x").read_bytes() == b"content"


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def change(path: Path) -> None:
    path.write_bytes(b"C" + path.read_bytes()[1:])


def link(path: Path) -> None:
    other = path.with_name("elsewhere")
    path.rename(other)
    path.symlink_to(other)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "cut": cut,
    "changed": change,
    "linked": link,
    "gone": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "not text": lambda path: path.write_bytes(b"\xff\xfe"),
    "pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "writable by others": lambda path: path.chmod(0o666),
    "folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("side", ["", ".sha256"])
@pytest.mark.parametrize("damage", [name for name in DAMAGES if name != "folder"])
def test_a_damaged_entry_is_not_found_and_stored_anew(tmp_path, damage, side):
    store(tmp_path, "x", b"content")
    DAMAGES[damage](tmp_path / f"x{side}")
    if (side, damage) == (".sha256", "cut"):
        # only the line's end is missing: the hash is whole
        assert find(tmp_path, "x") == tmp_path / "x"
        return
    assert find(tmp_path, "x") is None
    store(tmp_path, "x", b"content")
    assert find(tmp_path, "x").read_bytes() == b"content"
    assert not (tmp_path / "x").is_symlink()


def said(folder: Path) -> tuple[Path, list[str]]:
    """The folder that is used, and what was said."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        used = usable_folder(folder)
    assert all(issubclass(one.category, CacheWarning) for one in caught)
    return used, [str(one.message) for one in caught]


def test_a_folder_that_the_group_of_the_user_alone_can_write_to_is_used(tmp_path, monkeypatch):
    folder = tmp_path / "functions"
    folder.mkdir()
    folder.chmod(0o770)
    monkeypatch.setattr(cache, "_own_group", lambda number: True)
    assert usable_folder(folder) == folder
    monkeypatch.setattr(cache, "_own_group", lambda number: False)
    assert said(folder)[0] != folder


def test_group_with_other_members_is_not_the_users_alone(monkeypatch):
    user = pwd.getpwuid(os.geteuid())
    for name, members, alone in (
        (user.pw_name, [], True),
        (user.pw_name, [user.pw_name], True),
        (user.pw_name, ["somebody"], False),
        ("staff", [], False),
    ):
        group = SimpleNamespace(gr_name=name, gr_mem=members)
        monkeypatch.setattr(cache.grp, "getgrgid", lambda number, group=group: group)
        cache._own_group.cache_clear()
        assert cache._own_group(user.pw_gid) is alone
        assert cache._own_group(user.pw_gid + 1) is False
    cache._own_group.cache_clear()


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722, 0o1777])
def test_a_folder_that_others_can_write_to_is_not_used_and_that_is_said_once(
    tmp_path, mode, monkeypatch
):
    monkeypatch.setattr(cache, "_own_group", lambda number: False)
    folder = tmp_path / "functions"
    folder.mkdir()
    folder.chmod(mode)
    used, words = said(folder)
    assert used != folder
    assert used.stat().st_mode & 0o777 == 0o700
    assert words == [
        f"the cache '{folder}' is not used: others can write to '{folder}': "
        f"run chmod go-w '{folder}'."
    ]
    assert said(folder) == (used, [])
    # as it says: then it is used
    folder.chmod(mode & ~0o022)
    assert said(folder) == (folder, [])


def test_a_parent_that_others_can_write_to_counts_unless_it_is_sticky(tmp_path):
    folder = tmp_path / "open" / "functions"
    folder.mkdir(parents=True, mode=0o700)
    folder.parent.chmod(0o1777)
    assert said(folder) == (folder, [])
    folder.parent.chmod(0o777)
    used, words = said(folder)
    assert used != folder
    assert f"others can write to '{folder.parent}'" in words[0]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_or_entry_of_another_user_is_not_used(tmp_path):
    folder = tmp_path / "functions"
    store(usable_folder(folder), "x", b"content")
    os.chown(folder / "x", 12345, -1)
    assert find(folder, "x") is None
    os.chown(folder, 12345, -1)
    used, words = said(folder)
    assert used != folder
    assert "belongs to another user (number 12345)" in words[0]


def test_a_folder_that_cannot_be_made_is_replaced_and_that_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    used, words = said(tmp_path / "file" / "functions")
    assert used.is_dir()
    assert "make it a folder that you can write to" in words[0]


def test_the_private_folder_goes_with_the_process(tmp_path):
    tmp_path.chmod(0o777)
    code = (
        "import sys, pathlib; from cranebridge.cache import usable_folder\n"
        "print(usable_folder(pathlib.Path(sys.argv[1])))"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "cranebridge-cache-" in done.stdout
    assert not Path(done.stdout.strip()).exists()
    assert done.stderr.count("is not used") == 1


RACE = """
import sys, pathlib
from cranebridge.cache import find, store, usable_folder
folder, letter = usable_folder(pathlib.Path(sys.argv[1])), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
for k in range(200):
    store(folder, f"x{k}", letter.encode() * 10000)
    found = find(folder, f"x{k}")
    assert found is not None and len(set(found.read_bytes())) == 1
"""


def test_two_processes_at_once_leave_whole_entries(tmp_path):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    command = [sys.executable, "-c", RACE, str(tmp_path / "c")]
    processes = [subprocess.Popen([*command, letter], **pipes) for letter in "ab"]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.wait(timeout=300) for process in processes] == [0, 0]
    for process in processes:
        process.stdin.close()
        process.stdout.close()
    folder = tmp_path / "c"
    # contents of two kinds: entry and hash come from the same one
    assert all(find(folder, f"x{k}") is not None for k in range(200))
    assert not list(folder.glob("*.tmp"))


# ---------------------------------------------------------------------------- compiled functions


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "linked", "gone"])
def test_a_damaged_library_is_compiled_anew_without_a_word(tmp_path, monkeypatch, damage):
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path / "functions")
    built = []
    build = compiled._build
    monkeypatch.setattr(compiled, "_build", lambda *a: built.append(a) or build(*a))
    x = ca.SX.sym("x")
    # not loaded here: the loader would give back the library that it knows already
    monkeypatch.setattr(compiled.ca, "external", lambda name, path: Path(path))
    function = ca.Function(f"damaged_{damage}", [x], [3.0 * x])
    library = compiled.compile_function(function, "always")
    content = library.read_bytes()
    assert compiled.compile_function(function, "always") == library
    assert len(built) == 1
    DAMAGES[damage](library)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled.compile_function(function, "always") == library
    assert len(built) == 2
    assert library.read_bytes()[:4] == content[:4] == b"\x7fELF"
    monkeypatch.undo()
    assert float(ca.external(function.name(), str(library))(2.0)) == 6.0


def test_functions_work_without_a_cache_that_is_safe(tmp_path, monkeypatch):
    folder = tmp_path / "functions"
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setattr(compiled, "cache_folder", lambda: folder)
    x = ca.SX.sym("x")
    with pytest.warns(CacheWarning, match="others can write"):
        function = compiled.compile_function(ca.Function("safe", [x], [5.0 * x]), "always")
    assert float(function(2.0)) == 10.0
    assert list(folder.iterdir()) == []
