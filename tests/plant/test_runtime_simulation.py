"""Simulation through FMI: accuracy, communication steps, inputs, states, integrators."""

from __future__ import annotations

import math
import re
import threading
from itertools import pairwise

import numpy as np
import plant_models
import pytest
from fmpy.fmi1 import FMICallException
from fmu_driver import running, simulate_cs, simulate_me
from scipy.integrate import solve_ivp

from cranebridge.frontend.flat_model import PlantModel

PENDULUM = ["phi", "omega", "position[1]", "energy", "alpha"]
OVERHEAD = ["s", "rope", "phi", "v", "w", "omega", "x", "z", "tension"]


def reference(model: PlantModel, times, names, inputs=None):
    """The plant's own CasADi functions under SciPy's DOP853."""
    p = [v.start for v in model.parameters]
    order = [v.name for v in model.inputs]
    start = {v.name: v.start for v in model.inputs}

    def u(t):
        values = start | (dict(inputs(t)) if inputs else {})
        return [values[name] for name in order]

    x0 = model.initial(p).full().ravel()
    result = solve_ivp(
        lambda t, x: model.rhs(t, x, u(t), p).full().ravel(),
        (times[0], times[-1]),
        x0,
        method="DOP853",
        t_eval=times,
        rtol=1e-12,
        atol=1e-13,
    )
    state_names = [v.name for v in model.states]
    output_names = [v.name for v in model.outputs]
    rows = []
    for t, x in zip(result.t, result.y.T, strict=True):
        y = model.outputs_function(t, x, u(t), p).full().ravel()
        values = dict(zip(output_names, y, strict=True)) | dict(zip(state_names, x, strict=True))
        rows.append([values[name] for name in names])
    return np.array(rows)


def relative_difference(a, b):
    return float(np.max(np.abs(a - b) / np.max(np.abs(b), axis=0)))


def piecewise(t):
    """Constant between communication points of 0.1 s, so that both interface types see the same."""
    k = math.floor(t / 0.1 + 1e-9)
    return {"F": 40.0 * math.sin(0.7 * k), "T": 490.5 + 10.0 * math.cos(0.3 * k)}


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize(("name", "names"), [("pendulum", PENDULUM), ("overhead", OVERHEAD)])
def test_free_motion_agrees_with_the_reference_in_both_interface_types(exported, name, names, fmi):
    times = np.linspace(0.0, 5.0, 51)
    wanted = reference(getattr(plant_models, name)(), times, names)
    fmu = exported(name, fmi)
    assert relative_difference(simulate_me(fmu, times, names), wanted) < 1e-9
    assert relative_difference(simulate_cs(fmu, times, names, tolerance=1e-10), wanted) < 1e-7


@pytest.mark.parametrize("fmi", [2, 3])
def test_driven_motion_agrees_with_the_reference_in_both_interface_types(exported, fmi):
    times = np.linspace(0.0, 3.0, 31)
    model = plant_models.overhead()
    p = [v.start for v in model.parameters]
    x = model.initial(p).full().ravel()
    wanted = [x]
    for begin, end in pairwise(times):
        u = list(piecewise(begin).values())
        step = solve_ivp(
            lambda t, x, u=u: model.rhs(t, x, u, p).full().ravel(),
            (begin, end),
            x,
            method="DOP853",
            rtol=1e-12,
            atol=1e-13,
        )
        x = step.y[:, -1]
        wanted.append(x)
    fmu, names = exported("overhead", fmi), OVERHEAD[:6]
    cs = simulate_cs(fmu, times, names, piecewise, tolerance=1e-10)
    assert relative_difference(cs, np.array(wanted)) < 1e-7

    def smooth(t):
        return {"F": 40.0 * math.sin(t), "T": 490.5 + 10.0 * math.cos(2.0 * t)}

    me = simulate_me(fmu, times, OVERHEAD, smooth)
    assert relative_difference(me, reference(model, times, OVERHEAD, smooth)) < 1e-7


@pytest.mark.parametrize("method", [1, 2])
def test_co_simulation_does_not_depend_on_the_communication_step(exported, method):
    fmu, options = exported("pendulum", 2), {"tolerance": 1e-8, "method": method}
    end = 73 * 0.04  # a common multiple of 1 ms, 10 ms and 73 ms
    alternating = np.cumsum([0.0] + [0.011, 0.029] * 73)
    results = [
        simulate_cs(fmu, times, PENDULUM, **options)[-1]
        for times in (
            np.linspace(0.0, end, 2921),
            np.linspace(0.0, end, 293),
            np.linspace(0.0, end, 41),
            alternating,
        )
    ]
    for result in results[1:]:
        # The integrator's own steps are the same: what differs is rounding.
        np.testing.assert_allclose(result, results[0], rtol=1e-11, atol=1e-12)


