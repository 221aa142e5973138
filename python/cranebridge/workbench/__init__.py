"""The workbench: a page, served from this machine only, that an engineer works in."""

from cranebridge.workbench.serving import serve

__all__ = ["serve"]
