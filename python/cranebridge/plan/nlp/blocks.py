"""Programs whose rows see one or two neighbouring pieces: chains, with steps piece by piece.

The variables stand as a vector of all pieces, the durations (the *border*) and a zero that stands
for what is given, each in units of its size. Joints between pieces are *links*: the first variables
of a piece follow from the piece before. All sums and the elimination are in C (`c/chain.c`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse.kernels import best_lanes, compile_source, compiles
from cranebridge.plan.nlp.group import Index, RowGroup, Rows
from cranebridge.plan.nlp.legs import Leg

Array = NDArray[np.float64]
Places = NDArray[np.int_]

_CHAIN = Path(__file__).with_name("c") / "chain.c"
_FLAGS = ("-O3", "-fPIC", "-shared", "-fno-math-errno", "-ffp-contract=off")


class _ChainStruct(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_long) for name in ("count", "size", "states", "borders")),
        *((name, ctypes.c_void_p) for name in ("links", "linked", "fixed")),
    )


class _BlocksStruct(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_void_p) for name in ("own", "next", "border", "corner"))


class _FactorsStruct(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_void_p) for name in ("root", "tied", "last"))


class _BatchStruct(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_long) for name in ("times", "rows", "size", "columns", "entries")),
        *((name, ctypes.c_void_p) for name in ("matrix", "base", "places", "from", "to")),
    )


@dataclass(eq=False)
class RowBatch:
    """Groups with the same rows, evaluated together.

    Attributes
    ----------
    groups : list of RowGroup
        Which.
    rows : Rows
        Theirs.
    w : numpy.ndarray
        The unknowns that were found last.
    cost : numpy.ndarray or None
        Weights of a term of the objective, (times, 1).
    chosen : numpy.ndarray
        Positions in the batch, (times * rows,), of the rows that count as constraints.
    numbers : numpy.ndarray
        Positions of these among all constraints of the program.
    matrix, base, places : numpy.ndarray
        z = base + matrix v[places] at each time.
    """

    groups: list[RowGroup]
    rows: Rows
    w: Array
    cost: Array | None
    chosen: Index
    numbers: Index
    matrix: Array
    base: Array
    places: Places

    def __post_init__(self) -> None:
        self._entries = np.array(np.nonzero((self.matrix != 0.0).any(axis=0)), dtype=np.int_)
        self._struct = _BatchStruct(
            *(len(self.base), self.rows.count, *self.matrix.shape[1:], self._entries.shape[1]),
            *_addresses((self.matrix, self.base, self.places, *self._entries)),
        )
        self.struct = ctypes.addressof(self._struct)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of times and rows."""
        return len(self.base), self.rows.count

    def keep(self) -> None:
        """Hand the unknowns back to the groups."""
        begin = 0
        for group in self.groups:
            group.w = self.w[begin : begin + len(group.base)]
            begin += len(group.base)


