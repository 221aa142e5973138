"""Laws that know encoders of the drives alone: a table of docs/control.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from control_table import CASES, SCENARIOS, SENSORS, settings_of
from marks import Files, page_with

from cranebridge.job import open_plant, plant_file, plant_settings, solve_scenario
from cranebridge.plant.sandbox import PlantError
from cranebridge.scenario import load_scenario
from cranebridge.verify import Feedback, Sensing
from cranebridge.verify.tracking import Figures, PlantRun, figures_of, plant_motion

# None: as by default, the payload estimated; nothing: the payload taken to be known.
CONTROLS = {"lqi": ("lqi", None), "lqr": ("lqr", None), "lqr, no payload estimated": ("lqr", {})}


def measured(name: str) -> Iterator[tuple[str, str, Figures | None]]:
    """Yield control, case and what the plant does; None where the load is lost."""
    scenario = load_scenario(name, ["plant.timeout=20"])
    feedforward = solve_scenario(scenario).feedforward
    m, duration = scenario.problem.parameters["m"], float(feedforward.time[-1])
    sensors = tuple(one for one in SENSORS[name] if "angle" not in one.name)
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        for title, (kind, estimated) in CONTROLS.items():
            law = Feedback(kind, 0.005, sensing=Sensing(sensors, estimated))
            for case in CASES:
                settings = settings_of(plant_settings(scenario), kind, case, m, duration, name)
                run = PlantRun(feedforward, plant, mapping, replace(settings, feedback=law))
                try:
                    simulation = run.simulate(feedforward, settings.tolerance, dense=True)
                    yield title, case, figures_of(plant_motion(run, simulation))
                except PlantError:
                    yield title, case, None


def cells(figures: Figures | None) -> str:
    """Return largest error and that after the end in mm."""
    if figures is None or figures.error_after is None:
        return "lost | lost"
    errors = max(figures.max_error.values()), figures.error_after
    return " | ".join("lost" if one > 10.0 else f"{1e3 * one:.0f}" for one in errors)


def table() -> str:
    """Return the table."""
    found = {name: list(measured(name)) for name in SCENARIOS}
    head = " | ".join(f"`{name}`, largest | after" for name in SCENARIOS)
    lines = [f"| | {head} |", "|---" * (1 + 2 * len(SCENARIOS)) + "|"]
    for row in zip(*found.values(), strict=True):
        title, case, _ = row[0]
        shown = " | ".join(cells(figures) for _, _, figures in row)
        lines.append(f"| `{title[:3]}`{title[3:]}, {case} | {shown} |")
    return "\n".join(lines) + "\n"


def made() -> Files:
    """Return the page with the table."""
    return page_with(table(), "control.md", "encoders_table")
