"""Real cranes at end stops, with drives that stick and ropes that go slack.

The oracle (``one_sided``) has the load in Cartesian coordinates and SciPy's events; closed forms
stand where the physics has one. The oracle's smooth parts are exact to 1e-12; the couple of dozen
contacts, in which an error of 1e-12 s meets forces that jump by some hundred newton on 10 kg, make
3e-9 m of it (seen against four other integrators, which agree to 1e-10 m among themselves).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from one_sided import LOST, PHI, C, L, Machine, Motion, S, W, move

pytest.importorskip("rumoca")

from cranebridge.plant.export.fmu_export import cached_fmu
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.sandbox.child_process import PlantStatusError
from cranebridge.plant.sandbox.plant_results import Simulation
from further import mostly_further

WAYS = ("DOP853", "CVODE", "dopri5", "rodas4")
TIMES = np.linspace(0.0, 2.0, 41)
HOLD = -98.1
both = pytest.mark.parametrize("fmi", [2, 3])
all_ways = pytest.mark.parametrize("way", WAYS)
cranes = pytest.mark.parametrize("crane", ["OverheadCraneReal", "RotaryCraneReal"])


@pytest.fixture(scope="module")
def opened() -> Iterator[dict[tuple[str, int], Plant]]:
    plants: dict[tuple[str, int], Plant] = {}
    yield plants
    for plant in plants.values():
        plant.close()


def run(opened, crane: str, fmi: int = 2, way: str = "DOP853", **options) -> Simulation:
    """Simulate by Model Exchange with one of our integrators, or by the FMU's own."""
    if (crane, fmi) not in opened:
        path = Path(cached_fmu(crane, fmi="2.0" if fmi == 2 else "3.0"))
        opened[crane, fmi] = Plant(path, timeout=600.0)  # CVODE: seconds alone
    plant = opened[crane, fmi]
    options = {"times": TIMES, "rtol": 1e-11, "atol": 1e-11} | options
    if way in ("dopri5", "rodas4"):
        plant = plant.sibling("cs")
        number = {"dopri5": 1.0, "rodas4": 2.0}[way]
        options["parameters"] = {"integrator.method": number} | options.get("parameters", {})
        return plant.simulate(**options).complete()
    return plant.simulate(method=way, **options).complete()


def held(names: Sequence[str], values: Mapping[float, Sequence[float]]) -> Controls:
    rows = [row[-len(names) :] for row in values.values()]
    return Controls.hold(list(values), rows, names)


# --- against the oracle ------------------------------------------------------------------------

# The winch throws the load up, pays out faster than it falls, and catches it again.
OVERHEAD = MappingProxyType(
    {0.0: (0, 0, -150.0), 0.2: (0, 30.0, 150.0), 0.5: (0, -40.0, -150.0), 1.2: (0, 20.0, HOLD)}
)
ROTARY = MappingProxyType(
    {0.0: (300.0, 40.0, -150.0), 0.2: (300.0, 40.0, 150.0), 0.6: (-900.0, -60.0, -150.0)}
)
SPRINGS = {"k_r": 1e5, "d_r": 300.0, "k_e": 1e5, "d_e": 1e3}


@cache
def overhead() -> tuple[Motion, Machine]:
    machine = Machine(
        stick=(np.inf, 20.0, 30.0), slide=(0.0, 10.0, 5.0), s_min=-0.1, s_max=0.15, **SPRINGS
    )
    y, distance = np.zeros(12), 4.0 + 981.0 * np.cos(0.3) / 1e5
    y[L], y[C] = 4.0, (distance * np.sin(0.3), 0.0, -distance * np.cos(0.3))
    return move(machine, y, TIMES, OVERHEAD), machine


@cache
def rotary() -> tuple[Motion, Machine]:
    machine = Machine(
        stick=(60.0, 20.0, 30.0), slide=(40.0, 10.0, 5.0), s_min=4.85, s_max=5.1, **SPRINGS
    )
    y = np.zeros(12)
    y[S], y[L], y[C] = 5.0, 5.0, (5.0, 0.0, -5.0 - 981.0 / 1e5)
    return move(machine, y, TIMES, ROTARY), machine


