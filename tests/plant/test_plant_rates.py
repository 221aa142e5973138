"""Time derivatives of outputs against closed forms, with and without directional derivatives."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from fmu_driver import Exported
from foreign import misbehaving_fmu

from cranebridge.errors import InputError
from cranebridge.plant.plant import Plant
from cranebridge.plant.sandbox import point_requests as module
from cranebridge.plant.sandbox.plant_results import Rates

Open = Callable[..., Plant]
NAMES = ("phi", "position[1]", "energy", "alpha")
M, LENGTH, D, GRAVITY = 2.0, 1.5, 0.1, 9.81


@pytest.fixture(scope="module")
def opened(
    exported: Callable[[str, int], Exported], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Open]:
    """Plants with their directional derivatives, or with a description that denies them."""
    plants: dict[tuple[str, int, bool], Plant] = {}

    def get(name: str, fmi: int = 2, directional: bool = True) -> Plant:
        key = (name, fmi, directional)
        if key not in plants:
            path = exported(name, fmi).path
            if not directional:
                path = without_directional(path, tmp_path_factory.mktemp("plain") / path.name)
            plants[key] = Plant(path)
        return plants[key]

    yield get
    for plant in plants.values():
        plant.close()


def without_directional(path: Path, target: Path) -> Path:
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w") as archive:
        for name in source.namelist():
            content = source.read(name)
            if name == "modelDescription.xml":
                assert b"providesDirectionalDerivative" in content
                content = content.replace(b"providesDirectionalDerivative", b"x")
                content = content.replace(b' xs="true"', b"").replace(b' x="true"', b"")
            archive.writestr(name, content)
    return target


def points() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    return rng.normal(size=(20, 2)), rng.normal(size=(20, 1))


def closed_form(x: np.ndarray, u: np.ndarray, m: float = M) -> tuple[np.ndarray, ...]:
    """der(x), first and second derivatives of the pendulum's outputs, by hand."""
    (phi, omega), tau, inertia = x.T, u[:, 0], m * LENGTH**2
    sine, cosine = np.sin(phi), np.cos(phi)
    weight = m * GRAVITY * LENGTH
    alpha = (tau - D * omega - weight * sine) / inertia
    jerk = (-D * alpha - weight * cosine * omega) / inertia
    snap = (-D * jerk - weight * (cosine * alpha - sine * omega**2)) / inertia
    first = [omega, LENGTH * cosine * omega, omega * (tau - D * omega), jerk]
    second = [
        alpha,
        LENGTH * (cosine * alpha - sine * omega**2),
        alpha * (tau - 2.0 * D * omega),
        snap,
    ]
    return np.column_stack([omega, alpha]), np.column_stack(first), np.column_stack(second)


@pytest.mark.parametrize("fmi", [2, 3])
def test_rates_by_directional_derivatives_are_exact(opened, fmi):
    x, u = points()
    found = opened("pendulum", fmi).rates(x, u)
    derivatives, first, _ = closed_form(x, u)
    assert found.exact
    assert found.output_names == NAMES
    assert found.derivatives == pytest.approx(derivatives, rel=1e-13, abs=1e-13)
    assert found.output_rates == pytest.approx(first, rel=1e-12, abs=1e-12)
    same = opened("pendulum", fmi).derivatives(x, u)
    assert (found.derivatives == same[0]).all()
    assert (found.outputs == same[1]).all()


@pytest.mark.parametrize("fmi", [2, 3])
def test_rates_without_directional_derivatives_are_differences_of_order_four(
    opened, fmi, monkeypatch
):
    plant = opened("pendulum", fmi, directional=False)
    assert not plant.info.can_get_derivatives
    x, u = points()
    _, first, second = closed_form(x, u)
    usual = plant.rates(x, u)
    assert not usual.exact
    # rounding: 1e-16 of outputs up to 50 divided by h = 1e-3, and by h^2 for the second
    assert usual.output_rates == pytest.approx(first, rel=1e-10, abs=1e-10)
    assert plant.second_rates(x, u) == pytest.approx(second, rel=1e-7, abs=1e-7)
    errors = {}
    for h in (0.04, 0.02):
        monkeypatch.setattr(module, "DIFFERENCE_STEP", h)
        errors[h] = [
            np.abs(plant.rates(x, u).output_rates - first).max(axis=0),
            np.abs(plant.second_rates(x, u) - second).max(axis=0),
        ]
    # halving the step: 16 times less. The errors are sums of several terms, hence the margin.
    assert np.log2(np.array(errors[0.04]) / errors[0.02]) == pytest.approx(4.0, abs=0.25)


