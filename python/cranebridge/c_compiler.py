"""The C compiler that the environment variable ``CC`` chooses, for all that compile C."""

from __future__ import annotations

import os
import shlex
import shutil


def chosen_command() -> tuple[str, ...]:
    """Return the command in ``CC``, as words; none where it is not set.

    As for make and configure, ``CC`` is a program with its flags (``gcc -m64``), quoted as in a
    shell. A path to a program is also taken as it is, so that blanks in it need no quotes.
    """
    chosen = os.environ.get("CC", "").strip()
    if shutil.which(chosen):
        return (chosen,)
    try:
        return tuple(shlex.split(chosen))
    except ValueError:  # a quote that is not closed: no program has such a name
        return (chosen,)
