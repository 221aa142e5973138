"""FMUs of hand-made plants, each built once a session."""

from __future__ import annotations

from collections.abc import Callable

import plant_models
import pytest
from fmu_driver import Exported

from cranebridge.plant.export import export_fmu

Build = Callable[[str, int], Exported]


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Function (name of a plant in plant_models, FMI version) -> exported FMU."""
    built: dict[tuple[str, int], Exported] = {}

    def build(name: str, fmi: int) -> Exported:
        if (name, fmi) not in built:
            directory = tmp_path_factory.mktemp(f"{name}{fmi}")
            model = getattr(plant_models, name)()
            path = export_fmu(model, directory / f"{name}.fmu", fmi="2.0" if fmi == 2 else "3.0")
            built[name, fmi] = Exported.open(path, directory / "content")
        return built[name, fmi]

    return build
