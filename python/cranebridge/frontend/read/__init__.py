"""The compiler's dictionary read: variables, expressions and events as CasADi values."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.frontend.read import event_dictionary
    from cranebridge.frontend.read.dae_dictionary import CompiledDae, DaeVariable
    from cranebridge.frontend.read.event_dictionary import names_in_samples
    from cranebridge.frontend.read.switches import (
        HeldQuantity,
        Setting,
        Switches,
        clocks,
        order,
    )
    from cranebridge.frontend.read.values import Value
else:
    __getattr__, __dir__ = front(__name__)
