"""Hostile FMUs of hostile.c, and the world that they could do harm to."""

from __future__ import annotations

import re
import select
import socket
from pathlib import Path

import numpy as np
import pytest
from foreign import compile_library, description, write_fmu

from cranebridge.plant.containment.measures import MEASURES
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.sandbox.plant_results import Simulation

SOURCE = Path(__file__).with_name("hostile.c")
LIST = re.search(r"#define DEEDS\(X\) (.*?)\n#define", SOURCE.read_text(), re.DOTALL)[1]
NUMBERS = {name: k + 2 for k, name in enumerate(re.findall(r"X\((\w+)\)", LIST))}
ENUM = re.search(r"enum \{ ROUNDING = 100,(.*?)\}", SOURCE.read_text(), re.DOTALL)[1]
QUIET = {name: 100 + k for k, name in enumerate(["ROUNDING", *re.findall(r"\w+", ENUM)])}

RAMP = Controls.linear([0.0, 1.0], [[0.0], [1.0]], ["u"])
TIMES = np.linspace(0.0, 1.0, 11)
SECRET = "the secret of cranebridge"


class World:
    """What a hostile FMU could reach, and whether it did."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir(mode=0o700)
        (self.home / "secret").write_text(SECRET)
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        self.unix_path = str(folder / "s")
        self.unix = socket.socket(socket.AF_UNIX)
        self.unix.bind(self.unix_path)
        self.unix.listen()
        self.signals: list[int] = []

    def seen(self) -> tuple[object, ...]:
        """Content and rights of the folder."""
        entries = sorted(self.home.iterdir())
        rows = [(p.name, p.lstat().st_mode, p.lstat().st_mtime_ns) for p in entries]
        return rows, self.home.stat().st_mode, (self.home / "secret").read_text()

    def calls(self) -> list[socket.socket]:
        """Listeners on which something came."""
        return select.select([self.tcp, self.udp, self.unix], [], [], 0.0)[0]

    def close(self) -> None:
        for part in (self.tcp, self.udp, self.unix):
            part.close()


def build_hostile(world: World, name: str, *options: str) -> Path:
    library = world.folder / f"{name}.so"
    words = {"HOME": f'"{world.home}"', "UNIX_SOCKET": f'"{world.unix_path}"'}
    defined = [f"-D{key}={value}" for key, value in words.items()]
    more = (f"-DPORT={world.port}", "-DBEHAVIOUR=GOOD", "-w", "-pthread", *options)
    compile_library([SOURCE], library, *defined, *more)
    return write_fmu(world.folder / f"{name}.fmu", description(), library.read_bytes())


def need(plant: Plant, measure: str) -> None:
    if measure in plant.containment.missing:
        pytest.skip(f"not enforced by this kernel: {MEASURES[measure]}")


def do(plant: Plant, number: int) -> Simulation:
    return plant.simulate(times=TIMES, inputs=RAMP, parameters={"k": float(number)})


def goes_on(plant: Plant) -> None:
    """The next run, in this or another child, gives x(1) = 1/2."""
    assert do(plant, 1).outputs[-1, 0] == pytest.approx(0.5, abs=1e-12)
