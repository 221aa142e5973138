"""Something new of each kind that CONTRIBUTING tells how to add: the edits, and a small real use.

A use is a script that runs in the changed copy of the package and fails if the new thing does not
work. What it compares with is a closed form, or something that the package already had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Edits = Mapping[str, str | tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class Addition:
    """A change that a maintainer makes.

    Attributes
    ----------
    section : str
        Its heading in CONTRIBUTING.
    name : str
        What NAME stands for in the table of files.
    edits : mapping
        By file of the package: the text of a new one, or pairs of a text that stands there once
        and what is written in front of it.
    use : str
        The script.
    """

    section: str
    name: str
    edits: Edits
    use: str


# --- limits: of swing angles, of all jerks, which few methods know, and of what no plant shows ----

LIMIT = Addition(
    "Adding a limit",
    "angle",
    {
        "limits/limits.py": (
            (
                '        ropes: Literal["pull", "ignore"] = "pull"\n'
                "        tracking: float = TRACKING\n        swing: float | None = None\n\nelse",
                """        angle: Mapping[str, Range] = field(default_factory=dict)
        roughness: Mapping[str, Range] = field(default_factory=dict)
        inner: Mapping[str, Range] = field(default_factory=dict)
""",
            ),
        ),
        "inverse/signal_groups.py": (
            (
                "SIGNAL_GROUPS: Mapping[str, SignalGroup] = {",
                '''
def _angles(model: Equations, _: ca.SX) -> ca.SX:
    """Return the angles between the vertical and the ropes, as the crane draws them."""
    from cranebridge.twin.language import Components, Line, names, vector

    crane = model.crane
    q = Components(names(crane.coordinates), model.q)
    p = Components(names(crane.parameters), model.p)
    found = []
    for rope in crane.scene(q, p) or ():
        if isinstance(rope, Line):
            way = vector(rope.end, 3, "end") - vector(rope.begin, 3, "begin")
            found.append(ca.atan2(ca.sqrt(way[0] ** 2 + way[1] ** 2 + 1e-16), -way[2]))
    return ca.vertcat(ca.SX(0, 1), *found[: len(crane.ropes)])


''',
            ),
            (
                '    "gamma": SignalGroup(',
                """    "angle": SignalGroup(
        "swing angles of the ropes",
        lambda crane: crane.ropes,
        _angles,
        unit="rad",
        word="swing angle",
        derived=True,
        limit="swing angle of a rope",
        panel="angles",
        title="Swing angles with limits",
    ),
    "roughness": SignalGroup(
        "sums of the squares of all jerks, by drive",
        lambda crane: crane.inputs,
        lambda model, jerk: ca.repmat(ca.sumsqr(jerk), model.u.numel(), 1),
        unit="1",
        derived=True,
        limit="sum of the squares of all jerks, the same for all inputs",
        panel="roughness",
        title="Roughness with limits",
    ),
    "inner": SignalGroup(
        "multipliers as such",
        lambda crane: crane.multipliers,
        lambda model, _: model.lam,
        derived=True,
        limit="multiplier",
        panel="inner",
        title="Multipliers with limits",
    ),
""",
            ),
        ),
    },
    """
import numpy as np
from cranebridge.errors import InputError
from cranebridge.inverse import signals
from cranebridge.job import check_scenario, solve_scenario, verify_on_twin, verify_scenario
from cranebridge.job.page import scenario_words
from cranebridge.limits import Limits, Range, judge_solution
from cranebridge.online import generator_sources
from cranebridge.plan import Mesh, read_order, solve_collocation
from cranebridge.report.plots import make_series
from cranebridge.report import shown_result
from cranebridge.scenario import commented_scenario, load_scenario
from cranebridge.scenario.tables import LimitsTable

# schema, template, page
assert LimitsTable.model_fields["angle"].description == "swing angle of a rope"
assert "# angle = { T_cable" in commented_scenario("overhead")
asked = [
    "limits.angle={T_cable=0.3}",
    "limits.roughness={F_t=1e9}",
    "limits.inner={lambda=1e9}",
]
scenario = load_scenario("overhead", asked)
shown = [s for s in scenario_words(scenario)["signals"] if s["group"] == "angle"]
assert [s["unit"] for s in shown] == ["rad"]

