"""Chains of pieces: sums and steps against dense linear algebra, optima against IPOPT's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from optimal_control import overhead_task, rotary_task

from cranebridge.inverse.kernels.compiled import find_compiler
from cranebridge.plan.flat.drafts import Fineness
from cranebridge.plan.flat.task_to_plan import find_plan
from cranebridge.plan.nlp import program
from cranebridge.plan.nlp.blocks import Chain
from cranebridge.plan.nlp.group import RowGroup
from cranebridge.plan.nlp.legs import RATE, LegEnd, make_legs
from cranebridge.plan.nlp.program import SplineProgram
from cranebridge.plan.nlp.rows import ChainPoint, ChainRows
from cranebridge.plan.nlp.solve import ChainSolution, solve_chain
from cranebridge.plan.nlp.splines import graded
from cranebridge.plan.task.task import PlanTask

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="chains are compiled")

OUTPUTS, ORDER = 2, 4


class Bent:
    """Rows a z + z^T B z / 2, with numbers such that all of z counts about as much."""

    linear, count = False, 3

    def __init__(self, rng: np.random.Generator) -> None:
        scale = np.append(np.repeat(RATE ** -np.arange(ORDER + 1.0), OUTPUTS), 1.0)
        self.a = rng.normal(size=(self.count, scale.size)) * scale
        B = rng.normal(size=(self.count, scale.size, scale.size)) * scale * scale[:, None]
        self.B = B + B.transpose(0, 2, 1)

    def settle(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        return w

    def values(self, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        return z @ self.a.T + 0.5 * np.einsum("ti,rij,tj->tr", z, self.B, z)

    def slopes(self, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.values(z, w), self.a + np.einsum("rij,tj->tri", self.B, z)

    def curvature(self, z: np.ndarray, w: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return np.einsum("tr,rij->tij", weights, self.B)


class Dense:
    """Two legs with bent rows, at times of one piece and over edges, and all of it in full."""

    def __init__(self) -> None:
        rng = np.random.default_rng(5)
        rest, via = LegEnd(3, np.array([1.0, -2.0])), LegEnd(None, None)
        splines = graded(3, 4), graded(3, 3)
        width = 0.02
        splines = tuple(one.averaged(width, (False, False)) for one in splines)
        self.legs = make_legs(splines, [(rest, via), (via, rest)], OUTPUTS, width)
        self.size = max(leg.duration for leg in self.legs) + 1
        rows = Bent(rng)
        free = np.full(Bent.count, -np.inf), np.full(Bent.count, np.inf)
        self.groups: list[RowGroup] = []
        for leg in self.legs:
            self.groups += leg.joints()
            edges = leg.spline.edges
            tau = np.sort(np.append(rng.uniform(0.1, 0.9, 6), edges[1:-1]))
            self.groups += [
                g for g, _ in leg.groups(rows, ORDER, tau, free, np.zeros((tau.size, 0)))
            ]
        self.links = [group for group in self.groups if group.links]
        self.x = rng.normal(size=self.size)
        self.chain = Chain(self.legs, self.groups, self.x)
        # what a variable of the chain is in those of the program
        self.sizes = self.chain.gathered(np.ones(self.chain.spread(self.x).size))
        self.rng = rng

    def slopes(self, group: RowGroup) -> np.ndarray:
        """Return all derivatives of a group's rows, (times * rows, variables)."""
        by_z = group.rows.slopes(group.arguments(self.x), group.w)[1]
        return np.concatenate([one @ self.seen(group, t) for t, one in enumerate(by_z)])

    def seen(self, group: RowGroup, t: int) -> np.ndarray:
        """Return z by all variables at a time."""
        whole = np.zeros((group.matrix.shape[1], self.size + 1))
        np.add.at(whole.T, group.columns[t], group.matrix[t].T)
        return whole[:, :-1]

    def curvature(self, group: RowGroup, weights: np.ndarray) -> np.ndarray:
        by_z = group.rows.curvature(group.arguments(self.x), group.w, weights)
        seen = [self.seen(group, t) for t in range(len(by_z))]
        return sum(m.T @ one @ m for m, one in zip(seen, by_z, strict=True))


def test_sums_of_a_chain_are_those_of_dense_matrices() -> None:
    dense = Dense()
    chain, v = dense.chain, dense.chain.spread(dense.x)
    np.testing.assert_allclose(chain.gathered(v), dense.x, rtol=1e-15)
    batches = [b for b in chain.batches if isinstance(b.rows, Bent)]
    assert {b.matrix.shape[2] for b in batches} == {13, 25}  # within pieces, and over edges
    direction = dense.rng.normal(size=dense.size)
    for batch in batches:
        z = chain.arguments(batch, v)
        np.testing.assert_allclose(
            z,
            np.concatenate([g.arguments(dense.x) for g in batch.groups]),
            rtol=0,
            atol=1e-12 * np.abs(z).max(),
        )
        slopes = np.ascontiguousarray(batch.rows.slopes(z, batch.w)[1])
        full = np.concatenate([dense.slopes(g) for g in batch.groups])
        scale = np.abs(full).max() * np.abs(direction).max() * dense.size
        along = chain.along(batch, slopes, chain.spread(direction))
        np.testing.assert_allclose(along.ravel(), full @ direction, rtol=0, atol=1e-14 * scale)
        weights, gradient = dense.rng.normal(size=batch.shape), np.zeros(v.size)
        chain.add_gradient(batch, slopes, weights, gradient)
        wanted = chain.slopes(weights.ravel() @ full)
        np.testing.assert_allclose(gradient[:-1], wanted[:-1], rtol=0, atol=1e-14 * scale)


