"""How far to go along a direction of descent."""

from __future__ import annotations

from collections.abc import Callable

CostAlong = Callable[[float], float]
"""Cost at a distance along the direction; infinite where there is none."""

_TOLERANCE = 1e-7
_MOST_DOUBLINGS = 60
_DECREASE = 1e-4


def brent(cost: CostAlong, now: float, slope: float, first: float) -> tuple[float, float]:
    """Return the distance of the least cost, and that cost.

    From `first` the distance is doubled while the cost falls, or halved until it does; between
    zero and the last distance Brent's bounded method finds the least cost.

    Parameters
    ----------
    cost : callable
        Cost at a distance.
    now, slope : float
        Cost and its derivative at zero.
    first : float
        The distance tried first.
    """
    from scipy.optimize import minimize_scalar

    far, value = first, cost(first)
    for _ in range(_MOST_DOUBLINGS):
        if value < now:
            break
        far *= 0.5
        value = cost(far)
    else:
        return 0.0, now
    for _ in range(_MOST_DOUBLINGS):
        following = cost(2.0 * far)
        if following >= value:
            break
        far, value = 2.0 * far, following
    # Parabolas through infinite values are none.
    most = 1e6 * (abs(now) + abs(value))
    found = minimize_scalar(
        lambda distance: min(cost(distance), most),
        bounds=(0.0, 2.0 * far),
        method="bounded",
        options={"xatol": _TOLERANCE * far, "maxiter": 100},
    )
    best = (float(found.x), float(found.fun))
    return best if best[1] <= value else (far, value)


def armijo(cost: CostAlong, now: float, slope: float, first: float) -> tuple[float, float]:
    """Return a distance at which the cost falls by a part of what its slope promises, and the cost.

    Twice `first` is tried, then half as far until it does.
    """
    distance = 2.0 * first
    for _ in range(_MOST_DOUBLINGS):
        value = cost(distance)
        if value < now and value <= now + _DECREASE * distance * slope:
            return distance, value
        distance *= 0.5
    return 0.0, now
