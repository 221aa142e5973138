"""The feedforward as an FMU: it plans when triggered and solves on line, in four ways alike."""

from __future__ import annotations

import json
import subprocess
import zipfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import fmpy
import numpy as np
import pytest
from feedforward_driver import Driver, start_values
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu

from c_programs import SANITIZERS
from cranebridge.deliver import DeliveryOrder, deliver, is_unchanged
from cranebridge.errors import InputError
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.path import Line, three_phase
from further import further

MOVING, DONE, BAD_ARGUMENT, SINGULAR, BUSY, ELSEWHERE = 0, 1, -2, -4, -7, -8
WAYS = [(fmi, kind) for fmi in ("2.0", "3.0") for kind in ("me", "cs")]
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2", "-fsyntax-only")


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    """FMUs by scenario and version, each made once."""
    folder, made = tmp_path_factory.mktemp("fmus"), {}

    def get(solved, name, fmi):
        if (name, fmi) not in made:
            feedforward, tables = solved(name, 0.5)
            target = folder / f"{name}{fmi[0]}.fmu"
            deliver(feedforward, DeliveryOrder("fmu", target, scenario=tables, fmi=fmi))
            made[name, fmi] = target, feedforward.problem
        return made[name, fmi]

    return get


@pytest.fixture
def fmu(fmus, solved, tmp_path_factory):
    """A running FMU and its problem; what it has set at the start, triggered by default."""

    @contextmanager
    def run(name, fmi="2.0", kind="cs", **values):
        path, problem = fmus(solved, name, fmi)
        driver = Driver(
            path, tmp_path_factory.mktemp("unpacked"), kind, **({"trigger": True} | values)
        )
        if kind == "me":
            driver.raw.enterContinuousTimeMode()
        try:
            yield driver, problem
        finally:
            driver.close()

    return run


def expected(problem, times):
    """All outputs of the FMU from the index-1 solution, in its order."""
    exact = solve_index1(problem, times)
    drives = range(len(problem.crane.inputs))  # of rotary and overhead: the first coordinates
    return np.hstack([exact.u, exact.q[:, drives], exact.v[:, drives], exact.gamma])


def error(found, wanted):
    scale = np.ptp(wanted, axis=0)
    return float((np.abs(found - wanted).max(axis=0) / scale).max())


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
@pytest.mark.parametrize("name", ["rotary", further("overhead"), further("cablev-general")])
def test_fmpy_finds_nothing_wrong(fmus, solved, name, fmi):
    path, _ = fmus(solved, name, fmi)
    assert validate_fmu(str(path)) == []
    description = fmpy.read_model_description(str(path), validate=True)
    assert description.modelExchange is not None
    assert description.coSimulation.maxOutputDerivativeOrder == 1


def test_names_units_and_types(fmus, solved):
    path, _ = fmus(solved, "rotary", "2.0")
    variables = fmpy.read_model_description(str(path)).modelVariables
    by_causality = {
        kind: {v.name: v.unit for v in variables if v.causality == kind}
        for kind in ("input", "output", "parameter")
    }
    assert list(by_causality["input"]) == [
        *(f"{end}_{axis}" for end in ("start", "goal") for axis in "xyz"),
        "duration",
        "trigger",
        "shortest",
        "replan",
        "stop",
    ]
    assert by_causality["output"]["M_b"] == "N.m"
    assert by_causality["output"]["ref_v_phi"] == "rad/s"
    assert by_causality["parameter"]["J_b"] == "kg.m2"
    assert {v.name: v.type for v in variables if v.type != "Real"} == {
        **dict.fromkeys(("trigger", "shortest", "replan", "stop"), "Boolean"),
        "status": "Integer",
    }


@pytest.mark.parametrize(("fmi", "kind"), WAYS)
@pytest.mark.parametrize("name", ["rotary", "overhead"])
def test_outputs_are_the_index_1_solution(fmu, name, fmi, kind):
    with fmu(name, fmi, kind) as (driver, problem):
        times = np.linspace(0.0, problem.path.duration, 401)
        found = driver.table(times, driver.names())
        assert driver.status == DONE
        assert error(found, expected(problem, times)) < 1e-10


