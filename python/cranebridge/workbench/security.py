"""Who may ask the workbench, and what its page may load.

The server listens on the loopback address only, but every program and every web page that this
machine opens can send requests there. So each request must name the host that the server was
started on (a page of another site that made its name point here does not), must not come from a
page of another origin, and must carry the random token of the printed address. The token stands
behind the ``#`` of the address: browsers do not send that part, the page does, as a header, which
pages of other origins cannot. No cookie is used: those are shared by all ports of a machine.

Results are opened and downloaded by links, which carry no header. They want the token or, in the
address, a pass that is derived from it: who reads a link in a browser's history, or a script in a
report, learns nothing that the workbench could be asked with.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from urllib.parse import parse_qs

TOKEN_HEADER = "x-cranebridge-token"
PASS = "pass"
"""In the query of a result's address."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; font-src 'none'; base-uri 'none'; "
    "form-action 'none'; "
    "frame-ancestors 'none'"
)
"""Scripts from this server's files only: one in a name or a scenario is never run. Styles are also
set by plots and scene on their elements."""
REPORT_POLICY = "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
"""A report runs its own scripts (its own policy names them) in an origin of its own, from which the
workbench cannot be asked."""
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def new_token() -> str:
    """Return a random token."""
    return secrets.token_urlsafe(24)


def results_pass(token: str) -> str:
    """Return what opens the results of tasks, and nothing else."""
    return hmac.new(token.encode(), b"results", hashlib.sha256).hexdigest()


class RequestGuard:
    """Decides on requests by their headers.

    Parameters
    ----------
    port : int
        The server's.
    token : str
        That the printed address has.
    """

    def __init__(self, port: int, token: str) -> None:
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        self._token, self._pass = token, results_pass(token)

    def refusal(self, headers: Mapping[str, str], address: str) -> tuple[int, str] | None:
        """Return status and reason if a request is refused, None if not.

        Parameters
        ----------
        headers : mapping of str to str
            With names in lower case.
        address : str
            Path and query. Files of the page itself tell nothing: they ask for no token.
        """
        if headers.get("host", "") not in self._hosts:
            return 403, "this server answers for 127.0.0.1 only"
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in self._hosts}:
            return 403, "a page of another site must not ask this server"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return 403, "a page of another site must not ask this server"
        if not self._known(headers, address):
            return 401, "the token is wrong: open the address that `cranebridge open` printed"
        return None

    def _known(self, headers: Mapping[str, str], address: str) -> bool:
        """Return whether a request has the token, as far as its address asks for one."""
        path, _, query = address.partition("?")
        given = headers.get(TOKEN_HEADER, "").encode()
        known = secrets.compare_digest(given, self._token.encode())
        if path.startswith("/results/"):
            found = parse_qs(query).get(PASS, [""])[0].encode()
            return known or secrets.compare_digest(found, self._pass.encode())
        return known or not path.startswith("/api/")
