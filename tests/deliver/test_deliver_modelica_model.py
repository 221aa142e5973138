"""The Modelica model of feedforward and plant: our front end reads it, and the load follows."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp

pytest.importorskip("rumoca")

from cranebridge.deliver import modelica_model
from cranebridge.errors import InputError
from cranebridge.frontend.library import library_path
from cranebridge.frontend.modelica_model import load_model

EXAMPLE = library_path() / "Examples" / "RotaryCraneFeedforward.mo"


def load_position(model, states):
    """Position of the load, from the states of Cranes.RotaryCrane named ``crane``."""
    names = [state.name for state in model.states]
    phi, s, length, theta_1, theta_2 = (
        states[names.index(f"crane.{name}")] for name in ("phi", "s", "l", "theta_1", "theta_2")
    )
    along, across = s + length * np.sin(theta_2), -length * np.sin(theta_1) * np.cos(theta_2)
    x, y = np.cos(phi), np.sin(phi)
    z = -length * np.cos(theta_1) * np.cos(theta_2)
    return np.column_stack([along * x - across * y, along * y + across * x, z])


def simulate(model, times):
    p = [parameter.start for parameter in model.parameters]
    solution = solve_ivp(
        lambda t, x: np.array(model.rhs(t, x, [], p)).ravel(),
        (0.0, times[-1]),
        np.array(model.initial(p)).ravel(),
        method="DOP853",
        rtol=1e-9,
        atol=1e-11,
        t_eval=times,
        max_step=0.1,  # so that no piece of the table is jumped over
    )
    return load_position(model, solution.y)


def numbers(text):
    return np.array(re.findall(r"-?\d+\.\d+(?:e-?\d+)?", text), dtype=float)


def test_example_of_the_library_is_what_is_delivered(solved):
    feedforward, tables = solved("rotary")
    text = modelica_model(feedforward, tables, EXAMPLE.stem, within="Cranes.Examples")
    committed = EXAMPLE.read_text()
    assert numbers(text) == pytest.approx(numbers(committed), rel=1e-9, abs=1e-9)
    assert len(text.splitlines()) == len(committed.splitlines())


def test_load_follows_in_the_example(exact):
    feedforward = exact("rotary", 400)
    found = simulate(load_model("Examples.RotaryCraneFeedforward"), feedforward.time)
    assert np.abs(found - feedforward.gamma).max() < 1e-4


def test_error_falls_with_the_fourth_power_of_the_step(solved, tmp_path):
    feedforward, tables = solved("rotary", 0.05)
    errors = []
    for step in (1.0, 0.5):
        file = tmp_path / "Moved.mo"
        file.write_text(modelica_model(feedforward, tables, "Moved", step=step))
        found = simulate(load_model(file, roots=[library_path()]), feedforward.time)
        errors.append(np.abs(found - feedforward.gamma).max())
    assert 3.0 < np.log2(errors[0] / errors[1]) < 5.0


def test_table_passes_through_its_rows_and_keeps_its_end_values(tmp_path):
    rows = [(0.0, 0.0, 0.0, 1.0), (1.0, 1.0, -1.0, 2.0), (3.0, 3.0, 0.0, 0.0)]
    table = "; ".join(", ".join(map(str, row)) for row in rows)
    file = tmp_path / "One.mo"
    file.write_text(
        "model One\n  Cranes.TimeTable a(table=[" + table + "]);\n  Real x(start=0, fixed=true);\n"
        "equation\n  der(x) = a.y;\nend One;\n"
    )
    model = load_model(file, roots=[library_path()])
    p = [parameter.start for parameter in model.parameters]
    at = [float(model.rhs(t, [0.0], [], p)) for t in (-1.0, 0.0, 0.5, 1.0, 3.0, 9.0)]
    assert at == pytest.approx([0.0, 0.0, 0.375, 1.0, 3.0, 3.0])
    slope = (float(model.rhs(1.0 + 1e-7, [0.0], [], p)) - 1.0) / 1e-7
    assert slope == pytest.approx(-1.0, abs=1e-5)


def test_a_plant_that_is_no_model_of_the_library_is_refused(solved):
    feedforward, tables = solved("rotary", 0.5)
    with pytest.raises(InputError, match=r"plant\.model of modelica/Cranes"):
        modelica_model(feedforward, {**tables, "plant": {"fmu": "mine.fmu"}}, "Moved")
