"""One sample of a controlled crane as one function of scalar operations, to be mapped over time.

The state is the plant's (q, v), the law's (integrals, past corrections), the inputs under way, and
the observer's estimate. The inputs of a sample act after a delay of whole cycles and a rest of one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import casadi as ca

from cranebridge.control.design import COUNTED
from cranebridge.control.model import MotionStep, motion_step
from cranebridge.control.observer import Observer, Sensor, reading, readings
from cranebridge.errors import unknown
from cranebridge.forward import crane_dynamics
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.language import names


@dataclass(frozen=True)
class Shape:
    """What a loop consists of.

    Attributes
    ----------
    crane : Crane
        The crane.
    independent : tuple of str
        Independent coordinates of the plant's motion.
    integrals : tuple of str
        Integrated signals of the law, ``q.NAME`` or ``y.NAME``.
    past : int
        Past corrections that the law takes, all inputs counted.
    compensated : bool
        Whether the law compensates the disturbances that the observer estimates.
    delay, known : tuple of int and float
        Delay of the plant's inputs, and what the observer takes it to be: whole cycles, and the
        rest in s.
    observer : Observer or None
        What estimates the state.
    seen : tuple of pairs of str
        Without an observer: coordinates that the law sees otherwise, and how, as expressions.
    read : tuple of pairs of str
        With an observer: sensors that read something else than their signal, and what.
    """

    crane: Crane
    independent: tuple[str, ...]
    integrals: tuple[str, ...]
    past: int
    compensated: bool
    delay: tuple[int, float]
    known: tuple[int, float]
    observer: Observer | None
    seen: tuple[tuple[str, str], ...] = ()
    read: tuple[tuple[str, str], ...] = ()

    @property
    def disturbances(self) -> int:
        """How many disturbances the law compensates."""
        return len(self.observer.disturbances) if self.observer and self.compensated else 0

    @property
    def under_way(self) -> int:
        """How many samples' inputs do not act yet, or not any more, when a sample is taken."""
        delays = (self.delay, self.known) if self.observer else (self.delay,)
        return max(whole + (1 if rest else 0) for whole, rest in delays)


def integrated(crane: Crane, integrals: tuple[str, ...]) -> list[tuple[str, int]]:
    """Return group (q or y) and position of integrated signals."""
    known = {f"q.{name}": ("q", i) for i, name in enumerate(names(crane.coordinates))}
    known |= {f"y.{name}": ("y", i) for i, name in enumerate(names(crane.outputs))}
    for signal in integrals:
        if signal not in known:
            raise unknown(f"signal of crane '{crane.name}'", signal, known)
    return [known[signal] for signal in integrals]


@cache
def seen_state(crane: Crane, seen: tuple[tuple[str, str], ...]) -> ca.Function:
    """Return ``(q, v, p) -> (q, v)`` as a law sees them that takes some for something else."""
    model, known = equations_of_motion(crane), names(crane.coordinates)
    q, v = model.q[:], model.v[:]
    for name, expression in seen:
        if name not in known:
            raise unknown(f"coordinate of crane '{crane.name}'", name, known)
        # a sensor's own noise is not looked at here
        shown = ca.SX(reading(model, Sensor(expression, noise=1.0)))
        q[known.index(name)] = shown
        v[known.index(name)] = ca.jtimes(shown, model.q, model.v)
    return ca.Function("seen", [model.q, model.v, model.p], [ca.densify(q), ca.densify(v)])


def plant_readings(observer: Observer, read: tuple[tuple[str, str], ...]) -> ca.Function:
    """Return what an observer's sensors read, some of them something else than their signal."""
    known = [sensor.title for sensor in observer.sensors]
    for title, _ in read:
        if title not in known:
            raise unknown("sensor", title, known)
    if not read:
        return observer.readings
    instead = dict(read)
    sensors = [
        replace(sensor, signal=instead.get(sensor.title, sensor.signal))
        for sensor in observer.sensors
    ]
    return readings(observer.crane, sensors)


class SymbolVector:
    """Symbols of a vector that consists of named parts."""

    def __init__(self, **sizes: int) -> None:
        self.parts = {name: ca.SX.sym(name, size) for name, size in sizes.items()}
        self.vector = ca.vertcat(*self.parts.values())

    def __getitem__(self, name: str) -> ca.SX:
        return self.parts[name]


