"""Results that several tests look at, made once."""

from __future__ import annotations

import matplotlib
import pytest

import cranebridge as cb
from cranebridge.face import Solution, Verification

matplotlib.use("Agg")

LIMITS = {"limits.v": {"s": 3.5}, "limits.u": {"F_t": 520.0}}


@pytest.fixture(scope="session")
def solution() -> Solution:
    """The rotary crane, whose controls have two units."""
    return cb.load("rotary").solve()


@pytest.fixture(scope="session")
def verification() -> Verification:
    """The overhead crane on its FMU, with limits near enough to be seen in a plot."""
    return cb.load("overhead").with_(LIMITS).verify()


@pytest.fixture(autouse=True)
def close_figures():
    yield
    from matplotlib import pyplot

    pyplot.close("all")
