"""FMUs of integrator.c, x' = k u: one instance in a process, and variables that are no numbers."""

from __future__ import annotations

import zipfile
from pathlib import Path

from foreign import compile_library

from cranebridge.plant.library_compiler import host_platform

SOURCE = Path(__file__).with_name("integrator.c")
ONCE = 'canBeInstantiatedOnlyOncePerProcess="true"'
# name, value reference, causality, variability
REALS = [
    ("x", 0, "local", "continuous"),
    ("der(x)", 1, "local", "continuous"),
    ("u", 2, "input", "continuous"),
    ("y", 3, "output", "continuous"),
    ("k", 4, "parameter", "fixed"),
]
TEXTS = [
    ("label", 10, "parameter", "fixed"),
    ("order", 11, "input", "discrete"),
    ("message", 12, "output", "discrete"),
    ("kept", 13, "local", "discrete"),
]
STARTS = {"u": "0", "k": "1", "label": "a &amp; b", "order": ""}


def _description2(me: str, cs: str, texts: bool) -> str:
    rows, outputs = [], []
    # texts come first: the structure counts them too
    for name, reference, causality, variability in [*(TEXTS if texts else []), *REALS]:
        kind = "Real" if reference < 10 else "String"
        start = f' start="{STARTS[name]}"' if name in STARTS else ""
        state = f' derivative="{1 + len(TEXTS) * texts}"' if name == "der(x)" else ""
        rows.append(
            f'<ScalarVariable name="{name}" valueReference="{reference}" causality="{causality}" '
            f'variability="{variability}"><{kind}{start}{state}/></ScalarVariable>'
        )
        if causality == "output":
            outputs.append(f'<Unknown index="{len(rows)}"/>')
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Integrator" guid="g" numberOfEventIndicators="0">
<ModelExchange modelIdentifier="integrator" {me}/>
<CoSimulation modelIdentifier="integrator" canHandleVariableCommunicationStepSize="true"
    canInterpolateInputs="true" canGetAndSetFMUstate="true" {cs}/>
<ModelVariables>{"".join(rows)}</ModelVariables>
<ModelStructure><Outputs>{"".join(outputs)}</Outputs>
<Derivatives><Unknown index="{2 + len(TEXTS) * texts}"/></Derivatives></ModelStructure>
</fmiModelDescription>"""


def _text3(name: str, attributes: str) -> str:
    start = f'<Start value="{STARTS[name]}"/>' if name in STARTS else ""
    return f"<String {attributes}>{start}</String>"


# Arrays of texts and raw bytes, which FMI 2 does not have.
_OTHERS3 = """<String name="names" valueReference="14" causality="parameter" variability="fixed">
<Dimension start="2"/><Start value="one"/><Start value="two words"/></String>
<Binary name="picture" valueReference="15" causality="output" variability="discrete"/>
<Binary name="frame" valueReference="16" causality="input" variability="discrete">
<Start value="00ff"/></Binary>"""


def _description3(me: str, cs: str, texts: bool) -> str:
    rows, outputs = [], []
    for name, reference, causality, variability in [*(TEXTS if texts else []), *REALS]:
        attributes = (
            f'name="{name}" valueReference="{reference}" causality="{causality}" '
            f'variability="{variability}"'
        )
        if reference < 10:
            attributes += f' start="{STARTS[name]}"' if name in STARTS else ""
            attributes += ' derivative="0"' if name == "der(x)" else ""
            rows.append(f"<Float64 {attributes}/>")
        else:
            rows.append(_text3(name, attributes))
        if causality == "output":
            outputs.append(f'<Output valueReference="{reference}"/>')
    if texts:
        rows.append(_OTHERS3)
        outputs.append('<Output valueReference="15"/>')
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Integrator" instantiationToken="g">
<ModelExchange modelIdentifier="integrator" {me}/>
<CoSimulation modelIdentifier="integrator" canHandleVariableCommunicationStepSize="true"
    canGetAndSetFMUState="true" {cs}/>
<ModelVariables>
<Float64 name="time" valueReference="99" causality="independent" variability="continuous"/>
{"".join(rows)}</ModelVariables>
<ModelStructure>{"".join(outputs)}<ContinuousStateDerivative valueReference="1"/></ModelStructure>
</fmiModelDescription>"""


def integrator_fmu(
    directory: Path, fmi: int, *options: str, me: str = "", cs: str = "", texts: bool = False
) -> Path:
    """The FMU of integrator.c, with options of the compiler.

    `me` and `cs` are attributes of the interfaces; with `texts` it has variables that are no
    numbers.
    """
    directory.mkdir(parents=True, exist_ok=True)
    library = directory / f"integrator{fmi}.so"
    compile_library([SOURCE], library, f"-DFMI={fmi}", "-w", *options)
    describe = _description2 if fmi == 2 else _description3
    platform = host_platform()
    folder = platform.fmi2 if fmi == 2 else platform.name
    path = directory / f"integrator{fmi}.fmu"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", describe(me, cs, texts))
        archive.write(library, f"binaries/{folder}/integrator{platform.extension}")
    return path
