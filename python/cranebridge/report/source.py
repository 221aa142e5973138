"""What the report needs to know of a verification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from cranebridge.inverse.feedforward import Feedforward
from cranebridge.limits.verdict import Verdict
from cranebridge.report.bodies import Array


class Tracking(Protocol):
    """The part of a verification's result that is shown; see ``cranebridge.verify``."""

    @property
    def feedforward(self) -> Feedforward:
        """What drove the plant."""

    @property
    def time(self) -> Array:
        """Times in s; they may run past the path's end."""

    @property
    def wanted(self) -> Array:
        """Outputs of the path."""

    @property
    def achieved(self) -> Array:
        """Outputs of the plant."""

    @property
    def error(self) -> Array:
        """Their difference."""

    @property
    def q(self) -> Array:
        """Motion of the plant in the twin's coordinates."""

    @property
    def u(self) -> Array:
        """Controls that were applied."""

    @property
    def ropes(self) -> Array:
        """Rope forces of the plant in N."""

    @property
    def drive_speeds(self) -> Mapping[str, Array]:
        """Speeds of the drives by name."""

    @property
    def powers(self) -> Mapping[str, Array]:
        """Powers of the drives in W by name."""

    @property
    def max_error(self) -> Mapping[str, float]:
        """Largest error of each output."""

    @property
    def rms_error(self) -> Mapping[str, float]:
        """Root mean square of the error of each output."""

    @property
    def residual_swing(self) -> float:
        """What remains after the end, in m."""

    @property
    def budget(self) -> Mapping[str, float | None]:
        """Where the error comes from, in m; None where that is not known."""

    @property
    def energy_balance(self) -> float | None:
        """Change of the plant's energy less the drives' work, relative."""

    @property
    def variants(self) -> Mapping[str, Mapping[str, float]]:
        """Largest error of each output on plants with other parameters, by the plant's name."""

    @property
    def verdicts(self) -> Sequence[Verdict]:
        """Value against limit."""