class Chain:
    """The legs of a program as one chain.

    Parameters
    ----------
    legs : sequence of Leg
        With pieces of one degree.
    groups : sequence of RowGroup
        All of the program.
    x : numpy.ndarray
        Variables of the program, whose sizes count.
    """

    def __init__(self, legs: Sequence[Leg], groups: Sequence[RowGroup], x: Array) -> None:
        pieces = [leg.variables.reshape(len(leg.variables), -1) for leg in legs]
        own = np.concatenate(pieces)
        self.count, self.size = own.shape
        self.states = (legs[0].smoothness + 1) * legs[0].variables.shape[2]
        self.borders = len(legs)
        durations = [leg.duration for leg in legs]
        self._variables = np.concatenate([own.ravel(), durations]).astype(np.int_)
        self._free = self._variables >= 0
        # where each variable of the program stands; the last one is none
        self._places = np.full(x.size + 1, self._variables.size, dtype=np.int_)
        self._places[self._variables[self._free]] = np.flatnonzero(self._free)
        sizes = _sizes(legs, x)
        self._sizes = np.concatenate([np.tile(sizes, self.count), np.abs(x[durations]), [1.0]])
        self.state_sizes = sizes[: self.states]
        self._fixed = np.ascontiguousarray(own < 0, dtype=np.uint8)
        self._linked = np.zeros(self.count, dtype=np.uint8)
        self._links = np.zeros((self.count, self.states, self.size))
        self._constants = np.zeros((self.count, self.states))
        self.link_numbers = np.full((self.count, self.states), -1)
        self.batches = self._take(groups)
        shape, wide = (self.count, self.size, self.size), self.size + self.borders
        shapes = shape, shape, (self.count, self.size, self.borders), (self.borders,) * 2
        self._sums, self._matrices = ([np.zeros(one) for one in shapes] for _ in range(2))
        self._factors = [
            np.zeros(shape),
            np.zeros((self.count, self.size, wide)),
            np.zeros((self.borders, self.borders)),
        ]
        constants = (self._links, self._linked, self._fixed)
        self._c_chain = _ChainStruct(
            *(self.count, self.size, self.states, self.borders), *_addresses(constants)
        )
        self._c_sums = _BlocksStruct(*_addresses(self._sums))
        self._c_blocks = _BlocksStruct(*_addresses(self._matrices))
        self._c_factors = _FactorsStruct(*_addresses(self._factors))
        self._eliminated = [
            ctypes.addressof(one) for one in (self._c_chain, self._c_blocks, self._c_factors)
        ]
        code = chain_code()
        assert code is not None
        self._code = code

    def _take(self, groups: Sequence[RowGroup]) -> list[RowBatch]:
        """Sort the groups into links and batches."""
        alike: dict[tuple[int, int, bool], list[tuple[RowGroup, Index]]] = {}
        number = 0
        for group in groups:
            mine = np.full(group.chosen.shape, -1)
            if group.cost is None:
                count = int(np.count_nonzero(group.chosen))
                mine[group.chosen] = number + np.arange(count)
                number += count
            if group.links:
                following = self._places[group.columns[:, self.size]] // self.size
                self._linked[following] = 1
                sizes = self._sizes[: self.size] / self.state_sizes[:, None]
                self._links[following] = group.matrix[:, :, : self.size] * sizes
                self._constants[following] = group.base / self.state_sizes
                self.link_numbers[following] = mine
            else:
                key = id(group.rows), group.columns.shape[1], group.cost is None
                alike.setdefault(key, []).append((group, mine))
        return [self._batch(*zip(*several, strict=True)) for several in alike.values()]

    def _batch(self, groups: tuple[RowGroup, ...], numbers: tuple[Index, ...]) -> RowBatch:
        places = self._places[np.concatenate([group.columns for group in groups])]
        matrix = np.concatenate([group.matrix for group in groups])
        numbered = np.concatenate(numbers).ravel()
        chosen = np.flatnonzero(numbered >= 0)
        costs = [group.cost for group in groups if group.cost is not None]
        return RowBatch(
            list(groups),
            groups[0].rows,
            np.concatenate([group.w for group in groups]),
            np.concatenate(costs)[:, None] if costs else None,
            chosen,
            numbered[chosen],
            np.ascontiguousarray(matrix * self._sizes[places][:, None, :]),
            np.ascontiguousarray(np.concatenate([group.base for group in groups]), dtype=float),
            np.ascontiguousarray(places),
        )

    def spread(self, x: Array) -> Array:
        """Return variables of the program as a vector of the chain."""
        v = np.zeros(self._variables.size + 1)
        v[:-1][self._free] = x[self._variables[self._free]]
        return np.asarray(v / self._sizes)

    def gathered(self, v: Array) -> Array:
        """Return a vector of the chain as variables of the program."""
        x = np.zeros(self._places.size - 1)
        x[self._variables[self._free]] = (v * self._sizes)[:-1][self._free]
        return x

    def slopes(self, x: Array) -> Array:
        """Return derivatives by the variables of the program as those by a vector's numbers."""
        return np.asarray(self.spread(x) * self._sizes**2)

    @property
    def moving(self) -> NDArray[np.bool_]:
        """Which numbers of a vector are variables."""
        return np.append(self._free, False)

    @property
    def border(self) -> slice:
        """Where the durations stand in a vector."""
        return slice(self.count * self.size, self.count * self.size + self.borders)

    @property
    def border_sizes(self) -> Array:
        """Sizes of the durations."""
        return self._sizes[self.border]

    def pieces(self, v: Array) -> Array:
        """Return the variables of all pieces."""
        return v[: self.count * self.size].reshape(self.count, self.size)

    def link_residuals(self, v: Array) -> Array:
        """Return by how much links do not hold: what follows from a piece less the next one."""
        own, found = self.pieces(v), np.zeros((self.count, self.states))
        reached = np.einsum("kij,kj->ki", self._links[1:], own[:-1]) + self._constants[1:]
        linked = self._linked[1:, None]
        found[1:] = np.where(linked, reached - own[1:, : self.states], 0.0)
        return found

    def times_multipliers(self, y_links: Array) -> Array:
        """Return what multipliers of the links contribute to the gradient of the Lagrangian."""
        v = np.zeros(self._variables.size + 1)
        own = self.pieces(v)
        own[:-1] += np.einsum("kij,ki->kj", self._links[1:], y_links[1:])
        own[:, : self.states] -= y_links
        return v

    def arguments(self, batch: RowBatch, v: Array) -> Array:
        """Return z at the times of a batch."""
        z = np.empty(batch.base.shape)
        self._code.cb_see(batch.struct, v.ctypes.data, z.ctypes.data)
        return z

    def along(self, batch: RowBatch, slopes: Array, v: Array) -> Array:
        """Return by how much the rows of a batch change along a direction."""
        change = np.empty(batch.shape)
        self._code.cb_along(batch.struct, slopes.ctypes.data, v.ctypes.data, change.ctypes.data)
        return change

    def add_gradient(self, batch: RowBatch, slopes: Array, weights: Array, gradient: Array) -> None:
        """Add the gradient of the weighted sum of a batch's rows."""
        self._code.cb_add_gradient(
            batch.struct, slopes.ctypes.data, weights.ctypes.data, gradient.ctypes.data
        )

    def clear(self) -> None:
        """Forget all second derivatives."""
        for matrix in self._sums:
            matrix[:] = 0.0

    def add_curvature(
        self, batch: RowBatch, curved: Array | None, slopes: Array, sigma: Array | None
    ) -> None:
        """Add second derivatives of a batch: by z, and of squares of its rows with weights."""
        self._code.cb_add_blocks(
            ctypes.addressof(self._c_chain),
            batch.struct,
            None if curved is None else curved.ctypes.data,
            slopes.ctypes.data,
            None if sigma is None else sigma.ctypes.data,
            ctypes.addressof(self._c_sums),
        )

    def add_border(self, sigma: Array) -> None:
        """Add second derivatives by single durations."""
        self._sums[3][np.diag_indices(self.borders)] += sigma

    def factor(self, regularisation: float) -> bool:
        """Eliminate all pieces, with so much added to the diagonal.

        Return whether the inertia is that of a minimum.
        """
        for kept, matrix in zip(self._sums, self._matrices, strict=True):
            np.copyto(matrix, kept)
        if regularisation:
            own, corner = self._matrices[0], self._matrices[3]
            own[:, np.arange(self.size), np.arange(self.size)] += regularisation
            corner[np.diag_indices(self.borders)] += regularisation
        return bool(self._code.cb_factor(*self._eliminated))

    def step(self, gradient: Array, link_residuals: Array) -> tuple[Array, Array]:
        """Return the step to the minimum, and the multipliers of the links there."""
        changed, step = gradient.copy(), np.zeros(gradient.size)
        y_links = np.zeros((self.count, self.states))
        link_residuals = np.ascontiguousarray(link_residuals)
        arrays = _addresses((link_residuals, changed, step, y_links))
        self._code.cb_step(*self._eliminated, *arrays)
        return step, y_links


