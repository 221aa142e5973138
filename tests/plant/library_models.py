"""The models of modelica/Cranes, each read once a session: it takes a second."""

from __future__ import annotations

from functools import cache

from cranebridge.plant.frontend import load_model
from cranebridge.plant.model import PlantModel


@cache
def library_model(name: str) -> PlantModel:
    return load_model(name)
