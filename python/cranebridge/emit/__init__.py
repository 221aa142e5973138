"""Code written from CasADi functions and tables, for control and delivery."""

from cranebridge.emit.c_code import Precision, digits, emit_function, identifier, literal
from cranebridge.emit.c_table import c_sources
from cranebridge.emit.structured_text import function_block

__all__ = [
    "Precision",
    "c_sources",
    "digits",
    "emit_function",
    "function_block",
    "identifier",
    "literal",
]
