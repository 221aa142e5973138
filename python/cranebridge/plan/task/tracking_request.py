"""From ``[path]`` with ``track`` to what is weighed in following it, every value checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cranebridge.errors import InputError, unknown
from cranebridge.limits import Limits
from cranebridge.path import make_path
from cranebridge.path.reading import EntryTable, read_number
from cranebridge.plan.task.tracking_cost import TrackingCost
from cranebridge.twin import Crane
from cranebridge.twin.language import names

KEYS: Mapping[str, str] = {
    "track": "a path, also one that cannot be followed exactly, as a table",
    "weights": "of errors (by output) and of controls (by input) in following it",
    "method": "collocation if not given; gradient asks for no limits to be kept",
    "stop": "whether the motion ends at rest at the goal",
}
"""The keys that go with ``track``."""
METHODS = ("collocation", "gradient")

# Half of a drive's range counts as much as this error, in an output's unit.
_FULL_DRIVE = 1e-3


@dataclass(frozen=True, eq=False)
class TrackingRequest:
    """A path to be followed as well as the drives can.

    Attributes
    ----------
    crane : Crane
        Which crane.
    parameters : mapping of str to float
        All of its parameters.
    tracking : TrackingCost
        The path and what is weighed.
    limits : Limits
        What must be kept.
    method : {"collocation", "gradient"}
        How the motion is found.
    """

    crane: Crane
    parameters: Mapping[str, float]
    tracking: TrackingCost
    limits: Limits
    method: str


def read_tracking(
    values: Mapping[str, Any],
    crane: Crane,
    parameters: Mapping[str, float],
    limits: Limits,
    window: tuple[float, float] = (0.0, 0.0),
) -> TrackingRequest:
    """Read a ``[path]`` table with ``track``.

    Parameters
    ----------
    values : mapping
        The table.
    crane, parameters, limits
        Of the scenario.
    window : (float, float)
        How long before and after the path the drives may move [s].

    Raises
    ------
    InputError
        If a key or a name is unknown or missing, or a value makes no sense.
    """
    table = EntryTable(values, "path")
    for key in values:
        if key not in ("kind", *KEYS):
            raise unknown("key of path with track", str(key), tuple(KEYS))
    method = (
        table.text("method", "method of tracking", METHODS) if "method" in table else METHODS[0]
    )
    stop = table.flag("stop")
    if method == "gradient" and stop:
        raise InputError(
            "path.method = 'gradient' ends anywhere: leave path.stop out, or use 'collocation'."
        )
    target = EntryTable(table.values["track"], "path.track").values
    if target.get("kind") == "optimal":
        raise InputError("path.track must be a path that is given, not one to be found.")
    units = {output.name: output.unit for output in crane.outputs}
    try:
        path = make_path(target, names(crane.outputs), units)
    except InputError as error:
        raise InputError(f"path.track: {error}") from error
    outputs, inputs = _weights(table, crane, limits)
    tracking = TrackingCost(
        path,
        rho=1.0,
        weights=outputs,
        scales={name: 1.0 / math.sqrt(weight) for name, weight in inputs.items()},
        before=window[0],
        after=window[1],
        end="rest" if stop else "free",
    )
    return TrackingRequest(crane, dict(parameters), tracking, limits, method)


def _weights(
    table: EntryTable, crane: Crane, limits: Limits
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the weights of all outputs and of all inputs."""
    given = EntryTable(table.values.get("weights", {}), "path.weights")
    outputs, inputs = names(crane.outputs), names(crane.inputs)
    for name, value in given.values.items():
        if name not in (*outputs, *inputs):
            raise unknown("output or input in path.weights", str(name), (*outputs, *inputs))
        number = read_number(f"path.weights.{name}", value)
        if number < 0.0 or (number == 0.0 and name in inputs):
            least = "positive" if name in inputs else "0 or more"
            raise InputError(f"path.weights.{name} must be {least}, got {number:g}.")
    errors = {name: float(given.values.get(name, 1.0)) for name in outputs}
    if not any(errors.values()):
        raise InputError("path.weights must not be 0 for all outputs: nothing would be followed.")
    controls = {
        name: float(given.values[name]) if name in given else _usual(name, limits)
        for name in inputs
    }
    return errors, controls


def _usual(name: str, limits: Limits) -> float:
    """Return the weight of an input of which none is given."""
    bound = limits.u.get(name)
    if bound is None or not math.isfinite(bound.most - bound.least):
        raise InputError(
            f"path.weights.{name} is missing: without a weight or a limit of this input the best "
            "controls need not exist; give one, such as 1e-8."
        )
    return (_FULL_DRIVE / (0.5 * (bound.most - bound.least))) ** 2
