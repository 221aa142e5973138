"""Estimated disturbances compensated: gains that leave no lasting error, without integrals.

A constant disturbance d moves the rest of a crane and its inputs. With x and u those for which

    A x + B u + G d = 0,   C x = 0,

the outputs stay where they shall be: the law holds x + K (x_measured - x) instead of zero. What the
law adds is u + K x as a function of d, at each time of the motion as if the crane rested there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.design.law import Law, LawDesign
from cranebridge.control.model import with_integral
from cranebridge.control.observer import Observer
from cranebridge.errors import InputError
from cranebridge.forward import LinearModel
from cranebridge.twin.language import names

Array = NDArray[np.float64]


def compensated_law(design: LawDesign, observer: Observer) -> Law:
    """Return the law of a design with gains of the disturbances that an observer estimates.

    Raises
    ------
    InputError
        If the observer estimates none, has other independent coordinates, or if the law has
        integrals: both would remove the same error.
    """
    law = design.law
    if law.integrals:
        raise InputError(
            "a law with integrals needs no compensation of disturbances; choose one of both"
        )
    if not observer.disturbances:
        raise InputError("the observer estimates no disturbance that could be compensated")
    if observer.motion.independent != design.model.coordinates:
        raise InputError("the observer must have the independent coordinates of the law's design")
    reference, model = design.reference, design.model
    count = len(reference.time)
    p = np.repeat(observer.parameter_vector[:, None], count, axis=1)
    found = observer.linear.map(count)(reference.q.T, reference.v.T, reference.u.T, p)[0]
    size, n = len(observer.states), len(model.states)
    slopes = np.array(found).reshape(size, count, size).transpose(1, 0, 2)
    last = n + len(observer.disturbances)
    G = slopes[:, :n, n:last]
    k, m = model.C.shape[1], model.B.shape[2]
    A, B, driven = model.A, model.B, list[int]()
    if law.speed:
        A, B, driven = _with_places(model, law, slopes[:, :n, :n], slopes[:, :n, last:])
    system = np.zeros((count, n + k, n + m))
    system[:, :n, :n], system[:, :n, n:], system[:, n:, :n] = A, B, model.C
    right = np.concatenate([-G, np.zeros((count, k, G.shape[2]))], axis=1)
    rest = np.linalg.pinv(system) @ right
    rest[:, [n + i for i in driven]] = 0.0  # where drives rest their references are zero
    K = design.gains[:, :, :n]
    gains = -(rest[:, n:] + K @ rest[:, :n])
    if law.speed:  # what a load weighs its drives carry by themselves
        gains[:, :, len(observer.forces) :] = 0.0
    return replace(law, disturbances=observer.disturbances, K_disturbance=np.asarray(gains))


def _with_places(
    model: LinearModel, law: Law, A: Array, places: Array
) -> tuple[Array, Array, list[int]]:
    """Return A and B where drives take references: what holds a rest is where these have come to.

    Returns
    -------
    A, B : numpy.ndarray
        With closed speed loops; B of places where a drive integrates.
    driven : list of int
        Inputs whose columns are those of places.
    """
    inputs, B = names(law.crane.inputs), model.B.copy()
    for drive in law.speed:
        B[:, :, inputs.index(drive.input)] *= drive.kp
    driven = [inputs.index(drive.input) for drive in with_integral(law.speed)]
    B[:, :, driven] = places
    return A, B, driven