# judged on the solution and on a plant's motion: the angle between trolley and load, by hand
plant, verified = (verify(scenario) for verify in (verify_scenario, verify_on_twin))
f = verified.feedforward
s, x, z = f.q[:, 0], f.gamma[:, 0], f.gamma[:, 1]
wanted = float(np.arctan2(np.abs(x - s), -z).max())
assert 0.05 < wanted
checked = check_scenario(scenario).verdicts
for who, verdicts in (("", checked), ("plant ", plant.verdicts), ("plant ", verified.verdicts)):
    known = {v.name: v for v in verdicts}
    found = known[f"{who}angle.T_cable"]
    assert abs(found.value - wanted) < 1e-4 * wanted, (found.value, wanted)
    assert found.status == ("passed" if wanted < 0.3 else "failed")
    assert known[f"{who}roughness.F_t"].status == "passed", known
    inner = known[f"{who}inner.lambda"]
    assert inner.passed or (who and "made from lambda.lambda, which" in inner.message), inner
    assert inner.passed != bool(who)
strict = Limits(angle={"T_cable": Range(-0.01, 0.01)}, ropes="ignore")
(verdict,) = judge_solution(f, strict)
assert verdict.status == "failed" and "rad" in verdict.message

# plotted
panels = [panel.title for panel in make_series(shown_result(scenario, verified)).panels]
assert "Swing angles with limits" in panels, panels

# what needs jerks is not judged where a method gives none
rough = load_scenario("overhead", ["solve.method='projection'", *asked])
verdicts = {v.name: v for v in judge_solution(solve_scenario(rough).feedforward, rough.limits)}
assert verdicts["angle.T_cable"].value is not None
assert "gives no jerks" in verdicts["roughness.F_t"].message

# the planners keep it, or refuse it with a sentence
optimal = "path={kind='optimal', start=[0.0, -4.0], goal=[5.0, -1.0], objective='time'}"
drives = "limits={u={F_t=300.0, M_w=[-150.0, -10.0]}, v={s=1.0, l=1.0}, %s}"
plan = load_scenario("overhead", [optimal, drives % "angle={T_cable=0.08}"])
(verdict,) = [v for v in check_scenario(plan).verdicts if v.name == "angle.T_cable"]
assert verdict.passed and 0.07 < verdict.value, verdict
table = {"kind": "optimal", "start": [0.0, -4.0], "goal": [5.0, -1.0], "objective": "time"}
order = read_order(table, scenario.crane, scenario.problem.parameters, scenario.limits, ())
try:
    solve_collocation(order.task, Mesh(5))
except InputError as error:
    assert "leave limits.roughness out" in str(error), error
else:
    raise AssertionError("collocation knows no jerks")

# the on-line generator refuses it with a sentence
try:
    generator_sources(scenario.problem, scenario.limits, "stem", "double")
except InputError as error:
    assert "does not judge limits.angle" in str(error), error
else:
    raise AssertionError("the generator has no place for it")
""",
)

# --- an obstacle ---------------------------------------------------------------------------------

OBSTACLE = Addition(
    "Adding an obstacle",
    "sphere",
    {
        "plan/task/obstacles.py": (
            (
                "def _list(",
                '''@dataclass(frozen=True)
class ObstacleSphere(Obstacle):
    """A sphere; in the plane of x and z for a planar crane [m]."""

    meaning = "center and radius"
    keys: ClassVar = {
        "center": "m, x, y, z of a sphere; x, z for a planar crane",
        "radius": "m, of a sphere",
    }

    center: tuple[float, ...]
    radius: float
    clearance: float = 0.0
    rope: bool = False

    @classmethod
    def read(cls, table: EntryTable, planar: bool, clearance: float, rope: bool) -> Self:
        """Read it."""
        center = table.numbers("center", ("x", "z") if planar else ("x", "y", "z"))
        if planar:
            center = (center[0], 0.0, center[1])
        return cls(center, table.positive("radius"), clearance, rope)

    def sides(self, point: ca.SX) -> list[list[ca.SX]]:
        """Return the distance from its surface."""
        return [[ca.sqrt(ca.sumsqr(point - ca.DM(self.center)) + 1e-12) - self.radius]]

    @property
    def bounds(self) -> tuple[Corner, Corner]:
        """The corners of the cube around it."""
        (x, y, z), r = self.center, self.radius
        return (x - r, y - r, z - r), (x + r, y + r, z + r)


''',
            ),
            (
                'OBSTACLES: Mapping[str, type[Obstacle]] = {\n    "cylinder"',
                "",
            ),
            (
                '    "stack": Stack,',
                '    "sphere": ObstacleSphere,\n',
            ),
        )
    },
    """
