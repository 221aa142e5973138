"""The tables of a scenario: every key with its default, its rule and what it means.

Words that can be chosen come from the registries of the packages that do the work. Docs and
commented template are made from these tables (:mod:`cranebridge.scenario.key_reference`).
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from cranebridge.control import KINDS, SCHEDULES
from cranebridge.control.observer import GATE, PATIENCE
from cranebridge.errors import StructureError
from cranebridge.inverse import COMPILE, COORDINATES, FRICTIONS, METHODS, REFUSED, SCHEMES
from cranebridge.limits import GROUPS, TRACKING, UNITS
from cranebridge.plant import (
    BACKENDS,
    CONTAIN,
    FEEDS,
    FMI_VERSIONS,
    INTERFACES,
    SPEED_LOOPS,
    Backend,
)
from cranebridge.scenario.tables.campaign_table import CampaignTable
from cranebridge.scenario.tables.learn_table import LearnTable
from cranebridge.scenario.tables.rules import (
    SECONDS,
    WHOLE,
    Choice,
    Delay,
    Finite,
    NotNegative,
    Positive,
    Seconds,
)
from cranebridge.scenario.tables.typed_table import RefusedError, Table, field

CERTIFY: Mapping[str, str] = {
    "true": "compare twin and plant first, in everything",
    "false": "do not compare them: the plant is meant to differ",
    "partial": "compare what can be compared, and say what was not",
}
ROPES: Mapping[str, str] = {
    "pull": "a rope that pushes is a failed verdict",
    "ignore": "ropes without a limit of their own are not judged",
}
CONTROLS: Mapping[str, str] = {
    "none": "the feedforward alone; with plant.drives, loops of the drives",
    "drives": "position, speed and integral loop of each drive, as in control.drives",
    **KINDS,
}
PRECISIONS: Mapping[str, str] = {
    "double": "64 bit",
    "single": "32 bit, for formats that are code",
}

Mode = Literal["auto", "always", "never"]
Interface = Literal["me", "cs"]
Feed = Literal["exact", "linear", "hold"]
Fmi = Literal["2.0", "3.0"]
Contain = Literal["auto", "require", "off"]


def _number_or_name(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise RefusedError("a number, or a parameter's name")
    return value


def _method(value: Any) -> Any:
    """Say why a method that others would try is not offered."""
    if isinstance(value, str) and value in REFUSED:
        raise StructureError(REFUSED[value])
    return value


def _fmi(value: Any) -> Any:
    """Take 2, 3, 2.0 and 3.0, as numbers or as text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = str(value)
    return text if "." in text else f"{text}.0"


def _certify(value: Any) -> Any:
    """Take true, false and the word "partial"."""
    return value if isinstance(value, bool) or value == "partial" else None


def _formats() -> dict[str, str]:
    from cranebridge.deliver import FORMATS  # its imports take longer than most scenarios need

    return {name: form.description for name, form in FORMATS.items()}


class RopeTable(Table):
    """The rope that the load hangs on, where it stretches; without the table it is rigid."""

    stiffness: Positive = field(
        description="N, EA of the rope: the force that would stretch it to twice its length"
    )
    damping: Positive | None = field(
        default=None,
        description="N s, D in the force (EA e + D e')/l of a rope of length l with the stretch e; "
        "none if not given",
    )
    lumps: Annotated[int, WHOLE] = field(
        default=0, description="point masses along the rope; 0 for a rope without mass"
    )
    lump_mass: Positive | None = field(default=None, description="kg, mass of each lump")
    lump_length: Positive | None = field(
        default=None,
        description="m, free length of rope below each lump; the winch changes that above them",
    )


class FrictionTable(Table):
    """Friction of a drive that the feedforward overcomes, in its input's units (N or N m)."""

    kind: Annotated[str, Choice(FRICTIONS)] = field(
        default="elastoplastic", description="which friction"
    )
    limit: NotNegative = field(
        default=0.0, description="N or N m, Coulomb's: the most it holds, and slides against"
    )
    stiffness: Positive | None = field(
        default=None, description="N/m or N m/rad, of the spring until it slides; not of smooth"
    )
    viscous: NotNegative = field(default=0.0, description="N s/m or N m s/rad, beside it")
    static: Positive | None = field(
        default=None, description="N or N m, the limit at rest where it is larger (Stribeck)"
    )
    stribeck_velocity: Positive | None = field(
        default=None, description="m/s or rad/s, over which the limit falls from static"
    )
    velocity: Positive | None = field(
        default=None, description="m/s or rad/s, of smooth: limit tanh(v / velocity)"
    )
    start: Finite | None = field(
        default=None, description="N or N m, in the spring at the start; 0 if not given"
    )


