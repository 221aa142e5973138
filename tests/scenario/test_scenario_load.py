"""Scenarios: what is taken, what is refused and how it is said."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path

import pytest
import tomli_w

from cranebridge.errors import InputError, StructureError
from cranebridge.limits.limits import Range
from cranebridge.scenario import Scenario, load_scenario, ready_scenarios

SPRING = Path(__file__).parents[2] / "examples" / "spring_trolley.py"


@pytest.mark.parametrize(
    "written", ["2", "2.0", "'2'", "'2.0'", "3", "3.0", "'3'", "'3.0'"], ids=lambda text: text
)
def test_fmi_version_can_be_written_as_number_or_text(written: str) -> None:
    scenario = load_scenario("rotary", [f"plant.fmi={written}"])
    assert scenario.tables.plant.fmi == f"{written.strip(chr(39))[0]}.0"


@pytest.mark.parametrize(("written", "meant"), [("true", True), ("false", False)])
def test_certify_takes_a_boolean(written: str, meant: bool) -> None:
    assert load_scenario("rotary", [f"plant.certify={written}"]).tables.plant.certify is meant


def test_certify_takes_partial() -> None:
    scenario = load_scenario("rotary", ["plant.certify=partial"])
    assert scenario.tables.plant.certify == "partial"
    assert scenario.complete()["plant"]["certify"] == "partial"


def test_whole_numbers_are_taken_as_real_ones() -> None:
    tables = load_scenario("rotary", ["plant.settle=0", "limits.tracking=1", "solve.step=1"]).tables
    values = (tables.plant.settle, tables.limits.tracking, tables.solve.step)
    assert values == (0.0, 1.0, 1.0)
    assert all(type(value) is float for value in values)


WRONG = {
    "fmi": ("plant.fmi=4", "plant.fmi must be one of 2.0, 3.0, got 4"),
    "fmi true": ("plant.fmi=true", "plant.fmi must be one of 2.0, 3.0, got true"),
    "certify": ("plant.certify=parcial", "Did you mean 'partial'?"),
    "certify 1": ("plant.certify=1", "plant.certify must be one of true, false, partial, got 1"),
    "interface": ("plant.interface=mee", "unknown value of plant.interface 'mee'. Did you mean"),
    "feed": ("plant.feed=holds", "Did you mean 'hold'?"),
    "method": ("solve.method=index4", "unknown value of solve.method 'index4'. Did you mean"),
    "scheme": ("solve.scheme=radau", "Known: euler, radau5, radau7"),
    "compile": ("solve.compile=yes", "Known: always, auto, never"),
    "report": ("report.logo=x", "[report] of scenario 'rotary' takes no keys, got 'logo'; remove"),
    "deliver key": ("deliver.colums=[]", "Did you mean 'columns'?"),
    "deliver format": ("deliver.to=cvs", "unknown value of deliver.to 'cvs'. Did you mean 'csv'?"),
    "deliver precision": ("deliver.precision=half", "Known: double, single"),
    "deliver cycle": ("deliver.cycle=0", "deliver.cycle must be a positive number of seconds"),
    "tolerance": ("plant.tolerance=0", "plant.tolerance must be a positive number, got 0"),
    "tolerance nan": ("plant.tolerance=nan", "plant.tolerance must be a positive number, got nan"),
    "step": ("plant.step=-0.1", "plant.step must be a positive number of seconds, got -0.1"),
    "step infinite": ("plant.step=inf", "plant.step must be a positive number of seconds, got inf"),
    "settle": ("plant.settle=-1", "plant.settle must be a number of seconds, not negative, got -1"),
    "timeout": ("plant.timeout=0", "plant.timeout must be a positive number of seconds, got 0"),
    "timeout in words": ("plant.timeout=long", "plant.timeout must be a positive number"),
    "solve step": ("solve.step=nan", "solve.step must be a positive number of seconds, got nan"),
    "gain": ("plant.drives.F_t={coordinate='s', kp=inf}", "plant.drives.F_t.kp must be a finite"),
    "radius": (
        "deliver.drives.A={coordinate='s', radius=true}",
        "deliver.drives.A.radius must be a number, or a parameter's name, got true",
    ),
    "drive key": ("plant.drives.F_t={coordinat='s'}", "Did you mean 'coordinate'?"),
    "control kind": ("control.kind=lqg", "unknown value of control.kind 'lqg'. Did you mean"),
    "control key": ("control.cycel=0.01", "Did you mean 'cycle'?"),
    "control without kind": ("control.cycle=0.01", "control.cycle needs control.kind; add it"),
    "control no drives": ("control.kind=drives", "control.kind = 'drives' needs loops"),
    "start group": ("plant.start.a.x=1", "unknown key in [plant.start] of scenario 'rotary' 'a'"),
    "start name": ("plant.start.q.yy=1", "unknown coordinate in plant.start.q 'yy'"),
    "map table": ("plant.map.signal={}", "Did you mean 'signals'?"),
    "map entry": ("plant.map.signals.x=3", "plant.map.signals.x must be text in quotes, got 3"),
    "map expression": ('plant.map.signals.x="a +"', "plant.map.signals.x = 'a +' is not an expr"),
    "plant is no table": ("plant=3", "--set takes"),
    "crane is no table": ("crane.parameters=3", "crane.parameters must be a table, got 3"),
    "limits signal": ("limits.u={M_x=3.0}", "unknown signal in limits.u 'M_x'"),
    "limits group": ("limits.w={M_b=3.0}", "unknown key in [limits] of scenario 'rotary' 'w'"),
    "limits value": ("limits.u={M_b=[1.0]}", "must be a number or a pair [least, most]"),
    "limits order": ("limits.u={M_b=[2.0, 1.0]}", "the least must be below the most"),
    "limits no table": ("limits.u=3.0", "limits.u must be a table by signal, got 3.0"),
    "limits rope": ("limits.rope=-3", "limits.rope must not be negative"),
    "limits ropes": ("limits.ropes=puls", "Did you mean 'pull'?"),
    "tracking": ("limits.tracking=0", "limits.tracking must be a positive number, got 0"),
    "initial": ("crane.initial={s=nan}", "crane.initial.s must be a finite number, got nan"),
    "huge parameter": (
        f"crane.m={10**400}",
        "crane.parameters.m is a whole number of more than 64 bits",
    ),
    "huge digits": (f"crane.m={'9' * 5000}", "must be a number"),
    "huge hexadecimal": (
        f"crane.m=0x{'f' * 9000}",
        "crane.parameters.m is a whole number of more than 64 bits",
    ),
    "huge limit": (
        f"limits.u={{M_b={10**400}}}",
        "limits.u.M_b is a whole number of more than 64 bits",
    ),
    "nested": (f"path.start={'[' * 50}{']' * 50}", "nested too deeply"),
    "null byte": ('plant.fmu="a\\u0000b"', "plant.fmu = "),
    "date": ("solve.step=2020-01-01", "solve.step must be a positive number of seconds, got"),
}


@pytest.mark.parametrize("case", sorted(WRONG))
def test_wrong_value_is_refused_when_the_scenario_is_read(case: str) -> None:
    setting, message = WRONG[case]
    with pytest.raises(InputError) as caught:
        load_scenario("rotary", [setting])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


WRONG_CONTROL = {
    ("lqr", 'weights."q.xx"=1.0'): (
        "unknown signal to be weighed of crane 'rotary' 'q.xx'. Did you mean 'q.x'?"
    ),
    ("lqr", 'weights."u.M_b"=0'): "the weight of u.M_b must be positive",
    ("lqr", 'weights."i.x"=1'): "the weight of i.x needs integral states: choose lqi",
    ("lqr", "cycle=0"): "control.cycle must be positive with control.kind = 'lqr'",
    ("lqr", "delay=-1"): "control.delay must be a number of seconds, not negative, got -1",
    ("lqr", "cycle=100.0"): "must be positive and below the 20 s of the motion, got 100 s",
    ("drives", "cycle=100.0"): "must be positive and below the 20 s of the motion, got 100 s",
    ("lqi", "cycle=1e-9"): "makes 2e+10 samples of a motion of 20 s, at most 200000 are possible",
    ("lqr", "delay=5.0"): "at most 20; choose a cycle of 0.25 s or more",
    ("lqr", "delay=30.0"): "must not be negative and below the 20 s of the motion, got 30 s",
    ("lqr", "sensors=[]"): "Did you mean 'sensor'?",
    ("lqr", "sensor=[{signal='q.s', nois=1}]"): "Did you mean 'noise'?",
    ("lqr", "sensor=[{noise=1}]"): "has no control.sensor.0.signal; add it",
    ("lqr", "sensor=[{signal='q.ss', noise=1}]"): "Did you mean 'q.s'?",
    ("lqr", "sensor=[{signal='x - ss', noise=1}]"): "sensor x - ss",
    ("lqr", "sensor=[{signal='q.s'}]"): "the noise of sensor q.s must be positive, got 0.0; it may",
    ("lqr", "sensor=[{signal='q.s', noise=1, cycle=0.007}]"): "must be a multiple of the",
    ("lqr", "observer.draw=2"): "control.observer.draw needs sensors: add tables [[control.sen",
    ("lqi", "observer={drw=2}"): "Did you mean 'draw'?",
    ("drives", "drives.F_t={kpp=1}"): "Did you mean 'kp'?",
    ("drives", "drives.F_t={coordinate='s', ki=1}"): (
        "control.drives.F_t.ki needs a sampled loop; give control.cycle"
    ),
}


@pytest.mark.parametrize("case", WRONG_CONTROL)
def test_wrong_controller_is_refused_when_the_scenario_is_read(case: tuple[str, str]) -> None:
    kind, setting = case
    more = ["control.drives.F_t={coordinate='s', kp=1.0}"] if "cycle" in setting else []
    with pytest.raises(InputError) as caught:
        load_scenario("rotary", [f"control.kind={kind}", f"control.{setting}", *more])
    assert WRONG_CONTROL[case] in str(caught.value)


WRONG_OBSERVER = {
    "disturbances={'force.xx'=1.0}": "unknown disturbance 'force.xx'. Did you mean 'force.x'?",
    "disturbances={'parameter.m'=0.0}": "the size of disturbance parameter.m must be positive",
    "variance={'q.x'=-1.0}": "control.observer.variance.q.x must not be negative, got -1",
    "gate=-1.0": "control.observer.gate must be a number, not negative, got -1",
    "draw=-1": "control.observer.draw must be a whole number, not negative, got -1",
    "draw=1.5": "control.observer.draw must be a whole number, not negative, got 1.5",
}


@pytest.mark.parametrize("setting", WRONG_OBSERVER)
def test_wrong_observer_is_refused_when_the_scenario_is_read(setting: str) -> None:
    sensors = "control.sensor=[{signal='q.s', noise=1e-3}]"
    with pytest.raises(InputError) as caught:
        load_scenario("rotary", ["control.kind=lqr", sensors, f"control.observer.{setting}"])
    assert WRONG_OBSERVER[setting] in str(caught.value)


def test_lqi_takes_disturbances_and_has_a_default_that_can_be_switched_off() -> None:
    settings = ["control.kind=lqi", "control.sensor=[{signal='q.s', noise=1e-3}]"]
    given = {"": None, "control.observer.disturbances={}": {}}
    given["control.observer.disturbances={'force.x'=1.0}"] = {"force.x": 1.0}
    for setting, expected in given.items():
        scenario = load_scenario("rotary", [*settings, *([setting] if setting else [])])
        assert scenario.tables.control.observer.disturbances == expected


def test_delay_of_a_continuous_loop_is_refused() -> None:
    drive = "control.drives.F_t={coordinate='s'}"
    with pytest.raises(InputError, match=r"control\.delay needs a sampled loop"):
        load_scenario("rotary", ["control.kind=drives", "control.delay=0.01", drive])


def test_control_does_not_go_with_what_contradicts_it() -> None:
    with pytest.raises(InputError, match=r"leave plant\.feed = 'hold' out"):
        load_scenario("rotary", ["control.kind=lqr", "plant.feed=hold"])
    drive = "{coordinate='s', kp=1.0}"
    both = [f"control.drives.F_t={drive}", f"plant.drives.F_t={drive}", "control.kind=drives"]
    with pytest.raises(InputError, match="are the same thing; leave one out"):
        load_scenario("rotary", both)


def test_complete_scenario_with_a_controller_is_the_same_again(tmp_path: Path) -> None:
    settings = ["control.kind=lqr", 'control.weights."q.x"=3', "plant.start.q.y=0.1"]
    settings += ["control.sensor=[{signal='q.s', noise=1e-3}, {signal='y.x', resolution=0.01}]"]
    settings += ["control.observer={draw=3, disturbances={'force.x'=5.0}}", "control.fade=0.5"]
    first = load_scenario("rotary", settings)
    file = tmp_path / "again.toml"
    file.write_text(tomli_w.dumps(first.complete()))
    again = load_scenario(str(file)).tables
    assert (again.control, again.plant.start) == (first.tables.control, first.tables.plant.start)


def test_method_that_cannot_work_is_refused_with_the_reason() -> None:
    with pytest.raises(StructureError, match="control forces that grow as the step shrinks"):
        load_scenario("rotary", ["solve.method=energy-momentum"])


def test_table_that_is_a_number_is_named(tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text('plant = 3\n[crane]\nmodel = "rotary"\n[path]\n')
    with pytest.raises(InputError, match="plant must be a table, got 3"):
        load_scenario(str(file))


def test_limits_are_numbers_and_pairs_by_signal() -> None:
    settings = ["limits.u={M_b=200, M_w=[-700, -300.0]}", "limits.rope=50"]
    limits = load_scenario("rotary", settings).limits
    assert limits.u == {"M_b": Range(-200.0, 200.0), "M_w": Range(-700.0, -300.0)}
    assert limits.rope == {"T_cable": Range(50.0, math.inf)}
    assert limits.tracking == 1e-3


def again(scenario: Scenario, folder: Path) -> Scenario:
    """Write a scenario and read it from another folder, as a result's scenario.toml is."""
    folder.mkdir()
    (folder / "scenario.toml").write_text(tomli_w.dumps(scenario.complete()))
    return load_scenario(str(folder / "scenario.toml"))


