"""Campaigns on a real Dask scheduler with worker processes on loopback: the same bytes again."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from campaigns import design, serial_bytes
from dask_processes import Processes
from test_carrying import begin_campaign, wait_for_parts
from works import Counted, Deadly, Faulty, Pendulum

from cranebridge.campaign import Progress, carry_out, cluster
from cranebridge.errors import InputError, SolutionError

pytest.importorskip("distributed", reason="Dask distributed is not installed: extra 'cluster'")


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    processes = Processes(tmp_path_factory.mktemp("dask"))
    try:
        processes.add_worker()
        processes.add_worker()
        while not processes.file.exists():
            assert processes.scheduler.poll() is None, "the scheduler did not begin"
            time.sleep(0.05)
        yield processes
    finally:
        processes.end()


def test_cluster_makes_the_same_bytes_with_one_runner_for_each_worker(
    tmp_path: Path, dask: Processes
) -> None:
    with cluster(dask.file) as executor:
        runs = carry_out(Counted(tmp_path), design(40), executor, tmp_path / "b", batch=4)
    begun = [file.name.split("-")[1] for file in tmp_path.glob("begin-*")]
    assert len(begun) == len(set(begun)) <= 2
    assert len(list(tmp_path.glob("close-*"))) == len(begun)
    assert runs.file.read_bytes() == serial_bytes(tmp_path / "a", Counted(tmp_path), 40)


def test_killed_client_goes_on_where_it_was(tmp_path: Path, dask: Processes) -> None:
    process = begin_campaign(tmp_path / "b", str(dask.file), 60, 0.03)
    wait_for_parts(tmp_path / "b", 4, process)
    process.kill()
    process.wait()
    told: list[Progress] = []
    with cluster(dask.file) as executor:
        work = Pendulum(seconds=0.03)
        runs = carry_out(work, design(60), executor, tmp_path / "b", tell=told.append)
    assert 12 <= told[0].done < 60
    assert runs.file.read_bytes() == serial_bytes(tmp_path / "a", Pendulum(), 60)


def test_errors_come_from_the_workers(tmp_path: Path, dask: Processes) -> None:
    with cluster(dask.file) as executor:
        with pytest.raises(SolutionError, match="the plant cannot be loaded"):
            carry_out(Faulty("begin"), design(5), executor, tmp_path)
        with pytest.raises(ZeroDivisionError):
            carry_out(Faulty("bug", key="bug"), design(5), executor, tmp_path)


def test_death_of_a_worker_changes_nothing(tmp_path: Path, dask: Processes) -> None:
    with cluster(dask.file) as executor:
        work = Deadly(tmp_path, once=(17,))
        runs = carry_out(work, design(40), executor, tmp_path / "b", batch=5)
    assert (tmp_path / "17").exists()  # it has died there
    assert runs.file.read_bytes() == serial_bytes(tmp_path / "a", Pendulum("deadly"), 40)


def test_death_of_the_scheduler_keeps_finished_runs(
    tmp_path: Path, dask: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_ANSWER", "_PATIENCE"):
        monkeypatch.setattr(f"cranebridge.campaign.dask_cluster.{name}", 3.0)

    def tell(progress: Progress) -> None:
        if progress.done >= 9:
            dask.scheduler.kill()

    work = Pendulum(seconds=0.03)
    with cluster(dask.file) as executor, pytest.raises(SolutionError, match="workers were lost"):
        carry_out(work, design(60), executor, tmp_path / "b", batch=3, tell=tell)
    assert len(list((tmp_path / "b" / "parts").glob("part-*.json"))) >= 3
    wanted = serial_bytes(tmp_path / "a", Pendulum(), 60)
    assert serial_bytes(tmp_path / "b", Pendulum(), 60) == wanted


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cranebridge.campaign.dask_cluster._ANSWER", 0.5)


def test_cluster_that_is_not_there_is_said(quick: None) -> None:
    with pytest.raises(InputError, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:1'"):
        cluster("tcp://127.0.0.1:1")
    with pytest.raises(InputError, match=r"no Dask scheduler answers at 'nowhere://127.0.0.1:1'"):
        cluster("nowhere://127.0.0.1:1")
    with pytest.raises(InputError, match=r"'none.json' is neither the address of a"):
        cluster("none.json")


@pytest.mark.parametrize("text", ["no json", "{}", "[]", '{"address": 7}', ""])
def test_file_that_says_no_scheduler_is_said(tmp_path: Path, text: str) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text(text)
    with pytest.raises(InputError, match=r"scheduler.json' is no scheduler file"):
        cluster(file)


def test_file_of_a_scheduler_that_has_ended_is_said(tmp_path: Path, quick: None) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text('{"type": "Scheduler", "address": "tcp://127.0.0.1:1"}')
    with pytest.raises(InputError, match=r"no Dask scheduler answers at '.*scheduler.json'"):
        cluster(file)


def test_other_service_at_the_address_is_said(quick: None) -> None:
    """Dask takes the first bytes of whatever answers for a length."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    channel, _ = server.accept()
                    with channel:
                        channel.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        where = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(InputError, match=f"at '{where}'.*one is begun by: dask scheduler"):
            cluster(where)