class CraneTable(Table):
    """Which crane, with which parameters."""

    model: str = field(
        description="a built-in crane, or beside the scenario FILE.mo:Class (Modelica) or "
        "FILE.py:Class"
    )
    inputs: list[str] = field(
        default=[], description="of a crane read from Modelica: the inputs that are controls"
    )
    outputs: list[str] = field(
        default=[], description="likewise: the variables that follow the path, as many as inputs"
    )
    ropes: list[str] = field(
        default=[], description="likewise: variables that are rope forces, positive pulls"
    )
    parameters: dict[str, Any] = field(
        default={}, description="values that differ from the defaults"
    )
    initial: dict[str, Finite] = field(
        default={}, description="coordinates at the start, checked against the path"
    )
    rope: RopeTable | None = field(
        default=None, description="the hoist rope as one that stretches, a table"
    )
    friction: dict[str, FrictionTable] = field(
        default={},
        description="by input: friction of its drive, overcome by the controls; a table",
    )
    motion: dict[str, dict[str, Any]] = field(
        default={},
        description="of a crane with motions, by name: how each goes over time, a table with kind "
        "(harmonic, recorded, hold, or a kind of path) and its keys",
    )


class SolveTable(Table):
    """How the servo problem is solved."""

    method: Annotated[str, Choice(METHODS, _method)] = field(
        default="index1", description="method of solution"
    )
    scheme: Annotated[str, Choice(SCHEMES)] = field(
        default="euler", description="steps in time of index3 and projection"
    )
    coordinates: Annotated[str, Choice(COORDINATES)] = field(
        default="redundant", description="of projection"
    )
    step: Seconds = field(default=0.01, description="s, distance of the points in feedforward.csv")
    before: Delay | None = field(
        default=None,
        description="s, how long before the path the controls of inversion begin; from the "
        "eigenvalues of the internal dynamics if not given",
    )
    after: Delay | None = field(
        default=None, description="s, how long after the path they end; likewise"
    )
    compile: Annotated[Mode, Choice(COMPILE)] = field(
        default="auto", description="whether functions are compiled to machine code"
    )


class DriveTable(Table):
    """A drive's controller in the verification: u = u_ff + kp (r - q) + kv (r' - q')."""

    coordinate: str = field(description="the twin's coordinate that is the reference")
    kp: Finite = field(default=0.0, description="gain of the position error")
    kv: Finite = field(default=0.0, description="gain of the velocity error")
    position: str = field(
        default="", description="plant output that is fed back; the coordinate's name"
    )
    velocity: str = field(
        default="", description="plant output of its rate; v_ and the coordinate's name"
    )


class SpeedTable(Table):
    """A drive that takes a velocity reference w: F = F_0 + kp (w - v) + ki integral (w - v)."""

    coordinate: str = field(description="the twin's coordinate whose velocity is the reference")
    kp: Finite = field(description="gain of the speed error, in N or N m for 1 m/s or 1 rad/s")
    ki: Finite = field(default=0.0, description="gain of its integral, for 1 m or 1 rad")
    where: Annotated[Literal["plant", "master"], Choice(SPEED_LOOPS)] = field(
        default="plant", description="where its loop is closed"
    )
    reference: str = field(
        default="", description="plant input of the reference; w_ and the coordinate's name"
    )
    force: str = field(default="", description="plant output of the force; the input's name")
    integral: str = field(
        default="",
        description="plant output of the speed error's integral; e_ and the coordinate's name",
    )


class ControlDriveTable(DriveTable):
    """A drive's controller: u = u_ff + kp (r - q) + kv (r' - q') + ki integral (r - q)."""

    ki: Finite = field(
        default=0.0, description="gain of the position error's integral, where cycle is not 0"
    )


class SensorTable(Table):
    """A sensor of the controller; without any, it knows all coordinates and velocities."""

    signal: str = field(
        description="what it reads: q.NAME (encoder), v.NAME (tachometer), y.NAME (camera), or an "
        "expression of coordinates, velocities (`v_s`) and parameters, such as '(x - s)/l'; "
        "'rate(...)' is the rate of one, such as of a gyroscope"
    )
    name: str = field(default="", description="what it is called; the signal if not given")
    noise: Finite = field(
        default=0.0, description="standard deviation of a reading, in the signal's SI unit"
    )
    resolution: Finite = field(
        default=0.0,
        description="in the signal's SI unit, readings are multiples of it; 0 for any number",
    )
    cycle: Delay = field(
        default=0.0,
        description="s, between readings, a multiple of control.cycle; 0 for every sample",
    )


