"""What a model has that could follow a path: its positions and angles, each only once."""

from __future__ import annotations

import casadi as ca
import numpy as np

from cranebridge.errors import InputError, unknown
from cranebridge.frontend import PlantModel
from cranebridge.twin.modelica.chosen_model import ChosenModel
from cranebridge.twin.modelica.model_reading import read_model
from cranebridge.twin.modelica.servo_choice import ServoChoice

_INNER = 200
"""Inner variables of a model that are looked at, besides outputs and states."""

_PLACES = ("m", "rad")
"""Units of inner variables that may be positions or angles."""

_SAME = 1e-9
"""Variables that differ by less at a random point, relative, are the same."""

_SEED = 1
_POINTS = 2

_OUTSIDE = ("wind", "disturb", "gust", "wave")
"""Words in names or meanings of inputs that are no drives."""


def drive_inputs(model: PlantModel) -> tuple[str, ...]:
    """Return the inputs of a model but for those that are called wind or disturbance."""
    every = [variable.name for variable in model.inputs]
    drives = [
        variable.name
        for variable in model.inputs
        if not any(word in f"{variable.name} {variable.description}".lower() for word in _OUTSIDE)
    ]
    return tuple(drives or every)


def output_candidates(source: str, inputs: tuple[str, ...] = ()) -> ChosenModel:
    """Return a reduced model whose outputs are all variables that could follow a path.

    Outputs of the model come first, then states, and inner variables in m or rad. Among these,
    lengths come first, and those that most coordinates move: such as the place of the load.

    Parameters
    ----------
    source : str
        ``FILE.mo:Class``, or ``FILE.mo`` for its first class.
    inputs : tuple of str
        Inputs that are controls; `drive_inputs` if none are given.
    """
    outside = read_model(source)
    known = [variable.name for variable in outside.inputs]
    for name in inputs:
        if name not in known:
            raise unknown(f"input of crane '{source}'", name, known)
    chosen = inputs or drive_inputs(outside)
    if not chosen:
        raise InputError(
            f"crane '{source}' has no inputs: declare what the drives do as inputs at its top "
            'level, such as input Real F(unit="N")'
        )
    own = [variable.name for variable in (*outside.outputs, *outside.states)]
    inner = [v.name for v in outside.inner if v.unit in _PLACES and v.name not in own][:_INNER]
    model = read_model(source, inner) if inner else outside
    outputs = tuple(dict.fromkeys((*own, *inner)))
    form = ChosenModel.of(source, model, ServoChoice(chosen, outputs)).reduced()
    return form.with_outputs(_different(form, len(outside.outputs)))


def _different(form: ChosenModel, declared: int) -> list[int]:
    """Return which outputs are positions that move, one of each that are equal."""
    q, p, positions = form.motion.q, form.p, form.positions
    places = ca.vertcat(ca.SX(0, 1), *(form.outputs[i] for i in positions))
    function = ca.Function("places", [q, p], [places])
    rng = np.random.default_rng(_SEED)
    parameters = [variable.start for variable in form.parameters]
    points = [rng.uniform(0.1, 1.0, q.numel()) for _ in range(_POINTS)]
    found = np.column_stack([np.array(function(point, parameters)).ravel() for point in points])
    values = dict(zip(positions, found, strict=True))
    units = [quantity.unit for quantity in form.quantities]
    moved = {i: int(sum(ca.which_depends(form.outputs[i], q, 1, False))) for i in positions}
    order = sorted(
        (i for i, count in moved.items() if count),
        key=lambda i: (i >= declared, units[i] != "m", -moved[i], i),
    )
    kept: list[int] = []
    for i in order:
        near = [np.abs(values[i] - values[j]).max() for j in kept]
        if np.isfinite(values[i]).all() and min(near, default=1.0) > _SAME:
            kept.append(i)
    return kept
