"""What is in an exported FMU, and that the same sources give the same one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from itertools import product
from pathlib import Path

import casadi as ca
import fmpy
import numpy as np
import plant_models
import pytest
from fmpy.build import build_platform_binary
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu
from fmu_driver import running
from lxml import etree

from cranebridge.cache import CacheWarning
from cranebridge.errors import InputError, MissingDependencyError
from cranebridge.frontend.flat_model import Variable
from cranebridge.inverse.kernels import compiled
from cranebridge.plant import library_compiler as compiler
from cranebridge.plant.description.fmu import inspect
from cranebridge.plant.export import fmu_export
from cranebridge.plant.export.fmu_export import cached_fmu, export_fmu
from further import further, mostly_further
from test_architecture import BASE, MODULES, graph, package

SCHEMAS = Path(fmpy.__file__).parent / "schema"
PLANTS = ["pendulum", "overhead", "van_der_pol", "edge"]


def variables(exported):
    return {v.name: v for v in exported.description.modelVariables}


@pytest.mark.parametrize(
    ("name", "fmi"),
    [further(*case) if case == ("van_der_pol", 3) else case for case in product(PLANTS, (2, 3))],
)
def test_fmpy_finds_nothing_to_complain_about(exported, name, fmi):
    assert validate_fmu(str(exported(name, fmi).path)) == []


def validate(directory: Path, file: str, schema: str) -> None:
    tree = etree.parse(directory / file)
    etree.XMLSchema(etree.parse(SCHEMAS / schema)).assertValid(tree)


@pytest.mark.parametrize("name", mostly_further(PLANTS, "pendulum", "overhead", "edge"))
def test_xml_files_are_valid_against_the_schemas(exported, name):
    validate(exported(name, 2).directory, "modelDescription.xml", "fmi2/fmi2ModelDescription.xsd")
    three = exported(name, 3).directory
    for file, schema in (
        ("modelDescription.xml", "ModelDescription"),
        ("sources/buildDescription.xml", "BuildDescription"),
        ("terminalsAndIcons/terminalsAndIcons.xml", "TerminalsAndIcons"),
    ):
        validate(three, file, f"fmi3/fmi3{schema}.xsd")


@pytest.mark.parametrize("fmi", [2, 3])
def test_description_says_what_the_model_says(exported, fmi):
    found = variables(exported("pendulum", fmi))
    assert found["phi"].causality == "output"
    assert found["phi"].initial == "calculated"
    assert found["omega"].start == "0.25"
    assert found["d"].variability == "tunable"
    assert (found["m"].start, found["m"].min) == ("2.0", "0.0")
    assert found["omega"].nominal == "2.0"
    assert found["der(omega)"].derivative.name == "omega"
    assert found["der(omega)"].unit == "rad/s2"
    assert found["tau"].declaredType.name == "Torque"
    description = exported("pendulum", fmi).description
    assert description.modelExchange is not None
    assert description.coSimulation is not None
    assert description.defaultExperiment.stopTime == "10.0"
    assert description.defaultExperiment.stepSize == "0.01"


@pytest.mark.parametrize("fmi", [2, 3])
def test_dependencies_come_from_the_structure_of_the_equations(exported, fmi):
    description = exported("pendulum", fmi).description

    def dependencies(unknowns):
        return {
            u.variable.name: [
                (v.name, k) for v, k in zip(u.dependencies, u.dependenciesKind, strict=True)
            ]
            for u in unknowns
        }

    assert dependencies(description.derivatives) == {
        "der(phi)": [("omega", "constant")],
        "der(omega)": [("phi", "dependent"), ("omega", "tunable"), ("tau", "fixed")],
    }
    assert dependencies(description.outputs)["energy"] == [
        ("phi", "dependent"),
        ("omega", "dependent"),
    ]
    initial = {
        u.variable.name: [v.name for v in u.dependencies] for u in description.initialUnknowns
    }
    assert initial["phi"] == ["phi0"]
    assert initial["position[1]"] == ["length", "phi0"]


def test_units_have_base_units_and_display_units(exported):
    units = {u.name: u for u in exported("pendulum", 2).description.unitDefinitions}
    base = units["N.m.s/rad"].baseUnit
    assert (base.kg, base.m, base.s, base.rad) == (1, 2, -1, -1)
    assert units["rad"].displayUnits[0].name == "deg"
    assert float(units["rad"].displayUnits[0].factor) == pytest.approx(57.29577951308232)


@pytest.mark.parametrize("fmi", [2, 3])
def test_fmu_holds_sources_documentation_icon_and_binary(exported, fmi):
    with zipfile.ZipFile(exported("overhead", fmi).path) as archive:
        names = set(archive.namelist())
        page = archive.read("documentation/index.html").decode()
    folder = fmpy.platform if fmi == 2 else fmpy.platform_tuple
    assert f"binaries/{folder}/OverheadByHand{fmpy.sharedLibraryExtension}" in names
    assert {"sources/all.c", "sources/equations.c", f"sources/fmi{fmi}Functions.h"} <= names
    assert ("model.png" if fmi == 2 else "terminalsAndIcons/icon.png") in names
    assert "M(q) q'' = f" in page
    assert "<svg" in page
    assert "<script" not in page


@pytest.mark.parametrize("fmi", ["2.0", further("3.0")])
def test_same_model_gives_the_same_bytes(tmp_path, fmi):
    first = export_fmu(plant_models.edge(), tmp_path / "a.fmu", fmi=fmi)
    second = export_fmu(plant_models.edge(), tmp_path / "elsewhere" / "b.fmu", fmi=fmi)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("fmi", [2, further(3)])
def test_numbers_keep_all_their_digits(exported, fmi):
    fmu = exported("digits", fmi)
    start = {v.name: v.start for v in fmu.description.modelVariables}
    values = {"u": 0.1 + 0.2, "p": 1e5 / 3}
    assert {name: float(start[name]) for name in values} == values
    with running(fmu, "me") as instance:
        # a limit: its own value is taken, the next one below is not
        instance.set({"p": -7e4 / 3})
        with pytest.raises(FMICallException):
            instance.set({"p": np.nextafter(-7e4 / 3, -np.inf)})
        instance.raw.reset()
        instance.initialize()
        assert instance.get(["u", "p", "x"]).tolist() == [0.1 + 0.2, 1e5 / 3, 0.7 + 0.1]
        rate = instance.rhs(0.0, np.array([0.0]))[0]
        assert rate == (1.1 + 2.2) * (0.1 + 0.2) + 1e5 / 3


def test_other_start_value_gives_another_guid(exported, tmp_path):
    model = plant_models.edge()
    changed = replace(model, inputs=(replace(model.inputs[0], start=1.0),))
    path = export_fmu(changed, tmp_path / "changed.fmu")
    guid = fmpy.read_model_description(str(path)).guid
    assert guid != exported("edge", 2).description.guid


@pytest.mark.parametrize("fmi", [further(2), 3])
def test_fmpy_can_build_the_binary_from_the_sources_again(exported, fmi, tmp_path):
    fmpy.extract(str(exported("edge", fmi).path), unzipdir=str(tmp_path))
    folder = tmp_path / "binaries" / (fmpy.platform if fmi == 2 else fmpy.platform_tuple)
    library = folder / f"Edge{fmpy.sharedLibraryExtension}"
    library.unlink()
    build_platform_binary(tmp_path, generator="Unix Makefiles")
    result = fmpy.simulate_fmu(str(tmp_path), fmi_type="CoSimulation", stop_time=0.5)
    assert result["y"][-1] == pytest.approx(0.5 + 0.5**0.25, rel=1e-6)


def test_existing_file_is_kept_unless_told_otherwise(exported):
    with pytest.raises(InputError, match="exists already"):
        export_fmu(plant_models.edge(), exported("edge", 2).path)


def test_wrong_options_name_the_right_ones(tmp_path):
    model = plant_models.edge()
    with pytest.raises(InputError, match=r"FMI version '1\.0'.*2\.0, 3\.0"):
        export_fmu(model, tmp_path / "x.fmu", fmi="1.0")
    with pytest.raises(InputError, match="Did you mean 'x86_64-windows'"):
        export_fmu(model, tmp_path / "x.fmu", platforms=["x86_64-window"])
    with pytest.raises(InputError, match="solver 'euler'"):
        export_fmu(model, tmp_path / "x.fmu", solver="euler")
    assert list(tmp_path.iterdir()) == []


def test_model_that_does_not_fit_its_functions_is_refused(tmp_path):
    model = plant_models.edge()
    with pytest.raises(InputError, match="gives 1 values"):
        export_fmu(replace(model, outputs=()), tmp_path / "x.fmu")
    twice = replace(model, inputs=(Variable("x"),))
    with pytest.raises(InputError, match="two variables have the name 'x'"):
        export_fmu(twice, tmp_path / "x.fmu")


def test_plant_without_states_is_an_fmu_too(tmp_path):
    t, x, u, p = ca.SX.sym("t"), ca.SX.sym("x", 0), ca.SX.sym("u"), ca.SX.sym("p", 0)
    model = replace(
        plant_models.edge(),
        name="Gain",
        states=(),
        rhs=ca.Function("rhs", [t, x, u, p], [ca.SX(0, 1)]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [2 * u + t]),
        initial=ca.Function("initial", [p], [ca.SX(0, 1)]),
    )
    path = export_fmu(model, tmp_path / "gain.fmu")
    assert validate_fmu(str(path)) == []
    result = fmpy.simulate_fmu(
        str(path), fmi_type="CoSimulation", stop_time=1.0, start_values={"u": 3.0}
    )
    assert result["y"][-1] == pytest.approx(7.0)


# ---------------------------------------------------------------------------- compilers


def test_missing_compiler_names_the_extra(monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(compiler.shutil, "which", lambda _: None)
    monkeypatch.setattr(compiler, "_has_zig", lambda: False)
    with pytest.raises(MissingDependencyError, match=r"pip install 'cranebridge\[zig\]'"):
        compiler.find_compiler()
    with pytest.raises(MissingDependencyError, match="x86_64-windows needs the cross compiler"):
        compiler.find_cross_compiler(compiler.find_platform("x86_64-windows"))


def test_cc_is_taken_first_and_must_exist(monkeypatch):
    monkeypatch.setenv("CC", "gcc -m64")
    assert compiler.find_compiler().command == ("gcc", "-m64")
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(InputError, match="no-such-compiler"):
        compiler.find_compiler()


@pytest.mark.parametrize("find", [compiler.find_compiler, compiled.find_compiler.__wrapped__])
def test_blanks_in_the_path_of_cc_are_no_flags(monkeypatch, tmp_path, find):
    program = tmp_path / "my compilers ä" / "cc"
    program.parent.mkdir()
    program.symlink_to(shutil.which("gcc"))

    def command(chosen):
        monkeypatch.setenv("CC", chosen)
        found = find()
        return getattr(found, "command", found)

    assert command(str(program)) == (str(program),)
    assert command(f"'{program}' -m64") == (str(program), "-m64")
    assert command("gcc -m64") == ("gcc", "-m64")


def test_compiler_that_fails_is_reported_in_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("CC", "gcc -fno-such-flag")
    with pytest.raises(Exception, match=r"failed for .*no-such-flag"):
        export_fmu(plant_models.edge(), tmp_path / "x.fmu")


@pytest.mark.slow
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_other_platforms_come_through_zig(tmp_path, fmi):
    pytest.importorskip("ziglang")
    wanted = ["x86_64-windows", "aarch64-linux", "x86_64-darwin"]
    path = export_fmu(plant_models.edge(), tmp_path / "a.fmu", fmi=fmi, platforms=wanted)
    again = export_fmu(plant_models.edge(), tmp_path / "b.fmu", fmi=fmi, platforms=wanted)
    magic = {"win64": b"MZ", "linux64": b"\x7fELF", "darwin64": b"\xcf\xfa\xed\xfe"}
    with zipfile.ZipFile(path) as archive:
        binaries = [name for name in archive.namelist() if name.startswith("binaries/")]
        assert len(binaries) == 4
        for name in binaries:
            folder = name.split("/")[1]
            key = {"x86_64-windows": "win64", "x86_64-darwin": "darwin64"}.get(folder, folder)
            assert archive.read(name).startswith(magic.get(key, b"\x7fELF"))
    assert path.read_bytes() == again.read_bytes()


# ---------------------------------------------------------------------------- cache


@pytest.fixture(scope="module")
def compiled_once():
    """The compiler of export, which does the same work once: what is compiled is no subject here.

    That the same model gives the same bytes is shown above, with the compiler itself.
    """
    known = {}
    original = fmu_export._binaries

    def binaries(name, sources, fmi, platforms):
        key = (name, tuple(sorted(sources.items())), fmi, tuple(platforms))
        if key not in known:
            known[key] = original(name, sources, fmi, platforms)
        return dict(known[key])

    return binaries


@pytest.fixture
def counted_front_end(monkeypatch, compiled_once):
    """A front end that counts its calls; the models are those of plant_models."""
    from cranebridge.frontend import modelica_model

    calls = []

    def load(source, *_, shown=()):
        calls.append(source)
        return plant_models.pendulum()

    monkeypatch.setattr(modelica_model, "load_model", load)
    monkeypatch.setattr(fmu_export, "_binaries", compiled_once)
    return calls


@pytest.fixture
def modelica_file(tmp_path):
    file = tmp_path / "Pendulum.mo"
    file.write_text("model Pendulum end Pendulum;")
    return file


def test_second_export_is_the_first_ones_file(counted_front_end, modelica_file, tmp_path):
    source, cache = f"{modelica_file}:Pendulum", tmp_path / "fmus"
    first = cached_fmu(source, cache=cache)
    assert cached_fmu(source, cache=cache) == first
    assert len(counted_front_end) == 1
    assert [path.name for path in cache.glob("*.fmu")] == [first.name]


@pytest.mark.parametrize("damage", ["cut", "linked", "no hash"])
def test_damaged_fmu_of_the_cache_is_made_anew(counted_front_end, modelica_file, tmp_path, damage):
    source, cache = f"{modelica_file}:Pendulum", tmp_path / "fmus"
    path = cached_fmu(source, cache=cache)
    content = path.read_bytes()
    if damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "linked":
        path.rename(tmp_path / "other.fmu")
        path.symlink_to(tmp_path / "other.fmu")
    else:
        path.with_name(f"{path.name}.sha256").unlink()
    assert cached_fmu(source, cache=cache) == path
    assert not path.is_symlink()
    assert path.read_bytes() == content
    assert len(counted_front_end) == 2


def test_cache_that_others_can_write_to_is_not_used(counted_front_end, modelica_file, tmp_path):
    cache = tmp_path / "fmus"
    cache.mkdir()
    cache.chmod(0o777)
    with pytest.warns(CacheWarning, match="others can write to"):
        path = cached_fmu(f"{modelica_file}:Pendulum", cache=cache)
    assert path.parent != cache
    assert inspect(path).name == "Tests.Pendulum"
    assert list(cache.iterdir()) == []


def test_cache_sees_sources_parameters_and_options(counted_front_end, modelica_file, tmp_path):
    source, cache = f"{modelica_file}:Pendulum", tmp_path / "fmus"
    paths = [
        cached_fmu(source, cache=cache),
        cached_fmu(source, cache=cache, parameters={"m": 3.0}),
    ]
    modelica_file.write_text("model Pendulum /* other */ end Pendulum;")
    paths.append(cached_fmu(source, cache=cache))
    assert len(set(paths)) == 3
    start = {v.name: v.start for v in fmpy.read_model_description(str(paths[1])).modelVariables}[
        "m"
    ]
    assert start == "3.0"


def test_cache_refuses_wrong_parameters_and_files(counted_front_end, modelica_file, tmp_path):
    with pytest.raises(InputError, match=r"unknown parameter 'lenght'\. Did you mean 'length'"):
        cached_fmu(f"{modelica_file}:P", cache=tmp_path, parameters={"lenght": 1.0})
    with pytest.raises(InputError, match="'length' = -1 is not between"):
        cached_fmu(f"{modelica_file}:P", cache=tmp_path, parameters={"length": -1.0})
    with pytest.raises(InputError, match="does not exist"):
        cached_fmu(str(tmp_path / "missing.mo"), cache=tmp_path)


def test_cache_key_covers_every_module_that_makes_an_fmu_and_its_reference():
    used: set[str] = set()
    new = {"cranebridge.plant.export.fmu_export", "cranebridge.plant.child.worker"}
    while new:
        used |= new
        new = set().union(*(graph()[module] for module in new)) - used
    made_by = {MODULES[name] for name in used if package(name) not in {*BASE, "cranebridge"}}
    sources = set(fmu_export._program_sources())
    assert made_by <= sources
    assert {"dop853.c", "loop.c", "instance.c", "model.h"} <= {path.name for path in sources}


def test_cached_fmu_is_found_without_casadi(counted_front_end, modelica_file, tmp_path):
    source, cache = f"{modelica_file}:Pendulum", tmp_path / "fmus"
    path = cached_fmu(source, cache=cache)
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from cranebridge.plant.export.fmu_export import cached_fmu\n"
        f"print(cached_fmu({source!r}, cache=Path({str(cache)!r})))\n"
        "print(*(name for name in sys.modules if '.' not in name))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    found, modules = result.stdout.splitlines()
    assert Path(found) == path
    # what takes most of the time: CasADi, the front end, and the libraries that they bring along
    assert not {"casadi", "rumoca", "scipy", "fmpy", "matplotlib"} & set(modules.split())


def test_interrupted_export_leaves_nothing_behind(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        export_fmu(plant_models.edge(), tmp_path / "x.fmu")
    assert list(tmp_path.iterdir()) == []
