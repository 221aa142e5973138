"""Nonlinear algebraic loops of Modelica models: Newton's method in the exported FMU."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu
from fmu_driver import Exported, running
from scipy.special import lambertw

from c_programs import export_quickly
from cranebridge.errors import StructureError
from cranebridge.frontend.modelica_model import load_model
from cranebridge.plant.plant import Plant
from further import further, mostly_further

LAMBERT = """model Lambert "y + exp(y) = x + u, which Lambert's W solves"
  parameter Real a = 1;
  input Real u(start = 0);
  Real x(start = 0, fixed = true);
  output Real y(start = 0);
  output Real z;
  Real w;
  Boolean above = y > 0;
  discrete Real at(start = 0);
equation
  der(x) = a + 0*z;
  w + exp(y) = x + u;
  w = y;
  z = y^2 + w;
  when above then
    at = time;
  end when;
end Lambert;
"""

ROOT = """model Root "No solution beyond x = 1"
  Real x(start = 0, fixed = true);
  output Real y(start = 1);
equation
  der(x) = 1 + 0*y;
  y^2 = 1 - x;
end Root;
"""

both = pytest.mark.parametrize("fmi", [2, 3])
# One FMU of a model is enough where both versions of another have been solved.
fmi2 = pytest.mark.parametrize("fmi", [2, further(3)])
fmi3 = pytest.mark.parametrize("fmi", [further(2), 3])
WAYS = [("me", "DOP853"), ("me", "Radau"), ("me", "CVODE"), ("cs", None)]


@pytest.fixture(scope="module")
def exported(tmp_path_factory) -> Callable[[str, int], Exported]:
    directory = tmp_path_factory.mktemp("loops")
    found: dict[tuple[str, int], Exported] = {}

    def get(text: str, fmi: int) -> Exported:
        if (text, fmi) not in found:
            name = text.split()[1]
            file = directory / f"{name}.mo"
            file.write_text(text)
            path = directory / f"{name}{fmi}.fmu"
            export_quickly(load_model(file), path, "2.0" if fmi == 2 else "3.0")
            found[text, fmi] = Exported.open(path, directory / f"{name}{fmi}")
        return found[text, fmi]

    return get


def solution(x: np.ndarray) -> np.ndarray:
    """y + exp(y) = x."""
    return np.asarray(x - np.real(lambertw(np.exp(x))))


@both
def test_fmu_with_a_loop_is_valid(exported, fmi):
    assert validate_fmu(str(exported(LAMBERT, fmi).path)) == []


@pytest.mark.parametrize(
    ("interface", "method", "fmi"),
    mostly_further(
        [(*way, fmi) for way in WAYS for fmi in (2, 3)],
        *(("me", "DOP853", 2), ("me", "DOP853", 3), ("me", "Radau", 3), ("me", "CVODE", 2)),
        *(("cs", None, 2), ("cs", None, 3)),
    ),
)
def test_loop_is_solved_at_every_time_and_its_event_is_met(exported, interface, method, fmi):
    times = np.linspace(0.0, 3.0, 13)
    options = {"rtol": 1e-12, "atol": 1e-12} | ({"method": method} if method else {})
    with Plant(exported(LAMBERT, fmi).path, interface=interface) as plant:
        run = plant.simulate(times=times, outputs=["x", "y", "z", "at"], **options)
    wanted = solution(times)
    # the solution of the loop is exact to rounding; x = t is integrated without error
    assert run.column("y") == pytest.approx(wanted, rel=0.0, abs=1e-12)
    assert run.column("z") == pytest.approx(wanted**2 + wanted, rel=0.0, abs=1e-12)
    # y = 0 at x = 1
    assert run.column("at")[-1] == pytest.approx(1.0, rel=0.0, abs=1e-9)


@both
def test_derivatives_go_through_the_loop(exported, fmi):
    with running(exported(LAMBERT, fmi), "me") as fmu:
        fmu.initialize()
        fmu.rhs(0.0, np.array([0.7]), lambda _: {"u": 0.4})
        y = float(solution(np.array(1.1)))
        assert fmu.get(["y"])[0] == pytest.approx(y, rel=0.0, abs=1e-14)
        slope = 1.0 / (1.0 + np.exp(y))
        for known in ("x", "u"):
            found = fmu.directional(["y", "z", "der(x)"], [known], [1.0])
            assert found == pytest.approx([slope, (2.0 * y + 1.0) * slope, 0.0], abs=1e-13)


def test_adjoint_derivatives_go_through_the_loop(exported):
    with running(exported(LAMBERT, 3), "me") as fmu:
        fmu.initialize()
        fmu.rhs(0.0, np.array([0.7]), lambda _: {"u": 0.4})
        y = float(solution(np.array(1.1)))
        vr = fmu.vr
        found = fmu.raw.getAdjointDerivative([vr["z"]], [vr["x"], vr["u"]], [1.0], nSensitivity=2)
        slope = (2.0 * y + 1.0) / (1.0 + np.exp(y))
        assert list(found) == pytest.approx([slope, slope], abs=1e-13)


@fmi3
def test_co_simulation_stops_where_there_is_no_solution_and_names_the_unknown(exported, fmi):
    with running(exported(ROOT, fmi), "cs") as fmu:
        fmu.initialize(tolerance=1e-8, stop=2.0)
        fmu.step(0.0, 0.75)
        assert fmu.get(["y"])[0] == pytest.approx(0.5, rel=0.0, abs=1e-8)
        with pytest.raises(FMICallException):
            fmu.step(0.75, 0.5)
        assert fmu.get(["y"])[0] == pytest.approx(0.5, rel=0.0, abs=1e-8)
        assert any("nonlinear equations for y have no solution" in m for _, m in fmu.messages)


@fmi3
def test_model_exchange_discards_where_there_is_no_solution(exported, fmi):
    with running(exported(ROOT, fmi), "me", logging=True) as fmu:
        fmu.initialize()
        with pytest.raises(FMICallException) as told:
            fmu.rhs(0.0, np.array([1.5]))
        assert told.value.status == 2
        assert any("nonlinear equations for y have no solution" in m for _, m in fmu.messages)
        # the next point is solved from the last solution
        fmu.rhs(0.0, np.array([0.75]))
        assert fmu.get(["y"])[0] == pytest.approx(0.5, rel=0.0, abs=1e-14)


@fmi2
def test_solution_is_that_of_the_branch_of_the_start_value(exported, fmi, tmp_path):
    other = ROOT.replace("start = 1", "start = -1").replace("Root", "Other")
    with running(exported(other, fmi), "cs") as fmu:
        fmu.initialize(tolerance=1e-8, stop=2.0)
        for begin, end in itertools.pairwise([0.0, 0.25, 0.75]):
            fmu.step(begin, end - begin)
        assert fmu.get(["y"])[0] == pytest.approx(-0.5, rel=0.0, abs=1e-8)


def refused(tmp_path: Path, body: str) -> str:
    path = tmp_path / "Model.mo"
    path.write_text(f"model Model\n  {body}\nend Model;\n")
    with pytest.raises(StructureError) as told:
        load_model(path)
    assert "\n" not in str(told.value)
    return str(told.value)


def test_loop_without_a_start_value_is_refused(tmp_path):
    text = refused(tmp_path, "Real x(start=1), y;\nequation\n  der(x) = y;\n  y + exp(y) = x;")
    assert "Model.mo:5: 'y + exp(y) = x;': nonlinear in y" in text
    assert "Give y a start value" in text


def test_loop_whose_other_unknowns_do_not_follow_is_refused(tmp_path):
    text = refused(
        tmp_path,
        "Real x(start=1), y(start=1), z;\nequation\n  der(x) = y;\n  y + exp(z) = x;\n"
        "  y*z + z^3 = 1;",
    )
    assert "Give z a start value" in text


def test_start_values_without_a_solution_are_refused(tmp_path):
    text = refused(
        tmp_path, "Real x(start=2, fixed=true), y(start=1);\nequation\n  der(x) = y;\n  y^2 = -x;"
    )
    assert "the nonlinear equations for y have no solution near their start values" in text
