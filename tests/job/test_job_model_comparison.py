"""Any two models of a crane compared: a planted difference is found and named, else they agree.

The winch crane is there by Newton's equations and by Lagrange's; the overhead crane by energies in
Python and by Newton's equations in Modelica.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cranebridge.errors import InputError
from cranebridge.frontend import load_model
from cranebridge.job import ModelComparison, compare_models
from cranebridge.plant import Plant
from cranebridge.plant.export import export_fmu
from cranebridge.verify.certificate.plant_comparison import differing, pulses, same_unit

DATA = Path(__file__).parents[1] / "data" / "modelica"
WINCH, LAGRANGE = str(DATA / "WinchCrane.mo"), str(DATA / "WinchCraneByLagrange.mo")

OWN = '''
from dataclasses import replace

from cranebridge.twin.cranes import OverheadCrane


class Mine(OverheadCrane):
    """An overhead crane."""


class Heavy(OverheadCrane):
    """One whose load is 0.1 % heavier where it moves."""

    def kinetic_energy(self, q, v, p):
        return super().kinetic_energy(q, v, p) + 0.5e-3 * p.m * (v.x**2 + v.z**2)


class Other(OverheadCrane):
    """One with another value of its load."""

    parameters = tuple(
        replace(one, value=100.1) if one.name == "m" else one for one in OverheadCrane.parameters
    )
'''


def changed(folder: Path, *changes: tuple[str, str], source: str = LAGRANGE) -> str:
    """Write a copy of a model with another text."""
    text = Path(source).read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = folder / "Changed.mo"
    file.write_text(text, encoding="utf-8")
    return str(file)


@pytest.fixture
def own(tmp_path) -> Path:
    file = tmp_path / "own.py"
    file.write_text(OWN, encoding="utf-8")
    return file


def apart(found: ModelComparison) -> set[str]:
    """Return the quantities that differ."""
    return {one.quantity for one in found.certificate.compared if not one.agrees}


def test_two_formulations_of_one_crane_agree_at_equal_states():
    found = compare_models(WINCH, LAGRANGE)
    assert found.exit_code == 0
    quantities = {one.quantity for one in found.certificate.compared}
    rates = {f"rate of {name}" for name in ("s", "l", "phi", "vs", "vl", "w")}
    assert quantities == rates | {"x", "z", "S"}
    assert max(one.difference for one in found.certificate.compared) < 1e-13
    assert found.common_source is None
    assert any("cranebridge translated both" in note for note in found.certificate.notes)
    assert " agree in 160 states" in found.sentence()


def test_a_mass_that_is_wrong_in_one_equation_is_found_in_what_it_moves(tmp_path):
    wrong = changed(tmp_path, ("(mt + m)*der(vs)", "(1.001*mt + m)*der(vs)"))
    found = compare_models(WINCH, wrong)
    assert found.exit_code == 1
    assert apart(found) == {"rate of vs", "rate of vl", "rate of w", "S"}
    assert "differ most in the rate of vs: 9." in found.sentence()
    named = [text for text in found.sentences() if "DIFFERS" in text]
    assert named[0].startswith("rate of vs: DIFFERS, 9.")


def test_a_parameter_of_another_value_is_named_and_the_equations_still_agree(tmp_path):
    other = changed(tmp_path, ('Real m(unit="kg", min=0) = 2000', 'Real m(unit="kg") = 2002'))
    found = compare_models(WINCH, other)
    assert found.exit_code == 1
    assert found.values == {"m": (2000.0, 2002.0)}
    assert found.certificate.same
    assert found.sentence().endswith("; with equal values of parameters, but m differ")
    assert list(found.sentences())[-1].startswith("parameter m: 2000 in ")


def test_digits_that_a_number_is_written_with_are_no_difference():
    last = np.nextafter(0.1, 1.0)
    assert differing({"r": (0.1, float(last)), "J": (0.8, 0.80001)}) == {"J": (0.8, 0.80001)}


def test_one_class_twice_is_one_source():
    found = compare_models(WINCH, f"{WINCH}:WinchCrane")
    assert found.exit_code == 0
    assert found.common_source is not None
    assert found.as_dict()["common_source"]["source"] == "WinchCrane.mo:WinchCrane"


@pytest.mark.parametrize("first", ["overhead", "own.py:Mine"])
def test_a_twin_agrees_with_newtons_equations_in_modelica(first, own, monkeypatch):
    monkeypatch.chdir(own.parent)
    for pair in ((first, "OverheadCrane"), ("OverheadCrane", first)):
        found = compare_models(*pair)
        assert (found.first, found.second) == pair
        assert found.exit_code == 0
        assert found.certificate.status == "same"


def test_a_heavier_load_in_python_is_found_in_its_equation(own):
    found = compare_models(f"{own}:Heavy", "OverheadCrane")
    assert found.exit_code == 1
    assert found.certificate.equation in ("x", "z")
    assert "acceleration of x" in apart(found)
    assert not apart(found) & {"velocity of x", "velocity of z"}


def test_the_other_value_of_a_twin_is_named_in_either_order(own):
    found = compare_models(f"{own}:Other", "OverheadCrane")
    assert found.exit_code == 1
    assert found.certificate.same
    assert found.values == {"m": (100.1, 100.0)}
    assert compare_models("OverheadCrane", f"{own}:Other").values == {"m": (100.0, 100.1)}


def test_two_twins_are_compared_by_a_motion(own):
    assert compare_models("overhead", f"{own}:Mine").exit_code == 0
    found = compare_models("overhead", f"{own}:Heavy")
    assert found.exit_code == 1
    assert {"motion of x", "motion of z", "motion of T_cable"} <= apart(found)
    assert "from t = 0." in found.sentence()


def test_fmus_are_compared_and_other_states_by_a_motion(tmp_path):
    # the velocities with other names: states do not correspond, motions do
    renamed = changed(tmp_path, ("vs", "speed_s"), ("vl", "speed_l"))
    fmu = str(export_fmu(load_model(renamed), tmp_path / "renamed.fmu", fmi="3.0"))
    found = compare_models(WINCH, fmu)
    assert found.exit_code == 0
    assert {one.how for one in found.certificate.compared} == {"motions"}
    assert any("the states have other names" in note for note in found.certificate.notes)
    wrong = changed(tmp_path, ("vs", "speed_s"), ("(mt + m)", "(1.001*mt + m)"))
    found = compare_models(WINCH, wrong)
    assert found.exit_code == 1
    assert "motion of s" in apart(found)


def test_what_moves_both_moves_them(tmp_path):
    # otherwise two plants at rest would agree whatever they are
    fmu = export_fmu(load_model(WINCH), tmp_path / "winch.fmu")
    with Plant(fmu) as plant:
        times, given = pulses(plant, ("F", "M"))
    assert (np.ptp(given, axis=0) > 0.0).all()
    # the trolley is pulled by F/mt, the drum by M i/r of (m + J (i/r)^2): the fastest rate is 1
    size = given.max(axis=0) - given[-1]
    assert size[0] == pytest.approx(600.0)
    # the motor's: m and J (i/r)^2 are accelerated
    assert size[1] * 30 / 0.25 == pytest.approx(2000.0 + 0.8 * (30 / 0.25) ** 2)
    assert len(times) == len(given)


def test_what_has_nothing_in_common_is_refused_by_its_names(own):
    with pytest.raises(InputError, match=r"no input in common.*F_t, M_w, .*, and F, M"):
        compare_models("OverheadCrane", WINCH)
    with pytest.raises(InputError, match="has no input for F_t, M_w of crane 'gantry'"):
        compare_models("gantry", WINCH)
    with pytest.raises(InputError, match="moved alike: their inputs are M_b, F_t, M_w, and"):
        compare_models("rotary", "rotary-redundant")
    with pytest.raises(InputError, match="without a path: give a scenario"):
        compare_models(f"{own}:Mine", f"{own}:Heavy")
    with pytest.raises(InputError, match="unknown crane model 'overhaed'"):
        compare_models("overhaed", "overhead")


def test_units_that_differ_are_not_compared():
    assert same_unit("m", "m")
    assert same_unit("", "m")
    assert same_unit("N", "kg.m/s2")
    assert not same_unit("m", "mm")
    assert not same_unit("deg", "rad")


def test_states_in_other_units_are_not_taken_for_equal(tmp_path):
    text = ('output Real phi(unit="rad"', 'output Real phi(unit="deg"')
    other = changed(tmp_path, text, source=WINCH)
    found = compare_models(WINCH, other)
    assert {one.how for one in found.certificate.compared} == {"motions"}
    assert "motion of phi" not in {one.quantity for one in found.certificate.compared}
    assert "outputs not compared: phi of WinchCrane" in found.certificate.notes


def test_the_command_says_it_and_ends_with_its_code(run, tmp_path):
    code, text, _ = run("compare-models", WINCH, LAGRANGE)
    assert code == 0
    assert text.startswith("agree: ")
    wrong = changed(tmp_path, ("(mt + m)*der(vs)", "(1.001*mt + m)*der(vs)"))
    code, text, _ = run("compare-models", WINCH, wrong, "--json")
    assert code == 1
    content = json.loads(text)
    assert content["exit_code"] == 1
    assert content["comparison"]["status"] == "different"
    assert "rate of vs" in content["sentence"]
    code, _, message = run("compare-models", WINCH, "none.fmu")
    assert code == 2
    assert "none.fmu" in message
