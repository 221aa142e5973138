#!/usr/bin/env python3
"""Measure what the stages of the verbs take the first time, into progress/typical_seconds.py.

Each command runs in a pseudo terminal with empty caches, and remembers how long its stages took;
times of a busy machine are reduced to the processor time that they had. The median over the
scenarios counts.

    scripts/stage_costs.py            # all verbs: some minutes
    scripts/stage_costs.py run check  # these alone
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import tempfile
from pathlib import Path

from progress_audit import clear_fmus, watch

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "python" / "cranebridge" / "progress" / "typical_seconds.py"
MIDDLE = ("overhead", "rotary", "navy3d-pulley-safe")
COMMANDS = {
    "run": [f"run {name} -o OUT" for name in MIDDLE],
    "check": [f"check {name}" for name in MIDDLE],
    "check a crane": ["check python/cranebridge/twin/rotary.py"],
    "plan": ["plan container-hop"],
    "plan otherwise": ["plan examples/transport.toml --method collocation"],
    "solve": [f"solve {name}" for name in MIDDLE],
    "sweep": ["solve rotary --sweep crane.m=80:120:10"],
    "study": ["study methods rotary -o OUT"],
    "export": ["export RotaryCrane", "export OverheadCrane"],
    "certify": [f"certify {name}" for name in MIDDLE],
    "verify": [f"verify {name}" for name in MIDDLE],
    "deliver": [f"deliver rotary --to {form} -o OUT" for form in ("fmu", "c", "generator")],
    "learn": ["learn overhead-real -o OUT --set learn.trials=3"],
    "campaign": [
        "campaign overhead -o OUT --set campaign.runs=20 "
        '--set campaign.vary={"crane.m"={uniform=[90,110]}}'
    ],
    "doctor": ["doctor"],
}
HEADER = '''"""What stages of the verbs typically take the first time [s].

Made by scripts/stage_costs.py.

Compilers are foreseen by the length of their sources beside this.
"""

TYPICAL: dict[str, dict[str, float]] = {
'''


def measured(command: str) -> dict[str, float]:
    """Return the seconds of the stages of a first run."""
    with tempfile.TemporaryDirectory() as place:
        clear_fmus()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        words = [word.replace("OUT", f"{place}/out") for word in command.split()]
        seconds, code, frames = watch(words, Path(place))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        file = Path(place) / "cranebridge" / "durations.json"
        if code not in (0, 1) or not file.is_file():
            print(f"{command}: exit code {code}: {frames[-1:]}", file=sys.stderr)
            return {}
        found = json.loads(file.read_text(encoding="utf-8"))
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    share = min(used / seconds, 1.0)
    print(f"{command}: {seconds:.1f} s, {share:.0%} of a processor", file=sys.stderr)
    return {stage: share * value for stage, value in next(iter(found.values())).items()}


def typical(rows: list[dict[str, float]]) -> dict[str, float]:
    """Return the median of each stage, in their order."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {
        name: max(round(statistics.median([r[name] for r in rows if name in r]), 1), 0.1)
        for name in names
    }


def main() -> int:
    """Measure, and write the module."""
    sys.path.insert(0, str(ROOT / "python"))
    from cranebridge.progress import TYPICAL

    table = {verb: dict(stages) for verb, stages in TYPICAL.items()}
    for verb in sys.argv[1:] or COMMANDS:
        rows = [row for row in map(measured, COMMANDS[verb]) if row]
        if rows:
            table[verb] = typical(rows)
    lines = [
        f"    {json.dumps(verb)}: {json.dumps(table[verb])},\n"
        for verb in COMMANDS
        if verb in table
    ]
    TARGET.write_text(HEADER + "".join(lines) + '}\n"""Stages in their order, by verb."""\n')
    return 0


if __name__ == "__main__":
    sys.exit(main())
