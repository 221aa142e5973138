"""Plots have units on all axes and limits as bands; the animation is a page of its own."""

from __future__ import annotations

import re

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.collections import PolyCollection

import cranebridge as cb
from cranebridge.errors import InputError

LABEL = re.compile(r"^[a-z ]+ \[[^\]]+\]$")


def test_every_axis_has_its_unit(solution, verification) -> None:
    for result, count in ((solution, 4), (verification, 5)):
        axes = result.plot()
        assert len(axes) == count
        for one in axes:
            assert one.get_xlabel().splitlines()[0] == "time [s]"
            assert LABEL.match(one.get_ylabel()), one.get_ylabel()


def test_signals_of_one_unit_are_together(solution) -> None:
    axes = solution.plot("u", "q.s", "v.s")
    labels = [one.get_ylabel() for one in axes]
    assert labels == ["torque [N·m]", "force [N]", "position [m]", "speed [m/s]"]
    curves = [[line.get_label() for line in one.get_lines()] for one in axes]
    assert {"u.M_b", "u.M_w"} <= set(curves[0])


def test_curve_is_the_signal(solution) -> None:
    (axes,) = solution.plot("u.F_t")
    line = next(line for line in axes.get_lines() if line.get_label() == "u.F_t")
    np.testing.assert_array_equal(line.get_xdata(), solution.time)
    np.testing.assert_array_equal(line.get_ydata(), solution["u.F_t"])


def test_large_values_have_a_prefix_and_keep_their_size() -> None:
    heavy = cb.load("gantry", {"solve.step": 0.1}).solve()
    name = max((n for n in heavy.names if n.startswith("u.")), key=lambda n: abs(heavy[n]).max())
    (axes,) = heavy.plot(name)
    assert re.search(r"\[k[A-Z]", axes.get_ylabel())
    line = next(line for line in axes.get_lines() if line.get_label() == name)
    np.testing.assert_allclose(1000.0 * line.get_ydata(), heavy[name], rtol=1e-12)


def bands(axes) -> list[float]:
    """Return the sides of the shaded bands that are limits."""
    found = [
        one.get_paths()[0].vertices for one in axes.collections if isinstance(one, PolyCollection)
    ]
    return sorted({float(value) for one in found for value in (one[:, 1].min(), one[:, 1].max())})


def test_limits_are_bands(verification) -> None:
    (axes,) = verification.plot("u.F_t")
    assert {-520.0, 520.0} <= set(bands(axes))
    low, high = axes.get_ylim()
    assert low < -520.0
    assert high > 520.0
    (axes,) = verification.solution.plot("v.s")
    assert {-3.5, 3.5} <= set(bands(axes))
    (axes,) = verification.solution.plot("q.s")
    assert bands(axes) == []


def test_plots_go_into_given_axes(solution) -> None:
    _, own = pyplot.subplots(2)
    assert list(solution.plot("u", axes=own)) == list(own)
    with pytest.raises(InputError, match=r"2 plots \(N·m, N\), got 1 axes"):
        solution.plot("u", axes=own[0])


def test_unknown_plot_has_the_closest_match(solution) -> None:
    with pytest.raises(InputError, match=r"'rops'\. Did you mean 'ropes'"):
        solution.plot("rops")


# ---------------------------------------------------------------------------- animation


def test_animation_fetches_nothing(verification) -> None:
    page = verification.animate()
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?!data:)[^"'\s>]*//""", page.html)
    assert "default-src &#39;none&#39;" in page.html
    assert not re.search(r"<script[^>]+src", page.html)
    assert "@import" not in page.html
    frame = page._repr_html_()
    assert frame.startswith('<iframe title="animation of overhead" sandbox="allow-scripts"')
    assert frame.count("<") == 2  # the page in it is escaped
    assert repr(page) == "Animation(name='overhead', height=420)"


def test_animation_is_saved_once(verification, tmp_path) -> None:
    page = verification.animate()
    file = page.save(tmp_path / "overhead.html")
    assert file.read_text(encoding="utf-8") == page.html
    with pytest.raises(InputError, match="exists"):
        page.save(file)