def test_input_jumps_with_any_communication_step_stay_within_the_tolerance(exported):
    def pulse(t):
        return {"tau": 5.0 if 0.995 < t < 1.995 else 0.0}

    fmu = exported("pendulum", 3)
    coarse = simulate_cs(fmu, np.linspace(0, 4, 5), PENDULUM, pulse, tolerance=1e-9)
    fine = simulate_cs(fmu, np.linspace(0, 4, 401), PENDULUM, pulse, tolerance=1e-9)
    assert relative_difference(coarse, fine[::100]) < 1e-7


@pytest.mark.parametrize("method", [1, 2])
def test_a_jump_of_the_input_leaves_no_derivative_from_before_it(exported, method):
    """x' = u + sin t with u held: its integral is exact, whatever the tolerance.

    A derivative from before the jump in the first stage would pass the error control with an error
    of 74 tolerances: weight 35/384 in the solution, 71/57600 in its error (Dormand, Prince).
    """
    times, u = np.linspace(0.0, 1.0, 11), [5.0 * (k % 2) for k in range(10)]
    found = simulate_cs(
        exported("integrator", 2),
        times,
        ["x"],
        lambda t: {"u": u[round(t / 0.1)]},
        method=method,
        tolerance=1e-4,
    )
    # steps of at most 0.1 s: the integral of sin t by methods of order 4 and 5 is good to 1e-6
    assert found[-1, 0] == pytest.approx(0.1 * sum(u) + 1.0 - math.cos(1.0), abs=1e-6)


@pytest.mark.parametrize("fmi", [2, 3])
def test_restored_state_repeats_the_run_bit_for_bit(exported, fmi):
    with running(exported("overhead", fmi), "cs") as fmu:
        fmu.initialize(tolerance=1e-8)
        for k in range(37):
            fmu.step(0.01 * k, 0.01)
        state = fmu.save()
        data = fmu.serialize(state)

        def go_on():
            for k in range(37, 90):
                if k == 50:
                    fmu.set({"F": 10.0, "m": 60.0})
                fmu.step(0.01 * k, 0.01)
            return fmu.get(OVERHEAD)

        first = go_on()
        fmu.restore(state)
        second = go_on()
        copy = fmu.deserialize(data)
        fmu.restore(copy)
        third = go_on()
        assert fmu.get(["m"])[0] == 60.0
        fmu.restore(state)
        assert fmu.get(["m"])[0] == 50.0
        fmu.release(state)
        fmu.release(copy)
    assert np.array_equal(first, second)
    assert np.array_equal(first, third)


@pytest.mark.parametrize("fmi", [2, 3])
def test_reset_gives_the_run_of_a_new_instance(exported, fmi):
    with running(exported("pendulum", fmi), "cs") as fmu:
        fmu.initialize(tolerance=1e-8, parameters={"phi0": 0.2, "m": 3.0})
        fmu.set({"tau": 5.0})
        fmu.step(0.0, 1.0)
        changed = fmu.get(PENDULUM)
        fmu.raw.reset()
        fmu.initialize(tolerance=1e-8)
        assert fmu.get(["tau"])[0] == 0.0
        fmu.step(0.0, 1.0)
        again = fmu.get(PENDULUM)
    with running(exported("pendulum", fmi), "cs") as fmu:
        fmu.initialize(tolerance=1e-8)
        fmu.step(0.0, 1.0)
        assert np.array_equal(again, fmu.get(PENDULUM))
    assert not np.allclose(changed, again)


@pytest.mark.parametrize("fmi", [2, 3])
def test_reset_gives_inputs_their_start_values(exported, fmi):
    with running(exported("overhead", fmi), "cs") as fmu:
        fmu.initialize(tolerance=1e-8)
        fmu.set({"F": 40.0, "T": 600.0})
        fmu.step(0.0, 0.3)
        fmu.set({"F": -7.0})
        if fmi == 2:
            # for a step that does not come: it must not be waiting for the next one
            fmu.raw.setRealInputDerivatives([fmu.vr["F"]], [1], [100.0])
        fmu.raw.reset()
        fmu.initialize(tolerance=1e-8)
        assert fmu.get(["F", "T"]).tolist() == [0.0, 490.5]
        fmu.step(0.0, 0.3)
        again = fmu.get(OVERHEAD)
    with running(exported("overhead", fmi), "cs") as fmu:
        fmu.initialize(tolerance=1e-8)
        fmu.step(0.0, 0.3)
        assert np.array_equal(again, fmu.get(OVERHEAD))


