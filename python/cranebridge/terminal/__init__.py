"""Results as text and tables for the terminal."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.terminal.checks import show_check, show_fastest
    from cranebridge.terminal.crane_equations import show_crane, show_model
    from cranebridge.terminal.findings import show_diagnosis
    from cranebridge.terminal.many_runs import show_campaign, show_learning, show_sweep
    from cranebridge.terminal.models import show_comparison
    from cranebridge.terminal.plans import show_cross_check
    from cranebridge.terminal.results import show_certificate, show_verified
    from cranebridge.terminal.tables import show_names
else:
    __getattr__, __dir__ = front(__name__)