@pytest.mark.parametrize("name", sorted(ready_scenarios()))
def test_complete_scenario_repeats_the_run(name: str, tmp_path: Path) -> None:
    scenario = load_scenario(name)
    repeated = again(scenario, tmp_path / "result")
    assert repeated.complete() == scenario.complete()
    assert repeated.limits == scenario.limits
    assert repeated.problem.parameters == scenario.problem.parameters


def test_complete_scenario_keeps_pairs_of_limits(tmp_path: Path) -> None:
    settings = ["limits.u={M_w=[-700.0, -300.0]}", "limits.rope=[20.0, 3000.0]"]
    scenario = load_scenario("rotary", settings)
    assert again(scenario, tmp_path / "result").limits == scenario.limits


def own(folder: Path) -> Path:
    """A scenario with a crane, a Modelica file and relative names of them."""
    folder.mkdir()
    (folder / "crane.py").write_text(SPRING.read_text())
    (folder / "Plant.mo").write_text("model Plant end Plant;")
    text = (SPRING.with_suffix(".toml")).read_text()
    content = tomllib.loads(text)
    content["crane"]["model"] = "crane.py:SpringTrolley"
    content["plant"] = {"model": "Plant.mo:Plant"}
    (folder / "own.toml").write_text(tomli_w.dumps(content))
    return folder / "own.toml"


