"""The table `[campaign]`: what is varied, in how many runs, and what is kept of them."""

from typing import Annotated, Any

from cranebridge.campaign import KINDS
from cranebridge.scenario.tables.rules import WHOLE, Choice
from cranebridge.scenario.tables.typed_table import Table, field


class CampaignTable(Table):
    """What `cranebridge campaign` varies, and in how many runs."""

    runs: Annotated[int, WHOLE] = field(default=1000, description="how many; at most, for grid")
    design: Annotated[str, Choice(KINDS)] = field(
        default="sobol", description="how the values of the runs are chosen"
    )
    seed: Annotated[int, WHOLE] = field(
        default=1, description="random seed: the same one gives the same runs"
    )
    file: str = field(
        default="",
        description="CSV file with a column for each key and a line for each run, in place of "
        "design, runs and vary",
    )
    vary: dict[str, Any] = field(
        default={},
        description="by key, such as 'plant.parameters.m': a distribution (uniform, normal, "
        "lognormal, triangular, or SciPy's name) with its parameters, or a list of values",
    )
    budget: Annotated[int, WHOLE] = field(
        default=5, description="runs, evenly chosen, whose error is explained by an error budget"
    )
    keep: Annotated[int, WHOLE] = field(
        default=3, description="worst runs whose motion and scenario are written"
    )
    box: bool = field(
        default=False,
        description="whether the largest box of values is looked for in which all limits hold",
    )
    box_runs: Annotated[int, WHOLE] = field(
        default=2000, description="runs after which no further search for that begins"
    )
