"""The errors that a user can cause, and the closest-match helper for their messages.

Whatever derives from :class:`CranebridgeError` is shown as one sentence and ends the command line
with exit code 2; any other exception is a bug of ours and keeps its traceback.
"""

from __future__ import annotations

from collections.abc import Iterable


class CranebridgeError(Exception):
    """A user's mistake: says what was wrong, where, and what to do."""


class InputError(CranebridgeError):
    """A name, key, value or file that was given is wrong."""


class StructureError(CranebridgeError):
    """The problem cannot be solved by the method asked for (index, smoothness, dynamics)."""


class SolutionError(CranebridgeError):
    """A solver met a point where it cannot go on (singular stage, no convergence)."""


class MissingDependencyError(CranebridgeError):
    """An optional part is not installed; the message names the command that installs it."""


_MOST_NAMES = 60
"""Names that a message shows, all of them; of more, half as many: those alike, then plain ones."""


def unknown(kind: str, name: str, known: Iterable[str]) -> InputError:
    """Make the error for an unknown name, with the closest match and all known names.

    Parameters
    ----------
    kind : str
        What was looked up, such as ``"scenario"``.
    name : str
        The name that is not known.
    known : iterable of str
        The names that are.
    """
    import difflib  # what is known needs no closest match

    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f" Did you mean '{close[0]}'?" if close else ""
    name = name if name.isprintable() else repr(name)[1:-1]  # a message is one line
    name = name if len(name) <= 60 else f"{name[:57]}..."
    more = ""
    if len(names) > _MOST_NAMES:  # of a model with a library there are hundreds
        alike = difflib.get_close_matches(name, names, n=10, cutoff=0.4)
        plain = sorted(names, key=lambda one: (one.count("."), len(one)))
        shown = list(dict.fromkeys((*alike, *plain)))[: _MOST_NAMES // 2]
        names, more = sorted(shown), f" and {len(names) - len(shown)} more"
    return InputError(f"unknown {kind} '{name}'.{hint} Known: {', '.join(names) or 'none'}{more}.")
