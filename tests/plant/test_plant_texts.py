"""Variables of an FMU that are no numbers are passed over, unless one is asked for by name."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from integrator_plants import integrator_fmu

from cranebridge.errors import InputError
from cranebridge.job import certify_scenario, verify_scenario
from cranebridge.plant.export.fmu_export import cached_fmu
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls
from cranebridge.scenario import load_scenario

TIMES = [0.0, 0.5, 1.0]
Build = Callable[[int], Path]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Build:
    folder = tmp_path_factory.mktemp("texts")
    files = {fmi: integrator_fmu(folder, fmi, texts=True) for fmi in (2, 3)}
    return files.__getitem__


@pytest.mark.parametrize(("fmi", "interface"), [(2, "me"), (2, "cs"), (3, "me"), (3, "cs")])
def test_plant_with_texts_runs_as_without(built: Build, fmi: int, interface: str) -> None:
    with Plant(built(fmi), interface=interface) as plant:
        info = plant.info
        names = (info.input_names, info.output_names, [s.name for s in info.parameters])
        assert names == (("u",), ("y",), ["k"])
        inputs = Controls.constant([2.0], ["u"])
        run = plant.simulate(times=TIMES, inputs=inputs, parameters={"k": 3.0})
        assert run.column("y") == pytest.approx([0.0, 3.0, 6.0])
        if interface == "me":
            rates, outputs = plant.derivatives([[1.0]], [[2.0]])
            assert (rates.tolist(), outputs.tolist()) == ([[2.0]], [[1.0]])
            assert plant.directional([1.0]).B.tolist() == [[pytest.approx(1.0)]]


NAMES = [(2, "String", name) for name in ("label", "order", "message", "kept")]
NAMES += [(3, kind, name) for _, kind, name in NAMES]
NAMES += [(3, "an array of String", "names"), (3, "Binary", "picture"), (3, "Binary", "frame")]


@pytest.mark.parametrize(("fmi", "kind", "name"), NAMES)
def test_text_that_is_asked_for_is_refused_by_name(
    built: Build, fmi: int, kind: str, name: str
) -> None:
    refused = pytest.raises(InputError, match=rf"^'{name}' is no numerical scalar, but {kind}\.$")
    with Plant(built(fmi)) as plant:
        with refused:
            plant.simulate(times=TIMES, outputs=["y", name])
        with refused:
            plant.simulate(times=TIMES, inputs=Controls.constant([1.0], [name]))
        with refused:
            plant.simulate(times=TIMES, parameters={name: 1.0})
        with refused:
            plant.simulate(times=TIMES, start={name: 1.0})
        with refused:
            plant.derivatives([[0.0]], parameters=[[1.0]], parameter_names=[name])


TEXTS2 = """<ScalarVariable name="label" valueReference="900" causality="parameter"
variability="fixed"><String start="no. 7"/></ScalarVariable>
<ScalarVariable name="order" valueReference="901" causality="input" variability="discrete">
<String start="go"/></ScalarVariable>
<ScalarVariable name="message" valueReference="902" causality="output" variability="discrete"
initial="exact"><String start="ready"/></ScalarVariable></ModelVariables>"""
TEXTS3 = """<String name="label" valueReference="900" causality="parameter" variability="fixed">
<Start value="no. 7"/></String>
<String name="order" valueReference="901" causality="input" variability="discrete">
<Start value="go"/></String>
<String name="message" valueReference="902" causality="output" variability="discrete"
initial="exact"><Start value="ready"/></String>
<Binary name="picture" valueReference="903" causality="output" variability="discrete"/>
</ModelVariables>"""


@pytest.fixture(scope="module")
def crane(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Our overhead crane, to which another tool has added texts."""
    folder = tmp_path_factory.mktemp("crane")

    def get(fmi: int) -> Path:
        source = cached_fmu("OverheadCrane", fmi="2.0" if fmi == 2 else "3.0")
        path = folder / f"crane{fmi}.fmu"
        with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w") as new:
            for name in old.namelist():
                content = old.read(name)
                if name == "modelDescription.xml":
                    texts = TEXTS2 if fmi == 2 else TEXTS3
                    content = content.replace(b"</ModelVariables>", texts.encode())
                new.writestr(name, content)
        return path

    return get


@pytest.mark.parametrize("fmi", [2, 3])
def test_texts_are_no_hindrance_to_certificate_and_verification(crane: Build, fmi: int) -> None:
    scenario = load_scenario("overhead", [f"plant.fmu='{crane(fmi)}'"])
    certificate, verdict = certify_scenario(scenario)
    assert (certificate.status, verdict.passed) == ("same", True)
    assert all(verdict.passed for verdict in verify_scenario(scenario).verdicts)


@pytest.mark.parametrize(
    "setting",
    [
        "plant.map.signals.x='2*message'",
        "plant.map.inputs.order='F_t'",
        "plant.map.parameters.label='m'",
        "plant.map.start.message='m'",
    ],
)
def test_map_that_names_a_text_is_one_sentence(crane: Build, setting: str) -> None:
    name = next(word for word in ("message", "order", "label") if word in setting)
    with pytest.raises(InputError, match=rf"(unknown name in plant\.map.*|^)'{name}'"):
        verify_scenario(load_scenario("overhead", [f"plant.fmu='{crane(2)}'", setting]))
