"""The report: one HTML file with verdict, plots and animation, and a printable version of it."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.report.animation import scene
    from cranebridge.report.card import Card, Rows
    from cranebridge.report.files import put, require_target
    from cranebridge.report.html import render, render_animation, render_learned, write_report
    from cranebridge.report.learned import learned_part
    from cranebridge.report.page_values import curve_data, encode, page_data
    from cranebridge.report.shown import ShownMotion, shown_result
    from cranebridge.report.static import draw_panel, write_static
else:
    __getattr__, __dir__ = front(__name__)
