"""Mistakes that the plant's stage finds leave no folder that keeps the next try out."""

from __future__ import annotations

import pytest

from cranebridge.errors import CranebridgeError
from cranebridge.job import run_scenario, verify_into
from cranebridge.scenario import load_scenario


@pytest.mark.parametrize(
    "setting", ["plant.parameters.nope=1", "plant.model='Nope'", "plant.map.signals.s='nope'"]
)
@pytest.mark.parametrize("verb", ["run", "verify"])
def test_mistake_about_the_plant_leaves_no_folder(setting, verb, tmp_path) -> None:
    folder, scenario = tmp_path / "out", load_scenario("overhead", [setting])
    work = {
        "run": lambda: run_scenario(scenario, folder),
        "verify": lambda: verify_into(scenario, folder, False, "fmu"),
    }
    with pytest.raises(CranebridgeError, match=r"(?i)nope"):
        work[verb]()
    assert not folder.exists()
