"""An FMU from parts: variables, C code and words, behind the FMI runtime of the plants.

There are four kinds, a module each: one that plans and solves on line (`on_line_fmu`), a controller
(`controller_fmu`), both together (`on_line_loop`), and one that plays a motion (`table_fmu`). What
is particular to a kind are its `FmuParts`; what all have in common is here. The C between a kind's
own module and the runtime lies in ``templates``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import casadi as ca

from cranebridge.deliver.provenance import archived
from cranebridge.emit import Value, filled, identifier
from cranebridge.frontend import Algorithm, Experiment, PlantModel, Variable
from cranebridge.plant.export import Fmi, fmu_files, zip_bytes

BEGIN = "begin"
"""Parameter: the time of the first sample."""

HOLD = "hold"
"""Parameter: the interval over which a consumer holds the controls."""

ALGORITHM = "algorithm_code.c"
"""The file that the runtime includes; it has the ``CbAlgorithm`` of ``plant/runtime/model.h``."""

GENERATOR = "solver"
"""What names in the C of the on-line generator begin with."""
CONTROLLER = "module"
"""What names in the C of a controller's module begin with."""

_TEMPLATES = Path(__file__).with_name("templates")
_INCLUDED = {
    "MODEL": '"model.h"',
    "PLANS": '"plans_code.c"',
    "GENERATOR": f'"{GENERATOR}.c"',
    "CONTROLLER": f'"{CONTROLLER}.c"',
    "TABLE": '"table.c"',
}


@dataclass(frozen=True)
class FmuParts:
    """What is particular to a kind of FMU.

    Attributes
    ----------
    inputs, outputs, parameters : tuple of Variable
        Its variables.
    files : mapping of str
        C code by file name, `ALGORITHM` among it.
    description, documentation : str
        A line, and paragraphs in HTML.
    experiment : Experiment
        Its default.
    feedthrough : callable, optional
        From inputs, expressions that tell on which of them each output depends; never evaluated.
    """

    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    parameters: tuple[Variable, ...]
    files: Mapping[str, str]
    description: str
    documentation: str
    experiment: Experiment
    feedthrough: Callable[[ca.SX], ca.SX] | None = None


def fmu_model(name: str, parts: FmuParts) -> PlantModel:
    """Describe an FMU to the exporter."""
    t, x = ca.SX.sym("t"), ca.SX.sym("x", 0)
    u, p = ca.SX.sym("u", len(parts.inputs)), ca.SX.sym("p", len(parts.parameters))
    outputs = parts.feedthrough(u) if parts.feedthrough else ca.SX.zeros(len(parts.outputs))
    return PlantModel(
        name=identifier(name),
        states=(),
        inputs=parts.inputs,
        outputs=parts.outputs,
        parameters=parts.parameters,
        rhs=ca.Function("rhs", [t, x, u, p], [ca.SX(0, 1)]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [outputs]),
        initial=ca.Function("initial", [p], [ca.SX(0, 1)]),
        description=parts.description,
        documentation=f"<html>\n{parts.documentation}</html>",
        experiment=parts.experiment,
        algorithm=Algorithm(dict(parts.files)),
    )


def fmu_archive(
    model: PlantModel, record: Mapping[str, Any] | None = None, *, fmi: Fmi = "2.0"
) -> bytes:
    """Make an FMU.

    Parameters
    ----------
    model : PlantModel
        Its description.
    record : mapping, optional
        Provenance, kept in ``extra/org.cranebridge/provenance.json``.
    fmi : {"2.0", "3.0"}
        Version of the standard.

    Returns
    -------
    bytes
        The FMU. The same model and tools give the same bytes.
    """
    files = fmu_files(model, fmi=fmi)
    return zip_bytes(files if record is None else archived(record, files))


def runtime_code(template: str, values: Mapping[str, Value] | None = None) -> str:
    """Return the C code between a kind's module and the runtime."""
    prefixes = {"generator": GENERATOR, "controller": CONTROLLER}
    return filled(_TEMPLATES / template, {**_INCLUDED, **(values or {})}, prefixes)


def internal(text: str, prefix: str, taken: Collection[str] = ()) -> str:
    """Return a module's C with internal linkage, as everything in an FMU but FMI has.

    Parameters
    ----------
    text : str
        Header or source.
    prefix : str
        What the names of its functions and constants begin with.
    taken : collection of str
        What others have named so: here it gets another name.
    """
    text = re.sub(r"^extern const .*\n", "", text, flags=re.MULTILINE)
    begin = rf"^(int|void|const real) ({prefix}_)"
    text = re.sub(begin, r"static \1 \2", text, flags=re.MULTILINE)

    def own(found: re.Match[str]) -> str:
        return f"{prefix}_own_{found[0]}" if found[0] in taken else found[0]

    return re.sub(r"(?<!#)\b[A-Za-z_]\w*\b", own, text)


def begin_parameter(first: str, start: float) -> Variable:
    """Return the parameter that says when it begins: the time of the first sample, or row.

    A master begins at zero, and the drives may move before the path does, which begins at zero in
    the motion's own time.
    """
    later = f"; the path begins {-start:g} s later" if start < 0.0 else ""
    return Variable(BEGIN, "s", f"Time of the first {first}{later}", 0.0, variability="fixed")


def hold_parameter() -> Variable:
    """Return the parameter for a consumer that holds the controls."""
    return Variable(
        HOLD,
        "s",
        "Controls are those in the middle of the coming interval of this length: for who holds it",
        0.0,
        min=0.0,
        variability="tunable",
    )


def status_output(meanings: Mapping[int, str], name: str = "status", of: str = "") -> Variable:
    """Return an output whose values have a meaning each."""
    text = f"Status{of}: " + "; ".join(f"{value} {words}" for value, words in meanings.items())
    return Variable(name, description=text, variability="discrete", type="integer")


def status_table(meanings: Mapping[int, str], name: str = "status") -> str:
    """Return the end of a paragraph and a table in HTML that say what the values mean."""
    rows = "".join(
        f"<tr><td>{value}</td><td>{words}</td></tr>\n" for value, words in meanings.items()
    )
    return f"Values of <code>{name}</code>:</p>\n<table>\n{rows}</table>\n"


def fmi_unit(text: str) -> str:
    """Write a unit as Modelica and FMI do: ``kg*m^2 -> kg.m2``."""
    return text.replace("*", ".").replace("^", "")