class ObserverTable(Table):
    """How the controller estimates what it does not measure, where it has sensors."""

    disturbances: dict[str, Finite] | None = field(
        default=None,
        description="estimated, too, and with lqr compensated: 'force.NAME' (N, in an output's "
        "direction) or 'parameter.NAME' (its unit) = how large it is likely to be; if not given, "
        "the payload, half of it, where the sensors tell it",
    )
    variance: dict[str, Finite] = field(
        default={},
        description="squares of SI units, by state such as 'q.x': how little is known at the "
        "start; from the motion if not given",
    )
    growth: dict[str, Finite] = field(
        default={},
        description="squares of SI units, by state: what each control.cycle adds to it; likewise",
    )
    gate: NotNegative = field(
        default=GATE,
        description="standard deviations from what was expected beyond which a reading is refused; "
        "0 for none",
    )
    patience: Delay = field(
        default=PATIENCE,
        description="s, for which readings of a sensor are refused in a row; then one is taken",
    )
    draw: Annotated[int, WHOLE] = field(
        default=1, description="which draw of the noise: the same one gives the same noise"
    )


class ControlTable(Table):
    """Feedback beside the feedforward, in the verification."""

    kind: Annotated[str, Choice(CONTROLS)] = field(default="none", description="which feedback")
    cycle: Delay | None = field(
        default=None,
        description="s, from sample to sample; 0.005 if not given, for drives 0: continuous",
    )
    delay: Delay = field(default=0.0, description="s, from a sample until its inputs act")
    weights: dict[str, Finite] = field(
        default={},
        description="of the cost's integrand by signal (q, v, y, r, i, u and a name, such as "
        "'q.x'), of lqr and lqi; by Bryson's rule if not given",
    )
    gains: Annotated[str, Choice(SCHEDULES)] = field(
        default="time", description="what the gains of lqr and lqi follow"
    )
    fade: Delay = field(
        default=0.0,
        description="s, over which feedback grows from nothing at the start: no jump of the inputs",
    )
    sensor: list[SensorTable] = field(
        default=[], description="what lqr and lqi measure, tables; all as it is if none is given"
    )
    observer: ObserverTable = field(
        default=ObserverTable(),
        description="how they estimate the rest from it",
    )
    drives: dict[str, ControlDriveTable] = field(
        default={}, description="by plant input: the drive's controller, a table"
    )


class StartTable(Table):
    """Where the plant starts, in the twin's names; the rest follows from the constraints."""

    q: dict[str, Finite] = field(default={}, description="coordinates that differ from the motion")
    v: dict[str, Finite] = field(default={}, description="velocities that differ from the motion")


class MapTable(Table):
    """How the plant's names relate to the twin's, as expressions."""

    parameters: dict[str, str] = field(
        default={}, description="plant parameter = expression of the twin's parameters"
    )
    inputs: dict[str, str] = field(
        default={}, description="plant input = expression of the twin's inputs, linear"
    )
    start: dict[str, str] = field(
        default={},
        description="plant parameter, or state = expression of the twin's coordinates (`s`) and "
        "velocities (`v_s`) at the start; `der(...)` is the rate of an expression",
    )
    signals: dict[str, str] = field(
        default={},
        description="twin output, coordinate, rope, 'v.NAME' or 'a.NAME' = expression of plant "
        "variables",
    )
    units: dict[str, str] = field(
        default={},
        description="plant variable = its unit, such as 'mm' or 'kN', in place of what the plant "
        "declares",
    )


