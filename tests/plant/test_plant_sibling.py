"""Two interfaces of one FMU: one archive, one folder of files, one child process."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fmu_driver import Exported
from foreign import casadi_fmu

from cranebridge.errors import InputError
from cranebridge.plant.description import archive
from cranebridge.plant.description.archive import ArchiveError, check_archive
from cranebridge.plant.plant import Plant
from cranebridge.plant.sandbox import host
from cranebridge.plant.sandbox.child_process import PlantCrashError, Sandbox

pytestmark = pytest.mark.usefixtures("own_children")

TIMES = np.linspace(0.0, 1.0, 11)


class Counted:
    """Counts the children started and the hashes taken."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.children: list[Sandbox] = []
        self.hashes = 0
        original = archive._sha256

        def start(*arguments: object) -> Sandbox:
            self.children.append(Sandbox(*arguments))
            return self.children[-1]

        def sha256(stream: object) -> str:
            self.hashes += 1
            return original(stream)

        monkeypatch.setattr(host, "Sandbox", start)
        monkeypatch.setattr(archive, "_sha256", sha256)

    @property
    def last(self) -> int:
        """Process id of the last child."""
        return self.children[-1]._process.pid


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


@pytest.fixture
def path(exported: Callable[[str, int], Exported]) -> Path:
    return exported("pendulum", 2).path


@pytest.mark.parametrize("fmi", [2, 3])
def test_both_interfaces_run_in_one_child(exported, fmi, request):
    path = exported("pendulum", fmi).path  # an FMU that is made now is run, too
    counted = request.getfixturevalue("counted")
    with Plant(path) as plant:
        other = plant.sibling("cs")
        assert (plant.interface, other.interface) == ("me", "cs")
        runs = [p.simulate(times=TIMES, step=0.1) for p in (plant, other, plant, other)]
    assert len(counted.children) == 1
    # checked once, and once more when it is unpacked: it may have changed
    assert counted.hashes == 2
    assert [run.method for run in runs] == ["DOP853", "Co-Simulation"] * 2
    assert runs[1].states == pytest.approx(runs[0].states, abs=1e-7)
    assert (runs[2].states == runs[0].states).all()


def test_closing_the_owner_ends_both_and_closing_the_sibling_neither(path, counted):
    plant = Plant(path, interface="cs")
    with plant.sibling("me") as other:
        first = other.derivatives([[0.1, 0.2]])[0]
    assert (other.derivatives([[0.1, 0.2]])[0] == first).all()
    assert plant.simulate(times=TIMES).steps == 10
    plant.close()
    assert not counted.children[0].alive
    for closed in (plant, other):
        with pytest.raises(InputError, match=r"has been closed; open it again"):
            closed.simulate(times=TIMES)
    assert len(counted.children) == 1
    plant.close()


def test_a_child_that_has_ended_is_replaced_for_both(path, counted):
    with Plant(path) as plant:
        other = plant.sibling("cs")
        before = plant.derivatives([[0.1, 0.2]])[0]
        os.kill(counted.last, signal.SIGKILL)
        with pytest.raises(PlantCrashError):
            other.simulate(times=TIMES)
        assert (plant.derivatives([[0.1, 0.2]])[0] == before).all()
        assert other.simulate(times=TIMES).steps == 10
    assert len(counted.children) == 2


def test_an_interface_that_is_not_there_is_refused_as_by_the_constructor(tmp_path, path):
    foreign = casadi_fmu(tmp_path)
    with pytest.raises(InputError) as made:
        Plant(foreign, interface="cs")
    with Plant(foreign) as plant:
        with pytest.raises(InputError) as asked:
            plant.sibling("cs")
        with pytest.raises(InputError, match="unknown interface"):
            plant.sibling("xx")
    assert str(asked.value) == str(made.value)
    assert "has no Co-Simulation" in str(asked.value)


def test_a_checked_archive_is_not_checked_again(path, counted):
    checked = check_archive(path)
    with Plant(checked, allow=[checked.sha256]) as plant:
        assert plant.info.sha256 == checked.sha256
        assert counted.hashes == 2
    with pytest.raises(ArchiveError, match=checked.sha256):
        Plant(checked, allow=["0" * 64])
