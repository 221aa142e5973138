"""Works that the tests carry out: small, deterministic, and some that end their process."""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cranebridge.errors import SolutionError


@dataclass(frozen=True)
class Pendulum:
    """A work with all types of results, columns that differ, and a failed run in seven."""

    key: str = "pendulum"
    seconds: float = 0.0  # a run takes so long
    ballast: bytes = b""  # what has to be sent, as an FMU is
    mark: str = ""  # a file that appears when the first run begins

    def begin(self) -> PendulumRunner:
        return PendulumRunner(self.seconds, self.mark)


class PendulumRunner:
    def __init__(self, seconds: float, mark: str = "") -> None:
        self.seconds, self.mark = seconds, mark

    def __call__(self, number: int, values: Mapping[str, float]) -> dict[str, float | str | bool]:
        if self.mark:
            Path(self.mark).touch()
        if self.seconds:
            time.sleep(self.seconds)
        if number % 7 == 3:
            raise SolutionError(f"run {number} does not converge")
        swing = math.sin(values["m"]) * values["l"]
        row: dict[str, float | str | bool] = {"swing": swing, "kept": swing < 1.0}
        if number % 2:
            row = {"odd": f"no. {number}", **row}
        return row

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class Deadly:
    """A work whose chosen runs kill their process: always, or only the first time."""

    marks: Path
    always: tuple[int, ...] = ()
    once: tuple[int, ...] = ()
    key: str = "deadly"

    def begin(self) -> DeadlyRunner:
        return DeadlyRunner(self)


class DeadlyRunner(PendulumRunner):
    def __init__(self, work: Deadly) -> None:
        super().__init__(0.0)
        self.work = work

    def __call__(self, number: int, values: Mapping[str, float]) -> dict[str, float | str | bool]:
        mark = self.work.marks / str(number)
        if number in self.work.always or (number in self.work.once and not mark.exists()):
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(number, values)


@dataclass(frozen=True)
class Faulty:
    """A work that goes wrong in the way that is named."""

    fault: str
    key: str = "faulty"

    def begin(self) -> FaultyRunner:
        if self.fault == "begin":
            raise SolutionError("the plant cannot be loaded")
        if self.fault == "dies at begin":
            os.kill(os.getpid(), signal.SIGKILL)
        return FaultyRunner(self.fault)


class FaultyRunner:
    def __init__(self, fault: str) -> None:
        self.fault = fault

    def __call__(self, number: int, values: Mapping[str, float]) -> Mapping[str, object]:
        match self.fault:
            case "silent":
                raise SolutionError("")
            case "bug":
                raise ZeroDivisionError("division by zero")
            case "type":
                return {"list": [1.0]}
            case "mixed":
                return {"x": True if number == 2 else 1.0}
            case "name":
                return {"m": 1.0}
            case "text":
                return {"t": "\udc80", "x": math.nan, "y": -math.inf}
        return {}

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class Counted:
    """A work whose runners leave a file for each that begins and each that is closed."""

    folder: Path
    key: str = "counted"

    def begin(self) -> CountedRunner:
        (self.folder / f"begin-{os.getpid()}-{time.monotonic_ns()}").touch()
        return CountedRunner(self.folder)


class CountedRunner(PendulumRunner):
    def __init__(self, folder: Path) -> None:
        super().__init__(0.002)  # long enough for both workers to come to it
        self.folder = folder

    def close(self) -> None:
        (self.folder / f"close-{os.getpid()}-{time.monotonic_ns()}").touch()
