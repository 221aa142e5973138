"""Signature, offsets and system Jacobian of a DAE.

The signature is found by evaluation: a derivative whose coefficient vanishes identically is not
there, whatever stands in the expression.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.structure import rounding_bounds
from cranebridge.structure.dae import SIGNAL, VARIABLE, Dae, Key
from cranebridge.structure.pryce import ABSENT, offsets
from cranebridge.structure.random_states import SPREAD, Start

Array = NDArray[np.float64]
Integers = NDArray[np.int_]

_POINTS = 3


@dataclass(frozen=True, eq=False)
class Analysis:
    """Signature, offsets and system Jacobian of a DAE.

    Attributes
    ----------
    signature : numpy.ndarray
        sigma_ij.
    c, d : numpy.ndarray
        Offsets of equations and variables.
    path : numpy.ndarray
        Order of each signal's derivative in each equation; ``-inf`` where it is absent.
    jacobian : casadi.SX
        J_ij = df_i / dx_j^(d_j - c_i) in the symbols of `dae`.
    signal_jacobian : casadi.SX
        G_il = df_i / dg_l^(e_l - c_i), e being the `signal_offsets`: what the highest derivatives
        of the signals do to the variables, J x^(d) + G g^(e) = ...
    """

    dae: Dae
    signature: Array
    c: Integers
    d: Integers
    path: Array
    jacobian: ca.SX
    signal_jacobian: ca.SX

    @property
    def freedom(self) -> int:
        """Number of free initial values that the structure counts."""
        return int(self.d.sum() - self.c.sum())

    @property
    def signal_offsets(self) -> Integers:
        """Order up to which each signal is differentiated."""
        return _signal_offsets(self.path, self.c)


class UnreachableError(Exception):
    """A signature matrix has no transversal."""


def analyse_dae(dae: Dae, signature: Array, path: Array) -> Analysis:
    """Return offsets and system Jacobian for a signature."""
    found = offsets(signature)
    if found is None:
        raise UnreachableError
    c, d = found
    jacobian = _highest_derivatives(dae, VARIABLE, signature, c, d)
    signal_jacobian = _highest_derivatives(dae, SIGNAL, path, c, _signal_offsets(path, c))
    return Analysis(dae, signature, c, d, path, jacobian, signal_jacobian)


def _signal_offsets(path: Array, c: Integers) -> Integers:
    highest = (path + c[:, None]).max(axis=0, initial=0.0)
    return np.asarray(np.maximum(highest, 0.0), dtype=int)


def _highest_derivatives(
    dae: Dae, kind: str, orders: Array, c: Integers, highest: Integers
) -> ca.SX:
    """Return how each equation depends on what its differentiation makes the highest derivatives.

    Parameters
    ----------
    orders : numpy.ndarray
        The highest derivative of each variable, or signal, in each equation.
    c, highest : numpy.ndarray
        Offsets of the equations, and of the variables or signals.
    """
    jacobian = ca.SX(len(c), len(highest))
    for i, residual in enumerate(dae.residuals):
        columns = [int(j) for j in np.flatnonzero(orders[i] == highest - c[i])]
        if columns:
            symbols = (dae.symbols.at(kind, j, int(highest[j] - c[i])) for j in columns)
            jacobian[i, columns] = ca.jacobian(residual, ca.vertcat(*symbols))
    return jacobian


def signature_of(dae: Dae, start: Start) -> tuple[Dae, Array, Array]:
    """Return signature and path orders of a DAE, without derivatives that cancel.

    Derivatives whose coefficient vanishes identically are removed from the equations.
    """
    size = len(dae.residuals)
    sigma = np.full((size, len(dae.variables)), ABSENT)
    path = np.full((size, len(dae.signals)), ABSENT)
    for i in range(size):
        dae, present = _cleaned(dae, i, start)
        for kind, j, order in present:
            table = sigma if kind == VARIABLE else path
            table[i, j] = max(table[i, j], order)
    return dae, sigma, path


def coarse(values: Array) -> Array:
    """Return values near given ones of which there are few, of the same signs; 0 stays 0.

    Magnitudes below 0.5 become 0.25 (angles), others 1.25 times a power of two: at most 0.25, or a
    factor 1.6, away. None of them is a round number that an equation may have as a singularity.
    """
    size = np.abs(values)
    octave = 2.0 ** np.floor(np.log2(np.maximum(size, 0.5)))
    return np.sign(values) * np.where(size < 0.5, 0.25, 1.25 * octave)


def _cleaned(dae: Dae, row: int, start: Start) -> tuple[Dae, list[Key]]:
    """Remove symbols on which an equation does not depend; returns those that stay."""
    residual = dae.residuals[row]
    symbols = dae.symbols.of(residual)
    keys = list(symbols)
    if not keys:
        return dae, []
    vector = ca.vertcat(*symbols.values())
    gradient = ca.gradient(residual, vector)
    function = ca.Function("gradient", [vector, dae.p], [gradient])
    random = Random(7)
    values = np.array([start.near(keys, random, SPREAD) for _ in range(_POINTS)])
    parameters = np.array([start.parameters(random) for _ in range(_POINTS)])
    zero = np.ones(len(keys), dtype=bool)
    places = gradient.sparsity().row()
    zero[places] = rounding_bounds.vanishing(function, [values, parameters])
    if zero.any():
        gone = [key for key, is_zero in zip(keys, zero, strict=True) if is_zero]
        old = ca.vertcat(*(symbols[key] for key in gone))
        # Any value would do: one near that at rest, since the combination may have divided by it.
        # Coarse ones are the same for many starts, and so is what is built from the equation.
        rest = start.at_rest(gone)
        for chosen in (coarse(rest), rest):
            without = ca.simplify(ca.substitute(residual, old, ca.SX(chosen)))
            evaluate = ca.Function("residual", [vector, dae.p], [without])
            if np.isfinite(np.array(evaluate(values.T, parameters.T))).all():
                break
        dae = dae.with_residual(row, without, dae.equations[row])
    return dae, [key for key, is_zero in zip(keys, zero, strict=True) if not is_zero]
