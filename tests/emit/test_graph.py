"""The walk over a CasADi graph: it takes every step that CasADi itself takes."""

from __future__ import annotations

import casadi as ca
import numpy as np

from cranebridge.emit import Compute, Constant, Read, Write, applied, interpret, steps


def _function() -> ca.Function:
    x, y = ca.SX.sym("x", 3), ca.SX.sym("y", 2)
    sparse = ca.SX(3, 2)
    sparse[1, 0], sparse[2, 1] = ca.sin(x[0] - y[1]) / y[0], 2.5
    return ca.Function(
        "f", [x, y], [ca.fmin(x, x[2] ** 2.5 + y[0]), sparse, ca.if_else(y < x[1], y, -y)]
    )


def test_numbers_give_what_casadi_gives() -> None:
    function = _function()
    given = [np.array([0.3, -1.2, 0.7]), np.array([1.1, -0.4])]

    def compute(operation, operands):
        # CasADi folds what it computes from constants
        return float(applied(operation, [ca.SX(value) for value in operands]))

    found = interpret(function, lambda i, k: given[i][k], float, compute)
    for i, wanted in enumerate(function(*given)):
        values = [found[i, k] for k in range(function.nnz_out(i))]
        assert values == wanted.nonzeros()
    assert len(found) == sum(function.nnz_out(i) for i in range(function.n_out()))


def test_steps_read_only_what_stands_in_its_place() -> None:
    function = _function()
    kinds, known = set(), set()
    for step in steps(function):
        kinds.add(type(step))
        if isinstance(step, Compute):
            assert known.issuperset(step.of)
        elif isinstance(step, Write):
            assert step.of in known
            continue
        known.add(step.to)
    assert kinds == {Read, Constant, Compute, Write}
    assert max(known) < function.sz_w()


def test_expressions_give_the_function_again() -> None:
    function = _function()
    x, y = ca.SX.sym("a", 3), ca.SX.sym("b", 2)
    found = interpret(function, lambda i, k: (x, y)[i][k], ca.SX, applied)
    for i, wanted in enumerate(function(x, y)):
        again = ca.vertcat(*(found[i, k] for k in range(function.nnz_out(i))))
        assert ca.is_equal(again, ca.vertcat(*wanted.nonzeros()), 100)
