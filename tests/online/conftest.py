"""Fixtures of the tests of what runs on a controller."""

from generator_fixtures import built, compile_c, generator, moving, solved, started

__all__ = ["built", "compile_c", "generator", "moving", "solved", "started"]
