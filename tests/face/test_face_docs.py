"""Examples in docstrings are run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import cranebridge.face
import cranebridge.twin.in_memory

MODULES = [
    f"cranebridge.face.{module.name}" for module in pkgutil.iter_modules(cranebridge.face.__path__)
]


@pytest.mark.parametrize("name", [*MODULES, "cranebridge.twin.in_memory"])
def test_examples_of_a_module_run(name: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(importlib.import_module(name)).failed == 0
