"""Modelica models as twins need them: smooth, and read again when a file of theirs changes."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from cranebridge.errors import InputError
from cranebridge.frontend import PlantModel, load_model, modelica_sources

Stamp = tuple[tuple[str, int, int], ...]


def read_model(source: str, shown: Collection[str] = ()) -> PlantModel:
    """Return a smooth model whose variables `shown` are among its outputs.

    Raises
    ------
    InputError
        If the model has events.
    """
    model = _load(source, tuple(shown), stamp_of(source))
    if model.events is not None and model.events.memory:  # assertions alone change nothing
        first = next((x.description for x in model.locals if "indicator" in x.name), "")
        what = first.removeprefix("Event indicator of ") or "when clauses"
        raise InputError(
            f"crane '{source}' has events ({what}), and a twin is smooth: describe friction and "
            "stops by smooth functions (tanh), or keep this model as plant.model, and take one "
            "without them as crane.model"
        )
    return model


def stamp_of(source: str) -> Stamp:
    """Return what changes when a file of a model, its package or its libraries changes."""
    found = []
    for file in modelica_sources(source):
        status = file.stat()
        found.append((str(file), status.st_size, status.st_mtime_ns))
    return tuple(found)


@lru_cache(maxsize=8)
def _load(source: str, shown: tuple[str, ...], stamp: Stamp) -> PlantModel:
    del stamp
    return load_model(source, shown=shown, keeps_blocks=True)
