"""What ``[solve]`` can choose from, a sentence each: schema, help, template and docs read it."""

from __future__ import annotations

from collections.abc import Mapping

METHODS: Mapping[str, str] = {
    "index1": "algebraic, exact to rounding at every time; for flat cranes",
    "index3": "minimal extension once, then steps in time; also for cranes with internal dynamics",
    "inversion": "stable inversion, exact; for cranes with internal dynamics, whose controls can "
    "begin before the path and end after it",
    "projection": "projected equations of motion, steps in time; an independent check",
}
"""Methods of solution."""

REFUSED: Mapping[str, str] = {
    "energy-momentum": "an energy-momentum scheme on the servo constraints themselves, without "
    "index reduction, has control forces that grow as the step shrinks (see `cranebridge study "
    "integrators`); use index1, inversion, index3 or projection",
}
"""Methods that do not work on servo constraints, and why."""

SCHEMES: Mapping[str, str] = {
    "euler": "backward Euler, controls of order 1",
    "radau5": "Radau IIA with three stages, controls of order 2",
    "radau7": "Radau IIA with four stages, controls of order 3",
}
"""How index3 and projection step in time; the methods themselves are in `index3.SCHEMES`."""

COORDINATES: Mapping[str, str] = {
    "redundant": "the crane's own coordinates with all constraints",
    "dependent": "the crane's own coordinates, constraints projected too",
    "minimal": "as few as degrees of freedom; overhead and rotary crane",
}
"""In which coordinates the projection is made."""

COMPILE: Mapping[str, str] = {
    "auto": "compile the functions where a C compiler is found",
    "always": "compile them, and stop if there is no C compiler",
    "never": "evaluate them without a compiler",
}
"""Whether the functions of index1 are compiled."""
