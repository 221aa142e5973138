"""A Dask scheduler with worker processes on loopback, for tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


class Processes:
    """A scheduler and its workers, without nannies: who is killed stays away."""

    def __init__(self, folder: Path) -> None:
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
        self.scheduler = self._begin(
            "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-show"
        )

    def add_worker(self) -> None:
        self._begin("dask_worker", "--nthreads", "1", "--no-nanny")

    def _begin(self, module: str, *options: str) -> subprocess.Popen[bytes]:
        arguments = [sys.executable, "-m", f"distributed.cli.{module}", *options]
        arguments += ["--scheduler-file", str(self.file), "--no-dashboard"]
        with (self._folder / "log").open("ab") as log:
            process = subprocess.Popen(
                arguments, env=self._environment, cwd=self._folder, stdout=log, stderr=log
            )
        self._all.append(process)
        return process

    def kill_worker(self) -> None:
        self._all[-1].kill()
        self._all[-1].wait()

    def end(self) -> None:
        for process in reversed(self._all):
            process.kill()
            process.wait()