@cache
def loop_sample(shape: Shape) -> ca.Function:
    """Return ``(state, data, constants) -> (state, record)``; see `state_columns` ff."""
    s, data, constants = state_columns(shape), data_columns(shape), constant_columns(shape)
    crane, observer = shape.crane, shape.observer
    q, v = s["q"], s["v"]
    estimate = list(seen_state(crane, shape.seen)(q, v, constants["p"]))
    outputs = crane_dynamics(crane).outputs
    if observer:
        model = constants["model"]
        y = plant_readings(observer, shape.read)(q, v, constants["p"])[0] + data["noise"]
        size = len(observer.states)
        covariance = ca.reshape(s["P"], size, size)
        estimate = list(
            observer.update(s["q_hat"], s["v_hat"], s["d"], covariance, y, data["due"], model)
        )
    error = ca.vertcat(estimate[0] - data["q"], estimate[1] - data["v"])
    known = constants["model"] if observer else constants["p"]
    error_y = outputs(estimate[0], known) - data["y"]
    if not observer:  # outputs are read by themselves
        error_y = error_y + data["noise"]
    off = estimate[2] - constants["d_start"] if shape.disturbances else ca.SX(0, 1)
    advance = _advance(shape, error, error_y)
    near = ca.SX(1)
    for off_by, far in ((error, constants["far_state"]), (advance, constants["far"])):
        for i in range(off_by.numel()):
            near = near * (ca.fabs(off_by[i]) <= far[i])
    fed_back = {"K": error, "K_disturbance": off}
    u, beyond = _inputs(shape, s, data, constants, fed_back, near)
    integral = _integrated(shape, s, data, constants, advance, beyond, near)
    queue = ca.vertcat(u, s["under_way"])
    acting = _acting(shape.delay, queue, u.numel(), constants["h"])
    after = _move_plant(_motion(shape), [q, v], acting, data["w"], constants["p"])
    state = [*after, integral, _shifted(u - data["hold"], s["past"])]
    state.append(_shifted(u, s["under_way"]))
    state.append(u - data["hold"])
    record = [q, v, u, outputs(q, constants["p"])]
    if observer:
        record += [*estimate[:3], ca.diag(estimate[3])]
        for held, time in _acting(shape.known, queue, u.numel(), constants["h"]):
            estimate = list(observer.predict(*estimate, held, constants["model"], time))
        state += [*estimate[:3], ca.vec(estimate[3])]
    results = [ca.densify(ca.vertcat(*state)), ca.densify(ca.vertcat(*record))]
    return ca.Function("sample", [s.vector, data.vector, constants.vector], ca.cse(results))


@cache
def loop_run(shape: Shape, samples: int) -> ca.Function:
    """Return the samples one after the other: ``(state, data, constants) -> (states, records)``."""
    # With CasADi's own base of ten building takes longer than running.
    return loop_sample(shape).mapaccum("run", samples, {"base": 2})


def state_columns(shape: Shape) -> SymbolVector:
    """Return the parts of the state."""
    n, m, observer = len(shape.crane.coordinates), len(shape.crane.inputs), shape.observer
    sizes = {
        "q": n,
        "v": n,
        "integral": len(shape.integrals),
        "past": shape.past,
        "under_way": m * shape.under_way,
        "correction": m,
    }
    if observer:
        count = len(observer.states)
        sizes |= {"q_hat": n, "v_hat": n, "d": len(observer.disturbances), "P": count**2}
    return SymbolVector(**sizes)


def data_columns(shape: Shape) -> SymbolVector:
    """Return the parts of what is given for each sample; matrices column after column."""
    n, m, k = (
        len(part) for part in (shape.crane.coordinates, shape.crane.inputs, shape.crane.outputs)
    )
    sensors = len(shape.observer.sensors) if shape.observer else 0
    # without sensors, of the outputs
    noise = sensors if shape.observer else k
    return SymbolVector(
        hold=m,
        K=m * 2 * n,
        K_integral=m * len(shape.integrals),
        K_past=m * shape.past,
        K_disturbance=m * shape.disturbances,
        q=n,
        v=n,
        y=k,
        w=k,
        noise=noise,
        due=sensors,
    )


