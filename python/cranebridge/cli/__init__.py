"""The command line: every verb is one call into `job`, and a way to show its result."""

from cranebridge.cli.application import app, main

__all__ = ["app", "main"]
