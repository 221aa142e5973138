"""Curves, and which of them are plotted together."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.report.plots.panels import (
        KINDS,
        Panel,
        PlotCurve,
        all_panels,
        scaled,
        with_limits,
    )
    from cranebridge.report.plots.series import Series, make_series
else:
    __getattr__, __dir__ = front(__name__)
