"""Cranes on elastic ropes on plants in other coordinates: the same machine, and the path kept.

The twin has the stretch as a coordinate and a constraint, the load in Cartesian coordinates; the
plants of Cranes.Elastic have vectors of elements and take the difference of two lengths.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cranebridge as cb
from cranebridge.scenario import Scenario
from further import further, mostly_further

pytest.importorskip("rumoca")

# Plant and EA in N: a stretch of some centimetres under the load.
PLANTS = {
    "gantry": ("GantryCrane", 2e7),
    "ship-to-shore": ("GantryCrane", 1.2e8),
    "bridge": ("BridgeCrane", 4e7),
    "luffing-jib": ("LuffingJibCrane", 2e7),
}


def elastic(name: str, **more: Any) -> Scenario:
    """A ready scenario on an elastic rope; limits of swing angles have no coordinate there."""
    model, stiffness = PLANTS[name]
    rigid = cb.load(name)
    limits = rigid.tables.limits.model_dump(exclude_unset=True)
    limits.pop("q", None)
    changes = {"crane.rope.stiffness": stiffness, "limits": limits}
    return rigid.with_({**changes, "plant": {"model": f"Elastic.{model}"}, **more})


def verified(scenario: Scenario) -> tuple[dict[str, Any], float]:
    """Return the summary of a verification and the largest error of the load."""
    summary = scenario.verify().summary()
    return summary, max(summary["tracking"]["max_error"].values())


@pytest.mark.parametrize(
    "name",
    mostly_further(
        ["overhead-elastic", "overhead-lump", "rotary-elastic", *PLANTS],
        *("overhead-lump", "rotary-elastic"),
    ),
)
def test_plant_is_the_same_machine_and_follows_the_path(name: str) -> None:
    summary, error = verified(elastic(name) if name in PLANTS else cb.load(name))
    assert summary["certificate"]["status"] == "same"
    # The formulations agree to rounding: 1e-15 a term, a thousand times as much where forces of
    # EA = 2e7 N cancel.
    assert summary["certificate"]["max_relative_difference"] < 1e-12
    assert error < 1e-8
    assert all(verdict["status"] == "passed" for verdict in summary["verdicts"])


@pytest.mark.further
def test_damped_rope_is_the_same_machine_and_follows_the_path() -> None:
    damped = {"crane.rope.damping": 1e5, "solve.method": "inversion"}
    summary, error = verified(cb.load("overhead-elastic").with_(damped))
    assert summary["certificate"]["status"] == "same"
    # Controls at every 0.01 s, of internal dynamics with -200 1/s: two time constants a row.
    assert error < 1e-7


def test_force_that_is_wrong_by_a_thousandth_misses_the_path_by_millimetres() -> None:
    wrong = {"plant.map.inputs.F_t": "1.001*F_t", "plant.certify": False}
    _, error = verified(cb.load("overhead-elastic").with_(wrong))
    assert 3e-3 < error < 0.1


def test_rigid_feedforward_leaves_the_load_where_the_stretch_is() -> None:
    # What the table gains: rest at -20 m with T l/EA = 98 mm, at -10 m with 49 mm. Controls of the
    # rigid rope start the plant from its own rest; the load ends too high or low and swings.
    soft = cb.load("overhead-elastic")
    rigid = cb.load("overhead").with_(
        {
            "crane.parameters": dict(soft.tables.crane.parameters),
            "path": dict(soft.tables.path),
            "plant": {"model": "Elastic.OverheadCrane", "certify": False},
            "plant.parameters": {"EA": 2e7},
        }
    )
    _, error = verified(rigid)
    assert error > 0.02


@pytest.mark.parametrize("name", ["overhead-real", further("rotary-real")])
def test_twin_with_the_rope_of_the_real_plant_loses_the_millimetres_of_its_stretch(
    name: str,
) -> None:
    # Only the rope of the real plant is on, EA = 4e5 N, the drives' loops are closed: what is left
    # of 11 and 13 mm is rounding. With all the rest on, friction and lag are left, 3 and 2 mm.
    real = cb.load(name)
    off = dict.fromkeys(set(real.tables.plant.parameters) - {"k_r"}, 0.0)
    errors = []
    for rope in ({}, {"crane.rope.stiffness": 4e5}):
        plant = {"plant.parameters": {**off, "EA": 4e5}, "plant.variants": {}}
        summary = real.with_({**plant, **rope}).verify().summary()
        errors.append(summary["tracking"]["max_error"]["z"])
    rigid, elastic = errors
    assert rigid > 5e-3
    assert elastic < 1e-8


def test_certificate_tells_a_rope_that_lacks_the_energy_paid_out(tmp_path: Any) -> None:
    # The term T^2/(2 EA) of the winch's balance taken out of the plant: 240 N of 98 100 N.
    from cranebridge.frontend.library import library_path

    text = (library_path() / "Elastic" / "OverheadCrane.mo").read_text()
    for old, new in {
        "within Cranes.Elastic;": "",
        "rope.T[1] + rope.strain": "rope.T[1]",
        "model OverheadCrane ": "model Own ",
        "end OverheadCrane;": "end Own;",
        "  Rope rope(": "  Cranes.Elastic.Rope rope(",
        " Icons.": " Cranes.Icons.",
        " Interfaces.": " Cranes.Interfaces.",
        " Types.": " Cranes.Types.",
    }.items():
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / "Own.mo"
    file.write_text(text)
    summary, _ = verified(cb.load("overhead-elastic").with_({"plant.model": f"{file}:Own"}))
    assert summary["certificate"]["status"] == "different"
    assert np.isfinite(summary["certificate"]["max_relative_difference"])
