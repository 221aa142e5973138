"""How long short commands take to start, as ratios of importing NumPy and CasADi, in the same run.

    .venv/bin/python benchmarks/start.py [REVISION ...]

Processor time from a warm cache, user and system, of this version and of earlier ones with the
libraries that they had, in turns: the medians, and as parts of what ``import numpy, casadi`` takes.
No process uses more than one thread for linear algebra.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from earlier import NOW, Version, earlier_version

ROUNDS = 11
FLOOR = "import numpy, casadi"
COMMANDS = {
    FLOOR: ["-c", FLOOR],
    'cb.load("rotary")': ["-c", 'import cranebridge as cb; cb.load("rotary")'],
    "cranebridge --help": ["-m", "cranebridge", "--help"],
    "cranebridge check rotary": ["-m", "cranebridge", "check", "rotary"],
}


def processor_time(version: Version, cache: Path, arguments: list[str]) -> float:
    """Return what a Python process takes, in s."""
    environment = {
        **{key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"},
        "PYTHONPATH": str(version.tree / "python"),
        "XDG_CACHE_HOME": str(cache),
        "OPENBLAS_NUM_THREADS": "1",
    }
    process = subprocess.Popen(
        [version.python, *arguments], env=environment, cwd=cache, stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{arguments} failed in {version.tree}")
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure and print a table."""
    with ExitStack() as stack:
        base = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        versions = {
            revision: stack.enter_context(earlier_version(revision, base))
            for revision in sys.argv[1:]
        }
        versions["now"] = NOW
        taken: dict[tuple[str, str], list[float]] = {}
        for number in range(ROUNDS + 2):  # the first two fill the caches
            for name, version in versions.items():
                cache = base / f"cache-{name}"
                cache.mkdir(exist_ok=True)
                for command, arguments in COMMANDS.items():
                    seconds = processor_time(version, cache, arguments)
                    if number > 1:
                        taken.setdefault((name, command), []).append(seconds)
    median = {key: statistics.median(values) for key, values in taken.items()}
    print("| command | " + " | ".join(versions) + " |\n|---|" + "---|" * len(versions))
    for command in COMMANDS:
        cells = [
            f"{median[name, command]:.3f} s, {median[name, command] / median[name, FLOOR]:.2f}"
            for name in versions
        ]
        print(f"| {command} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
