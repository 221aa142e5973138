"""Machines from parts of the Modelica Standard Library, where MODELICAPATH has it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import hand_derived
import numpy as np
import pytest

pytest.importorskip("rumoca")

from c_programs import export_quickly
from cranebridge.frontend.compile.modelica_path import find_library
from cranebridge.frontend.modelica_model import load_model
from cranebridge.plant.plant import Plant

SOURCE = Path(__file__).parents[1] / "data" / "modelica" / "StandardMechanics.mo"
# Of the library: the gravity of its world, and the inertia of a body where none is given.
GRAVITY, INERTIA = 9.80665, 0.001

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_library("Modelica") is None, reason="MODELICAPATH has no Modelica"),
]


def gantry() -> dict[str, float]:
    x, y = hand_derived.gantry(20.0, GRAVITY)
    return {"x": x, "y": y}


MACHINES: dict[str, tuple[dict[str, float], Callable[[], dict[str, float]]]] = {
    "Gears": ({"M": 4.0}, lambda: {"y": 16.0 / (10.0 + 0.5 * 16.0) * 2.0}),
    "Masses": ({"F": 20.0}, lambda: {"y": hand_derived.two_masses(20.0)}),
    "Gantry": ({"F": 20.0}, gantry),
    "FourBar": ({}, lambda: {"y": hand_derived.four_bar(INERTIA, GRAVITY)}),
}


@pytest.mark.parametrize("name", MACHINES)
def test_machine_of_the_standard_library_moves_as_derived_by_hand(
    name: str, tmp_path: Path
) -> None:
    inputs, wanted = MACHINES[name]
    path = export_quickly(load_model(f"{SOURCE}:{name}"), tmp_path / f"{name}.fmu")
    for interface in ("me", "cs"):
        with Plant(path, interface=interface) as plant:
            run = plant.simulate(
                times=np.array([0.0, 2.0]), outputs=list(wanted()), start=inputs,
                rtol=1e-11, atol=1e-12,
            )  # fmt: skip
        found = {output: float(run.column(output)[-1]) for output in wanted()}
        assert found == pytest.approx(wanted(), rel=0.0, abs=1e-8)
