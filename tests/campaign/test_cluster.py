"""Campaigns on a real Dask scheduler with worker processes on loopback: the same bytes again."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from campaigns import design, serial_bytes
from dask_processes import Processes, make_certificates
from test_carrying import HERE, begin_campaign, wait_for_parts
from works import Counted, Deadly, Faulty, Pendulum

from cranebridge.campaign import RunCounts, Tls, carry_out, cluster, read_tls
from cranebridge.errors import InputError, SolutionError

pytest.importorskip("distributed", reason="Dask distributed is not installed: extra 'cluster'")


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    processes = Processes(tmp_path_factory.mktemp("dask"))
    try:
        processes.add_worker()
        processes.add_worker()
        processes.wait()
        yield processes
    finally:
        processes.end()


def test_cluster_makes_the_same_bytes_with_one_runner_for_each_worker(
    tmp_path: Path, dask: Processes
) -> None:
    with cluster(dask.file) as executor:
        assert "is not authenticated and not encrypted" in executor.warning
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
    reported: list[RunCounts] = []
    with cluster(dask.file) as executor:
        work = Pendulum(seconds=0.03)
        runs = carry_out(work, design(60), executor, tmp_path / "b", report_runs=reported.append)
    assert 12 <= reported[0].done < 60
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
        monkeypatch.setattr(f"cranebridge.campaign.workers.dask_cluster.{name}", 3.0)

    def report_runs(progress: RunCounts) -> None:
        if progress.done >= 9:
            dask.scheduler.kill()

    work = Pendulum(seconds=0.03)
    with cluster(dask.file) as executor, pytest.raises(SolutionError, match="workers were lost"):
        carry_out(work, design(60), executor, tmp_path / "b", batch=3, report_runs=report_runs)
    assert len(list((tmp_path / "b" / "parts").glob("part-*.json"))) >= 3
    wanted = serial_bytes(tmp_path / "a", Pendulum(), 60)
    assert serial_bytes(tmp_path / "b", Pendulum(), 60) == wanted


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cranebridge.campaign.workers.dask_cluster._ANSWER", 0.5)


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


# ---------------------------------------------------------------------------- TLS


@dataclass(frozen=True)
class Secured:
    """A scheduler with a worker that take TLS only, and two authorities: theirs and another."""

    processes: Processes
    tls: Tls
    other: Tls

    @property
    def address(self) -> str:
        return str(json.loads(self.processes.file.read_bytes())["address"])


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    if shutil.which("openssl") is None:
        pytest.skip("certificates are made by the program openssl, which is not installed")
    folder = tmp_path_factory.mktemp("tls")
    tls, other = (make_certificates(folder / name) for name in ("own", "other"))
    processes = Processes(folder, tls)
    try:
        processes.add_worker()
        processes.wait()
        yield Secured(processes, tls, other)
    finally:
        processes.end()


def test_cluster_with_tls_makes_the_same_bytes_and_no_warning(
    tmp_path: Path, secured: Secured
) -> None:
    with cluster(secured.processes.file, secured.tls) as executor:
        assert executor.warning == ""
        runs = carry_out(Pendulum(), design(10), executor, tmp_path / "b")
    assert runs.file.read_bytes() == serial_bytes(tmp_path / "a", Pendulum(), 10)


def test_cluster_takes_nobody_without_its_certificates(secured: Secured, quick: None) -> None:
    address = secured.address
    assert address.startswith("tls://")
    with pytest.raises(InputError, match=r"takes TLS only: give --tls-ca-file"):
        cluster(address)
    with pytest.raises(InputError, match=r"are not signed by the same authority"):
        cluster(address, secured.other)
    plain = address.replace("tls", "tcp")
    with pytest.raises(InputError, match=r"no Dask scheduler answers at 'tcp"):
        cluster(plain)
    with pytest.raises(InputError, match=rf"certificates are given, but '{plain}' is a scheduler"):
        cluster(plain, secured.tls)


def test_certificates_that_cannot_be_used_are_said(secured: Secured) -> None:
    own, other = secured.tls, secured.other
    with pytest.raises(
        InputError, match=r"other/key.pem' are not a certificate .* and its private"
    ):
        Tls(own.ca_file, own.cert, other.key)
    with pytest.raises(InputError, match=r"--tls-ca-file: .*key.pem' has no certificate in PEM"):
        Tls(own.key, own.cert, own.key)
    with pytest.raises(InputError, match=r"--tls-cert: there is no file 'none'"):
        Tls(own.ca_file, Path("none"), own.key)
    with pytest.raises(InputError, match=r"belong together: give all three, or none"):
        read_tls(own.ca_file, None, own.key)
    assert read_tls(None, None, None) is None


def test_interrupt_leaves_a_cluster_in_the_middle_of_long_runs(
    tmp_path: Path, secured: Secured
) -> None:
    """The worker cannot be stopped; who interrupts does not wait for its minutes.

    Certificates are those of Dask's own settings, here in the surroundings of the process.
    """
    mark, tls = tmp_path / "begun", secured.tls
    settings = {"CA_FILE": tls.ca_file, "CLIENT__CERT": tls.cert, "CLIENT__KEY": tls.key}
    surroundings = {
        **os.environ,
        **{f"DASK_DISTRIBUTED__COMM__TLS__{key}": str(file) for key, file in settings.items()},
    }
    words = [str(tmp_path / "out"), secured.address, "20", "300.0", str(mark)]
    process = subprocess.Popen(
        [sys.executable, str(HERE / "campaigns.py"), *words],
        env=surroundings,
        stderr=subprocess.PIPE,
    )
    try:
        while not mark.exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert b"KeyboardInterrupt" in said
