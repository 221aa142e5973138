"""Values of Modelica expressions: scalars and arrays of any rank over CasADi scalars.

CasADi's matrices always have two dimensions and store columns first; Modelica's arrays have any
number of dimensions, vectors differ from matrices, and equations are counted row by row. ``Value``
keeps the shape beside a flat column of entries in row order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca


@dataclass(frozen=True)
class Value:
    """A scalar (``shape == ()``) or array with its entries in row order."""

    shape: tuple[int, ...]
    data: ca.SX

    @staticmethod
    def scalar(value: ca.SX | float) -> Value:
        """Make a scalar."""
        return Value((), ca.SX(value))

    @staticmethod
    def stack(parts: Sequence[Value]) -> Value:
        """Array constructor ``{a, b, ...}``: one more dimension in front."""
        shape = parts[0].shape if parts else ()
        return Value((len(parts), *shape), ca.vertcat(*[part.data for part in parts]))

    def number(self) -> float:
        """Value of a constant scalar; raises ``ValueError`` if it is not one."""
        if self.shape or not self.data.is_constant():
            raise ValueError("not a constant scalar")
        return float(self.data)

    def entries(self) -> list[ca.SX]:
        """All entries in row order."""
        return [self.data[i] for i in range(self.data.numel())]

    def broadcast(self, shape: tuple[int, ...]) -> Value:
        """Spread a scalar over a shape; an array must have that shape already."""
        if self.shape == shape:
            return self
        if self.shape:
            raise ValueError(f"shape {self.shape} where {shape} is needed")
        return Value(shape, ca.repmat(self.data, math.prod(shape), 1))

    def matrix(self) -> ca.SX:
        """CasADi matrix of an array of rank 2."""
        rows, columns = self.shape
        return ca.reshape(self.data, columns, rows).T

    def take(self, picks: Sequence[int | list[int]]) -> Value:
        """Index by numbers (dimension goes) and lists (dimension stays), counted from 0."""
        full = [*picks, *(list(range(n)) for n in self.shape[len(picks) :])]
        positions, shape = [0], []
        for pick, size in zip(full, self.shape, strict=True):
            chosen = pick if isinstance(pick, list) else [pick]
            if any(not 0 <= i < size for i in chosen):
                raise ValueError(f"index out of 1..{size}")
            positions = [position * size + i for position in positions for i in chosen]
            if isinstance(pick, list):
                shape.append(len(pick))
        return Value(tuple(shape), ca.vertcat(*[self.data[i] for i in positions]))


@dataclass(frozen=True)
class RecordValue(Value):
    """A record inside an expression: its fields in their order. As an array it has no entries."""

    fields: tuple[Value, ...] = ()

    @staticmethod
    def of(fields: Sequence[Value]) -> RecordValue:
        """Make a record."""
        return RecordValue((0,), ca.SX(0, 1), tuple(fields))


def if_else(condition: ca.SX, yes: Value, no: Value) -> Value:
    """One of two values, entry by entry and field by field."""
    if isinstance(yes, RecordValue) and isinstance(no, RecordValue):
        fields = zip(yes.fields, no.fields, strict=True)
        return RecordValue.of([if_else(condition, a, b) for a, b in fields])
    shape = yes.shape or no.shape
    pairs = zip(yes.broadcast(shape).entries(), no.broadcast(shape).entries(), strict=True)
    return Value(shape, ca.vertcat(ca.SX(0, 1), *(ca.if_else(condition, a, b) for a, b in pairs)))


def updated(base: Value, picks: Sequence[int | list[int]], value: Value) -> Value:
    """An array with some entries replaced; indices as for :meth:`Value.take`."""
    numbers = Value(base.shape, ca.SX(list(range(base.data.numel())))).take(picks)
    entries = base.entries()
    pairs = zip(numbers.entries(), value.broadcast(numbers.shape).entries(), strict=True)
    for position, entry in pairs:
        entries[int(float(position))] = entry
    return Value(base.shape, ca.vertcat(ca.SX(0, 1), *entries))


def from_matrix(matrix: ca.SX) -> Value:
    """Array of rank 2 from a CasADi matrix."""
    return Value((matrix.shape[0], matrix.shape[1]), ca.densify(ca.vec(matrix.T)))


def elementwise(function: Callable[[ca.SX, ca.SX], ca.SX], left: Value, right: Value) -> Value:
    """Apply a function entry by entry; a scalar is used for all entries of an array."""
    shape = left.shape or right.shape
    return Value(shape, function(left.broadcast(shape).data, right.broadcast(shape).data))


def multiply(left: Value, right: Value) -> Value:
    """Modelica's ``*``: scaling, inner product, and matrix products by rank."""
    if not left.shape or not right.shape:
        return elementwise(lambda a, b: a * b, left, right)
    if len(left.shape) == len(right.shape) == 1:
        return Value((), ca.dot(left.data, right.data))
    a = left.matrix() if len(left.shape) == 2 else left.data.T
    b = right.matrix() if len(right.shape) == 2 else right.data
    product = ca.mtimes(a, b)
    if len(left.shape) == len(right.shape) == 2:
        return from_matrix(product)
    return Value((product.numel(),), ca.densify(ca.vec(product)))


def power(left: Value, right: Value) -> Value:
    """Modelica's ``^``: of scalars, or of a square matrix and a whole number."""
    if not left.shape:
        return elementwise(_scalar_power, left, right)
    result = from_matrix(ca.SX.eye(left.shape[0]))
    for _ in range(int(right.number())):
        result = multiply(result, left)
    return result


def _scalar_power(base: ca.SX, exponent: ca.SX) -> ca.SX:
    # Small whole exponents as products: exact, fast, and differentiable at zero in C.
    if exponent.is_constant() and float(exponent) in (2.0, 3.0, 4.0):
        square = base * base
        return {2: square, 3: square * base, 4: square * square}[int(float(exponent))]
    return base**exponent


def concatenate(dimension: int, parts: Sequence[Value]) -> Value:
    """Join arrays along a dimension counted from 1, after promoting them to matrices."""
    matrices = [_promote(part) for part in parts]
    join = ca.vertcat if dimension == 1 else ca.horzcat
    return from_matrix(join(*matrices))


def _promote(part: Value) -> ca.SX:
    if len(part.shape) == 2:
        return part.matrix()
    return part.data  # scalars and vectors are columns


def cross(left: Value, right: Value) -> Value:
    """Vector product in three dimensions."""
    return Value((3,), ca.cross(left.data, right.data))


def reduce(function: Callable[[ca.SX, ca.SX], ca.SX], value: Value) -> Value:
    """Fold all entries by a function of two."""
    entries = value.entries()
    result = entries[0]
    for entry in entries[1:]:
        result = function(result, entry)
    return Value.scalar(result)
