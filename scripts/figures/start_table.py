"""What a stretched rope costs before any law has acted: a table of docs/control-figures.md.

The plants with an elastic rope, as they are and begun with a rope that is shorter by its stretch
m g / k_r: the load then hangs where its path begins.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from control_table import settings_of
from holdout_table import PLANTS, Plant
from marks import Files, page_with

from cranebridge.job import open_plant, plant_file, plant_settings, solve_scenario
from cranebridge.scenario import Scenario, load_scenario
from cranebridge.verify.tracking import PlantRun, plant_motion

OWN = tuple(Plant(f"`{name}`", name, ()) for name in ("overhead-real", "rotary-real"))
CASES = ("as it is", "payload -20 %")
CONTROLS = ("drives", "lqi")


def started(one: Plant, hanging: bool) -> Scenario:
    """Return a plant's scenario, begun with the load where its path begins if `hanging`."""
    settings = ["plant.timeout=60", "plant.certify=false", *one.settings]
    scenario = load_scenario(one.scenario, settings)
    if not hanging:
        return scenario
    rest = solve_scenario(scenario).feedforward.q[0]
    length = rest[[quantity.name for quantity in scenario.crane.coordinates].index("l")]
    given, plant = scenario.problem.parameters, scenario.tables.plant.parameters
    stretch = given["m"] * given["g"] / plant["k_r"]
    return load_scenario(one.scenario, [*settings, f"plant.start.q.l={length - stretch}"])


def errors(one: Plant, hanging: bool, case: str) -> Iterator[tuple[float, float]]:
    """Yield error at the start and largest error in mm, for each control."""
    scenario = started(one, hanging)
    feedforward = solve_scenario(scenario).feedforward
    m, duration = scenario.problem.parameters["m"], float(feedforward.time[-1])
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        for control in CONTROLS:
            usual = plant_settings(scenario)
            settings = settings_of(usual, control, case, m, duration, one.scenario)
            run = PlantRun(feedforward, plant, mapping, settings)
            simulation = run.simulate(feedforward, settings.tolerance, dense=True)
            motion = plant_motion(run, simulation)
            off = [motion.values[f"tracking.{part.name}"] for part in scenario.crane.outputs]
            off = 1e3 * np.abs(off)[:, motion.time <= motion.end]
            yield float(off[:, 0].max()), float(off.max())


def table() -> str:
    """Return the table."""
    head = ["plant", "case", "load begins", "off at the start", *CONTROLS, "error less"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for one in (*OWN, *PLANTS[:3]):
        title = one.title
        for case in CASES:
            for hanging in (False, True):
                (start, drives), (_, law) = errors(one, hanging, case)
                where = "where its path does" if hanging else "a stretched rope lower"
                cells = [title, case, where, *(f"{x:.3g}" for x in (start, drives, law))]
                lines.append("| " + " | ".join([*cells, f"{drives / law:.3g}"]) + " |")
                print(lines[-1], flush=True)
                title = ""
    return "\n".join(lines) + "\n"


def made() -> Files:
    """Return the page with the table."""
    return page_with(table(), "control-figures.md", "start_table")
