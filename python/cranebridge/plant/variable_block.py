"""Variables that are read or set together, of whatever numerical type; in the child process.

On our side all values are floats. A variable is named by its value reference alone if it is a
Float64, otherwise by (value reference, type): in FMI 2 the same reference may stand for a real and
for an integer variable.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Reference = int | Sequence[Any]

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
class Group:
    """Variables of one type within a block; `positions` are their places in it."""

    kind: str
    positions: tuple[int, ...]
    references: tuple[int, ...]


class Block:
    """Variables and memory for their values, as doubles.

    Attributes
    ----------
    values, address
        The memory and where it is.
    plain : bool
        All variables are Float64: they are read and set without a copy.
    groups : tuple of Group
        The variables by type.
    """

    def __init__(self, references: Sequence[Reference]) -> None:
        pairs = [
            (r, "Float64") if isinstance(r, int) else (int(r[0]), str(r[1])) for r in references
        ]
        self.size = len(pairs)
        self.values: Any = (ctypes.c_double * self.size)()
        self.address = ctypes.addressof(self.values)
        kinds = dict.fromkeys(kind for _, kind in pairs)
        self.groups = tuple(
            Group(
                kind,
                tuple(i for i, pair in enumerate(pairs) if pair[1] == kind),
                tuple(reference for reference, other in pairs if other == kind),
            )
            for kind in kinds
        )
        self.plain = all(kind == "Float64" for kind in kinds)
        array = ctypes.c_uint * self.size
        self._own = array(*(reference for reference, _ in pairs))
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
