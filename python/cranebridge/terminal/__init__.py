"""Results as text and tables for the terminal."""

from cranebridge.terminal.checks import show_check, show_fastest
from cranebridge.terminal.crane_equations import show_crane
from cranebridge.terminal.findings import show_diagnosis
from cranebridge.terminal.many_runs import show_campaign, show_learning, show_sweep
from cranebridge.terminal.plans import show_opinions
from cranebridge.terminal.results import show_certificate, show_verified
from cranebridge.terminal.tables import show_names

__all__ = [
    "show_campaign",
    "show_certificate",
    "show_check",
    "show_crane",
    "show_diagnosis",
    "show_fastest",
    "show_learning",
    "show_names",
    "show_opinions",
    "show_sweep",
    "show_verified",
]
