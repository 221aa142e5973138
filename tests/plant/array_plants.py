"""The FMU of arrays.c: a plant of arrays whose sizes follow from a structural parameter."""

from __future__ import annotations

import zipfile
from pathlib import Path

from foreign import compile_library

from cranebridge.plant.library_compiler import host_platform

SOURCE = Path(__file__).with_name("arrays.c")
_N = '<Dimension valueReference="1"/>'
_TWO = '<Dimension start="2"/>'

DESCRIPTION = f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Arrays" instantiationToken="g">
<ModelExchange modelIdentifier="arrays" providesDirectionalDerivatives="true"/>
<CoSimulation modelIdentifier="arrays" canHandleVariableCommunicationStepSize="true"/>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<UInt64 name="n" valueReference="1" causality="structuralParameter" variability="fixed" start="3"/>
<Float64 name="x" valueReference="2" unit="m" initial="exact" start="1">{_N}</Float64>
<Float64 name="der(x)" valueReference="3" derivative="2">{_N}</Float64>
<Float64 name="A" valueReference="4" causality="parameter" variability="fixed"
    start="-1 0 0  0 -2 0  0 0 -3">{_N}{_N}</Float64>
<Float64 name="B" valueReference="5" causality="parameter" variability="fixed"
    start="1 0 1 0 1 0">{_N}{_TWO}</Float64>
<Float64 name="u" valueReference="6" causality="input" start="0 0.25">{_TWO}</Float64>
<Float64 name="y" valueReference="7" causality="output">{_N}</Float64>
<Float64 name="s" valueReference="8">{_N}</Float64>
<Float32 name="g" valueReference="9" causality="parameter" variability="tunable"
    start="0.5 0.25">{_TWO}</Float32>
<Boolean name="on" valueReference="10" causality="input" variability="discrete"
    start="false false">{_TWO}</Boolean>
<Int32 name="hits" valueReference="11" causality="output" variability="discrete">{_N}</Int32>
<Float64 name="box" valueReference="12" initial="exact" start="0">{_TWO}{_TWO}</Float64>
<Float64 name="der(box)" valueReference="13" derivative="12">{_TWO}{_TWO}</Float64>
<Float64 name="c" valueReference="14" causality="parameter" variability="fixed"
    start="1 2 3 4">{_TWO}{_TWO}</Float64>
<Float64 name="z" valueReference="15" initial="exact" start="0"/>
<Float64 name="der(z)" valueReference="16" derivative="15"/>
<Float64 name="indicators" valueReference="17">{_N}</Float64>
</ModelVariables>
<ModelStructure>
<Output valueReference="7" dependencies="2 10"/>
<Output valueReference="11"/>
<ContinuousStateDerivative valueReference="16"/>
<ContinuousStateDerivative valueReference="3"/>
<ContinuousStateDerivative valueReference="13"/>
<EventIndicator valueReference="17"/>
</ModelStructure>
</fmiModelDescription>"""


def array_fmu(directory: Path, *options: str, **replaced: str) -> Path:
    """The FMU, compiled with options and with words of its description replaced."""
    library = directory / "arrays.so"
    compile_library([SOURCE], library, "-w", *options)
    text = DESCRIPTION
    for old, new in replaced.items():
        assert old in text
        text = text.replace(old, new)
    path = directory / "arrays.fmu"
    platform = host_platform()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", text)
        archive.write(library, f"binaries/{platform.name}/arrays{platform.extension}")
    return path
