#ifndef FILLED
#include "example.h"
#endif
#include INCLUDE_

typedef table_real real;

#define NODES NODES_
#define SIGNALS table_SIGNALS

const real table_begin = BEGIN_;
const real table_duration = DURATION_;

/* The controller's cycle, s. Nodes are its multiples and the knots of the path; a knot stands
   twice, because rates jump there. */
static const real cycle = CYCLE_;

static const real time_of[NODES] = {
TIMES_
};

static const real value_of[NODES][SIGNALS] = {
VALUES_
};

static const real rate_of[NODES][SIGNALS] = {
RATES_
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

int table_at(real t, real signals[table_SIGNALS])
{
    int status = table_MOVING, node, i;
    real length, x, y, f0, f1, g0, g1;
    if (t != t) return table_BAD_TIME;
    if (t < time_of[0]) {
        t = time_of[0];
        status = table_EARLY;
    }
    if (t >= time_of[NODES - 1]) {
        t = time_of[NODES - 1];
        status = table_DONE;
    }
    node = node_of(t);
    length = time_of[node + 1] - time_of[node];
    x = (t - time_of[node]) / length;
    y = ONE_ - x;
    f0 = y * y * (ONE_ + x + x);
    f1 = x * x * (ONE_ + y + y);
    g0 = length * x * y * y;
    g1 = -length * x * x * y;
    for (i = 0; i < SIGNALS; i++)
        signals[i] = f0 * value_of[node][i] + f1 * value_of[node + 1][i]
                   + g0 * rate_of[node][i] + g1 * rate_of[node + 1][i];
    return status;
}