def test_second_rates_are_better_with_directional_derivatives(opened):
    x, u = points()
    # one difference of exact rates: rounding of 1e-16 of rates up to 50, divided by h = 1e-4
    assert opened("pendulum").second_rates(x, u) == pytest.approx(
        closed_form(x, u)[2], rel=1e-10, abs=1e-10
    )


@pytest.mark.parametrize("directional", [True, False])
def test_parameters_and_chosen_outputs(opened, directional):
    x, u = points()
    masses = np.repeat([1.0, 3.0], 10)[:, None]
    plant = opened("pendulum", 2, directional)
    options = {"parameter_names": ["m"], "outputs": ["omega", "alpha", "der(omega)"]}
    found = plant.rates(x, u, masses, **options)
    parts = [closed_form(x[:10], u[:10], 1.0), closed_form(x[10:], u[10:], 3.0)]
    derivatives, first, second = (np.vstack(pair) for pair in zip(*parts, strict=True))
    wanted = np.column_stack([derivatives[:, 1], first[:, 3], first[:, 3]])
    assert found.exact is directional
    assert found.output_rates == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    assert plant.second_rates(x, u, masses, **options)[:, 1] == pytest.approx(
        second[:, 3], rel=1e-7, abs=1e-7
    )


@pytest.mark.parametrize("directional", [True, False])
def test_explicit_time_is_part_of_the_rates(opened, directional):
    # x' = u + sin t, y = 3 u + x t
    x, u = np.array([[0.4], [-2.0], [1.0]]), np.array([[1.0], [0.5], [-3.0]])
    t = np.array([0.0, 0.7, 2.0])
    plant = opened("integrator", 2, directional)
    found = plant.rates(x, u, times=t)
    rate = u[:, 0] + np.sin(t)
    assert found.output_rates[:, 0] == pytest.approx(x[:, 0] + t * rate, rel=1e-11, abs=1e-11)
    # part of it is a difference, so that it is not called exact
    assert not found.exact
    second = plant.second_rates(x, u, times=t)
    assert second[:, 0] == pytest.approx(2.0 * rate + t * np.cos(t), rel=1e-7, abs=1e-7)


def test_a_foreign_fmu_without_directional_derivatives(tmp_path):
    with Plant(misbehaving_fmu(tmp_path, "GOOD")) as plant:
        found = plant.rates([[0.5], [0.1]], [[0.1], [2.0]], outputs=["y", "x"])
        assert plant.second_rates([[0.5]], [[0.1]])[0] == pytest.approx([0.0], abs=1e-8)
    assert isinstance(found, Rates)
    assert not found.exact
    assert found.output_rates == pytest.approx(np.array([[0.1, 0.1], [2.0, 2.0]]), abs=1e-11)


def test_rates_are_refused_in_words(opened, exported):
    plant = opened("pendulum")
    for ask in (plant.rates, plant.second_rates):
        with pytest.raises(InputError, match="2 columns are needed"):
            ask([[1.0]])
        with pytest.raises(InputError, match="one row at least"):
            ask(np.zeros((0, 2)))
        with pytest.raises(InputError, match="same number of rows"):
            ask([[1.0, 0.0]], times=[0.0, 1.0])
        with pytest.raises(InputError, match=r"unknown output .*'alfa'"):
            ask([[1.0, 0.0]], outputs=["alfa"])
    with (
        Plant(exported("pendulum", 2).path, interface="cs") as other,
        pytest.raises(InputError, match="'rates' needs Model Exchange"),
    ):
        other.rates([[0.0, 0.0]])


@pytest.mark.parametrize("fmi", [2, 3])
def test_linearization_takes_states_as_outputs(opened, fmi):
    result = opened("pendulum", fmi).directional([0.4, 1.0], [2.0], outputs=["omega", "alpha"])
    assert result.exact
    row = [-GRAVITY / 1.5 * np.cos(0.4), -0.1 / 4.5]
    assert pytest.approx(np.array([[0.0, 1.0], row]), abs=1e-13) == result.C
    assert pytest.approx(np.array([[0.0], [1 / 4.5]]), abs=1e-13) == result.D