def overhead_run(opened, fmi: int = 2, way: str = "DOP853") -> Simulation:
    parameters = {"F_s": 20.0, "F_c": 10.0, "M_s": 30.0, "M_c": 5.0, "theta_start": 0.3}
    parameters |= {"s_min": -0.1, "s_max": 0.15, **SPRINGS}
    inputs = held(["F_t", "M_w"], OVERHEAD)
    return run(opened, "OverheadCraneReal", fmi, way, inputs=inputs, parameters=parameters)


def rotary_run(opened, fmi: int = 2, way: str = "DOP853") -> Simulation:
    parameters = {"M_sb": 60.0, "M_cb": 40.0, "F_s": 20.0, "F_c": 10.0, "M_s": 30.0, "M_c": 5.0}
    parameters |= {"s_min": 4.85, "s_max": 5.1, **SPRINGS}
    inputs = held(["M_b", "F_t", "M_w"], ROTARY)
    return run(opened, "RotaryCraneReal", fmi, way, inputs=inputs, parameters=parameters)


COLUMNS = {
    "OverheadCraneReal": {"s": S, "l": L, "x": 3, "z": 5},
    "RotaryCraneReal": {"phi": PHI, "s": S, "l": L, "x": 3, "y": 4, "z": 5},
}
MOVED = {
    "OverheadCraneReal": (overhead, overhead_run),
    "RotaryCraneReal": (rotary, rotary_run),
}


@cranes
def test_oracle_meets_all_that_is_to_be_shown_and_keeps_its_energy(crane: str) -> None:
    motion, machine = MOVED[crane][0]()
    happened = {(name, mode) for _, name, mode in motion.events}
    assert {("rope", 0), ("rope", 1), ("min", 1), ("max", 1), ("max", 0)} <= happened
    assert {("s", 1), ("s", -1), ("s", 0), ("l", 1), ("l", -1)} <= happened
    if crane == "RotaryCraneReal":
        assert {("phi", 0), ("phi", 1), ("phi", -1)} & happened
    balance = [machine.energy(y) - y[W] + y[LOST] for y in motion.y]
    assert motion.y[-1, LOST] > 100.0
    assert np.ptp(balance) < 1e-4  # of some hundred joules lost and turned over


@pytest.mark.parametrize(
    ("crane", "way", "fmi"),
    mostly_further(
        [("OverheadCraneReal", way, fmi) for way in WAYS for fmi in (2, 3)]
        + [("RotaryCraneReal", way, 2) for way in WAYS],
        *(("OverheadCraneReal", "DOP853", fmi) for fmi in (2, 3)),
        *(("OverheadCraneReal", "CVODE", 2), ("OverheadCraneReal", "dopri5", 3)),
        *(("OverheadCraneReal", "rodas4", 2), ("OverheadCraneReal", "rodas4", 3)),
        *(("RotaryCraneReal", "DOP853", 2), ("RotaryCraneReal", "dopri5", 2)),
    ),
)
def test_motion_agrees_with_the_oracle(opened, crane: str, way: str, fmi: int) -> None:
    oracle, simulate = MOVED[crane]
    motion, _ = oracle()
    result = simulate(opened, fmi, way)
    # CVODE's error over a run is some thousand times its tolerance; the others meet the oracle's.
    within = 2e-7 if way == "CVODE" else 2e-8
    for name, column in COLUMNS[crane].items():
        assert result.column(name) == pytest.approx(motion.y[:, column], rel=0.0, abs=within), name


@cranes
def test_energy_is_what_the_drives_gave_less_what_friction_and_dampers_took(
    opened, crane: str
) -> None:
    oracle, simulate = MOVED[crane]
    motion, _ = oracle()
    energy = simulate(opened).column("energy")
    balance = energy - motion.y[:, W] + motion.y[:, LOST]
    # 2e-8 m against forces of some 1e3 N
    assert np.ptp(balance) < 1e-4


