"""Sampled models: exact zero-order-hold discretisation of a linearisation, with a computing delay.

With the input held over a cycle h the state of x' = A x + B u changes by

    x_{k+1} = Phi x_k + Gamma u_k,   exp(h [A B; 0 0]) = [Phi Gamma; 0 I].

An input that acts only after a delay of d whole cycles and a rest 0 <= r < h makes the crane see
u_{k-d-1} for the time r and u_{k-d} for the rest of the cycle (Astrom and Wittenmark,
Computer-Controlled Systems, 3rd ed., Section 2.3):

    x_{k+1} = Phi x_k + Phi(h - r) Gamma(r) u_{k-d-1} + Gamma(h - r) u_{k-d},

and the past inputs become states. Along a motion A and B are those at the begin of each cycle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.model.cycle_and_delay import WHOLE, require_delay
from cranebridge.errors import InputError
from cranebridge.forward import LinearModel
from cranebridge.twin.language import names

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SampledStateSpace:
    """x_{k+1} = A x_k + B u_k at each time of a motion; first axis time.

    Attributes
    ----------
    states : tuple of str
        ``q.NAME`` and ``v.NAME`` of the independent coordinates, ``i.NAME`` integrals of the
        outputs, ``past1.NAME``, ... inputs of the cycles before, the last one first.
    motion, integrals, past : int
        How many states of each kind there are, in this order.
    cycle, delay : float
        In s.
    time, A, B : numpy.ndarray
        Times, matrices.
    """

    states: tuple[str, ...]
    motion: int
    integrals: int
    past: int
    cycle: float
    delay: float
    time: Array
    A: Array
    B: Array


def zero_order_hold(A: Array, B: Array, time: float) -> tuple[Array, Array]:
    """Return Phi and Gamma over a time, for matrices or stacks of them."""
    from scipy.linalg import expm

    n, m = B.shape[-2:]
    block = np.zeros((*A.shape[:-2], n + m, n + m))
    block[..., :n, :n] = A * time
    block[..., :n, n:] = B * time
    found = expm(block)
    return found[..., :n, :n], found[..., :n, n:]


def discretise(
    model: LinearModel, cycle: float, delay: float = 0.0, integrals: bool = False
) -> SampledStateSpace:
    """Discretise a linearisation.

    Parameters
    ----------
    model : LinearModel
        The linearisation at one time or along a motion.
    cycle : float
        Cycle in s, over which inputs are held.
    delay : float
        Time in s from a sample until the input that it causes acts.
    integrals : bool
        Add a state xi' = C x for each output.

    Raises
    ------
    InputError
        If the cycle is not positive, or the delay negative or too long.
    """
    if not (math.isfinite(cycle) and cycle > 0.0):
        raise InputError(f"the cycle must be a positive time in s, got {cycle:g}")
    if not (math.isfinite(delay) and delay >= 0.0):
        raise InputError(f"the delay must be a time in s that is not negative, got {delay:g}")
    require_delay(cycle, delay)
    A, B = (_with_integrals(model) if integrals else (model.A, model.B))[:2]
    crane, count = model.crane, len(model.states)
    f = count // 2
    states = [f"q.{name}" for name in model.states[:f]] + [
        f"v.{name}" for name in model.coordinates
    ]
    states += [f"i.{name}" for name in names(crane.outputs)] if integrals else []
    A, B = delayed(A, B, cycle, delay)
    past = (A.shape[-1] - len(states)) // B.shape[-1]
    inputs = names(crane.inputs)
    return SampledStateSpace(
        states=(*states, *(f"past{i + 1}.{name}" for i in range(past) for name in inputs)),
        motion=count,
        integrals=len(states) - count,
        past=past * len(inputs),
        cycle=cycle,
        delay=delay,
        time=model.time,
        A=A,
        B=B,
    )


def _with_integrals(model: LinearModel) -> tuple[Array, Array]:
    count, n, m = model.B.shape
    k = model.C.shape[1]
    A = np.zeros((count, n + k, n + k))
    A[:, :n, :n], A[:, n:, :n] = model.A, model.C
    return A, np.concatenate([model.B, np.zeros((count, k, m))], axis=1)


def cycles_of(delay: float, cycle: float) -> tuple[int, float]:
    """Return a delay as whole cycles and the rest in s."""
    whole = math.floor(delay / cycle + WHOLE)
    rest = delay - whole * cycle
    return whole, (rest if rest > WHOLE * cycle else 0.0)


def delayed(A: Array, B: Array, cycle: float, delay: float) -> tuple[Array, Array]:
    """Return the sampled matrices, past inputs among the states."""
    count, n, m = B.shape
    whole, rest = cycles_of(delay, cycle)
    Phi, Gamma = zero_order_hold(A, B, cycle - rest)
    parts = [(whole, Gamma)]  # inputs of so many cycles before, and what they do
    if rest:
        before, first = zero_order_hold(A, B, rest)
        parts.append((whole + 1, Phi @ first))
        Phi = Phi @ before
    past = whole + (1 if rest else 0)
    size = n + past * m
    big_A, big_B = np.zeros((count, size, size)), np.zeros((count, size, m))
    big_A[:, :n, :n] = Phi
    for age, effect in parts:
        if age:
            big_A[:, :n, n + (age - 1) * m : n + age * m] = effect
        else:
            big_B[:, :n] = effect
    if past:
        big_B[:, n : n + m] = np.eye(m)
        big_A[:, n + m :, n : size - m] = np.eye(size - n - m)
    return big_A, big_B