def test_times_may_go_back_in_model_exchange(fmu):
    with fmu("rotary", kind="me") as (driver, _):
        forth = driver.table(np.linspace(0.0, 19.0, 50), driver.names())
        back = driver.table(np.linspace(19.0, 0.0, 50), driver.names())[::-1]
        assert error(back, forth) < 1e-10


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_output_derivatives_are_exact(fmu, fmi):
    with fmu("rotary", fmi) as (driver, _):
        times, h = np.linspace(0.1, 19.9, 100), 1e-4
        around = np.sort(np.concatenate([times - h, times, times + h]))
        rows, slopes = [], []
        for k, time in enumerate(around):
            driver.go(time)
            rows.append(driver.get(driver.names()))
            if k % 3 == 1:
                slopes.append(driver.slopes(driver.names()))
        values = np.array(rows)
        differences = (values[2::3] - values[0::3]) / (2 * h)
        assert error(np.array(slopes), differences) < 1e-6


@pytest.mark.parametrize(("fmi", "kind"), WAYS)
def test_a_later_trigger_plans_another_motion_from_then_on(fmu, fmi, kind):
    start, goal, duration = (4.0, 1.0, -4.0), (1.0, 4.0, -3.0), 12.0
    there = start_values(start, "start", "xyz")
    with fmu("rotary", fmi, kind, trigger=False, **there) as (driver, problem):
        assert driver.status == DONE  # at rest at the start
        driver.go(2.0)
        rest = driver.get(driver.names())
        assert rest[:3] == pytest.approx([0.0, 0.0, -98.1], abs=1e-9)
        driver.trigger(**start_values(goal, "goal", "xyz"), duration=12.0)
        assert driver.status == MOVING
        times = np.linspace(0.0, duration, 121)
        found = driver.table(2.0 + times, driver.names())
        assert driver.status == DONE
        path = Line(problem.path.outputs, start, goal, three_phase(duration, duration / 4))
        assert error(found, expected(replace(problem, path=path), times)) < 1e-10


@pytest.mark.parametrize(("fmi", "kind"), WAYS)
def test_a_motion_from_where_the_load_is_not_is_refused(fmu, fmi, kind):
    with fmu("rotary", fmi, kind) as (driver, _):
        driver.go(19.0)
        driver.go(20.0)
        before = driver.get(driver.names())
        driver.trigger()  # once more from the scenario's start, which the load has left
        assert driver.status == ELSEWHERE
        driver.go(21.0)
        assert driver.get(driver.names()) == pytest.approx(before, abs=1e-9)
        back = start_values((-2.0, 2.0, -2.0), "start", "xyz")
        driver.trigger(**back, **start_values((5.0, 0.0, -5.0), "goal", "xyz"))
        assert driver.status == MOVING


@pytest.mark.parametrize(("fmi", "kind"), WAYS)
def test_a_motion_has_ended_a_rounding_before_its_end(fmu, fmi, kind):
    """A master's times are sums of its steps."""
    with fmu("rotary", fmi, kind) as (driver, _):
        driver.go(20.0 - 1e-9)
        driver.get(driver.names())
        driver.trigger(
            **start_values((-2.0, 2.0, -2.0), "start", "xyz"),
            **start_values((5.0, 0.0, -5.0), "goal", "xyz"),
        )
        assert driver.status == MOVING


@pytest.mark.parametrize(("fmi", "kind"), WAYS)
def test_an_unreachable_goal_sets_the_status_and_changes_nothing(fmu, fmi, kind):
    through_the_tower = start_values((-5.0, 0.0, -5.0), "goal", "xyz")
    with fmu("rotary", fmi, kind, trigger=False) as (driver, _):
        driver.go(1.0)
        before = driver.get(driver.names())
        driver.trigger(**through_the_tower)
        assert driver.status == SINGULAR
        for time in (1.0, 2.0, 30.0):
            driver.go(time)
            assert driver.get(driver.names()) == pytest.approx(before, abs=1e-12)
            assert driver.status == SINGULAR
        driver.trigger(**start_values((-2.0, 2.0, -2.0), "goal", "xyz"))
        assert driver.status == MOVING


def test_an_unreachable_goal_at_the_start_leaves_the_load_at_rest(fmu):
    with fmu("rotary", **start_values((-5.0, 0.0, -5.0), "goal", "xyz")) as (driver, _):
        assert driver.status == SINGULAR
        driver.go(5.0)
        assert driver.get(["M_b", "F_t", "M_w"]) == pytest.approx([0.0, 0.0, -98.1], abs=1e-9)
        assert driver.get(["gamma_x", "gamma_y", "gamma_z"]) == pytest.approx([5.0, 0.0, -5.0])


