"""FMUs of other tools and FMUs that misbehave, made by the tests themselves."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cranebridge.plant.library_compiler import host_platform

HEADERS = Path(importlib.util.find_spec("fmpy").origin).parent / "c-code"
SOURCE = Path(__file__).with_name("foreign.c")


_COMPILED: dict[tuple[object, ...], bytes] = {}
"""Libraries that an earlier test of this process needed, too; they are small."""


def compile_library(sources: Sequence[Path], target: Path, *options: str) -> None:
    # what is written here includes nothing but FMPy's headers and files that stay as they are
    key = (options, *(source.read_bytes() for source in sources))
    if key not in _COMPILED:
        command = ["gcc", "-shared", "-fPIC", "-O1", f"-I{HEADERS}", *options]
        subprocess.run([*command, *map(str, sources), "-lm", "-o", str(target)], check=True)
        _COMPILED[key] = target.read_bytes()
    target.write_bytes(_COMPILED[key])


# ---------------------------------------------------------------------------- other tools


def casadi_fmu(directory: Path) -> Path:
    """Pendulum as an FMI 3 Model Exchange FMU of CasADi's own exporter."""
    import casadi as ca  # not needed by those who only want descriptions, and large

    dae = ca.DaeBuilder("pendulum", "")
    dae.add("t", "independent")
    phi, omega, y = (dae.add(name, "output") for name in ("phi", "omega", "y"))
    u, m = dae.add("u", "input"), dae.add("m", "parameter", "tunable")
    dae.eq(dae.der(phi), omega)
    dae.eq(dae.der(omega), u / m - 9.81 * ca.sin(phi))
    dae.eq(y, ca.sin(phi))
    dae.set_start("m", 2.0)
    dae.set_unit("phi", "rad")
    return pack_casadi(dae, directory)


def pack_casadi(dae: Any, directory: Path) -> Path:
    """Compile and pack what CasADi exports of a model."""
    import casadi as ca

    name = dae.name()
    directory.mkdir(parents=True, exist_ok=True)
    with contextlib.chdir(directory):
        files = dae.export_fmu()
    # It writes all files into one directory, and says where in the archive they belong.
    sources = [directory / name for name in files if name.endswith(".c")]
    library = directory / f"{name}.so"
    compile_library(sources, library, f"-I{ca.GlobalOptions.getCasadiIncludePath()}", "-w")
    path = directory / f"{name}.fmu"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(library, f"binaries/{host_platform().name}/{name}.so")
        for name, place in files.items():
            archive.write(directory / name, os.path.normpath(place))
    return path


PYTHON_SLAVE = """
from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real


class Mass(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.x, self.v, self.u, self.m = 0.0, 0.0, 0.0, 2.0
        for name in ("x", "v"):
            self.register_variable(Real(name, causality=Fmi2Causality.output))
        self.register_variable(Real("u", causality=Fmi2Causality.input))
        tunable = Fmi2Variability.tunable
        parameter = Fmi2Causality.parameter
        self.register_variable(Real("m", causality=parameter, variability=tunable))

    def do_step(self, current_time, step_size):
        a = self.u / self.m
        self.x += step_size * self.v + step_size**2 / 2 * a
        self.v += step_size * a
        return True
"""


def python_fmu(directory: Path, slave: str = PYTHON_SLAVE, name: str = "Mass") -> Path:
    """An FMI 2 Co-Simulation FMU of PythonFMU; a mass with a force unless said otherwise."""
    directory.mkdir(parents=True, exist_ok=True)
    script = directory / f"{name.lower()}.py"
    script.write_text(slave)
    command = [sys.executable, "-m", "pythonfmu", "build", "-f", str(script), "-d", str(directory)]
    subprocess.run(command, check=True, capture_output=True)
    return directory / f"{name}.fmu"


# ---------------------------------------------------------------------------- by hand


def description(states: int = 1, indicators: int = 0, head: str = "", **replaced: str) -> str:
    """Model description of the plant in foreign.c."""
    velocity = """
        <ScalarVariable name="v" valueReference="5"><Real/></ScalarVariable>
        <ScalarVariable name="der(v)" valueReference="6"><Real derivative="6"/></ScalarVariable>
    """
    text = f"""\
        <?xml version="1.0" encoding="UTF-8"?>{head}
        <fmiModelDescription fmiVersion="2.0" modelName="Foreign" guid="g"
            numberOfEventIndicators="{indicators}">
        <ModelExchange modelIdentifier="foreign"/>
        <CoSimulation modelIdentifier="foreign" canHandleVariableCommunicationStepSize="true"/>
        <ModelVariables>
        <ScalarVariable name="x" valueReference="0"><Real/></ScalarVariable>
        <ScalarVariable name="der(x)" valueReference="1"><Real derivative="1"/></ScalarVariable>
        <ScalarVariable name="u" valueReference="2" causality="input">
        <Real start="0"/></ScalarVariable>
        <ScalarVariable name="y" valueReference="3" causality="output"><Real/></ScalarVariable>
        <ScalarVariable name="k" valueReference="4" causality="parameter" variability="fixed">
        <Real start="1"/></ScalarVariable>
        {velocity if states == 2 else ""}
        </ModelVariables>
        <ModelStructure>
        <Outputs><Unknown index="4"/></Outputs>
        <Derivatives><Unknown index="2"/>{'<Unknown index="7"/>' if states == 2 else ""}
        </Derivatives>
        </ModelStructure>
        </fmiModelDescription>"""
    text = textwrap.dedent(text)
    for old, new in replaced.items():
        text = text.replace(old, new)
    return text


def write_fmu(path: Path, xml: str | bytes, library: bytes = b"", **others: bytes) -> Path:
    """An archive with this model description and binary."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", xml)
        if library:
            platform = host_platform()
            archive.writestr(f"binaries/{platform.fmi2}/foreign{platform.extension}", library)
        for name, content in others.items():
            archive.writestr(name, content)
    return path


def misbehaving_fmu(directory: Path, behaviour: str, states: int = 1, indicators: int = 0) -> Path:
    """An FMI 2 FMU of foreign.c with Model Exchange and Co-Simulation."""
    library = directory / f"{behaviour}.so"
    compile_library([SOURCE], library, f"-DBEHAVIOUR={behaviour}", "-w")
    xml = description(states, indicators)
    return write_fmu(directory / f"{behaviour}.fmu", xml, library.read_bytes())
