"""Variables that are read or set together, of whatever numerical type; in the child process.

On our side all values are floats. A scalar is named by its value reference alone if it is a
Float64, otherwise by (value reference, type): in FMI 2 the same reference may stand for a real and
for an integer variable. An element of an array is (value reference, type, element, size): FMI reads
and sets arrays as a whole only.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from cranebridge.plant.protocol import VariableReference


class _Place(NamedTuple):
    """One number: which variable, and which of its values."""

    reference: int
    kind: str
    element: int
    size: int


def _place(reference: VariableReference) -> _Place:
    if isinstance(reference, int):
        return _Place(reference, "Float64", 0, 1)
    number, kind, *where = reference
    element, size = where or (0, 1)
    return _Place(int(number), str(kind), int(element), int(size))


C_TYPES: dict[str, Any] = {
    "Float32": ctypes.c_float,
    "Float64": ctypes.c_double,
    "Boolean": ctypes.c_bool,
    **{
        f"{sign}Int{bits}": getattr(ctypes, f"c_{sign.lower()}int{bits}")
        for sign in ("", "U")
        for bits in (8, 16, 32, 64)
    },
}
# Types and calls of FMI 2 in the words of FMI 3; its Booleans are integers.
FMI2_CALLS = {"Float64": "Real", "Int32": "Integer", "Boolean": "Boolean"}
FMI2_TYPES = {"Float64": ctypes.c_double, "Int32": ctypes.c_int, "Boolean": ctypes.c_int}


@dataclass(frozen=True)
class TypeGroup:
    """Variables of one type within a block: what one FMI call reads or sets.

    Attributes
    ----------
    kind : str
        Their type.
    references : tuple of int
        Value references, in the order of the call: nValueReferences of them.
    sizes : tuple of int
        How many values each of them has; their sum is nValues. All are 1 without arrays.
    positions : tuple of int
        Places in the block of the values that are wanted.
    places : tuple of int
        Where each of these is among the values of the call. With scalars alone 0, 1, 2, ...
    """

    kind: str
    references: tuple[int, ...]
    sizes: tuple[int, ...]
    positions: tuple[int, ...]
    places: tuple[int, ...]

    @property
    def count(self) -> int:
        """Number of values of the call."""
        return sum(self.sizes)

    @property
    def is_whole(self) -> bool:
        """Whether the block has every value of the call: none of its arrays in part only."""
        return len(set(self.places)) == self.count


def _group(kind: str, entries: Sequence[tuple[int, _Place]]) -> TypeGroup:
    references: list[int] = []
    sizes: list[int] = []
    places: list[int] = []
    first: dict[int, int] = {}
    total = 0
    for _, place in entries:
        # A scalar stands as often as it is named, an array once.
        begin = total if place.size == 1 else first.setdefault(place.reference, total)
        places.append(begin + place.element)
        if begin == total:
            references.append(place.reference)
            sizes.append(place.size)
            total += place.size
    positions = tuple(position for position, _ in entries)
    return TypeGroup(kind, tuple(references), tuple(sizes), positions, tuple(places))


@lru_cache(maxsize=64)  # the same in each run of a campaign
def _groups(references: tuple[VariableReference, ...]) -> tuple[TypeGroup, ...]:
    """Return variables by type."""
    places = [_place(reference) for reference in references]
    return tuple(
        _group(kind, [(i, place) for i, place in enumerate(places) if place.kind == kind])
        for kind in dict.fromkeys(place.kind for place in places)
    )


class VariableBlock:
    """Numbers that are read or set together, and memory for them, as doubles.

    Attributes
    ----------
    size : int
        How many numbers.
    values, address
        The memory and where it is.
    groups : tuple of TypeGroup
        The variables by type.
    plain : bool
        The numbers are the values of one call for Float64, in its order: they are read and set
        without a copy.
    references : int
        Number of value references of that call; `size` unless there are arrays.
    """

    def __init__(self, references: Sequence[VariableReference]) -> None:
        self.size = len(references)
        self.values: Any = (ctypes.c_double * self.size)()
        self.address = ctypes.addressof(self.values)
        self.groups = _groups(tuple(references))
        self.plain = not self.groups or (
            [group.kind for group in self.groups] == ["Float64"]
            and self.groups[0].places == tuple(range(self.groups[0].count))
        )
        own = [reference for group in self.groups for reference in group.references]
        self.references = len(own)
        array = ctypes.c_uint * self.references
        self._own = array(*own)
        self._lent = array()
        self._bytes = ctypes.sizeof(self._own)
        self._lent_address = ctypes.addressof(self._lent)
        self._own_address = ctypes.addressof(self._own)

    @property
    def references_address(self) -> int:
        """Where a copy of the references is: an FMU may write into what it should only read."""
        ctypes.memmove(self._lent_address, self._own_address, self._bytes)
        return self._lent_address


def is_whole(kind: str) -> bool:
    """Whether a type takes whole numbers only."""
    return not kind.startswith("Float")
