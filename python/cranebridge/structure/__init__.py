"""Differential-algebraic equations: signature, offsets, ranks, conversion, causalisation."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.structure import causalize
    from cranebridge.structure.analysis import Analysis, UnreachableError, analyse_dae, signature_of
    from cranebridge.structure.assignment import best_assignment, strong_components
    from cranebridge.structure.conversion import (
        Combination,
        NotConvertedError,
        convert,
        differentiations,
    )
    from cranebridge.structure.dae import SIGNAL, VARIABLE, Dae, DerivativeSymbols, rows
    from cranebridge.structure.determined import determined_variables
    from cranebridge.structure.differentiation import (
        DifferentiatedDae,
        Order,
        differentiated,
        unmatched,
    )
    from cranebridge.structure.dummy_derivatives import basis_columns
    from cranebridge.structure.lowering import lower, needed_signals
    from cranebridge.structure.pryce import ABSENT, offsets, transversal
    from cranebridge.structure.random_states import Start, generic_start, uniform
    from cranebridge.structure.ranks import is_regular, numerical_rank, scales
else:
    __getattr__, __dir__ = front(__name__)
