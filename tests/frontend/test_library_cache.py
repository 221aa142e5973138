"""What the compiler made of a model with a large library is kept, and never taken for another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rumoca")

from cranebridge.frontend.compile import library_cache, rumoca
from cranebridge.frontend.modelica_model import load_model

USER = (
    "model User\n  Tools.Spring s;\n  Real x(start = {start}, fixed = true);\nequation\n"
    "  der(x) = -s.f;\n  s.x = x;\nend User;\n"
)


def spring(c: float) -> str:
    return (
        f"within Tools;\nmodel Spring\n  parameter Real c = {c};\n  Base.Force f;\n  Real x;\n"
        "equation\n  f = c*x;\nend Spring;\n"
    )


class Counted:
    """rumoca, with the number of its sessions counted."""

    def __init__(self, real: Any) -> None:
        self.real, self.sessions = real, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def Session(self, *arguments: Any, **named: Any) -> Any:
        self.sessions += 1
        return self.real.Session(*arguments, **named)


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Counted:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("MODELICAPATH", str(tmp_path / "libraries"))
    monkeypatch.setattr(library_cache, "MANY_FILES", 1)
    counted = Counted(rumoca.import_rumoca())
    monkeypatch.setattr(rumoca, "import_rumoca", lambda: counted)
    for name in ("Tools", "Base"):
        folder = tmp_path / "libraries" / name
        folder.mkdir(parents=True)
        (folder / "package.mo").write_text(f"package {name}\nend {name};\n")
    (tmp_path / "libraries" / "Tools" / "Spring.mo").write_text(spring(5))
    (tmp_path / "libraries" / "Base" / "Force.mo").write_text(
        'within Base;\ntype Force = Real(unit = "N");\n'
    )
    return counted


@pytest.fixture
def user(tmp_path: Path) -> Path:
    path = tmp_path / "User.mo"
    path.write_text(USER.format(start=1))
    return path


def slope(path: Path) -> float:
    model = load_model(path)
    return float(model.rhs(0, model.states[0].start, [], [v.start for v in model.parameters]))


def test_compiler_is_asked_once_and_after_every_change(
    compiler: Counted, user: Path, tmp_path: Path
) -> None:
    assert [slope(user), slope(user)] == [-5, -5]
    assert compiler.sessions == 1
    (tmp_path / "libraries" / "Tools" / "Spring.mo").write_text(spring(17))
    assert slope(user) == -17
    assert compiler.sessions == 2
    user.write_text(USER.format(start=2))
    assert [slope(user), slope(user)] == [-34, -34]
    assert compiler.sessions == 3


def test_what_is_kept_gives_the_same_model_with_the_same_places(
    compiler: Counted, user: Path, tmp_path: Path
) -> None:
    first, second = load_model(user), load_model(user)
    assert compiler.sessions == 1
    assert first.sources == second.sources
    assert first.states == second.states
    assert first.rhs.serialize() == second.rhs.serialize()
    assert str(tmp_path / "libraries" / "Tools" / "Spring.mo") in second.sources


def test_damaged_entry_is_made_anew(compiler: Counted, user: Path, tmp_path: Path) -> None:
    slope(user)
    folder = tmp_path / "cache" / "cranebridge" / "modelica" / "compiled"
    for entry in folder.glob("*.json"):
        entry.write_bytes(entry.read_bytes()[:-10])
    assert slope(user) == -5
    assert compiler.sessions == 2


def test_only_some_entries_are_kept(compiler: Counted, user: Path, tmp_path: Path) -> None:
    for start in range(library_cache.MOST_ENTRIES + 4):
        user.write_text(USER.format(start=start))
        slope(user)
    folder = tmp_path / "cache" / "cranebridge" / "modelica" / "compiled"
    assert len(list(folder.glob("*.json"))) == library_cache.MOST_ENTRIES
    assert len(list(folder.glob("*.sha256"))) == library_cache.MOST_ENTRIES


def test_models_of_small_libraries_leave_nothing(
    compiler: Counted, user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_cache, "MANY_FILES", 1000)
    assert [slope(user), slope(user)] == [-5, -5]
    assert compiler.sessions == 2
    assert not (tmp_path / "cache" / "cranebridge" / "modelica" / "compiled").exists()
