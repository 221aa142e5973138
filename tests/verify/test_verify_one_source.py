"""Twin and plant of one Modelica source: that is said, and what their agreement does not show.

What it shows is found by faults: the same fault in a step that both share goes unseen, and one in a
step that only one has is found.
"""

from __future__ import annotations

import json
from pathlib import Path

import casadi as ca
import pytest

from cranebridge.errors import StructureError
from cranebridge.frontend import load_model
from cranebridge.job import certify_scenario, check_scenario, run_scenario
from cranebridge.plant.export import export_fmu
from cranebridge.scenario import Scenario, load_scenario
from cranebridge.structure import causalize, differentiation
from cranebridge.verify import Certificate

DATA = Path(__file__).parents[1] / "data" / "modelica"
WINCH, LAGRANGE = DATA / "WinchCrane.mo", DATA / "WinchCraneByLagrange.mo"

SCENARIO = """
[crane]
model = "{file}"
inputs = ["F", "M"]
outputs = ["x", "z"]
ropes = ["S"]

[path]
kind = "line"
start = [0.0, -6.0]
goal = [5.0, -4.0]
duration = 8.0
profile = "polynomial"
smoothness = 4

[solve]
step = 0.1
"""

MOTOR = (
    (
        "J*i^2/r*der(vl) = i*M + S*r;",
        "angle = i*l/r; der(angle) = speed; J*der(speed) = M + S*r/i;",
    ),
    ("  Real vs(", "  Real angle, speed;\n  Real vs("),
)
"""The motor with an angle of its own, which the gear ties to the rope's length: index 3."""


def scenario_of(folder: Path, file: Path, *settings: str) -> Scenario:
    """Return a scenario whose crane is read from a file."""
    toml = folder / "winch.toml"
    toml.write_text(SCENARIO.format(file=file), encoding="utf-8")
    return load_scenario(str(toml), list(settings))


def changed(folder: Path, name: str, *changes: tuple[str, str]) -> Path:
    """Write a copy of the winch crane with another text."""
    text = WINCH.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def fmu_of(folder: Path, file: Path, fmi: str = "2.0") -> Path:
    """Export a file's model."""
    return export_fmu(load_model(file), folder / "plant.fmu", fmi=fmi)  # type: ignore[arg-type]


def test_one_file_for_both_is_one_source(tmp_path):
    certificate, verdict = certify_scenario(scenario_of(tmp_path, WINCH))
    assert certificate.status == "one source"
    assert certificate.same
    assert verdict.passed
    assert verdict.message.startswith("twin and plant are of one source (WinchCrane.mo:WinchCrane)")
    assert "Both share the modelling, the compiler (rumoca)" in verdict.message
    content = json.loads(json.dumps(certificate.as_dict()))
    assert content["common_source"]["source"] == "WinchCrane.mo:WinchCrane"
    assert "inversion" in content["common_source"]["checked"]
    assert "the modelling" in content["common_source"]["not_checked"]
    assert Certificate.from_dict(content) == certificate


def test_verdict_summary_check_and_report_say_it_and_the_exit_code_stays(tmp_path):
    verified = run_scenario(scenario_of(tmp_path, WINCH), tmp_path / "out")
    assert verified.exit_code == 0
    sentence = "of one source (WinchCrane.mo:WinchCrane"
    summary = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    verdicts = {entry["name"]: entry["message"] for entry in summary["verdicts"]}
    assert sentence in verdicts["certificate"]
    assert sentence in summary["certificate_notice"]
    assert summary["certificate"]["status"] == "one source"
    check = json.loads((tmp_path / "out" / "check.json").read_text(encoding="utf-8"))
    assert check["common_source"] == summary["certificate"]["common_source"]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert sentence in page
    assert "the compiler (rumoca)" in page


