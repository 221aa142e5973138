"""Many random plans while moving, in C: controls, limits, refusals, sanitizers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from generator_driver import CODES

from cranebridge.deliver.generator import SLACK
from cranebridge.path.symbolic import end_points
from cranebridge.twin import equations_of_motion


def c_array(values):
    return "{" + ", ".join(repr(float(x)) for x in values) + "}"


def build_random_plans(moving, folder, name, precision, flags, without=()):
    """Compile the program of random plans for a crane."""
    _, problem, _, sources = moving(name, precision, without)
    start, goal = end_points(problem.path)
    model = equations_of_motion(problem.crane)
    drive = np.zeros((len(problem.crane.coordinates), len(problem.crane.inputs)))
    if "power" not in without:
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


SANITIZERS = ("-O3", "-fsanitize=address,undefined", "-fsanitize-undefined-trap-on-error")
PLAIN = ("-O2",)


@pytest.mark.parametrize(
    ("name", "precision", "flags", "count", "points"),
    [
        ("overhead", "double", SANITIZERS, 10_000, 150),
        ("overhead", "double", PLAIN, 300, 5_000),
        ("overhead", "single", SANITIZERS, 1_000, 200),
        ("rotary", "double", PLAIN, 2_000, 200),
        ("rotary", "single", PLAIN, 300, 200),
        ("navy3d-pulley-safe", "double", PLAIN, 50, 500),
    ],
)
def test_random_plans_while_moving(moving, tmp_path, name, precision, flags, count, points):
    """No control jumps, no limit is broken, and what is refused changes nothing.

    In single precision a control is continuous to what Newton's method and its arguments are
    rounded by: derivatives of the path to some hundred roundings of 6e-8 (see the test of the
    polynomials), and Newton's last step of 2e-5, whose error is its square. Limits are kept to the
    generator's own slack there, and rope forces to it in double precision.
    """
    without = ("power",) if name.startswith("navy") else ()  # its input matrix depends on q
    program = build_random_plans(moving, tmp_path, name, precision, flags, without)
    done = subprocess.run(
        [program, str(count), str(points)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    jump, excess, *answers = done.stdout.split()
    found = {int(k): int(n) for k, n in (answer.split(":") for answer in answers)}
    assert sum(found.values()) == count
    assert float(jump) <= (1e-9 if precision == "double" else 1e-4)
    assert float(excess) <= (1e-6 if precision == "double" else 1.5 * SLACK["single"])
    # 44 of 100 wishes are sensible, and most of these can be fulfilled
    assert found[CODES["OK"]] >= 0.35 * count
    for status in ("BAD_ARGUMENT", "PAST", "NO_DURATION", "BUSY"):
        assert found[CODES[status]] > 0
