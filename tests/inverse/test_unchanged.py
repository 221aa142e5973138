"""What was right stays right: structure and solution of the scenarios that came before.

The file has what the package gave before structures were checked by rank and repaired (commit
761db7a, functions not compiled), with all digits.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.index1.solvers import structure_of
from cranebridge.scenario import load_scenario

BEFORE = json.loads((Path(__file__).parents[1] / "data" / "before-any-crane.json").read_text())


@pytest.mark.parametrize("name", BEFORE)
def test_structure_is_what_it_was(name: str) -> None:
    before, found = BEFORE[name], structure_of(load_scenario(name).problem)
    assert not found.combinations
    for key in ("index", "internal_dynamics", "path_derivatives"):
        assert getattr(found, key) == before[key]


@pytest.mark.parametrize("name", BEFORE)
def test_solution_is_what_it_was(name: str) -> None:
    before = BEFORE[name]
    found = solve_index1(load_scenario(name).problem, np.array(before["time"]), "never")
    for key in ("q", "u", "ropes"):
        wanted, values = np.array(before[key]), getattr(found, key)
        # Columns of zeros are told by the size of the others: newtons by newtons.
        scale = np.abs(wanted).max(axis=0)
        scale = np.maximum(scale, 1e-3 * scale.max(initial=0.0))
        assert (np.abs(values - wanted) <= 1e-12 * scale).all()