def hessian_of(dense: Dense, convex: float) -> np.ndarray:
    """Fill the chain with second derivatives, and return them in full, by its own variables."""
    chain, v = dense.chain, dense.chain.spread(dense.x)
    chain.clear()
    whole = np.zeros((dense.size, dense.size))
    for batch in chain.batches:
        if not isinstance(batch.rows, Bent):
            continue
        z = chain.arguments(batch, v)
        weights = dense.rng.normal(size=batch.shape)
        stiff = np.abs(dense.rng.normal(size=batch.shape)) * convex
        curved = np.ascontiguousarray(batch.rows.curvature(z, batch.w, weights))
        slopes = np.ascontiguousarray(batch.rows.slopes(z, batch.w)[1])
        chain.add_curvature(batch, curved, slopes, stiff)
        begin = 0
        for group in batch.groups:
            own = slice(begin, begin + len(group.base))
            whole += dense.curvature(group, weights[own])
            full = dense.slopes(group)
            whole += full.T @ (stiff[own].ravel()[:, None] * full)
            begin = own.stop
    return whole * dense.sizes * dense.sizes[:, None]


def test_steps_are_those_of_the_dense_system() -> None:
    dense = Dense()
    whole = hessian_of(dense, 10.0)
    more = 2.0 * max(0.0, -np.linalg.eigvalsh(whole)[0]) + 1.0
    assert dense.chain.factor(more)
    links = np.concatenate([dense.slopes(g) for g in dense.links]) * dense.sizes
    gap = np.concatenate([g.arguments(dense.x).ravel() for g in dense.links])
    gradient = dense.rng.normal(size=dense.size)
    system = np.block(
        [[whole + more * np.eye(dense.size), links.T], [links, np.zeros((gap.size, gap.size))]]
    )
    v, chain = dense.chain.spread(dense.x), dense.chain
    step, forces = chain.step(chain.slopes(gradient), chain.link_residuals(v))
    forces = (forces / chain.state_sizes)[chain.link_numbers >= 0]
    found = np.concatenate([chain.gathered(step) / dense.sizes, forces])
    wanted = -np.concatenate([gradient * dense.sizes, gap])
    # the step solves the system to rounding of its terms, some of it lost on the way
    assert (np.abs(system @ found - wanted) < 1e-10 * (np.abs(system) @ np.abs(found))).all()


def test_elimination_tells_where_there_is_no_minimum() -> None:
    dense = Dense()
    whole = hessian_of(dense, 0.1)
    links = np.concatenate([dense.slopes(g) for g in dense.links]) * dense.sizes
    null = np.linalg.svd(links)[2][len(links) :].T
    lowest = -np.linalg.eigvalsh(null.T @ whole @ null)[0]
    assert lowest > 0.0
    assert not dense.chain.factor(0.99 * lowest)
    assert dense.chain.factor(1.01 * lowest)


# Tasks, and whether every program of theirs is solved as a chain on any processor: of the rotary
# crane's one is left to IPOPT or not as lanes and BLAS round.
TASKS: dict[str, tuple[Callable[[], PlanTask], bool]] = {
    "rest to rest": (overhead_task, True),
    "rotary": (rotary_task, False),
    "effort": (lambda: overhead_task("effort", 6.0), False),
}


@pytest.mark.parametrize("name", TASKS)
def test_chains_find_what_ipopt_finds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    task, every = TASKS[name]
    pairs: list[tuple[float, float]] = []

    def both(
        asked: SplineProgram,
        x: np.ndarray,
        start: float,
        tolerance: float,
        known: tuple[np.ndarray, np.ndarray] | None,
    ) -> ChainSolution | None:
        theirs = asked.solve_by_ipopt(x, start, tolerance, known)
        ours = solve_chain(asked, x, start, tolerance, known)
        assert theirs.solved
        assert ours is not None or not every
        if ours is not None:
            pairs.append((ours.cost, theirs.cost))
        return ours

    monkeypatch.setattr(program, "solve_chain", both)
    find_plan(task(), Fineness(pieces=12, rounds=1, accuracy=0.0))
    assert len(pairs) > 1
    for ours, theirs in pairs:
        # both are within their tolerance of an optimum; a better one is welcome
        assert ours < theirs * (1.0 + 1e-4)


def test_ipopt_is_asked_where_a_crane_cannot_go(monkeypatch: pytest.MonkeyPatch) -> None:
    def singular(self: ChainRows, point: ChainPoint) -> list[np.ndarray]:
        raise np.linalg.LinAlgError

    fineness = Fineness(pieces=12, rounds=0)
    wanted = find_plan(overhead_task(), fineness).duration
    monkeypatch.setattr(ChainRows, "all_slopes", singular)
    assert find_plan(overhead_task(), fineness).duration == pytest.approx(wanted, rel=1e-4)
