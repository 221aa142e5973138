"""The commented scenario that `cranebridge init` writes."""

from __future__ import annotations

import tomllib
from typing import Any

from cranebridge.errors import InputError, unknown
from cranebridge.inverse import FRICTIONS, signals
from cranebridge.limits import GROUPS, UNITS
from cranebridge.plan.task import KINDS as OBSTACLE_KINDS
from cranebridge.plant import SPEED_LOOPS
from cranebridge.scenario.key_reference import Key, keys
from cranebridge.scenarios import ready_file, ready_scenarios
from cranebridge.twin import CRANES, Crane, is_modelica
from cranebridge.verify import KINDS as DISTURBANCE_KINDS

HEAD = """\
# A scenario for cranebridge. All values in SI units; angles in rad.
# Check it with `cranebridge check FILE`, solve it with `cranebridge solve FILE -o DIR`.
# Keys behind a # show what can be chosen, with their defaults or an example.

[crane]
model = "{model}"    # {description}; or "my_crane.py:MyCrane" for one of yours
"""

OBSTACLES = """
# What the load must not touch can stand in tables [[obstacles]]; see docs/scenarios.md
# kind: {kinds}
"""
DRIVES = """
# Drives with units of their own can stand in tables [deliver.drives.NAME]; see docs/delivery.md
# unit: {units}
"""
SPEED = """
# Drives with velocity references can stand in tables [plant.speed.NAME]; see docs/speed-drives.md
# where: {words}
"""
FRICTION = """
# Friction that drives overcome can stand in tables [crane.friction.INPUT]; see docs/friction.md
# kind: {kinds}
"""
DISTURBANCES = """
# What disturbs the plant can stand in tables [[disturbance]]; see docs/control.md
# kind: {kinds}
"""
SHOWN = {
    "solve": ("method", "step"),
    "control": ("kind",),
    "plant": ("model", "interface"),
    "limits": ("ropes", "tracking"),
    "learn": ("law", "trials"),
    "campaign": ("runs", "design"),
    "deliver": (),
}
"""Keys that the template gives; the others of these tables stand behind a #."""
EXAMPLES = {
    ("plant", "fmu"): '"plant.fmu"',
    ("control", "cycle"): "0.005",
    ("deliver", "to"): '"csv"',
    ("deliver", "cycle"): "0.005",
    ("deliver", "columns"): '["u", "q"]',
}
"""Values for keys that have no default."""


def commented_scenario(model: str) -> str:
    """Return the text of a scenario for a built-in crane, with every parameter and its meaning."""
    if is_modelica(model):
        raise InputError(
            f"templates are of built-in cranes; cranebridge check {model} prints a scenario for a "
            "crane read from Modelica, with the outputs to choose from"
        )
    if model not in CRANES:
        raise unknown("crane", model, CRANES)
    crane = CRANES[model]()
    text = _ready(model)
    content = tomllib.loads(text)
    path = text[text.index("[path]") : text.index("[solve]")].rstrip() + "\n"
    outputs = ", ".join(f"{output.name} [{output.unit}]" for output in crane.outputs)
    words = {key.name: ", ".join(key.words) for key in keys("path")}
    return (
        HEAD.format(model=model, description=crane.description)
        + _parameters(crane, content["crane"].get("parameters", {}))
        + f"\n# The path of the outputs {outputs}\n"
        + f"# kind: {words['kind']}\n# profile: {words['profile']}\n"
        + path
        + OBSTACLES.format(kinds=", ".join(OBSTACLE_KINDS))
        + DISTURBANCES.format(kinds=", ".join(DISTURBANCE_KINDS))
        + "".join(_table(crane, table, content.get(table, {})) for table in SHOWN)
        + DRIVES.format(units=", ".join(UNITS))
        + FRICTION.format(kinds=", ".join(FRICTIONS))
        + SPEED.format(words=", ".join(SPEED_LOOPS))
    )


def _ready(model: str) -> str:
    """Return the ready scenario of a crane; where there are several, one that its ropes can do."""
    files = {name: ready_file(name) for name in ready_scenarios()}
    texts = {name: file.read_text("utf-8") for name, file in files.items() if file is not None}
    fitting = [name for name, text in texts.items() if f'model = "{model}"' in text]
    safe = [name for name in fitting if name.endswith("-safe")]
    return texts[(safe or [name for name in fitting if name == model] or fitting)[0]]


def _parameters(crane: Crane, given: dict[str, float]) -> str:
    lines = ["", "[crane.parameters]"]
    for parameter in crane.parameters:
        value = f"{parameter.name} = {given.get(parameter.name, parameter.value)!r}"
        lines.append(f"{value:<32} # {parameter.unit}, {parameter.meaning}")
    return "\n".join(lines) + "\n"


def _table(crane: Crane, table: str, given: dict[str, Any]) -> str:
    """Return a table with all keys that are values; those of tables are in the documentation."""
    lines = ["", f"[{table}]"]
    for key in keys(table):
        value = _value(crane, key, given)
        if key.table != table or not value:
            continue
        mark = "" if key.name in SHOWN[table] else "# "
        words = f": {', '.join(key.words)}" if key.words else ""
        lines.append(f"{f'{mark}{key.name} = {value}':<32} # {key.meaning}{words}")
    return "\n".join([*lines, *_maps(table, given)]) + "\n"


def _value(crane: Crane, key: Key, given: dict[str, Any]) -> str:
    """Return what to write behind a key: the ready scenario's value, the default or an example."""
    if key.name in given and key.name in SHOWN[key.table]:
        return Key(key.table, key.name, "", given[key.name]).toml
    if key.table == "limits" and key.name in GROUPS:
        names = [signal.name for signal in signals(crane).values() if signal.group == key.name]
        return f"{{ {names[0]} = [-1e3, 1e3] }}" if names else ""
    return EXAMPLES.get((key.table, key.name), key.toml)


def _maps(table: str, given: dict[str, Any]) -> list[str]:
    """Return the maps of names that the ready scenario's plant needs."""
    lines = []
    for name, entries in given.get("map", {}).items() if table == "plant" else ():
        lines += ["", f"[plant.map.{name}]"]
        lines += [f'{key} = "{expression}"' for key, expression in entries.items()]
    return lines
