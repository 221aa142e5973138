"""The program of random plans while moving (replan_driver.c), for a crane's generator in C."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np

from cranebridge.inverse.problem import ServoProblem
from cranebridge.path.symbolic import end_points
from cranebridge.twin import equations_of_motion

SANITIZERS = ("-O3", "-fsanitize=address,undefined", "-fsanitize-undefined-trap-on-error")
PLAIN = ("-O2",)


@dataclass(frozen=True)
class Answers:
    """What a run has found.

    Attributes
    ----------
    jump : float
        Largest jump of a control where a new plan begins, of its range.
    excess : float
        Largest excess over a limit, of the limit.
    counts : dict of int to int
        How many calls had which answer.
    """

    jump: float
    excess: float
    counts: dict[int, int]


def c_array(values) -> str:
    """Write an initialiser."""
    return "{" + ", ".join(repr(float(x)) for x in values) + "}"


def build(
    problem: ServoProblem, sources: Path, folder: Path, flags: tuple[str, ...], powers: bool = True
) -> Path:
    """Compile the program for the generator ``online.c`` in `sources`.

    The input matrix is needed where powers are limited, and must be constant then.
    """
    start, goal = end_points(problem.path)
    model = equations_of_motion(problem.crane)
    drive = np.zeros((len(problem.crane.coordinates), len(problem.crane.inputs)))
    if powers:
        matrix = ca.Function("matrix", [model.p], [ca.densify(model.input_matrix)])
        drive = np.array(matrix(problem.parameter_vector))
    arrays = {"START": start, "END": goal, "DRIVE": drive.ravel()}
    lines = [f"#define {key} {c_array(values)}\n" for key, values in arrays.items()]
    # with more outputs than the load has, most places are beyond the limits
    spread = 0.1 if len(start) > 3 else 1.0
    (folder / "case.h").write_text("".join([*lines, f"#define SPREAD {spread}\n"]))
    driver, program = Path(__file__).with_name("replan_driver.c"), folder / "random_plans"
    files = [f"-I{folder}", f"-I{sources}", str(driver), str(sources / "online.c")]
    command = ["gcc", "-std=c99", *flags, *files, "-o", str(program), "-lm"]
    subprocess.run(command, check=True, capture_output=True)
    return program


def run(program: Path, count: int, points: int) -> Answers:
    """Make `count` calls and look at each new plan at `points` times.

    Raises
    ------
    RuntimeError
        With what the program or a sanitizer says, if it ends with an error.
    """
    command = [str(program), str(count), str(points)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"ended with {done.returncode}: {done.stderr[-2000:]}")
    jump, excess, *answers = done.stdout.split()
    counts = {int(k): int(n) for k, n in (answer.split(":") for answer in answers)}
    return Answers(float(jump), float(excess), counts)
