"""Are twin and plant the same machine? Accelerations and rope forces at many states.

The plant is asked at the states of :mod:`cranebridge.verify.certificate.states` for its state
derivatives, its readings and their rates; the same states in the twin's coordinates go through the
twin's equations of motion. A plant without Model Exchange is compared by short motions instead
(:mod:`cranebridge.verify.certificate.motion_comparison`).
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.forward import CraneDynamics, crane_dynamics
from cranebridge.inverse import Feedforward
from cranebridge.plant import Plant
from cranebridge.plant.sandbox import PlantError
from cranebridge.twin.language import names
from cranebridge.verify.certificate.motion_comparison import certify_by_motions
from cranebridge.verify.certificate.outcome import Certificate, Comparison, How, Omission, looked_at
from cranebridge.verify.certificate.states import PlantStates, plant_states
from cranebridge.verify.mapping import PlantMap, inside

Array = NDArray[np.float64]

# Instead of a difference that is not a number: JSON has none.
NO_NUMBER = 1e300
# A signal that is always small is compared with this part of the largest of its kind.
SMALL = 1e-3


def certify(solution: Feedforward, plant: Plant, mapping: PlantMap, seed: int = 1) -> Certificate:
    """Compare the twin of a solution with a plant.

    Parameters
    ----------
    solution : Feedforward
        Along whose motion the states are taken.
    plant : Plant
        The plant; by Model Exchange if it has it, else by short motions.
    mapping : PlantMap
        How its names relate to the twin's.
    seed : int
        Of the random states.
    """
    rng = np.random.default_rng(seed)
    if not plant.info.has_me and inside(mapping.speed):
        why = "drives with a speed loop are compared by Model Exchange, which the plant has not"
        return Certificate((), (Omission("everything", why),), plant.info.sha256, 0)
    if not plant.info.has_me:
        return certify_by_motions(solution, plant, mapping, rng)
    if plant.interface != "me":
        plant = plant.sibling("me")
    parameters = tuple(mapping.parameter_rows(solution.problem, solution.q[0], solution.v[0]))
    try:
        states = plant_states(solution, plant, mapping, rng)
    except (PlantError, SolutionError) as error:
        reason = Omission("accelerations of the degrees of freedom", str(error))
        return Certificate((), (reason,), plant.info.sha256, 0, parameters=parameters)
    twin_a, twin_ropes = _twin(crane_dynamics(mapping.crane), states)
    compared = _velocities(states, mapping)
    compared += _accelerations(states, mapping, twin_a)
    compared += _ropes(states, mapping, twin_ropes)
    compared += _drives(states, mapping)
    return Certificate(
        compared=tuple(compared),
        not_compared=tuple(_not_compared(states, mapping)),
        fmu_sha256=plant.info.sha256,
        samples=len(states.q),
        equation=_worst_equation(states, mapping),
        notes=_notes(mapping),
        parameters=parameters,
        looked=looked_at(
            names(mapping.crane.coordinates), (states.q, states.v), (solution.q, solution.v)
        ),
    )


def _twin(dynamics: CraneDynamics, states: PlantStates) -> tuple[Array, Array]:
    """Return the twin's accelerations and rope forces at the states."""
    a, lam = _solve(dynamics, states)
    columns = (states.q, states.v, a, lam, states.u, states.p)
    ropes = dynamics.ropes.map(len(a))(*(part.T for part in columns))
    return a, np.array(ropes).T.reshape(len(a), -1)


def _solve(dynamics: CraneDynamics, states: PlantStates) -> tuple[Array, Array]:
    """Solve the twin for accelerations and multipliers to full accuracy.

    Sparse elimination without pivoting for size loses digits where newtons and metres mix; here
    rows are scaled, pivots chosen, and the solution refined once.
    """
    count, n = states.q.shape
    A, b = (
        np.array(ca.densify(part))
        for part in dynamics.system.map(count)(states.q.T, states.v.T, states.u.T, states.p.T)
    )
    A = A.reshape(len(A), count, -1).transpose(1, 0, 2)
    right = b.T[:, :, None]
    scale = np.abs(A).max(axis=2, keepdims=True)
    scale[scale == 0.0] = 1.0
    A, right = A / scale, right / scale
    try:
        x = np.linalg.solve(A, right)
        x = (x + np.linalg.solve(A, right - A @ x))[:, :, 0]
    except np.linalg.LinAlgError:
        x = np.full((count, A.shape[1]), np.nan)
    return x[:, :n], x[:, n:]


