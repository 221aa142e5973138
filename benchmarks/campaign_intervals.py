"""Do the intervals of a campaign of 2 000 runs hold what 20 000 other runs say?

    .venv/bin/python benchmarks/campaign_intervals.py [RUNS] [--write]

`rotary-real` with payload, friction, rope stiffness and a gust varied, independent draws, another
random seed for each of the two. An interval of 95 % misses in one case of twenty: several are told.

Finished runs are kept in `out/campaign_intervals`: killed and started again, the same command goes
on, as long as the program is the same. With --write the table goes into docs/campaigns.md.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from pathlib import Path

import cranebridge
from cranebridge.campaign import Statistics, read_runs, statistics_of
from cranebridge.job.campaign import campaign_into
from cranebridge.version_info import program_hash

ROOT = Path(__file__).resolve().parents[1]
KEPT, TARGET = ROOT / "out" / "campaign_intervals", ROOT / "docs" / "campaigns.md"
BEGIN, END = "<!-- made by benchmarks/campaign_intervals.py -->\n", "<!-- end of intervals -->\n"
EVERY = 10.0
"""Seconds between two lines about how far it is."""

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


def statistics(runs: int, draw: int) -> Statistics:
    """Return what a campaign says; what is finished of it already is not done again."""
    parts = (key if "'" in key else f"'{key}'" for key in VARIED)
    pairs = ",".join(f"{key}={law}" for key, law in zip(parts, VARIED.values(), strict=True))
    own = (f"campaign.vary={{{pairs}}}", f"campaign.runs={runs}", f"campaign.seed={draw}")
    scenario = cranebridge.load("rotary-real", [*SETTINGS, *own])
    content = json.dumps([scenario.complete(), program_hash()], sort_keys=True, default=str)
    folder = KEPT / f"{runs}-runs-{hashlib.sha256(content.encode()).hexdigest()[:12]}"
    if (folder / "runs.parquet").exists():
        print(f"{runs} runs are in {folder}", flush=True)
        return statistics_of(read_runs(folder / "runs.parquet"))
    folder.mkdir(parents=True, exist_ok=True)
    return campaign_into(scenario, folder, report_stage=Silent()).statistics


class Silent:
    """Says now and then how far a campaign is."""

    def __init__(self) -> None:
        self._last = float("-inf")

    def __call__(self, stage: str) -> None:
        """Print a line if the last one was long ago."""
        if time.monotonic() - self._last >= EVERY:
            print(stage, flush=True)
            self._last = time.monotonic()


def main() -> None:
    """Compare."""
    numbers = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    many = numbers[0] if numbers else 20_000
    begin = time.perf_counter()
    few, reference = statistics(many // 10, 1), statistics(many, 2)
    seconds = time.perf_counter() - begin
    lines = [
        f"| limit | {many // 10} runs | interval of 95 % | {many} runs | held |",
        "|---|---|---|---|---|",
    ]
    missed = []
    for name, found in few.probabilities.items():
        other = reference.probabilities[name].value
        held = found.low <= other <= found.high
        title = "all limits" if name == "passed" else name.removeprefix("passed.")
        missed += [] if held else [title]
        interval = f"{100 * found.low:.2f} to {100 * found.high:.2f} %"
        cells = (title, f"{100 * found.value:.2f} %", interval, f"{100 * other:.2f} %")
        lines.append(f"| {' | '.join(cells)} | {'yes' if held else 'no'} |")
    total = len(few.probabilities)
    lines += [
        "",
        f"{total - len(missed)} of {total} intervals hold what the others say"
        f"{'' if not missed else ', not ' + ', '.join(missed)}; {few.failed} of {many // 10} and "
        f"{reference.failed} of {many} runs could not be carried out.",
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    print(f"{seconds:.0f} s, without what was finished before")
    if "--write" in sys.argv:
        before, _, rest = TARGET.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        TARGET.write_text(f"{before}{BEGIN}{text}{END}{after}", encoding="utf-8")


if __name__ == "__main__":  # worker processes import this file
    main()
