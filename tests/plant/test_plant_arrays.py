"""Arrays and structural parameters of FMI 3: every number of theirs is a variable here.

The plant is x' = A x + B u with n states x, n a structural parameter (arrays.c); it returns an
error for calls that the standard does not allow, and for numbers of values that do not fit.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from array_plants import DESCRIPTION, array_fmu
from foreign import write_fmu
from scipy.linalg import expm

from cranebridge.errors import InputError
from cranebridge.plant.description.fmu import inspect
from cranebridge.plant.description.plant_info import DescriptionError
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.sandbox.child_process import PlantStatusError
from further import further

TIMES = np.linspace(0.0, 1.0, 11)
# any matrix: no symmetry, so that rows and columns cannot be mistaken
A3 = np.array([[-1.0, 0.4, 0.1], [-0.2, -2.0, 0.3], [0.7, 0.0, -3.0]])
B3 = np.array([[1.0, -1.0], [0.5, 2.0], [0.0, 3.0]])


def named(name: str, values: np.ndarray) -> dict[str, float]:
    """Elements of an array by name."""
    return {
        f"{name}[{','.join(str(i + 1) for i in index)}]": float(values[index])
        for index in itertools.product(*map(range, values.shape))
    }


def response(a: np.ndarray, forced: np.ndarray, x0: np.ndarray, times: np.ndarray) -> np.ndarray:
    """x' = a x + forced by the exponential of a larger matrix."""
    n = len(a)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n] = a, forced
    return np.array([(expm(whole * t) @ np.append(x0, 1.0))[:n] for t in times])


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return array_fmu(tmp_path_factory.mktemp("arrays"))


@pytest.fixture(scope="module")
def plant(path: Path):
    with Plant(path) as opened:
        yield opened


def test_arrays_are_described_by_their_elements(plant):
    info = plant.info
    assert info.states == (
        "z", "x[1]", "x[2]", "x[3]", "box[1,1]", "box[1,2]", "box[2,1]", "box[2,2]"
    )  # fmt: skip
    assert info.derivatives[1] == "der(x)[1]"
    assert info.input_names == ("u[1]", "u[2]", "on[1]", "on[2]")
    assert info.output_names == ("y[1]", "y[2]", "y[3]", "hits[1]", "hits[2]", "hits[3]")
    starts = {signal.name: signal.start for signal in info.parameters}
    assert starts["A[2,2]"] == -2.0
    assert starts["B[3,1]"] == 1.0
    assert starts["g[2]"] == 0.25
    assert {signals.unit for name, signals in info.signals().items() if name[:2] == "x["} == {"m"}
    assert [signal.start for signal in info.variables if signal.name[:2] == "x["] == [1.0] * 3
    assert info.arrays["A"] == (3, 3)
    assert [signal.name for signal in info.structural] == ["n"]
    assert info.event_indicators == 3
    # each element depends on what its array depends on
    assert info.output_dependencies["y[3]"] == ("on",)


@pytest.mark.parametrize("method", ["DOP853", "DOP853 in Python", "Radau", "CVODE"], indirect=True)
def test_matrices_inputs_and_states_go_where_they_belong(plant, method):
    u = Controls.constant([0.3, -0.7], ["u[1]", "u[2]"])
    run = plant.simulate(
        times=TIMES,
        inputs=u,
        parameters=named("A", A3) | named("B", B3) | {"c[2,1]": -5.0},
        start={"x[2]": 4.0, "box[1,2]": 9.0},
        outputs=["y", "s", "x[3]", "box", "z", "A"],
        method=method,
    )
    wanted = response(A3, B3 @ [0.3, -0.7], np.array([1.0, 4.0, 1.0]), TIMES)
    x = np.stack([run.column(f"y[{i}]") for i in (1, 2, 3)], axis=1) / 2.0
    assert x == pytest.approx(wanted, abs=1e-8)
    assert run.states[:, 1:4] == pytest.approx(wanted, abs=1e-8)
    assert run.column("s[3]") == pytest.approx(3.0 * wanted[:, 2], abs=1e-8)
    assert run.column("x[3]") == pytest.approx(wanted[:, 2], abs=1e-8)
    # the others of c keep their start values: 1, 2, 4
    box = np.stack([run.column(f"box[{i},{j}]") for i in (1, 2) for j in (1, 2)], axis=1)
    assert box == pytest.approx(np.array([0, 9, 0, 0]) + np.outer(TIMES, [1, 2, -5, 4]), abs=1e-9)
    assert run.column("z") == pytest.approx(0.75 * TIMES, abs=1e-9)
    assert run.column("A[3,1]").tolist() == [0.7] * 11