# --- slack rope --------------------------------------------------------------------------------


def thrown(opened, **parameters: float) -> Simulation:
    """Load that the winch throws up and catches again, swinging; no losses."""
    winch = {0.0: (0.0, -180.0), 0.3: (0.0, 60.0), 0.7: (0.0, -120.0)}
    return run(
        opened,
        "OverheadCraneReal",
        inputs=held(["F_t", "M_w"], winch),
        parameters={"theta_start": 0.2, "k_r": 1e5} | parameters,
        times=np.linspace(0.0, 2.0, 401),
    )


def without_work(result: Simulation) -> np.ndarray:
    """Energy less what the winch has given, whose torque is constant between the times."""
    middle = (result.time[1:] + result.time[:-1]) / 2.0
    torque = np.where(middle < 0.3, -180.0, np.where(middle < 0.7, 60.0, -120.0))
    work = np.concatenate([[0.0], np.cumsum(torque / 0.1 * np.diff(result.column("l")))])
    return np.asarray(result.column("energy") - work)


def test_load_falls_along_a_parabola_while_the_rope_is_slack(opened) -> None:
    result = thrown(opened)
    slack = (result.column("stretch") < 0.0) & (result.time < 1.0)
    t, x, z = result.time[slack], result.column("x")[slack], result.column("z")[slack]
    v_x, v_z = result.column("v_x")[slack][0], result.column("v_z")[slack][0]
    assert np.all(np.diff(np.flatnonzero(slack)) == 1)
    assert t[-1] - t[0] > 0.3
    assert np.all(result.column("T_cable")[slack] == 0.0)
    assert np.ptp(result.column("theta")[slack]) > 0.01  # in the plant's coordinates no parabola
    s = t - t[0]
    assert x == pytest.approx(x[0] + v_x * s, rel=0.0, abs=1e-10)
    assert z == pytest.approx(z[0] + v_z * s - 9.81 * s**2 / 2, rel=0.0, abs=1e-10)


def test_undamped_rope_loses_nothing_when_it_catches_the_load(opened) -> None:
    result = thrown(opened)
    caught = np.diff((result.column("stretch") > 0.0).astype(int)) == 1
    assert caught.sum() >= 2
    level = without_work(result)
    assert np.ptp(result.column("energy")) > 1e3
    assert np.ptp(level) < 1e-5


def test_rope_never_pushes_and_a_damped_one_loses_energy(opened) -> None:
    result = thrown(opened, d_r=2e3)
    assert result.column("T_cable").min() == 0.0
    level = without_work(result)
    assert np.all(np.diff(level) < 1e-6)
    assert level[0] - level[-1] > 100.0


# --- end stops ---------------------------------------------------------------------------------

# Without gravity and with rope that runs out at 100 m/s^2 the load does not act on the drives.
ALONE = {"g": 0.0}
OUT = 100.0
STILL = Controls.constant([0.0, OUT], ["F_t", "M_w"])


