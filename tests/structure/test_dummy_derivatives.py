"""Offsets of large signatures, dummy derivatives and tearing, each against its definition."""

from __future__ import annotations

import itertools

import casadi as ca
import numpy as np
import pytest
from scipy.sparse import csr_array

from cranebridge.structure.dummy_derivatives import basis_columns
from cranebridge.structure.pryce import ABSENT, offsets, sparse_offsets
from cranebridge.structure.tearing import explicit_unknowns


def sparse(sigma: np.ndarray) -> csr_array:
    rows, columns = np.nonzero(np.isfinite(sigma))
    orders = sigma[rows, columns].astype(int) + 1
    return csr_array((orders, (rows, columns)), shape=sigma.shape, dtype=int)


@pytest.mark.parametrize("seed", range(8))
def test_sparse_offsets_are_those_of_the_dense_algorithm(seed: int) -> None:
    random = np.random.default_rng(seed)
    sigma = np.where(random.random((9, 9)) < 0.35, random.integers(0, 3, (9, 9)), ABSENT)
    sigma[np.arange(9), random.permutation(9)] = random.integers(0, 3, 9)
    wanted, found = offsets(sigma), sparse_offsets(sparse(sigma))
    assert wanted is not None
    assert found is not None
    for a, b in zip(wanted, found, strict=True):
        assert a.tolist() == b.tolist()


def test_signature_without_a_transversal_has_no_offsets() -> None:
    sigma = np.array([[1.0, 0.0, 0.0], [0.0, ABSENT, ABSENT], [1.0, ABSENT, ABSENT]])
    assert sparse_offsets(sparse(sigma)) is None


@pytest.mark.parametrize("seed", range(6))
def test_chosen_columns_are_the_heaviest_regular_ones(seed: int) -> None:
    """Among all regular sets of columns none has more weight (they are the bases of a matroid)."""
    random = np.random.default_rng(seed)
    matrix = random.integers(-2, 3, (3, 7)).astype(float)
    if np.linalg.matrix_rank(matrix) < 3:
        pytest.skip("its rows depend on each other")
    weight = random.integers(0, 4, 7).tolist()
    chosen = basis_columns(matrix, [(w,) for w in weight], np.zeros((3, 7), dtype=bool))
    assert chosen is not None
    regular = [
        columns
        for columns in itertools.combinations(range(7), 3)
        if abs(np.linalg.det(matrix[:, columns])) > 1e-9
    ]
    assert tuple(chosen) in regular
    best = max(sum(weight[j] for j in columns) for columns in regular)
    assert sum(weight[j] for j in chosen) == best


def test_dependent_rows_have_no_basis() -> None:
    matrix = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]])
    assert basis_columns(matrix, [(0,)] * 3, np.zeros((2, 3), dtype=bool)) is None


def test_two_angles_of_a_closed_chain_are_left_to_iterate() -> None:
    """Joints' positions follow from angles; two equations close the chain of three bars."""
    first, a, b = ca.SX.sym("first"), ca.SX.sym("a"), ca.SX.sym("b")
    x = [ca.SX.sym(f"x{i}") for i in range(6)]
    residuals = [
        x[0] - ca.cos(first), x[1] - ca.sin(first),
        x[2] - x[0] - 2 * ca.cos(a), x[3] - x[1] - 2 * ca.sin(a),
        x[4] - 2 - 1.5 * ca.cos(b), x[5] - 1.5 * ca.sin(b),
        x[2] - x[4], x[3] - x[5],
    ]  # fmt: skip
    unknowns = [*x, a, b]
    found, left, equations = explicit_unknowns(unknowns, residuals)
    assert sorted(left) == [6, 7]
    # the equations left and the explicit values are the given ones
    at = ca.Function("at", [first, a, b], [ca.vertcat(*equations)])
    values = {6: a, 7: b}
    for j, value in found:
        old = ca.vertcat(*(unknowns[k] for k in values))
        new = ca.vertcat(*values.values())
        values[j] = ca.substitute(value, old, new)
    column = ca.vertcat(*(values[j] for j in range(8)))
    everything = ca.substitute(ca.vertcat(*residuals), ca.vertcat(*unknowns), column)
    whole = ca.Function("whole", [first, a, b], [everything])
    left_over = np.sort(np.abs(np.array(at(1.0, 0.4, 1.3)).ravel()))
    given = np.sort(np.abs(np.array(whole(1.0, 0.4, 1.3)).ravel()))
    assert given[:-2] == pytest.approx(0.0, abs=1e-14)
    assert given[-2:] == pytest.approx(left_over)
