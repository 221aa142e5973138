"""A crane in motion, in a notebook or in a file: a page of its own that loads nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from cranebridge.report import put, require_target


@dataclass(frozen=True)
class Animation:
    """The page of an animation; a notebook shows it below its cell.

    Attributes
    ----------
    name : str
        The scenario's.
    html : str
        The page: one that holds everything and fetches nothing.
    height : int
        Of the frame in a notebook, in pixels.
    """

    name: str
    html: str = field(repr=False)
    height: int = 420

    def _repr_html_(self) -> str:
        # Without allow-same-origin the page cannot reach the notebook around it.
        return (
            f'<iframe title="animation of {escape(self.name)}" sandbox="allow-scripts" '
            f'style="width: 100%; height: {self.height}px; border: 0" '
            f'srcdoc="{escape(self.html)}"></iframe>'
        )

    def save(self, target: str | Path, overwrite: bool = False) -> Path:
        """Write the page to a file that any browser opens; returns the file."""
        file = Path(target)
        require_target(file, overwrite)
        put(file, self.html.encode("utf-8"))
        return file
