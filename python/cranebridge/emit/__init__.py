"""Code written from CasADi functions and tables, for control and delivery."""

from cranebridge.emit.c_code import Precision, digits, emit_function, identifier, literal

__all__ = ["Precision", "digits", "emit_function", "identifier", "literal"]
