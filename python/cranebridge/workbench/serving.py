"""The server of the workbench: a socket on the loopback address, an address to open, an end."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType

import uvicorn

from cranebridge.errors import InputError
from cranebridge.job.page import ready_scenarios
from cranebridge.workbench.bench import Bench
from cranebridge.workbench.entry import TicketExchange
from cranebridge.workbench.security import RequestGuard, new_token
from cranebridge.workbench.server import make_app

HOST = "127.0.0.1"


def serve(source: str, port: int, browser: bool, report_address: Callable[[str], None]) -> None:
    """Serve the workbench until it is interrupted.

    Parameters
    ----------
    source : str
        A ready scenario's name or a TOML file; files beside it can be opened, too.
    port : int
        On which; 0 for any that is free.
    browser : bool
        Whether the address is opened in the browser.
    report_address : callable
        Called with the address.
    """
    folder, name = place_of(source)
    bench = Bench(folder, name)
    with listening(port) as listener:
        number = listener.getsockname()[1]
        token = new_token()
        entry = TicketExchange(token, number)
        config = uvicorn.Config(
            make_app(bench, RequestGuard(number, token), entry),
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="on",
            timeout_graceful_shutdown=1,
        )
        server = _Server(config, bench)
        report_address(f"http://{HOST}:{number}/#token={token}")
        if browser:
            webbrowser.open(f"http://{HOST}:{number}/#ticket={entry.ticket}")
        with suppress(KeyboardInterrupt):  # its usual end
            server.run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that says goodbye to its pages before it ends."""

    def __init__(self, config: uvicorn.Config, bench: Bench) -> None:
        super().__init__(config)
        self._bench = bench

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End after a signal; pages that listen to events would keep it waiting."""
        self._bench.end_events()
        super().handle_exit(sig, frame)


def place_of(source: str) -> tuple[Path, str]:
    """Return folder and name of a scenario."""
    if source in ready_scenarios():
        return Path.cwd(), source
    file = Path(source)
    if not file.is_file():
        raise InputError(
            f"'{source}' is neither a ready scenario (`cranebridge list`) nor a TOML file"
        )
    return file.resolve().parent, file.resolve().name


def listening(port: int) -> socket.socket:
    """Return a socket of this machine that listens on a port."""
    # with its protocol named, asyncio switches Nagle's algorithm off: answers were 40 ms late
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError as error:
        listener.close()
        raise InputError(
            f"port {port} cannot be used: {error.strerror}; choose another with --port"
        ) from error
    listener.listen(128)
    listener.set_inheritable(False)
    return listener
