"""The models of modelica/Cranes, each read once a session: it takes a second."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from cranebridge.frontend.flat_model import PlantModel
from cranebridge.frontend.modelica_model import load_model


@cache
def library_model(name: str, shown: Sequence[str] = ()) -> PlantModel:
    return load_model(name, shown=shown)
