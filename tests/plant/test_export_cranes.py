"""Every crane of modelica/Cranes as an FMU: valid, the four ways agree, exact derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from fmpy.validation import validate_fmu
from fmu_driver import Exported, running, simulate_cs

from cranebridge.frontend import modelica_model
from cranebridge.frontend.modelica_model import crane_names
from cranebridge.plant.export.fmu_export import cached_fmu
from further import mostly_further
from library_models import library_model

pytestmark = pytest.mark.slow

# Compiled as users get them, with optimisation: a small one, and if they are asked for the largest,
# one with friction, one that is stiff; each for one version, compared with the other as it is
# written. The rest have the same runtime and straight-line arithmetic like theirs.
OPTIMISED = {
    "OverheadCrane": "3.0",
    "Cablev": "3.0",
    "RotaryCraneReal": "2.0",
    "NavyCrane2DElastic": "3.0",
}


CRANES = crane_names()
# Building an FMU is what takes the time: one version of each crane, in turn, is always looked at.
FMUS = [f"{name}-{fmi}" for name in CRANES for fmi in (2, 3)]
IN_TURN = [f"{name}-{3 - k % 2}" for k, name in enumerate(CRANES)]
# Both versions of one that is optimised and one that turns. One that is stiff, and those with
# friction that sticks, have to agree with an oracle by all ways in test_modelica_navy_elastic.py
# and test_modelica_stops.py.
BOTH = ("OverheadCrane", "RotaryCrane")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int], Exported]:
    """FMUs by crane and FMI version; from the cache, as other tests use them too."""

    @cache
    def build(name: str, number: int) -> Exported:
        fmi = "2.0" if number == 2 else "3.0"
        with pytest.MonkeyPatch.context() as patch:
            if OPTIMISED.get(name) == fmi:
                patch.delenv("CC", raising=False)
            patch.setattr(modelica_model, "load_model", library_model)
            file = cached_fmu(name, fmi=fmi)
        return Exported.open(file, tmp_path_factory.mktemp(name) / fmi)

    return build


@pytest.fixture(scope="module")
def fmu_of_crane(request: pytest.FixtureRequest, built) -> Exported:
    """An FMU of a crane in one version."""
    name, fmi = request.param.split("-")
    return built(name, int(fmi))


@pytest.fixture(scope="module")
def crane(request: pytest.FixtureRequest, built) -> list[Exported]:
    """(FMI 2, FMI 3) FMUs of a crane."""
    return [built(request.param, fmi) for fmi in (2, 3)]


each_fmu = pytest.mark.parametrize("fmu_of_crane", mostly_further(FMUS, *IN_TURN), indirect=True)
both_versions = pytest.mark.parametrize("crane", mostly_further(CRANES, *BOTH), indirect=True)


def names(exported, causality):
    return [v.name for v in exported.description.modelVariables if v.causality == causality]


def state_names(exported):
    return [u.variable.derivative.name for u in exported.description.derivatives]


@each_fmu
def test_fmpy_finds_nothing_to_complain_about(fmu_of_crane):
    assert validate_fmu(str(fmu_of_crane.path)) == []


def moving(exported):
    """Start velocities that set a crane swinging: with the defaults all of them are at rest."""
    rates = [
        name
        for name in names(exported, "parameter")
        if name.startswith(("v_", "omega_")) and name.endswith("_start")
    ]
    assert rates
    return {name: 0.05 * math.cos(i) for i, name in enumerate(rates)}


def require_motion(rows):
    """Make sure that agreement means something: the outputs change."""
    assert np.max(np.abs(rows[-1] - rows[0])) > 1e-2


def free(_t, _start):
    return {}


def driven(t, start):
    """Around the inputs' start values, constant between communication points of 0.1 s."""
    k = math.floor(t / 0.1 + 1e-9)
    return {n: v + 0.05 * max(abs(v), 1.0) * math.sin(0.5 * k + i)
            for i, (n, v) in enumerate(start.items())}  # fmt: skip


