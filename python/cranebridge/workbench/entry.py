"""The way in for the browser that the server opens by itself: a ticket, good for one time.

What a program was started with can be read by every user of a machine, and so can the address that
the browser is given. It has a ticket in place of the token. The page changes it for the token once;
and where the system tells whose a connection is (Linux), it must be of the user who serves.
"""

from __future__ import annotations

import os
import secrets
import threading
from contextlib import suppress
from pathlib import Path

from cranebridge.errors import InputError
from cranebridge.workbench.security import new_token

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_ESTABLISHED = "01"


class TicketExchange:
    """Changes a ticket for the token.

    Parameters
    ----------
    token : str
        What it is changed for.
    port : int
        The server's.
    """

    def __init__(self, token: str, port: int) -> None:
        self._token, self._port = token, port
        self.ticket = new_token()
        self._used = False
        self._lock = threading.Lock()

    def enter(self, ticket: str, client_port: int) -> str:
        """Return the token.

        Parameters
        ----------
        ticket : str
            That was given.
        client_port : int
            From which port it was sent.

        Raises
        ------
        InputError
            If it is another ticket, was used before, or comes from another user.
        """
        with self._lock:
            right = secrets.compare_digest(ticket.encode(), self.ticket.encode())
            owner = owner_of(client_port, self._port)
            other = owner is not None and owner != os.getuid()
            if not right or self._used or other:
                raise InputError(
                    "this way in is closed: open the address that `cranebridge open` printed"
                )
            self._used = True
        return self._token


def owner_of(port: int, other: int) -> int | None:
    """Return the number of the user whose connection leads from a port to another one.

    None where the system does not tell.
    """
    for table in _TABLES:
        with suppress(OSError, ValueError, IndexError):
            for line in Path(table).read_text().splitlines()[1:]:
                _, local, remote, state, _, _, _, user = line.split()[:8]
                ports = (int(local.rpartition(":")[2], 16), int(remote.rpartition(":")[2], 16))
                if ports == (port, other) and state == _ESTABLISHED:
                    return int(user)
    return None
