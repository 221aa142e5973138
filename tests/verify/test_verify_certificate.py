"""The certificate: same below 1e-9 for all cranes; a wrong plant is never the same."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cart import Cart, DampedCart
from overhead_plants import OUTPUTS, cart_fmu, only_co_simulation, overhead_fmu

from cranebridge.inverse import ServoProblem, solve_index1
from cranebridge.job import certify_scenario, verify_scenario
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import open_plant, plant_file
from cranebridge.path import make_path
from cranebridge.plant.export.fmu_export import cached_fmu
from cranebridge.plant.plant import Plant
from cranebridge.scenario import load_scenario
from cranebridge.twin import Components
from cranebridge.twin.cranes.rotary import RotaryCrane
from cranebridge.verify import Certificate, PlantMap, certify
from cranebridge.verify.certificate.comparison import _compared
from cranebridge.verify.certificate.motion_comparison import _comparisons, _PairOfMotions
from cranebridge.verify.certificate.outcome import Comparison, Coverage
from further import further

SCENARIOS = [
    "overhead",
    further("rotary-light"),
    "rotary-redundant",
    further("navy2d"),
    "navy2d-pulley",
    further("navy3d"),
    further("navy3d-pulley"),
    "cablev-general",
    further("flexible-jib"),
    "flexible-jib-outer",
]


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("plants")


def certificate_of(fmu: Path, *settings: str, scenario: str = "overhead") -> Certificate:
    loaded = load_scenario(scenario, [f"plant.fmu='{fmu}'", *settings])
    return certify_scenario(loaded)[0]


@pytest.mark.parametrize("name", SCENARIOS)
def test_twin_and_plant_are_the_same_machine(name: str) -> None:
    certificate, verdict = certify_scenario(load_scenario(name))
    assert certificate.status == "same"
    assert verdict.passed
    assert certificate.max_relative_difference < 1e-9
    assert {entry.how for entry in certificate.compared} == {"exact derivatives"}
    assert verdict.limit == 1e-9
    crane = load_scenario(name).crane
    ropes = {f"rope {rope.name}" for rope in crane.ropes}
    assert ropes <= {entry.quantity for entry in certificate.compared}


class HeavyLoad(RotaryCrane):
    """Payload mass wrong by 0.1 % in the twin."""

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        extra = 0.5 * 1e-3 * p.m * (v.x**2 + v.y**2 + v.z**2)
        return super().kinetic_energy(q, v, p) + extra


class NoCentrifugalTrolley(RotaryCrane):
    """The thesis' own error: the trolley's mass is missing where it turns with the jib."""

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        return super().kinetic_energy(q, v, p) - 0.5 * p.m_t * q.s**2 * v.phi**2


class LongRope(RotaryCrane):
    """Winch radius wrong by 0.1 % in the drive."""

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        return super().drive_power(q, v, u, p) - 1e-3 * u.M_w * v.l / p.r_w


@pytest.mark.parametrize(
    ("faulty", "named"),
    [
        (HeavyLoad, ("x", "y", "z")),
        (NoCentrifugalTrolley, ("phi", "s")),
        (LongRope, ("l",)),
    ],
)
def test_fault_of_the_twin_is_caught_and_its_equation_named(faulty, named) -> None:
    problem = replace(load_scenario("rotary").problem, crane=faulty())
    solution = solve_index1(problem, np.linspace(0.0, 20.0, 201))
    with Plant(cached_fmu("RotaryCrane")) as plant:
        certificate = certify(solution, plant, PlantMap(problem.crane, plant.info, {}))
    assert certificate.status == "different"
    assert certificate.max_relative_difference > 1e-5
    assert certificate.equation in named
    assert not certificate.verdict(partial=True).passed


def test_plant_made_by_other_means_is_the_same(folder) -> None:
    certificate = certificate_of(overhead_fmu(folder))
    assert certificate.status == "same"
    assert certificate.max_relative_difference < 1e-12


WRONG = {
    "coriolis": {"coriolis": 1.9},
    "swing rate": {"swing_damping": 1.0},
    "end stop inside the path": {"end_stop": 4.5},
    "friction above a speed": {"friction_above": 0.1},
    # The path starts and ends at rest with J unfelt; only changed values tell that it is ignored.
    "parameter without effect": {"fixed": ("J",)},
    "a velocity with the wrong sign": {"flip": "v_x"},
    "a rope with the wrong sign": {"flip": "T_cable"},
    "a force at some time": {"push": (1.0, 1.4)},
}


@pytest.mark.parametrize("fault", sorted(WRONG))
def test_wrong_plant_is_different(fault: str, folder) -> None:
    fmu = overhead_fmu(folder, fault.replace(" ", "_"), **WRONG[fault])
    loaded = load_scenario("overhead", [f"plant.fmu='{fmu}'"])
    certificate, verdict = certify_scenario(loaded)
    assert certificate.status == "different", certificate.sentence()
    assert verdict.status == "failed"
    assert verdict.value > verdict.limit


def test_fault_beside_the_path_is_found_at_random_states(folder) -> None:
    # In 20 s the load swings by 0.03 rad at most; the spring acts from 0.06 rad on.
    fmu = overhead_fmu(folder, "stiff", stiff_beyond=0.06)
    certificate = certificate_of(fmu, "path.duration=20.0")
    assert certificate.status == "different"
    assert "on the way" not in certificate.where


NO_VELOCITIES = tuple(name for name in OUTPUTS if not name.startswith("v_"))
NO_ROPE = tuple(name for name in OUTPUTS if name != "T_cable")


def test_plant_without_velocities_is_compared_by_its_state_derivatives(folder) -> None:
    right = certificate_of(overhead_fmu(folder, "silent", outputs=NO_VELOCITIES))
    assert right.status == "same"
    by_differences = {e.quantity for e in right.compared if e.how == "differences"}
    assert "acceleration of x" in by_differences
    # The trolley's velocity is a state: its acceleration is exact without an output.
    assert "acceleration of s" not in by_differences
    for entry in right.compared:
        assert entry.threshold == (1e-5 if entry.how == "differences" else 1e-9)
    wrong = overhead_fmu(folder, "silent_wrong", outputs=NO_VELOCITIES, coriolis=1.9)
    assert certificate_of(wrong).status == "different"


def test_plant_without_rope_forces_is_incomplete_whatever_else_agrees(folder) -> None:
    fmu = overhead_fmu(folder, "no_rope", outputs=NO_ROPE)
    loaded = load_scenario("overhead", [f"plant.fmu='{fmu}'"])
    certificate, verdict = certify_scenario(loaded)
    assert certificate.status == "incomplete"
    assert [entry.quantity for entry in certificate.not_compared] == ["rope T_cable"]
    assert verdict.status == "not judged"
    partial = load_scenario("overhead", [f"plant.fmu='{fmu}'", "plant.certify='partial'"])
    certificate, verdict = certify_scenario(partial)
    assert verdict.passed
    assert "partial" in verdict.message
    # Partial forgives what is missing, never what is different.
    fault = overhead_fmu(folder, "no_rope_wrong", outputs=NO_ROPE, coriolis=1.9)
    wrong = load_scenario("overhead", [f"plant.fmu='{fault}'", "plant.certify='partial'"])
    assert not certify_scenario(wrong)[1].passed


def test_plant_that_hides_a_degree_of_freedom_is_incomplete(folder) -> None:
    # Trolley and rope alone say nothing of the swing.
    fmu = overhead_fmu(folder, "two", outputs=("s", "l", "v_s", "v_l", "T_cable"))
    certificate = certificate_of(fmu)
    assert certificate.status == "incomplete"
    assert "x" in certificate.sentence()


def test_coordinate_that_the_plant_does_not_give_follows_from_the_constraints(folder) -> None:
    outputs = tuple(name for name in OUTPUTS if name not in ("l", "v_l"))
    certificate = certificate_of(overhead_fmu(folder, "no_length", outputs=outputs))
    assert certificate.status == "same"
    assert "acceleration of l" not in {entry.quantity for entry in certificate.compared}


def test_mapped_plant_with_one_sign_wrong_is_different(folder) -> None:
    fmu = overhead_fmu(folder, "mapped", outputs=("s", "l", "theta", "v_s", "v_l", "T_cable"))
    right = ["plant.map.signals={x = 's + l*sin(theta)', z = '-l*cos(theta)'}"]
    assert certificate_of(fmu, *right).status == "same"
    wrong = ["plant.map.signals={x = 's - l*sin(theta)', z = '-l*cos(theta)'}"]
    assert certificate_of(fmu, *wrong).status == "different"


def test_stated_velocity_must_be_the_rate_of_the_coordinate(folder) -> None:
    path = make_path({"kind": "line", "start": [0.0], "goal": [1.0], "duration": 2.0}, ("s",))
    problem = ServoProblem(Cart(), path, {"m": 2.0})
    solution = solve_index1(problem, np.linspace(0.0, 2.0, 21))
    with Plant(cart_fmu(folder)) as plant:
        for velocity, status in (("w", "same"), ("1.1*w", "different")):
            signals = {"v.s": velocity, "a.s": "der(w)"}
            mapping = PlantMap(problem.crane, plant.info, {"signals": signals})
            assert certify(solution, plant, mapping).status == status


@pytest.mark.parametrize(("crane", "status"), [(Cart(), "same"), (DampedCart(), "different")])
def test_parameter_that_is_zero_is_moved_away_from_zero(crane, status, folder) -> None:
    # With d = 0 both plants move alike; only another value shows that the plant does not know it.
    path = make_path({"kind": "line", "start": [0.0], "goal": [1.0], "duration": 2.0}, ("s",))
    problem = ServoProblem(crane, path, crane.parameter_values())
    solution = solve_index1(problem, np.linspace(0.0, 2.0, 21))
    with Plant(cart_fmu(folder)) as plant:
        certificate = certify(solution, plant, PlantMap(crane, plant.info, {}))
    assert certificate.status == status


def test_plant_without_derivatives_is_compared_by_differences(folder) -> None:
    right, wrong = (
        edited(overhead_fmu(folder, name, coriolis=factor), folder / f"{name}_plain.fmu")
        for name, factor in (("with_2", 2.0), ("with_1999", 1.999))
    )
    certificate = certificate_of(right)
    assert certificate.status == "same"
    how = {entry.quantity: entry.how for entry in certificate.compared}
    assert how["acceleration of x"] == how["velocity of x"] == "differences"
    # Rope forces need no derivative: the plant's velocities are outputs.
    assert how["rope T_cable"] == "exact derivatives"
    assert certificate_of(wrong).status == "different"


def edited(source: Path, target: Path) -> Path:
    """Deny in an FMU's description that it has directional derivatives."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for item in old.infolist():
            content = old.read(item)
            if item.filename == "modelDescription.xml":
                content = content.replace(b' providesDirectionalDerivative="true"', b"")
            new.writestr(item, content)
    return target


