"""What OpenModelica is told to load, and what is made of its answers, with a stand-in for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranebridge.errors import InputError
from cranebridge.frontend.compile.modelica_path import requirements, uses
from cranebridge.frontend.library import library_path
from cranebridge.plant.export import omc

CRANES = f'loadFile("{(library_path() / "package.mo").as_posix()}");'


def package(folder: Path, name: str, text: str = "", annotation: str = "") -> Path:
    folder.mkdir(parents=True)
    (folder / "package.mo").write_text(f"package {name}\n{text}{annotation}end {name};\n")
    return folder / "package.mo"


def loads(script: str) -> list[str]:
    return [line for line in script.splitlines() if line.startswith("load")]


@pytest.fixture
def user(tmp_path: Path) -> Path:
    file = tmp_path / "User.mo"
    file.write_text(
        "model User\n  Modelica.Mechanics.Translational.Components.Mass m(s.start=1);\n"
        "  Tools.Spring spring;\n  Cranes.Mechanics.OverheadCrane crane;\n"
        '  annotation (uses(Cranes(version="0.1.0"), Modelica(version="4.0.0"),\n'
        '    Tools(version="2.1")), version="7");\nend User;\n'
    )
    return file


def test_uses_are_read_with_their_versions_and_without():
    text = (
        'package P annotation (Documentation(info="uses(No(version=\\"1\\"))"), '
        'uses( Modelica( version = "4.1.0" ), Plain, Buildings(version="11.0.0")));end P;'
    )
    assert uses(text) == {"Modelica": "4.1.0", "Plain": "", "Buildings": "11.0.0"}
    assert uses("model A end A; // uses(B)") == {}


def test_libraries_of_modelicapath_are_loaded_in_the_version_that_is_used(
    user, tmp_path, monkeypatch
):
    place = tmp_path / "with space"
    services = package(place / "ModelicaServices 4.0.0", "ModelicaServices")
    note = '  annotation (uses(ModelicaServices(version="4.0.0")));\n'
    standard = package(place / "Modelica 4.0.0", "Modelica", annotation=note)
    package(place / "Modelica 4.1.0", "Modelica")
    tools = package(place / "Tools", "Tools")
    monkeypatch.setenv("MODELICAPATH", str(place))
    found = loads(omc.build_script(user, "User"))
    expected = [services, standard, tools]
    assert sorted(found[:3]) == sorted(f'loadFile("{file.as_posix()}");' for file in expected)
    # what is needed comes before what needs it
    assert found.index(f'loadFile("{services.as_posix()}");') < found.index(
        f'loadFile("{standard.as_posix()}");'
    )
    assert found[3:] == [CRANES, f'loadFile("{user.as_posix()}");']


def test_what_two_libraries_need_comes_before_both(tmp_path, monkeypatch):
    note = "  annotation (uses(C));\n"
    for name in "ABC":
        package(tmp_path / name, name, annotation=note if name != "C" else "")
    monkeypatch.setenv("MODELICAPATH", str(tmp_path))
    found = requirements(["model M\n  A.X a;\n  B.X b;\nend M;\n"])
    assert [one.name for one in found] == ["C", "A", "B"]


def test_what_modelicapath_does_not_have_is_asked_of_openmodelica_itself(user, monkeypatch):
    monkeypatch.delenv("MODELICAPATH", raising=False)
    found = loads(omc.build_script(user, "User"))
    assert sorted(found[:2]) == ['loadModel(Modelica, {"4.0.0"});', 'loadModel(Tools, {"2.1"});']
    assert found[2:] == [CRANES, f'loadFile("{user.as_posix()}");']


def test_standard_library_is_loaded_without_uses_and_components_are_not(tmp_path, monkeypatch):
    monkeypatch.delenv("MODELICAPATH", raising=False)
    file = tmp_path / "A.mo"
    file.write_text("model A\n  Modelica.Units.SI.Mass m = body.m;\nend A;\n")
    assert loads(omc.build_script(file, "A"))[0] == "loadModel(Modelica);"
    assert [one.name for one in requirements([file.read_text()])] == ["Modelica"]


def test_uses_of_the_package_around_a_model_count(tmp_path, monkeypatch):
    monkeypatch.delenv("MODELICAPATH", raising=False)
    note = '  annotation (uses(Buildings(version="11.0.0")));\n'
    root = package(tmp_path / "Mine", "Mine", annotation=note)
    model = root.parent / "Hall.mo"
    model.write_text("within Mine;\nmodel Hall\n  Mine.Part part;\nend Hall;\n")
    assert loads(omc.build_script(model, "Mine.Hall")) == [
        'loadModel(Buildings, {"11.0.0"});', CRANES, f'loadFile("{root.as_posix()}");'
    ]  # fmt: skip


def test_cranes_need_nothing_else(monkeypatch, tmp_path):
    package(tmp_path / "Modelica 4.0.0", "Modelica")
    monkeypatch.setenv("MODELICAPATH", str(tmp_path))
    path = library_path() / "Blocks" / "RotaryCrane.mo"
    assert loads(omc.build_script(path, "Cranes.Blocks.RotaryCrane")) == [CRANES]


def test_library_that_openmodelica_cannot_load_is_the_reason(user, tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "omc"
    program.write_text(
        "#!/bin/sh\necho '\"Error: Failed to load package Tools (2.1) using MODELICAPATH /x.'\n"
        "echo 'Error: Class Tools.Spring not found in scope User.\"'\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    with pytest.raises(InputError, match=r"did not export User: .*load package Tools \(2\.1\)"):
        omc.build_fmu(f"{user}:User", tmp_path / "out.fmu")


def test_script_reaches_the_program_with_its_libraries(user, tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "omc"
    program.write_text('#!/bin/sh\n[ $# = 1 ] && cp "$1" User.fmu\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.delenv("MODELICAPATH", raising=False)
    script = omc.build_fmu(f"{user}:User", tmp_path / "out.fmu").read_text()
    assert script == omc.build_script(user, "User")
    lines = script.splitlines()
    assert lines.index('loadModel(Modelica, {"4.0.0"});') < lines.index("getErrorString();")
    assert lines[-2].startswith("buildModelFMU(User, ")
