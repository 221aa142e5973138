"""FMUs of hand-made plants, each built once a session."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import plant_models
import pytest
from backends import BACKENDS
from fmu_driver import Exported
from hostile import World, build_hostile

from c_programs import export_quickly
from cranebridge.plant.plant import Plant
from cranebridge.plant.sandbox import loop_library

Build = Callable[[str, int], Exported]


@pytest.fixture(scope="module", params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    """Who runs the FMUs of a module: each of its tests for both."""
    return str(request.param)


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Function (name of a plant in plant_models, FMI version) -> exported FMU."""
    built: dict[tuple[str, int], Exported] = {}

    def build(name: str, fmi: int) -> Exported:
        if (name, fmi) not in built:
            directory = tmp_path_factory.mktemp(f"{name}{fmi}")
            model = getattr(plant_models, name)()
            path = export_quickly(model, directory / f"{name}.fmu", "2.0" if fmi == 2 else "3.0")
            built[name, fmi] = Exported.open(path, directory / "content")
        return built[name, fmi]

    return build


IN_PYTHON = "DOP853 in Python"


@pytest.fixture(params=["compiled", "Python"])
def loop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of simulating by Model Exchange with DOP853."""
    if request.param == "Python":
        monkeypatch.setattr(loop_library, "compiled", lambda: None)
    else:
        assert loop_library.compiled() is not None
    return request.param


@pytest.fixture
def method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Integrator by name; that of the compiled loop in Python too."""
    if request.param == IN_PYTHON:
        monkeypatch.setattr(loop_library, "compiled", lambda: None)
        return "DOP853"
    return request.param


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("world"))
    before = signal.signal(signal.SIGURG, lambda number, _frame: made.signals.append(number))
    yield made
    signal.signal(signal.SIGURG, before)
    made.close()


@pytest.fixture(scope="session")
def hostile_fmu(world: World) -> Path:
    return build_hostile(world, "hostile")


@pytest.fixture
def plant(hostile_fmu: Path) -> Iterator[Plant]:
    with Plant(hostile_fmu, timeout=60.0) as opened:
        yield opened
