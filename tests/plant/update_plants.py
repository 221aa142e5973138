"""FMUs of updates.c: FMI 3 Co-Simulation with intermediate update, early return, event mode."""

from __future__ import annotations

import zipfile
from pathlib import Path

from foreign import compile_library

from cranebridge.plant.library_compiler import host_platform

SOURCE = Path(__file__).with_name("updates.c")
ALL = (
    'providesIntermediateUpdate="true" mightReturnEarlyFromDoStep="true" '
    'canReturnEarlyAfterIntermediateUpdate="true" hasEventMode="true"'
)


def description(flags: str) -> str:
    rows = [
        '<Float64 name="time" valueReference="0" causality="independent"/>',
        '<Float64 name="x" valueReference="1" causality="local" initial="exact" start="0"/>',
        '<Float64 name="u" valueReference="2" causality="input" start="0" '
        'intermediateUpdate="true"/>',
        '<Float64 name="w" valueReference="3" causality="input" start="0"/>',
        '<Float64 name="y" valueReference="4" causality="output"/>',
    ]
    for reference, name in enumerate(("wrong", "asked", "events", "gain"), start=5):
        rows.append(
            f'<Float64 name="{name}" valueReference="{reference}" causality="output" '
            'variability="discrete"/>'
        )
    outputs = "".join(f'<Output valueReference="{reference}"/>' for reference in range(4, 9))
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Updates" instantiationToken="g">
<CoSimulation modelIdentifier="updates" canHandleVariableCommunicationStepSize="true" {flags}/>
<ModelVariables>{"".join(rows)}</ModelVariables>
<ModelStructure>{outputs}</ModelStructure>
</fmiModelDescription>"""


def update_fmu(directory: Path, behaviour: str = "GOOD", flags: str = ALL) -> Path:
    """The FMU of updates.c that behaves so, and says of itself what the flags are."""
    platform = host_platform()
    library = directory / "updates.so"
    compile_library([SOURCE], library, f"-DBEHAVIOUR={behaviour}", "-w")
    path = directory / f"{behaviour}.fmu"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", description(flags))
        archive.write(library, f"binaries/{platform.name}/updates{platform.extension}")
    return path