def _compared(
    quantity: str, how: How, twin: Array, plant: Array, states: PlantStates, least_scale: float
) -> Comparison:
    """Compare one quantity at all states, relative to the largest value of the plant."""
    difference = np.abs(twin - plant)
    difference[~np.isfinite(difference)] = NO_NUMBER
    row = int(np.argmax(difference))
    # what is no number is not large: beside it all differences would be small
    size = max(float(np.abs(plant[np.isfinite(plant)]).max(initial=0.0)), least_scale)
    return Comparison(quantity, how, float(difference[row]) / size, size, states.where[row])


def _least_scale(values: Array) -> float:
    """Return what a signal is compared with at least: one may be zero all the time."""
    return max(SMALL * float(np.abs(np.nan_to_num(values)).max(initial=0.0)), 1e-6)


def _velocities(states: PlantStates, mapping: PlantMap) -> list[Comparison]:
    """Compare velocities that the plant states with the rates of its coordinates."""
    how: How = "exact derivatives" if states.exact else "differences"
    return [
        _compared(
            f"velocity of {name}",
            how,
            states.rate[:, i],
            states.v[:, i],
            states,
            _least_scale(states.v),
        )
        for i, name in enumerate(names(mapping.crane.coordinates))
        if not mapping.missing([f"v.{name}"]) and not np.isnan(states.rate[:, i]).any()
    ]


def _accelerations(states: PlantStates, mapping: PlantMap, twin_a: Array) -> list[Comparison]:
    """Compare accelerations; those by differences only where exact ones do not tell all."""
    seen = _seen(states)
    exact = seen & np.array(states.exact_a)
    chosen = exact if _covers(states, mapping, exact) else seen
    return [
        _compared(
            f"acceleration of {name}",
            "exact derivatives" if exact[i] else "differences",
            twin_a[:, i],
            states.a[:, i],
            states,
            _least_scale(states.a),
        )
        for i, name in enumerate(names(mapping.crane.coordinates))
        if chosen[i]
    ]


def _ropes(states: PlantStates, mapping: PlantMap, twin: Array) -> list[Comparison]:
    # The twin's forces depend on the velocities that the plant's readings gave.
    how: How = "exact derivatives" if all(states.exact_v) else "differences"
    return [
        _compared(
            f"rope {name}", how, twin[:, i], states.ropes[:, i], states, _least_scale(states.ropes)
        )
        for i, name in enumerate(names(mapping.crane.ropes))
        if not np.isnan(states.ropes[:, i]).any()
    ]


def _drives(states: PlantStates, mapping: PlantMap) -> list[Comparison]:
    """Compare forces and integrals of drives with a speed loop with what their law says."""
    how: How = "exact derivatives" if all(states.exact_v) else "differences"
    rates: How = "exact derivatives" if states.exact and how != "differences" else "differences"
    return [
        _compared(f"{what} of the speed drive {loop.input}", kind, law, plant, states, 1e-6)
        for i, loop in enumerate(inside(mapping.speed))
        for what, kind, (law, plant) in (
            ("force", how, states.drives[:, i, :2].T),
            ("rate of the integral", rates, states.drives[:, i, 2:].T),
        )
        if not np.isnan(law).any()
    ]