class PlantTable(Table):
    """Which plant the feedforward is verified on, and how it is driven."""

    model: str | None = field(
        default=None, description="a model of modelica/Cranes, or FILE.mo:Class"
    )
    fmu: str | None = field(default=None, description="an FMU file, in place of model")
    fmi: Annotated[Fmi, Choice(FMI_VERSIONS, _fmi)] = field(
        default="2.0", description="version of the export of model"
    )
    interface: Annotated[Interface, Choice(INTERFACES)] = field(
        default="me", description="which interface of the FMU is used"
    )
    feed: Annotated[Feed, Choice(FEEDS)] = field(
        default="exact", description="how controls are given between their times"
    )
    tolerance: Positive = field(default=1e-10, description="relative tolerance of the integrator")
    settle: Delay = field(
        default=2.0, description="s, watched after the end with the last controls held"
    )
    step: Seconds = field(
        default=0.01, description="s, rows of tracking.csv, communication step of cs"
    )
    max_step: Seconds | None = field(
        default=None,
        description="s, largest step of the integrator of me; default: a 400th of the motion for "
        "an FMU of another tool, no bound for ours",
    )
    timeout: Seconds = field(default=60.0, description="s, for one call of the FMU")
    reset: bool = field(
        default=True,
        description="in campaigns one instance of the FMU is reset between runs, which is compared "
        "with new ones; false: a new one for each run",
    )
    certify: Annotated[bool | Literal["partial"], Choice(CERTIFY, _certify)] = field(
        default=True, description="whether twin and plant are compared first"
    )
    allow: list[str] = field(
        default=[], description="SHA-256 hashes of the FMUs that may be loaded"
    )
    contain: Annotated[Contain, Choice(CONTAIN)] = field(
        default="auto", description="what the FMU's binary is kept from by the kernel"
    )
    backend: Annotated[Backend, Choice(BACKENDS)] = field(
        default="own", description="who runs the FMU"
    )
    parameters: dict[str, Finite] = field(
        default={}, description="plant parameters that differ from the twin's, in SI units"
    )
    variants: dict[str, dict[str, Finite]] = field(
        default={}, description="further plants by name, each a table of parameters"
    )
    motion: dict[str, dict[str, Any]] = field(
        default={},
        description="how motions of the crane really go, where not as the controls know: tables as "
        "in crane.motion",
    )
    start: StartTable = field(
        default=StartTable(),
        description="where the plant starts, if not where the motion does",
    )
    drives: dict[str, DriveTable] = field(
        default={},
        description="by plant input: the drive's controller, a table; old name of control.drives",
    )
    speed: dict[str, SpeedTable] = field(
        default={},
        description="by the twin's input: a drive that takes a velocity reference, a table",
    )
    map: MapTable = field(
        default=MapTable(),
        description="what differs in names, units and signs",
    )


class LimitsTable(Table, further=GROUPS):
    """What is judged.

    The values of the groups are checked where limits are made, with the crane's signals.
    """

    ropes: Annotated[Literal["pull", "ignore"], Choice(ROPES)] = field(
        default="pull", description="what ropes may do"
    )
    tracking: Positive = field(
        default=TRACKING,
        description="m or rad, largest error of an output that passes, until plant.settle is over",
    )
    swing: Positive | None = field(
        default=None,
        description="m or rad, largest residual swing of an output that passes, while plant.settle "
        "lasts; that of tracking if not given",
    )


class DriveUnitsTable(Table):
    """A drive in its own units: columns of its position, speed and acceleration."""

    coordinate: str = field(description="the crane's coordinate that the drive moves")
    unit: Annotated[str, Choice(UNITS)] = field(default="m/s", description="of its speed")
    gear: Positive = field(
        default=1.0, description="turns of the motor for one of the drum, falls of the rope, ..."
    )
    radius: Annotated[float | str, _number_or_name] | None = field(
        default=None,
        description="m, of the drum or wheel, for a coordinate in m and a motor that turns: a "
        "number, or a parameter's name",
    )
    reversed: bool = field(
        default=False, description="whether the drive turns against its coordinate"
    )
    zero: Finite = field(
        default=0.0, description="m or rad, the coordinate where the drive's position is zero"
    )
    rated: str = field(
        default="", description="speed with unit that is 100 %, such as '1480 rpm', for unit '%'"
    )
    speed: Positive | None = field(
        default=None, description="in `unit`, the most that is allowed; judged as limits.v"
    )
    acceleration: Positive | None = field(
        default=None, description="in `unit` per s, likewise; judged as limits.a"
    )
    jerk: Positive | None = field(
        default=None, description="in `unit` per s^2, likewise; judged as limits.jerk"
    )


class DeliverTable(Table):
    """How the feedforward is handed over."""

    to: Annotated[str | None, Choice(_formats)] = field(default=None, description="the format")
    cycle: Annotated[float | None, SECONDS] = field(
        default=None, description="s, the controller's cycle; solve.step if not given"
    )
    columns: list[str] = field(default=[], description="groups such as u, or signals such as u.M_b")
    units: bool = field(default=False, description="whether titles of columns carry units")
    precision: Annotated[Literal["double", "single"], Choice(PRECISIONS)] = field(
        default="double", description="of numbers in code"
    )
    drives: dict[str, DriveUnitsTable] = field(
        default={}, description="by the drive's name: its units and limits, a table"
    )


class ReportTable(Table):
    """Nothing can be chosen for the report."""


class ScenarioTables(Table):
    """All tables of a scenario file."""

    crane: CraneTable
    path: dict[str, Any]
    solve: SolveTable = SolveTable()
    control: ControlTable = ControlTable()
    plant: PlantTable = PlantTable()
    limits: LimitsTable = LimitsTable()
    obstacles: list[dict[str, Any]] = field(default=[])
    disturbance: list[dict[str, Any]] = field(default=[])
    learn: LearnTable = LearnTable()
    campaign: CampaignTable = CampaignTable()
    deliver: DeliverTable = DeliverTable()
    report: ReportTable = ReportTable()