@pytest.mark.parametrize("motion", [free, driven])
@both_versions
def test_four_ways_agree(crane, motion):
    wanted = [n for exported in crane[:1] for n in names(exported, "output")]
    start = {
        v.name: float(v.start)
        for v in crane[0].description.modelVariables
        if v.causality == "input"
    }
    times = np.linspace(0.0, 1.0, 11)

    def inputs(t):
        return motion(t, start)

    start_rates = moving(crane[0])
    results = [
        simulate_cs(e, times, wanted, inputs, tolerance=1e-11, parameters=start_rates)
        for e in crane
    ]
    results += [piecewise_me(e, times, wanted, inputs, start_rates) for e in crane]
    require_motion(results[-1])
    # Against the largest value of each output; what stays below a billionth counts as zero.
    scale = np.maximum(np.max(np.abs(results[-1]), axis=0), 1e-2)
    for result in results[:-1]:
        assert np.max(np.abs(result - results[-1]) / scale) < 1e-7


def piecewise_me(exported, times, wanted, inputs, parameters):
    """Model Exchange with the inputs that Co-Simulation holds; outputs with them at the end."""
    from scipy.integrate import solve_ivp

    with running(exported, "me") as fmu:
        fmu.initialize(parameters=parameters)
        x = fmu.states()
        rows = [fmu.get(wanted)]
        for begin, end in pairwise(times):
            held = inputs(begin)
            solution = solve_ivp(
                lambda t, x, held=held: fmu.rhs(t, x, lambda _: held),
                (begin, end),
                x,
                method="DOP853",
                rtol=1e-12,
                atol=1e-13,
            )
            x = solution.y[:, -1]
            fmu.rhs(end, x, lambda _, held=held: held)
            rows.append(fmu.get(wanted))
    return np.array(rows)


@each_fmu
def test_directional_derivatives_agree_with_central_differences(fmu_of_crane):
    rng = np.random.default_rng(11)
    knowns = state_names(fmu_of_crane) + names(fmu_of_crane, "input")
    unknowns = [u.variable.name for u in fmu_of_crane.description.derivatives]
    unknowns += [n for n in names(fmu_of_crane, "output") if n not in knowns]
    with running(fmu_of_crane, "me") as fmu:
        fmu.initialize()
        base = fmu.get(knowns) + rng.uniform(0.02, 0.1, len(knowns))
        seed = rng.normal(size=len(knowns))

        def at(values):
            fmu.set(dict(zip(knowns, values, strict=True)))
            return fmu.get(unknowns)

        def central(h):
            return (at(base + h * seed) - at(base - h * seed)) / (2 * h)

        # Richardson: the curvature of a stiff rope is too large for one difference.
        h = 1e-4
        difference = (4 * central(h / 2) - central(h)) / 3
        at(base)
        exact = fmu.directional(unknowns, knowns, seed)
    scale = np.maximum(np.abs(exact), 1e-3 * np.abs(exact).max())
    assert np.max(np.abs(exact - difference) / scale) < 1e-6


@pytest.mark.parametrize("method", [1, 2])
@both_versions
def test_co_simulation_does_not_depend_on_the_communication_step(crane, method):
    wanted = names(crane[0], "output")
    alternating = np.cumsum([0.0] + [0.011, 0.062] * 10)
    grids = [np.linspace(0.0, 0.73, count + 1) for count in (730, 73, 10)]
    options = {"method": method, "tolerance": 1e-9, "parameters": moving(crane[0])}
    rows = [simulate_cs(crane[0], times, wanted, **options) for times in (*grids, alternating)]
    require_motion(rows[0])
    runs = [row[-1] for row in rows]
    for run in runs[1:]:
        assert np.max(np.abs(run - runs[0]) / np.maximum(np.abs(runs[0]), 1.0)) < 1e-8


@each_fmu
def test_restored_state_and_reset_repeat_the_run(fmu_of_crane):
    wanted, rates = names(fmu_of_crane, "output"), moving(fmu_of_crane)
    with running(fmu_of_crane, "cs") as fmu:

        def go(begin, end):
            for k in range(begin, end):
                fmu.step(0.01 * k, 0.01)
            return fmu.get(wanted)

        fmu.initialize(tolerance=1e-8, parameters=rates)
        middle = go(0, 15)
        state = fmu.save()
        first = go(15, 30)
        fmu.restore(state)
        assert np.array_equal(go(15, 30), first)
        fmu.release(state)
        fmu.raw.reset()
        fmu.initialize(tolerance=1e-8, parameters=rates)
        assert np.array_equal(go(0, 15), middle)
        assert np.array_equal(go(15, 30), first)
    assert np.max(np.abs(first - middle)) > 1e-3
