"""Which variables follow from the signals although some initial values are free.

Free initial values need not matter: a rotator that turns freely below its hook has two, and no
drive feels them. With the equations differentiated up to a stage (the derivative array) as
F(z, signals) = 0, z being variables with their derivatives, a direction dz with dF/dz dz = 0 leads
to a neighbouring solution for the same signals. A variable that no such direction moves is
determined by the signals alone, here and now (1-fullness; Campbell and Griepentrog).

References
----------
S. L. Campbell, E. Griepentrog, Solvability of general differential algebraic equations, SIAM J.
Sci. Comput. 16 (1995) 257-270.
"""

from __future__ import annotations

from random import Random

import numpy as np
from numpy.typing import NDArray

from cranebridge.structure.analysis import Analysis
from cranebridge.structure.dae import VARIABLE
from cranebridge.structure.random_states import SPREAD, StagedEquations, Start
from cranebridge.structure.ranks import scales

Flags = NDArray[np.bool_]

# Stages beyond the last one that are looked at: what is determined may show in them only.
_FURTHER = 1
# Singular values, and parts of directions, with rows and columns of size one: less is rounding.
_ZERO = 1e-9
_POINTS = 2


def determined_variables(analysis: Analysis, start: Start) -> Flags:
    """Return which variables follow from the signals alone; none where no state is known.

    Parameters
    ----------
    analysis : Analysis
        With a system Jacobian that is regular near the start.
    start : Start
        Where the problem starts: random states near it, in which the equations hold.
    """
    size = len(analysis.d)
    if analysis.freedom == 0:
        return np.ones(size, dtype=bool)
    found = np.zeros(size, dtype=bool)
    if start.known:
        for stage in range(_FURTHER + 1):
            found |= _determined(analysis, start, stage)
    return found


def _determined(analysis: Analysis, start: Start, stage: int) -> Flags:
    equations = StagedEquations.up_to(analysis.dae, analysis.c.tolist(), stage)
    columns = [k for k, key in enumerate(equations.keys) if key[0] == VARIABLE]
    keys = [equations.keys[k] for k in columns]
    own = {j: k for k, (_, j, order) in enumerate(keys) if order == 0}
    random = Random(3)
    found = np.ones(len(analysis.d), dtype=bool)
    for _ in range(_POINTS):
        state = equations.consistent(start, random, SPREAD)
        if state is None:
            return np.zeros_like(found)
        jacobian = np.array(equations.function(*state)[1])[:, columns]
        rows, sizes = scales(jacobian)
        _, values, directions = np.linalg.svd(jacobian * rows * sizes)
        rank = int((values > _ZERO * values[0]).sum())
        moved = np.abs(directions[rank:]).max(axis=0, initial=0.0)
        for j in range(found.size):
            found[j] &= j not in own or bool(moved[own[j]] <= _ZERO)
    return found
