"""C99 of a motion: a table with cubic Hermite interpolation, no allocation, no library."""

from __future__ import annotations

from collections.abc import Sequence
from string import Template

import numpy as np

from cranebridge.emit.c_code import Precision, identifier, literal
from cranebridge.inverse import Samples, Signal

_HEADER = """\
#ifndef ${GUARD}_H
#define ${GUARD}_H

#ifdef __cplusplus
extern "C" {
#endif

typedef $TYPE ${P}_real;

/* Positions in the array of signals. */
enum {
$INDICES
    ${P}_SIGNALS = $COUNT
};

/* What ${P}_at returns. */
enum {
    ${P}_MOVING = 0,
    ${P}_DONE = 1,     /* at or after the end: the last values */
    ${P}_EARLY = 2,    /* before the start: the first values */
    ${P}_BAD_TIME = -1 /* not a number: the array is left as it is */
};

/* When the motion begins (below zero: before the path does) and when it ends, s. */
extern const ${P}_real ${P}_begin;
extern const ${P}_real ${P}_duration;

/* All signals at the time t in s after the start of the path, SI units. */
int ${P}_at(${P}_real t, ${P}_real signals[${P}_SIGNALS]);

#ifdef __cplusplus
}
#endif

#endif
"""

_SOURCE = """\
#include "$INCLUDE"

typedef ${P}_real real;

#define NODES $NODES
#define SIGNALS ${P}_SIGNALS

const real ${P}_begin = $BEGIN;
const real ${P}_duration = $DURATION;

/* The controller's cycle, s. Nodes are its multiples and the knots of the path; a knot stands
   twice, because rates jump there. */
static const real cycle = $CYCLE;

static const real time_of[NODES] = {
$TIMES
};

static const real value_of[NODES][SIGNALS] = {
$VALUES
};

static const real rate_of[NODES][SIGNALS] = {
$RATES
};

/* The node before a time within the table. */
static int node_of(real t)
{
    int node = (int)((t - time_of[0]) / cycle);
    if (node > NODES - 2) node = NODES - 2;
    /* at most as many steps as there are knots */
    while (node > 0 && t < time_of[node]) node--;
    while (node < NODES - 2 && t >= time_of[node + 1]) node++;
    return node;
}

int ${P}_at(real t, real signals[${P}_SIGNALS])
{
    int status = ${P}_MOVING, node, i;
    real length, x, y, f0, f1, g0, g1;
    if (t != t) return ${P}_BAD_TIME;
    if (t < time_of[0]) {
        t = time_of[0];
        status = ${P}_EARLY;
    }
    if (t >= time_of[NODES - 1]) {
        t = time_of[NODES - 1];
        status = ${P}_DONE;
    }
    node = node_of(t);
    length = time_of[node + 1] - time_of[node];
    x = (t - time_of[node]) / length;
    y = $ONE - x;
    f0 = y * y * ($ONE + x + x);
    f1 = x * x * ($ONE + y + y);
    g0 = length * x * y * y;
    g1 = -length * x * x * y;
    for (i = 0; i < SIGNALS; i++)
        signals[i] = f0 * value_of[node][i] + f1 * value_of[node + 1][i]
                   + g0 * rate_of[node][i] + g1 * rate_of[node + 1][i];
    return status;
}
"""


def c_sources(
    samples: Samples, signals: Sequence[Signal], stem: str, cycle: float, precision: Precision
) -> tuple[str, str]:
    """Return header and source of a table with its rates.

    Parameters
    ----------
    samples : Samples
        The motion, with both sides of the knots.
    signals : sequence of Signal
        What the table has.
    stem : str
        File name without suffix; all names in C begin with it.
    cycle : float
        The controller's cycle [s].
    precision : {"double", "single"}
        Floating-point type.
    """
    prefix = identifier(stem)
    times = samples.time
    values = np.column_stack([samples.value(signal) for signal in signals])
    rates = np.column_stack([samples.rate(signal) for signal in signals])
    indices = (
        f"    {prefix}_{identifier(s.title)} = {i}, /* {s.title} [{s.unit}]: {s.meaning} */"
        for i, s in enumerate(signals)
    )
    fill = {
        "P": prefix,
        "GUARD": prefix.upper(),
        "TYPE": "double" if precision == "double" else "float",
        "INDICES": "\n".join(indices),
        "COUNT": str(len(signals)),
        "INCLUDE": f"{stem}.h",
        "NODES": str(times.size),
        "BEGIN": literal(times[0], precision),
        "DURATION": literal(times[-1], precision),
        "CYCLE": literal(cycle, precision),
        "ONE": literal(1.0, precision),
        "TIMES": _rows(times[:, None], precision, braces=False),
        "VALUES": _rows(values, precision),
        "RATES": _rows(rates, precision),
    }
    return Template(_HEADER).substitute(fill), Template(_SOURCE).substitute(fill)


def _rows(values: np.ndarray, precision: Precision, braces: bool = True) -> str:
    rows = (", ".join(literal(x, precision) for x in row) for row in values.tolist())
    return ",\n".join(f"    {{{row}}}" if braces else f"    {row}" for row in rows)