@pytest.mark.usefixtures("loop")
def test_an_element_alone_leaves_the_others_of_its_array(plant):
    held = Controls.hold([0.0, 0.5], [[2.0, 0.0], [2.0, 1.0]], ["u[1]", "on[2]"])
    given = named("B", B3) | {"g[1]": 0.125}
    run = plant.simulate(times=TIMES, inputs=held, parameters=given, outputs=["y", "u", "on", "g"])
    assert set(run.column("u[1]")) == {2.0}
    assert set(run.column("u[2]")) == {0.25}
    assert set(run.column("on[1]")) == {0.0}
    assert run.column("on[2]").tolist() == (TIMES >= 0.5).astype(float).tolist()
    assert set(run.column("g[1]")) == {0.125}
    assert set(run.column("g[2]")) == {0.25}
    wanted = response(np.diag([-1.0, -2.0, -3.0]), B3 @ [2.0, 0.25], np.ones(3), TIMES)
    shift = 1000.0 * (TIMES >= 0.5)
    assert run.column("y[3]") - shift == pytest.approx(2.0 * wanted[:, 2], abs=1e-8)


@pytest.mark.usefixtures("loop")
def test_inputs_in_any_order(plant):
    turned = plant.simulate(times=TIMES, inputs=Controls.constant([5.0, 3.0], ["u[2]", "u[1]"]))
    straight = plant.simulate(times=TIMES, inputs=Controls.constant([3.0, 5.0], ["u[1]", "u[2]"]))
    assert turned.outputs.tolist() == straight.outputs.tolist()


@pytest.mark.usefixtures("loop")
def test_events_of_arrays_are_found(plant):
    run = plant.simulate(times=TIMES, outputs=["hits"])
    # exp(-k t) = 0.5
    for k in (1, 2, 3):
        hit = run.column(f"hits[{k}]")
        assert hit.tolist() == (np.log(2.0) / k < TIMES).astype(float).tolist()
    assert run.events == 3


# ---------------------------------------------------------------------------- structure


@pytest.mark.parametrize("n", [1, further(2), 5, further(8)])
@pytest.mark.parametrize("interface", ["me", "cs"])
def test_structural_parameter_gives_the_sizes(path, n, interface):
    a = np.diag(-np.arange(1.0, n + 1)) + np.diag(np.full(n - 1, 0.5), 1)
    b = np.arange(2.0 * n).reshape(n, 2)
    with Plant(path, interface=interface, structure={"n": n}) as plant:
        assert plant.info.output_names[:n] == tuple(f"y[{i + 1}]" for i in range(n))
        run = plant.simulate(
            times=TIMES,
            inputs=Controls.constant([0.1, 0.2], ["u[1]", "u[2]"]),
            parameters=named("A", a) | named("B", b),
            start={"x[1]": 3.0},
            outputs=["y", "n", "box"],
        )
    x0 = np.ones(n)
    x0[0] = 3.0
    if interface == "me":
        wanted = response(a, b @ [0.1, 0.2], x0, TIMES)
    else:  # explicit Euler, as in arrays.c
        rows = [x0]
        for h in np.diff(TIMES):
            rows.append(rows[-1] + h * (a @ rows[-1] + b @ [0.1, 0.2]))
        wanted = np.array(rows)
    x = np.stack([run.column(f"y[{i + 1}]") for i in range(n)], axis=1) / 2.0
    assert x == pytest.approx(wanted, abs=1e-8)
    assert set(run.column("n")) == {n}
    names = [name for name in run.state_names if name.startswith("x[")]
    assert len(names) == n
    assert run.states[:, run.state_names.index("x[1]")] == pytest.approx(wanted[:, 0], abs=1e-8)
    assert run.column("box[2,1]") == pytest.approx(3.0 * TIMES, abs=1e-9)


