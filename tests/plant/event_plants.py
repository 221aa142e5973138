"""FMUs of events.c: plants with events in hand-written C, for FMI 2 and FMI 3."""

from __future__ import annotations

import zipfile
from pathlib import Path

from foreign import compile_library

from cranebridge.plant.library_compiler import host_platform

SOURCE = Path(__file__).with_name("events.c")
REST = Path(__file__).with_name("events_rest.c")
TIMES = 40
# states and event indicators of each plant
SIZES = {
    "BALL": (2, 1),
    "BALL_RESET": (2, 1),
    "KICKED_BALL": (2, 1),
    "TWO_BALLS": (4, 2),
    "THERMOSTAT": (1, 2),
    "LATCH": (1, 1),
    "RELAY": (1, 1),
    "LATCHED_RELAY": (1, 1),
    "CHATTER": (1, 1),
    "LIMIT": (1, 1),
    "SCRIBBLER": (2, 0),
    "NOTHING": (0, 0),
    "CACHED": (1, 1),
    "CART": (2, 0),
    "BLINK": (0, 1),
    "EDGE": (1, 1),
    "SHORT": (2, 1),
    "BLIND": (1, 1),
}


def real_variables(states: int) -> list[tuple[str, int, str, str]]:
    """Name, value reference, causality, variability."""
    rows = [("u", 20, "input", "continuous"), ("k", 22, "parameter", "fixed")]
    rows += [(f"x{i}", i, "local", "continuous") for i in range(states)]
    rows += [("y", 21, "output", "continuous")]
    counts = (("switches", 23), ("entered", 24), ("wrong", 25))
    rows += [(name, reference, "output", "discrete") for name, reference in counts]
    return rows + [(f"e{i + 1}", 40 + i, "output", "discrete") for i in range(TIMES)]


# name, reference, causality, variability, type of FMI 3 (its type in FMI 2 follows from it)
WHOLE = [
    ("i", 30, "input", "discrete", "Int32"),
    ("b", 31, "input", "discrete", "Boolean"),
    ("p_i", 32, "parameter", "fixed", "Int32"),
    ("p_b", 33, "parameter", "fixed", "Boolean"),
    ("y_i", 34, "output", "discrete", "Int32"),
    ("y_b", 35, "output", "discrete", "Boolean"),
    ("choice", 36, "input", "discrete", "Enumeration"),
    ("y_choice", 37, "output", "discrete", "Enumeration"),
]
FMI3_ONLY = [
    ("long", 39, "input", "discrete", "Int64"),
    ("y_long", 38, "output", "discrete", "Int64"),
    ("single", 80, "parameter", "fixed", "Float32"),
    ("y_single", 81, "output", "discrete", "Float32"),
]


def _start(name: str, causality: str) -> str:
    if causality not in ("input", "parameter"):
        return ""
    return {"k": ' start="0.7"', "p_i": ' start="1"', "p_b": ' start="false"'}.get(
        name, ' start="false"' if name == "b" else ' start="0"'
    )


def description2(states: int, indicators: int, typed: bool, me: str = "", extra: str = "") -> str:
    rows, index, outputs, derivatives = [], {}, [], []

    def add(name: str, reference: int, causality: str, variability: str, tag: str, more: str = ""):
        index[name] = len(rows) + 1
        if causality == "output":
            outputs.append(index[name])
        rows.append(
            f'<ScalarVariable name="{name}" valueReference="{reference}" causality="{causality}" '
            f'variability="{variability}"><{tag}{more}{_start(name, causality)}/></ScalarVariable>'
        )

    for name, reference, causality, variability in real_variables(states):
        add(name, reference, causality, variability, "Real")
    for i in range(states):
        derivative = f' derivative="{index[f"x{i}"]}"'
        add(f"der(x{i})", 10 + i, "local", "continuous", "Real", derivative)
        derivatives.append(len(rows))
    if typed:
        for name, reference, causality, variability, kind in WHOLE:
            tag = {"Int32": "Integer"}.get(kind, kind)
            more = ' declaredType="Choice"' if kind == "Enumeration" else ""
            add(name, reference, causality, variability, tag, more)
    unknowns = "".join(f'<Unknown index="{i}"/>' for i in outputs)
    rates = "".join(f'<Unknown index="{i}"/>' for i in derivatives)
    newline = "\n"
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Events" guid="g"
    numberOfEventIndicators="{indicators}">