def test_velocities_accelerations_and_local_variables_can_be_mapped(folder) -> None:
    fmu = overhead_fmu(folder, "locals", outputs=("s", "l", "theta", "T_cable"))
    signals = (
        "plant.map.signals={x = 's + l*sin(theta)', z = '-l*cos(theta)', "
        "'v.x' = 'v_s + v_l*sin(theta) + l*v_theta*cos(theta)', 'a.s' = 'der(v_s)'}"
    )
    certificate = certificate_of(fmu, signals)
    assert certificate.status == "same"
    assert {entry.how for entry in certificate.compared} == {"exact derivatives"}
    wrong = signals.replace("'der(v_s)'", "'1.001*der(v_s)'")
    assert certificate_of(fmu, wrong).status == "different"


START = ["plant.interface=cs", "plant.map.start={theta_start = 'atan2(x - s, -z)'}"]
TURN = "(v_x - v_s)*cos(atan2(x - s, -z))/l + v_z*sin(atan2(x - s, -z))/l"


def test_co_simulation_is_certified_by_motions(folder) -> None:
    fmu = only_co_simulation(overhead_fmu(folder), folder / "cs.fmu")
    start = f"plant.map.start={{theta_start = 'atan2(x - s, -z)', v_theta_start = '{TURN}'}}"
    certificate = certificate_of(fmu, "plant.interface=cs", start)
    assert certificate.status == "same by motions", certificate.sentence()
    assert certificate.max_relative_difference < 1e-6
    wrong = overhead_fmu(folder, "coriolis", coriolis=1.9)
    fmu = only_co_simulation(wrong, folder / "cs_wrong.fmu")
    assert certificate_of(fmu, "plant.interface=cs", start).status == "different"


