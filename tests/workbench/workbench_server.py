"""The server of the workbench as a user starts it, and a scenario to open in it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SCENARIO = """\
# A crane of mine.

[crane]
model = "overhead"    # planar

[path]
kind = "line"
start = [0.0, -4.0]   # from here
goal = [
  5.0,                # far
  -1.0,
]
duration = 3.0

[limits]
u = { F_t = 1e6 }       # the drive
"""


class Server:
    """`cranebridge open` as a user starts it."""

    def __init__(
        self, folder: Path, source: str, state: Path, port: int = 0, browser: Path | None = None
    ) -> None:
        self.state = state
        environment = {**os.environ, "XDG_STATE_HOME": str(state)}
        command = [sys.executable, "-m", "cranebridge", "open", source, "--port", str(port)]
        if browser is not None:
            environment["BROWSER"] = f"{browser} %s"
        self.process = subprocess.Popen(
            [*command, *(["--no-browser"] if browser is None else [])],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        self.address = ""
        for line in self.process.stdout:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/#token=\S+", line)
            if found:
                self.address, self.port = found[0], int(found[1])
                break
        assert self.address, "the server printed no address"

    def end(self, how: int = signal.SIGINT) -> tuple[int, str]:
        """End it; returns exit code and what it printed besides."""
        self.process.send_signal(how)
        text, _ = self.process.communicate(timeout=20)
        return self.process.returncode, text


def wait_for(condition: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Wait until something holds, and return it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")
