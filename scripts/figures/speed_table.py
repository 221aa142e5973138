"""Cranes with speed drives: a table of docs/speed-drives.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from control_table import FROM, GUST, SENSORS, SETTLE, UNTIL, table
from marks import Files, page_with

from cranebridge.control.observer import Sensor
from cranebridge.job import open_plant, plant_file, plant_settings, solve_scenario
from cranebridge.scenario import load_scenario
from cranebridge.verify import Disturbance, Feedback, Sensing, Settings
from cranebridge.verify.tracking import Figures, PlantRun, figures_of, plant_motion

SCENARIOS = {"overhead-speed": {"x": 0.3}, "rotary-speed": {"y": 0.3}}
CASES = (
    "as it is",
    "payload +20 %",
    "payload -80 %",
    "half the drives' gains",
    "gust",
    "load 0.3 m off",
    "load 0.3 m off, `fade = 1.0`",
)
LAWS = ("lqr", "lqi")
CONTROLS = (
    "velocities",
    "references",
    *LAWS,
    "lqr with observer",
    "lqi with observer",
    "lqr, encoders alone",
)
# Speed loops so fast that their references are the velocities.
IDEAL = 1e12


def settings_of(name: str, settings: Settings, control: str, case: str) -> Settings:
    """Return the settings of a run: the plant as the case says, driven as `control` says."""
    problem = load_scenario(name).problem
    m, duration = problem.parameters["m"], problem.path.duration
    half = 0.5 if case.startswith("half") else 1.0
    gains = {key: half * value for loop in settings.speed for key, value in loop.gains.items()}
    if case.startswith("payload"):
        gains["m"] = m * (1.2 if "+" in case else 0.2)
    gust = Disturbance("load.x", "gust", (FROM * duration, UNTIL * duration), (GUST * m * 9.81,))
    kind = control[:3]
    sensing = Sensing(sensors_of(name, control)) if len(control) > len(kind) else Sensing()
    fade = 1.0 if "fade" in case else 0.0
    law = Feedback(kind, 0.005, sensing=sensing, speed=settings.speed, fade=fade)
    return replace(
        settings,
        settle=SETTLE,
        parameters=gains,
        disturbances=(gust,) if case == "gust" else (),
        start={"q": SCENARIOS[name]} if case.startswith("load") else {},
        feedback=law if kind in ("lqr", "lqi") else None,
    )


def sensors_of(name: str, control: str) -> tuple[Sensor, ...]:
    """Return encoders of the drives, and angles of the rope unless they are alone."""
    known = SENSORS[name.replace("speed", "real")]
    return tuple(one for one in known if not (control.endswith("alone") and "angle" in one.name))


def measured(name: str) -> Iterator[tuple[str, str, Figures]]:
    """Yield case, control and what the plant does, for a scenario."""
    scenario = load_scenario(name)
    feedforward = solve_scenario(scenario).feedforward
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        ideal = tuple(replace(loop, kp=IDEAL, ki=0.0) for loop in mapping.speed)
        for case in CASES:
            for control in LAWS if "fade" in case else CONTROLS:
                settings = settings_of(name, plant_settings(scenario), control, case)
                own = replace(mapping, speed=ideal) if control == "velocities" else mapping
                run = PlantRun(feedforward, plant, own, settings)
                simulation = run.simulate(feedforward, settings.tolerance, dense=True)
                yield case, control, figures_of(plant_motion(run, simulation))


def made() -> Files:
    """Return the page with the tables of all plants."""
    tables = (table(name, measured(name), "given", digits=2) for name in SCENARIOS)
    return page_with("\n".join(tables), "speed-drives.md", "speed_table")
