"""Which columns to deliver: groups such as ``u`` and single signals such as ``u.M_b``."""

from __future__ import annotations

from collections.abc import Sequence

from cranebridge.errors import InputError, unknown
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.sampling import GROUPS, Signal, signals

DEFAULT = ("u", "q", "v", "a", "rope", "gamma")


def select(
    feedforward: Feedforward, columns: Sequence[str] | None, default: Sequence[str] = DEFAULT
) -> list[Signal]:
    """Return the signals that are asked for, each once, in the order asked for.

    Parameters
    ----------
    feedforward : Feedforward
        What is delivered.
    columns : sequence of str, optional
        Groups (see `GROUPS`) and single titles.
    default : sequence of str
        What is meant by None.

    Raises
    ------
    InputError
        If a column is unknown, or the method of solution does not give it.
    """
    known = signals(feedforward.problem.crane)
    chosen = dict[str, Signal]()
    for column in default if columns is None else columns:
        if column in GROUPS:
            chosen |= {title: s for title, s in known.items() if s.group == column}
        elif column in known:
            chosen[column] = known[column]
        else:
            raise unknown("column", column, [*GROUPS, *known])
    if not chosen:
        raise InputError("no column to deliver: name at least one, such as 'u'")
    if feedforward.method != "index1" and any(s.group == "jerk" for s in chosen.values()):
        raise InputError(
            f"jerks need the index1 method: {feedforward.method} does not give them exactly"
        )
    return list(chosen.values())
