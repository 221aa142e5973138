"""The plants of Cranes.Elastic: rest, conserved energy, frequencies by hand, ropes with lumps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from hybrid import settled, start_states

pytest.importorskip("rumoca")

from cranebridge.frontend.flat_model import PlantModel
from cranebridge.frontend.library import library_path
from cranebridge.frontend.modelica_model import load_model
from library_models import library_model

# Velocity that each input works on; wind on the load beside them.
DRIVES: Mapping[str, Mapping[str, str]] = {
    "OverheadCrane": {"F_t": "v_s", "M_w": "v_l / r"},
    "OverheadCraneLump": {"F_t": "v_s", "M_w": "v_l / r"},
    "GantryCrane": {"F_t": "v_s", "M_w": "v_l / r"},
    "RotaryCrane": {"M_b": "v_phi", "F_t": "v_s", "M_w": "v_l / r_w"},
    "BridgeCrane": {"F_b": "v_b", "F_t": "v_s", "M_w": "v_l / r_w"},
    "LuffingJibCrane": {"M_b": "v_phi", "M_j": "v_beta", "M_w": "v_l / r_w"},
}
REAL = {"OverheadCraneReal": "OverheadCrane", "RotaryCraneReal": "RotaryCrane"}


def names(variables: Sequence) -> list[str]:
    return [variable.name for variable in variables]


def rates(model: PlantModel, state: np.ndarray, u: np.ndarray, p: np.ndarray) -> tuple:
    """Rate of the energy, and all outputs by name."""
    memory, state = settled(model, 0.0, state, u, p)
    symbols = [
        ca.SX.sym(name, size)
        for name, size in (("x", state.size), ("u", u.size), ("p", memory.size))
    ]
    y = model.outputs_function(0, *symbols)
    energy = y[names(model.shown).index("energy")]
    rate = ca.jtimes(energy, symbols[0], model.rhs(0, *symbols))
    found, values = ca.Function("rate", symbols, [rate, y])(state, u, memory)
    return float(found), dict(zip(names(model.shown), np.array(values).ravel(), strict=True))


def power(model: PlantModel, y: Mapping[str, float], u: np.ndarray, drives: Mapping) -> float:
    """Power of drives and wind."""
    p = {variable.name: variable.start for variable in model.parameters}
    known = {**p, **y}
    given = dict(zip(names(model.inputs), u, strict=True))
    total = 0.0
    for name, force in given.items():
        along = drives.get(name, f"v_{name[-1]}").partition(" / ")
        total += force * known[along[0]] / (known[along[2]] if along[2] else 1.0)
    return total


def values(model: PlantModel, **changes: float) -> np.ndarray:
    found = {variable.name: variable.start for variable in model.parameters}
    assert set(changes) <= set(found)
    return np.array(list({**found, **changes}.values()))


def rest(model: PlantModel) -> np.ndarray:
    return np.array([variable.start for variable in model.inputs])


@pytest.mark.parametrize("name", DRIVES)
def test_start_with_its_holding_inputs_is_rest(name: str) -> None:
    model = library_model(f"Elastic.{name}")
    p = values(model)
    x, u = start_states(model, p), rest(model)
    flow = np.array(model.rhs(0, x, u, p)).ravel()
    # forces of EA times strains that are rounded at 1e-16 of the length, on masses of 100 kg
    assert np.abs(flow).max() < 1e-8


@pytest.mark.parametrize("name", DRIVES)
def test_energy_rises_by_the_power_of_drives_and_wind(name: str) -> None:
    # at any state: the term T^2/(2 EA) of the winch's balance is what makes it hold
    model = library_model(f"Elastic.{name}")
    random = np.random.default_rng(3)
    p = values(model)
    for _ in range(3):
        x = start_states(model, p) + 0.05 * random.uniform(-1.0, 1.0, len(model.states))
        u = rest(model) * random.uniform(0.5, 1.5, len(model.inputs)) + 100.0
        rate, y = rates(model, x, u, p)
        size = abs(y["T_cable"]) + abs(y["T_top"])
        assert rate == pytest.approx(power(model, y, u, DRIVES[name]), rel=1e-9, abs=1e-9 * size)


@pytest.mark.parametrize("name", REAL)
def test_real_cranes_with_a_rope_of_stiffness_by_strain_keep_their_energy(name: str) -> None:
    model = library_model(name)
    p = values(model, EA=2e5)
    random = np.random.default_rng(5)
    x = start_states(model, p) + 0.01 * random.uniform(-1.0, 1.0, len(model.states))
    stretch = names(model.states).index("stretch")
    x[stretch] = abs(x[stretch]) + 0.01
    lags = [i for i, own in enumerate(names(model.states)) if own.endswith("lag")]
    x[lags] = start_states(model, p)[lags]
    u = rest(model) * 1.2 + 3.0
    rate, y = rates(model, x, u, p)
    assert y["T_cable"] > 1.0
    assert rate == pytest.approx(power(model, y, u, DRIVES[REAL[name]]), rel=1e-9)


def test_damping_takes_what_the_rate_of_stretch_says() -> None:
    model = library_model("Elastic.OverheadCraneLump")
    random = np.random.default_rng(4)
    noise = 0.05 * random.uniform(-1.0, 1.0, len(model.states))
    found = []
    for damping in (0.0, 1e4):
        p = values(model, D=damping)
        rate, y = rates(model, start_states(model, p) + noise, rest(model), p)
        found.append(rate - power(model, y, rest(model), DRIVES["OverheadCrane"]))
    x = dict(zip(names(model.states), start_states(model, values(model)) + noise, strict=True))
    lost = 0.0
    for k, (length, rate) in enumerate([(x["l"], x["v_l"]), (0.5, 0.0)], 1):
        w = np.array([x[f"rope.w[{k},{i}]"] for i in (1, 2)])
        v = np.array([x[f"rope.v_w[{k},{i}]"] for i in (1, 2)])
        stretching = w @ v / np.linalg.norm(w) - rate
        # force D e'/l on e', and on the winch the same: the strain rate of a length that is kept
        lost += 1e4 / length * stretching**2
    assert found[0] == pytest.approx(0.0, abs=1e-6)
    assert found[1] == pytest.approx(-lost, rel=1e-6)


def test_frequencies_of_a_hanging_load_are_those_by_hand() -> None:
    # Trolley and winch are held by their mass; the load on one spring EA/l: omega^2 = EA/(l m), and
    # a pendulum of the stretched length.
    model = library_model("Elastic.OverheadCrane")
    p = values(model, m_t=1e15, J=1e12)
    x = ca.SX.sym("x", len(model.states))
    slope = ca.Function("A", [x], [ca.jacobian(model.rhs(0, x, rest(model), p), x)])
    found = np.linalg.eigvals(np.array(slope(start_states(model, p)))).imag
    stretched = 4.0 * (1.0 + 981.0 / 2e6)
    wanted = [np.sqrt(9.81 / stretched), np.sqrt(2e6 / (4.0 * 100.0))]
    assert np.unique(np.round(found[found > 0.1], 9)) == pytest.approx(wanted, rel=1e-8)


def test_more_lumps_by_extension_and_the_string_of_a_hanging_rope(tmp_path: Path) -> None:
    # Four lumps and a heavy load: the lumps between two fixed ends are a loaded string, with
    # the frequencies 2 sqrt(T/(m a)) sin(k pi/(2 (n + 1))) for equal elements under one force.
    force, mass, a = 1e6 * 9.81, 0.5, 1.0
    length = a / (1.0 + force / 1e12)
    lumps = ", ".join(["{0, -1}"] * 5)
    file = tmp_path / "Own.mo"
    file.write_text(
        "model Own\n"
        f"  extends Cranes.Elastic.OverheadCrane(n=4, w_start={{{lumps}}}, m=1e6, m_t=1e15,\n"
        f"    J=1e12, EA=1e12, m_lump={mass}, l_lump={length!r}, l_start={length!r});\n"
        "end Own;\n"
    )
    model = load_model(f"{file}:Own")
    p = values(model)
    x = ca.SX.sym("x", len(model.states))
    slope = ca.Function("A", [x], [ca.jacobian(model.rhs(0, x, rest(model), p), x)])
    found = np.linalg.eigvals(np.array(slope(start_states(model, p)))).imag
    lowest = np.sort(found[found > 500.0])[:4]  # that of the load on all five springs is 447
    wanted = [2 * np.sqrt(force / (mass * a)) * np.sin(k * np.pi / 10) for k in (1, 2, 3, 4)]
    # the load gives way by mass of lumps to load, 2e-6
    assert lowest == pytest.approx(wanted, rel=1e-5)


def test_every_file_of_the_package_is_listed() -> None:
    folder = library_path() / "Elastic"
    listed = (folder / "package.order").read_text().split()
    assert sorted(listed) == sorted(
        file.stem for file in folder.glob("*.mo") if file.stem != "package"
    )
