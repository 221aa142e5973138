"""The report: one HTML file with verdict, plots and animation, and a printable version of it."""

from cranebridge.report.html import render, write_report
from cranebridge.report.picture import scene
from cranebridge.report.static import write_static

__all__ = ["render", "scene", "write_report", "write_static"]
