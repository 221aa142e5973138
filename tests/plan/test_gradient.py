"""The gradient method: benchmark A.1, differences, and the two forms against each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from optimal_control import DATA, OVERHEAD, P9, TRACKINGS, WINCH

from cranebridge.errors import InputError
from cranebridge.forward import simulate_twin
from cranebridge.plan.collocation.direct_collocation import track_by_collocation
from cranebridge.plan.collocation.gradient import Descent, track_by_gradient
from cranebridge.plan.collocation.line_search import armijo, brent
from cranebridge.plan.collocation.refine_mesh import Mesh
from cranebridge.plan.collocation.shooting import Form, Shooting, shoot
from cranebridge.plan.task.tracking_cost import TrackingCost
from cranebridge.twin import Crane
from cranebridge.twin.minimal import OverheadCraneMinimal
from further import mostly_further

MINIMAL = OverheadCraneMinimal()
# A.1: no inertia of the winch, controls F and M / r
LIGHT = {**DATA, "J": 0.0}
FORMS: list[tuple[Crane, Form]] = [(MINIMAL, "ode"), (OVERHEAD, "constrained")]


def tracking(chi: float, rho: float = 0.0) -> TrackingCost:
    return TrackingCost(P9, rho, chi=chi, alpha=0.1, scales=WINCH)


def moved(problem: Shooting) -> NDArray[np.float64]:
    """Return controls that swing the load."""
    return problem.hold() + np.array([20.0, -30.0]) * np.sin(np.outer(problem.time, [2.0, 3.0]))


@pytest.mark.parametrize(("chi", "cost"), [(5.0, 74.21619433), (0.0, 22.81759293)])
@pytest.mark.parametrize(("crane", "form"), FORMS)
def test_cost_of_standing_still(crane: Crane, form: Form, chi: float, cost: float) -> None:
    problem = shoot(crane, LIGHT, tracking(chi))
    assert problem.form == form
    # ten digits are printed
    assert problem.cost(problem.hold()) == pytest.approx(cost, abs=6e-9)


@pytest.mark.parametrize(("crane", "form"), FORMS)
def test_adjoint_gradient_is_that_of_central_differences(crane: Crane, form: Form) -> None:
    problem = shoot(crane, LIGHT, tracking(5.0), 300, form)
    controls = moved(problem)
    gradient = problem.gradient(controls)
    random = np.random.default_rng(3)
    for _ in range(3):
        # smooth, so that the difference is no smaller than the rounding of the cost allows
        phase, speed = random.uniform(0.0, 6.0, 2), random.uniform(0.5, 3.0, 2)
        along = np.cos(np.outer(problem.time, speed) + phase)

        def cost(step: float, along: NDArray[np.float64] = along) -> float:
            return problem.cost(controls + step * along)

        # five points: what is left is the rounding of the cost, 66 * 1e-16 / step
        step = 0.02
        difference = 8.0 * (cost(step) - cost(-step)) - (cost(2 * step) - cost(-2 * step))
        exact = problem.product(gradient, along)
        assert difference / (12.0 * step) == pytest.approx(exact, rel=1e-8)


def test_constrained_form_agrees_with_independent_coordinates() -> None:
    wrong, away = [], []
    for steps in (75, 150):
        one, other = (shoot(crane, DATA, tracking(5.0), steps, form) for crane, form in FORMS)
        controls = moved(one)
        a, b = one.gradient(controls), other.gradient(controls)
        wrong.append(np.abs(a - b).max() / np.abs(a).max())
        s, rope, x, z = other.motion(controls)[:, :4].T
        away.append(np.abs(s - one.motion(controls)[:, 0]).max())
        assert np.abs((x - s) ** 2 + z**2 - rope**2).max() < 1e-11
    # orders 4 and 5 of the methods; the gradient of one node sees one step and loses an order
    assert away[0] / away[1] > 12.0
    assert wrong[0] / wrong[1] > 6.0
    assert away[1] < 1e-6
    assert wrong[1] < 1e-5
    assert one.cost(controls) == pytest.approx(other.cost(controls), rel=1e-8)


def test_both_forms_descend_alike_and_forward_simulation_repeats_it() -> None:
    # with controls this dear the load stays away from the rail, where steps must be short
    weighed, descent = tracking(5.0, rho=1e-2), Descent(iterations=4)
    one, found = (
        track_by_gradient(crane, DATA, weighed, steps=100, descent=descent) for crane, _ in FORMS
    )
    assert (one.form, found.form) == ("ode", "constrained")
    assert one.costs == pytest.approx(found.costs, rel=1e-5)
    assert found.costs.size == found.gradients.size == 5
    assert (np.diff(found.costs) < 0.0).all()
    controls = found.controls
    run = simulate_twin(
        OVERHEAD,
        DATA,
        found.q[0],
        found.v[0],
        lambda t: controls(t),
        found.time,
        breaks=tuple(found.time[1:-1]),
    )
    assert np.abs(run.q - found.q).max() < 1e-6


# benchmark A.1, conjugate gradients: costs after 1, 2, 5, 10, 20, 50, 100 and 200 iterations
HISTORIES = {
    5.0: (22.53, 15.12, 2.465, 0.2841, 0.02688, 0.002657, 0.0001609, 1.551e-05),
    0.0: (0.629, 0.5595, 0.2382, 0.09919, 0.004472, 0.0004809, 0.0001102, 5.342e-06),
}


@pytest.mark.parametrize("chi", mostly_further(HISTORIES, 5.0))
def test_conjugate_gradients_go_the_way_of_the_benchmark(chi: float) -> None:
    found = track_by_gradient(MINIMAL, LIGHT, tracking(chi), descent=Descent(iterations=200))
    # the first steps are those of any exact line search; later ones amplify its rounding
    assert found.costs[[1, 2, 5]] == pytest.approx(np.array(HISTORIES[chi][:3]), rel=5e-4)
    ratio = found.costs[[10, 20, 50, 100, 200]] / np.array(HISTORIES[chi][3:])
    assert ((ratio > 0.3) & (ratio < 3.0)).all()


def test_steepest_descent_with_armijos_rule_goes_the_way_of_the_benchmark() -> None:
    descent = Descent(20, "steepest", "armijo")
    found = track_by_gradient(MINIMAL, LIGHT, tracking(5.0), descent=descent)
    expected = (74.2162, 69.5432, 34.3384, 26.5155, 24.7758, 12.7909)
    assert found.costs[[0, 1, 2, 3, 5, 10]] == pytest.approx(np.array(expected), rel=3e-6)
    assert found.cost == pytest.approx(7.86178, rel=1e-4)


def test_gradient_method_and_collocation_meet() -> None:
    from scipy.optimize import minimize

    weighed = tracking(5.0, rho=1e-6)
    problem = shoot(MINIMAL, LIGHT, weighed)
    shape = problem.hold().shape
    # L-BFGS, as in the benchmark, in variables whose product is that of functions of time
    root = np.sqrt(problem.weights)[:, None]
    size = 1e6

    def cost(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        controls = x.reshape(shape) / root
        slope = problem.gradient(controls) * root
        return size * problem.cost(controls), size * slope.reshape(-1)

    other = track_by_collocation(OVERHEAD, LIGHT, weighed, mesh=Mesh(50, 4))
    assert other.cost == pytest.approx(0.206424107, rel=1e-8)
    # from there it is not far: both hold the same optimum
    start = other.sample(problem.time).u / problem.scales
    options = {"maxiter": 3000, "maxfun": 5000, "ftol": 1e-15, "gtol": 1e-7, "maxcor": 30}
    found = minimize(cost, (start * root).reshape(-1), jac=True, method="L-BFGS-B", options=options)
    assert found.fun / size == pytest.approx(0.206442568, rel=1e-7)


def test_descent_ends_where_the_gradient_vanishes() -> None:
    weighed = replace(tracking(5.0, rho=1e-2), alpha=0.0)
    descent = Descent(iterations=400, tolerance=1e-5)
    found = track_by_gradient(MINIMAL, DATA, weighed, steps=60, descent=descent)
    assert found.costs.size < 400
    assert found.gradients[-1] <= 1e-5 * found.gradients[0]
    # every other way is dearer
    problem = shoot(MINIMAL, DATA, weighed, 60)
    best = found.u / problem.scales
    random = np.random.default_rng(5)
    for _ in range(5):
        other = best + random.standard_normal(best.shape)
        assert problem.cost(other) > found.cost


def test_line_searches_find_what_they_promise() -> None:
    def cost(x: float) -> float:
        return np.inf if x > 30.0 else (x - 7.0) ** 2 + 1.0

    for first in (1e-3, 5.0, 1e3):
        far, value = brent(cost, 50.0, -14.0, first)
        assert far == pytest.approx(7.0, abs=1e-5)
        assert value == pytest.approx(1.0, abs=1e-9)
    assert armijo(cost, 50.0, -14.0, 50.0) == (12.5, cost(12.5))
    for search in (brent, armijo):
        # where it only goes up there is nothing to find
        assert search(lambda x: 1.0 + x, 1.0, -1.0, 1.0) == (0.0, 1.0)


def test_what_the_gradient_method_cannot_do_is_refused() -> None:
    with pytest.raises(InputError, match=r"1 conditions .* form = 'constrained'"):
        shoot(OVERHEAD, DATA, tracking(0.0), form="ode")
    with pytest.raises(InputError, match="holds no end"):
        shoot(OVERHEAD, DATA, TRACKINGS["a3"])
    with pytest.raises(InputError, match="at least one step"):
        shoot(OVERHEAD, DATA, tracking(0.0), steps=0)