def test_co_simulation_whose_start_cannot_be_set_is_incomplete(folder) -> None:
    fmu = only_co_simulation(overhead_fmu(folder), folder / "cs_start.fmu")
    certificate = certificate_of(fmu, "plant.interface=cs")
    assert certificate.status == "incomplete"
    assert "plant.map.start" in certificate.sentence()


def test_hash_of_the_fmu_is_in_the_certificate_and_it_survives_json(folder) -> None:
    certificate = certificate_of(overhead_fmu(folder))
    again = Certificate.from_dict(json.loads(json.dumps(certificate.as_dict())))
    assert again == certificate
    copy = shutil.copy(overhead_fmu(folder), folder / "copy.fmu")
    assert certificate_of(Path(copy)).fmu_sha256 == certificate.fmu_sha256


def test_parameter_values_are_told() -> None:
    certificate, _ = certify_scenario(load_scenario("rotary-light"))
    rows = {row["name"]: row for row in certificate.parameters}
    assert rows["m"]["value"] == 10.0
    assert rows["m"]["default"] == 100.0
    assert rows["m"]["from"] == "twin"
    assert rows["theta_1_start"]["from"] == "start state"


def test_push_between_the_samples_is_an_error_that_is_not_explained(folder) -> None:
    # 10 ms of force between two of the certificate's times: no comparison of states sees it.
    fmu = overhead_fmu(folder, "short_push", push=(1.745, 1.755))
    verified = verify_scenario(
        load_scenario("overhead", [f"plant.fmu='{fmu}'", "limits.tracking=9"])
    )
    assert verified.certificate is not None
    assert verified.certificate.status == "same"
    verdicts = {verdict.name: verdict for verdict in verified.verdicts}
    explained = verdicts["error explained"]
    assert explained.status == "failed"
    assert "does something that the twin does not: from t = 1.7" in explained.message
    assert verified.exit_code == 1


