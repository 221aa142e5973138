"""Many states brought onto the constraints at once."""

from __future__ import annotations

import numpy as np
import pytest

from cranebridge.errors import SolutionError
from cranebridge.forward.crane_accelerations import crane_dynamics, project, project_rows


@pytest.mark.parametrize("name", ["overhead", "rotary-redundant", "gantry"])
def test_states_become_what_each_becomes_alone(name: str, problem, exact) -> None:
    servo, known = problem(name), exact(name, 20)
    dynamics, p = crane_dynamics(servo.crane), servo.parameter_vector
    rng = np.random.default_rng(5)
    q, v = (part + 1e-3 * rng.normal(size=part.shape) for part in (known.q, known.v))
    found = project_rows(dynamics, q, v, p)
    for row, (mine, speed) in enumerate(zip(*found, strict=True)):
        # alone it is found by least squares, here by pseudo-inverses; both end in rounding
        alone = project(dynamics, q[row], v[row], p)
        np.testing.assert_allclose(mine, alone[0], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(speed, alone[1], rtol=1e-12, atol=1e-12)
        h, H = (np.array(part) for part in dynamics.manifold(mine, p))
        assert np.abs(h).max(initial=0.0) < 1e-11
        assert np.abs(H @ speed).max(initial=0.0) < 1e-12


def test_a_state_that_is_no_number_is_told(problem, exact) -> None:
    servo, known = problem("overhead"), exact("overhead", 4)
    q = known.q.copy()
    q[2, 0] = np.nan
    with pytest.raises(SolutionError, match="no consistent coordinates"):
        project_rows(crane_dynamics(servo.crane), q, known.v, servo.parameter_vector)
