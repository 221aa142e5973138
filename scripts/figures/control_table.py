"""Open loop, drives, laws and observers: the first table of docs/control-figures.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from marks import Files, page_with

from cranebridge.control.observer import Sensor
from cranebridge.job import open_plant, plant_file, plant_settings, solve_scenario
from cranebridge.plant.sandbox import PlantError
from cranebridge.scenario import load_scenario
from cranebridge.twin.language import names
from cranebridge.verify import Disturbance, Feedback, Sensing, Settings
from cranebridge.verify.tracking import Figures, PlantRun, figures_of, plant_motion

SCENARIOS = ("overhead-real", "rotary-real")
CASES = ("as it is", "payload +20 %", "payload -20 %", "gust")
CONTROLS = ("open loop", "drives", "lqr", "lqi", "lqi with observer", "lqr with payload estimated")
ROPE = "((x - s*cos(phi))*({}) + (y - s*sin(phi))*({}))/l"
# Encoders of the drives and angles of the rope: 1 mm, 0.1 mrad, 1 mrad.
SENSORS = {
    "overhead-real": (
        Sensor("q.s", 1e-3),
        Sensor("q.l", 1e-3),
        Sensor("(x - s)/l", 1e-3, name="rope angle"),
    ),
    "rotary-real": (
        Sensor("q.phi", 1e-4),
        Sensor("q.s", 1e-3),
        Sensor("q.l", 1e-3),
        Sensor(ROPE.format("cos(phi)", "sin(phi)"), 1e-3, name="rope angle, radial"),
        Sensor(ROPE.format("-sin(phi)", "cos(phi)"), 1e-3, name="rope angle, tangential"),
    ),
}
SETTLE = 10.0
# A gust's largest force, as a part of the load's weight, and when it begins and ends, as parts of
# the motion.
GUST, FROM, UNTIL = 0.05, 0.25, 0.5


def feedback_of(name: str, control: str, m: float) -> Feedback | None:
    """Return the sampled controller of a row; None for open loop and drives."""
    kind = control.partition(" ")[0]
    if kind not in ("lqr", "lqi"):
        return None
    estimated = {"parameter.m": 0.5 * m} if "estimated" in control else None
    sensing = Sensing(SENSORS[name], estimated) if " " in control else Sensing()
    return Feedback(kind, 0.005, sensing=sensing)


def settings_of(
    settings: Settings, control: str, case: str, m: float, duration: float, name: str
) -> Settings:
    """Return the settings of a run: the plant as the case says, driven as `control` says."""
    parameters = dict(settings.parameters)
    if case.startswith("payload"):
        parameters["m"] = m * (1.2 if "+" in case else 0.8)
    gust = Disturbance("load.x", "gust", (FROM * duration, UNTIL * duration), (GUST * m * 9.81,))
    return replace(
        settings,
        settle=SETTLE,
        parameters=parameters,
        disturbances=(gust,) if case == "gust" else (),
        loops=settings.loops if control == "drives" else (),
        feedback=feedback_of(name, control, m),
    )


def measured(name: str) -> Iterator[tuple[str, str, Figures]]:
    """Yield case, control and what the plant does, for a scenario."""
    scenario = load_scenario(name, ["plant.timeout=20"])
    feedforward = solve_scenario(scenario).feedforward
    m, duration = scenario.problem.parameters["m"], float(feedforward.time[-1])
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        for case in CASES:
            for control in CONTROLS:
                settings = settings_of(plant_settings(scenario), control, case, m, duration, name)
                run = PlantRun(feedforward, plant, mapping, settings)
                try:
                    simulation = run.simulate(feedforward, settings.tolerance, dense=True)
                    yield case, control, figures_of(plant_motion(run, simulation))
                except PlantError:
                    # what nothing holds falls, or is drawn into the trolley, and has no end
                    if control != "open loop":
                        raise
                    yield case, control, Figures({}, None, {}, failed="the load is lost")


def table(
    name: str, found: Iterable[tuple[str, str, Figures]], title: str = "control", digits: int = 3
) -> str:
    """Return the table of a scenario: what was found, with the title of the second column."""
    inputs = names(load_scenario(name).crane.inputs)
    peaks = " | ".join(f"most {one}" for one in inputs)
    case_before = ""
    lines = [
        f"| `{name}` | {title} | largest error | error after the end | {peaks} |",
        "|---" * (4 + len(inputs)) + "|",
    ]
    for case, control, figures in found:
        if figures.failed or figures.error_after is None:
            cells = " | ".join([figures.failed, *[""] * (1 + len(inputs))])
        else:
            errors = (max(figures.max_error.values()), figures.error_after)
            forces = [f"{figures.peak[one]:.4g}" for one in inputs]
            cells = " | ".join([*(f"{1e3 * error:.{digits}g}" for error in errors), *forces])
        lines.append(f"| {case if case != case_before else ''} | {control} | {cells} |")
        case_before = case
    return "\n".join(lines) + "\n"


def made() -> Files:
    """Return the page with the tables of all plants."""
    text = "\n".join(table(name, measured(name)) for name in SCENARIOS)
    return page_with(text, "control-figures.md", "control_table")
