"""Fixtures of the delivery tests."""

from generator_fixtures import built, compile_c, generator, moving, solved, started

__all__ = ["built", "compile_c", "generator", "moving", "solved", "started"]
