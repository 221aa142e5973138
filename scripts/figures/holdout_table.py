"""Plants that nothing was chosen on: a table of docs/control-figures.md.

Plants, motions and cases were written down before any of them was run, and stay as they are: who
changes the defaults must look elsewhere for plants to choose them on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from control_table import CASES, settings_of
from marks import Files, page_with

from cranebridge.job import open_plant, plant_file, plant_settings, solve_scenario
from cranebridge.plant.sandbox import PlantError
from cranebridge.scenario import load_scenario
from cranebridge.verify.feedback import inertia_loops
from cranebridge.verify.tracking import Figures, PlantRun, figures_of, plant_motion

CONTROLS = ("drives", "lqr", "lqi")
AFTER, ERROR, FORCE = 5.0, 2.0, 1.5
"""The goals: times less error after the end, times less error, times the drives' largest input."""


@dataclass(frozen=True)
class Plant:
    """A plant that differs from the twin: a ready scenario with other settings."""

    title: str
    scenario: str
    settings: tuple[str, ...]


PLANTS = (
    Plant(
        "`overhead-real`, other motion, softer rope, more friction, other lags",
        "overhead-real",
        (
            "path.start=[0.0, -8.0]",
            "path.goal=[6.0, -3.0]",
            "path.duration=8.0",
            "plant.parameters={k_r=6e4, d_r=200.0, d_t=10.0, F_c=12.0, d_w=0.1, M_c=1.0, "
            "tau_t=0.035, tau_w=0.01}",
        ),
    ),
    Plant(
        "`rotary-real`, other motion, softer rope, other friction, other lags",
        "rotary-real",
        (
            "path.start=[4.0, 0.0, -6.0]",
            "path.goal=[0.0, 6.0, -3.0]",
            "path.duration=15.0",
            "path.ramp=4.0",
            "plant.parameters={k_r=6e4, d_r=200.0, d_t=2.0, F_c=2.0, d_w=0.1, M_c=1.0, d_b=10.0, "
            "M_cb=20.0, tau_t=0.01, tau_w=0.03, tau_b=0.04}",
        ),
    ),
    Plant(
        "`rotary-real`, drives that stick",
        "rotary-real",
        (
            "plant.parameters.F_s=6.0",
            "plant.parameters.M_s=0.6",
            "plant.parameters.M_sb=6.0",
        ),
    ),
    Plant(
        "`gantry`, 10 t, friction and drag",
        "gantry",
        ("plant.parameters={F_c=900.0, d_t=200.0, M_c=400.0, d_w=50.0, c_d=5.0}",),
    ),
    Plant(
        "`bridge`, 20 t, friction and drag",
        "bridge",
        (
            "plant.parameters={F_cb=3300.0, F_ct=1900.0, M_cw=1400.0, d_b=500.0, d_t=300.0, "
            "c_d=5.0}",
        ),
    ),
    Plant(
        "`luffing-jib`, 6 t, friction and drag",
        "luffing-jib",
        ("plant.parameters={M_cb=2e4, M_cj=2e4, M_cw=350.0, c_d=5.0}",),
    ),
)


def measured(one: Plant) -> Iterator[tuple[str, dict[str, Figures]]]:
    """Yield each case, and what the plant does with each control."""
    scenario = load_scenario(
        one.scenario, ["plant.timeout=60", "plant.certify=false", *one.settings]
    )
    feedforward = solve_scenario(scenario).feedforward
    m, duration = scenario.problem.parameters["m"], float(feedforward.time[-1])
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        usual = plant_settings(scenario)
        if not usual.loops:
            loops = inertia_loops(feedforward, mapping)
            assert not isinstance(loops, str), loops
            usual = replace(usual, loops=loops)
        for case in CASES:
            found = {}
            for control in CONTROLS:
                settings = settings_of(usual, control, case, m, duration, one.scenario)
                run = PlantRun(feedforward, plant, mapping, settings)
                try:
                    simulation = run.simulate(feedforward, settings.tolerance, dense=True)
                    found[control] = figures_of(plant_motion(run, simulation))
                except PlantError as error:
                    found[control] = Figures({}, None, {}, failed=str(error))
            yield case, found


def line(title: str, case: str, found: dict[str, Figures]) -> str:
    """Return a line of the table."""
    cells, errors = [title, case], {}
    for control in CONTROLS:
        figures = found[control]
        if figures.failed or figures.error_after is None:
            cells += [figures.failed, ""]
            continue
        errors[control] = (max(figures.max_error.values()), figures.error_after)
        cells += [f"{1e3 * error:.3g}" for error in errors[control]]
    if "drives" in errors and "lqi" in errors:
        times = [a / b for a, b in zip(errors["drives"], errors["lqi"], strict=True)]
        peaks = [found[control].peak for control in ("lqi", "drives")]
        force = max(peaks[0][name] / peaks[1][name] for name in peaks[1])
        kept = (times[1] >= AFTER, times[0] >= ERROR, force <= FORCE)
        missed = [
            name for name, good in zip(("after", "error", "force"), kept, strict=True) if not good
        ]
        cells += [f"{times[1]:.3g}", f"{times[0]:.3g}", f"{force:.3g}", ", ".join(missed) or "none"]
    else:
        cells += ["", "", "", "lost"]
    return "| " + " | ".join(cells) + " |"


def table() -> str:
    """Return the table."""
    head = ["plant", "case"]
    head += [f"{control}, {what}" for control in CONTROLS for what in ("largest", "after")]
    head += ["less after", "error less", "force", "goals missed"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for one in PLANTS:
        title = one.title
        for case, found in measured(one):
            lines.append(line(title, case, found))
            print(lines[-1], flush=True)
            title = ""
    return "\n".join(lines) + "\n"


def made() -> Files:
    """Return the page with the table."""
    return page_with(table(), "control-figures.md", "holdout_table")