import numpy as np
from cranebridge.errors import InputError
from cranebridge.job import check_scenario, verify_on_twin
from cranebridge.report import render
from cranebridge.scenario import commented_scenario, load_scenario

assert "# kind: cylinder, box, sphere, stack" in commented_scenario("overhead")
ball = "obstacles=[{kind='sphere', center=[2.0, -1.0], radius=0.5, clearance=%s}]"

# on a straight path: the distance of its centre from the line, by hand
scenario = load_scenario("overhead", [ball % 0.1])
verified = verify_on_twin(scenario)
way = np.array([5.0, 3.0]) / np.hypot(5.0, 3.0)
away = np.array([2.0, -1.0]) - np.array([0.0, -4.0])
wanted = abs(way[0] * away[1] - way[1] * away[0]) - 0.5
verdicts = {v.name: v for v in (*check_scenario(scenario).verdicts, *verified.verdicts)}
for name in ("clearance of obstacle 1", "plant clearance of obstacle 1"):
    assert abs(verdicts[name].value - wanted) < 1e-4, (verdicts[name], wanted)

# in words and as a body in the report
page = render(scenario, verified)
assert "sphere, x from 1.5 to 2.5 m" in page
assert "obstacle 1 front" in page

# a plan goes around it
optimal = "path={kind='optimal', start=[0.0, -4.0], goal=[5.0, -4.0], objective='time'}"
drives = "limits={u={F_t=300.0, M_w=[-300.0, -10.0]}, v={s=1.0, l=1.0}}"
low = "obstacles=[{kind='sphere', center=[2.5, -4.0], radius=0.5, clearance=0.2}]"
solved = check_scenario(load_scenario("overhead", [optimal, drives, low]))
(verdict,) = [v for v in solved.verdicts if v.name == "clearance of obstacle 1"]
assert verdict.passed, verdict  # the straight way leads through its centre

for wrong in ("radius=-1.0", "size=1.0"):
    try:
        load_scenario("overhead", [(ball % 0.0).replace("radius=0.5", wrong)])
    except InputError as error:
        assert "obstacles[0]" in str(error), error
    else:
        raise AssertionError(wrong)
""",
)

# --- a kind of path ------------------------------------------------------------------------------

PATH = Addition(
    "Adding a kind of path, or a profile",
    "arc",
    {
        "path/shapes/arc.py": '''\
"""A quarter of a circle in two outputs, which begins along the first one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from cranebridge.path.functions import Series, taylor
from cranebridge.path.shapes.curved import Curve


@dataclass(frozen=True)
class Arc(Curve):
    """x = x_0 + r sin(theta), y = y_0 + r (1 - cos(theta)) up to theta = pi/2."""

    start: tuple[float, ...]
    radius: float

    _kinds: ClassVar[tuple[tuple[int, ...], ...]] = ((0, 1),)

    def _geometry(self, progress: Series) -> list[Series]:
        cos, sin = taylor.cos_sin(taylor.scale(0.5 * math.pi, progress))
        x, y = taylor.scale(self.radius, sin), taylor.scale(-self.radius, cos)
        return [[self.start[0] + x[0], *x[1:]], [self.start[1] + self.radius + y[0], *y[1:]]]
