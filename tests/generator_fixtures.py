"""Fixtures of generators and deliveries: a strict C compiler, generators, complete solutions."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from c_programs import load_strict
from cranebridge.deliver import DeliveryOrder, deliver
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import ServoProblem, time_grid
from cranebridge.scenario import load_scenario
from generator_driver import Generator
from roomy_limits import limits_around


@pytest.fixture
def compile_c() -> Callable[[Path], ctypes.CDLL]:
    """Compile a C source as C99 with all warnings as errors, and load it."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    return load_strict


@lru_cache(maxsize=64)
def solution(name: str, step: float | None) -> Feedforward:
    scenario = load_scenario(name)
    times = time_grid(scenario.problem.path.duration, step or scenario.tables.solve.step)
    return solve_index1(scenario.problem, times)


@pytest.fixture
def solved() -> Callable[..., tuple[Feedforward, dict[str, Any]]]:
    """Solve a ready scenario; returns the feedforward and the scenario's tables."""

    def solve(name: str, step: float | None = None) -> tuple[Feedforward, dict[str, Any]]:
        return solution(name, step), load_scenario(name).tables.model_dump(exclude_none=True)

    return solve


@pytest.fixture(scope="session")
def started(tmp_path_factory):
    """Libraries of generators with their problems by what was asked for, each made once."""
    return {}, tmp_path_factory


@pytest.fixture
def generator(started, solved, compile_c) -> Callable[..., tuple[Generator, ServoProblem]]:
    """Deliver, compile and start the on-line generator of a ready scenario.

    Its library has no state of its own, so that tests share it.
    """

    def make(
        name: str, precision: str = "double", **options: Any
    ) -> tuple[Generator, ServoProblem]:
        made, folders = started
        key = (name, precision, repr(sorted(options.items())))
        if key not in made:
            feedforward, tables = solved(name, 0.5)
            target = folders.mktemp("generator") / "online.c"
            options = {"scenario": tables, "precision": precision} | options
            deliver(feedforward, DeliveryOrder("generator", target, **options))
            made[key] = compile_c(target), feedforward.problem
        library, problem = made[key]
        return Generator(library, problem, precision), problem

    return make


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Generators by scenario, precision and limits, each delivered and compiled once."""
    return {}, tmp_path_factory


@pytest.fixture
def moving(built, solved, compile_c):
    """A generator with limits on everything, its problem, limits and folder."""

    def make(name, precision="double", without=()):
        made, folders = built
        if (name, precision, without) not in made:
            folder = folders.mktemp("generator")
            feedforward, tables = solved(name, 0.01)
            limits = limits_around(feedforward, without)
            options = {"scenario": tables, "limits": limits, "precision": precision}
            order = DeliveryOrder(
                "generator", folder / "online.c", allow_violations=True, **options
            )
            deliver(feedforward, order)
            library = compile_c(folder / "online.c")
            made[name, precision, without] = library, feedforward.problem, limits, folder
        library, problem, limits, folder = made[name, precision, without]
        return Generator(library, problem, precision), problem, limits, folder

    return make
