"""What an FMI 3 FMU is offered for Co-Simulation; in the child process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Offer:
    """What an FMI 3 FMU is offered when it is made.

    Attributes
    ----------
    update : callable or None
        Called within communication steps: FMI's arguments of the intermediate update.
    required : tuple of int
        Value references that `update` reads and sets.
    early_return : bool
        A step may end before its communication point.
    events : bool
        The event mode is used.
    restores : bool
        The state may be set back to before a step.
    """

    update: Callable[..., None] | None = None
    required: tuple[int, ...] = ()
    early_return: bool = False
    events: bool = False
    restores: bool = False
