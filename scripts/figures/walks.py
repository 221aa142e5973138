"""The way of the data through `run`, `plan` and `campaign`: what `job` calls, in its order.

Each verb is carried out once, and what the modules of `job` call on other floors is noted when it
is called first. Only what a front offers counts, and what is called before it is left out where it
only reads or writes a folder.
"""

from __future__ import annotations

import inspect
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from marks import Files, page_with

import cranebridge as cb

UNTOLD = ("base", "progress", "scenario", "job", "face")
"""Floors that every verb asks for a word of their own all the time."""


def made() -> Files:
    """Return the page with the walks."""
    parts = [f"### {verb}\n\n{table(steps(carry_out))}\n" for verb, carry_out in VERBS.items()]
    return page_with("\n".join(parts), "architecture.md", "walks")


def run() -> None:
    """Carry out the main job."""
    cb.load("overhead").run("result")


def plan() -> None:
    """Find a path."""
    goal = {"kind": "optimal", "start": [0.0, -5.0], "goal": [4.0, -4.0], "accuracy": 0.1}
    limits = {"u": {"F_t": 300.0, "M_w": [-150.0, -50.0]}, "rope": 98.1}
    cb.Scenario.of("overhead", goal, limits=limits).plan()


def campaign() -> None:
    """Carry out a campaign of two runs."""
    vary = {"plant.parameters.m": {"uniform": [99.0, 101.0]}}
    cb.load("overhead", {"campaign.runs": 2, "campaign.vary": vary}).campaign("runs", workers=1)


VERBS = {
    "`cranebridge run`": run,
    "`cranebridge plan`": plan,
    "`cranebridge campaign`": campaign,
}


def steps(carry_out: Callable[[], None]) -> dict[str, tuple[str, str]]:
    """Return what is called: by place and name, who calls it first, and its first sentence."""
    found: dict[str, tuple[str, str]] = {}

    def look(frame: FrameType, event: str, _: Any) -> None:
        caller = frame.f_back
        if event != "call" or caller is None:
            return
        module, name = str(frame.f_globals.get("__name__")), frame.f_code.co_name
        calling = str(caller.f_globals.get("__name__"))
        if not calling.startswith(("cranebridge.job", "cranebridge.scenario")):
            return
        floor = module.split(".")[1] if module.startswith("cranebridge.") else "base"
        function = frame.f_globals.get(name)
        if floor in UNTOLD or module.count(".") < 2 or not inspect.isfunction(function):
            return
        if front_of(module, name):
            key = f"`{front_of(module, name)}.{name}`"
            sentence = (inspect.getdoc(function) or "").split("\n\n")[0]
            called = calling.removeprefix("cranebridge.")
            found.setdefault(key, (f"`{called}`", " ".join(sentence.split())))

    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.setprofile(look)
        try:
            carry_out()
        finally:
            sys.setprofile(None)
            os.chdir(before)
    return found


def front_of(module: str, name: str) -> str:
    """Return the front that offers a function, without the package's name; empty if none does."""
    parts = module.split(".")
    for length in range(2, len(parts)):
        front = ".".join(parts[:length])
        if name in getattr(sys.modules[front], "__all__", ()):
            return front.removeprefix("cranebridge.")
    return ""


def table(found: dict[str, tuple[str, str]]) -> str:
    """Return the rows."""
    rows = [f"| {caller} | {key} | {text} |" for key, (caller, text) in found.items()]
    return "\n".join(["| from | what is called | what it does |", "|---|---|---|", *rows]) + "\n"