def test_files_that_matter_are_named(tmp_path: Path) -> None:
    scenario = load_scenario(str(own(tmp_path / "own")))
    mine = [file.name for file in scenario.files if file.parent == tmp_path / "own"]
    assert mine == ["own.toml", "crane.py", "Plant.mo"]
    assert all(file.is_absolute() and file.is_file() for file in scenario.files)


def test_plant_file_matters_and_a_missing_one_is_left_to_the_export(tmp_path: Path) -> None:
    file = own(tmp_path / "own")
    (tmp_path / "own" / "plant.fmu").write_bytes(b"PK")
    with_fmu = load_scenario(str(file), ["plant.fmu=plant.fmu"])
    assert [file.name for file in with_fmu.files] == ["own.toml", "crane.py", "plant.fmu"]
    without = load_scenario(str(file), ["plant.fmu=missing.fmu"])
    assert [file.name for file in without.files] == ["own.toml", "crane.py"]
    missing = load_scenario(str(file), ["plant.model=Missing.mo:Plant"])
    assert "Missing.mo" not in [file.name for file in missing.files]


def test_sources_of_the_library_matter() -> None:
    found = {file.name for file in load_scenario("rotary").files}
    assert {"rotary.toml", "RotaryCrane.mo"} <= found


def test_file_names_mean_the_same_from_another_folder(tmp_path: Path) -> None:
    scenario = load_scenario(str(own(tmp_path / "own")), ["plant.fmu=plant.fmu"])
    repeated = again(scenario, tmp_path / "result")
    assert repeated.tables.crane.model == scenario.tables.crane.model
    assert repeated.tables.plant.fmu == str(tmp_path / "own" / "plant.fmu")
    assert repeated.tables.plant.model == f"{tmp_path / 'own' / 'Plant.mo'}:Plant"


def test_quoted_part_of_an_override_may_have_a_dot() -> None:
    scenario = load_scenario("rotary", ['plant.map.signals."v.x"="v_x"'])
    assert scenario.tables.plant.map.signals == {"v.x": "v_x"}


def test_override_reaches_a_name_that_is_no_bare_key() -> None:
    scenario = load_scenario("overhead-real", ["plant.variants.payload +20 %.m=130"])
    assert scenario.tables.plant.variants["payload +20 %"] == {"m": 130.0}


def test_deep_dotted_key_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "deep.toml"
    file.write_text("path" + ".a" * 5000 + " = 1\n")
    with pytest.raises(InputError, match="nested too deeply"):
        load_scenario(str(file))


@pytest.mark.parametrize("name", ["a" * 300, "a\0b", "x" * 300 + ".toml"])
def test_name_that_no_file_can_have_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"unknown scenario|does not exist"):
        load_scenario(name)
