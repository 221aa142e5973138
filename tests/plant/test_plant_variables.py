"""What a plant may have besides real numbers, and what it may lack."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from event_plants import event_fmu
from foreign import write_fmu

from cranebridge.errors import InputError
from cranebridge.plant.description.fmu import inspect
from cranebridge.plant.description.plant_info import DescriptionError, PlantSignal
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.sandbox.child_process import PlantStatusError
from further import further, mostly_further

TIMES = np.linspace(0.0, 2.0, 21)
Open = Callable[..., Plant]
both = pytest.mark.parametrize("fmi", [2, 3])
interfaces = pytest.mark.parametrize("interface", ["me", "cs"])
all_methods = pytest.mark.parametrize(
    "method",
    ["DOP853", "Radau", "CVODE", "LSODA", "BDF", "RK45", "DOP853 in Python"],
    indirect=True,
)
both_loops = pytest.mark.usefixtures("loop")


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """Plants, each opened once."""
    directory: Path = tmp_path_factory.mktemp("variables")
    plants: dict[tuple[str, int, str, bool], Plant] = {}

    def get(name: str, fmi: int, interface: str = "me", typed: bool = True) -> Plant:
        key = (name, fmi, interface, typed)
        if key not in plants:
            plants[key] = Plant(event_fmu(directory, name, fmi, typed=typed), interface=interface)
        return plants[key]

    yield get
    for plant in plants.values():
        plant.close()


# ---------------------------------------------------------------------------- types


@both_loops
@both
@interfaces
def test_whole_and_boolean_inputs_outputs_and_parameters(opened, interface, fmi):
    # x' = p_i b + i
    held = Controls.hold(
        [0.0, 0.5, 1.0, 1.5],
        [[2.0, 0.0, 1.0], [2.0, 1.0, 2.0], [-1.0, 1.0, 1.0], [0.0, 0.0, 2.0]],
        ["i", "b", "choice"],
    )
    names = ["y_i", "y_b", "y_choice", "x0", "p_i"]
    run = opened("TYPES", fmi, interface).simulate(
        times=TIMES, inputs=held, parameters={"p_i": 3.0, "p_b": 1.0}, outputs=names
    )
    i, b, choice = held(TIMES).T
    # at its time a new value holds already
    assert run.column("y_i").tolist() == (i + 3.0).tolist()
    assert run.column("y_b").tolist() == (1.0 - b).tolist()
    assert run.column("y_choice").tolist() == (10.0 * choice).tolist()
    assert set(run.column("p_i")) == {3.0}
    slope = 3.0 * b + i
    wanted = np.concatenate([[0.0], np.cumsum(slope[:-1] * np.diff(TIMES))])
    assert run.column("x0") == pytest.approx(wanted, abs=1e-9)


@both_loops
@interfaces
def test_long_and_single_numbers_of_fmi_3(opened, interface):
    held = Controls.hold([0.0, 1.0], [[2.0**40], [-(2.0**50)]], ["long"])
    run = opened("TYPES", 3, interface).simulate(
        times=[0.0, 0.5, 1.5],
        inputs=held,
        parameters={"single": 0.1},
        outputs=["y_long", "y_single"],
    )
    assert run.column("y_long").tolist() == [3 * 2.0**40, 3 * 2.0**40, -3 * 2.0**50]
    # a single number: seven digits
    assert set(run.column("y_single")) == {2.0 * float(np.float32(0.1))}


@both_loops
@both
def test_discrete_input_may_be_mixed_with_continuous_ones(opened, fmi):
    # x' = i + u with u = t; the change of i is no stop of the polynomial by itself
    mixed = Controls(
        np.array([[[0.0, 1.0], [0.0, 1.0]], [[1.0, 0.0], [3.0, 0.5]]]),
        np.array([0.0, 0.5, 2.0]),
        ("i", "u"),
        np.empty(0),
    )
    run = opened("DISCRETE_RELAY", fmi).simulate(times=TIMES, inputs=mixed, outputs=["x0", "wrong"])
    wanted = TIMES**2 / 2 + np.where(TIMES < 0.5, TIMES, 0.5 + 3.0 * (TIMES - 0.5))
    assert run.column("x0") == pytest.approx(wanted, abs=1e-9)
    assert run.column("wrong")[-1] == 0.0


@both
def test_values_that_a_type_cannot_hold_are_refused(opened, fmi):
    plant = opened("TYPES", fmi)
    for name, value, words in [
        ("p_i", 1.5, r"'p_i' takes whole numbers \(Int32\), not 1.5"),
        ("p_i", 2.0**31, "'p_i' takes whole numbers"),
        ("p_i", -(2.0**31) - 1.0, "'p_i' takes whole numbers"),
        ("p_b", 2.0, "'p_b' is a Boolean: 2.0 is neither 0 nor 1"),
    ]:
        with pytest.raises(InputError, match=words):
            plant.simulate(times=TIMES, parameters={name: value})
    with pytest.raises(InputError, match="'i' takes whole numbers"):
        plant.simulate(times=TIMES, inputs=Controls.constant([0.5], ["i"]))
    with pytest.raises(InputError, match=r"'i' is discrete: its values are to be held"):
        plant.simulate(times=TIMES, inputs=Controls.linear([0.0, 1.0], [[0.0], [1.0]], ["i"]))
    with pytest.raises(InputError, match="'directional' needs continuous inputs; i, b, choice"):
        plant.directional([0.0])


@pytest.mark.parametrize(
    ("kind", "least", "most"), [("Int8", -128, 127), ("UInt8", 0, 255), ("Int16", -(2**15), 32767)]
)
def test_whole_number_is_refused_beyond_both_ends_of_its_type(kind, least, most):
    signal = PlantSignal("n", type=kind)
    for value in (least, 1, most):
        signal.check(float(value))
    for value in (least - 1, most + 1):
        with pytest.raises(InputError, match=rf"'n' takes whole numbers \({kind}\), not {value}"):
            signal.check(float(value))


@both
def test_derivatives_are_evaluated_with_whole_inputs(opened, fmi):
    plant = opened("TYPES", fmi)
    row = {"u": 0.0, "i": 4.0, "b": 1.0, "choice": 1.0, "long": 0.0}
    inputs = [[row[name] for name in plant.info.input_names]]
    rates, values = plant.derivatives(
        [[0.0]], inputs, [[5.0]], parameter_names=["p_i"], outputs=["y_i", "y_b"]
    )
    assert rates.tolist() == [[9.0]]
    assert values.tolist() == [[9.0, 0.0]]


# ---------------------------------------------------------------------------- refused, ignored


def test_clocks_are_refused_by_name(tmp_path):
    clock = (
        '<Clock name="tick" valueReference="500" causality="input" intervalVariability="fixed"/>'
    )
    path = event_fmu(tmp_path, "STAIR", 3)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    text = files["modelDescription.xml"].replace(
        b"</ModelVariables>", clock.encode() + b"</ModelVariables>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (files | {"modelDescription.xml": text}).items():
            archive.writestr(name, content)
    with pytest.raises(InputError, match=r"has clocks \(tick\), which are not supported"):
        Plant(path)


def test_scheduled_execution_is_refused_by_name(tmp_path):
    xml = """<fmiModelDescription fmiVersion="3.0" modelName="S" instantiationToken="g">
        <ScheduledExecution modelIdentifier="s"/><ModelVariables/><ModelStructure/>
        </fmiModelDescription>"""
    with pytest.raises(DescriptionError, match="only Scheduled Execution, which is not supported"):
        inspect(write_fmu(tmp_path / "s.fmu", xml))


def test_terminals_and_icons_are_ignored(tmp_path):
    path = event_fmu(tmp_path, "STAIR", 3)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("terminalsAndIcons/terminalsAndIcons.xml", "<not even xml")
        archive.writestr("terminalsAndIcons/icon.png", b"\x89PNG")
    with Plant(path) as plant:
        assert plant.simulate(times=[0.0, 1.05]).column("y")[-1] == 10.0


@both
@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("prefix", ["./", further("././")])
def test_names_in_the_archive_may_begin_with_a_dot(tmp_path, prefix, fmi):
    path = event_fmu(tmp_path, "STAIR", fmi, prefix=prefix)
    with zipfile.ZipFile(path, "a") as archive:
        for name in ("./", "resources/", "resources/", "binaries/"):
            archive.writestr(name, b"")
        archive.writestr(f"{prefix}sources/plant.c", b"int plant;")
    with Plant(path) as plant:
        # what is not needed is not unpacked
        assert not (Path(plant._host.directory) / "sources").exists()
        assert "modelDescription.xml" in plant._host.names
        assert plant.simulate(times=[0.0, 1.05]).column("y")[-1] == 10.0


# ---------------------------------------------------------------------------- what may be missing


@all_methods
@both
def test_plant_without_states(opened, method, fmi):
    ramp = Controls.linear([0.0, 1.0, 2.0], [[0.0], [1.0], [0.0]], ["u"])
    run = opened("NOTHING", fmi, typed=False).simulate(
        times=TIMES, inputs=ramp, outputs=["u"], method=method
    )
    assert run.states.shape == (21, 0)
    assert run.column("u") == pytest.approx(1.0 - np.abs(TIMES - 1.0), abs=1e-12)


@both_loops
@both
def test_function_that_the_binary_lacks_is_missed_when_it_is_called(tmp_path, fmi):
    suffix = "" if fmi == 2 else "s"
    attributes = f'providesDirectionalDerivative{suffix}="true"'
    with Plant(event_fmu(tmp_path, "SCRIBBLER", fmi, me=attributes)) as plant:
        run = plant.simulate(times=[0.0, 1.0])
        assert run.column("x0")[-1] == pytest.approx(np.cos(1.0), abs=1e-8)
        words = f"the binary has no function fmi{fmi}GetDirectionalDerivative"
        with pytest.raises(PlantStatusError, match=words):
            plant.directional([1.0, 0.0], outputs=["y"])


@both
def test_whole_outputs_have_no_directional_derivatives(tmp_path, fmi):
    suffix = "" if fmi == 2 else "s"
    attributes = f'providesDirectionalDerivative{suffix}="true"'
    # the binary has no such function: it would be missed
    with Plant(event_fmu(tmp_path, "TYPES", fmi, typed=True, me=attributes)) as plant:
        found = plant.rates([[0.0]], outputs=["y_i"])
    assert not found.exact
    assert found.output_rates.tolist() == [[0.0]]


@both
def test_debug_logging_is_off_whatever_categories_there_are(tmp_path, fmi):
    categories = "".join(f'<Category name="{n}"/>' for n in ("logAll", "logEvents"))
    extra = f"<LogCategories>{categories}</LogCategories>"
    with Plant(event_fmu(tmp_path, "STAIR", fmi, extra=extra)) as plant:
        assert plant.info.log_categories == ("logAll", "logEvents")
        assert plant.simulate(times=[0.0, 1.0]).log == ()


# ---------------------------------------------------------------------------- ends


@both
@pytest.mark.parametrize(
    ("form", "why", "at"),
    [("LIMIT", "ended the simulation", 1.0), ("LIMIT_STEP", "discarded a step", 0.48)],
)
def test_cosimulation_that_ends_gives_the_results_up_to_there(opened, form, why, at, fmi):
    # x = 1 - t: steps of 0.08 s from 0.96 s, where the first ends in between, and from 0.48 s
    times = 0.08 * np.arange(26)
    run = opened(form, fmi, "cs", typed=False).simulate(times=times)
    assert run.ended.startswith(f"the FMU {why} at t = ")
    assert float(run.ended.split("t = ")[1].split(" s")[0]) == pytest.approx(at, abs=1e-9)
    assert len(run.time) == (13 if form == "LIMIT" else 7)
    assert run.column("x0") == pytest.approx(1.0 - run.time, abs=1e-12)
    with pytest.raises(PlantStatusError, match=f"the FMU {why} at t = .* before the end"):
        run.complete()


def test_discarded_step_of_a_plant_that_cannot_tell_why(tmp_path):
    path = event_fmu(tmp_path, "LIMIT", 2, "-DWITHOUT_STATUS")
    with Plant(path, interface="cs") as plant:
        run = plant.simulate(times=0.08 * np.arange(26))
    assert run.ended == "the FMU discarded a step at t = 0.96 s"
    assert len(run.time) == 13


CALLS = ("STATES", "DERIVATIVES", "INDICATORS", "OUTPUTS")
OWN = ("DOP853", "DOP853 in Python")
# SciPy's and SUNDIALS' integrators are called by the same code for all calls of both versions, and
# imported anew by each process of a plant.
OTHERS = [
    (method, call, 2 + (k + i) % 2)
    for k, method in enumerate(("Radau", "CVODE", "LSODA"))
    for i, call in enumerate(CALLS)
]


def discards(first: int) -> pytest.MarkDecorator:
    """All calls with our own integrator, compiled and in Python, and one with each of the others.

    Each in one of the two versions; the rest if it is asked for.
    """
    always = [
        (method, call, 2 + (first + k + i) % 2)
        for k, method in enumerate(OWN)
        for i, call in enumerate(CALLS)
    ]
    always += [OTHERS[first - 2], OTHERS[first + 3], OTHERS[first + 8]]
    cases = mostly_further([*product(OWN, CALLS, (2, 3)), *OTHERS], *always)
    return pytest.mark.parametrize(("method", "call", "fmi"), cases, indirect=["method"])


@pytest.fixture(scope="module")
def discarding(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int, str], Path]:
    """FMUs that discard what they are asked by a call, each compiled once for all integrators."""

    @cache
    def build(plant: str, fmi: int, call: str) -> Path:
        folder = tmp_path_factory.mktemp("discarding")
        return event_fmu(folder, plant, fmi, f"-DDISCARDS={call}")

    return build


@discards(2)
def test_model_that_ends_somewhere_gives_the_results_up_to_there(discarding, method, call, fmi):
    # x = 1 - t, and no value for x < 0: with steps as long as the whole time this is far beyond
    with Plant(discarding("EDGE", fmi, call)) as plant:
        run = plant.simulate(times=TIMES, outputs=["x0"], method=method)
    text = "the FMU discarded a step at t = "
    assert run.ended.startswith(text)
    assert "(discard)" in run.ended
    # outputs are only read at their times: the first without is at 1 s or, by rounding, at 1.1 s
    at = float(run.ended.removeprefix(text).split(" s")[0])
    assert at == pytest.approx(1.0, abs=0.1 + 1e-6 if call == "OUTPUTS" else 1e-9)
    assert len(run.time) in (10, 11)
    assert run.column("x0") == pytest.approx(1.0 - run.time, abs=1e-9)


@discards(3)
def test_discarded_step_is_taken_again_smaller(discarding, method, call, fmi):
    # a plant that looks at most 0.05 s ahead of the last completed step
    times = np.linspace(0.0, 1.0, 101)
    with Plant(discarding("SHORT", fmi, call)) as plant:
        run = plant.simulate(times=times, outputs=["x0"], method=method, rtol=1e-8, atol=1e-10)
    assert run.ended == ""
    assert run.steps >= 20
    # the other methods work to their tolerance in each step, over many of them
    assert run.column("x0") == pytest.approx(np.cos(times), abs=1e-6)


@both_loops
@both
def test_model_that_ends_where_it_starts_is_an_error(tmp_path, fmi):
    path = event_fmu(tmp_path, "EDGE", fmi, "-DDISCARDS=DERIVATIVES")
    with Plant(path) as plant, pytest.raises(PlantStatusError, match="cannot be evaluated at t"):
        plant.simulate(times=TIMES, start={"x0": -1.0})
