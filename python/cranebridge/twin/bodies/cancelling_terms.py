"""Terms of an energy or power that cancel identically are left out.

The translation of a body that also turns is (c x' + s y')^2 + (c y' - s x')^2: its mass matrix has
an entry c s - s c that is zero, but stands in the expression. Structure analysis would see an
acceleration where there is none. Entries that vanish at random states are identically zero.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

_STATES = 5
_ZERO = 1e-12
"""Part of the entries' size: rounding errors of some hundred operations are far below it."""


def without_zeros(form: Any, left: Any, right: Any, others: Any) -> Any:
    """Return a quadratic or bilinear form without coefficients that vanish identically.

    Parameters
    ----------
    form : casadi.SX
        Quadratic in `left` (then `right` is the same), or bilinear in both.
    left, right : casadi.SX
        Its two vectors of symbols.
    others : casadi.SX
        All other symbols in it.
    """
    matrix = ca.densify(ca.jacobian(ca.gradient(ca.SX(form), left), right))
    entries = ca.Function("entries", [others], [matrix])
    quadratic = left is right
    draw = np.random.default_rng(0)
    zero = np.ones(matrix.shape, dtype=bool)
    for _ in range(_STATES):
        values = np.abs(np.array(entries(draw.uniform(0.5, 1.5, others.shape))))
        # |M_ij| <= sqrt(M_ii M_jj) of an energy; a drive's entries are compared with its largest.
        sizes = np.outer(values.diagonal(), values.diagonal()) ** 0.5 if quadratic else None
        scale = values.max(axis=1, initial=0.0)[:, None] if sizes is None else sizes
        zero &= ~(values > _ZERO * scale)
    written = np.array(ca.DM(ca.sparsify(matrix).sparsity(), 1.0)) != 0
    if not (zero & written).any():
        return form
    kept = ca.sparsify(matrix * ca.DM(np.where(zero, 0.0, 1.0)))
    return (0.5 if quadratic else 1.0) * ca.bilin(kept, left, right)
