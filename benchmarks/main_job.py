"""The main job of `rotary` from a warm cache, against an earlier version in the same run.

    .venv/bin/python benchmarks/main_job.py [REVISION]

The earlier version is installed in a temporary folder, and both are run in turns, each with its own
cache filled before. What counts is the time
of a whole ``cranebridge run`` as a user waits for it; the median of the ratios of neighbouring runs
is told, so that a machine that gets busier in between does not matter much.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from earlier import NOW, Version, earlier_version

EARLIER = "6678993"
ROUNDS = 9


def run(version: Version, folder: Path) -> float:
    """Return how long one run takes, in s."""
    environment = {**os.environ, "PYTHONPATH": str(version.tree / "python")}
    command = [version.python, "-m", "cranebridge", "run", "rotary", "-o"]
    started = time.perf_counter()
    subprocess.run(
        [*command, str(folder)], env=environment, cwd=folder.parent, check=True, capture_output=True
    )
    return time.perf_counter() - started


def main() -> None:
    """Compare."""
    revision = sys.argv[1] if len(sys.argv) > 1 else EARLIER
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(temporary)
        with earlier_version(revision, base) as version:
            for number, each in enumerate((version, NOW)):
                run(each, base / f"warm{number}")
            pairs = [
                (run(version, base / f"earlier{k}"), run(NOW, base / f"now{k}"))
                for k in range(ROUNDS)
            ]
    ratios = sorted(now / earlier for earlier, now in pairs)
    before, now = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"version {revision}: {before:.2f} s, now: {now:.2f} s (medians of {ROUNDS} runs)")
    print(
        f"ratio: median {statistics.median(ratios):.2f}, from {ratios[0]:.2f} to {ratios[-1]:.2f}"
        " (goal: at most 0.6)"
    )


if __name__ == "__main__":
    main()
