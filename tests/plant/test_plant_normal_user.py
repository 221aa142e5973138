"""Containment holds for a normal user as well as for root, as whom these tests may run.

The tests of containment run once more in a process of the user nobody. Where they run as a normal
user anyway this is not needed.
"""

from __future__ import annotations

import functools
import os
import pwd
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).with_name("test_plant_containment.py")
ROOT = TESTS.parents[2]
USER = "nobody"


def as_user(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as the other user, who has no groups and no capabilities."""
    entry = pwd.getpwnam(USER)
    return subprocess.run(
        command,
        cwd=folder,
        user=entry.pw_uid,
        group=entry.pw_gid,
        extra_groups=[],
        env={
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )


@functools.cache
def python(folder: Path) -> str | None:
    """An interpreter that the other user may run and that can import what is needed."""
    names = {sys.executable, shutil.which("python3", path="/usr/local/bin:/usr/bin")}
    for name in sorted(filter(None, names), key=lambda name: name != sys.executable):
        try:
            found = as_user([name, "-c", "import numpy, scipy, fmpy, pytest, cranebridge"], folder)
        except PermissionError:
            continue
        if found.returncode == 0:
            return name
    return None


def open_to_others(folder: Path) -> bool:
    """Whether every user may go into a folder: scripts/test's own is closed, as mktemp makes it."""
    return all(place.stat().st_mode & stat.S_IXOTH for place in (folder, *folder.parents))


@pytest.fixture
def folder() -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("the tests run as a normal user already")
    try:
        entry = pwd.getpwnam(USER)
    except KeyError:
        pytest.skip(f"there is no user {USER}")
    # not pytest's own folder: it is closed to others
    places = [Path(name) for name in (tempfile.gettempdir(), "/tmp", "/var/tmp")]
    place = next((place for place in places if place.is_dir() and open_to_others(place)), None)
    if place is None:
        pytest.skip(f"no temporary folder is open to {USER}")
    made = Path(tempfile.mkdtemp(prefix="cranebridge-user-", dir=place))
    os.chown(made, entry.pw_uid, entry.pw_gid)
    try:
        if python(made) is None:
            pytest.skip(f"{USER} may not run Python with what is installed here")
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


@pytest.mark.slow
def test_hostile_fmus_are_contained_for_a_normal_user(folder):
    chosen = "prevented or kernel_agrees or past_an_array or no_secret"
    options = ["-q", "-p", "no:cacheprovider", f"--rootdir={ROOT}", "-k", chosen]
    options += ["-c", str(ROOT / "pyproject.toml"), f"--basetemp={folder}/t", str(TESTS)]
    run = as_user([str(python(folder)), "-m", "pytest", *options], folder)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-1000:]
    passed = re.search(r"(\d+) passed", run.stdout)
    skipped = re.search(r"(\d+) skipped", run.stdout)
    # what this kernel does not enforce is skipped there with its reason, but not everything
    assert passed is not None
    assert int(passed[1]) + int(skipped[1] if skipped else 0) >= 40
    assert int(passed[1]) >= 20


def test_it_is_really_another_user(folder):
    words = (
        "import os; print(os.getuid(), os.geteuid(), os.getgroups()); "
        "print(*[line for line in open('/proc/self/status') if line.startswith('CapEff')])"
    )
    run = as_user([str(python(folder)), "-c", words], folder)
    number = pwd.getpwnam(USER).pw_uid
    first, second = run.stdout.splitlines()[:2]
    assert first == f"{number} {number} []"
    assert int(second.split()[1], 16) == 0
