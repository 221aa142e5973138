"""A second Modelica compiler as witness: it makes of each crane the same mechanics as ours.

Scilab's compilers (Debian: scilab-full-bin) flatten a crane's text, evaluate its parameters,
eliminate and sort its equations on their own. Their residuals are brought to zero at random states,
velocities, inputs and parameters; what comes out is compared with our FMU, which was compiled by
rumoca, CasADi and our exporter.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
import second_compiler
from second_compiler import RefusedError, compile_crane, in_its_words, unknown_outputs

pytest.importorskip("rumoca")

from cranebridge.frontend.library import library_path
from cranebridge.plant.export.fmu_export import cached_fmu
from cranebridge.plant.plant import Plant

IDEAL = (
    *("OverheadCrane", "RotaryCrane", "NavyCrane2D", "NavyCrane2DPulley", "NavyCrane3D"),
    *("NavyCrane3DPulley", "Cablev"),
)
# With friction, elastic ropes and wind; they may use more of Modelica than the witness knows.
REAL = ("OverheadCraneReal", "RotaryCraneReal")
ROWS, SETS = 6, 3
needs_the_tools = pytest.mark.skipif(
    not second_compiler.available(),
    reason="modelicat and modelicac of Debian's scilab-full-bin, or gcc, are not installed",
)


def text_of(name: str) -> str:
    return (library_path() / f"{name}.mo").read_text()


def points(plant: Plant, random: np.random.Generator, values: dict[str, float]):
    """Random states around the start, and inputs around those that hold the load."""
    start = plant.simulate(times=[0.0, 1e-9], parameters=values).states[0]
    x = start + 0.3 * random.uniform(-1.0, 1.0, (ROWS, len(start)))
    hold = np.array([signal.start or 0.0 for signal in plant.info.inputs])
    u = hold + (0.2 * np.abs(hold) + 5.0) * random.uniform(-1.0, 1.0, (ROWS, len(hold)))
    return x, u


@needs_the_tools
@pytest.mark.parametrize("name", [*IDEAL, *REAL])
def test_another_compiler_makes_the_same_crane(tmp_path, name):
    random = np.random.default_rng(IDEAL.index(name) if name in IDEAL else len(name))
    text = text_of(name)
    compared: set[str] = set()
    with Plant(cached_fmu(name)) as plant:
        info = plant.info
        own = [s for s in info.parameters if s.type == "Float64" and not s.name.endswith("_start")]
        for number in range(SETS):
            # what is switched off by a zero is switched on
            values = {s.name: (s.start or 0.5) * float(random.uniform(0.8, 1.2)) for s in own}
            folder = tmp_path / str(number)
            folder.mkdir()
            try:
                witness = compile_crane(text, name, values, folder)
            except RefusedError as error:
                if name in IDEAL:
                    raise
                pytest.skip(f"the witness does not take it: {error}")
            x, u = points(plant, random, values)
            rows = np.tile(list(values.values()), (ROWS, 1))
            rates, outputs = plant.derivatives(x, u, rows, parameter_names=list(values))
            for row in range(ROWS):
                found = witness.solve(
                    dict(zip(info.states, x[row], strict=True)),
                    dict(zip(info.input_names, u[row], strict=True)),
                )
                ours = dict(zip(info.derivatives, rates[row], strict=True))
                ours |= dict(zip(info.output_names, outputs[row], strict=True))
                both = ours.keys() & found.keys() - unknown_outputs(text)
                compared |= both
                for key in both:
                    # rounding, some thousand times larger by the solution for accelerations
                    # and forces; a wrong term is of the size of its equation
                    scale = max(1.0, *(abs(v) for k, v in ours.items() if k[:2] == key[:2]))
                    assert found[key] == pytest.approx(ours[key], abs=1e-9 * scale), key
        # all derivatives, and all outputs that it has an equation for
        assert compared >= set(info.derivatives)
        assert compared >= set(info.output_names) - unknown_outputs(text)


@needs_the_tools
def test_the_witness_sees_a_wrong_sign(tmp_path):
    """The comparison can fail: a Coriolis term with the wrong sign."""
    text = text_of("OverheadCrane")
    wrong = text.replace("+ 2*v_l*v_theta)", "- 2*v_l*v_theta)")
    assert wrong != text
    state = {"s": 0.1, "l": 4.0, "theta": 0.2, "v_s": 0.3, "v_l": 0.5, "v_theta": 0.7}
    inputs = {"F_t": 3.0, "M_w": -90.0}
    found = []
    for number, words in enumerate((text, wrong)):
        folder = tmp_path / str(number)
        folder.mkdir()
        model = compile_crane(words, "OverheadCrane", {}, folder)
        found.append(model.solve(state, inputs)["der(v_theta)"])
    # 4 v_l v_theta / l, by the equation across the rope, and what the trolley makes of it
    assert abs(found[1] - found[0]) > 0.2


def test_equations_are_put_in_other_words_and_not_changed():
    for name in IDEAL:
        words = in_its_words(text_of(name))
        code = re.sub(r"//.*", "", text_of(name))
        equations = [part.split("\nequation\n")[1] for part in (code, words)]
        assert "Types." not in words
        assert "(start" not in words
        # as many as before
        counts = [part.split("annotation")[0].count(" = ") for part in equations]
        assert counts[0] == counts[1]
        assert in_its_words(words) == words