@pytest.mark.parametrize("fmi", [2, 3])
def test_restored_state_does_not_take_a_derivative_of_another_run(exported, fmi):
    """The implicit integrator keeps no derivative for its next step, the explicit one does."""

    def go_on(fmu, begin, count):
        for k in range(begin, begin + count):
            fmu.step(0.05 * k, 0.05)
        return fmu.get(OVERHEAD)

    with running(exported("overhead", fmi), "cs") as fmu:
        fmu.set_integer("integrator.method", 2)
        fmu.initialize(tolerance=1e-6)
        go_on(fmu, 0, 10)
        state = fmu.save()
        first = go_on(fmu, 10, 20)
        fmu.raw.reset()
        fmu.set_integer("integrator.method", 1)
        fmu.initialize(tolerance=1e-6)
        go_on(fmu, 0, 7)
        fmu.restore(state)
        second = go_on(fmu, 10, 20)
        fmu.release(state)
    assert np.array_equal(first, second)


def test_start_values_follow_parameters_and_exact_states_can_be_set(exported):
    with running(exported("pendulum", 2), "me") as fmu:
        fmu.set({"phi0": 0.3, "omega": 1.5})
        fmu.raw.setupExperiment()
        fmu.raw.enterInitializationMode()
        fmu.set({"phi0": 0.4})
        assert fmu.get(["phi", "omega"]).tolist() == [0.4, 1.5]
        fmu.raw.exitInitializationMode()
        assert fmu.get(["phi", "omega"]).tolist() == [0.4, 1.5]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_inputs_are_interpolated_by_their_derivatives_with_their_order(exported, order):
    """Error of the integral of exp(t), held as its Taylor polynomial over steps of size h."""
    errors = []
    for n in (10, 20):
        with running(exported("integrator", 2), "cs") as fmu:
            fmu.initialize(tolerance=1e-12)
            for k in range(n):
                fmu.set({"u": math.exp(k / n)})
                vr = [fmu.vr["u"]] * order
                fmu.raw.setRealInputDerivatives(
                    vr, list(range(1, order + 1)), [math.exp(k / n)] * order
                )
                fmu.step(k / n, 1 / n)
            errors.append(abs(fmu.get(["x"])[0] - (math.e - 1) - (1 - math.cos(1.0))))
    assert errors[0] / errors[1] == pytest.approx(2 ** (order + 1), rel=0.15)


@pytest.mark.parametrize("fmi", [2, 3])
def test_output_derivatives_are_exact(exported, fmi):
    with running(exported("integrator", fmi), "cs") as fmu:
        fmu.initialize(tolerance=1e-12)
        slope = 0.0
        if fmi == 2:
            slope = 0.5
            fmu.raw.setRealInputDerivatives([fmu.vr["u"]], [1], [slope])
        fmu.step(0.0, 2.0)
        get = fmu.raw.getRealOutputDerivatives if fmi == 2 else fmu.raw.getOutputDerivatives
        (got,) = get([fmu.vr["y"]], [1])
        x, u = fmu.get(["x", "u"])
    assert u == 2.0 * slope
    assert got == pytest.approx(3 * slope + x + 2.0 * (u + math.sin(2.0)), rel=1e-12)


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize(
    ("name", "knowns", "unknowns"),
    [
        ("pendulum", ["phi", "omega", "tau"], ["der(phi)", "der(omega)", "energy", "alpha"]),
        ("overhead", ["s", "rope", "phi", "v", "w", "omega", "F", "T"],
         ["der(v)", "der(w)", "der(omega)", "x", "z", "tension"]),
    ],
)  # fmt: skip
def test_directional_derivatives_agree_with_central_differences(
    exported, name, knowns, unknowns, fmi
):
    rng = np.random.default_rng(3)
    with running(exported(name, fmi), "me") as fmu:
        fmu.initialize()
        base = fmu.get(knowns) + rng.uniform(0.1, 0.5, len(knowns))
        seed = rng.normal(size=len(knowns))
        h = 1e-5

        def at(values):
            fmu.set(dict(zip(knowns, values, strict=True)))
            return fmu.get(unknowns)

        difference = (at(base + h * seed) - at(base - h * seed)) / (2 * h)
        at(base)
        exact = fmu.directional(unknowns, knowns, seed)
        if fmi == 3:
            weights = rng.normal(size=len(unknowns))
            adjoint = fmu.raw.getAdjointDerivative(
                [fmu.vr[n] for n in unknowns],
                [fmu.vr[n] for n in knowns],
                list(weights),
                nSensitivity=len(knowns),
            )
            assert np.dot(adjoint, seed) == pytest.approx(np.dot(weights, exact), rel=1e-12)
    np.testing.assert_allclose(exact, difference, rtol=1e-6, atol=1e-7 * np.abs(exact).max())