def _not_compared(states: PlantStates, mapping: PlantMap) -> list[Omission]:
    """Return what the plant does not give: forces of ropes, integrals of drives, numbers.

    Coordinates that it does not give were found from the constraints, or there are no states at
    all. An expression of the map may still be no number at some states.
    """
    coordinates = names(mapping.crane.coordinates)
    why = "no number at some of the compared states; see plant.map.signals"
    unknown = [
        Omission(f"velocity of {name}", f"the rate of {name} is {why}")
        for i, name in enumerate(coordinates)
        if states.given[i]
        and not mapping.missing([f"v.{name}"])
        and np.isnan(states.rate[:, i]).any()
    ]
    seen = _seen(states)
    if not _covers(states, mapping, seen):
        hidden = ", ".join(name for i, name in enumerate(coordinates) if not seen[i])
        unknown.append(Omission(f"acceleration of {hidden}", why))
    ropes = [
        Omission(
            f"rope {name}", f"the plant gives no force of it; add plant.map.signals, {name} = ..."
        )
        for i, name in enumerate(names(mapping.crane.ropes))
        if np.isnan(states.ropes[:, i]).any()
    ]
    drives = [
        Omission(
            f"speed drive {loop.input}",
            f"the plant shows no integral of its speed error; name its output in "
            f"plant.speed.{loop.input}.integral",
        )
        for i, loop in enumerate(inside(mapping.speed))
        if np.isnan(states.drives[:, i, 0]).any()
    ]
    return ropes + drives + unknown


def _seen(states: PlantStates) -> NDArray[np.bool_]:
    """Return which accelerations the plant gives."""
    return np.asarray(~np.isnan(states.a).any(axis=0))


def _covers(states: PlantStates, mapping: PlantMap, seen: NDArray[np.bool_]) -> bool:
    """Return whether the accelerations that are seen determine those of all degrees of freedom."""
    dynamics, count = crane_dynamics(mapping.crane), len(states.q)
    H = np.array(ca.densify(dynamics.manifold.map(count)(states.q.T, states.p.T)[1]))
    n = states.q.shape[1]
    H = H.reshape(len(H), count, n).transpose(1, 0, 2)
    if not H.shape[1]:
        return bool(seen.all())
    chosen = np.broadcast_to(np.eye(n)[seen], (count, int(seen.sum()), n))
    # Rows scaled to size one: constraints in square metres stand beside coordinates.
    rows = np.concatenate([chosen, H / np.abs(H).max(axis=2, keepdims=True)], axis=1)
    return bool(np.median(np.linalg.matrix_rank(rows, tol=1e-8)) == n)


def _notes(mapping: PlantMap) -> tuple[str, ...]:
    fixed = [
        name for name in names(mapping.crane.parameters) if name not in mapping.reached_parameters()
    ]
    if not fixed:
        return mapping.unit_notes
    fixed_note = f"the plant has no parameter for {', '.join(fixed)}: compared at these values only"
    return (fixed_note, *mapping.unit_notes)


def _worst_equation(states: PlantStates, mapping: PlantMap) -> str:
    """Name the twin's equation of motion that the plant's motion violates most.

    A fault in one equation changes all accelerations; the residuals of the twin's equations, with
    the plant's accelerations and with the multipliers that its rope forces tell, show which one.
    """
    dynamics, count = crane_dynamics(mapping.crane), len(states.q)
    m = dynamics.model
    parts = [
        m.motion,
        ca.fabs(ca.jacobian(m.motion, ca.vertcat(m.a, m.lam, m.u)))
        @ ca.fabs(ca.vertcat(m.a, m.lam, m.u))
        + ca.fabs(m.force),
        ca.densify(ca.jacobian(m.ropes, m.lam)),
        m.ropes,
    ]
    function = ca.Function(
        "parts", [m.q, m.v, m.a, m.lam, m.u, m.p], [ca.densify(part) for part in parts]
    ).map(count)
    twin_a, lam = _solve(dynamics, states)
    a = np.where(np.isnan(states.a), twin_a, states.a)

    def evaluate() -> list[Array]:
        columns = (states.q, states.v, a, lam, states.u, states.p)
        return [np.array(part) for part in function(*(part.T for part in columns))]

    _, _, slope, own = evaluate()
    if slope.size and not np.isnan(states.ropes).any():
        slopes = slope.reshape(len(slope), count, -1).transpose(1, 0, 2)
        lam = lam + np.einsum("kij,kj->ki", np.linalg.pinv(slopes), states.ropes - own.T)
    residual, scale, _, _ = evaluate()
    with np.errstate(invalid="ignore"):
        relative = np.abs(residual) / np.maximum(scale, 1e-9)
    worst = np.nan_to_num(relative, nan=NO_NUMBER).max(axis=1)
    return names(mapping.crane.coordinates)[int(np.argmax(worst))]