def constant_columns(shape: Shape) -> SymbolVector:
    """Return the parts of what stays: parameters of plant and model, cycle, bounds, start."""
    count, m = len(shape.crane.parameters), len(shape.crane.inputs)
    start = len(shape.observer.disturbances) if shape.observer else 0
    far, states = len(shape.integrals), 2 * len(shape.crane.coordinates)
    bounds = {"least": m, "most": m, "far_state": states, "far": far}
    return SymbolVector(p=count, model=count, h=1, **bounds, d_start=start)


def _inputs(
    shape: Shape,
    s: SymbolVector,
    data: SymbolVector,
    constants: SymbolVector,
    known: dict[str, ca.SX],
    near: ca.SX,
) -> tuple[ca.SX, ca.SX]:
    """Return the inputs within their limits, and which were beyond: 1 above, -1 below.

    Where what is read is not `near`, the last correction is held.
    """
    m = len(shape.crane.inputs)
    wanted = data["hold"]
    fed_back = {**known, "K_integral": s["integral"], "K_past": s["past"]}
    for gains, signal in fed_back.items():
        if signal.numel():
            wanted = wanted - ca.reshape(data[gains], m, signal.numel()) @ signal
    wanted = ca.if_else(near, wanted, data["hold"] + s["correction"])
    u = ca.fmin(ca.fmax(wanted, constants["least"]), constants["most"])
    return u, (wanted > constants["most"]) - (wanted < constants["least"])


def _integrated(
    shape: Shape,
    s: SymbolVector,
    data: SymbolVector,
    constants: SymbolVector,
    advance: ca.SX,
    beyond: ca.SX,
    near: ca.SX,
) -> ca.SX:
    """Return the integrals at the next sample, as the controller's C has them.

    Of what moves an input that is beyond its limit only what leads it back is integrated, and no
    more than moves an input from the feedforward to its limit.
    """
    m, count = len(shape.crane.inputs), len(shape.integrals)
    pull = ca.reshape(data["K_integral"], m, count)
    up = ca.fmax(constants["most"] - data["hold"], 0)
    down = ca.fmin(constants["least"] - data["hold"], 0)
    rows = []
    for j in range(count):
        counted = COUNTED * constants["far"][j]
        step = constants["h"] * ca.fmax(ca.fmin(advance[j], counted), -counted)
        leads, total = near, s["integral"][j]
        for i in range(m):
            leads = leads * (beyond[i] * (pull[i, j] * step) >= 0)
        total = total + ca.if_else(leads, step, 0.0)
        for i in range(m):
            moved = -pull[i, j] * total
            total = ca.if_else(near * (moved > up[i]), -up[i] / pull[i, j], total)
            total = ca.if_else(near * (moved < down[i]), -down[i] / pull[i, j], total)
        rows.append(total)
    return ca.vertcat(*rows) if rows else ca.SX(0, 1)


def _advance(shape: Shape, error: ca.SX, error_y: ca.SX) -> ca.SX:
    """Return the errors that are integrated."""
    sources = {"q": error, "y": error_y}
    rows = [sources[group][i] for group, i in integrated(shape.crane, shape.integrals)]
    return ca.vertcat(*rows) if rows else ca.SX(0, 1)


def _shifted(new: ca.SX, old: ca.SX) -> ca.SX:
    """Return the newest values first, as many as there are."""
    return ca.vertcat(new, old)[: old.numel()] if old.numel() else ca.SX(0, 1)


def _acting(delay: tuple[int, float], queue: ca.SX, m: int, h: ca.SX) -> list[tuple[ca.SX, ca.SX]]:
    """Return which of the inputs given out, the newest first, act within the cycle, how long."""
    whole, rest = delay

    def aged(age: int) -> ca.SX:
        return queue[age * m : (age + 1) * m]

    late = [(aged(whole + 1), ca.SX(rest))] if rest else []
    return [*late, (aged(whole), h - rest)]


def _motion(shape: Shape) -> MotionStep:
    return motion_step(shape.crane, shape.independent)


def _move_plant(
    motion: MotionStep,
    state: list[ca.SX],
    acting: list[tuple[ca.SX, ca.SX]],
    w: ca.SX,
    p: ca.SX,
) -> list[ca.SX]:
    for u, time in acting:
        state = list(motion.step(*state, u, w, p, time))
    return state
