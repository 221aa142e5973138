"""Plants whose drives take velocity references: exact references, certificate, laws, refusals."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from cranebridge.errors import InputError
from cranebridge.inverse.piecewise import hermite
from cranebridge.inverse.speed_drives import speed_references
from cranebridge.job import verify_scenario
from cranebridge.job.plant_drives import speed_loops
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import open_plant, plant_file
from cranebridge.scenario import load_scenario
from cranebridge.verify import PlantMap, Tracking, Verified, certify
from further import further

LATE_START = "plant.start.q.x=0.1"
MASTER = [
    'plant.speed.F_t={coordinate="s",kp=2e3,ki=2e4,where="master"}',
    'plant.speed.M_w={coordinate="l",kp=4e2,ki=4e3,where="master"}',
]


@cache
def verified(name: str, *settings: str) -> Verified:
    return verify_scenario(load_scenario(name, list(settings)))


def tracked(name: str, *settings: str) -> Tracking:
    found = verified(name, *settings).tracking
    assert found is not None
    return found


@pytest.fixture(scope="module")
def overhead():
    """The plant, its map and the solution, open for several tests."""
    scenario = load_scenario("overhead-speed")
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        yield scenario, solve_scenario(scenario).feedforward, plant, mapping


def test_references_lead_the_load_as_exactly_as_forces_do() -> None:
    result = verified("overhead-speed")
    assert result.exit_code == 0
    tracking = result.tracking
    # cubics between steps of 0.01 s: what the budget calls sampling, and nothing else
    assert tracking.budget.explains
    assert max(tracking.max_error.values()) == pytest.approx(tracking.budget.sampling, rel=0.1)
    assert max(tracking.max_error.values()) < 1e-7
    # the forces that the plant's own loops make are those of the inverse
    wanted = result.feedforward.controls(tracking.time)
    # errors of 1e-7 m/s in the reference, times kp = 2000 N s/m
    assert np.abs(tracking.u - wanted)[tracking.time <= 3.0].max() < 1e-3
    assert tracking.driven_by == "velocity references"
    assert abs(tracking.energy_balance) < 1e-9
    columns = dict(tracking.columns())
    assert columns["w.s"][-1] == pytest.approx(0.0, abs=1e-9)


def test_velocities_alone_are_late_by_what_the_drives_integrate(overhead) -> None:
    """With w = v, as for ideal drives, and the integrals of the plant against the closed filter."""
    scenario, solution, plant, mapping = overhead
    nodes = solution.nodes
    left = np.flatnonzero(np.diff(nodes.time) > 0.0)
    v, a = nodes.v[:, :2], nodes.a[:, :2]
    x = np.append(nodes.time[left], nodes.time[-1])
    ideal = hermite(x, (v[left], a[left]), (v[left + 1], a[left + 1]))
    times = np.linspace(0.0, 3.0, 61)

    def run(polynomial):
        return plant.simulate(
            times=times,
            inputs=mapping.controls(polynomial, solution.problem),
            parameters=mapping.parameters(solution.problem, solution.q[0], solution.v[0]),
            outputs=["x", "z", "e_s", "e_l"],
            rtol=1e-10,
            atol=1e-12,
        ).complete()

    wanted = scenario.problem.path(times).T
    exact = speed_references(solution, mapping.speed)
    found = run(exact.inputs).outputs
    # references that are wrong by 1e-7 m/s over a tenth of a second (1 / 10 rad/s)
    assert np.abs(found[:, 2:] - exact.integrals(times)).max() < 1e-7
    assert np.abs(found[:, :2] - wanted).max() < 1e-7
    late = np.abs(run(ideal).outputs[:, :2] - wanted).max()
    assert np.abs(exact.integrals(times)).max() > 0.02
    assert 0.01 < late < 0.1


def test_certificate_compares_mechanics_and_drives(overhead) -> None:
    _, solution, plant, mapping = overhead
    certificate = verified("overhead-speed").certificate
    assert certificate.status == "same"
    quantities = {entry.quantity for entry in certificate.compared}
    for drive in ("F_t", "M_w"):
        assert f"force of the speed drive {drive}" in quantities
        assert f"rate of the integral of the speed drive {drive}" in quantities
    # a plant whose gain is not the one that is taken for granted
    tables = {"parameters": {"kp_s": "1990.0"}}
    other = PlantMap(mapping.crane, plant.info, tables, mapping.speed)
    wrong = certify(solution, plant, other)
    assert wrong.status == "different"
    bad = [entry.quantity for entry in wrong.compared if not entry.agrees]
    assert bad == ["force of the speed drive F_t"]
    # one that does not show its integral is not called the same
    hiding = tuple(replace(loop, integral="hidden") for loop in mapping.speed)
    blind = certify(solution, plant, PlantMap(mapping.crane, plant.info, {}, hiding))
    assert blind.status == "incomplete"
    assert [entry.quantity for entry in blind.not_compared] == [
        "speed drive F_t",
        "speed drive M_w",
    ]


def test_loops_that_the_master_closes_do_the_same() -> None:
    tracking = tracked("overhead", *MASTER)
    assert max(tracking.max_error.values()) < 1e-7
    assert tracking.budget.explains
    # the force that acts is what is held, and what the loop adds
    wanted = tracking.feedforward.controls(tracking.time)
    assert np.abs(tracking.u - wanted)[tracking.time <= 3.0].max() < 1e-3


@pytest.mark.parametrize("settings", [(LATE_START,), (LATE_START, "plant.interface=cs")])
def test_exact_references_are_forces_with_loops_of_position_and_speed(settings) -> None:
    """The integral of w - v is how far the reference is ahead: ki acts on positions, kp on speeds.

    A plant with speed drives against one of forces with `plant.drives`, the load 0.1 m off.
    """
    loops = (
        'plant.drives.F_t={coordinate="s",kp=2e4,kv=2e3}',
        'plant.drives.M_w={coordinate="l",kp=4e3,kv=4e2}',
    )
    speed = tracked("overhead-speed", "plant.certify=false", *settings)
    # in Co-Simulation only the plant's own loops are continuous: the others are in Model Exchange
    forces = tracked("overhead", "plant.certify=false", *settings[:1], *loops)
    assert np.abs(speed.error).max() > 0.05
    # sampling of references and forces, 1e-7 m each
    assert speed.achieved == pytest.approx(forces.achieved, abs=2e-7)
    # a tenth of a micrometre and 1e-7 m/s, times the gains
    assert speed.u == pytest.approx(forces.u, abs=5e-3)


def test_a_law_of_references_brings_a_displaced_load_back() -> None:
    base = ("overhead-speed", "control.kind=lqr", LATE_START, "plant.certify=false")
    tracking = tracked(*base)
    without, law = tracking.compared["open loop"], tracking.compared["lqr"]
    assert without.residual_swing > 0.05
    # three seconds at the slowest pole's 1.5 to 3.3 1/s leave less than a hundredth
    assert law.residual_swing < 1e-3
    assert tracking.motion.values["rope.T_cable"].min() > 0.0
    # accelerations are weighed: no jump of a reference asks for ten times the force
    assert law.peak["F_t"] < 3.0 * without.peak["F_t"]
    # the references stand in the table, and were held
    speeds = dict(tracking.columns())["w.s"]
    assert np.abs(speeds).max() > 1.0
    cs = tracked(*base, "plant.interface=cs")
    # each samples the very same times; integrators of 1e-10 and 1e-6 of tolerance at worst
    assert cs.achieved == pytest.approx(tracking.achieved, abs=1e-6)


def test_a_law_of_references_leaves_what_the_hold_does_and_less_of_a_wrong_payload() -> None:
    settings = ("control.kind=lqi", "control.cycle=0.02", "plant.certify=false")
    tracking = tracked("rotary-speed", *settings, "plant.variants={heavy={m=150.0}}")
    without, law = tracking.compared["open loop"], tracking.compared["lqi"]
    # accelerations of 0.2 m/s^2 move 8e-5 m in a cycle of 20 ms
    assert max(law.max_error.values()) < 8e-5
    assert max(without.max_error.values()) < 1e-8
    # without feedback 50 % more load is late by half of what the drives integrate, 1.1 mm
    assert max(tracking.variants["heavy"].values()) < 0.2 * 0.5e-3


ENCODERS = '{signal="q.s",noise=1e-3},{signal="q.l",noise=1e-3}'
ANGLE = '{signal="(x - s)/l",name="rope angle",noise=1e-3}'


@pytest.mark.parametrize(
    ("mass", "kind"),
    [(20.0, "lqr"), further(20.0, "lqi"), further(150.0, "lqr"), (150.0, "lqi")],
)
def test_an_observer_on_speed_drives_catches_a_load_of_any_mass(kind, mass) -> None:
    """A load 0.3 m off, of another mass than thought, with noisy encoders and a rope angle."""
    settings = [f"control.kind={kind}", f"control.sensor=[{ENCODERS},{ANGLE}]", "plant.settle=10"]
    plant = ["plant.start.q.x=0.3", f"plant.parameters.m={mass}", "plant.certify=false"]
    tracking = tracked("overhead-speed", *settings, *plant)
    without, law = tracking.compared["open loop"], tracking.compared[kind]
    assert without.residual_swing > 0.1
    # five times less, as is asked of laws; integrals of a stiff law fade in some seconds
    assert law.residual_swing < 0.2 * without.residual_swing
    estimated = {one.name: one for one in tracking.estimated}
    assert estimated["parameter.m"].final == pytest.approx(mass, rel=0.1)


def test_encoders_alone_on_speed_drives_lose_no_load() -> None:
    """A stiff speed loop hides its load: the law is soft, and forces stay those of the motion."""
    settings = ["control.kind=lqr", f"control.sensor=[{ENCODERS}]", "plant.certify=false"]
    for mass in (20.0, 120.0):
        tracking = tracked("overhead-speed", *settings, f"plant.parameters.m={mass}")
        without, law = tracking.compared["open loop"], tracking.compared["lqr"]
        assert law.peak["F_t"] < 1.5 * without.peak["F_t"]
        assert max(law.max_error.values()) < 0.1


def test_position_loops_above_the_speed_loops_are_a_cascade() -> None:
    """A plant that starts beside its path: a speed loop alone stays there."""
    late = ["plant.start.q.s=0.05", "plant.start.q.x=0.05", "plant.certify=false"]
    loops = ['control.drives.w_s={coordinate="s",kp=3.0}', "control.kind=drives"]
    alone, cascade = (
        tracked("overhead-speed", *late),
        tracked("overhead-speed", *late, *loops, "control.cycle=0.005"),
    )
    assert alone.lasting_offset["x"] == pytest.approx(0.05, rel=0.2)
    assert alone.residual_swing < 1e-6  # it only stays there
    assert abs(cascade.q[-1, 0] - 5.0) < 0.1 * abs(alone.q[-1, 0] - 5.0)


@pytest.mark.parametrize(
    ("name", "settings", "told"),
    [
        ("overhead-speed", ["plant.speed.F_t.reference=w"], r"F_t\.reference 'w'. Did you mean"),
        ("overhead-speed", ["plant.speed.F_t.force=F"], r"plant\.speed\.F_t\.force 'F'"),
        ("overhead", [*MASTER, "control.kind=lqr"], "take a plant with speed drives inside"),
        ("overhead", [MASTER[0].replace(',where="master"', "")], "unknown input of plant"),
    ],
)
def test_what_a_plant_does_not_have_is_told(name, settings, told) -> None:
    with pytest.raises(InputError, match=told):
        verified(name, *settings, "plant.certify=false")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (['control.weights={"u.F_t"=1.0}'], "weigh that, 'w.s'"),
        (['control.weights={"w.s"=0.0}'], "the weight of w.s must be positive"),
        (['control.weights={"w.x"=1.0}'], "unknown signal to be weighed"),
    ],
)
def test_what_does_not_go_with_references_is_refused(settings, told) -> None:
    with pytest.raises(InputError, match=told):
        load_scenario("overhead-speed", ["control.kind=lqr", *settings])


def test_gains_of_the_scenario_reach_the_plant(overhead) -> None:
    _, solution, _, mapping = overhead
    loops = tuple(replace(loop, kp=0.5 * loop.kp) for loop in speed_loops(overhead[0]))
    changed = PlantMap(mapping.crane, mapping.info, {}, loops)
    values = changed.parameters(solution.problem, solution.q[0], solution.v[0])
    assert (values["kp_s"], values["ki_s"], values["kp_l"]) == (1000.0, 20000.0, 200.0)
