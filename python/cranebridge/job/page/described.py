"""What can be changed in a scenario, with units and meanings: what a page makes its forms from."""

from __future__ import annotations

from typing import Any

from cranebridge.campaign import KINDS as DESIGNS
from cranebridge.campaign import NATURAL
from cranebridge.deliver import FORMATS
from cranebridge.errors import InputError
from cranebridge.inverse import signals
from cranebridge.limits import GROUPS
from cranebridge.path import KEYS, KINDS, PROFILES
from cranebridge.plan.task import KINDS as OBSTACLE_KINDS
from cranebridge.plan.task import MEANINGS as OBSTACLE_KEYS
from cranebridge.plan.task import load_axes
from cranebridge.report.rows import pretty_unit
from cranebridge.scenario import Scenario
from cranebridge.twin import Crane
from cranebridge.twin.language import followed


def scenario_words(scenario: Scenario) -> dict[str, Any]:
    """Return crane, signals, parameters, path and obstacles of a scenario in words and units."""
    crane = scenario.crane
    values = crane.parameter_values(scenario.tables.crane.parameters)
    return {
        "crane": crane.name,
        "description": crane.description,
        "outputs": [
            {"name": part.name, "unit": pretty_unit(part.unit), "meaning": part.meaning}
            for part in followed(crane)
        ],
        "axes": _axes(crane),
        "parameters": [
            {
                "name": part.name,
                "unit": pretty_unit(part.unit),
                "meaning": part.meaning,
                "default": part.value,
                "value": values[part.name],
            }
            for part in crane.parameters
        ],
        "signals": [
            {
                "group": signal.group,
                "name": signal.name,
                "unit": pretty_unit(signal.unit),
                "meaning": signal.meaning,
            }
            for signal in signals(crane).values()
            if signal.group in GROUPS
        ],
        "plant_parameters": dict(scenario.tables.plant.parameters),
        "campaign": bool(scenario.tables.campaign.vary or scenario.tables.campaign.file),
    }


def choice_words() -> dict[str, Any]:
    """Return what can be chosen in any scenario: kinds, profiles, limits, formats, in words."""
    return {
        "groups": dict(GROUPS),
        "path_kinds": {
            name: {"meaning": kind.meaning, "keys": [*kind.keys, *kind.shared]}
            for name, kind in KINDS.items()
        },
        "path_keys": dict(KEYS),
        "profiles": dict(PROFILES),
        "obstacle_kinds": dict(OBSTACLE_KINDS),
        "obstacle_keys": dict(OBSTACLE_KEYS),
        "designs": dict(DESIGNS),
        "distributions": {
            name: {"parameters": list(parameters), "meaning": meaning}
            for name, (parameters, meaning) in NATURAL.items()
        },
        "formats": {name: form.description for name, form in FORMATS.items()},
    }


def _axes(crane: Crane) -> dict[str, int] | None:
    """Return which outputs are the load's x, y and z; None where they are no position."""
    try:
        x, y, z = load_axes(crane)
    except InputError:
        return None
    return {"x": x, "z": z} if y is None else {"x": x, "y": y, "z": z}
