"""How large the observers in Structured Text are: a table of docs/delivery.md."""

from __future__ import annotations

import re

from marks import Files, page_with

from cranebridge.control import Sensor, controller_of, design_law, design_observer
from cranebridge.control.code import Controller, observer_text
from cranebridge.control.model import drive_names
from cranebridge.errors import InputError
from cranebridge.job import solve_scenario
from cranebridge.scenario import load_scenario
from cranebridge.twin.language import names

SCENARIOS = (
    *("overhead", "rotary", "bridge", "navy2d", "flexible-jib", "luffing-jib", "navy3d"),
    *("cablev-general", "rpr", "rotary-rotationless"),
)


def observed(name: str) -> Controller:
    """Return a controller whose observer has encoders of the drives, and the load measured."""
    solution = solve_scenario(load_scenario(name)).feedforward
    design = design_law(solution, 0.005)
    crane = design.reference.crane
    titles = [f"q.{one}" for one in drive_names(crane)]
    titles += [f"y.{one}" for one in names(crane.outputs)]
    sensors = [Sensor(title, 1e-3) for title in titles]
    observer = design_observer(design.reference, design.model.coordinates, sensors)
    return controller_of(design.law, design.reference, observer=observer)


def statements(controller: Controller) -> tuple[int, str]:
    """Return how many statements the crane's functions have, and whether they are written."""
    measured = [channel.name for channel in controller.measured]
    try:
        text = observer_text(controller, measured, list(controller.inputs), "double")
    except InputError as error:
        found = re.search(r"has (\d+) operations", str(error))
        if found is None:
            raise
        return int(found[1]), "refused"
    return text.written, "written"


def table() -> str:
    """Return the table of all scenarios."""
    lines = ["| scenario | coordinates | statements | |", "|---|---|---|---|"]
    for name in SCENARIOS:
        controller = observed(name)
        count, word = statements(controller)
        size = len(load_scenario(name).crane.coordinates)
        lines.append(f"| `{name}` | {size} | {count} | {word} |")
        print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


def made() -> Files:
    """Return the page with the table."""
    return page_with(table(), "delivery.md", "st_table")