def _sizes(legs: Sequence[Leg], x: Array) -> Array:
    """Return the sizes of the variables of a piece, by how much they change along the path."""
    pieces = np.concatenate([leg.pieces(x) for leg in legs])
    spans = np.ptp(pieces, axis=0).max(axis=1)
    spans = np.maximum(spans, 1e-3 * spans.max())
    spans[spans == 0.0] = 1.0
    return np.repeat(spans, pieces.shape[2])


def _addresses(arrays: Sequence[NDArray[np.generic]]) -> list[int]:
    return [array.ctypes.data for array in arrays]


@cache
def chain_code() -> ctypes.CDLL | None:
    """Return the compiled sums and eliminations; None where nothing can be compiled."""
    if not compiles("auto"):
        return None
    source = _CHAIN.read_text(encoding="utf-8")
    flag = best_lanes()[1]
    library = compile_source("chain", source, "auto", (*_FLAGS, *((flag,) if flag else ())))
    if library is None:
        return None
    code = ctypes.CDLL(str(library))
    counts = {"cb_see": 3, "cb_along": 4, "cb_add_gradient": 4, "cb_add_blocks": 6}
    for name, count in (counts | {"cb_factor": 3, "cb_step": 7}).items():
        function = getattr(code, name)
        function.argtypes, function.restype = (ctypes.c_void_p,) * count, None
    code.cb_factor.restype = ctypes.c_int
    return code
