"""What internal dynamics do while the path is at rest: eigenvalues at both ends of the path.

Linearised at the rest position before the path and after it, the internal dynamics have stable
directions (Re < 0), unstable ones (Re > 0) and ones that neither grow nor decay (Re = 0, a centre).
They decide how a bounded motion from rest is found:

- *free*: they do not act on the controls (a rotator that turns freely): integrated from rest as far
  as the path goes, whatever their eigenvalues are;
- *stable*: integrated from rest;
- *oscillating* (a centre, with or without stable directions): integrated from rest; it stays
  bounded near the rest position but never settles;
- *neutral* (a centre whose eigenvalues are all zero, with or without stable directions): every
  place is a rest position, and momenta may be conserved (Jordan blocks); integrated from rest, it
  moves only as the path makes it move, and what it has then drifts on;
- *unstable*: integrated backwards from the rest position at the end;
- *saddle*: a two-point boundary value problem: the motion leaves the first rest position along its
  unstable directions and reaches the last one along its stable directions.

A centre together with unstable directions has no such motion in general, and neither have ends
whose numbers of directions do not fit: both are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import StructureError
from cranebridge.inverse.internal.dynamics import InternalDynamics

Array = NDArray[np.float64]

KINDS: Mapping[str, str] = {
    "free": "the internal dynamics do not act on the controls, which follow from the path alone; "
    "integrated from rest beside them",
    "stable": "the internal dynamics are stable: integrated from rest, they settle after the path",
    "oscillating": "the internal dynamics oscillate without damping: bounded, but they never "
    "settle after the path",
    "neutral": "the internal dynamics are neutral: nothing brings them back, what is set in motion "
    "drifts on (where no force acts from outside, momenta are conserved); integrated from rest",
    "saddle": "the internal dynamics are a saddle: the controls begin before the path, as a "
    "boundary value problem tells",
    "unstable": "the internal dynamics are unstable: solved backwards, the controls begin before "
    "the path",
}
"""Kinds of internal dynamics, a sentence each."""

# A real part this small, relative to its eigenvalue, is none.
CENTRE = 1e-7
# A real part, or an eigenvalue, this small relative to the largest eigenvalue is rounding.
ROUNDING = 1e-10
# An eigenvalue this small is zero: relative to the norm of the matrix and to one over the
# duration, in which it then does nothing. Rounding moves those of a Jordan block by its root.
NEUTRAL = 1e-6


@dataclass(frozen=True, eq=False)
class EndDynamics:
    """Internal dynamics at one end of the path.

    Attributes
    ----------
    eigenvalues : numpy.ndarray
        Of the linearisation, in 1/s; exactly zero where they are nothing but rounding.
    stable, unstable, centre : numpy.ndarray
        Rows (left invariant subspaces, orthonormal) whose products with the distance from rest
        are its parts along the directions of each kind.
    state : numpy.ndarray
        eta at rest.
    """

    eigenvalues: NDArray[np.complex128]
    stable: Array
    unstable: Array
    centre: Array
    state: Array

    @property
    def swings(self) -> bool:
        """Whether its centre oscillates: not all of its eigenvalues are zero."""
        return len(self.centre) > int(np.count_nonzero(self.eigenvalues == 0.0))

    @property
    def text(self) -> str:
        """The eigenvalues in words."""
        return ", ".join(eigenvalue_text(value) for value in self.eigenvalues) + " 1/s"


@dataclass(frozen=True, eq=False)
class Classification:
    """What kind of internal dynamics a servo problem has.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    states : tuple of str
        Names of the free states.
    start, end : EndDynamics
        At the first and the last rest position.
    """

    kind: str
    states: tuple[str, ...]
    start: EndDynamics
    end: EndDynamics

    @property
    def meaning(self) -> str:
        """What its kind means, a sentence."""
        return KINDS[self.kind]

    def as_dict(self) -> dict[str, object]:
        """Return it for JSON."""

        def values(end: EndDynamics) -> list[dict[str, float]]:
            return [{"re": float(x.real), "im": float(x.imag)} for x in end.eigenvalues]

        return {
            "kind": self.kind,
            "meaning": self.meaning,
            "states": list(self.states),
            "eigenvalues_start": values(self.start),
            "eigenvalues_end": values(self.end),
        }


def eigenvalue_text(value: complex) -> str:
    """Return an eigenvalue as text, such as ``-0.22 + 2.5i``."""
    real = 0.0 if abs(value.real) <= 1e-12 * abs(value) else value.real
    if value.imag == 0.0:
        return f"{real:.6g}"
    sign = "+" if value.imag > 0.0 else "-"
    return f"{real:.6g} {sign} {abs(value.imag):.6g}i"


def classify(dynamics: InternalDynamics) -> Classification:
    """Classify internal dynamics by their eigenvalues at both ends of the path.

    Raises
    ------
    StructureError
        If no bounded motion from rest to rest can be expected; the message has the eigenvalues.
    """
    duration = dynamics.problem.path.duration
    start, end = (
        _end(dynamics.linearised(end=last), dynamics.rest_state(end=last), duration)
        for last in (False, True)
    )
    name = dynamics.problem.crane.name
    if dynamics.structure.controls_determined:
        return Classification("free", dynamics.names, start, end)
    for where, at in (("start", start), ("end", end)):
        if len(at.centre) and len(at.unstable):
            raise StructureError(
                f"the internal dynamics of crane '{name}' have "
                f"{'oscillating' if at.swings else 'neutral'} and unstable directions together at "
                f"the {where} of the path (eigenvalues {at.text}): no bounded motion from rest can "
                "be told apart; add the damping that the crane has, or choose other outputs"
            )
    bounded = len(start.stable) + len(start.centre), len(end.stable) + len(end.centre)
    if bounded[0] != bounded[1]:
        raise StructureError(
            f"the internal dynamics of crane '{name}' have {len(start.unstable)} unstable "
            f"directions at the start of the path (eigenvalues {start.text}) and "
            f"{len(end.unstable)} at its end ({end.text}): a bounded motion needs as many at both; "
            "let the path keep to one kind of region, or choose other outputs"
        )
    return Classification(_kind(start, end), dynamics.names, start, end)


def _kind(start: EndDynamics, end: EndDynamics) -> str:
    if len(start.unstable):
        return "unstable" if len(start.unstable) == start.state.size else "saddle"
    if len(end.centre):
        return "oscillating" if end.swings else "neutral"
    return "stable"


@dataclass(frozen=True)
class _Rounding:
    """What is nothing but rounding in an eigenvalue: a `real` part, and `all` of it."""

    real: float
    all: float

    def sign(self, value: complex) -> int:
        """Return the sign of a real part, 0 where it is nothing but rounding."""
        if abs(value) <= self.all or abs(value.real) <= CENTRE * abs(value) + self.real:
            return 0
        return 1 if value.real > 0.0 else -1


def _end(matrix: Array, state: Array, duration: float) -> EndDynamics:
    values = np.linalg.eigvals(matrix).astype(complex)
    real = ROUNDING * float(np.abs(values).max())
    slow = NEUTRAL * min(1.0 / duration, float(np.linalg.norm(matrix, 2)))
    rounding = _Rounding(real, max(real, slow))
    values[np.abs(values) <= rounding.all] = 0.0
    values = values[np.lexsort((-values.imag, values.real))]
    stable, unstable, centre = (_left_rows(matrix, sign, rounding) for sign in (-1, 1, 0))
    return EndDynamics(values, stable, unstable, centre, state)


def _left_rows(matrix: Array, sign: int, rounding: _Rounding) -> Array:
    """Return orthonormal rows that span the left invariant subspace of the eigenvalues of a sign.

    All right eigenvectors of the others are orthogonal to them. An ordered Schur form of the
    transposed matrix gives them also where eigenvalues coincide.
    """
    from scipy.linalg import schur

    def chosen(real: float, imag: float) -> bool:
        return rounding.sign(complex(real, imag)) == sign

    _, vectors, count = schur(matrix.T, output="real", sort=chosen)
    return np.asarray(vectors[:, :count].T)
