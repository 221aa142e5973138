"""A crane on a ship, on a plant written in coordinates of its deck: the load goes in the world."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from cranebridge.errors import InputError
from cranebridge.job import verify_on_twin, verify_scenario
from cranebridge.job.summaries import summary
from cranebridge.job.verifying import certify_scenario
from cranebridge.scenario import load_scenario
from cranebridge.twin.language import names

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "ship_crane.toml")
STILL = {
    f"crane.motion.{name}": {"kind": "hold", "value": 0.0} for name in ("sway", "heave", "pitch")
}
HOLD = {"kind": "hold", "value": [0.0, 3.0], "duration": 8.0}


def test_twin_and_plant_in_coordinates_of_the_deck_are_the_same_machine() -> None:
    certificate, verdict = certify_scenario(load_scenario(EXAMPLE))
    assert verdict.status == "passed"
    assert certificate.status == "same"
    assert not certificate.not_compared
    looked = {one.signal for one in certificate.looked}
    assert {"q.heave", "v.heave", "q.pitch", "v.pitch"} <= looked


def test_a_plant_with_a_wrong_fictitious_force_is_another_machine(tmp_path: Path) -> None:
    """Coriolis' force with the other sign: what only a pitching deck shows."""
    plant = Path(EXAMPLE).parent / "ShipCrane.mo"
    text = plant.read_text()
    right = "+ 2*v_pitch*v_xi"
    assert right in text
    (tmp_path / "ShipCrane.mo").write_text(text.replace(right, "- 2*v_pitch*v_xi"))
    given = load_scenario(EXAMPLE, {"plant.model": str(tmp_path / "ShipCrane.mo")})
    certificate, verdict = certify_scenario(given)
    assert verdict.status == "failed"
    assert certificate.status == "different"


def test_the_load_goes_its_way_in_the_world_while_the_ship_moves() -> None:
    scenario = load_scenario(EXAMPLE)
    verified = verify_scenario(scenario)
    tracking = verified.tracking
    assert tracking is not None
    assert verified.status == "passed"
    motions = np.ptp(verified.feedforward.q[:, 4:], axis=0)
    assert (motions > [0.9, 1.2, 0.05]).all()  # sway, heave, pitch
    error = np.abs(tracking.error).max(axis=0)
    # integrated at 1e-9, controls sampled at 10 ms: the load follows to a few nanometres
    assert (error < 1e-8).all()
    found = summary(scenario, verified)
    assert found["start_state"]["v"]["heave"] != 0.0
    assert json.loads(json.dumps(found))["structure"]["path_derivatives"]["heave"] == 2


