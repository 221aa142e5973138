"""What is varied, read from a scenario: a key and how its value varies.

The ways to write it::

    { normal = [500.0, 25.0] }              natural parameters in order, see `NATURAL`
    { uniform = { low = 4.0, high = 6.0 } } or by name
    { weibull_min = [1.5, 0.0, 2.0] }       SciPy's name: shape parameters, then loc, scale
    { gamma = { a = 2.0, scale = 3.0 } }    or by name
    { values = [1.0, 2.0, 5.0] }            values, or simply a list of them
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.campaign.campaign_choices import NATURAL
from cranebridge.campaign.design.laws import Distribution, Law, Values
from cranebridge.errors import InputError, unknown

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Factor:
    """A key whose value varies from run to run.

    Attributes
    ----------
    key : str
        What is varied, such as ``plant.parameters.m``; the campaign does not know its meaning.
    law : Distribution or Values
        How.
    """

    key: str
    law: Law

    def ppf(self, unit: Array) -> Array:
        """Return the values that belong to numbers in [0, 1)."""
        return self.law.ppf(unit)

    def bounds(self, outside: float = 1e-3) -> tuple[float, float]:
        """Return the least and the largest value; without any, quantiles.

        Parameters
        ----------
        outside : float
            The probability that is left out where a distribution has no end, half on each side.
        """
        return self.law.bounds(outside)


def read_factor(key: str, value: object) -> Factor:
    """Read how a key varies.

    Parameters
    ----------
    key : str
        What is varied.
    value : object
        A table with one distribution, or a list of values; see the head of this module.

    Raises
    ------
    InputError
        If there is no such distribution, or its parameters make none.
    """
    if isinstance(value, Sequence) and not isinstance(value, str):
        return Factor(key, _values(key, value))
    if not isinstance(value, Mapping) or len(value) != 1:
        raise InputError(
            f"'{key}' varies by one distribution, such as {{ uniform = [400.0, 600.0] }}, or by a "
            f"list of values"
        )
    ((name, parameters),) = value.items()
    if name == "values":
        return Factor(key, _values(key, parameters))
    if name not in NATURAL and name not in _scipy_names():
        raise unknown(f"distribution of '{key}'", str(name), {"values", *NATURAL, *_scipy_names()})
    where = f"{name} of '{key}'"
    if not isinstance(parameters, Mapping | Sequence) or isinstance(parameters, str):
        raise InputError(f"{where} takes a list of numbers or a table, such as {_example(name)}")
    law = _natural(name, parameters, where)
    if law is None:
        law = _of_scipy(name, parameters, where)
    return Factor(key, _sound(law, where))


# ---------------------------------------------------------------------------- numbers


def _number(value: object, where: str) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value):  # type: ignore[arg-type]
        raise InputError(f"{where}: {value!r} is not a finite number")
    return float(value)  # type: ignore[arg-type]


def _values(key: str, values: object) -> Values:
    if not isinstance(values, Sequence) or isinstance(values, str) or not values:
        raise InputError(f"the values of '{key}' are a list with one number at least")
    return Values(tuple(_number(value, f"values of '{key}'") for value in values))


# ---------------------------------------------------------------------------- natural parameters


def _natural(
    name: str, parameters: Mapping[str, Any] | Sequence[Any], where: str
) -> Distribution | None:
    """Return a distribution by its natural parameters; None if they are SciPy's."""
    if name not in NATURAL:
        return None
    names = NATURAL[name][0]
    if isinstance(parameters, Mapping):
        if name in _scipy_names() and not set(parameters) & set(names):
            return None
        values = [parameters[one] for one in _complete(parameters, names, names, where)]
    elif len(parameters) == len(names):
        values = list(parameters)
    else:
        raise InputError(f"{where} takes {len(names)} numbers: {', '.join(names)}")
    return _MAKE[name](where, *(_number(value, where) for value in values))


def _uniform(where: str, low: float, high: float) -> Distribution:
    if not low < high:
        raise InputError(f"{where}: {low:g} is not below {high:g}")
    return Distribution("uniform", (), low, high - low)


def _normal(where: str, mean: float, std: float) -> Distribution:
    if not std > 0.0:
        raise InputError(f"{where}: the standard deviation {std:g} is not above zero")
    return Distribution("norm", (), mean, std)


def _lognormal(where: str, median: float, sigma: float) -> Distribution:
    if not (median > 0.0 and sigma > 0.0):
        raise InputError(f"{where}: median {median:g} and sigma {sigma:g} must be above zero")
    return Distribution("lognorm", (sigma,), 0.0, median)


def _triangular(where: str, low: float, mode: float, high: float) -> Distribution:
    if not (low <= mode <= high and low < high):
        raise InputError(f"{where}: {low:g}, {mode:g}, {high:g} do not increase")
    return Distribution("triang", ((mode - low) / (high - low),), low, high - low)


_MAKE: Mapping[str, Callable[..., Distribution]] = {
    "uniform": _uniform,
    "normal": _normal,
    "lognormal": _lognormal,
    "triangular": _triangular,
}


# ---------------------------------------------------------------------------- SciPy's parameters


@cache
def _scipy_names() -> frozenset[str]:
    import scipy.stats

    continuous = scipy.stats.rv_continuous
    return frozenset(
        name for name, entry in vars(scipy.stats).items() if isinstance(entry, continuous)
    )


def _of_scipy(name: str, parameters: Mapping[str, Any] | Sequence[Any], where: str) -> Distribution:
    import scipy.stats

    text = getattr(scipy.stats, name).shapes
    shapes = tuple(part.strip() for part in text.split(",")) if text else ()
    names = (*shapes, "loc", "scale")
    if isinstance(parameters, Mapping):
        _complete(parameters, shapes, names, where)
        given = dict(parameters)
    elif len(shapes) <= len(parameters) <= len(names):
        given = dict(zip(names, parameters, strict=False))
    else:
        raise InputError(
            f"{where} takes {len(shapes)} to {len(names)} numbers: {', '.join(names)} (SciPy's "
            f"parameters)"
        )
    read = {one: _number(value, where) for one, value in given.items()}
    loc, scale = read.pop("loc", 0.0), read.pop("scale", 1.0)
    if not scale > 0.0:
        raise InputError(f"{where}: the scale {scale:g} is not above zero")
    return Distribution(name, tuple(read[one] for one in shapes), loc, scale)


def _complete(
    given: Mapping[str, Any], needed: Sequence[str], known: Sequence[str], where: str
) -> Sequence[str]:
    """Return the needed names if all are given and no unknown ones."""
    for name in given:
        if name not in known:
            raise unknown(f"parameter of {where}", str(name), known)
    missing = [name for name in needed if name not in given]
    if missing:
        raise InputError(f"{where} needs {' and '.join(missing)} too")
    return needed


def _sound(law: Distribution, where: str) -> Distribution:
    """Return the law if it gives numbers; SciPy says nan to shape parameters out of range."""
    with np.errstate(all="ignore"):
        if not np.isfinite(law.ppf(np.array([0.0, 0.25, 0.75, 1.0]))).all():
            shapes = ", ".join(f"{shape:g}" for shape in law.shapes) or "none"
            raise InputError(f"{where} is not defined for these shape parameters: {shapes}")
    return law


def _example(name: str) -> str:
    if name not in NATURAL:
        return f"{{ {name} = {{ loc = 0.0, scale = 1.0 }} }}"
    return f"{{ {name} = [{', '.join(NATURAL[name][0])}] }}"