<ModelExchange modelIdentifier="events" {me}/>
<CoSimulation modelIdentifier="events" canHandleVariableCommunicationStepSize="true"/>
{_types("SimpleType") if typed else ""}
{extra}
<ModelVariables>
{newline.join(rows)}
</ModelVariables>
<ModelStructure><Outputs>{unknowns}</Outputs><Derivatives>{rates}</Derivatives></ModelStructure>
</fmiModelDescription>"""


def _types(tag: str) -> str:
    items = '<Item name="a" value="1"/><Item name="b" value="2"/>'
    if tag == "SimpleType":
        inner = f'<SimpleType name="Choice"><Enumeration>{items}</Enumeration></SimpleType>'
    else:
        inner = f'<EnumerationType name="Choice">{items}</EnumerationType>'
    return f"<TypeDefinitions>{inner}</TypeDefinitions>"


def description3(states: int, indicators: int, typed: bool, me: str = "", extra: str = "") -> str:
    rows, structure = [], []

    def add(name: str, reference: int, causality: str, variability: str, tag: str, more: str = ""):
        rows.append(
            f'<{tag} name="{name}" valueReference="{reference}" causality="{causality}" '
            f'variability="{variability}"{more}{_start(name, causality)}/>'
        )
        if causality == "output":
            structure.append(f'<Output valueReference="{reference}"/>')

    rows.append(
        '<Float64 name="time" valueReference="99" causality="independent" '
        'variability="continuous"/>'
    )
    for name, reference, causality, variability in real_variables(states):
        add(name, reference, causality, variability, "Float64")
    for i in range(states):
        add(f"der(x{i})", 10 + i, "local", "continuous", "Float64", f' derivative="{i}"')
        structure.append(f'<ContinuousStateDerivative valueReference="{10 + i}"/>')
    if typed:
        for name, reference, causality, variability, kind in (*WHOLE, *FMI3_ONLY):
            more = ' declaredType="Choice"' if kind == "Enumeration" else ""
            add(name, reference, causality, variability, kind, more)
    # the indicators stand for themselves here; only their number is read
    structure += [f'<EventIndicator valueReference="{10 + i}"/>' for i in range(indicators)]
    newline = "\n"
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Events" instantiationToken="g">
<ModelExchange modelIdentifier="events" needsCompletedIntegratorStep="true" {me}/>
<CoSimulation modelIdentifier="events" canHandleVariableCommunicationStepSize="true"/>
{_types("EnumerationType") if typed else ""}
{extra}
<ModelVariables>
{newline.join(rows)}
</ModelVariables>
<ModelStructure>
{newline.join(structure)}
</ModelStructure>
</fmiModelDescription>"""


def _with_indicators(text: str, count: int) -> str:
    """Give the event indicators variables of their own; nobody reads them."""
    rows = []
    for i in range(count):
        rows.append(f'<Float64 name="z{i}" valueReference="{90 + i}" causality="local"/>')
        old, new = (f'<EventIndicator valueReference="{k + i}"/>' for k in (10, 90))
        text = text.replace(old, new)
    return text.replace("</ModelVariables>", "".join(rows) + "</ModelVariables>")


def event_fmu(
    directory: Path,
    plant: str,
    fmi: int,
    *options: str,
    typed: bool = False,
    me: str = "",
    extra: str = "",
    prefix: str = "",
    complete: bool = False,
) -> Path:
    """The FMU of a plant in events.c, with options of the compiler.

    `me` are attributes of Model Exchange, `extra` are elements of the description, `prefix` stands
    before all names in the archive; `complete` adds all functions and variables that the standard
    asks for.
    """
    states, indicators = SIZES.get(plant, (1, 0))
    library = directory / f"{plant}{fmi}.so"
    sizes = (f"-DN_STATES={states}", f"-DN_INDICATORS={indicators}")
    sources = [SOURCE, REST] if complete else [SOURCE]
    compile_library(sources, library, f"-DPLANT={plant}", f"-DFMI={fmi}", "-w", *sizes, *options)
    describe = description2 if fmi == 2 else description3
    text = describe(states, indicators, typed, me, extra)
    if complete and fmi == 3:
        text = _with_indicators(text, indicators)
    path = directory / f"{plant}{fmi}.fmu"
    platform = host_platform()
    folder = platform.fmi2 if fmi == 2 else platform.name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{prefix}modelDescription.xml", text)
        archive.write(library, f"{prefix}binaries/{folder}/events{platform.extension}")
    return path
