"""The commented scenario that `cranebridge init` writes."""

from __future__ import annotations

import tomllib
from importlib import resources

from cranebridge.errors import unknown
from cranebridge.scenario import ready_scenarios
from cranebridge.twin import CRANES, Crane

HEAD = """\
# A scenario for cranebridge. All values in SI units; angles in rad.
# Check it with `cranebridge check FILE`, solve it with `cranebridge solve FILE -o DIR`.

[crane]
model = "{model}"    # {description}; or "my_crane.py:MyCrane" for one of yours
"""

TAIL = """
[solve]
method = "index1"                # index1 (exact, for flat cranes) or index3 (time stepping)
step = {step}                      # s, distance of the points in feedforward.csv
# scheme = "euler"               # of index3: euler, radau5, radau7

[plant]
model = "{plant}"    # a model of modelica/Cranes
interface = "me"                 # me (Model Exchange) or cs (Co-Simulation)

[limits]
ropes = "pull"                   # pull: a pushing rope is a failed verdict; ignore: not judged
tracking = 1e-3                  # m, largest error of the load that passes
"""


def commented_scenario(model: str) -> str:
    """Return the text of a scenario for a built-in crane, with every parameter and its meaning."""
    if model not in CRANES:
        raise unknown("crane", model, CRANES)
    crane = CRANES[model]()
    text = _ready(model)
    content = tomllib.loads(text)
    path = text[text.index("[path]") : text.index("[solve]")].rstrip() + "\n"
    outputs = ", ".join(f"{output.name} [{output.unit}]" for output in crane.outputs)
    return (
        HEAD.format(model=model, description=crane.description)
        + _parameters(crane, content["crane"].get("parameters", {}))
        + f"\n# The path of the outputs {outputs}\n"
        + path
        + TAIL.format(step=content["solve"]["step"], plant=content["plant"]["model"])
    )


def _ready(model: str) -> str:
    """Return the ready scenario of a crane; where there are several, one that its ropes can do."""
    folder = resources.files("cranebridge.scenarios")
    texts = {name: folder.joinpath(f"{name}.toml").read_text("utf-8") for name in ready_scenarios()}
    fitting = [name for name, text in texts.items() if f'model = "{model}"' in text]
    safe = [name for name in fitting if name.endswith("-safe")]
    return texts[(safe or [name for name in fitting if name == model] or fitting)[0]]


def _parameters(crane: Crane, given: dict[str, float]) -> str:
    lines = ["", "[crane.parameters]"]
    for parameter in crane.parameters:
        value = f"{parameter.name} = {given.get(parameter.name, parameter.value)!r}"
        lines.append(f"{value:<32} # {parameter.unit}, {parameter.meaning}")
    return "\n".join(lines) + "\n"
