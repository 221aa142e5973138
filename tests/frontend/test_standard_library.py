"""Machines from parts of the Modelica Standard Library, where MODELICAPATH has it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import hand_derived
import numpy as np
import pytest

pytest.importorskip("rumoca")

from fmpy.validation import validate_fmu

from c_programs import export_quickly
from cranebridge.errors import CranebridgeError
from cranebridge.frontend.compile.modelica_path import find_library
from cranebridge.frontend.modelica_model import load_model
from cranebridge.plant.export.fmu_export import Fmi
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


def load_at(place: list[float]) -> dict[str, float]:
    return {f"r[{i + 1}]": x for i, x in enumerate(place)}


BRIDGE, ROTARY = (30.0, 5.0, -49.0), (50.0, 5.0, -49.0)

# A force of 10 N over 1 s, then constant, on 10 kg; acceleration times t^2/2.
TABLED = 1.0 / 6.0 + 0.5 + 0.5
MACHINES: dict[str, tuple[dict[str, float], Callable[[], dict[str, float]]]] = {
    "Units": ({"F": 20.0}, gantry),
    "BlockLoop": ({"u": 1.0}, lambda: {"y": hand_derived.block_loop(1.0)}),
    "Controlled": ({"u": 1.0}, lambda: {"y": hand_derived.controlled(1.0)}),
    "Limited": ({"u": 1.0}, lambda: {"y": hand_derived.controlled(1.0, 12.0)}),
    "TimeTabled": ({}, lambda: {"y": TABLED}),
    "CombiTimeTabled": ({}, lambda: {"y": TABLED}),
    "Masses": ({"F": 20.0}, lambda: {"y": hand_derived.two_masses(20.0)}),
    "RigidMasses": ({"F": 20.0}, lambda: {"y": 20.0 / 15.0 * 2.0}),
    "Stop": ({"F": 20.0}, lambda: {"y": hand_derived.stopped_without_pull(20.0)}),
    "TwoInertias": ({"M": 4.0}, lambda: {"y": hand_derived.two_inertias(4.0)}),
    "IdealGear": ({"M": 4.0}, lambda: {"y": 40.0 / (1.0 + 0.02 * 100.0) * 2.0}),
    "Gears": ({"M": 4.0}, lambda: {"y": 16.0 / (10.0 + 0.5 * 16.0) * 2.0}),
    "ElectricTrolley": ({"u": 24.0}, lambda: {"y": hand_derived.electric_trolley(24.0)}),
    "Pendulum": (
        {},
        lambda: {
            "y": hand_derived.pendulum(0.3 + np.pi / 2.0, gravity=GRAVITY) - np.pi / 2.0,
        },
    ),
    "Gantry": ({"F": 20.0}, gantry),
    "Bridge": (
        dict(zip(("F_b", "F_t", "F_h"), BRIDGE, strict=True)),
        lambda: load_at(hand_derived.bridge(BRIDGE, GRAVITY)),
    ),
    "Rotary": (
        dict(zip(("M_b", "F_t", "F_h"), ROTARY, strict=True)),
        lambda: load_at(hand_derived.rotary(ROTARY, INERTIA, GRAVITY)),
    ),
    "FourBar": ({}, lambda: {"y": hand_derived.four_bar(INERTIA, GRAVITY)}),
    "StiffTrolley": ({"F": 20.0}, lambda: {"y": hand_derived.dragged(20.0, 14.0, 3.0)}),
    "SoftTrolley": ({"F": 20.0}, lambda: {"y": hand_derived.softly_coupled(20.0)}),
    "WoundLoad": (
        {"M": -1.2},
        lambda: dict(zip(("x", "z"), hand_derived.wound_load(-1.2), strict=True)),
    ),
}
REFUSED = {
    "Braked": r"mo:\d+: '[^']*Brake brake.*of 'Modelica\.Mechanics\.Rotational\.Components\.Brake'",
    "Bussed": r"mo:\d+: 'connect\(sine\.y, bus\.force\);': expandable connectors",
}


@pytest.mark.parametrize("name", MACHINES)
def test_machine_of_the_standard_library_moves_as_derived_by_hand(
    name: str, tmp_path: Path
) -> None:
    inputs, motion = MACHINES[name]
    wanted, model = motion(), load_model(f"{SOURCE}:{name}")
    versions: tuple[Fmi, ...] = ("2.0", "3.0")
    for fmi in versions:
        path = export_quickly(model, tmp_path / f"{name}{fmi[0]}.fmu", fmi)
        assert validate_fmu(str(path)) == []
        for interface in ("me", "cs"):
            options = {"method": "DOP853"} if interface == "me" else {}
            with Plant(path, interface=interface) as plant:
                run = plant.simulate(
                    times=np.array([0.0, 2.0]), outputs=list(wanted), start=inputs,
                    rtol=1e-11, atol=1e-12, **options,
                )  # fmt: skip
            found = {output: float(run.column(output)[-1]) for output in wanted}
            assert found == pytest.approx(wanted, rel=0.0, abs=1e-8)


@pytest.mark.parametrize("force", [24.0, 10.0, 0.0, -30.0])
def test_friction_of_the_library_sticks_or_is_refused_by_its_construct(
    force: float, tmp_path: Path
) -> None:
    try:
        model = load_model(f"{SOURCE}:Sticking")
    except CranebridgeError as error:  # of 4.0.0; from 4.1.0 on it takes its values from a table
        assert re.search(r":\d+: '.*SupportFriction.*function 'Modelica.*interpolate'", str(error))  # noqa: PT017
        return
    path = export_quickly(model, tmp_path / "Sticking.fmu")
    for interface in ("me", "cs"):
        options = {"method": "DOP853"} if interface == "me" else {}
        with Plant(path, interface=interface) as plant:
            run = plant.simulate(
                times=np.array([0.0, 2.0]), outputs=["y"], start={"F": force},
                rtol=1e-11, atol=1e-12, **options,
            )  # fmt: skip
        wanted = hand_derived.sticking(force)
        assert float(run.column("y")[-1]) == pytest.approx(wanted, rel=0.0, abs=1e-8)


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_compiler_cannot_read_of_the_library_is_refused_by_its_construct(
    name: str,
) -> None:
    with pytest.raises(CranebridgeError, match=REFUSED[name]):
        load_model(f"{SOURCE}:{name}")
