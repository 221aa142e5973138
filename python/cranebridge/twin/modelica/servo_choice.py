"""What of a model makes the servo problem: by the model's own names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ServoChoice:
    """What of a model makes the servo problem.

    Attributes
    ----------
    inputs : tuple of str
        The model's inputs that are controls; others keep their start values.
    outputs : tuple of str
        The variables that shall follow the path, as many as inputs.
    ropes : tuple of str
        Variables that are rope forces, positive where they pull.
    varied : tuple of str
        Parameters that are given. Others that are 0, 1 or -1 by default may become constants: a
        load without moments of inertia is a point, which has a simpler inverse.
    """

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    ropes: tuple[str, ...] = ()
    varied: tuple[str, ...] = ()
