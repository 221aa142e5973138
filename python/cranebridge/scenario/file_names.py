"""Files that a scenario names: relative ones start from the scenario's own folder."""

from __future__ import annotations

import os
from pathlib import Path as FilePath
from typing import Any

from cranebridge.errors import InputError
from cranebridge.regular_files import require_regular
from cranebridge.scenario.messages import shown
from cranebridge.scenario.tables import ScenarioTables
from cranebridge.twin import is_modelica


def with_full_paths(tables: ScenarioTables, folder: FilePath) -> ScenarioTables:
    """Return the tables with the full paths of their files, so that they mean them anywhere."""
    crane, plant, campaign = tables.crane, tables.plant, tables.campaign
    new_crane: dict[str, Any] = {}
    new_plant: dict[str, Any] = {}
    new_campaign: dict[str, Any] = {}
    file, _, class_name = crane.model.rpartition(":")
    if file.endswith((".py", ".mo")):
        new_crane["model"] = f"{full_path('crane.model', folder, file)}:{class_name}"
    elif crane.model.endswith(".mo"):
        new_crane["model"] = full_path("crane.model", folder, crane.model)
    for group, motions, changed in (
        ("crane", crane.motion, new_crane),
        ("plant", plant.motion, new_plant),
    ):
        if any("file" in table for table in motions.values()):
            changed["motion"] = {
                name: _with_full_path(f"{group}.motion.{name}.file", folder, table)
                for name, table in motions.items()
            }
    if plant.fmu is None and plant.model is None and is_modelica(crane.model):
        new_plant["model"] = new_crane["model"]  # one source for both, unless another is named
    if plant.fmu is not None:
        new_plant["fmu"] = full_path("plant.fmu", folder, plant.fmu)
    if plant.model is not None:
        file, colon, class_name = plant.model.rpartition(".mo:")
        if colon:
            new_plant["model"] = f"{full_path('plant.model', folder, f'{file}.mo')}:{class_name}"
        elif plant.model.endswith(".mo"):
            new_plant["model"] = full_path("plant.model", folder, plant.model)
    if campaign.file:
        new_campaign["file"] = full_path("campaign.file", folder, campaign.file)
    changed = {
        "crane": crane.model_copy(update=new_crane),
        "campaign": campaign.model_copy(update=new_campaign),
        "plant": plant.model_copy(update=new_plant),
    }
    return tables.model_copy(update=changed)


def _with_full_path(key: str, folder: FilePath, table: dict[str, Any]) -> dict[str, Any]:
    """Return a motion's table with the full path of its file; who reads it says what is wrong."""
    file = table.get("file")
    return {**table, "file": full_path(key, folder, file)} if isinstance(file, str) else table


def full_path(key: str, folder: FilePath, file: str) -> str:
    """Return the full path of a file that a scenario names.

    Raises
    ------
    InputError
        If that is no path, or leads to a pipe or a device.
    """
    try:
        path = str((folder / file).resolve())
    except (OSError, ValueError, RuntimeError) as error:  # a null byte, or a loop of links
        raise InputError(f"{key} = '{shown(file)}' names no file: {error}") from error
    if not os.path.isdir(path):  # whoever wants a file says so
        require_regular(f"{key} = '{shown(file)}'", path)
    return path
