"""The verdicts on what the plant did: tracking, ropes, forces, speeds, powers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranebridge.limits import Limits
from cranebridge.limits.verdict import Verdict
from cranebridge.twin.crane import names

if TYPE_CHECKING:
    from cranebridge.verify.tracking import Tracking

Array = NDArray[np.float64]


def judge(tracking: Tracking, limits: Limits) -> list[Verdict]:
    """Judge tracking, ropes and drives on the plant."""
    crane = tracking.feedforward.problem.crane
    limit = 1e-3 if limits.tracking is None else limits.tracking
    verdicts = []
    for column, output in enumerate(crane.outputs):
        error = np.abs(tracking.error[tracking.moving, column])
        verdicts.append(_largest(tracking, f"tracking of {output.name}", error, limit, output.unit))
    if limits.ropes == "pull" and np.isfinite(tracking.ropes).all():
        verdicts += [
            _rope(tracking, column, name, limits.rope.get(name, 0.0))
            for column, name in enumerate(names(crane.ropes))
        ]
    units = {quantity.name: quantity.unit for quantity in (*crane.inputs, *crane.coordinates)}
    for column, name in enumerate(names(crane.inputs)):
        if name in limits.u:
            force = np.abs(tracking.u[:, column])
            verdicts.append(
                _largest(tracking, f"plant input {name}", force, limits.u[name], units[name])
            )
    for name, most in limits.v.items():
        if name in tracking.velocities:
            speed = np.abs(tracking.velocities[name])
            verdicts.append(
                _largest(tracking, f"plant speed {name}", speed, most, f"{units[name]}/s")
            )
    for name, most in limits.power.items():
        if name in tracking.powers:
            power = np.abs(tracking.powers[name])
            verdicts.append(_largest(tracking, f"plant power {name}", power, most, "W"))
    return verdicts


def _largest(tracking: Tracking, name: str, values: Array, limit: float, unit: str) -> Verdict:
    worst = int(np.argmax(values))
    value = float(values[worst])
    return Verdict(
        name=name,
        passed=value <= limit,
        value=value,
        limit=limit,
        margin=limit - value,
        unit=unit,
        time=float(tracking.time[worst]),
        message=f"{name}: at most {value:.3g} {unit} (limit {limit:.3g} {unit}), "
        f"at {tracking.time[worst]:.3f} s",
    )


def _rope(tracking: Tracking, column: int, name: str, limit: float) -> Verdict:
    force = tracking.ropes[:, column]
    worst = int(np.argmin(force))
    value = float(force[worst])
    # The plant's rope force at rest can be zero within the tolerance of its simulation.
    passed = value >= limit - 1e-6 * float(np.abs(force).max())
    word = "keeps" if value >= 0.0 or passed else "would have to push with"
    return Verdict(
        name=f"plant rope {name} pulls",
        passed=passed,
        value=value,
        limit=limit,
        margin=value - limit,
        unit="N",
        time=float(tracking.time[worst]),
        message=f"on the plant, rope {name} {word} {abs(value):.6g} N "
        f"(at {tracking.time[worst]:.3f} s)",
    )