''',
        "path/shapes/__init__.py": (
            (
                "    from cranebridge.path.shapes.bryant",
                "    from cranebridge.path.shapes.arc import Arc\n",
            ),
        ),
        "path/kinds.py": (
            (
                '    "waypoints": Kind(',
                '    "arc": Kind("a quarter of a circle in two outputs", ("start", "radius")),\n',
            ),
            ('    "points": "outputs', '    "radius": "m, of an arc",\n'),
        ),
        "path/reading/table.py": (
            (
                "def _rotation(",
                """def _arc(table: EntryTable, outputs: tuple[str, ...]) -> Path:
    start = table.numbers("start", outputs)
    return shapes.Arc(outputs, timed_profile(table), start, table.positive("radius"))


""",
            ),
            ('    "rotation": _rotation,', '    "arc": _arc,\n'),
        ),
    },
    """
import numpy as np
from cranebridge.errors import InputError
from cranebridge.job import check_scenario
from cranebridge.online import generator_sources
from cranebridge.scenario import load_scenario

table = "path={kind='arc', start=[0.0, -4.0], radius=2.0, profile='polynomial', duration=6.0}"
scenario = load_scenario("overhead", [table])
path = scenario.problem.path
times = np.linspace(0.0, 6.0, 101)
x, z = path(times)
assert np.allclose(np.hypot(x, z + 2.0), 2.0, rtol=1e-12)  # about the centre
assert np.allclose(path(6.0)[:, 0], [2.0, -2.0])
checked = check_scenario(scenario)
assert all(v.passed for v in checked.verdicts), checked.verdicts

try:
    generator_sources(scenario.problem, scenario.limits, "stem", "double")
except InputError as error:
    assert "type Arc" in str(error), error
else:
    raise AssertionError("the generator has no arcs")
try:
    load_scenario("overhead", [table.replace("radius=2.0", "radius=-2.0")])
except InputError as error:
    assert "path.radius must be a positive number" in str(error), error
else:
    raise AssertionError("a negative radius")
""",
)

# --- a format of delivery ------------------------------------------------------------------------

FORMAT = Addition(
    "Adding a delivery format",
    "json_lines",
    {
        "deliver/tables/json_lines.py": '''\
"""Delivery as JSON Lines: an object by title for each time."""

from __future__ import annotations

import json

from cranebridge.deliver.tables.table_writers import SampleTable


def json_lines_table(table: SampleTable) -> bytes:
    """Write a line for each time."""
    rows = (dict(zip(table.titles, row, strict=True)) for row in table.values.tolist())
    return "".join(json.dumps(row) + "\\n" for row in rows).encode()
''',
        "deliver/tables/__init__.py": (
            (
                "    from cranebridge.deliver.tables.rounding import",
                "    from cranebridge.deliver.tables.json_lines import json_lines_table\n",
            ),
        ),
        "deliver/formats.py": (
            (
                "from cranebridge.deliver.tables import",
                "from cranebridge.deliver.tables import json_lines_table\n",
            ),
            (
                '    "c": Format(',
                """    "jsonl": Format(
        "JSON Lines, an object each cycle; provenance beside it",
        ".jsonl",
        writers.with_sidecar(json_lines_table),
        beside=True,
    ),
""",
            ),
        ),
    },
    """
import json, subprocess, sys
import numpy as np

def deliver(to, file):
    subprocess.run(
        [sys.executable, "-m", "cranebridge", "deliver", "overhead", "--to", to, "-o", file],
        check=True,
    )

deliver("jsonl", "o.jsonl")
deliver("csv", "o.csv")
with open("o.csv") as stream:
    titles = stream.readline().strip().split(",")
wanted = np.loadtxt("o.csv", delimiter=",", skiprows=1)
rows = [json.loads(line) for line in open("o.jsonl")]
assert list(rows[0]) == titles
assert (np.array([list(row.values()) for row in rows]) == wanted).all()
assert "sha256" in open("o.jsonl.json").read()
""",
)

# --- integrators ---------------------------------------------------------------------------------

SCHEME = Addition(
    "Adding an integrator of mechanical systems",
    "late_euler",
    {
        "forward/schemes/late_euler.py": '''\
"""Implicit Euler with inputs of the step's middle: what it is for does not matter here."""

from __future__ import annotations

from dataclasses import replace

from numpy.typing import ArrayLike

from cranebridge.forward.schemes.implicit_euler import implicit_euler_scheme
from cranebridge.forward.schemes.mechanical_system import MechanicalSystem
from cranebridge.forward.schemes.scheme import Scheme


def late_euler_scheme(system: MechanicalSystem, q0: ArrayLike) -> Scheme:
    """Build a step."""
    return replace(implicit_euler_scheme(system, q0), name="late-euler", input_point=0.5)
