"""Libraries of MODELICAPATH, and what is said where the Modelica Standard Library is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranebridge.errors import InputError
from cranebridge.frontend import modelica_sources
from cranebridge.frontend.modelica_model import load_model

SPRING = (
    "model Spring\n  parameter Real c = {c};\n  Real f, x;\nequation\n  f = c*x;\nend Spring;\n"
)
USER = (
    "model User\n  Tools.Spring s;\n  Real x(start=1, fixed=true);\nequation\n  der(x) = -s.f;\n"
    "  s.x = x;\nend User;\n"
)


def make_library(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "package.mo").write_text(f"package {name}\nend {name};\n")
    (folder / "package.order").write_text("Spring\n")
    (folder / "Spring.mo").write_text(f"within {name};\n{text}")


def stiffness(path: Path) -> float:
    (parameter,) = load_model(path).parameters
    assert parameter.name == "s.c"
    return parameter.start


@pytest.fixture
def user(tmp_path: Path) -> Path:
    path = tmp_path / "User.mo"
    path.write_text(USER)
    return path


def test_latest_version_in_the_first_folder_is_taken(user, tmp_path, monkeypatch):
    first, second = tmp_path / "first", tmp_path / "second"
    make_library(first / "Tools 1.9.0", "Tools", SPRING.format(c=1.9))
    make_library(first / "Tools 1.10.0", "Tools", SPRING.format(c=1.1))
    make_library(second / "Tools 3.0.0", "Tools", SPRING.format(c=3.0))
    monkeypatch.setenv("MODELICAPATH", f"{tmp_path / 'none'}:{first}:{second}")
    assert stiffness(user) == 1.1
    make_library(first / "Tools", "Tools", SPRING.format(c=7.0))
    assert stiffness(user) == 7.0


def test_library_in_one_file(user, tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "Tools.mo").write_text(f"package Tools\n{SPRING.format(c=5.0)}end Tools;\n")
    (folder / "Broken.mo").write_text("this is no Modelica")
    monkeypatch.setenv("MODELICAPATH", str(folder))
    assert stiffness(user) == 5.0


def test_library_that_a_library_needs_is_found_too(user, tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    inner = "model Spring\n  extends Base.Spring;\nend Spring;\n"
    make_library(folder / "Tools", "Tools", inner)
    make_library(folder / "Base", "Base", SPRING.format(c=4.0))
    monkeypatch.setenv("MODELICAPATH", str(folder))
    assert stiffness(user) == 4.0
    # a change in any of them gives another FMU
    names = {str(path.relative_to(folder)) for path in modelica_sources(str(user))
             if path.is_relative_to(folder)}  # fmt: skip
    assert {"Tools/Spring.mo", "Base/Spring.mo"} <= names


def test_library_that_is_not_there_is_an_unknown_name(user, monkeypatch):
    monkeypatch.delenv("MODELICAPATH", raising=False)
    with pytest.raises(InputError, match="unknown name"):
        load_model(user)


@pytest.mark.parametrize(
    "text",
    [
        "  Modelica.Units.SI.Length x(start=1);\nequation\n  der(x) = -x;\n",
        "  import SI = Modelica.Units.SI;\n  SI.Length x(start=1);\nequation\n  der(x) = -x;\n",
        "  import Modelica.Constants.pi;\n  Real x(start=1);\nequation\n  der(x) = -pi*x;\n",
    ],
)
def test_missing_standard_library_is_said_with_what_to_do(text, tmp_path, monkeypatch):
    monkeypatch.setenv("MODELICAPATH", str(tmp_path / "libraries"))
    path = tmp_path / "User.mo"
    path.write_text(f"model User\n{text}end User;\n")
    with pytest.raises(InputError) as told:
        load_model(path)
    words = str(told.value)
    assert words.startswith(f"{path}:2: ")
    assert "is of the Modelica Standard Library, which is not here: unpack a release of " in words
    assert f"(now: {tmp_path / 'libraries'})" in words
    assert "\n" not in words
