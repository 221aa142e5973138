"""A Modelica model that connects a delivered block with the plant of a scenario: its example.

A plant of ``modelica/Cranes`` is taken as ``Cranes.Blocks`` has it, with connectors; a plant of a
user's own file as it is, its inputs given by equations.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cranebridge.deliver.ssp.builder import plant_of, plant_values
from cranebridge.deliver.ssp.system import PLANT
from cranebridge.deliver.tables import BLOCK, number, output_names
from cranebridge.errors import MissingDependencyError
from cranebridge.frontend import library_path, locate
from cranebridge.inverse import Feedforward, Signal
from cranebridge.verify.mapping import PlantMap

EXAMPLE = "Example"
"""Name of the model."""
_SOURCE = "feedforward"


@dataclass(frozen=True)
class Wiring:
    """An example of a block's use.

    Attributes
    ----------
    text : str
        Of the model; empty where there is none.
    words : str
        What is said about it, or why there is none.
    uses : mapping of str to str
        Libraries that it needs, with their versions.
    """

    text: str
    words: str
    uses: Mapping[str, str] = field(default_factory=dict)


def wiring(
    feedforward: Feedforward,
    scenario: Mapping[str, Any] | None,
    chosen: Sequence[Signal],
    folder: Path = Path(),
) -> Wiring:
    """Connect a block whose outputs are some signals with the plant of a scenario."""
    table = (scenario or {}).get("plant") or {}
    if table.get("model") is None:
        why = "is an FMU: import it" if table.get("fmu") is not None else "is not in the scenario"
        return Wiring("", f"There is no example, because the plant {why}.")
    model = str(table["model"])
    source = str(folder / model) if ".mo" in model else model
    try:
        _, mapping = plant_of(feedforward.problem, scenario, folder=folder)
    except MissingDependencyError as error:  # the block itself needs neither compiler
        return Wiring("", f"There is no example, because the plant could not be compiled: {error}")
    left = [name for name in mapping.start(feedforward.problem, feedforward.q[0], feedforward.v[0])]
    if left:
        return Wiring("", f"There is no example: no parameter of the plant sets its {left[0]}.")
    name = locate(source)[1]
    ours = name.removeprefix("Cranes.")
    block = name.startswith("Cranes.") and (library_path() / "Blocks" / f"{ours}.mo").is_file()
    part = f"Cranes.Blocks.{ours}" if block else name
    by_name = dict(zip((s.title for s in chosen), output_names(chosen), strict=True))
    values = {
        key.removeprefix(f"{PLANT}."): value
        for key, value in plant_values(feedforward, mapping, scenario).items()
    }
    start, end = float(feedforward.time[0]), float(feedforward.time[-1])
    modifiers = textwrap.fill(
        ", ".join(f"{key}={number(value)}" for key, value in values.items()),
        90,
        subsequent_indent="    ",
        break_long_words=False,
    )
    equations = list(_equations(feedforward, mapping, by_name, block))
    lines = [
        f'model {EXAMPLE} "{part} that the block moves along its path"',
        f'  {BLOCK} {_SOURCE} "Controls of the motion"',
        "    annotation (Placement(transformation(extent={{-80,-20},{-40,20}})));",
        f"  {part} crane(",
        f'    {modifiers}) "The plant, at the start of the path"',
        "    annotation (Placement(transformation(extent={{20,-40},{100,40}})));",
        "equation",
        *equations,
        "  annotation (",
        f"    experiment(StartTime={number(start)}, StopTime={number(end)}, Tolerance=1e-9),",
        '    Documentation(info="<html>',
        f"<p>The outputs of the block are the inputs of <code>{part}</code>,",
        "whose load follows the path.</p>",
        '</html>"));',
        f"end {EXAMPLE};",
        "",
    ]
    library = part.split(".")[0]
    uses = {library: library_version()} if library == "Cranes" else {}
    needed = "the library Cranes" if uses else f"'{Path(source.rsplit(':', 1)[0]).name}'"
    words = f"Model {EXAMPLE} connects it with {part}; load {needed} for it."
    return Wiring("\n".join(lines), words, uses)


def library_version() -> str:
    """Return the version of ``modelica/Cranes``."""
    text = (library_path() / "package.mo").read_text(encoding="utf-8")
    found = re.search(r'\bversion="([^"]*)"', text)
    assert found is not None
    return found.group(1)


def _equations(
    feedforward: Feedforward, mapping: PlantMap, outputs: Mapping[str, str], block: bool
) -> Iterable[str]:
    """Give each input of the plant: what it is of the controls, or what it starts with."""
    problem = feedforward.problem
    matrix, offset = mapping.input_matrix(problem.parameters)
    controls = [f"u.{quantity.name}" for quantity in problem.crane.inputs]
    references = {
        loop.reference_name: f"w.{loop.coordinate}"
        for loop in mapping.speed
        if loop.where == "plant"
    }
    rows = {name: (matrix[i], offset[i]) for i, name in enumerate(mapping.input_names)}
    for signal in mapping.info.inputs:
        name = signal.name
        if name in references and references[name] in outputs:
            yield _wire(outputs[references[name]], name, block)
            continue
        row, constant = rows.get(name, (np.zeros(len(controls)), signal.start or 0.0))
        used = np.flatnonzero(row)
        if block and name.startswith("F_wind_") and used.size == 0 and constant == 0.0:
            continue  # without wind its connectors are not there
        if used.size == 1 and row[used[0]] == 1.0 and constant == 0.0:
            yield _wire(outputs[controls[used[0]]], name, block)
            continue
        terms = [f"({number(row[i])})*{_SOURCE}.{outputs[controls[i]]}" for i in used]
        if constant != 0.0 or not terms:
            terms.append(f"({number(constant)})")
        yield f"  crane.{name} = {' + '.join(terms)};"


def _wire(output: str, name: str, block: bool) -> str:
    if not block:
        return f"  crane.{name} = {_SOURCE}.{output};"
    line = "annotation (Line(points={{-40,0},{20,0}}, color={0,0,127}))"
    return f"  connect({_SOURCE}.{output}, crane.{name})\n    {line};"
