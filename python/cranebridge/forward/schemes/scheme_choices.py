"""The integrators by name, and the one call that runs them."""

from __future__ import annotations

from collections.abc import Callable

from numpy.typing import ArrayLike

from cranebridge.errors import unknown
from cranebridge.forward.schemes.energy_momentum import energy_momentum_scheme
from cranebridge.forward.schemes.generalized_alpha import generalized_alpha_scheme
from cranebridge.forward.schemes.implicit_euler import implicit_euler_scheme
from cranebridge.forward.schemes.mechanical_system import MechanicalSystem
from cranebridge.forward.schemes.midpoint import midpoint_scheme
from cranebridge.forward.schemes.null_space import null_space_scheme
from cranebridge.forward.schemes.scheme import Inputs, Scheme, SystemMotion, run
from cranebridge.forward.schemes.variational import variational_scheme

METHODS: dict[str, Callable[[MechanicalSystem, ArrayLike], Scheme]] = {
    "implicit-euler": implicit_euler_scheme,
    "midpoint": midpoint_scheme,
    "energy-momentum": energy_momentum_scheme,
    "null-space": null_space_scheme,
    "variational": variational_scheme,
    "generalized-alpha": generalized_alpha_scheme,
}


def make_scheme(system: MechanicalSystem, method: str, q0: ArrayLike) -> Scheme:
    """Return one step of the method called `method` for a system that starts near `q0`."""
    if method not in METHODS:
        raise unknown("integrator", method, METHODS)
    return METHODS[method](system, q0)


def integrate(
    system: MechanicalSystem,
    method: str,
    q0: ArrayLike,
    v0: ArrayLike,
    times: ArrayLike,
    u: Inputs | None = None,
) -> SystemMotion:
    """Integrate a mechanical system from (q0, v0) with the steps between `times`.

    Parameters
    ----------
    system : MechanicalSystem
        What moves.
    method : str
        A name in `METHODS`.
    q0, v0 : array_like
        A consistent state at the first time.
    times : array_like
        Increasing times.
    u : callable, optional
        Inputs at a time; zero by default.
    """
    return run(make_scheme(system, method, q0), q0, v0, times, u)