def test_an_array_may_be_empty(path):
    with Plant(path, structure={"n": 0}) as plant:
        assert plant.info.states == ("z", "box[1,1]", "box[1,2]", "box[2,1]", "box[2,2]")
        assert plant.info.output_names == ()
        run = plant.simulate(times=TIMES, outputs=["y", "z"])
    assert run.output_names == ("z",)
    assert run.column("z") == pytest.approx(0.75 * TIMES, abs=1e-9)


def test_structure_is_set_again_after_a_reset(path):
    # rows of different parameters start the FMU anew
    with Plant(path, structure={"n": 2}) as plant:
        nx = len(plant.info.states)
        states = np.tile(np.arange(1.0, nx + 1), (3, 1))
        full = np.diag([-1.0, -2.0])
        rows = [[-1.0, 0.0], [-1.0, 7.0], [4.0, 7.0]]
        with pytest.raises(InputError, match=r"'A\[1,2\]' has no start value: give all elements"):
            plant.derivatives(states, parameters=rows, parameter_names=["A[1,1]", "A[2,1]"])
        columns = ["A[1,1]", "A[2,1]", "A[2,2]", "A[1,2]", "c[1,1]"]
        table = [[*row, -2.0, 0.0, 6.0] for row in rows]
        rates, values = plant.derivatives(
            states, [[1.0, 0.0, 0.0, 1.0]] * 3, table, parameter_names=columns, outputs=["y", "c"]
        )
    for row, found, output in zip(rows, rates, values, strict=True):
        full[:, 0] = row
        assert found[1:3] == pytest.approx(full @ states[0, 1:3] + 1.0, abs=1e-12)
        # the others of c keep their start values
        assert found[3:].tolist() == [6.0, 2.0, 3.0, 4.0]
        # on[2], which is set in event mode, adds 1000
        assert output.tolist() == [1004.0, 1006.0, 6.0, 2.0, 3.0, 4.0]


def test_linearization_by_differences(tmp_path):
    # the FMU claims directional derivatives, which would be asked for whole arrays only
    b = named("B", B3)
    text = {'name="on" valueReference="10" causality="input"': 'name="on" valueReference="10"'}
    with Plant(array_fmu(tmp_path, **text)) as plant:
        found = plant.directional(np.zeros(8), parameters=named("A", A3) | b, outputs=["y"])
    assert not found.exact
    assert found.A[1:4, 1:4] == pytest.approx(A3, abs=1e-8)
    assert found.B[1:4] == pytest.approx(B3, abs=1e-8)
    assert found.C[:, 1:4] == pytest.approx(2.0 * np.eye(3), abs=1e-8)


# ---------------------------------------------------------------------------- refused


def test_wrong_names_and_values_are_refused_with_a_hint(path, plant):
    for call, words in [
        ({"parameters": {"A": 1.0}}, r"the parameter 'A' is an array of 3 x 3: .* 'A\[1,1\]'"),
        ({"parameters": {"n": 4.0}}, "'n' is a structural parameter: give it when .* opened"),
        ({"parameters": {"A[1,4]": 4.0}}, r"'A\[1,4\]'"),
        ({"start": {"x": 1.0}}, r"the variable 'x' is an array of 3: name its elements"),
        ({"inputs": Controls.constant([1.0], ["u"])}, "the input 'u' is an array of 2"),
        ({"inputs": Controls.constant([0.5], ["on[1]"])}, r"'on\[1\]' is a Boolean"),
        ({"outputs": ["x[4]"]}, r"'x\[4\]'"),
    ]:
        with pytest.raises(InputError, match=words):
            plant.simulate(times=TIMES, **call)
    for structure, words in [
        ({"n": 2.5}, r"'n' takes whole numbers \(UInt64\), not 2.5"),
        ({"n": -1.0}, "'n' takes whole numbers"),
        ({"n": np.nan}, "the value nan for 'n' is not finite"),
        ({"m": 1.0}, "unknown structural parameter 'm'"),
        ({"n": 1e6}, "elements, 100000 are allowed"),
        ({"n": 1e7}, "has the size 10000000 by 'n'"),
    ]:
        with pytest.raises(InputError, match=words):
            Plant(path, structure=structure)


