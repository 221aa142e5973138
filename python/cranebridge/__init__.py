"""Cranebridge: from a crane's Modelica model to a verified feedforward."""

__version__ = "0.1.0"
