"""Units that a plant declares: one machine in mm, kN, deg and t moves as that in SI units."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from overhead_plants import only_co_simulation, overhead_fmu
from unit_plants import UNITS, speed_fmu, unit_fmu

from cranebridge.errors import InputError
from cranebridge.job import certify_scenario, verify_scenario
from cranebridge.job.solving import solve_scenario
from cranebridge.job.summaries import summary
from cranebridge.job.verifying import plant_map, plant_settings
from cranebridge.learn.models.twin_model import model_of_twin as closed_twin
from cranebridge.learn.trials.fmu_model import _at
from cranebridge.learn.trials.references import moved_references
from cranebridge.plant.description.fmu import inspect
from cranebridge.plant.description.plant_info import DescriptionError
from cranebridge.plant.description.unit_strings import Unit, usual_unit
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls, Drives
from cranebridge.scenario import load_scenario
from cranebridge.verify import PlantMap, Verified
from cranebridge.verify.mapping.plant_units import PlantUnits, drives_in_units
from cranebridge.verify.tracking.estimates import _of_the_plant
from cranebridge.verify.tracking.plant_run import PlantRun
from further import further


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("units")


def verified(fmu: Path, *settings: str, name: str = "overhead") -> Verified:
    return verify_scenario(load_scenario(name, [f"plant.fmu='{fmu}'", *settings]))


def differences(one: Verified, other: Verified) -> dict[str, float]:
    """The largest differences of what two plants did, relative to the largest of their group."""
    a, b = one.tracking, other.tracking
    found = {
        name: float(
            np.abs(getattr(a, name) - getattr(b, name)).max() / np.abs(getattr(b, name)).max()
        )
        for name in ("achieved", "q", "u", "ropes")
    }
    for name, power in b.powers.items():
        found[f"power {name}"] = float(np.abs(a.powers[name] - power).max() / np.abs(power).max())
    return found


def both(folder: Path, settings: Sequence[str]) -> tuple[Verified, Verified]:
    """The plant in units of its own, and the one in SI units, driven alike."""
    return verified(unit_fmu(folder), *settings), verified(overhead_fmu(folder), *settings)


# ---------------------------------------------------------------------------- the same machine


@pytest.mark.parametrize("fmi", ["2.0", further("3.0")])
def test_plant_in_other_units_is_the_same_machine_and_follows(folder: Path, fmi: str) -> None:
    found = verified(unit_fmu(folder, f"fmi{fmi[0]}", fmi=fmi))
    assert found.certificate.status == "same"
    # positions in mm with velocities in m/s: still exact, by the plant's own derivatives
    assert {entry.how for entry in found.certificate.compared} == {"exact derivatives"}
    assert found.exit_code == 0
    for name, size in differences(found, verified(overhead_fmu(folder))).items():
        assert size < 1e-7, name  # two integrations at a tolerance of 1e-10


def test_accelerations_of_hidden_velocities_are_exact_in_other_units(folder: Path) -> None:
    # positions in mm, cm and deg, and only the states have their rates: in m/s, mm/s and deg/s
    fmu = unit_fmu(folder, "hidden", outputs=("x", "z", "s", "l", "theta", "T_cable"))
    certificate, _ = certify_scenario(load_scenario("overhead", [f"plant.fmu='{fmu}'"]))
    assert certificate.status == "same", certificate.sentence()
    exact = {c.quantity for c in certificate.compared if c.how == "exact derivatives"}
    assert {"acceleration of s", "acceleration of l"} <= exact


def test_plant_in_other_units_is_the_same_by_motions(folder: Path) -> None:
    fmu = only_co_simulation(unit_fmu(folder), folder / "cs.fmu")
    start = "plant.map.start={theta_start='atan2(x - s, -z)'}"
    settings = [f"plant.fmu='{fmu}'", "plant.interface=cs", start]
    settings.append("plant.map.units={theta_start='deg'}")
    certificate, _ = certify_scenario(load_scenario("overhead", settings))
    assert certificate.status == "same by motions", certificate.sentence()
    assert any("are converted" in note for note in certificate.notes)


def declaring(fmu: Path, name: str, unit: str) -> Path:
    """A copy of an FMU that declares another unit of a variable; its numbers are the same."""
    pattern = rf'(name="{name}"[^>]*>\s*<Real[^>]*unit=")[^"]*'
    return edited(fmu, f"{name}-{unit}".replace("/", "-"), pattern, rf"\g<1>{unit}")


def edited(fmu: Path, name: str, pattern: str, by: str) -> Path:
    """A copy of an FMU with something else in its description."""
    path = fmu.with_name(f"{fmu.stem}-{name}.fmu")
    with zipfile.ZipFile(fmu) as old, zipfile.ZipFile(path, "w") as new:
        for entry in old.namelist():
            content = old.read(entry)
            if entry == "modelDescription.xml":
                text, count = re.subn(pattern, by, content.decode(), flags=re.DOTALL)
                assert count
                content = text.encode()
            new.writestr(entry, content)
    return path


def test_units_that_nobody_declares_make_another_machine_and_can_be_stated(folder: Path) -> None:
    fmu = unit_fmu(folder, "undeclared", declared=False)
    ignored = verified(fmu, "limits.tracking=1e9")
    assert ignored.exit_code == 1
    assert ignored.certificate is not None
    assert ignored.certificate.status != "same"
    stated = ", ".join(f"{name}='{unit}'" for name, unit in UNITS.items())
    found = verified(fmu, f"plant.map.units={{{stated}}}")
    assert found.certificate.status == "same"
    assert found.exit_code == 0
    assert "F_t, T_cable (kN, stated in plant.map.units)" in found.plant.units[0]


# ---------------------------------------------------------------------------- all that is given

LOOPS = "={F_t={coordinate='s',kp=2e3,kv=6e2},M_w={coordinate='l',kp=4e2,kv=1e2}}"
SAMPLED = ("control.kind=drives", "control.cycle=0.01", "limits.tracking=1", "limits.u={F_t=900.0}")


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(["plant.parameters={m=110.0}"], id="parameter"),
        pytest.param([f"plant.drives{LOOPS}", "plant.parameters={m=110.0}"], id="drives"),
        pytest.param(
            [f"control.drives{LOOPS}", *SAMPLED, "plant.parameters={m=101.0}"], id="sampled"
        ),
        pytest.param(
            ["control.kind=lqr", "control.cycle=0.01", "plant.parameters={m=101.0}"], id="lqr"
        ),
        pytest.param(["plant.feed=hold"], id="held"),
    ],
)
def test_what_is_given_to_the_plant_is_in_si_units(folder: Path, settings: list[str]) -> None:
    for name, size in differences(*both(folder, [*settings, "plant.settle=0"])).items():
        assert size < 1e-6, name


def test_start_is_in_si_units(folder: Path) -> None:
    settings = [
        "plant.start={q={s=0.02,x=0.1},v={s=0.05,x=0.05}}",
        "plant.map.start={theta_start='atan2(x - s, -z)'}",
        "plant.settle=0",
    ]
    stated = "plant.map.units={theta_start='deg'}"
    one, other = (
        verified(unit_fmu(folder), *settings, stated),
        verified(overhead_fmu(folder), *settings),
    )
    assert max(differences(one, other).values()) < 1e-6


def test_disturbance_on_an_input_is_in_si_units(folder: Path, tmp_path: Path) -> None:
    found = []
    for fmu in (unit_fmu(folder), overhead_fmu(folder)):
        scenario = tmp_path / f"{fmu.stem}.toml"
        disturbance = (
            '[[disturbance]]\non = "F_t"\nkind = "gust"\nvalue = 30.0\nfrom = 1.0\nuntil = 2.0\n'
        )
        task = '[path]\nkind = "line"\nstart = [0.0, -4.0]\ngoal = [5.0, -1.0]\nduration = 3.0\n'
        plant = f'[crane]\nmodel = "overhead"\n[plant]\nfmu = "{fmu}"\nsettle = 0.0\n'
        scenario.write_text(plant + task + 'profile = "polynomial"\nsmoothness = 4\n' + disturbance)
        found.append(verify_scenario(load_scenario(str(scenario))))
    one, other = found
    assert max(other.tracking.max_error.values()) > 1e-2
    assert max(differences(one, other).values()) < 1e-6


def test_variants_are_in_si_units(folder: Path) -> None:
    one, other = both(folder, ["plant.variants={heavy={m=120.0}}", "plant.settle=0"])
    assert other.tracking.variants["heavy"]["z"] > 0.1
    for name, error in other.tracking.variants["heavy"].items():
        assert one.tracking.variants["heavy"][name] == pytest.approx(error, rel=1e-6)


@pytest.mark.parametrize("factor", [0.01, 1.0])
def test_loop_between_units_with_a_zero_elsewhere_gives_the_same_force(factor: float) -> None:
    """Positions from 0.3 m on, in cm or m: 2 N/m by 0.5 m and 4 N s/m by 0.25 m/s give 2 N."""
    info: Any = SimpleNamespace(
        name="plant",
        variables=[SimpleNamespace(name=n, unit=u) for n, u in (("s", "shifted"), ("F", "N"))],
        units={"shifted": Unit(factor, 0.3)},
    )
    units = PlantUnits(info, {})
    wanted = Controls.linear([0.0, 1.0], [1.0, 1.25], ["s"])
    loops = Drives(("F",), ("s",), ("v_s",), (2.0,), (4.0,), wanted)
    found = drives_in_units(loops, units)
    shown = units.own("s", 0.5)
    assert shown == pytest.approx(0.2 / factor)
    start = np.array([0.0])
    force = found.kp[0] * (found.reference(start)[0, 0] - shown)
    force += found.kv[0] * (found.velocity(start)[0, 0] - 0.0)
    assert force == pytest.approx(2.0)


MASTER = (
    "={F_t={coordinate='s',kp=2e3,ki=2e4,where='master'},"
    "M_w={coordinate='l',kp=4e2,ki=4e3,where='master'}}"
)


def test_speed_loops_around_the_plant_are_in_si_units(folder: Path) -> None:
    one, other = both(folder, [f"plant.speed{MASTER}", "plant.settle=0"])
    assert one.exit_code == other.exit_code == 0
    assert max(differences(one, other).values()) < 1e-6


def test_speed_loops_in_the_plant_are_in_si_units(folder: Path) -> None:
    fmu = speed_fmu(folder)
    one = verified(fmu, "plant.settle=0", name="overhead-speed")
    assert one.certificate.status == "same", one.certificate.sentence()
    assert one.exit_code == 0
    other = verify_scenario(load_scenario("overhead-speed", ["plant.settle=0"]))
    assert max(differences(one, other).values()) < 1e-6
    assert abs(one.tracking.energy_balance) < 1e-6  # of an energy in kJ


def test_models_of_learning_are_in_si_units(folder: Path) -> None:
    scenario = load_scenario("overhead", [f"plant.drives{LOOPS}"])
    settings, answers = plant_settings(scenario), []
    feedforward = solve_scenario(scenario).feedforward
    for fmu in (unit_fmu(folder), overhead_fmu(folder)):
        with Plant(fmu) as plant:
            mapping = plant_map(scenario, plant.info)
            run = PlantRun(feedforward, plant, mapping, settings)
            simulation = run.simulate(feedforward, 1e-10)
            A, B, C, D = _at(run, simulation, 150)
            answers.append(C @ np.linalg.solve(2j * np.eye(len(A)) - A, B) + D)
        # 10 N more through a loop of 2000 N/m move its reference by 5 mm
        moved = moved_references(feedforward, feedforward.u + 10.0, mapping, settings.loops)
        assert moved["s"] == pytest.approx(0.005)
        closed_loop = closed_twin(feedforward, mapping, settings.loops)
        answers.append(np.linalg.eigvals(closed_loop.A[150]))
    assert answers[0] == pytest.approx(answers[2], rel=1e-6)
    assert answers[1] == pytest.approx(answers[3], rel=1e-9)


def test_parameter_of_the_plant_beside_an_estimate_is_in_si_units(folder: Path) -> None:
    scenario = load_scenario("overhead", ["plant.parameters={m=110.0}"])
    feedforward = solve_scenario(scenario).feedforward
    with Plant(unit_fmu(folder)) as plant:
        mapping = plant_map(scenario, plant.info)
        run = PlantRun(feedforward, plant, mapping, plant_settings(scenario))
    assert run.values["m"] == pytest.approx(0.11)  # t
    assert _of_the_plant(run, "parameter.m") == pytest.approx(110.0)


def test_inputs_are_given_in_units_of_the_plant(folder: Path) -> None:
    mapping = plant_map(load_scenario("overhead"), inspect(unit_fmu(folder)))
    # 1 N is 0.001 kN, 1 N m is 100 N cm
    assert mapping.input_matrix({})[0] == pytest.approx(np.diag([1e-3, 100.0]))
    assert mapping.si_input_matrix({}) == pytest.approx(np.eye(2))


def read(mapping: PlantMap, signal: str, values: Mapping[str, float]) -> float:
    """A signal of the twin where the plant reads this."""
    readings = np.zeros((1, len(mapping.readings)))
    for name, value in values.items():
        readings[0, mapping.readings.index(name)] = value
    parameters = load_scenario("overhead").problem.parameter_vector
    return float(mapping.signals([signal], readings, parameters)[0, 0])


def mapped(folder: Path, *settings: str) -> PlantMap:
    return plant_map(load_scenario("overhead", list(settings)), inspect(unit_fmu(folder)))


def test_name_alone_in_the_map_is_converted(folder: Path) -> None:
    signals = "plant.map.signals={x='s', z='-l', T_cable='T_cable', 'v.s'='v_s'}"
    mapping = mapped(
        folder, signals, "plant.map.inputs={F_t='-F_t'}", "plant.map.parameters={m='m_t'}"
    )
    values = {"s": 2000.0, "l": 300.0, "T_cable": 5.0, "v_s": 0.5}  # mm, cm, kN, m/s
    assert read(mapping, "x", values) == pytest.approx(2.0)
    assert read(mapping, "z", values) == pytest.approx(-3.0)
    assert read(mapping, "T_cable", values) == pytest.approx(5000.0)
    assert mapping.input_matrix({})[0] == pytest.approx(np.diag([-1e-3, 100.0]))
    problem = load_scenario("overhead").problem
    q = np.array([0.5, 4.0, 0.5, -4.0])
    assert mapping.parameters(problem, q, 0.0 * q)["m"] == pytest.approx(0.010)  # 10 kg in t
    assert mapping.parameters(problem, q, 0.0 * q)["s_start"] == pytest.approx(500.0)
    started = mapped(folder, "plant.map.start={s='s', v_s='v_s'}").start(problem, q, 0.1 + 0.0 * q)
    assert started == pytest.approx({"s": 500.0, "v_s": 0.1})  # states, in mm and m/s
    with pytest.raises(InputError, match="taken for parameter J of crane 'overhead' in kg"):
        mapped(folder, "plant.map.parameters={m='J'}")


def test_expressions_of_the_map_convert_by_themselves(folder: Path) -> None:
    """As it was before declared units were read: what was right stays right, and is told of."""
    signals = "plant.map.signals={x='0.001*s - 2'}"
    parameters = "plant.map.parameters={m='0.001*m'}"
    start = "plant.map.start={theta_start='180/pi*atan2(x - s, -z)'}"
    mapping = mapped(folder, signals, parameters, start, "plant.map.inputs={F_t='-0.001*F_t + 3'}")
    assert read(mapping, "x", {"s": 2500.0}) == pytest.approx(0.5)
    assert mapping.input_matrix({})[0][0, 0] == pytest.approx(-0.001)
    assert mapping.input_matrix({})[1][0] == pytest.approx(3.0)
    problem = load_scenario("overhead").problem
    q, v = np.array([0.0, 5.0, 3.0, -4.0]), np.array([0.0, 0.0, 0.4, 0.3])
    given = mapping.parameters(problem, q, v)
    assert given["m"] == pytest.approx(0.1)
    assert given["theta_start"] == pytest.approx(np.degrees(np.arctan2(3.0, 4.0)))
    # its rate: (x' z - x z') / r^2 about the trolley, in degrees
    assert given["v_theta_start"] == pytest.approx(np.degrees((0.4 * 4.0 + 3.0 * 0.3) / 25.0))
    (told,) = [note for note in mapping.unit_notes if "taken as they are written" in note]
    assert "m (t)" in told
    assert "F_t (kN)" in told
    assert "s (mm)" in told


def test_expressions_have_si_values_of_stated_units(folder: Path) -> None:
    units = "plant.map.units={s='mm', l='cm', theta='deg', F_t='kN', theta_start='deg'}"
    start = "plant.map.start={theta_start='atan2(x - s, -z)'}"
    signals = "plant.map.signals={x='s + l*sin(theta)'}"
    mapping = mapped(folder, units, signals, start, "plant.map.inputs={F_t='2*F_t'}")
    values = {"s": 2000.0, "l": 300.0, "theta": 30.0}
    assert read(mapping, "x", values) == pytest.approx(2.0 + 3.0 * 0.5)
    assert mapping.input_matrix({})[0][0, 0] == pytest.approx(0.002)
    q, v = np.array([0.0, 5.0, 3.0, -4.0]), np.array([0.0, 0.0, 0.4, 0.3])
    given = mapping.parameters(load_scenario("overhead").problem, q, v)
    assert given["theta_start"] == pytest.approx(np.degrees(np.arctan2(3.0, 4.0)))
    assert given["v_theta_start"] == pytest.approx(np.degrees((0.4 * 4.0 + 3.0 * 0.3) / 25.0))
    assert not any("as they are written" in note for note in mapping.unit_notes)


# ---------------------------------------------------------------------------- what is said


def test_conversion_is_said_in_certificate_and_summary(folder: Path) -> None:
    scenario = load_scenario("overhead", [f"plant.fmu='{unit_fmu(folder)}'", "plant.settle=0"])
    found = verify_scenario(scenario)
    (note,) = found.plant.units
    assert "are converted: " in note
    for names, unit in (("F_t, T_cable", "kN"), ("x, s", "mm"), ("M_w", "N.cm"), ("v_z", "mm/s")):
        group = re.search(rf"[:)] ([^()]*) \({unit}\)", note.replace("),", ")"))[1]
        assert set(names.split(", ")) <= set(group.split(", ")), unit
    assert note in found.certificate.notes
    assert json.loads(json.dumps(summary(scenario, found)))["plant"]["units"] == [note]


def test_plant_without_declared_units_is_said_to_have_none(folder: Path) -> None:
    notes = plant_map(load_scenario("overhead"), inspect(overhead_fmu(folder))).unit_notes
    assert len(notes) == 1
    assert "declares no units" in notes[0]
    assert "T_cable (N)" in notes[0]
    assert "F_t" not in notes[0]  # which it declares
    assert plant_map(load_scenario("rotary"), inspect(rotary())).unit_notes == ()


def rotary() -> Path:
    from cranebridge.plant.export.fmu_export import cached_fmu

    return cached_fmu("RotaryCrane")


def test_unknown_unit_is_taken_for_si_and_said(folder: Path) -> None:
    fmu = declaring(unit_fmu(folder), "T_cable", "furlong")
    notes = plant_map(load_scenario("overhead"), inspect(fmu)).unit_notes
    assert any("not known: T_cable ('furlong'); taken for SI units" in note for note in notes)


@pytest.mark.parametrize(
    ("name", "unit", "message"),
    [
        ("x", "kg", "declares 'kg' for x, which is taken for x of crane 'overhead' in m"),
        ("F_t", "kN.m", "'kN.m' for F_t, which is taken for input F_t of crane 'overhead' in N"),
        ("T_cable", "bar", "T_cable, which is taken for T_cable of crane 'overhead' in N"),
        ("m", "m", "taken for parameter m of crane 'overhead' in kg"),
        ("v_s_start", "mm", "taken for start of v_s of crane 'overhead' in m/s"),
        ("v_x", "mm", "taken for v.x of crane 'overhead' in m/s"),
    ],
)
def test_unit_of_another_kind_is_refused(folder: Path, name: str, unit: str, message: str) -> None:
    fmu = declaring(unit_fmu(folder), name, unit)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        plant_map(load_scenario("overhead"), inspect(fmu))
    assert f'[plant.map.units] {name} = "..."' in str(caught.value)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("y='mm'", "unknown variable in plant.map.units 'y'"),
        ("x='furlong'", "plant.map.units.x: the unit 'furlong' is not known"),
        ("x='kN'", "plant.map.units says 'kN' for x"),
    ],
)
def test_stated_units_are_checked(folder: Path, entry: str, message: str) -> None:
    scenario = load_scenario("overhead", [f"plant.map.units={{{entry}}}"])
    with pytest.raises(InputError, match=re.escape(message)):
        plant_map(scenario, inspect(overhead_fmu(folder)))


def test_turns_or_radians_must_be_stated(folder: Path) -> None:
    # speeds of the rotary crane's bridge in 1/min: 2 pi/60 or 1/60 rad/s, nobody knows
    info = inspect(declaring(rotary_copy(folder), "v_phi", "1/min"))
    with pytest.raises(InputError, match="turns or radians"):
        plant_map(load_scenario("rotary"), info)
    stated = plant_map(load_scenario("rotary", ["plant.map.units={v_phi='rpm'}"]), info)
    assert stated.units.factor("v_phi") == pytest.approx(2.0 * np.pi / 60.0)


def rotary_copy(folder: Path) -> Path:
    copy = folder / "rotary.fmu"
    copy.write_bytes(rotary().read_bytes())
    return copy


# ---------------------------------------------------------------------------- definitions


def test_definitions_of_the_fmu_come_first(folder: Path) -> None:
    hand = '<UnitDefinitions><Unit name="hand"><BaseUnit m="1" factor="0.1016"/></Unit>'
    defined = edited(declaring(unit_fmu(folder), "x", "hand"), "hand", "<UnitDefinitions>", hand)
    mapping = plant_map(load_scenario("overhead"), inspect(defined))
    assert mapping.units.factor("x") == 0.1016
    assert "x (hand)" in mapping.unit_notes[0]
    other = edited(
        unit_fmu(folder), "odd", r'(name="mm">\s*<BaseUnit m="1" factor=)"[^"]*"', r'\1"0.5"'
    )
    mapping = plant_map(load_scenario("overhead"), inspect(other))
    assert mapping.units.factor("x") == 0.5
    assert any(
        "defines the unit 'mm' of x as 0.5 SI units, and usually it is 0.001" in note
        for note in mapping.unit_notes
    )


def test_definition_without_numbers_says_nothing(folder: Path) -> None:
    bare = edited(unit_fmu(folder), "bare", r'(<Unit name="kN">\s*<BaseUnit)[^>]*', r"\1/")
    assert plant_map(load_scenario("overhead"), inspect(bare)).units.factor("F_t") == 1000.0


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ('m="1" factor="nan"', "'mm' has the factor 'nan', no number"),
        ('m="1" factor="thousand"', "no number"),
        ('m="1" factor="0"', "factor 0"),
        ('m="1" offset="inf"', "'mm' has the offset 'inf'"),
        ('m="1.5"', "'mm' has the exponent m='1.5'"),
        ('m="99999"', "'mm' has the exponent"),
    ],
)
def test_broken_definition_is_refused(folder: Path, by: str, message: str) -> None:
    broken = edited(
        unit_fmu(folder), "broken", r'(name="mm">\s*<BaseUnit) m="1" factor="[^"]*"', rf"\1 {by}"
    )
    with pytest.raises(DescriptionError, match=message):
        inspect(broken)


@pytest.mark.parametrize(
    ("text", "factor", "exponents"),
    [
        ("kg*m^2", 1.0, {"kg": 1, "m": 2}),
        ("N·m", 1.0, {"kg": 1, "m": 2, "s": -2}),
        ("kNm", 1e3, {"kg": 1, "m": 2, "s": -2}),
        ("°", np.pi / 180.0, {"rad": 1}),
        ("deg/s", np.pi / 180.0, {"rad": 1, "s": -1}),
        ("rpm", np.pi / 30.0, {"rad": 1, "s": -1}),
        ("rev/min", np.pi / 30.0, {"rad": 1, "s": -1}),
        ("g", 1e-3, {"kg": 1}),
        ("bar", 1e5, {"kg": 1, "m": -1, "s": -2}),
        ("m/s**2", 1.0, {"m": 1, "s": -2}),
        ("kN/mm", 1e6, {"kg": 1, "s": -2}),
    ],
)
def test_units_as_tools_write_them(text: str, factor: float, exponents: dict[str, int]) -> None:
    unit = usual_unit(text)
    assert unit is not None
    assert unit.factor == pytest.approx(factor)
    assert unit.exponents == exponents


def test_nonsense_is_no_unit() -> None:
    assert usual_unit("furlong") is None
    assert usual_unit("m/") is None
