#!/usr/bin/env python3
"""What a first run shows of its time left: commands in a pseudo terminal, with empty caches.

Prints a row for each command: how long it took, what was shown after 2.5 s, and at half time how
long was said to be left, beside how long it was. FMUs in ``fmus/`` are removed: they are a cache.

    scripts/progress_audit.py "check rotary" "run overhead -o OUT"

``OUT`` stands for a new folder. With ``--warm`` each command runs twice, and the second is shown.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LEFT = re.compile(r"about (?:(\d+) h )?(?:(\d+) min ?)?(?:(\d+) s )?left")

Frames = list[tuple[float, str]]


def watch(command: list[str], cache: Path) -> tuple[float, int, Frames]:
    """Return seconds, exit code, and what the line on standard error showed when."""
    master, slave = pty.openpty()
    env = {**os.environ, "XDG_CACHE_HOME": str(cache), "TERM": "xterm", "COLUMNS": "150"}
    begin = time.monotonic()
    work = [sys.executable, "-m", "cranebridge", *command]
    process = subprocess.Popen(work, stdout=subprocess.DEVNULL, stderr=slave, env=env)
    os.close(slave)
    frames: Frames = []
    while True:
        try:
            shown = os.read(master, 65536).decode(errors="replace")
        except OSError:  # the other end is closed
            break
        if not shown:
            break
        lines = [part.strip() for part in re.split(r"[\r\n]+", _CODES.sub("", shown))]
        frames += [(time.monotonic() - begin, line) for line in lines if line]
    code = process.wait()
    os.close(master)
    return time.monotonic() - begin, code, frames


def clear_fmus() -> None:
    """Remove the FMUs that earlier commands have made."""
    for file in (Path(__file__).parents[1] / "fmus").glob("*.fmu*"):
        file.unlink()


def shown_at(frames: Frames, seconds: float) -> str:
    """Return what was shown at a time."""
    return next((text for at, text in reversed(frames) if at <= seconds), "")


def left_of(text: str) -> float | None:
    """Return the seconds that a line says are left; None if it says nothing of them."""
    if "nearly done" in text:
        return 0.5
    found = _LEFT.search(text)
    if found is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return 3600.0 * hours + 60.0 * minutes + seconds


def main() -> int:
    """Run the commands and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", nargs="+")
    parser.add_argument("--warm", action="store_true", help="show a second run")
    parser.add_argument("--all", action="store_true", help="print all that was shown")
    given = parser.parse_args()
    print("| command | seconds | shown at 2.5 s | left at half time, shown / true | factor 2 |")
    print("|---|---|---|---|---|")
    for command in given.commands:
        with tempfile.TemporaryDirectory() as place:
            clear_fmus()
            for i in range(2 if given.warm else 1):
                words = [w.replace("OUT", f"{place}/out{i}") for w in command.split()]
                seconds, code, frames = watch(words, Path(place))
        early, half = shown_at(frames, 2.5), shown_at(frames, seconds / 2)
        said, true = left_of(half), seconds / 2
        right = said is not None and 0.5 * true <= said <= 2.0 * true
        verdict = "short" if seconds < 2.5 else "yes" if right else "NO"
        exits = "" if code == 0 else f" (exit {code})"
        tail = f"{'-' if said is None else f'{said:.0f}'} / {true:.1f}"
        early = early[1:].strip() if seconds >= 2.5 else "-"
        print(f"| {command}{exits} | {seconds:.1f} | {early} | {tail} | {verdict} |", flush=True)
        if given.all:
            last = ""
            for at, text in frames:
                if text[1:] != last:
                    print(f"    {at:6.2f} {text}")
                last = text[1:]
    return 0


if __name__ == "__main__":
    sys.exit(main())
