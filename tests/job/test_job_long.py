"""Solutions that are written part by part have the files and verdicts of those in one piece."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from cranebridge.job import long_solving
from cranebridge.job.running import solve_into
from cranebridge.limits import Verdict, worst
from cranebridge.scenario import load_scenario


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("rotary", ["limits.u.M_b=100.0", "limits.jerk.s=1e3"]),
        ("navy2d", []),  # asks a rope to push
    ],
)
def test_long_solution_has_the_files_and_verdicts_of_a_short_one(
    name, settings, tmp_path, monkeypatch
) -> None:
    scenario = load_scenario(name, [*settings, "solve.step=0.001"])
    short = solve_into(scenario, tmp_path / "short", force=False)
    monkeypatch.setattr(long_solving, "LONG", 2_000)
    monkeypatch.setattr(long_solving, "PART", 2_900)
    told: list[float] = []
    found = solve_into(scenario, tmp_path / "long", False, told.append)
    files = [(tmp_path / folder / "feedforward.csv").read_bytes() for folder in ("short", "long")]
    assert files[0] == files[1]
    assert {file.name for file in (tmp_path / "long").iterdir()} == {
        file.name for file in (tmp_path / "short").iterdir()
    }
    for one, other in zip(short.verdicts, found.verdicts, strict=True):
        assert (one.name, one.status, one.limit) == (other.name, other.status, other.limit)
        assert other.margin == pytest.approx(one.margin, rel=1e-6, abs=1e-9)
        assert other.time == pytest.approx(one.time, abs=1e-3)
    assert found.exit_code == short.exit_code
    summaries = [json.loads((tmp_path / f / "summary.json").read_text()) for f in ("short", "long")]
    assert summaries[0]["solve"]["points"] == summaries[1]["solve"]["points"]
    assert summaries[1]["solve"]["interpolation_order"] == 4
    u = short.feedforward.u
    kept = found.feedforward.u
    assert kept.min(axis=0).tolist() == u.min(axis=0).tolist()
    assert kept.max(axis=0).tolist() == u.max(axis=0).tolist()
    assert told == sorted(told)
    assert told[-1] == 1.0


MEASURED = """
import sys
from pathlib import Path
from cranebridge.job import long_solving
from cranebridge.job.running import solve_into
from cranebridge.scenario import load_scenario
long_solving.LONG, long_solving.PART = 2_000, 2_900
scenario = load_scenario("rotary", [f"solve.step={sys.argv[1]}"])
solve_into(scenario, Path(sys.argv[2]), force=False)
status = Path("/proc/self/status").read_text()
print(status.partition("VmHWM:")[2].split()[0])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux for the memory")
def test_memory_does_not_hold_the_rows_that_were_written(tmp_path) -> None:
    """Of 80 000 rows more only their times are held, and those of the nodes, by a few numbers."""
    used = []
    for step in ("0.001", "0.0002"):
        command = [sys.executable, "-c", MEASURED, step, str(tmp_path / step)]
        used.append(1024 * int(subprocess.run(command, check=True, capture_output=True).stdout))
    titles = (tmp_path / "0.001" / "feedforward.csv").read_text().partition("\n")[0].split(",")
    assert len(titles) == 27
    assert used[1] - used[0] < 80_000 * 8 * len(titles) / 3


def test_worst_verdict_is_the_one_that_failed_most() -> None:
    def verdict(status, margin):
        return Verdict("x", status, "", margin=margin)

    passed, close = verdict("passed", 2.0), verdict("passed", 0.0)
    failed, worse = verdict("failed", -1.0), verdict("failed", -3.0)
    unknown = verdict("not judged", None)
    assert worst([passed, close]) is close
    assert worst([passed, failed, worse, unknown]) is worse
    assert worst([passed, unknown]) is unknown