def test_sizes_that_the_binary_does_not_have_are_refused(path, tmp_path):
    with (
        Plant(array_fmu(tmp_path, "-DONE_MORE")) as plant,
        pytest.raises(PlantStatusError, match=r"binary has 9 continuous states, .* description 8"),
    ):
        plant.simulate(times=TIMES)
    # a size that it does not take itself
    with Plant(path, structure={"n": 9}) as plant, pytest.raises(PlantStatusError, match="UInt64"):
        plant.simulate(times=TIMES)


def test_fmi_2_has_no_structure(tmp_path):
    from event_plants import event_fmu

    with pytest.raises(InputError, match="unknown structural parameter 'n'"):
        Plant(event_fmu(tmp_path, "STAIR", 2), structure={"n": 1.0})


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('valueReference="1"/>', 'valueReference="15"/>', "which is no whole structural parameter"),
        ('valueReference="1"/>', 'valueReference="77"/>', "the value reference 77, which is no"),
        ('start="3"/>', 'start="2.5"/>', "has the size 2.5 by 'n'"),
        ('start="3"/>', 'start="nan"/>', "has the size nan by 'n'"),
        ('name="time"', 'name="x[1]"', "two variables have the same name"),
        ('name="der(box)" valueReference="13" derivative="12"',
         'name="der(box)" valueReference="13" derivative="15"', "differ in size"),
        ('<ContinuousStateDerivative valueReference="13"/>',
         '<ContinuousStateDerivative valueReference="3"/>', "names a derivative twice"),
        ('<Dimension start="2"/>', '<Dimension start="2"/>' * 17, "more than 16 dimensions"),
        ('<Dimension start="2"/>', '<Dimension start="317"/>', "elements, 100000 are allowed"),
        ('<Dimension start="2"/>', "<Dimension/>", "valueReference = '' of 'Dimension' is wrong"),
        ('start="1 2 3 4"', 'start="1 2 three 4"', "the start value 'three' of 'c' is no number"),
    ],
)  # fmt: skip
def test_wrong_arrays_are_refused(tmp_path, old, new, words):
    assert old in DESCRIPTION
    with pytest.raises(DescriptionError, match=words):
        inspect(write_fmu(tmp_path / "a.fmu", DESCRIPTION.replace(old, new)))


def test_descriptions_of_arrays_cannot_make_themselves_large(tmp_path):
    # a large array, named again and again where elements are listed; and one with no elements
    big = DESCRIPTION.replace('start="3"/>', 'start="300"/>')
    many = '<Output valueReference="4" dependencies=""/>' * 2000
    indicators = '<EventIndicator valueReference="4"/>' * 2000
    with pytest.raises(DescriptionError, match=r"\d+ event indicators are too many"):
        inspect(write_fmu(tmp_path / "a.fmu", big.replace("<EventI", f"{indicators}<EventI")))
    listed = big.replace("<Output", f"{many}<Output", 1)
    assert inspect(write_fmu(tmp_path / "b.fmu", listed)).output_dependencies["A[300,300]"] == ()
    empty = '<Dimension start="0"/>' + '<Dimension start="999999"/>' * 15
    text = DESCRIPTION.replace('<Float64 name="z"', f'<Float64 name="e" valueReference="90">{empty}'
                               '</Float64><Float64 name="z"')  # fmt: skip
    assert inspect(write_fmu(tmp_path / "c.fmu", text)).arrays["e"][0] == 0
