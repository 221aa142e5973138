"""Fixtures that all tests share."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

import quick_children
from cranebridge import cli
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.internal.inversion import invert
from cranebridge.inverse.kernels import kernel_building
from cranebridge.inverse.problem import ServoProblem
from cranebridge.plant.sandbox import spare
from cranebridge.plant.sandbox.child_process import Sandbox
from cranebridge.scenario import load_scenario

# The same examples in every run, so that a run tells about the change and not about its luck.
# Others are looked for by hand: pytest --hypothesis-profile=search --hypothesis-seed=...
settings.register_profile("same", derandomize=True)
settings.register_profile("search", derandomize=False)
settings.load_profile("same")

# Half of the suite's time was gcc's. What runs for milliseconds is compiled without optimisation;
# tests whose subject that is take this away (tests/plant/test_export_cranes.py) or call gcc.
os.environ.setdefault("CC", str(Path(__file__).parent / "data" / "quick_cc"))

# Thousands of collected tests and the symbols of all cranes live until the end: looking through
# them for garbage after every 700 new objects took a third of the suite's time.
gc.set_threshold(100_000, 50, 100)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the suite run as on a processor that computes fewer numbers at once."""
    parser.addoption("--lanes", type=int, choices=(1, 2, 4, 8), help="at most so many lanes")


def pytest_configure(config: pytest.Config) -> None:
    """Take wider lanes away, in this process."""
    if lanes := config.getoption("--lanes"):
        kept = tuple(row for row in kernel_building._LANES if row[0] <= (lanes if lanes > 1 else 0))
        kernel_building._LANES = kept
        assert kernel_building.best_lanes()[0] <= lanes


if sys.platform.startswith("linux"):
    Sandbox._start = quick_children.forked  # type: ignore[method-assign]


@pytest.fixture
def own_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start children for FMUs as the product does."""
    spare.discard()
    monkeypatch.setattr(Sandbox, "_start", quick_children.own_start)


CASES = Path(__file__).parent / "data" / "cases"


@cache
def scenario_problem(name: str) -> ServoProblem:
    return load_scenario(name).problem


@pytest.fixture
def problem() -> Callable[[str], ServoProblem]:
    """The servo problem of a ready scenario."""
    return scenario_problem


@lru_cache(maxsize=64)
def exact_solution(name: str, steps: int) -> Feedforward:
    servo = scenario_problem(name)
    times = np.linspace(0.0, servo.path.duration, steps + 1)
    if load_scenario(name).tables.solve.method == "inversion":
        return invert(servo, times[1], after=0.0).at(times)
    return solve_index1(servo, times)


@pytest.fixture
def exact() -> Callable[[str, int], Feedforward]:
    """The exact solution of a ready scenario along its path, in a number of equal steps."""
    return exact_solution


@pytest.fixture
def case() -> Callable[[str], dict[str, Any]]:
    """A reference solution by name."""

    def load(name: str) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text())
        return content

    return load


@pytest.fixture
def uncompared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plant is driven with its controller alone, and not without it, too, for the report.

    A load that nothing holds falls or flies: its run can take ten times as long as the one that a
    test looks at.
    """
    monkeypatch.setattr("cranebridge.verify.tracking.on_plant._compared", lambda _run, _motion: {})


@pytest.fixture
def run(monkeypatch, capfd):
    """Run the command line; returns exit code, standard output and standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["cranebridge", *arguments])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        captured = capfd.readouterr()
        spare.discard()  # a command that failed early leaves the child that it had prepared
        code = stopped.value.code
        return (code if isinstance(code, int) else 0 if code is None else 1), *captured

    return call


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the ten files that took longest: where the time of the suite is."""
    seconds: dict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.split("::")[0]] += report.duration
    slowest = sorted(seconds.items(), key=lambda item: -item[1])[:10]
    if len(seconds) > 1:
        total = sum(seconds.values())
        terminalreporter.section(f"ten slowest files of {len(seconds)} ({total:.0f} s in all)")
        for file, duration in slowest:
            terminalreporter.write_line(f"{duration:6.1f} s  {file}")
