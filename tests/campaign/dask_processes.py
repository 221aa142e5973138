"""A Dask scheduler with worker processes on loopback, for tests; certificates for one with TLS."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from cranebridge.campaign import Tls

HERE = Path(__file__).parent


class Processes:
    """A scheduler and its workers, without nannies: who is killed stays away."""

    def __init__(self, folder: Path, tls: Tls | None = None) -> None:
        files = {} if tls is None else tls.by_option()
        self._tls = [str(word) for pair in files.items() for word in pair]
        self.file = folder / "scheduler.json"
        # Workers import the works of the tests; the first death of a worker is told to the client.
        paths = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
        self._environment = {
            **os.environ,
            "PYTHONPATH": paths,
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
        }
        self._folder = folder
        self._all: list[subprocess.Popen[bytes]] = []
        options = ("--host", "127.0.0.1", "--port", "0", "--no-show")
        protocol = () if tls is None else ("--protocol", "tls")
        self.scheduler = self._begin("dask_scheduler", *options, *protocol)

    def add_worker(self) -> None:
        self._begin("dask_worker", "--nthreads", "1", "--no-nanny")

    def _begin(self, module: str, *options: str) -> subprocess.Popen[bytes]:
        arguments = [sys.executable, "-m", f"distributed.cli.{module}", *options]
        arguments += ["--scheduler-file", str(self.file), "--no-dashboard", *self._tls]
        with (self._folder / "log").open("ab") as log:
            process = subprocess.Popen(
                arguments, env=self._environment, cwd=self._folder, stdout=log, stderr=log
            )
        self._all.append(process)
        return process

    def wait(self) -> None:
        """Wait until the scheduler can be found."""
        while not self.file.exists():
            assert self.scheduler.poll() is None, "the scheduler did not begin"
            time.sleep(0.05)

    def kill_worker(self) -> None:
        self._all[-1].kill()
        self._all[-1].wait()

    def end(self) -> None:
        for process in reversed(self._all):
            process.kill()
            process.wait()


def make_certificates(folder: Path) -> Tls:
    """Make an authority and a certificate that it signs, by the program openssl."""
    folder.mkdir()
    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    _openssl(
        folder, "req", "-x509", *new, "-keyout", "ca-key.pem", "-out", "ca.pem", "-subj", "/CN=a"
    )
    _openssl(folder, "req", *new, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=b")
    signing = ("-CA", "ca.pem", "-CAkey", "ca-key.pem", "-CAcreateserial")
    _openssl(folder, "x509", "-req", "-in", "request.pem", *signing, "-out", "cert.pem")
    return Tls(folder / "ca.pem", folder / "cert.pem", folder / "key.pem")


def _openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