# ---------------------------------------------------------------------------- where it looked


def test_certificate_says_where_it_looked() -> None:
    certificate, _ = certify_scenario(load_scenario("overhead"))
    looked = {one.signal: one for one in certificate.looked}
    assert set(looked) == {f"{group}.{name}" for group in "qv" for name in ("s", "l", "x", "z")}
    # a line from (0, -4) to (5, -1) in 3 s; a step of degree 9 is 315/128 times as fast in its
    # middle as on average
    assert looked["q.x"].motion == pytest.approx((0.0, 5.0))
    assert looked["q.z"].motion == pytest.approx((-4.0, -1.0))
    assert looked["v.x"].motion == pytest.approx((0.0, 315.0 / 128.0 * 5.0 / 3.0), rel=1e-3)
    for one in certificate.looked:
        assert not one.left_by(*one.motion), one
        assert one.compared[0] < one.compared[1]
    told = json.loads(json.dumps(certificate.as_dict()))["looked"]
    assert [row["signal"] for row in told] == list(looked)
    assert set(told[0]) == {"signal", "compared", "motion"}


def test_compared_ranges_are_those_of_the_states_that_the_plant_was_asked_for(monkeypatch) -> None:
    """The plant has trolley, rope, and the angle of the rope as coordinates of its own."""
    scenario, asked = load_scenario("overhead"), []
    solution = solve_scenario(scenario).feedforward
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        rates = plant.rates

        def seen_rates(states: Any, *more: Any, **how: Any) -> Any:
            asked.append(states)
            return rates(states, *more, **how)

        monkeypatch.setattr(plant, "rates", seen_rates)
        certificate = certify(solution, plant, mapping)
        own = dict(zip(plant.info.states, np.concatenate(asked).T, strict=True))
    s, rope, theta = own["s"], own["l"], own["theta"]
    seen = {"q.s": s, "v.s": own["v_s"], "q.l": rope, "v.l": own["v_l"]}
    seen |= {"q.x": s + rope * np.sin(theta), "q.z": -rope * np.cos(theta)}
    looked = {one.signal: one for one in certificate.looked}
    for signal, values in seen.items():
        ends = values.min(), values.max()
        assert looked[signal].compared == pytest.approx(ends, rel=1e-9), signal
        least, most = looked[signal].motion
        assert ends[0] < least <= most < ends[1]


