"""Code written from CasADi functions and tables, for control and delivery."""

from cranebridge.emit.c_code import Precision, emit_function, identifier, literal

__all__ = ["Precision", "emit_function", "identifier", "literal"]