def test_a_trigger_during_a_motion_is_refused_and_the_motion_goes_on(fmu):
    with fmu("rotary") as (driver, problem):
        times = np.linspace(0.0, 20.0, 201)
        first = driver.table(times[:50], driver.names())
        driver.trigger(goal_x=3.0)
        assert driver.status == BUSY
        second = driver.table(times[50:], driver.names())
        assert error(np.vstack([first, second]), expected(problem, times)) < 1e-10
        assert driver.status == BUSY


@pytest.mark.parametrize("duration", [0.0, -1.0])
def test_a_duration_that_is_not_positive_is_refused(fmu, duration):
    with fmu("overhead", duration=duration) as (driver, _):
        assert driver.status == BAD_ARGUMENT


def test_parameters_before_the_run_and_at_the_next_trigger(fmu):
    with fmu("overhead", m=150.0) as (driver, problem):
        assert driver.get(["M_w"]) == pytest.approx(-150.0 * 9.81 * 0.1)
        times = np.linspace(0.0, 3.0, 61)
        heavier = replace(problem, parameters=problem.parameters | {"m": 150.0})
        driver.go(times[1])
        driver.set(m=50.0)  # not before the next plan
        found = driver.table(times[2:], driver.names())
        assert error(found, expected(heavier, times)[2:]) < 1e-10
        driver.trigger(start_x=5.0, start_z=-1.0, goal_x=0.0, goal_z=-4.0)
        assert driver.status == MOVING
        assert driver.get(["M_w"]) == pytest.approx(-50.0 * 9.81 * 0.1)


def test_held_controls_are_those_in_the_middle_of_the_interval(fmu):
    hold = 0.01
    with fmu("rotary", hold=hold) as (driver, problem):
        times = np.linspace(0.0, 19.9, 200)
        found = driver.table(times, driver.names())
    now, middle = expected(problem, times), expected(problem, times + hold / 2)
    assert error(found, np.hstack([middle[:, :3], now[:, 3:]])) < 1e-10


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_state_is_restored_with_the_plan_in_it(fmu, fmi):
    with fmu("rotary", fmi) as (driver, _):
        raw, names = driver.raw, driver.names()
        save, load = (
            (raw.getFMUstate, raw.setFMUstate)
            if fmi == "2.0"
            else (raw.getFMUState, raw.setFMUState)
        )
        driver.go(7.0)
        state = save()
        first = driver.table(np.linspace(7.1, 12.0, 20), names)
        driver.go(25.0)
        driver.trigger(goal_x=4.0)
        load(state)
        driver.time = 7.0
        again = driver.table(np.linspace(7.1, 12.0, 20), names)
        assert np.array_equal(first, again)


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_reset_forgets_the_plan(fmu, fmi):
    with fmu("rotary", fmi) as (driver, _):
        driver.go(7.0)
        driver.raw.reset()
        driver.initialize(trigger=False)
        driver.go(3.0)
        assert driver.status == DONE
        assert driver.get(["M_b", "F_t", "M_w"]) == pytest.approx([0.0, 0.0, -98.1], abs=1e-9)


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_discrete_inputs_change_at_events_only(fmu, fmi):
    with fmu("rotary", fmi, "me") as (driver, _):
        for values in ({"trigger": False}, {"goal_x": 1.0}):
            with pytest.raises(FMICallException):
                driver.set(**values)
        assert driver.next_event == 20.0


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_wrong_types_and_derivatives_of_discrete_outputs_are_refused(fmu, fmi):
    with fmu("rotary", fmi) as (driver, _):
        with pytest.raises(FMICallException):
            driver.get(["status"])
        with pytest.raises(FMICallException):
            driver.raw.getBoolean(driver.references(["M_b"]))
        with pytest.raises(FMICallException):
            driver.raw.setBoolean(driver.references(["status"]), [True])
        with pytest.raises(FMICallException):
            driver.slopes(["status"])


