"""What is to be expected of a closed loop: poles, margins, and what ropes do."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.control.analysis.frozen import FrozenLoop, LawAndMotion
    from cranebridge.control.analysis.margins import (
        Margins,
        Span,
        is_stable,
        margins_along,
        margins_at,
        poles,
    )
    from cranebridge.control.analysis.observed_loop import ObservedLoop
    from cranebridge.control.analysis.prospects import LoopCheck, check_loop, observed_verdicts
    from cranebridge.control.analysis.slack import slack_notes
else:
    __getattr__, __dir__ = front(__name__)