''',
        "forward/schemes/scheme_choices.py": (
            (
                "from cranebridge.forward.schemes.mechanical_system import",
                "from cranebridge.forward.schemes.late_euler import late_euler_scheme\n",
            ),
            ('    "midpoint": midpoint_scheme,', '    "late-euler": late_euler_scheme,\n'),
        ),
    },
    """
import numpy as np
from cranebridge.forward import METHODS, integrate
from cranebridge.forward.examples import dumbbell

assert "late-euler" in METHODS
one = dumbbell()  # it has no inputs: the same as implicit Euler
times = np.linspace(0.0, 0.5, 21)
found, wanted = (
    integrate(one.system, method, one.q, one.v, times).q
    for method in ("late-euler", "implicit-euler")
)
assert (found == wanted).all() and np.ptp(found) > 0.0
""",
)

EXCHANGE = Addition(
    "Adding an integrator for Model Exchange",
    "heun",
    {
        "plant/child/integrators/heun.py": '''\
"""Heun's method with steps of a fixed length, second order; straight lines between."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.integrators.integrator import Rhs

Array = NDArray[np.float64]


class Heun:
    """See `Integrator`."""

    def __init__(self, rhs: Rhs, size: int, max_step: float) -> None:
        self._rhs = rhs
        self._longest = max_step if math.isfinite(max_step) else 1e-3
        self.t = self.t_old = self._bound = 0.0
        self.x, self.x_old = np.zeros(size), np.zeros(size)
        self.steps = self.rejected = self.evaluations = 0

    def begin(self, t: float, x: Array, bound: float, restart: bool = False) -> None:
        """Begin a piece."""
        self.t, self.x, self._bound = t, np.array(x), bound

    def step(self) -> None:
        """Take one step."""
        h = min(self._longest, self._bound - self.t)
        first = self._rates(self.t, self.x)
        second = self._rates(self.t + h, self.x + h * first)
        self.t_old, self.x_old = self.t, self.x
        self.t, self.x = self.t + h, self.x + 0.5 * h * (first + second)
        self.steps += 1

    def dense(self, times: Array) -> Array:
        """Return the states at times within the last step."""
        parts = (np.asarray(times) - self.t_old) / (self.t - self.t_old)
        return np.asarray(self.x_old + np.outer(parts, self.x - self.x_old))

    def _rates(self, t: float, x: Array) -> Array:
        rates = np.empty_like(x)
        self._rhs(t, x.ctypes.data, rates.ctypes.data)
        self.evaluations += 1
        return rates
''',
        "plant/child/integrators/integrators.py": (
            (
                "\nArray = NDArray[np.float64]\n\n_EXPLICIT",
                "from cranebridge.plant.child.integrators.heun import Heun\n",
            ),
            (
                '    "CVODE": Cvode,',
                '    "Heun": lambda rhs, size, steps, _: Heun(rhs, size, steps.max_step),\n',
            ),
        ),
    },
    """
import ctypes
import numpy as np
from cranebridge.plant.child.integrators import METHODS
from cranebridge.plant.child.integrators import StepControl, make_integrator

assert "Heun" in METHODS

def falling(t, x, rates):
    ctypes.c_double.from_address(rates).value = -ctypes.c_double.from_address(x).value

def end(step):
    one = make_integrator("Heun", falling, 1, StepControl(1e-6, 1e-9, step), None)
    one.begin(0.0, np.ones(1), 1.0)
    while one.t < 1.0:
        one.step()
    return one.x[0]

errors = [abs(end(step) - np.exp(-1.0)) for step in (1e-2, 5e-3)]
assert 1.9 < np.log2(errors[0] / errors[1]) < 2.1, errors
""",
)

# --- a law of learning ---------------------------------------------------------------------------

LAW = Addition(
    "Adding a law of learning",
    "proportional",
    {
        "learn/laws/proportional.py": '''\
"""A part of the error itself: for plants whose outputs follow their inputs at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.learn.record import Record

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Proportional:
    """The law du = e / g, with the plant's gain g."""

    gain: float

    def correction(self, record: Record) -> Array:
        """Return the change of the inputs."""
        return record.error / self.gain

    def remaining(self, record: Record) -> Array:
        """Return what would be left of the error."""
        return np.zeros_like(record.error)
