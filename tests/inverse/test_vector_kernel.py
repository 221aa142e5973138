"""The compiled kernel over lanes against CasADi's machine, and against itself in other forms."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np
import pytest

from cranebridge.errors import SolutionError
from cranebridge.inverse import ServoProblem
from cranebridge.inverse.index1 import grid_solving
from cranebridge.inverse.index1.following import NEWTON_SWEEPS, follow_path, gammas_at
from cranebridge.inverse.index1.grid_solving import require_small, solve_nodes
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.index1.solvers import PointSolver, point_solver
from cranebridge.inverse.kernels import compiled, kernel_building
from cranebridge.inverse.kernels.kernel_building import kernel_of
from cranebridge.inverse.kernels.rotation_kernel import compiled_rotation
from cranebridge.inverse.kernels.vector_kernel import GridSolution, GridTask
from cranebridge.inverse.nodes import node_times, on_grid
from cranebridge.inverse.piecewise import Piecewise
from cranebridge.path import Pieces
from cranebridge.path.path_tables import polynomial_table
from cranebridge.scenario import load_scenario
from cranebridge.twin.cranes.overhead import OverheadCrane
from further import further

SIGNALS = ("gamma", "q", "v", "a", "u", "lam", "ropes")
NODES = ("gamma_rate", "jerk", "u_rate", "lam_rate", "ropes", "q")


def task_of(
    servo: ServoProblem, solver: PointSolver, times: np.ndarray, lanes: int | None = None
) -> GridTask:
    lanes = lanes or solver.kernel.lanes
    order = solver.stages.path_order
    table = polynomial_table(servo.path, order)
    assert not table.others
    count = len(servo.path.outputs)
    turns = (compiled_rotation(turn, count, order, lanes) for turn in table.turns)
    return GridTask(
        times=times,
        tracks=table.tracks,
        curves=tuple(turns),
        gammas=None,
        guess=follow_path(servo, solver).guess,
        p=servo.parameter_vector,
        tolerance=solver.tolerance,
        sweeps=NEWTON_SWEEPS,
    )


def same(a: GridSolution, b: GridSolution) -> bool:
    values = (a.stack.tobytes() == b.stack.tobytes(), a.failed == b.failed)
    reports = (getattr(a, k).tobytes() == getattr(b, k).tobytes() for k in ("worst", "where"))
    return all((*values, *reports, a.scale.tobytes() == b.scale.tobytes()))


@pytest.mark.parametrize(
    "name",
    [
        *("overhead", "rotary", "navy2d", "navy3d", "cablev-general", "two-mass"),
        *("rotary-long", "quadrotor", "luffing-jib", "rotary-speed"),
    ],
)
def test_kernel_and_casadi_agree_to_rounding(name, problem) -> None:
    servo = problem(name)
    times = np.linspace(0.0, servo.path.duration, 1003)
    assert point_solver(servo, "always").kernel is not None
    lanes, machine = (solve_index1(servo, times, mode) for mode in ("always", "never"))
    pairs = [(getattr(lanes, k), getattr(machine, k)) for k in SIGNALS]
    pairs += [(getattr(lanes.nodes, k), getattr(machine.nodes, k)) for k in NODES]
    for found, wanted in pairs:
        size = np.abs(wanted).max(axis=0, initial=0.0)
        # rotary: a torque is a sum of terms a hundred times larger, so that its roundings are, too
        assert (np.abs(found - wanted) <= 1e-13 * size + 1e-300).all()
    assert lanes.nodes.time.tobytes() == machine.nodes.time.tobytes()
    assert lanes.nodes.grid.tolist() == machine.nodes.grid.tolist()
    assert lanes.max_residual < 1e-14


@pytest.mark.parametrize("name", ["rotary", "overhead", further("navy2d"), further("navy3d")])
def test_number_of_lanes_changes_no_bit(name, problem, monkeypatch) -> None:
    servo = problem(name)
    solver = point_solver(servo, "always")
    # optimised as users have it, whatever the size; tests have large ones as they are written
    monkeypatch.setattr(compiled, "find_compiler", lambda: ("gcc",))
    # 1 more than a multiple of 8, so that every number of lanes but one has a rest
    times = np.linspace(0.0, servo.path.duration, 1001)
    task = task_of(servo, solver, times, 1)
    one, *others = (kernel_of(solver.stages, "always", lanes) for lanes in (1, 2, 4, 8))
    assert same(solver.kernel.solve(task_of(servo, solver, times)), one.solve(task))
    for other in others:
        assert same(other.solve(task_of(servo, solver, times, other.lanes)), one.solve(task))
        rows = task.guess(task.times)
        gammas = gammas_at(servo, task.times, np.zeros(1001, dtype=bool), solver.stages.path_order)
        for function in ("sweep", "finish"):
            pairs = zip(
                *(getattr(k, function)(rows, gammas, task.p) for k in (one, other)), strict=True
            )
            assert all(a.tobytes() == b.tobytes() for a, b in pairs)


def test_threads_and_parts_change_no_bit(problem) -> None:
    servo = problem("rotary")
    solver = point_solver(servo, "always")
    task = task_of(servo, solver, np.linspace(0.0, servo.path.duration, 30_011))
    whole = solver.kernel.solve(task, threads=1)
    assert same(solver.kernel.solve(task, threads=3), whole)
    edges = (0, 1, 17, 9_000, 30_010, 30_011)
    for begin, end in pairwise(edges):
        part = solver.kernel.solve(task, begin, end)
        assert part.stack.tobytes() == whole.stack[:, begin:end].tobytes()


@pytest.mark.parametrize("name", ["rotary", "cablev-rotate", "rotary-long"])
@pytest.mark.parametrize("by_numpy", [False, True])
def test_all_kinds_of_paths_have_the_same_results_in_parts(
    name, by_numpy, problem, monkeypatch
) -> None:
    servo = problem(name)
    if by_numpy:  # what no track gives
        monkeypatch.setattr(grid_solving, "compiled_rotation", lambda *_: None)
    grid_solving.path_table.cache_clear()
    solver, nodes = point_solver(servo, "always"), node_times(servo, np.linspace(0.0, 8.0, 9_001))
    followed = follow_path(servo, solver)
    whole = solve_nodes(servo, solver, nodes, followed)
    part = solve_nodes(servo, solver, nodes, followed, slice(4_097, 7_003))
    assert part.stack.tobytes() == whole.stack[:, 4_097:7_003].tobytes()
    grid_solving.path_table.cache_clear()


def test_knots_stand_twice_with_both_their_sides(problem) -> None:
    # At 5 s the acceleration phase ends: the fifth derivative jumps, and with it u' does.
    servo = problem("rotary")
    found = solve_index1(servo, np.array([0.0, 4.0, 5.0, 6.0, 20.0]), "always").nodes
    assert found.time.tolist() == [0.0, 4.0, 5.0, 5.0, 6.0, 15.0, 15.0, 20.0]
    assert found.grid.tolist() == [0, 1, 3, 4, 7]
    assert found.u[2] == pytest.approx(found.u[3], rel=1e-12)
    before, after = (solve_index1(servo, np.array([4.0, t]), "always") for t in (5.0, 5.0 + 1e-9))
    assert found.u_rate[2] == pytest.approx(before.nodes.u_rate[-1], rel=1e-12)
    assert found.u_rate[3] == pytest.approx(after.nodes.u_rate[-1], rel=1e-6)
    assert np.abs(found.u_rate[3] - found.u_rate[2]).max() > 0.1


def test_unsettled_time_is_the_first_one_for_every_number_of_lanes(problem) -> None:
    servo = problem("rotary")
    solver = point_solver(servo, "always")
    task = task_of(servo, solver, np.linspace(0.0, 20.0, 1001))
    c = task.guess.c.copy()
    c[:, task.guess.x[:-1] >= 7.0] = np.nan
    spoilt = replace(task, guess=Piecewise(c, task.guess.x))
    for lanes in (1, 2, 4, 8):
        kernel = kernel_of(solver.stages, "always", lanes)
        assert kernel.solve(spoilt).failed == 350
        assert kernel.solve(spoilt, 500).failed == 500
        assert kernel.solve(spoilt, 0, 350).failed == -1
    assert solver.kernel.solve(spoilt, threads=2).failed == 350


def test_newton_that_fails_between_the_coarse_times_is_told_with_its_time(problem) -> None:
    servo, times = problem("rotary"), np.linspace(0.0, 20.0, 1001)
    told = []
    for mode in ("always", "never"):
        solver = PointSolver(point_solver(servo).stages, mode)
        followed = follow_path(servo, solver)
        followed.guess.c[:, followed.guess.x[:-1] >= 7.0] = np.nan
        with pytest.raises(SolutionError) as error:
            solve_nodes(servo, solver, node_times(servo, times), followed)
        told.append(str(error.value))
    assert told[0] == told[1]
    assert "does not converge at t = 7 s" in told[0]


class JoinedTape(OverheadCrane):
    """The height is read from a tape that is joined every 0.1 m; a join adds 10 micrometres."""

    name = "joined-tape-of-lanes"

    def output_map(self, q: Any, p: Any) -> Any:
        return {"x": q.x, "z": q.z + 1e-5 * ca.floor(q.z / 0.1)}


@pytest.mark.parametrize(
    ("crane", "settings"),
    [
        (JoinedTape(), []),
        (None, ["path.goal=[0.0, -900.0]", "path.duration=6"]),
        (None, ["path.smoothness=3"]),
    ],
    ids=["residual", "singular", "smoothness"],
)
def test_what_cannot_be_solved_is_refused_in_the_same_words(crane, settings) -> None:
    servo = load_scenario("overhead", settings).problem
    servo = servo if crane is None else replace(servo, crane=crane)
    told = []
    for mode in ("always", "never"):
        with pytest.raises(Exception, match=r"overhead|holds only to|singular") as error:
            solve_index1(servo, np.linspace(0.0, servo.path.duration, 31), mode)
        told.append((type(error.value), str(error.value)))
    assert told[0] == told[1]


def test_what_is_not_a_number_is_not_a_solution(problem) -> None:
    servo = problem("two-mass")
    solver = point_solver(servo, "always")
    task = task_of(servo, solver, np.linspace(0.0, servo.path.duration, 11))
    found = solver.kernel.solve(replace(task, p=task.p * np.nan))
    assert np.isnan(found.worst).any()
    with pytest.raises(SolutionError, match=r"holds only to nan \(relative\) at t = 0 s"):
        require_small(solver, task.times, found.worst, found.where, found.scale)


def test_crane_without_unknowns_of_newton_is_solved(problem) -> None:
    servo = problem("two-mass")
    assert point_solver(servo).stages.guess == ()
    assert solve_index1(servo, np.linspace(0.0, servo.path.duration, 11), "always").u.shape[0] == 11


def test_planned_paths_get_nodes_of_their_own() -> None:
    rows = np.zeros((2, 7, 1))
    rows[:, 1] = 1.0
    rows[1, 0] = 1.0
    pieces = tuple(tuple(map(tuple, piece)) for piece in rows.tolist())
    path = Pieces(("x",), (0.0, 1.0, 3.0), pieces, 6, True, True)
    servo = ServoProblem.__new__(ServoProblem)
    object.__setattr__(servo, "path", path)
    times = np.array([0.0, 0.31, 1.47, 2.9, 3.0])
    nodes = node_times(servo, times)
    assert nodes.time[nodes.grid].tolist() == times.tolist()
    assert (nodes.time == 1.0).sum() == 2
    assert nodes.time.size == 5 + 2 + 2 * 95  # the knot twice, and 95 nodes within each piece
    assert (np.diff(nodes.time) >= 0.0).all()
    assert node_times(servo, np.union1d(times, [1.0])).time.size == 7


@pytest.mark.parametrize("count", [3, 500])
def test_rows_of_the_grid_are_those_that_were_asked_for(count) -> None:
    random = np.random.default_rng(4)
    grid = np.sort(random.choice(2000, 2000 - count, replace=False))
    table = random.normal(size=(5, 2000))
    assert on_grid(table, grid).tobytes() == table[:, grid].tobytes()


def test_times_that_repeat_are_solved_once_and_given_each_time(problem) -> None:
    servo = problem("overhead")
    twice = solve_index1(servo, np.array([0.0, 1.0, 1.0, 2.0]), "always")
    once = solve_index1(servo, np.array([0.0, 1.0, 2.0]), "always")
    assert twice.u.tolist() == once.u[[0, 1, 1, 2]].tolist()


def test_kernel_that_cannot_be_built_is_replaced_by_casadi(problem, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr("cranebridge.inverse.kernels.compiled.cache_folder", lambda: tmp_path)
    monkeypatch.setattr(kernel_building, "FLAGS", (*kernel_building.FLAGS, "-fno-such-flag"))
    stages = point_solver(problem("overhead")).stages
    assert kernel_of(stages, "auto") is None
    with pytest.raises(Exception, match="cannot compile"):
        kernel_of(stages, "always")
    assert kernel_of(stages, "never") is None
