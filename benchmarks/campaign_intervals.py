"""Do the intervals of a campaign of 2 000 runs hold what 20 000 other runs say?

    .venv/bin/python benchmarks/campaign_intervals.py [RUNS]

`rotary-real` with payload, friction, rope stiffness and a gust varied, independent draws, another
random seed for each of the two. An interval of 95 % misses in one case of twenty: several are told.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import cranebridge
from cranebridge.campaign import Statistics
from cranebridge.job.campaigning import campaign_into

VARIED = {
    "plant.parameters.m": "{uniform=[80.0,120.0]}",
    "plant.parameters.F_c": "{uniform=[2.0,10.0]}",
    "plant.parameters.M_cb": "{uniform=[2.0,10.0]}",
    "plant.parameters.k_r": "{lognormal=[2e5,0.3]}",
    "'disturbance[0].value'": "{normal=[0.0,6.0]}",
}
SETTINGS = (
    "disturbance=[{on='load.x', kind='gust', value=0.0, from=5.0, until=10.0}]",
    "limits={tracking=0.05, u={F_t=45.0, M_b=120.0}, rope={T_cable=[800.0,1150.0]}}",
    "campaign.design=random",
    "campaign.budget=0",
    "campaign.keep=0",
    "plant.variants={}",
)


def statistics(runs: int, draw: int) -> tuple[Statistics, float]:
    """Return what a campaign says, and how long it took in s."""
    parts = (key if "'" in key else f"'{key}'" for key in VARIED)
    pairs = ",".join(f"{key}={law}" for key, law in zip(parts, VARIED.values(), strict=True))
    own = (f"campaign.vary={{{pairs}}}", f"campaign.runs={runs}", f"campaign.seed={draw}")
    scenario = cranebridge.load("rotary-real", [*SETTINGS, *own])
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        found = campaign_into(scenario, Path(folder) / "runs", tell=_tell)
    return found.statistics, time.perf_counter() - begin


def _tell(stage: str) -> None:
    if stage.split(" ")[0].endswith("00"):
        print(stage, flush=True)


def main() -> None:
    """Compare."""
    numbers = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    many = numbers[0] if numbers else 20_000
    few, seconds = statistics(many // 10, 1)
    reference, longer = statistics(many, 2)
    lines = [
        f"| limit | {many // 10} runs | interval | {many} runs | held |",
        "|---|---|---|---|---|",
    ]
    for name, found in few.probabilities.items():
        other = reference.probabilities[name].value
        held = "yes" if found.low <= other <= found.high else "no"
        title = "all limits" if name == "passed" else name.removeprefix("passed.")
        interval = f"{100 * found.low:.2f} to {100 * found.high:.2f} %"
        row = (title, f"{100 * found.value:.2f} %", interval, f"{100 * other:.2f} %", held)
        lines.append(f"| {' | '.join(row)} |")
    lines += [
        "",
        f"{few.failed} and {reference.failed} runs could not be carried out; {seconds:.0f} s and "
        f"{longer:.0f} s on two processors.",
    ]
    print("\n".join(lines))


if __name__ == "__main__":  # worker processes import this file
    main()