''',
        "learn/laws/__init__.py": (
            (
                "    from cranebridge.learn.laws.recursion",
                "    from cranebridge.learn.laws.proportional import Proportional\n",
            ),
        ),
        "learn/learn_choices.py": (
            (
                '    "stepwise": LawKind(',
                '    "proportional": LawKind("a part of the error", ("states",), "states"),\n',
            ),
        ),
        "learn/plant_law_design.py": (
            (
                "from cranebridge.learn.laws import",
                "from cranebridge.learn.laws import Proportional\n",
            ),
            (
                "_LAWS = {",
                """def _proportional(settings, trials, latest, model, count):
    return DesignedLaw(Proportional(4.0), model)


""",
            ),
            ('"frequency": _by_spectrum', '"proportional": _proportional, '),
        ),
        "learn/trials/black_box_trials.py": (
            (
                "from cranebridge.learn.laws import",
                "from cranebridge.learn.laws import Proportional\n",
            ),
            (
                "_LAWS = {",
                """def _proportional(settings, trials, model):
    return DesignedLaw(Proportional(4.0), model)


""",
            ),
            ('"stepwise": _stepwise', '"proportional": _proportional, '),
        ),
    },
    """
import numpy as np
from cranebridge.learn import LAWS, LearnSettings, Record, Rules, TrialOutcome, learn
from cranebridge.learn.plant_law_design import _LAWS
from cranebridge.learn.trials.black_box_trials import design_black_box_law
from cranebridge.scenario.tables.learn_table import LearnTable

assert LAWS["proportional"] == "a part of the error"
assert LearnTable(law="proportional").law == "proportional"
settings = LearnSettings(law="proportional")
assert settings.chosen_model(True) == "states" and "proportional" in _LAWS
designed = design_black_box_law(settings, None)
time = np.arange(50) * 0.01
target = np.sin(time)[:, None]

def run(number, inputs):  # y = 5 u: with gain 4 an error falls to -1/4
    return TrialOutcome(Record(time, inputs, 5.0 * inputs, target, ("y",)))

found = learn(run, designed.law, np.zeros((50, 1)), Rules(trials=3))
ratios = [b.total / a.total for a, b in zip(found.trials, found.trials[1:])]
assert np.allclose(ratios, 0.25), ratios
""",
)

# --- a design of campaigns -----------------------------------------------------------------------

DESIGN = Addition(
    "Adding a kind of design",
    "halton",
    {
        "campaign/campaign_choices.py": (
            (
                '    "random": DesignKind(',
                '    "halton": DesignKind("scrambled points", "as of independent draws"),\n',
            ),
        ),
        "campaign/design/designs.py": (
            (
                "_UNIT: Mapping",
                """def _halton(count: int, runs: int, seed: int) -> Array:
    from scipy.stats import qmc

    return np.asarray(qmc.Halton(count, seed=np.random.default_rng(seed)).random(runs), dtype=float)


""",
            ),
            ('    "random": _random,', '    "halton": _halton,\n'),
        ),
    },
    """
import numpy as np
from cranebridge.campaign import KINDS, make_design, read_factor
from cranebridge.campaign.results.statistics import NOTES
from cranebridge.scenario.tables.campaign_table import CampaignTable

assert NOTES["halton"] == "as of independent draws"
assert CampaignTable(design="halton").design == "halton"
law = {"uniform": {"low": 0.0, "high": 1.0}}
factors = [read_factor(f"crane.parameters.{name}", law) for name in "ab"]
long, short = (make_design(factors, "halton", runs, 3).values for runs in (64, 32))
assert (long[:32] == short).all()  # more runs keep the earlier ones
assert abs(long.mean() - 0.5) < 0.02
""",
)

# --- a crane -------------------------------------------------------------------------------------

CRANE = Addition(
    "Adding a crane",
    "one_mass",
    {
        "twin/cranes/one_mass.py": '''\
"""A mass on a spring whose foot is moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cranebridge.twin.language import (
    Box,
    Components,
    Crane,
    Expressions,
    Line,
    Parameter,
    Quantity,
    Shape,
)


class OneMass(Crane):
    """One mass on a spring."""

    name = "one-mass"
    description = "mass on a spring whose foot is moved"
    coordinates = (Quantity("y", "m", "displacement of the mass"),)
    parameters = (
        Parameter("m", "kg", "mass", 0.5),
        Parameter("c", "N/m", "stiffness of the spring", 150.0),
    )
    inputs = (Quantity("u", "m", "displacement of the spring's foot"),)
    outputs = (Quantity("y", "m", "displacement of the mass"),)

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """The mass."""
        return 0.5 * p.m * v.y**2

    def potential_energy(self, q: Components, p: Components) -> Any:
        """The spring, its foot at zero."""
        return 0.5 * p.c * q.y**2

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """The force that the moved foot adds."""
        return p.c * u.u * v.y

    def output_map(self, q: Components, p: Components) -> Expressions:
        """The mass."""
        return {"y": q.y}

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """A box and its spring."""
        return Box((q.y, 0, 0), size=(0.01, 0.01, 0.01)), Line((-0.1, 0, 0), (q.y, 0, 0))
''',
        "twin/cranes/__init__.py": (
            (
                "    from cranebridge.twin.cranes.overhead",
                "    from cranebridge.twin.cranes.one_mass import OneMass\n",
            ),
        ),
        "twin/catalogue.py": (('    "two-mass": "TwoMass', '    "one-mass": "OneMass",\n'),),
        "scenarios/one_mass.toml": """# A mass on a spring is led to a new position.