def test_fmpy_simulates_it_by_itself(fmus, solved):
    path, problem = fmus(solved, "overhead", "2.0")
    for kind in ("ModelExchange", "CoSimulation"):
        result = fmpy.simulate_fmu(
            str(path),
            fmi_type=kind,
            stop_time=3.0,
            output_interval=0.05,
            start_values={"trigger": True},
            output=["F_t", "M_w", "status"],
        )
        u = solve_index1(problem, np.clip(result["time"], 0.0, 3.0)).u
        assert np.abs(result["F_t"] - u[:, 0]).max() < 1e-7
        assert result["status"][0] == MOVING
        assert result["status"][-1] == DONE


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_sources_compile_without_a_warning(fmus, solved, tmp_path, fmi):
    path, _ = fmus(solved, "rotary", fmi)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    define = f"-DFMI{fmi[0]}_OVERRIDE_FUNCTION_PREFIX"
    done = subprocess.run(
        ["gcc", *STRICT, define, "all.c"],
        cwd=tmp_path / "sources",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_life_cycle_with_sanitizers(fmus, solved, tmp_path):
    path, _ = fmus(solved, "rotary", "2.0")
    fmpy.extract(str(path), unzipdir=str(tmp_path))
    guid = fmpy.read_model_description(str(path)).guid
    sources, program = tmp_path / "sources", tmp_path / "cycle"
    flags = [*SANITIZERS, "-O0", "-DFMI2_OVERRIDE_FUNCTION_PREFIX", f"-I{sources}"]
    driver = str(Path(__file__).with_name("feedforward_cycle.c"))
    command = ["gcc", *flags, driver, str(sources / "all.c"), "-lm", "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True)
    done = subprocess.run([program, guid], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "planned" in done.stdout
    assert "no plan" in done.stdout


def test_provenance_is_inside_and_a_changed_file_shows(fmus, solved, tmp_path):
    path, problem = fmus(solved, "rotary", "2.0")
    with zipfile.ZipFile(path) as archive:
        record = json.loads(archive.read("extra/org.cranebridge/provenance.json"))
        files = {name: archive.read(name) for name in archive.namelist()}
    assert record["crane"] == "rotary"
    assert record["fmi"] == "2.0"
    assert record["scenario"]["path"]["duration"] == problem.path.duration
    assert is_unchanged(path)
    changed = tmp_path / "changed.fmu"
    with zipfile.ZipFile(changed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content + b" " if name == "sources/solver.c" else content)
    assert not is_unchanged(changed)
    # what another tool keeps in extra/ is its own (FMI 3.0, 2.5.1); below our name it is not
    for name, unchanged in (("com.example/meta.xml", True), ("org.cranebridge/meta.xml", False)):
        with zipfile.ZipFile(changed, "w") as archive:
            for own, content in {**files, f"extra/{name}": b"<meta/>"}.items():
                archive.writestr(own, content)
        assert is_unchanged(changed) == unchanged


def test_the_same_delivery_has_the_same_bytes(solved, tmp_path):
    feedforward, tables = solved("overhead", 0.5)
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        deliver(feedforward, DeliveryOrder("fmu", folder / "same.fmu", scenario=tables))
    assert (one / "same.fmu").read_bytes() == (two / "same.fmu").read_bytes()


def test_version_comes_from_the_scenarios_plant(solved, tmp_path):
    feedforward, tables = solved("overhead", 0.5)
    tables["plant"]["fmi"] = "3.0"
    deliver(feedforward, DeliveryOrder("fmu", tmp_path, scenario=tables))
    path = tmp_path / "overhead_feedforward.fmu"
    assert fmpy.read_model_description(str(path)).fmiVersion == "3.0"


@pytest.mark.parametrize("to", ["fmu", "ssp"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fmi": "1.0"}, "unknown FMI version '1.0'"),
        ({"columns": ["u"]}, "columns cannot be chosen"),
        ({"precision": "single"}, "always in double precision"),
        ({"overwrite": False}, "exists already"),
    ],
)
def test_wrong_wishes_give_one_message_and_no_file(solved, tmp_path, to, options, message):
    feedforward, tables = solved("overhead", 0.5)
    target = tmp_path / "target"
    if "overwrite" in options:
        target.write_text("mine")
    with pytest.raises(InputError, match=message):
        deliver(feedforward, DeliveryOrder(to, target, scenario=tables, **options))
    assert [path.name for path in tmp_path.iterdir()] == ["target"] * ("overwrite" in options)


@pytest.mark.parametrize("name", ["ff", "solver", "cb"])
def test_a_file_may_be_called_like_something_in_the_runtime(solved, tmp_path, name):
    feedforward, tables = solved("overhead", 0.5)
    target = tmp_path / f"{name}.fmu"
    deliver(feedforward, DeliveryOrder("fmu", target, scenario=tables))
    assert validate_fmu(str(target)) == []
