"""What an observer gives out for others to read: names and units of all that it estimates."""

from __future__ import annotations

from cranebridge.control.code.controller import Channel, Controller, channel_of
from cranebridge.control.observer import DRIVE, Observer
from cranebridge.twin.language import names

PARAMETER = "parameter."
"""What the name of an estimated parameter of the crane begins with."""
FORCE = "force."
"""What the name of an estimated force on the load begins with."""


def estimates_of(controller: Controller) -> tuple[Channel, ...]:
    """Return what a controller estimates, in the order of ``estimate`` in its C module.

    Coordinates and velocities of the crane (``q.NAME``, ``v.NAME``), then the disturbances of its
    observer (``parameter.NAME``, ``force.NAME``), and where the references of speed drives have
    come to (``drive.NAME``); nothing without one.
    """
    observer = controller.observer
    if observer is None:
        return ()
    crane = observer.crane
    state = [f"{group}.{name}" for group in "qv" for name in names(crane.coordinates)]
    own = [_disturbance(observer, name) for name in observer.constants]
    return (*(channel_of(crane, title) for title in state), *own)


def _disturbance(observer: Observer, name: str) -> Channel:
    """Return a disturbance with its unit: of a parameter its own, of a force N."""
    if name.startswith(FORCE):
        return Channel(name, "N", f"force on the load along {name.removeprefix(FORCE)}")
    if name.startswith(DRIVE):
        moved = {one.name: one for one in observer.crane.coordinates}[name.removeprefix(DRIVE)]
        return Channel(name, moved.unit, f"where the reference of the drive of {moved.name} is")
    known = {one.name: one for one in observer.crane.parameters}
    found = known[name.removeprefix(PARAMETER)]
    return Channel(name, found.unit, found.meaning)
