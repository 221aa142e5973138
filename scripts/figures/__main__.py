"""Make tables and pictures of the documentation, or say which are not what the code makes.

    scripts/docs --figures [--check] [NAME ...]

Without names: those that follow from the code alone, in seconds. The others are measured on plants
or drawn by a browser; some take many minutes of processor time.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from marks import ROOT, Files

PICTURE = "picture"
"""Browsers draw pictures differently on each machine: they are made, and not compared."""


@dataclass(frozen=True)
class Figure:
    """A script's function `made`, which returns files; `kind` says where its figures come from."""

    script: str
    kind: str
    part: str = ""

    def files(self) -> Files:
        """Return the files as the code makes them now."""
        made = importlib.import_module(self.script).made
        files: Files = made(self.part) if self.part else made()
        return files


CODE, MEASURED = "from the code", "measured on plants"
_PICTURES = ("workbench.png", "report.png", "rotary.gif", "around-a-stack.png", "own-gantry.png")
FIGURES = {
    "scenario-keys": Figure("scenario_docs", CODE),
    "architecture": Figure("architecture", CODE),
    "benchmarks": Figure("benchmarks_table", CODE),
    "walks": Figure("walks", MEASURED),
    "strategies": Figure("planning_docs", CODE),
    "tracking": Figure("tracking_table", MEASURED),
    "control": Figure("control_table", MEASURED),
    "plants-kept-aside": Figure("holdout_table", MEASURED),
    "start": Figure("start_table", MEASURED),
    "lqr": Figure("lqr_table", MEASURED),
    "encoders": Figure("encoders_table", MEASURED),
    "speed-drives": Figure("speed_table", MEASURED),
    "statements": Figure("st_table", MEASURED),
    "campaign": Figure("campaign_example", MEASURED),
    **{name: Figure("docs_pictures", PICTURE, name) for name in _PICTURES},
}


def differing(files: Files) -> list[Path]:
    """Return the files that are not there as they are made; what is drawn is not compared."""
    texts = {file: made for file, made in files.items() if file.suffix != ".png"}
    return [file for file, made in texts.items() if not file.is_file() or file.read_bytes() != made]


def check(names: Iterable[str]) -> int:
    """Print which files are not what the code makes; return the exit code."""
    wrong = 0
    for name in names:
        for file in differing(FIGURES[name].files()):
            print(f"{file.relative_to(ROOT)} is old: scripts/docs --figures {name}")
            wrong += 1
    return int(wrong > 0)


def write(names: Iterable[str]) -> int:
    """Write the files; return the exit code."""
    for name in names:
        files = FIGURES[name].files()
        for file in files:
            file.write_bytes(files[file])
            print(f"wrote {file.relative_to(ROOT)}")
    return 0


def names_of(kind: str) -> str:
    """Return the names of a kind, for the help."""
    return f"{kind}: {', '.join(name for name, one in FIGURES.items() if one.kind == kind)}"


def main(arguments: list[str]) -> int:
    """Make or check the figures that are named."""
    kinds = (CODE, MEASURED, PICTURE)
    parser = argparse.ArgumentParser(
        prog="scripts/docs --figures",
        description=(__doc__ or "").split("\n")[0],
        epilog="; ".join(map(names_of, kinds)),
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: those from the code")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if old")
    given = parser.parse_args(arguments)
    names = given.names or [name for name, one in FIGURES.items() if one.kind == CODE]
    for name in names:
        if name not in FIGURES:
            parser.error(f"there is no figure {name!r}: {', '.join(FIGURES)}")
        if given.check and FIGURES[name].kind == PICTURE:
            parser.error(f"{name} is drawn by a browser, and cannot be compared")
    os.chdir(ROOT)
    return check(names) if given.check else write(names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
