"""The examples of modelica/Cranes: rumoca's own simulation against the explicit form."""

from __future__ import annotations

from types import SimpleNamespace

import hybrid
import numpy as np
import pytest

pytest.importorskip("rumoca")

import rumoca

from cranebridge.frontend.library import library_path
from cranebridge.frontend.modelica_model import crane_names, load_model
from further import mostly_further

EXAMPLES = (library_path() / "Examples" / "package.order").read_text().split()


# A crane of each kind; the models of all are compared in test_modelica_cranes.py.
ALWAYS = (
    *("OverheadCraneSwing", "RotaryCraneDriven", "OverheadCraneSpeedSwing", "NavyCrane3DSwing"),
    *("NavyCrane2DElasticDriven", "OverheadCraneRealDriven", "QuadrotorWithLoadSwing"),
    *("FlexibleJibCraneDriven", "RprManipulatorSwing", "RotaryCraneFeedforward"),
)


@pytest.mark.parametrize("name", mostly_further(EXAMPLES, *ALWAYS))
def test_explicit_form_agrees_with_rumocas_own_simulation(name: str, monkeypatch) -> None:
    # explicit steps are short where ropes are stiff
    end = 0.3 if "Elastic" in name else 1.0
    session = rumoca.Session(roots=[str(library_path())])
    compiled = session.load(
        str(library_path() / "Examples" / f"{name}.mo"), model=f"Cranes.Examples.{name}"
    )
    settings = rumoca.SimConfig(rtol=1e-10, atol=1e-11, max_wall_seconds=20)
    result = compiled.simulate(t=(0, end), dt=0.1, config=settings)
    # the front end reads what was compiled for the simulation
    loaded = SimpleNamespace(load=lambda *_, **__: compiled)
    monkeypatch.setattr(rumoca, "Session", lambda **_: loaded)
    model = load_model(f"Examples.{name}")
    p = np.array([v.start for v in model.parameters])
    start = hybrid.start_states(model, p)
    states, _, _ = hybrid.simulate(
        model, start, lambda _: np.zeros(0), p, np.array([0.0, end]), tolerance=1e-11
    )
    assert result.time[-1] == pytest.approx(end)
    assert np.abs(states[-1] - start).max() > 1e-3  # an example at rest would show nothing
    for i, state in enumerate(model.states):
        there, here = result[state.name][-1], states[-1, i]
        assert there == pytest.approx(here, rel=1e-7, abs=1e-7), state.name


def test_every_example_is_listed_and_every_crane_has_two() -> None:
    files = {path.stem for path in (library_path() / "Examples").glob("*.mo")} - {"package"}
    assert files == set(EXAMPLES)
    both = {f"{crane}{kind}" for crane in crane_names() for kind in ("Swing", "Driven")}
    assert files == both | {"RotaryCraneFeedforward"}