def test_directional_derivatives_by_parameters_include_the_start_values(exported):
    def der_omega(phi0):
        with running(exported("pendulum", 3), "me") as fmu:
            fmu.set({"phi0": phi0})
            fmu.raw.enterInitializationMode()
            exact = fmu.directional(["der(omega)", "phi"], ["phi0"], [1.0])
            return fmu.get(["der(omega)"])[0], exact

    h = 1e-6
    difference = (der_omega(0.7 + h)[0] - der_omega(0.7 - h)[0]) / (2 * h)
    exact = der_omega(0.7)[1]
    assert exact[0] == pytest.approx(difference, rel=1e-8)
    assert exact[1] == 1.0


@pytest.mark.parametrize(("method", "order"), [(1, 5), (2, 4)])
def test_global_error_and_steps_follow_the_order_of_the_integrator(exported, method, order):
    """For a method of order p the work grows with tolerance^(-1/p) (up to its error estimate)."""
    times = np.array([0.0, 10.0])
    wanted = reference(plant_models.pendulum(), times, PENDULUM[:2])[-1]
    errors, steps = [], []
    for tolerance in (1e-6, 1e-7, 1e-8, 1e-9, 1e-10):
        with running(exported("pendulum", 2), "cs") as fmu:
            fmu.set_integer("integrator.method", method)
            fmu.initialize(tolerance=tolerance)
            fmu.step(0.0, 10.0)
            errors.append(np.max(np.abs(fmu.get(PENDULUM[:2]) - wanted)))
            steps.append(fmu.get_integer("integrator.steps"))
    # error ~ steps^-p, fitted: close enough to tell 5 from 4
    observed = -np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert observed == pytest.approx(order, abs=0.2)
    assert errors[-1] < 1e-8


def test_stiff_plant_needs_far_fewer_steps_with_the_implicit_integrator(exported):
    steps = {}
    for method, end in ((1, 1.0), (2, 1.0), (2, 2000.0)):
        with running(exported("van_der_pol", 2), "cs") as fmu:
            fmu.set_integer("integrator.method", method)
            fmu.initialize(tolerance=1e-6)
            fmu.step(0.0, end)
            steps[method, end] = fmu.get_integer("integrator.steps")
            x = fmu.get(["x0"])[0]
    assert steps[2, 1.0] * 20 < steps[1, 1.0]
    assert steps[2, 2000.0] < 1000
    # Hairer, Wanner, Solving Ordinary Differential Equations II, IV.10: x(2000) for mu = 1000.
    assert x == pytest.approx(1.706167732170469, rel=1e-4)


@pytest.mark.parametrize("fmi", [2, 3])
def test_two_instances_in_two_threads_do_not_disturb_each_other(exported, fmi):
    fmu = exported("overhead", fmi)
    times = np.linspace(0.0, 4.0, 401)
    alone = [simulate_cs(fmu, times, OVERHEAD, parameters={"m": m}) for m in (40.0, 70.0)]
    together = [None, None]

    def run(i, m):
        together[i] = simulate_cs(fmu, times, OVERHEAD, parameters={"m": m})

    threads = [threading.Thread(target=run, args=(i, m)) for i, m in enumerate((40.0, 70.0))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(2):
        assert np.array_equal(alone[i], together[i])


def test_step_across_a_singularity_is_an_error_and_leaves_the_instance_where_it_was(exported):
    with running(exported("edge", 2), "cs") as fmu:
        fmu.initialize(tolerance=1e-8)
        fmu.step(0.0, 0.5)
        before = fmu.get(["time", "x", "y"])
        with pytest.raises(FMICallException):
            fmu.step(0.5, 1.0)
        assert np.array_equal(before, fmu.get(["time", "x", "y"]))
        assert re.search(r"cannot go on at time (0\.99999|1\.00000)", fmu.messages[-1][1])
        fmu.step(0.5, 0.25)
        assert fmu.get(["x"])[0] == pytest.approx(0.5, rel=1e-6)


def test_model_exchange_discards_points_outside_the_model(exported):
    with running(exported("edge", 2), "me", logging=True) as fmu:
        fmu.initialize()
        with pytest.raises(FMICallException) as raised:
            fmu.rhs(0.0, np.zeros(1))
        assert raised.value.status == 2
        assert fmu.messages[-1][0] == "logStatusDiscard"
        assert fmu.rhs(0.0, np.ones(1))[0] == -0.5
