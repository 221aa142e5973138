"""Which functions of C's library CasADi's elementary operations are."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

MATH_FUNCTIONS: Mapping[int, tuple[str, int]] = {
    ca.OP_POW: ("pow", 2),
    ca.OP_CONSTPOW: ("pow", 2),
    ca.OP_SQRT: ("sqrt", 1),
    ca.OP_SIN: ("sin", 1),
    ca.OP_COS: ("cos", 1),
    ca.OP_TAN: ("tan", 1),
    ca.OP_ASIN: ("asin", 1),
    ca.OP_ACOS: ("acos", 1),
    ca.OP_ATAN: ("atan", 1),
    ca.OP_ATAN2: ("atan2", 2),
    ca.OP_SINH: ("sinh", 1),
    ca.OP_COSH: ("cosh", 1),
    ca.OP_TANH: ("tanh", 1),
    ca.OP_EXP: ("exp", 1),
    ca.OP_EXPM1: ("expm1", 1),
    ca.OP_LOG: ("log", 1),
    ca.OP_LOG1P: ("log1p", 1),
    ca.OP_FABS: ("fabs", 1),
    ca.OP_FLOOR: ("floor", 1),
    ca.OP_CEIL: ("ceil", 1),
    ca.OP_FMOD: ("fmod", 2),
    ca.OP_FMIN: ("fmin", 2),
    ca.OP_FMAX: ("fmax", 2),
    ca.OP_HYPOT: ("hypot", 2),
    ca.OP_COPYSIGN: ("copysign", 2),
}
"""Name and number of arguments of each."""
