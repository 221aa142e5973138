"""Which columns to deliver: groups such as ``u`` and single signals such as ``u.M_b``."""

from __future__ import annotations

from collections.abc import Sequence

from cranebridge.errors import InputError, unknown
from cranebridge.inverse import (
    DERIVED,
    GROUP,
    SIGNAL_GROUPS,
    Feedforward,
    Signal,
    SpeedDrive,
    needing_jerks,
    signals,
    speed_signals,
)
from cranebridge.limits import DRIVE_GROUPS, REFERENCE, DriveUnits, drive_signals, reference_signals
from cranebridge.twin import Crane

DEFAULT = ("u", "q", "v", "a", "rope", "gamma")
"""Groups that a table has if none are named."""

CODE_DEFAULT = ("u", "q", "v")
"""The same for code."""

BLOCK_DEFAULT = ("u",)
"""The same for a Modelica block: what moves the plant."""

NO_RATE = ("jerk", *DERIVED)
"""Groups without exact rates."""


def select(
    crane: Crane,
    columns: Sequence[str] | None,
    default: Sequence[str] = DEFAULT,
    drives: Sequence[DriveUnits] = (),
    speeds: Sequence[SpeedDrive] = (),
    unlearned: Sequence[str] = (),
) -> list[Signal]:
    """Return the signals that are asked for, each once, in the order asked for.

    Parameters
    ----------
    crane : Crane
        Whose signals they are.
    columns : sequence of str, optional
        Groups (see `SIGNAL_GROUPS`) and single titles.
    default : sequence of str
        What is meant by None, beside the columns of drives.
    drives : sequence of DriveUnits
        Drives with units of their own, which have columns, too.
    speeds : sequence of SpeedDrive
        Drives that take velocity references, likewise.
    unlearned : sequence of str
        Drives whose positions and speeds are not what was learned: they are left out, and refused
        where they are asked for.

    Raises
    ------
    InputError
        If a column is unknown, or there is none.
    """
    known = {**signals(crane)} | drive_signals(drives) | speed_signals(crane, speeds)
    known |= reference_signals(drives, speeds)
    own = tuple(DRIVE_GROUPS) if drives else ()
    own += ((GROUP, REFERENCE) if drives else (GROUP,)) if speeds else ()
    groups = (*SIGNAL_GROUPS, *own)
    chosen = dict[str, Signal]()
    for column in (*default, *own) if columns is None else columns:
        if column in groups:
            chosen |= {title: s for title, s in known.items() if s.group == column}
        elif column in known:
            chosen[column] = known[column]
        else:
            raise unknown("column", column, [*groups, *known])
    other = [
        title for title, s in chosen.items() if s.group in DRIVE_GROUPS and s.name in unlearned
    ]
    if other and columns is not None:
        raise InputError(
            f"column {other[0]} would be that of the motion before learning: what was learned are "
            f"forces, and drive '{chosen[other[0]].name}' has no loop with kp whose reference "
            "could be moved instead; deliver u, or drive_reference of a drive with a speed loop"
        )
    chosen = {title: signal for title, signal in chosen.items() if title not in other}
    if not chosen:
        raise InputError("no column to deliver: name at least one, such as 'u'")
    return list(chosen.values())


def require_given(feedforward: Feedforward, chosen: Sequence[Signal]) -> None:
    """Refuse columns that the method of solution does not give."""
    of_jerks = needing_jerks(feedforward.problem.crane)
    if feedforward.nodes is None and any(signal.group in of_jerks for signal in chosen):
        raise InputError(
            f"jerks need the index1 or inversion method: {feedforward.method} does not give them "
            "exactly"
        )


def require_rates(chosen: Sequence[Signal]) -> None:
    """Refuse columns that have no exact rates, for code that interpolates with them."""
    without = [signal.title for signal in chosen if signal.group in NO_RATE]
    if without:
        raise InputError(
            f"code interpolates with exact rates, which {without[0]} does not have; choose from "
            f"{', '.join(group for group in SIGNAL_GROUPS if group not in NO_RATE)}, or deliver a "
            "table"
        )
