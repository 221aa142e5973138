"""An FMU that a process may instantiate once only never gets a second instance in one.

The plant ends its process when it is instantiated again there, even after the first instance has
been freed. Its motion x' = k u is known in closed form.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from integrator_plants import ONCE, integrator_fmu

from cranebridge.plant.description.fmu import inspect
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.sandbox.child_process import PlantCrashError

TIMES = [0.0, 0.5, 1.0]
Build = Callable[[int], Path]


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Build:
    built: dict[int, Path] = {}

    def get(fmi: int) -> Path:
        if fmi not in built:
            # told for one interface: they are one binary
            told = {"me" if fmi == 2 else "cs": ONCE}
            built[fmi] = integrator_fmu(tmp_path_factory.mktemp("once"), fmi, "-DONCE", **told)
        return built[fmi]

    return get


def constant(u: float) -> Controls:
    return Controls.constant([u], ["u"])


def test_description_tells_it_for_either_interface(once: Build, tmp_path: Path) -> None:
    assert inspect(once(2)).once_per_process
    assert inspect(once(3)).once_per_process
    for fmi in (2, 3):
        said = {"me": ONCE.replace("true", "false"), "cs": ""}
        assert not inspect(integrator_fmu(tmp_path, fmi, **said)).once_per_process


def test_an_fmu_that_does_not_tell_is_ended(tmp_path: Path) -> None:
    # the plant does what it is here for
    with Plant(integrator_fmu(tmp_path, 2, "-DONCE")) as plant:
        plant.simulate(times=TIMES)
        with pytest.raises(PlantCrashError):
            plant.simulate(times=TIMES)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize(("fmi", "interface"), [(2, "me"), (2, "cs"), (3, "me"), (3, "cs")])
def test_runs_one_after_the_other(once: Build, fmi: int, interface: str, persistent: bool) -> None:
    with Plant(once(fmi), interface=interface, persistent=persistent) as plant:
        for k in (1, 2):
            run = plant.simulate(times=TIMES, inputs=constant(2.0), parameters={"k": k})
            assert run.column("y") == pytest.approx([0.0, k, 2.0 * k], abs=1e-12)
            assert not run.set_back
            assert "freed" in run.log


def test_points_linearization_and_both_interfaces(once: Build) -> None:
    with Plant(once(2)) as plant:
        rates, outputs = plant.derivatives(
            [[1.0], [2.0]], [[3.0], [3.0]], [[1.0], [5.0]], parameter_names=["k"]
        )
        assert rates.tolist() == [[3.0], [15.0]]
        assert outputs.tolist() == [[1.0], [2.0]]
        assert plant.rates([[1.0]], [[3.0]]).output_rates[0] == pytest.approx([3.0])
        assert plant.second_rates([[1.0]], [[3.0]])[0] == pytest.approx([0.0], abs=1e-6)
        assert plant.directional([1.0], [3.0]).B[0] == pytest.approx([1.0])
        other = plant.sibling("cs").simulate(times=TIMES, inputs=constant(1.0))
        again = plant.simulate(times=TIMES, inputs=constant(1.0))
    assert other.column("y") == pytest.approx(TIMES)
    assert again.column("y") == pytest.approx(TIMES)


def test_input_derivatives_are_tried_in_another_process(once: Build) -> None:
    # One step of a second: only derivatives up to the second make a parabola's integral exact.
    # u = 1 + 2 t + 3 t^2
    parabola = Controls.cubic([0.0, 1.0], [[1.0], [6.0]], [[2.0], [8.0]], ["u"])
    with Plant(once(2), interface="cs") as plant:
        runs = [plant.simulate(times=[0.0, 1.0], inputs=parabola, step=1.0) for _ in range(2)]
        held = plant.simulate(times=[0.0, 1.0], inputs=parabola, step=1.0, input_derivatives=False)
    assert [run.column("y")[-1] for run in runs] == pytest.approx([3.0, 3.0], rel=1e-14)
    assert held.column("y")[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("fmi", [2, 3])
def test_runs_from_a_saved_state_stay_in_their_process(once: Build, fmi: int) -> None:
    with Plant(once(fmi), interface="cs") as plant:
        for _ in range(2):
            first = plant.simulate(times=[0.0, 1.0], inputs=constant(2.0), saved="begin")
            later = [
                plant.simulate(times=[1.0, 2.0], inputs=constant(u), saved="resume")
                for u in (1.0, 4.0)
            ]
            ends = [run.column("y")[-1] for run in (first, *later)]
            assert ends == pytest.approx([2.0, 3.0, 6.0])
