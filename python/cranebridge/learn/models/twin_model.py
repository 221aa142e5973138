"""The model of trials from the twin: linearised along the motion, behind the loops of the drives.

Loops u = u_ff + kp (r - q) + kv (r' - q') change the state matrix by -B K^+ (kp dq + kv dv), where
K is how the plant's inputs are made of the twin's. To learn u_ff is to learn the references: a
change of a drive's position reference by dr, its rate left alone, is a change of u_ff by kp dr.

A drive that takes velocities gives F = F_0 + kp (w - v) + ki e, e' = w - v, and its reference is
made of the force by w = v_ff + e_ff', kp e_ff' + ki e_ff = u_ff - F_0 (`inverse.speed_drives`). As
e is how far the reference is ahead, dF = du_ff - kp dv - ki dq: a loop with the gains ki and kp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, unknown
from cranebridge.forward import LinearModel, linearise
from cranebridge.inverse import Feedforward
from cranebridge.learn.laws import Transfer, frequencies_of, integrators, transfer_of
from cranebridge.learn.models.sampled_model import SampledModel, sampled
from cranebridge.learn.record import step_of
from cranebridge.twin.language import names
from cranebridge.verify import DriveController
from cranebridge.verify.mapping import PlantMap, inside

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TwinModel:
    """The twin along a motion, with the loops of its drives closed.

    Attributes
    ----------
    linear : LinearModel
        Without the loops.
    A : numpy.ndarray
        State matrices with them.
    """

    linear: LinearModel
    A: Array

    def sampled(self) -> SampledModel:
        """Return the time-varying model of a record."""
        linear = self.linear
        return sampled(step_of(linear.time), self.A, linear.B, linear.C)


def model_of_twin(
    base: Feedforward, mapping: PlantMap, loops: Sequence[DriveController]
) -> TwinModel:
    """Linearise the twin along a motion on a record and close the loops of its drives."""
    problem = base.problem
    linear = linearise(problem.crane, problem.parameters, base.q, base.v, base.u, base.time)
    return TwinModel(linear, closed(linear, problem.parameters, mapping, loops))


def twin_integrators(base: Feedforward, mapping: PlantMap, loops: Sequence[DriveController]) -> int:
    """Return how many poles of the twin are zero at the first time, loops of the drives closed.

    None where loops stand above speed loops: positions are held there.
    """
    if cascaded(mapping, loops):
        return 0
    problem = base.problem
    linear = linearise(problem.crane, problem.parameters, base.q[0], base.v[0], base.u[0])
    return integrators(closed(linear, problem.parameters, mapping, loops)[0])


def closed(
    linear: LinearModel,
    parameters: dict[str, float],
    mapping: PlantMap,
    loops: Sequence[DriveController],
) -> Array:
    """Return the state matrices with the loops of the drives closed, and their speed loops."""
    coordinates, inputs = names(linear.crane.coordinates), mapping.input_names
    if cascaded(mapping, loops):
        raise InputError(
            f"{', '.join(cascaded(mapping, loops))}: a loop of control.drives stands above a speed "
            "loop of plant.speed there, and the twin's model has no such cascade; use learn.model "
            "= 'differences' (or 'noise' for learn.law = 'frequency'), or 'fmu'"
        )
    K = np.linalg.pinv(mapping.si_input_matrix(parameters))
    own, A = names(linear.crane.inputs), linear.A.copy()
    for loop in loops:
        if loop.input not in inputs:
            raise unknown("input in control.drives", loop.input, inputs)
        if loop.coordinate not in coordinates:
            raise unknown(
                f"coordinate in control.drives.{loop.input}", loop.coordinate, coordinates
            )
        row, acts = coordinates.index(loop.coordinate), linear.B @ K[:, inputs.index(loop.input)]
        fed_back = loop.kp * linear.q_matrix[:, row] + loop.kv * linear.v_matrix[:, row]
        A -= acts[:, :, None] * fed_back[:, None, :]
    for speed in mapping.speed:
        row, column = coordinates.index(speed.coordinate), own.index(speed.input)
        fed_back = speed.ki * linear.q_matrix[:, row] + speed.kp * linear.v_matrix[:, row]
        A -= linear.B[:, :, column, None] * fed_back[:, None, :]
    return A


def cascaded(mapping: PlantMap, loops: Sequence[DriveController]) -> list[str]:
    """Return the plant inputs at which a loop of the drives stands above a speed loop."""
    references = {loop.reference_name for loop in inside(mapping.speed)}
    return [loop.input for loop in loops if loop.input in references]


def twin_transfer(
    base: Feedforward, mapping: PlantMap, loops: Sequence[DriveController], at: float
) -> Transfer:
    """Return the transfer matrix of the twin at rest where it is at a time of the motion.

    Velocities are taken as zero and the inputs as they are then; of a motion that is neither slow
    nor even there that is no rest, and the matrix is that of a crane that is held.
    """
    problem, row = base.problem, int(np.abs(base.time - at).argmin())
    q, v, u = base.q[row], 0.0 * base.v[row], base.u[row]
    linear = linearise(problem.crane, problem.parameters, q, v, u)
    A = closed(linear, problem.parameters, mapping, loops)[0]
    frequency = frequencies_of(len(base.time), step_of(base.time))
    outputs = np.zeros((linear.C.shape[1], linear.B.shape[2]))
    return transfer_of(A, linear.B[0], linear.C[0], outputs, frequency)