def test_without_a_certificate_it_is_said_too(tmp_path):
    loaded = scenario_of(tmp_path, WINCH, "plant.certify=false")
    notice = run_scenario(loaded, tmp_path / "out").notice
    assert notice.startswith("Twin and plant are of one source (WinchCrane.mo:WinchCrane;")
    assert notice.endswith("Twin and plant were not compared: plant.certify is off.")


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_our_fmu_of_the_twins_model_is_one_source(fmi, tmp_path):
    # under another name, of other values
    names = ("WinchCrane", "Other"), ('2000 "Mass', '2100 "Mass')
    fmu = fmu_of(tmp_path, changed(tmp_path, "Other.mo", *names), fmi)
    certificate, _ = certify_scenario(scenario_of(tmp_path, WINCH, f"plant.fmu='{fmu}'"))
    assert certificate.status == "one source"
    assert certificate.common_source is not None
    assert certificate.common_source.reason.startswith("the FMU has the same equations")


def test_a_copy_of_the_file_is_one_source(tmp_path):
    copy = changed(tmp_path, "Copy.mo")
    loaded = scenario_of(tmp_path, WINCH, f"plant.model='{copy}'")
    assert certify_scenario(loaded)[0].status == "one source"


def test_other_equations_of_the_same_crane_are_a_second_source(tmp_path):
    loaded = scenario_of(tmp_path, WINCH, f"plant.model='{LAGRANGE}'")
    certificate, verdict = certify_scenario(loaded)
    assert certificate.status == "same"
    assert "one source" not in verdict.message
    assert "common_source" not in certificate.as_dict()
    assert check_scenario(loaded).common_source is None
    # the compiler is the same all the same
    assert any("a mistake of the compiler (rumoca)" in note for note in certificate.notes)


def test_a_mass_that_is_wrong_in_the_second_source_is_found(tmp_path):
    text = LAGRANGE.read_text(encoding="utf-8").replace(
        "(mt + m)*der(vs)", "(1.001*mt + m)*der(vs)"
    )
    file = tmp_path / "Wrong.mo"
    file.write_text(text, encoding="utf-8")
    certificate, verdict = certify_scenario(scenario_of(tmp_path, WINCH, f"plant.model='{file}'"))
    assert certificate.status == "different"
    assert certificate.equation == "s"
    assert not verdict.passed


def test_a_twin_in_python_has_a_source_of_its_own(tmp_path):
    loaded = load_scenario("overhead", ["solve.step=0.1"])
    certificate, _ = certify_scenario(loaded)
    assert certificate.status == "same"
    assert "common_source" not in certificate.as_dict()
    assert "common_source" not in check_scenario(loaded).as_dict()
    assert not any("rumoca" in note for note in certificate.notes)


def test_a_fault_in_index_reduction_is_in_both_and_unseen(tmp_path, monkeypatch):
    rate = differentiation._rate

    def faulty(*arguments):
        right = rate(*arguments)
        return right + 0.001 * sum(ca.symvar(right))

    file = changed(tmp_path, "Geared.mo", *MOTOR)
    right = certify_scenario(scenario_of(tmp_path, file))[0]
    assert right.status == "one source"
    monkeypatch.setattr(differentiation, "_rate", faulty)
    file = changed(tmp_path, "Faulty.mo", *MOTOR)  # another file: nothing is known of it yet
    fmu = fmu_of(tmp_path, file)
    loaded = scenario_of(tmp_path, file, f"plant.fmu='{fmu}'")
    assert certify_scenario(loaded)[0].status == "one source"
    # the hand-written formulation does not have it
    loaded = scenario_of(tmp_path, file, f"plant.model='{LAGRANGE}'")
    assert certify_scenario(loaded)[0].status == "different"


def test_a_fault_in_the_causalisation_is_seen(tmp_path, monkeypatch):
    solution = causalize.LinearSystem.solution
    with monkeypatch.context() as patch:
        patch.setattr(causalize.LinearSystem, "solution", lambda self: 1.001 * solution(self))
        file = changed(tmp_path, "Geared.mo", *MOTOR)
        fmu = fmu_of(tmp_path, file)
        with pytest.raises(StructureError, match="not flat"):
            certify_scenario(scenario_of(tmp_path, file, f"plant.fmu='{fmu}'"))
    file = changed(tmp_path, "Again.mo", *MOTOR)
    loaded = scenario_of(tmp_path, file, f"plant.fmu='{fmu}'")
    assert certify_scenario(loaded)[0].status == "different"
