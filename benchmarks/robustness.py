"""How much a default law stands: payload, delay and a wrong rope length, swept on the twin.

The law is designed for the nominal crane without delay, with default weights. The plant has another
payload, inputs that come later than the law knows, and an encoder of the rope length that is wrong
by 5 %: the law makes the load's place from encoders and rope angles, and sees it that much farther
from the trolley. *Settled* is a run whose load stays within 5 mm of its goal from some time within
20 s after the motion's end on. A wrong rope length is a wrong height that nothing else measures:
there the goal is where the load is seen at its goal. A law without integrals rests off its goal
with another payload: there it is settled where it rests, and how far off that is is printed.

With ``--observer`` the law knows what noisy sensors read, encoders of the drives and angles of the
rope, and an observer makes of it; the encoder of the rope length reads 5 % too much or too little.

Run it with ``.venv/bin/python benchmarks/robustness.py [--kind lqi] [--observer]``; it prints a
table and, with ``--picture FILE.svg``, draws it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

import numpy as np

from cranebridge.control import Deviations, Sensor, design_law, draw_noise, simulate_loop
from cranebridge.control.design import LawDesign, input_limits
from cranebridge.job import solve_scenario
from cranebridge.limits import Limits
from cranebridge.scenario import load_scenario
from cranebridge.verify import Sensing
from cranebridge.verify.feedback import sensing_of

CYCLE = 0.005
NEAR, WITHIN, WATCHED = 5e-3, 20.0, 25.0
PAYLOADS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0, 1.1, 1.25, 1.4, 1.5)
DELAYS = (0, 1, 2, 3)
WRONG = (0.0, -0.05, 0.05)
# Where the trolley is: the load is seen from there on.
TROLLEYS = {
    "rotary": {"x": "s*cos(phi)", "y": "s*sin(phi)", "z": "0"},
    "overhead": {"x": "s", "z": "0"},
}
ROPE = "((x - s*cos(phi))*({}) + (y - s*sin(phi))*({}))/l"
# Standard deviations of 1 mm, 0.1 mrad of the slewing angle, 1 mrad of rope angles.
SENSORS = {
    "rotary": (
        Sensor("q.phi", 1e-4),
        Sensor("q.s", 1e-3),
        Sensor("q.l", 1e-3),
        Sensor(ROPE.format("cos(phi)", "sin(phi)"), 1e-3, name="rope angle, radial"),
        Sensor(ROPE.format("-sin(phi)", "cos(phi)"), 1e-3, name="rope angle, tangential"),
    ),
    "overhead": (
        Sensor("q.s", 1e-3),
        Sensor("q.l", 1e-3),
        Sensor("(x - s)/l", 1e-3, name="rope angle"),
    ),
}
# A load that moves less than this in its last second rests.
STILL = 1e-3


@dataclass(frozen=True)
class Row:
    """One line of the table: a delay and a sensor, and what happens with each payload.

    Attributes
    ----------
    title : str
        What differs.
    seconds : tuple of float
        After how many seconds the load is settled, infinite if it is not.
    offset : float
        Largest distance from the goal at the end of the watched time in m, of loads that settled.
    """

    title: str
    seconds: tuple[float, ...]
    offset: float


def seen(name: str, wrong: float) -> dict[str, str]:
    """Return what a law sees whose rope length is wrong."""
    places = {part: f"({o}) + {1 + wrong}*({part} - ({o}))" for part, o in TROLLEYS[name].items()}
    return {"l": f"{1 + wrong}*l", **places} if wrong else {}


def settled_after(distance: np.ndarray, end: int) -> float:
    """Return how long after the motion's end the load was last farther away than allowed."""
    if not np.isfinite(distance).all():
        return np.inf
    far = np.flatnonzero(distance > NEAR)
    last = 0.0 if not far.size else max(far[-1] + 1 - end, 0) * CYCLE
    return last if last <= WITHIN else np.inf