def test_range_is_left_by_more_than_a_hundredth_of_it_only() -> None:
    one = Coverage("q.x", (0.0, 2.0), (0.0, 2.0))
    assert not one.left_by(-0.019, 2.019)
    assert one.left_by(-0.021, 1.0)
    assert one.left_by(1.0, 2.021)
    certificate = Certificate((), (), "", 0, looked=(one, Coverage("v.x", (-1.0, 1.0), (0.0, 0.5))))
    assert certificate.beyond({"q.x": (0.0, 2.0), "v.x": (-1.0, 1.0)}) == ""
    told = certificate.beyond({"q.x": (0.0, 2.0), "v.x": (-1.0, 1.5)})
    assert told.endswith("not compared: v.x from -1 to 1.5, compared from -1 to 1.")


def test_plant_that_goes_beyond_what_was_compared_is_told(folder) -> None:
    # 15 N m less on the winch from the start on, which no certificate of the planned motion knows
    fmu = overhead_fmu(folder)
    drop = "disturbance=[{on='M_w',kind='constant',value=15.0}]"
    settings = [f"plant.fmu='{fmu}'", drop, "limits.tracking=999", "limits.ropes='ignore'"]
    lowered = verify_scenario(load_scenario("overhead", settings))
    assert lowered.certificate.status == "same"
    assert "went where twin and plant were not compared: " in lowered.notice
    assert re.search(r"q\.l from \S+ to \S+, compared from \S+ to ", lowered.notice)
    assert verify_scenario(load_scenario("overhead")).notice == ""


def test_certificate_by_motions_says_where_it_looked(folder) -> None:
    fmu = only_co_simulation(overhead_fmu(folder), folder / "cs_looked.fmu")
    start = f"plant.map.start={{theta_start = 'atan2(x - s, -z)', v_theta_start = '{TURN}'}}"
    certificate = certificate_of(fmu, "plant.interface=cs", start)
    looked = {one.signal: one for one in certificate.looked}
    assert looked["q.x"].compared[0] <= 0.01
    assert looked["q.x"].compared[1] >= 4.99
    assert not looked["q.x"].left_by(*looked["q.x"].motion)


# ---------------------------------------------------------------------------- by hand


