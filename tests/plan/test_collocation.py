"""Collocation against closed forms, against another formulation and against forward simulation."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np
import pytest
from optimal_control import (
    DATA,
    ENDS,
    OVERHEAD,
    P9,
    ROTARY,
    TRACKINGS,
    WINCH,
    hanging,
    overhead_task,
    rotary_task,
)

from cranebridge.errors import InputError, SolutionError
from cranebridge.forward import simulate_twin
from cranebridge.limits import Limits
from cranebridge.path import Line, polynomial
from cranebridge.plan.collocation import ipopt
from cranebridge.plan.collocation.direct_collocation import solve_collocation, track_by_collocation
from cranebridge.plan.collocation.radau_points import radau
from cranebridge.plan.collocation.refine_mesh import Mesh
from cranebridge.plan.task.obstacles import ObstacleBox, ObstacleCylinder
from cranebridge.plan.task.task import PlanTask, State, Via
from cranebridge.plan.task.tracking_cost import TrackingCost
from cranebridge.twin import Crane, Parameter, Quantity
from cranebridge.twin.minimal import OverheadCraneMinimal


class Cart(Crane):
    """A mass on a rail, the one system whose optimal motions are in every textbook."""

    name = "test-cart"
    description = "a mass on a rail"
    coordinates = (Quantity("x", "m", "position"),)
    parameters = (Parameter("m", "kg", "mass", 4.0),)
    inputs = (Quantity("F", "N", "force"),)
    outputs = (Quantity("x", "m", "position"),)

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        """Of the mass."""
        return 0.5 * p.m * v.x**2

    def potential_energy(self, q: Any, p: Any) -> Any:
        """None."""
        return 0.0

    def drive_power(self, q: Any, v: Any, u: Any, p: Any) -> Any:
        """Force on the mass."""
        return u.F * v.x

    def output_map(self, q: Any, p: Any) -> Any:
        """Position."""
        return {"x": q.x}


CART = Cart()


def cart(x: float, v: float = 0.0) -> State:
    return State(np.array([x]), np.array([v]))


def test_radau_integrates_polynomials_of_degree_2d_minus_2_and_no_more() -> None:
    for d in (1, 2, 3, 4):
        method = radau(d)
        exact = [abs(method.weights @ method.points**k - 1 / (k + 1)) for k in range(2 * d)]
        assert max(exact[:-1]) < 1e-14
        assert exact[-1] > 1e-4
        # derivative of t^d at the points, from its values at 0 and the points
        values = np.append(0.0, method.points) ** d
        assert np.abs(values @ method.slopes - d * method.points ** (d - 1)).max() < 1e-12


def test_least_effort_of_a_mass_between_two_moving_states_is_the_textbook_value() -> None:
    # cubic motion: integral of a^2 = 12 D^2/T^3 - 12 D (v0 + v1)/T^2 + 4 (v0^2 + v0 v1 + v1^2)/T
    D, T, v0, v1, m = 3.0, 2.0, 0.5, -0.25, 4.0
    task = PlanTask(CART, {"m": m}, cart(1.0, v0), cart(1.0 + D, v1), Limits(), "effort", T)
    found = solve_collocation(task, Mesh(6))
    way = 12 * D**2 / T**3 - 12 * D * (v0 + v1) / T**2
    # the controls are linear in time, which the polynomials hold exactly
    assert found.cost == pytest.approx(m**2 * (way + 4 * (v0**2 + v0 * v1 + v1**2) / T), rel=1e-9)
    assert found.q[-1, 0] == pytest.approx(1.0 + D, abs=1e-9)
    assert found.v[-1, 0] == pytest.approx(v1, abs=1e-9)
    jump = found.controls.c[-1, 1:, 0] - found.controls(found.mesh[1:-1] - 1e-9)[:, 0]
    assert np.abs(jump).max() < 1e-6


def test_progress_comes_nearer_mesh_by_mesh_and_changes_no_result() -> None:
    task = PlanTask(CART, {"m": 4.0}, cart(0.0), cart(3.0), Limits(), "weighted", effort=0.02)
    told: list[float] = []
    found = solve_collocation(task, Mesh(40), progress=told.append)
    assert found.duration == solve_collocation(task, Mesh(40)).duration
    # iterations on each of the meshes, of which the last is the largest part
    assert len(told) > 10
    assert all(0.0 <= part <= 1.0 for part in told)
    assert told[0] < 0.3
    assert told[-1] > 0.9
    assert sum(later < before for before, later in pairwise(told)) == 0


@pytest.mark.parametrize(("most", "reached"), [(0.07, False), (0.05, True)])
def test_acceleration_is_told_as_reached_only_where_it_is(most: float, reached: bool) -> None:
    """With least effort a mass that goes 1 m in 10 s asks for 6 D / T^2 = 0.06 m/s^2."""
    limits = Limits.from_mapping({"a": {"x": most}}, CART)
    task = PlanTask(CART, {"m": 4.0}, cart(0.0), cart(1.0), limits, "effort", 10.0)
    found = solve_collocation(task, Mesh(6))
    assert {one.signal for one in found.active} == ({"a.x"} if reached else set())


def test_weight_between_time_and_effort_gives_the_textbook_duration() -> None:
    # T + w 12 m^2 D^2 / T^3 is least for T^4 = 36 w m^2 D^2, and 4/3 T then
    D, m, w = 3.0, 4.0, 0.02
    task = PlanTask(CART, {"m": m}, cart(0.0), cart(D), Limits(), "weighted", effort=w)
    found = solve_collocation(task, Mesh(6))
    best = (36 * w * m**2 * D**2) ** 0.25
    assert found.duration == pytest.approx(best, rel=1e-6)
    assert found.cost == pytest.approx(4 / 3 * best, rel=1e-9)


def test_without_limits_of_speed_the_load_takes_the_time_that_momentum_takes() -> None:
    # the hoist removes the swing: T = 2 sqrt(D (m + m_t) / F), whatever the rope does
    found = solve_collocation(overhead_task(speeds=False), Mesh(60))
    exact = 2.0 * np.sqrt(10.0 * 110.0 / 300.0)
    # IPOPT stops before its bounds: a little longer, and never shorter than momentum allows
    assert 0.0 <= found.duration - exact < 2e-7
    force = found.u[1:, 0]
    # the node in the middle belongs to the interval before it
    switch = found.time[1:] < exact / 2 + 1e-6
    assert np.allclose(force[switch], 300.0, atol=0.1)
    assert np.allclose(force[~switch], -300.0, atol=0.1)


def test_momentum_bounds_the_duration_on_a_coarse_mesh_too() -> None:
    # eta must not move the centre of mass: without its weights the motion was 0.05 s too fast
    found = solve_collocation(overhead_task(speeds=False), Mesh(12))
    assert found.duration >= 2.0 * np.sqrt(10.0 * 110.0 / 300.0) - 1e-9


def test_constraints_hold_and_forward_simulation_repeats_the_motion() -> None:
    found = track_by_collocation(OVERHEAD, DATA, TRACKINGS["a3"], mesh=Mesh(50, 4))
    s, rope, x, z = found.q.T
    assert np.abs((x - s) ** 2 + z**2 - rope**2).max() < 1e-9
    assert (
        np.abs(
            (x - s) * (found.v[:, 2] - found.v[:, 0]) + z * found.v[:, 3] - rope * found.v[:, 1]
        ).max()
        < 1e-9
    )
    run = simulate_twin(
        OVERHEAD,
        DATA,
        found.q[0],
        found.v[0],
        lambda t: found.controls(t),
        found.mesh,
        breaks=tuple(found.mesh[1:-1]),
    )
    # controls are polynomials of degree 3 in intervals of 60 ms
    assert np.abs(run.q - found.states(found.mesh)[:, :4]).max() < 2e-6
    sampled = found.sample(found.mesh[1:-1] + 0.01)
    assert np.allclose(sampled.ropes[:, 0], sampled.lam[:, 0] * sampled.q[:, 1])


def test_minimal_coordinates_give_the_same_optimum_as_dependent_ones() -> None:
    minimal = OverheadCraneMinimal()
    a = track_by_collocation(OVERHEAD, DATA, TRACKINGS["a2"], mesh=Mesh(40, 4))
    b = track_by_collocation(minimal, DATA, TRACKINGS["a2"], mesh=Mesh(40, 4))
    assert a.cost == pytest.approx(b.cost, rel=1e-8)
    times = np.linspace(0.0, 3.0, 31)
    assert np.abs(a.sample(times).outputs - b.sample(times).outputs).max() < 1e-6


def test_swinging_load_is_stopped_anywhere_and_hangs_still_there() -> None:
    # 0.5 m beside the trolley, and moving
    q = np.array([0.0, np.hypot(0.5, 5.0), 0.5, -5.0])
    rate = (0.5 * 0.3) / q[1]
    start = State(q, np.array([0.5, rate, 0.8, 0.0]))
    task = overhead_task()
    stop = solve_collocation(replace(task, start=start, goal=None), Mesh(40))
    s, rope, x, z = stop.q[-1]
    assert abs(s - x) < 1e-7
    assert rope == pytest.approx(-z, abs=1e-7)
    assert np.abs(stop.v[-1]).max() < 1e-7
    # to be at rest at a place of one's own choice takes no longer than at any other
    for goal in (hanging(s + 0.3, z), hanging(s, z - 0.2)):
        led = solve_collocation(replace(task, start=start, goal=goal), Mesh(40))
        assert led.duration > stop.duration


def test_limits_hold_at_the_points_and_those_reached_are_named() -> None:
    found = solve_collocation(overhead_task(), Mesh(50, between=False))
    s_rate, rope_rate = found.v[:, 0], found.v[:, 1]
    assert np.abs(s_rate).max() <= 2.5 + 1e-9
    assert np.abs(rope_rate).max() <= 1.0 + 1e-9
    ropes = found.sample(found.time[1:]).ropes
    assert ropes.min() >= 98.1 - 1e-6
    shares = {(active.signal, active.side): active.share for active in found.active}
    # benchmark A.3: the trolley rides its speed limit most of the time, backwards never
    assert shares["v.s", "most"] > 0.7
    assert ("v.s", "least") not in shares
    assert "rope.T_cable" not in {active.signal for active in found.active}
    # first and last arc: full force for less than 0.083 s, the length of an interval
    assert found.u[1:3, 0] == pytest.approx(300.0, abs=0.01)
    assert found.u[-1, 0] == pytest.approx(-300.0, abs=0.01)


def test_obstacle_costs_time_and_is_not_touched() -> None:
    task = rotary_task()
    free = solve_collocation(task, Mesh(25))
    around = solve_collocation(
        replace(task, obstacles=(ObstacleCylinder((6.5, 6.5), 2.5),)), Mesh(25)
    )

    def distance(q: Any) -> Any:
        return np.hypot(q[:, 3] - 6.5, q[:, 4] - 6.5)

    assert distance(free.q).min() < 2.4
    assert distance(around.q).min() > 2.5 - 1e-6
    assert around.duration > free.duration + 1e-3
    assert ROTARY.coordinates[3].name == "x"


def test_derivatives_of_all_blocks_are_those_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = []

    def check(programme: Any, parts: Any, references: Any, guess: Any, size: float, *_: Any) -> Any:
        mapped = ipopt._IpoptFunctions(programme, parts, references, size)
        x = guess + 1e-3 * np.random.default_rng(0).standard_normal(guess.size)
        f, g = mapped.problem["f"], mapped.problem["g"]
        y = np.random.default_rng(1).standard_normal(g.numel())
        hessian = ca.triu(ca.hessian(0.7 * f + ca.dot(y, g), mapped.x)[0])
        whole = ca.Function("whole", [mapped.x], [ca.jacobian(g, mapped.x), hessian])(x)
        blocks = mapped.jacobian(x, [])[1], mapped.hessian(x, [], 0.7, y)
        for one, other in zip(whole, blocks, strict=True):
            size = float(ca.norm_inf(ca.vec(one)))
            assert float(ca.norm_inf(ca.vec(one - other))) < 1e-12 * size
            checked.append(size)
        raise SolutionError("checked")

    monkeypatch.setattr("cranebridge.plan.collocation.refine_mesh.solve_programme", check)
    with pytest.raises(SolutionError, match="checked"):
        solve_collocation(overhead_task(), Mesh(6))
    with pytest.raises(SolutionError, match="checked"):
        track_by_collocation(OVERHEAD, DATA, TRACKINGS["a2"], mesh=Mesh(6))
    assert len(checked) == 4
    assert min(checked) > 1.0


def test_target_as_a_function_is_followed_as_the_path_that_it_is() -> None:
    def target(times: Any) -> Any:
        values = P9.derivatives(times, 1)
        return values[0], values[1]

    given = replace(TRACKINGS["a2"], target=target, duration=3.0)
    found = track_by_collocation(OVERHEAD, DATA, given, mesh=Mesh(20, 4))
    path = track_by_collocation(OVERHEAD, DATA, TRACKINGS["a2"], mesh=Mesh(20, 4))
    assert found.cost == pytest.approx(path.cost, rel=1e-7)


REFUSED = [
    ({"limits": {"jerk": {"s": 1.0}}}, "jerks"),
    ({"via": (Via((1.0, -4.0)),)}, "via points"),
    ({"obstacles": (ObstacleBox((1.0, -9.0), (2.0, -6.0)),)}, "endless cylinders"),
    ({"objective": "effort"}, "needs a duration"),
    ({"limits": {"u": {"M_w": [-90.0, 0.0]}}}, r"start .* u.M_w is -98.1 N\*m"),
    ({"limits": {"q": {"l": [4.0, 9.0]}}}, "goal .* q.l is 3 m"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_what_cannot_be_is_refused_with_its_reason(change: dict[str, Any], message: str) -> None:
    if "limits" in change:
        change = {"limits": Limits.from_mapping(change["limits"], OVERHEAD)}
    with pytest.raises(InputError, match=message):
        solve_collocation(replace(overhead_task(), **change), Mesh(10))


def test_too_short_a_duration_is_refused_with_the_limit_in_the_way() -> None:
    # momentum alone needs 3.83 s with 300 N
    task = replace(overhead_task("effort", 3.5), limits=overhead_task(speeds=False).limits)
    with pytest.raises(SolutionError, match=r"no motion is found .* u\.F_t, \[-300, 300\] N,"):
        solve_collocation(task, Mesh(20))


def test_rates_of_a_target_that_jump_belong_to_the_interval_that_ends_there() -> None:
    # the ramp's velocity jumps at both ends; in these numbers the second node is rounded beyond it
    duration, before, after = 1.62, 0.49, 2.19
    ramp = Line(*ENDS, polynomial(duration, 0))
    tracking = TrackingCost(ramp, 1e6, chi=1.0, scales=WINCH, before=before, after=after)
    found = track_by_collocation(OVERHEAD, DATA, tracking, mesh=Mesh(26, 3))
    # controls so dear that nothing moves: the load misses the ramp, its speed, and the goal
    way = 0.5 * (5.0**2 + 3.0**2)
    exact = way * (duration / 3.0 + 1.0 / duration + after)
    assert found.cost == pytest.approx(exact, rel=1e-5)


def test_wrong_weights_and_meshes_are_refused() -> None:
    with pytest.raises(InputError, match="rho"):
        TrackingCost(P9, -1.0)
    with pytest.raises(InputError, match="duration"):
        TrackingCost(lambda t: (t, t), 1.0)
    with pytest.raises(InputError, match="at least one interval"):
        Mesh(0)
    wrong = replace(TRACKINGS["a1"], weights={"y": 1.0})
    with pytest.raises(InputError, match="unknown output of crane 'overhead' 'y'"):
        track_by_collocation(OVERHEAD, DATA, wrong)
