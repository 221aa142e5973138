"""A crane read from a Modelica model: inputs, outputs and ropes by the model's own names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.twin.language import Components, Crane, Equations, Expressions, names

Array = NDArray[np.float64]

_ITERATIONS = 60
_SETTLED = 1e-13


class ModelicaCrane(Crane):
    """A crane read from Modelica: its equations are those of the model, and not of energies.

    Attributes
    ----------
    source : str
        ``FILE.mo:Class``.
    equations : Equations
        The model's, in the second order.
    held : mapping of str to float
        Inputs that are no controls, and the start values that they keep.
    constants : tuple of str
        Parameters of the model that became constants.
    """

    source: str
    equations: Equations
    held: Mapping[str, float]
    constants: tuple[str, ...]
    has_model_names = True
    _start: Array
    _balance: ca.Function
    _states: ca.Function
    _state_names: tuple[str, ...]

    def stated_equations(self) -> Equations:
        """Return the model's equations, in the second order."""
        return self.equations

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Return the outputs, as the model has them."""
        model = self.equations
        function = ca.Function("outputs", [model.q, model.p], [model.outputs])
        values = function(ca.vertcat(*q), ca.vertcat(ca.SX(0, 1), *p))
        return {output.name: values[i] for i, output in enumerate(self.outputs)}

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Refuse what needs energies: a Modelica model has equations only."""
        raise InputError(
            f"crane '{self.source}' is read from Modelica, which has equations and no energies: "
            "describe the crane in Python for this (docs/own-crane.md)"
        )

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Return zero: it is not known, and `kinetic_energy` refuses who needs more than a hint."""
        return 0.0

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Return v^T B u of the model's equations: which coordinates the inputs act on."""
        matrix = self.equations.input_matrix
        own = ca.DM(matrix.sparsity(), 1.0)
        return ca.dot(ca.vertcat(*v), own @ ca.vertcat(*u))

    def parameter_values(self, overrides: Mapping[str, object] | None = None) -> dict[str, float]:
        """Return all parameter values; say of a constant how it becomes a parameter."""
        for name in overrides or {}:
            if name in self.constants:
                raise InputError(
                    f"parameter '{name}' of crane '{self.source}' is 0, 1 or -1 by default, and "
                    "was taken for a constant: give it a value in [crane.parameters], and it is a "
                    "parameter everywhere"
                )
        return super().parameter_values(overrides)

    def model_states(self, q: Components, v: Components, p: Components) -> Expressions:
        """Return the model's states, of which some are velocities and quasi-velocities."""
        values = self._states(*(ca.vertcat(ca.SX(0, 1), *part) for part in (q, v, p)))
        return {name: values[i] for i, name in enumerate(self._state_names)}

    def variables_in(self, model: str) -> tuple[str, ...]:
        """Return outputs, ropes and states, if it is the model that they are from."""
        if _place(model) != _place(self.source):
            return ()
        return tuple(dict.fromkeys((*names((*self.outputs, *self.ropes)), *self._state_names)))

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Return the equilibrium with the outputs `y`, by Newton's method from the start values.

        Steps are the smallest that there are: what no output and no balance decides stays where
        the model starts.
        """
        wanted = np.array([y[output.name] for output in self.outputs])
        parameters = np.array([p[parameter.name] for parameter in self.parameters])
        z = self._start.copy()
        for _ in range(_ITERATIONS):
            values, jacobian = (np.array(part) for part in self._balance(z, parameters))
            error = values.ravel()
            error[error.size - wanted.size :] -= wanted
            if not np.isfinite(error).all() or not np.isfinite(jacobian).all():
                break
            step = np.linalg.lstsq(jacobian, -error, rcond=1e-12)[0]
            z += step
            if np.abs(step).max(initial=0.0) <= _SETTLED * (1.0 + np.abs(z).max()):
                break
        return {c.name: float(z[i]) for i, c in enumerate(self.coordinates)}


def _place(source: str) -> tuple[Path, str]:
    """Return file and class of a model; no class for the file's first."""
    file, class_name = source.rsplit(":", 1) if ".mo:" in source else (source, "")
    return Path(file), class_name