@both
@all_ways
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_trolley_leaves_a_buffer_with_the_restitution_of_the_closed_form(
    opened, side: float, way: str, fmi: int
) -> None:
    # delta'' + 2 zeta omega delta' + omega^2 delta = 0 until its force is zero, at the phase
    # pi - 2 arcsin(zeta): the trolley leaves with exp(-zeta omega t) of its velocity.
    m_t, k_e, d_e, v, gap = 10.0, 1e5, 1e3, 2.0, 0.5
    start = {"v_s_start": side * v, ("s_max" if side > 0.0 else "s_min"): side * gap}
    result = run(
        opened,
        "OverheadCraneReal",
        fmi,
        way,
        inputs=STILL,
        parameters={**ALONE, **start, "k_e": k_e, "d_e": d_e},
        times=[0.0, 0.2, 0.26, 1.0],
        outputs=["s", "v_s", "F_stop"],
    )
    omega = np.sqrt(k_e / m_t)
    zeta = d_e / (2.0 * m_t * omega)
    contact = (np.pi - 2.0 * np.arcsin(zeta)) / (omega * np.sqrt(1.0 - zeta**2))
    left = side * v * np.exp(-zeta * omega * contact)
    damped = omega * np.sqrt(1.0 - zeta**2)
    deepest = side * v / damped * np.exp(-zeta * omega * contact) * np.sin(damped * contact)
    end = side * gap + deepest - left * (1.0 - gap / v - contact)
    assert 0.25 + contact > 0.26  # it touches at 0.25 s, and at 0.26 s it does still
    assert result.column("F_stop")[2] * side < -100.0
    assert result.column("F_stop")[[0, 1, 3]] == pytest.approx(0.0, abs=0.0)
    assert result.column("v_s")[-1] == pytest.approx(-left, rel=0.0, abs=1e-7)
    assert result.column("s")[-1] == pytest.approx(end, rel=0.0, abs=1e-7)


@cranes
def test_nothing_happens_with_the_default_parameters(opened, crane: str) -> None:
    # Neither stops nor sticking: no events, though the drives turn round.
    names = {"OverheadCraneReal": ["F_t", "M_w"], "RotaryCraneReal": ["M_b", "F_t", "M_w"]}[crane]
    rest = [0.0] * (len(names) - 1)
    push = [5.0] * (len(names) - 1)
    values = [[*rest, HOLD], [*push, HOLD], [*(-v for v in push), HOLD], [*rest, HOLD]]
    result = run(
        opened,
        crane,
        inputs=Controls.linear([0.0, 0.5, 1.5, 2.0], values, names),
        parameters={"k_r": 1e5, "F_c": 1.0, "M_c": 0.1},
    )
    assert result.column("v_s").min() < -1e-3
    assert result.column("v_s").max() > 1e-3
    assert result.events == 0


# --- friction that sticks ----------------------------------------------------------------------


@both
@all_ways
def test_trolley_breaks_loose_slides_and_stops_where_the_closed_form_does(
    opened, way: str, fmi: int
) -> None:
    # F = 20 t breaks loose at F_s = 12: t_1 = 0.6 s. It slides against F_c = 8; from 1 s on the
    # force falls to zero at 1.1 s, and the trolley slides to rest.
    m_t, F_s, F_c = 10.0, 12.0, 8.0
    values = [[force, OUT] for force in (0.0, 20.0, 0.0, 0.0)]
    ramp = Controls.linear([0.0, 1.0, 1.1, 3.0], values, ["F_t", "M_w"])
    result = run(
        opened,
        "OverheadCraneReal",
        fmi,
        way,
        inputs=ramp,
        parameters={**ALONE, "F_s": F_s, "F_c": F_c},
        times=[0.0, 0.3, 0.59, 1.0, 1.1, 1.6, 2.0, 3.0],
        outputs=["s", "v_s", "friction_t.mode"],
        step=1e-3,
    )
    t_1 = F_s / 20.0

    def ramping(t: float, rate: float, force: float, v: float, s: float) -> tuple[float, float]:
        speed = v + (force * t + rate * t**2 / 2) / m_t
        return s + v * t + (force * t**2 / 2 + rate * t**3 / 6) / m_t, speed

    s_2, v_2 = ramping(1.0 - t_1, 20.0, F_s - F_c, 0.0, 0.0)
    s_3, v_3 = ramping(0.1, -200.0, 20.0 - F_c, v_2, s_2)
    stop = v_3 * m_t / F_c
    assert 1.1 + stop < 1.6
    s_4 = s_3 + v_3**2 * m_t / (2.0 * F_c)
    # FMI 3 has no input derivatives: held over 1 ms, the ramp is late by half of it.
    within = 1e-8 if fmi == 2 or way in ("DOP853", "CVODE") else 2e-3
    wanted = [0.0, 0.0, 0.0, s_2, s_3, s_4, s_4, s_4]
    assert result.column("s") == pytest.approx(wanted, rel=0.0, abs=within)
    assert result.column("v_s")[3:5] == pytest.approx([v_2, v_3], rel=0.0, abs=within)
    # stuck means at rest, not almost
    assert np.all(result.column("v_s")[[0, 1, 2, 5, 6, 7]] == 0.0)
    assert np.all(result.column("s")[:3] == 0.0)
    assert len(set(result.column("s")[5:])) == 1