def test_worst_quantity_is_that_farthest_beyond_its_own_threshold() -> None:
    # five times 1e-9 is worse than eight tenths of 1e-5
    exact = Comparison("acceleration of x", "exact derivatives", 5e-9, 1.0, "here")
    rough = Comparison("acceleration of z", "differences", 8e-6, 1.0, "there")
    certificate = Certificate((rough, exact), (), "", 1)
    assert certificate.where == "acceleration of x here"
    assert certificate.max_relative_difference == 5e-9
    verdict = certificate.verdict()
    assert (verdict.status, verdict.value, verdict.limit) == ("failed", 5e-9, 1e-9)
    assert verdict.margin == pytest.approx(-4e-9)


@pytest.mark.parametrize(
    ("twin", "plant"),
    [([1.0, np.nan], [1.0, 2.0]), ([1.0, 2.0], [1.0, np.nan]), ([1.0, 2.0], [1.0, np.inf])],
)
def test_what_is_no_number_does_not_agree_and_can_be_written(twin, plant) -> None:
    states: Any = SimpleNamespace(where=("first", "second"))
    found = _compared("rope T", "differences", np.array(twin), np.array(plant), states, 1e-6)
    assert not found.agrees
    assert found.where == "second"
    json.dumps(found.as_dict(), allow_nan=False)


@pytest.mark.parametrize(("end", "size"), [(2.5, 0.5 / 2.5), (1.6, 0.4 / 1.6)])
def test_motions_differ_whichever_is_ahead(end: float, size: float) -> None:
    """The twin gets to 2 m; relative to how far the plant goes in all motions."""
    none = np.zeros((3, 1))
    twin = {"x": np.array([0.0, 1.0, 2.0])}
    same = _PairOfMotions(twin, {"x": np.array([0.0, 1.0, 1.6])}, "same", none, none)
    same = replace(same, twin=same.plant)
    other = _PairOfMotions(twin, {"x": np.array([0.0, 1.0, end])}, "other", none, none)
    (found,) = _comparisons([same, other])
    assert found.difference == pytest.approx(size)
    assert (found.quantity, found.where) == ("motion of x", "other")


@pytest.mark.parametrize(
    ("signals", "status"),
    [
        ({"v.s": "w"}, "different"),
        ({"v.s": "w", "a.s": "der(w) + 1e-30*log(w**2)"}, "different"),  # infinite at rest
        ({"v.s": "w", "a.s": "der(w) + 1e-30*sqrt(w)"}, "incomplete"),  # none backwards
    ],
)
def test_map_that_is_no_number_somewhere_hides_no_difference(signals, status, folder) -> None:
    """The twin is damped by a parameter that the plant's equations do not know."""
    path = make_path({"kind": "line", "start": [0.0], "goal": [1.0], "duration": 2.0}, ("s",))
    problem = ServoProblem(DampedCart(), path, DampedCart().parameter_values())
    solution = solve_index1(problem, np.linspace(0.0, 2.0, 21))
    with Plant(cart_fmu(folder)) as plant:
        certificate = certify(
            solution, plant, PlantMap(problem.crane, plant.info, {"signals": signals})
        )
    assert certificate.status == status, certificate.sentence()
    assert not certificate.verdict().passed


def test_velocity_whose_rate_is_no_number_somewhere_is_not_compared(folder) -> None:
    """Nothing but that comparison finds a wrong velocity of a machine that does not depend on it.

    At s = 0, where the motion begins, the slopes of atan2(s, s^2) are no numbers.
    """
    path = make_path({"kind": "line", "start": [0.0], "goal": [1.0], "duration": 2.0}, ("s",))
    problem = ServoProblem(Cart(), path, {"m": 2.0})
    solution = solve_index1(problem, np.linspace(0.0, 2.0, 21))
    signals = {"s": "s + 1e-30*atan2(s, s**2)", "v.s": "1.1*w", "a.s": "der(w)"}
    with Plant(cart_fmu(folder)) as plant:
        mapping = PlantMap(problem.crane, plant.info, {"signals": signals})
        certificate = certify(solution, plant, mapping)
    assert certificate.status == "incomplete", certificate.sentence()
    assert [entry.quantity for entry in certificate.not_compared] == ["velocity of s"]
