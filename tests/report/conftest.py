"""Fixtures of the report's tests: real results, their pages, and a browser to look at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from browsers import ONLY_3D_IN_SOFTWARE, Browser, start
from cranebridge.job import solve_scenario, verify_scenario
from cranebridge.report import write_report
from cranebridge.scenario import Scenario, load_scenario
from cranebridge.verify import Verified


@cache
def cached(name: str, *settings: str) -> tuple[Scenario, Verified]:
    scenario = load_scenario(name, settings)
    return scenario, verify_scenario(scenario)


@cache
def cached_solution(name: str, *settings: str) -> tuple[Scenario, Verified]:
    scenario = load_scenario(name, settings)
    return scenario, solve_scenario(scenario)


@pytest.fixture
def verified() -> Callable[..., tuple[Scenario, Verified]]:
    """A ready scenario with overridden settings, solved and driven on its plant."""
    return cached


@pytest.fixture
def solved() -> Callable[..., tuple[Scenario, Verified]]:
    """A ready scenario with overridden settings, solved and driven on no plant."""
    return cached_solution


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The report of a ready scenario as a file."""
    folder = tmp_path_factory.mktemp("reports")
    written: dict[tuple[object, ...], Path] = {}

    def make(name: str, *settings: str, tracked: bool = True) -> Path:
        key = (name, settings, tracked)
        if key not in written:
            target = folder / f"{len(written)}-{name}.html"
            result = (cached if tracked else cached_solution)(name, *settings)
            written[key] = write_report(target, *result)
        return written[key]

    return make


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium that draws three dimensions in software."""
    yield from start(tmp_path_factory.mktemp("profile"), *ONLY_3D_IN_SOFTWARE)


@pytest.fixture(scope="session")
def plain_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium without WebGL."""
    yield from start(tmp_path_factory.mktemp("profile"), "--disable-gpu", "--disable-3d-apis")