def sweep(name: str, design: LawDesign, delay: int, wrong: float) -> Row:
    """Simulate one delay and one sensor with all payloads."""
    reference, observer = design.reference, design.observer
    span = reference.time[-1] - reference.time[0] + WATCHED
    end, goal = len(reference.time) - 1, reference.outputs[-1].copy()
    # the load hangs below the trolley: only its height is seen wrong
    goal[-1] /= 1.0 + wrong
    seconds, offset = [], 0.0
    for part in PAYLOADS:
        m = part * reference.parameters["m"]
        plant = Deviations({"m": m}, delay=delay * CYCLE, seen=seen(name, wrong))
        if observer is not None:
            read = {"q.l": f"{1 + wrong}*l"} if wrong else {}
            noise = draw_noise(observer, round(span / CYCLE), 1)
            plant = replace(plant, seen={}, read=read, noise=noise)
        bounds = input_limits(reference, Limits()) if observer is not None else None
        motion = simulate_loop(reference, design.law, span, plant, observer, bounds)
        with np.errstate(over="ignore", invalid="ignore"):  # of a load that swings up
            moved = np.ptp(motion.outputs[-round(1.0 / CYCLE) :], axis=0).max()
            rests = not design.law.integrals and moved < STILL
            there = motion.outputs[-1] if rests else goal
            distance = np.linalg.norm(motion.outputs - there, axis=1)
        distance[:end] = 0.0  # during the motion it is elsewhere
        seconds.append(settled_after(distance, end))
        if np.isfinite(seconds[-1]):
            off = np.linalg.norm(motion.outputs[-1] - reference.outputs[-1])
            offset = max(offset, float(off))
    sensor = f", rope length read {wrong:+.0%}" if wrong else ""
    return Row(f"delay {1e3 * delay * CYCLE:g} ms{sensor}", tuple(seconds), offset)


def rows_of(name: str, kind: str, observed: bool) -> list[Row]:
    """Return all lines of a crane."""
    scenario = load_scenario(name)
    solution = solve_scenario(scenario).feedforward
    sensing = sensing_of(Sensing(SENSORS[name])) if observed else None
    design = design_law(solution, CYCLE, kind, None, scenario.limits, sensing=sensing)
    return [sweep(name, design, delay, wrong) for wrong in WRONG for delay in DELAYS]


def picture(found: dict[str, Sequence[Row]], title: str) -> str:
    """Return the sweep as SVG: green cells are settled, with the seconds that it took."""
    left, wide, high, gap = 220, 42, 20, 58
    width = left + wide * len(PAYLOADS) + 10
    height = sum(gap + high * len(rows) for rows in found.values()) + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]

    def text(x: float, y: float, words: str, more: str = "") -> str:
        return f'<text x="{x:g}" y="{y:g}" {more}>{escape(words)}</text>'

    top = 18
    for name, rows in found.items():
        parts.append(text(8, top, f"{name}, {title}: seconds until settled", 'font-weight="bold"'))
        parts.append(text(8, top + 22, "payload, times the nominal one"))
        for i, part in enumerate(PAYLOADS):
            x = left + (i + 0.5) * wide
            parts.append(text(x, top + 22, f"{part:g}", 'text-anchor="middle"'))
        for k, row in enumerate(rows):
            y = top + 30 + k * high
            parts.append(text(8, y + 14, row.title))
            for i, value in enumerate(row.seconds):
                good = bool(np.isfinite(value))
                # the sooner, the deeper
                colour = f"hsl(135,55%,{55 + 1.8 * value:.0f}%)" if good else "hsl(0,70%,72%)"
                x = left + i * wide
                parts.append(
                    f'<rect x="{x}" y="{y}" width="{wide - 2}" height="{high - 2}" '
                    f'fill="{colour}"/>'
                )
                words = f"{value:.1f}" if good else "not"
                parts.append(text(x + wide / 2 - 1, y + 13, words, 'text-anchor="middle"'))
        top += gap + high * len(rows)
    words = "settled: within 5 mm from then on, at most 20 s after the end"
    return "\n".join([*parts, text(8, top - 8, words), "</svg>"]) + "\n"


def main() -> None:
    """Sweep both cranes, print the table and draw it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kind", default="lqi", choices=("lqr", "lqi"))
    parser.add_argument("--observer", action="store_true")
    parser.add_argument("--picture", type=Path)
    parser.add_argument("scenarios", nargs="*", default=[*TROLLEYS])
    arguments = parser.parse_args()
    title = arguments.kind + (" with an observer" if arguments.observer else "")
    found = {}
    for name in arguments.scenarios:
        found[name] = rows_of(name, arguments.kind, arguments.observer)
        print(f"{name}, {title}: seconds until settled, by payload")
        print(f"{'':36}" + "".join(f"{part:7g}" for part in PAYLOADS) + "   rests off by")
        for row in found[name]:
            cells = "".join(f"{value:7.2f}" for value in row.seconds)
            print(f"{row.title:36}{cells}   {1e3 * row.offset:.2f} mm", flush=True)
    runs = [value for rows in found.values() for row in rows for value in row.seconds]
    print(f"{sum(map(bool, np.isfinite(runs)))} of {len(runs)} runs settle")
    if arguments.picture:
        arguments.picture.write_text(picture(found, title), encoding="utf-8")


if __name__ == "__main__":
    main()
