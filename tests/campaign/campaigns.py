"""Designs and bytes that the tests of carrying out share; a campaign in a process of its own."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from works import Pendulum

from cranebridge.campaign import (
    Design,
    Work,
    carry_out,
    cluster,
    make_design,
    pool,
    read_factor,
    serial,
)


def design(runs: int) -> Design:
    # made here and not above: worker processes import this module, and need no SciPy
    factors = (
        read_factor("m", {"normal": [500.0, 25.0]}),
        read_factor("l", {"uniform": [0.5, 2.0]}),
    )
    return make_design(factors, "sobol", runs, seed=1)


def serial_bytes(folder: Path, work: Work, runs: int) -> bytes:
    """What everybody else must get."""
    with serial() as executor:
        return carry_out(work, design(runs), executor, folder).file.read_bytes()


def main(folder: str, where: str, runs: str, seconds: str, mark: str = "") -> None:
    """Carry out a campaign whose process the test kills."""
    # tests that run in the background of a shell inherit an interrupt that is ignored
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # more than a pipe takes without a reader, as an FMU is
    work = Pendulum(seconds=float(seconds), ballast=bytes(1 << 20), mark=mark)
    with pool(2) if where == "pool" else cluster(where) as executor:
        carry_out(work, design(int(runs)), executor, Path(folder), batch=3)


if __name__ == "__main__":
    main(*sys.argv[1:])
