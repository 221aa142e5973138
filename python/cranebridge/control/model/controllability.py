"""What the inputs cannot move: uncontrollable modes of a linear model, with eigenvalue and name.

The controllable subspace is grown from the inputs, V <- orth[V, A V], in states and inputs that
are scaled to the sizes that matter, until nothing new comes. What A does on the complement of V no
input can change; its eigenvalues are those of the uncontrollable modes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Directions that the inputs reach by less than this part of A's size count as not reached:
# rounding in A gives 1e-13, weakly reached modes of the cranes at hand have above 1e-5.
REACHED = 1e-9
# A real part (1/s) above this part of A's size makes a mode unstable; below, it is rounding.
ON_AXIS = 1e-6
# Signals with at least this part of the largest one name a mode.
NAMED = 0.3


@dataclass(frozen=True)
class Mode:
    """A mode that no input can change.

    Attributes
    ----------
    eigenvalue : complex
        In 1/s.
    signals : tuple of str
        Signals that take part most, the largest first.
    kind : {"stable", "on the axis", "unstable"}
        What its eigenvalue says.
    count : int
        How many modes have this eigenvalue.
    """

    eigenvalue: complex
    signals: tuple[str, ...]
    kind: str
    count: int = 1

    def describe(self) -> str:
        """Return the mode in words."""
        value = f"{self.eigenvalue.real:.4g}"
        if self.eigenvalue.imag:
            value = f"{value} +- {abs(self.eigenvalue.imag):.4g}i"
        times = f" ({self.count} times)" if self.count > 1 else ""
        return f"{self.kind} mode of {', '.join(self.signals)}, eigenvalue {value} 1/s{times}"


def controllable_basis(A: Array, B: Array) -> tuple[Array, Array]:
    """Return orthonormal bases of the controllable subspace and of its complement."""
    size = max(float(np.linalg.norm(A, 2)), 1e-300)
    basis = np.zeros((len(A), 0))
    new = B / max(float(np.linalg.norm(B, 2)), 1e-300)
    while new.shape[1] and basis.shape[1] < len(A):
        rest = new - basis @ (basis.T @ new)
        rest -= basis @ (basis.T @ rest)
        U, sigma, _ = np.linalg.svd(rest, full_matrices=False)
        fresh = U[:, sigma > REACHED]
        basis = np.column_stack([basis, fresh])
        new = A @ fresh / size
    U, _, _ = np.linalg.svd(basis, full_matrices=True)
    return U[:, : basis.shape[1]], U[:, basis.shape[1] :]


def uncontrollable_modes(
    A: Array, B: Array, signals: Sequence[str], sizes: Array, input_sizes: Array, shown: Array
) -> list[Mode]:
    """Return the modes that the inputs cannot change, one of each conjugate pair.

    Parameters
    ----------
    A, B : numpy.ndarray
        State and input matrices, continuous in time.
    signals : sequence of str
        Names of the signals in which modes are described.
    sizes, input_sizes : numpy.ndarray
        What a state and an input of size one is: scales of the test.
    shown : numpy.ndarray
        The signals as functions of the state, each divided by its size.
    """
    scaled, pushed = A * sizes / sizes[:, None], B * input_sizes / sizes[:, None]
    _, rest = controllable_basis(scaled, pushed)
    if not rest.shape[1]:
        return []
    # the complement carries left eigenvectors; the mode's shape is the right one of all of A
    values = np.linalg.eigvals(rest.T @ scaled @ rest).astype(complex)
    found = _clustered(values, _tiny(scaled))
    all_values, vectors = np.linalg.eig(scaled)
    modes = []
    for value, count in found:
        shape = vectors[:, np.argmin(np.abs(all_values - value))]
        parts = np.abs(shown @ (sizes * shape))
        order = np.argsort(-parts, kind="stable")
        chosen = [signals[i] for i in order[:3] if parts[i] >= NAMED * parts[order[0]]]
        modes.append(Mode(value, tuple(chosen), _kind(value), count))
    return sorted(modes, key=lambda mode: (-mode.eigenvalue.real, mode.eigenvalue.imag))


def _tiny(A: Array) -> float:
    return ON_AXIS * float(np.linalg.norm(A, 2))


def _clustered(values: NDArray[np.complex128], tiny: float) -> list[tuple[complex, int]]:
    """Return the eigenvalues above the real axis without rounding, and how often they are there."""
    found: list[tuple[complex, int]] = []
    for value in values:
        real, imaginary = (0.0 if abs(part) <= tiny else part for part in (value.real, value.imag))
        if imaginary < 0.0:
            continue
        for i, (other, count) in enumerate(found):
            if abs(complex(real, imaginary) - other) <= tiny:
                found[i] = (other, count + 1)
                break
        else:
            found.append((complex(real, imaginary), 1))
    return found


def _kind(value: complex) -> str:
    if value.real == 0.0:
        return "on the axis"
    return "unstable" if value.real > 0.0 else "stable"
