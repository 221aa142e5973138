"""Code written from CasADi functions and tables, for control and delivery."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.emit.c_code import (
        SINGLE_LARGEST,
        SINGLE_SMALLEST,
        Precision,
        digits,
        emit_function,
        identifier,
        literal,
    )
    from cranebridge.emit.enumeration import Status, enumerators
    from cranebridge.emit.graph import (
        FORMULAS,
        MATH_FUNCTIONS,
        OPERANDS,
        RELATIONS,
        Compute,
        Constant,
        Read,
        Write,
        applied,
        interpret,
        steps,
    )
    from cranebridge.emit.st_code import Statements, emit_statements
    from cranebridge.emit.structured_text import listed, number, numbers
    from cranebridge.emit.template import Value, filled
else:
    __getattr__, __dir__ = front(__name__)