@pytest.mark.parametrize("way", mostly_further(WAYS, "DOP853", "dopri5", "rodas4"))
def test_load_swings_about_a_stuck_trolley_as_about_a_fixed_point(opened, way: str) -> None:
    held_still = Controls.constant([0.0, HOLD], ["F_t", "M_w"])
    swing = {"theta_start": 0.2, "k_r": 1e5, "M_s": 200.0}
    options = {"inputs": held_still, "times": np.linspace(0.0, 6.0, 61), "rtol": 1e-10}
    name = "OverheadCraneReal"
    stuck = run(opened, name, 2, way, parameters={**swing, "F_s": 300.0, "F_c": 200.0}, **options)
    # T sin(theta) is at most m g (3 - 2 cos(0.2)) sin(0.2) = 203 N
    assert np.all(stuck.column("s") == 0.0)
    assert np.all(stuck.column("l") == 4.0)
    fixed = run(opened, name, 2, way, parameters={**swing, "m_t": 1e15}, **options)
    assert stuck.column("x") == pytest.approx(fixed.column("x"), rel=0.0, abs=1e-7)
    assert np.ptp(stuck.column("energy")) < 1e-5
    # the smoothed friction lets the trolley creep
    creeps = run(opened, name, 2, way, parameters={**swing, "F_c": 300.0}, **options)
    assert np.abs(creeps.column("s")).max() > 1e-3


def test_winch_holds_the_load_up_to_its_static_friction(opened) -> None:
    # M_s carries the load without any torque if it is above m g r = 98.1 N m
    off = Controls.constant([0.0, 0.0], ["F_t", "M_w"])
    holds, slips = (
        run(
            opened,
            "OverheadCraneReal",
            inputs=off,
            parameters={"k_r": 1e5, "M_s": torque, "M_c": 50.0},
            times=[0.0, 0.5, 1.0],
        )
        for torque in (98.2, 98.0)
    )
    assert holds.column("z")[-1] == pytest.approx(holds.column("z")[0], rel=0.0, abs=1e-12)
    assert holds.column("l")[-1] == 4.0
    assert slips.column("l")[-1] > 5.0


def test_slewing_comes_to_rest_after_the_time_of_the_closed_form(opened) -> None:
    # J phi'' = -M_cb: it stops after t = J v/M_cb at v t/2, with the trolley stuck at s = 5 m
    inertia, v, torque = 480.0 + 10.0 * 25.0, 0.5, 365.0
    stop = inertia * v / torque
    result = run(
        opened,
        "RotaryCraneReal",
        inputs=Controls.constant([0.0, 0.0, OUT], ["M_b", "F_t", "M_w"]),
        parameters={
            **ALONE, "v_phi_start": v,
            "M_cb": torque, "M_sb": torque, "F_c": 100.0, "F_s": 100.0,
        },
        times=[0.0, 0.5 * stop, stop + 0.1, stop + 0.5],
    )  # fmt: skip
    assert result.column("v_phi") == pytest.approx([v, v / 2, 0.0, 0.0], rel=0.0, abs=1e-9)
    assert result.column("phi")[2:] == pytest.approx([v * stop / 2] * 2, rel=0.0, abs=1e-9)
    assert np.all(result.column("v_phi")[2:] == 0.0)
    assert np.all(result.column("s") == 5.0)


def test_static_friction_below_the_sliding_one_is_told(opened) -> None:
    with pytest.raises(PlantStatusError, match="static friction is smaller than sliding friction"):
        run(opened, "OverheadCraneReal", parameters={"F_s": 1.0, "F_c": 2.0})
