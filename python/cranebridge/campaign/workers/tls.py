"""Certificates for the connection to a cluster: who is who is proved on both sides.

Dask sends Python objects, and whoever can send them can have any code run by who takes them. With
TLS scheduler, workers and client each show a certificate, and take others only with one that the
same authority has signed.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

from cranebridge.errors import InputError


@dataclass(frozen=True)
class Tls:
    """Files in PEM format, as of the options of ``dask scheduler``.

    Attributes
    ----------
    ca_file : Path
        The authority's certificate: others are taken that it has signed.
    cert, key : Path
        Our own certificate, signed by it, and its private key.
    """

    ca_file: Path
    cert: Path
    key: Path

    def __post_init__(self) -> None:
        for option, file in self.by_option().items():
            if not file.is_file():
                raise InputError(f"{option}: there is no file '{file}'")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        try:
            context.load_verify_locations(cafile=self.ca_file)
        except (OSError, ValueError) as error:
            raise InputError(
                f"--tls-ca-file: '{self.ca_file}' has no certificate in PEM format"
            ) from error
        try:
            # a key with a passphrase would ask for it, here and in each connection
            context.load_cert_chain(self.cert, self.key, password="")
        except (OSError, ValueError) as error:
            raise InputError(
                f"--tls-cert and --tls-key: '{self.cert}' and '{self.key}' are not a certificate "
                "in PEM format and its private key without a passphrase"
            ) from error

    def by_option(self) -> dict[str, Path]:
        """Return the files by the option that names them."""
        return {"--tls-ca-file": self.ca_file, "--tls-cert": self.cert, "--tls-key": self.key}


def read_tls(ca_file: Path | None, cert: Path | None, key: Path | None) -> Tls | None:
    """Return the certificates, or None if none are given; all three belong together."""
    if ca_file is None and cert is None and key is None:
        return None
    if ca_file is None or cert is None or key is None:
        raise InputError(
            "--tls-ca-file, --tls-cert and --tls-key belong together: give all three, or none"
        )
    return Tls(ca_file, cert, key)


def open_connection(address: str) -> str:
    """Return the warning for a connection to a scheduler that nobody has to prove who he is."""
    return (
        f"the connection to the Dask scheduler at {address} is not authenticated and not "
        "encrypted: whoever reaches that port can run code on its workers and on this machine, as "
        "their users, and read and change what is sent; use TLS (docs/campaigns.md) unless all "
        "who reach it may do that"
    )
