"""Learning on the imperfect plants: errors, runs of the plant and seconds, law by law.

Run it with ``.venv/bin/python benchmarks/learn.py``; it prints the table of ``docs/learning.md``.
The goal for five lifted trials of the rotary crane is 5 s.
"""

from __future__ import annotations

import time

from cranebridge.job.learning import learn_scenario
from cranebridge.scenario import load_scenario

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
}


def main() -> None:
    """Print a row for each case."""
    print("| case | largest error [mm] at trial 0, 1, 2, ... | best | runs | seconds |")
    print("|---|---|---|---|---|")
    for title, (name, settings) in CASES.items():
        scenario = load_scenario(name, settings)
        begin = time.monotonic()
        _, learning = learn_scenario(scenario)
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
