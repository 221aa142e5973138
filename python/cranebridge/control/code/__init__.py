"""A controller in tables, and the C and Structured Text that is made of it."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.control.code.controller import (
        Channel,
        Controller,
        Schedule,
        controller_of,
        faded_law,
        thinned_law,
    )
    from cranebridge.control.code.controller_c import (
        controller_sources,
        controller_values,
        row,
        table,
    )
    from cranebridge.control.code.controller_st import controller_block
    from cranebridge.control.code.estimates import FORCE, PARAMETER, estimates_of
    from cranebridge.control.code.observer_st import observer_text
    from cranebridge.control.code.status import PLANNED, TABLED
else:
    __getattr__, __dir__ = front(__name__)