def test_a_record_of_the_ship_is_compensated_as_well(tmp_path: Path) -> None:
    times = np.arange(0.0, 25.0, 0.1)
    heave = 0.8 * np.sin(0.7 * times) + 0.2 * np.sin(1.3 * times + 0.4)
    with (tmp_path / "ship.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("time", "heave"), *zip(times, heave, strict=True)])
    record = {"kind": "recorded", "file": str(tmp_path / "ship.csv"), "begin": 2.0}
    scenario = load_scenario(EXAMPLE, {"crane.motion.heave": record})
    assert (tmp_path / "ship.csv").resolve() in scenario.files
    verified = verify_scenario(scenario)
    assert verified.tracking is not None
    assert np.abs(verified.tracking.error).max() < 1e-8
    (note,) = verified.feedforward.notes
    assert "heave is a spline of degree 5 on the 250 values of" in note
    assert summary(scenario, verified)["solve"]["notes"] == [note]


def test_without_compensation_the_load_follows_the_heave() -> None:
    """A winch with a constant torque lets the load follow its rail by J/r^2 / (m + J/r^2).

    J/r^2 (b'' - z'') = M/r + T and m z'' = T - m g, with M = -m g r: z'' is that part of b''.
    """
    gusts = [
        {"on": "a_heave", "kind": "gust", "value": value, "from": begin, "until": begin + 2.0}
        for value, begin in ((0.5, 1.0), (-0.5, 3.0))
    ]
    settings = {**STILL, "path": HOLD, "crane.J": 450.0, "disturbance": gusts}
    verified = verify_scenario(load_scenario(EXAMPLE, {**settings, "plant.settle": 0.0}))
    tracking = verified.tracking
    assert tracking is not None
    # up for two seconds with 0.5 m/s at most, half of that on the mean: 1 m
    achieved = tracking.achieved[-1] - tracking.wanted[-1]
    assert achieved[3] == pytest.approx(1.0, abs=1e-6)
    assert achieved[1] == pytest.approx(5000.0 / (5000.0 + 5000.0), abs=1e-6)
    assert verified.status == "failed"


WAVE = {"kind": "harmonic", "amplitude": 0.4, "frequency": 0.2}
# A (1 - cos(w t)): starts at rest, so that no drive has to start with it
SLOW_START = {**WAVE, "mean": 0.4, "phase": -0.5 * np.pi}


def test_a_base_that_moves_otherwise_than_the_controls_know_moves_the_load() -> None:
    """The controls know of no heave; the load follows by J/r^2 / (m + J/r^2), here a half."""
    settings = {**STILL, "path": HOLD, "crane.J": 450.0, "plant.motion.heave": SLOW_START}
    verified = verify_scenario(load_scenario(EXAMPLE, settings))
    tracking = verified.tracking
    assert tracking is not None
    heave = 0.4 * (1.0 - np.cos(0.4 * np.pi * tracking.time))
    # two integrations of a cubic over 10 ms
    np.testing.assert_allclose(tracking.achieved[:, 3], heave, atol=1e-8)
    np.testing.assert_allclose(tracking.error[:, 1], 0.5 * heave, atol=1e-8)
    assert np.abs(tracking.error[:, 3]).max() < 1e-8  # the base is where it really is
    assert verified.status == "failed"
    assert tracking.notes == (
        "the base moves as plant.motion says; the controls miss sway by up to 0 m, heave by up to "
        "0.8 m, pitch by up to 0 rad",
    )


def test_drives_that_hold_their_places_carry_the_load_along_with_the_base() -> None:
    """With l held, the load heaves as the ship does: what compensation is for."""
    loops = {
        "F_t": {"coordinate": "s", "kp": 1e6, "kv": 1e5},
        "M_w": {"coordinate": "l", "kp": 3e7, "kv": 1e6},
    }
    settings = {**STILL, "path": HOLD, "plant.drives": loops, "plant.motion.heave": SLOW_START}
    verified = verify_scenario(load_scenario(EXAMPLE, settings))
    assert verified.tracking is not None
    heave = 0.4 * (1.0 - np.cos(0.4 * np.pi * verified.tracking.time))
    # the rope's drive gives way by m a r / kp, some 3e-5 m
    np.testing.assert_allclose(verified.tracking.error[:, 1], heave, atol=1e-4)
    compensated = {**settings, "crane.motion.heave": SLOW_START}
    del compensated["plant.motion.heave"]
    verified = verify_scenario(load_scenario(EXAMPLE, compensated))
    assert verified.tracking is not None
    assert np.abs(verified.tracking.error).max() < 1e-8


@pytest.mark.parametrize("feed", ["exact", "linear", "hold"])
def test_plant_motion_that_is_as_known_changes_nothing(feed: str) -> None:
    known = load_scenario(EXAMPLE, {"plant.feed": feed})
    table = dict(known.tables.crane.motion["heave"])
    given = load_scenario(EXAMPLE, {"plant.feed": feed, "plant.motion.heave": table})
    errors = [verify_scenario(one).tracking.error for one in (known, given)]
    # the same cubics by two ways, through an integrator with a tolerance of 1e-10
    np.testing.assert_allclose(errors[0], errors[1], atol=1e-8)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"heeave": WAVE}, "unknown motion in plant.motion 'heeave'. Did you mean 'heave'?"),
        ({"heave": {"kind": "harmonic"}}, "plant.motion.heave.amplitude is missing."),
        (
            {"heave": {"kind": "line", "start": [0.0], "goal": [1.0], "duration": 30.0}},
            "plant.motion lasts 30 s, longer than the motion of 20 s; shorten it, or give",
        ),
    ],
)
def test_what_is_wrong_with_plant_motion_is_one_sentence(tables, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load_scenario(EXAMPLE, {"plant.motion": tables})
    assert message in str(caught.value)


def test_the_twin_as_plant_takes_no_other_motion() -> None:
    scenario = load_scenario(EXAMPLE, {"plant.motion.heave": WAVE})
    with pytest.raises(InputError, match=r"plant.motion and plant.variants need an FMU as plant"):
        verify_on_twin(scenario)


def test_the_twin_tells_the_same() -> None:
    verified = verify_on_twin(load_scenario(EXAMPLE, {"solve.step": 0.02}))
    assert verified.tracking is not None
    # cubics over 20 ms leave (20/10)^4 of what those over 10 ms do
    assert np.abs(verified.tracking.error).max() < 1e-7


def test_a_plant_whose_deck_does_not_move_is_refused() -> None:
    with pytest.raises(InputError, match="has no input for a_sway, a_heave, a_pitch"):
        verify_scenario(
            load_scenario(EXAMPLE, {"plant.model": "OverheadCrane", "plant.map.start": {}})
        )


def test_columns_of_the_solution_name_the_motions() -> None:
    crane = load_scenario(EXAMPLE).crane
    assert names(crane.motions) == ("sway", "heave", "pitch")
