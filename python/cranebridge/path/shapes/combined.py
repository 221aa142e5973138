"""Paths put together from parts that each give some of the outputs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cranebridge.errors import InputError
from cranebridge.path.base import Break, FloatArray, Path, Phase, Side


@dataclass(frozen=True)
class Combined(Path):
    """Parts that run at the same time, stacked in the order of `outputs`.

    Attributes
    ----------
    parts : tuple of Path
        Together they give every output exactly once. Shorter ones rest at their goal.
    """

    parts: tuple[Path, ...]

    def __post_init__(self) -> None:
        given = [name for part in self.parts for name in part.outputs]
        if sorted(given) != sorted(self.outputs):
            raise ValueError(f"parts give the outputs {given}, wanted are {list(self.outputs)}")
        for part in self.parts:
            if part.moving_ends[1] and part.duration != self.duration:
                raise InputError(
                    f"the path of {', '.join(part.outputs)} ends in motion after "
                    f"{part.duration:g} s, but the whole path takes {self.duration:g} s: let it "
                    "end at rest, or with the others"
                )

    @property
    def duration(self) -> float:
        """The longest duration of a part [s]."""
        return max(part.duration for part in self.parts)

    @cached_property
    def knots(self) -> tuple[float, ...]:
        """The knots of all parts."""
        return tuple(sorted({t for part in self.parts for t in part.knots}))

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases of the parts that move, or one phase if these differ."""
        moving = {p.phases for p in self.parts if any(p.breaks(name) for name in p.outputs)}
        if len(moving) == 1:
            return moving.pop()
        return (("motion" if moving else "rest", 0.0, self.duration),)

    @property
    def moving_ends(self) -> tuple[bool, bool]:
        """Whether a part starts or ends in motion."""
        starts, ends = zip(*(part.moving_ends for part in self.parts), strict=True)
        return any(starts), any(ends)

    @property
    def notes(self) -> tuple[str, ...]:
        """Those of the parts."""
        return tuple(note for part in self.parts for note in part.notes)

    def breaks(self, output: str) -> tuple[Break, ...]:
        """Return the breaks of the part that gives the output; see `Path.breaks`."""
        return self.part_of(output).breaks(output)

    def part_of(self, output: str) -> Path:
        """Return the part that gives an output, parts of parts looked at."""
        self._row(output)
        part = next(part for part in self.parts if output in part.outputs)
        return part.part_of(output) if isinstance(part, Combined) else part

    def _evaluate(self, t: FloatArray, order: int, side: Side) -> FloatArray:
        out = np.empty((order + 1, len(self.outputs), len(t)))
        for part in self.parts:
            rows = [self.outputs.index(name) for name in part.outputs]
            out[:, rows] = part.derivatives(t, order, side)
        return out


def replaced(path: Path, by: Path) -> Combined:
    """Return a path of which another, of the same duration, gives some outputs in its place."""
    parts = path.parts if isinstance(path, Combined) else (path,)
    kept = [part for part in parts if not set(part.outputs) & set(by.outputs)]
    given = [name for part in kept for name in part.outputs]
    own = [name for name in path.outputs if name not in given]
    others = [by.part_of(name) if isinstance(by, Combined) else by for name in own]
    return Combined(path.outputs, (*kept, *others))
