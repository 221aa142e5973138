"""Examples in docstrings are run, and what a user calls has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
from pathlib import Path

import pytest

import cranebridge as cb

ROOT = Path(cb.__file__).parent
MODULES = sorted(
    ".".join(("cranebridge", *file.relative_to(ROOT).with_suffix("").parts)).removesuffix(
        ".__init__"
    )
    for file in ROOT.rglob("*.py")
    if ">>>" in file.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module_run(name: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    # only what is written there; what it imports has its own turn
    found = doctest.testmod(module)
    assert (found.failed, found.attempted > 0) == (0, True)


VERBS = {"check", "plan", "solve", "verify", "run", "learn", "campaign", "deliver", "of", "with_"}


def test_every_verb_has_an_example() -> None:
    functions = {name for name in cb.__all__ if inspect.isroutine(getattr(cb, name))}
    assert functions >= {"cranes", "load", "ready_scenarios"}
    wanted = [getattr(cb, name) for name in functions]
    wanted += [getattr(cb.Scenario, name) for name in VERBS]
    without = [one.__name__ for one in wanted if ">>> " not in (inspect.getdoc(one) or "")]
    assert without == []
