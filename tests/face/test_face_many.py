"""Campaigns and learning in Python: their tables and plots."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import cranebridge as cb
from cranebridge.errors import InputError
from cranebridge.face.campaigns import Campaign
from cranebridge.face.learned import Learned

VARY = {"plant.parameters.m": {"uniform": [99.9, 100.1]}, "plant.start.q.x": {"values": [0.0]}}


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    scenario = cb.load("overhead").with_(
        {
            "campaign": {"runs": 4, "vary": VARY, "budget": 0, "keep": 1},
            "plant.certify": False,
            "solve.step": 0.05,
            "limits.tracking": 0.2,
        }
    )
    return scenario.campaign(workers=1)


@pytest.fixture(scope="module")
def learned() -> Learned:
    return cb.load("overhead-real", {"learn.trials": 2}).learn()


def test_table_of_runs(campaign) -> None:
    table = campaign.to_pandas()
    assert list(table.index) == [0, 1, 2, 3]
    assert table["passed"].all()
    assert campaign.passed
    np.testing.assert_array_equal(table["plant.parameters.m"], campaign.carried.design.values[:, 0])
    np.testing.assert_array_equal(campaign["margin"], campaign.carried.runs.column("margin")[1])
    data = campaign.to_xarray()
    assert data["max_error.x"].attrs["units"] == "m"
    assert data["plant.parameters.m"].attrs["units"] == "kg"
    assert data["peak.F_t"].attrs["units"] == "N"
    assert data["margin"].dims == ("run",)


def test_a_run_is_a_verification_with_its_values(campaign) -> None:
    mass = float(campaign["plant.parameters.m"][2])
    again = campaign.scenario.with_({"plant.parameters.m": mass}).verify()
    assert campaign["max_error.x"][2] == pytest.approx(again.max_error["x"], rel=1e-9)


def test_campaign_shows_itself(campaign) -> None:
    assert repr(campaign) == "Campaign(overhead: 4 of 4 runs kept all limits)"
    assert "all limits" in campaign._repr_html_()
    assert (campaign.folder / "runs.parquet").is_file()
    axes = campaign.plot()
    assert axes[0].get_xlabel() == "plant.parameters.m [kg]"
    assert axes[1].get_xlabel() == "plant.start.q.x [m]"
    (one,) = campaign.plot("max_error.x")
    assert one.get_xlabel() == "max_error.x [m]"
    with pytest.raises(InputError, match=r"'max_eror\.x'\. Did you mean"):
        campaign.plot("max_eror.x")


def test_its_folder_ends_with_the_result(campaign) -> None:
    folder = TemporaryDirectory()
    other = replace(campaign, folder=Path(folder.name), _own=folder)
    place = other.folder
    del folder
    assert place.is_dir()
    del other
    assert not place.exists()


def test_learned_controls(learned) -> None:
    errors = learned.rms_error["x"]
    trials = learned.learning.learned.trials
    assert errors.tolist() == [trial.rms_error["x"] for trial in trials]
    assert errors[-1] < 0.1 * errors[0]
    np.testing.assert_array_equal(
        learned["change.F_t"], learned["u.F_t"] - learned.learning.first[:, 0]
    )
    units = {"u.F_t": "N", "change.M_w": "N*m", "y.x": "m", "e.z": "m"}
    assert {name: learned.units[name] for name in units} == units
    (axes,) = learned.plot()
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("trial", "rms error [m]")
    assert [one.get_ylabel() for one in learned.plot("e")] == ["position [mm]"]
    assert learned.summary()["learn"]["trials"]
    assert repr(learned).startswith("Learned(overhead-real: rms error")
    assert "Rms error at first" in learned._repr_html_()


def test_damaged_table_is_a_sentence_from_python_too(campaign) -> None:
    file = campaign.carried.runs.file
    content = file.read_bytes()
    try:
        file.write_bytes(content[:-40])
        fresh = replace(campaign)
        with pytest.raises(InputError, match=r"runs.parquet' is damaged or was removed"):
            fresh["margin"]
        with pytest.raises(InputError, match=r"runs.parquet' is damaged or was removed"):
            replace(campaign).to_pandas()
    finally:
        file.write_bytes(content)
