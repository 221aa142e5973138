"""The command line as a whole, and what a mistake or a fault looks like."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
import traceback
import warnings
from typing import Annotated, Any

import typer

import cranebridge
from cranebridge.cli.consoles import err, out
from cranebridge.cli.groups import Groups
from cranebridge.errors import CranebridgeError

_SHOWN = 60
"""Characters of a long name that a message shows."""

app = typer.Typer(
    cls=Groups,
    name="cranebridge",
    help="From a crane's Modelica model to a verified feedforward.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def run() -> None:
    """Run the command line.

    A user's mistake is one sentence and exit code 2, a fault of ours one sentence and exit code 3;
    ``--debug``, anywhere, shows the traceback of either.
    """
    warnings.showwarning = _show_warning
    debug = "--debug" in sys.argv
    sys.argv = [argument for argument in sys.argv if argument != "--debug"]
    try:
        try:
            app(standalone_mode=True)
        finally:
            sys.stdout.flush()  # a full disk is reported here, and not when Python has ended
    except CranebridgeError as error:
        _print_error(str(error), debug)
        sys.exit(2)
    except KeyboardInterrupt:
        err.print("interrupted")
        sys.exit(130)
    except BrokenPipeError:  # whoever read has had enough
        _forget_output()
        sys.exit(1)
    except Exception as error:
        if said := _system_sentence(error):
            _print_error(said, debug)
            sys.exit(2)
        kind = type(error).__name__
        first = (str(error).splitlines() or [""])[0]
        _print_error(
            f"a fault of cranebridge itself ({kind}: {first}); please report it with the output of "
            "the same command with --debug",
            debug,
        )
        sys.exit(3)


def _system_sentence(error: Exception) -> str:
    """Return what the system refused, where that is no fault of ours; empty for all else."""
    if not isinstance(error, OSError):
        return ""
    if error.errno == errno.ENAMETOOLONG:
        name = str(error.filename or "a file's name")
        name = name if len(name) <= _SHOWN else f"{name[: _SHOWN - 3]}..."
        return f"'{name}' is longer than this system allows; choose a shorter name"
    # what is written to a file names it
    if error.filename is None and error.errno in (errno.ENOSPC, errno.EIO, errno.EDQUOT):
        _forget_output()
        return f"standard output cannot be written: {error.strerror}"
    return ""


def _forget_output() -> None:
    """Let go of what standard output did not take: Python would complain about it at its end."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _show_warning(message: Warning | str, *_where: Any, **_more: Any) -> None:
    """Show a warning as a sentence: where in our code it was made is nothing to a user."""
    err.print(f"warning: {message}", markup=False)


def _print_error(message: str, debug: bool) -> None:
    if debug:
        traceback.print_exc()
    if "--json" in sys.argv:
        try:
            print(json.dumps({"error": message}), flush=True)
        except OSError:
            _forget_output()
    err.print(f"error: {message}", markup=False)


def _version(shown: bool) -> None:
    if shown:
        out.print(f"cranebridge {cranebridge.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show the traceback of an error."),
    ] = False,
) -> None:
    """From a crane's Modelica model to a verified feedforward."""
