"""Learning on the imperfect plants: errors, runs of the plant and seconds, law by law.

Run it with ``.venv/bin/python benchmarks/learn.py``; it prints the table of ``docs/learning.md``.
The goal for five lifted trials of the rotary crane is 5 s.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "learn"))
from foreign_stand import write_pendulum, write_stand

from cranebridge.job.learning import learn_source

FREQUENCY = (
    *("learn.law=frequency", "learn.bandwidth=1.0", "learn.gain=0.5"),
    *("learn.rest_before=3.0", "learn.rest_after=5.0"),
)
CASES = {
    "overhead-real, lifted, twin": ("overhead-real", ()),
    "overhead-real, lifted, fmu": ("overhead-real", ("learn.model=fmu",)),
    "overhead-real, lifted, fmu, relinearised": (
        "overhead-real",
        ("learn.model=fmu", "learn.relinearise=true"),
    ),
    "overhead-real, lifted, differences, 6 pulses": (
        "overhead-real",
        ("learn.model=differences", "learn.pulses=6"),
    ),
    "overhead-real, frequency, twin": ("overhead-real", FREQUENCY),
    "overhead-real, frequency, noise": ("overhead-real", (*FREQUENCY, "learn.model=noise")),
    "rotary-real, lifted, twin": ("rotary-real", ()),
    "rotary-real, 10 % heavier, lifted, twin": ("rotary-real", ("plant.parameters.m=110",)),
    "overhead-speed, 10 % heavier, lifted, twin": ("overhead-speed", ("plant.parameters.m=110",)),
}
PENDULUM = ("plant.parameters.phi0=0.0", "learn.bandwidth=8.0")
ALONE = {
    "PythonFMU, no twin, lifted, differences": (write_stand, ()),
    "PythonFMU, no twin, frequency, noise": (
        write_stand,
        ("learn.law=frequency", "learn.noise_duration=60.0", "learn.rest_after=2.0"),
    ),
    "pendulum, no twin, lifted, differences": (write_pendulum, PENDULUM),
    "pendulum, no twin, lifted, fmu": (write_pendulum, (*PENDULUM, "learn.model=fmu")),
    "pendulum, no twin, lifted, fmu, relinearised": (
        write_pendulum,
        (*PENDULUM, "learn.model=fmu", "learn.relinearise=true"),
    ),
}
"""Without a twin: errors in thousandths of the FMU's unit."""


def main() -> None:
    """Print a row for each case."""
    print("| case | largest error [mm] at trial 0, 1, 2, ... | best | runs | seconds |")
    print("|---|---|---|---|---|")
    for title, (name, settings) in CASES.items():
        print_row(title, name, settings)
    for title, (write, settings) in ALONE.items():
        with tempfile.TemporaryDirectory() as folder:
            print_row(title, str(write(Path(folder))), settings)


def print_row(title: str, source: str, settings: tuple[str, ...]) -> None:
    """Learn and print what came of it."""
    begin = time.monotonic()
    learning = learn_source(source, settings).learning
    seconds = time.monotonic() - begin
    errors = [
        f"{1e3 * max(trial.max_error.values()):.3g}" if trial.max_error else "-"
        for trial in learning.learned.trials
    ]
    best = learning.learned.best
    print(
        f"| {title} | {', '.join(errors)} | {best} | {learning.simulations} | {seconds:.1f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
