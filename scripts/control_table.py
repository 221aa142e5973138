"""Write the table of open loop, drives, lqr and lqi on the real plants into docs/control.md.

.venv/bin/python scripts/control_table.py
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import open_plant, plant_file, plant_settings
from cranebridge.plant.sandbox import PlantError
from cranebridge.scenario import load_scenario
from cranebridge.twin.crane import names
from cranebridge.verify import Feedback, Settings
from cranebridge.verify.disturbances import Disturbance
from cranebridge.verify.plant_run import PlantRun
from cranebridge.verify.plant_signals import plant_motion
from cranebridge.verify.tracking import Figures, figures_of

TARGET = Path(__file__).parents[1] / "docs" / "control.md"
BEGIN, END = "<!-- made by scripts/control_table.py -->\n", "<!-- end -->\n"
SCENARIOS = ("overhead-real", "rotary-real")
CASES = ("as it is", "payload +20 %", "payload -20 %", "gust")
CONTROLS = ("open loop", "drives", "lqr", "lqi")
SETTLE = 10.0
# A gust's largest force, as a part of the load's weight, and when it begins and ends, as parts of
# the motion.
GUST, FROM, UNTIL = 0.05, 0.25, 0.5


def settings_of(settings: Settings, control: str, case: str, m: float, duration: float) -> Settings:
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
        feedback=Feedback(control, 0.005) if control in ("lqr", "lqi") else None,
    )


def measured(name: str) -> Iterator[tuple[str, str, Figures]]:
    """Yield case, control and what the plant does, for a scenario."""
    scenario = load_scenario(name, ["plant.timeout=20"])
    feedforward = solve_scenario(scenario).feedforward
    m, duration = scenario.problem.parameters["m"], float(feedforward.time[-1])
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        for case in CASES:
            for control in CONTROLS:
                settings = settings_of(plant_settings(scenario), control, case, m, duration)
                run = PlantRun(feedforward, plant, mapping, settings)
                try:
                    simulation = run.simulate(feedforward, settings.tolerance, dense=True)
                    yield case, control, figures_of(plant_motion(run, simulation))
                except PlantError:
                    # what nothing holds falls, or is drawn into the trolley, and has no end
                    if control != "open loop":
                        raise
                    yield case, control, Figures({}, None, {}, failed="the load is lost")


def table(name: str) -> str:
    """Return the table of a scenario."""
    inputs = names(load_scenario(name).crane.inputs)
    peaks = " | ".join(f"most {one}" for one in inputs)
    lines = [
        f"| `{name}` | control | largest error | after the end | {peaks} |",
        "|---" * (4 + len(inputs)) + "|",
    ]
    for case, control, figures in measured(name):
        if figures.failed or figures.residual_swing is None:
            cells = " | ".join([figures.failed, *[""] * (1 + len(inputs))])
        else:
            errors = (max(figures.max_error.values()), figures.residual_swing)
            forces = [f"{figures.peak[one]:.4g}" for one in inputs]
            cells = " | ".join([*(f"{1e3 * error:.3g}" for error in errors), *forces])
        lines.append(f"| {case if control == CONTROLS[0] else ''} | {control} | {cells} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Replace what stands between the marks."""
    before, _, rest = TARGET.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    made = "\n".join(table(name) for name in SCENARIOS)
    TARGET.write_text(f"{before}{BEGIN}{made}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
