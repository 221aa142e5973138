"""The equations of a crane as an engineer writes them."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.twin.printing.equation_text import (
        EquationText,
        equation_texts,
        used_parameters,
    )
else:
    __getattr__, __dir__ = front(__name__)