[crane]
model = "one-mass"

[path]
kind = "line"
start = [0.0]
goal = [0.01]
profile = "polynomial"
duration = 1.0

[solve]
method = "index1"
step = 0.01
""",
    },
    """
import numpy as np
from cranebridge.job import solve_scenario, verify_on_twin
from cranebridge.scenario import commented_scenario, load_scenario
from cranebridge.scenarios import ready_scenarios
from cranebridge.twin import known_cranes

assert known_cranes()["one-mass"] == "mass on a spring whose foot is moved"
assert "one_mass" in ready_scenarios()
assert 'model = "one-mass"' in commented_scenario("one-mass")
scenario = load_scenario("one_mass")
f = solve_scenario(scenario).feedforward
y, _, a = scenario.problem.path.derivatives(f.time, 2)[:, 0]
assert np.allclose(f.u[:, 0], y + 0.5 / 150.0 * a, atol=1e-12)  # c (u - y) = m a
assert all(v.passed for v in verify_on_twin(scenario).verdicts)
""",
)

# --- a method of solution ------------------------------------------------------------------------

METHOD = Addition(
    "Adding a method of solution",
    "straightened",
    {
        "inverse/straightened.py": '''\
"""Index 1 at every second time, straight lines between."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1 import solve_index1
from cranebridge.inverse.problem import ServoProblem

Array = NDArray[np.float64]


def solve_straightened(problem: ServoProblem, times: Array) -> Feedforward:
    """Solve a servo problem."""
    exact = solve_index1(problem, times)

    def straight(values: Array) -> Array:
        columns = [np.interp(times, times[::2], column[::2]) for column in values.T]
        return np.column_stack(columns) if columns else values

    parts: dict[str, Any] = {
        name: straight(getattr(exact, name)) for name in ("q", "v", "a", "u", "lam", "ropes")
    }
    return replace(exact, method="straightened", order=2, nodes=None, **parts)
''',
        "inverse/__init__.py": (
            (
                "    from cranebridge.inverse.stepping import",
                "    from cranebridge.inverse.straightened import solve_straightened\n",
            ),
        ),
        "inverse/methods.py": (
            ('    "inversion": "stable', '    "straightened": "index 1 at every second time",\n'),
        ),
        "job/solving.py": (
            (
                "from cranebridge.inverse import ",
                "from cranebridge.inverse import solve_straightened\n",
            ),
            (
                '    "inversion": _inversion,',
                """    "straightened": lambda scenario, times, _: solve_straightened(
        scenario.problem, times
    ),
""",
            ),
        ),
    },
    """
import numpy as np
from cranebridge.job import solve_scenario, verify_on_twin
from cranebridge.scenario import commented_scenario, load_scenario

assert "straightened" in commented_scenario("overhead")

def error(step):
    asked = ([f"solve.step={step}", f"solve.method='{m}'"] for m in ("straightened", "index1"))
    one, exact = (solve_scenario(load_scenario("overhead", own)).feedforward for own in asked)
    assert one.method == "straightened"
    return np.abs(one.u - exact.u).max()

order = np.log2(error(0.02) / error(0.01))
assert 1.8 < order < 2.2, order
found = verify_on_twin(load_scenario("overhead", ["solve.method='straightened'"]))
assert any(v.name == "tracking of x" for v in found.verdicts)
""",
)

ADDITIONS = (LIMIT, OBSTACLE, PATH, FORMAT, SCHEME, EXCHANGE, LAW, DESIGN, CRANE, METHOD)
