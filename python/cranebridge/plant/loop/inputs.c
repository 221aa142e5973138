/* Inputs over time: piecewise polynomials, and the controllers of drives around them. */

#include "loop.h"

#include <math.h>

enum { NEAR = 32 };

/* Largest i with breakpoint[i] <= t (or < t), from 0 to the last interval. */
static size_t interval_of(const Signals *s, double t, int before)
{
    size_t low = 0, high = s->intervals;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        const double x = s->breakpoint[middle];
        if (before ? x < t : x <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Evaluate from now on in [begin, end], with one-sided values at both ends: at the end of a held
   sample the next one must not be seen, whatever the rounding of time. */
static void window(Signals *s, double begin, double end)
{
    if (!s->signals) return;
    s->low = interval_of(s, begin, 0);
    s->high = interval_of(s, end, 1);
    if (s->high < s->low) s->high = s->low;
    s->last = s->low;
}

static void evaluate(Signals *s, double t, double *row)
{
    const size_t next = s->intervals * s->signals;
    const double *x = s->breakpoint, *first;
    double since;
    size_t i = s->last, j, p;
    int near;

    if (!s->signals) return;
    t = fmin(fmax(t, x[0]), x[s->intervals]);
    /* Mostly the same interval as before or one close by. */
    for (near = 0; near < NEAR && i < s->high && x[i + 1] <= t; ++near) ++i;
    for (near = 0; near < NEAR && i > s->low && x[i] > t; ++near) --i;
    if ((i < s->high && x[i + 1] <= t) || (i > s->low && x[i] > t)) {
        i = interval_of(s, t, 0);
        if (i < s->low) i = s->low;
        if (i > s->high) i = s->high;
    }
    s->last = i;
    since = t - x[i];
    first = s->coefficient + i * s->signals;
    for (j = 0; j < s->signals; ++j) {
        const double *c = first + j;
        double value = *c;
        for (p = 1; p < s->powers; ++p) {
            c += next;
            value = value * since + *c;
        }
        row[j] = value;
    }
}

/* What the signals may change at a time without a jump: a part of their largest value where their
   intervals begin. */
static double *find_jumps(const Signals *s, double part, double *jump)
{
    const double *c = s->coefficient + (s->powers - 1) * s->intervals * s->signals;
    size_t i, j;

    if (!s->signals) return jump;
    for (i = 0; i < s->intervals; ++i) {
        for (j = 0; j < s->signals; ++j) jump[j] = fmax(jump[j], part * fabs(*c++));
    }
    return jump + s->signals;
}

static void windows(Inputs *in, double begin, double end)
{
    window(&in->control, begin, end);
    window(&in->reference, begin, end);
    window(&in->rate, begin, end);
}

static void all_signals(Inputs *in, double t, double *row)
{
    evaluate(&in->control, t, row);
    evaluate(&in->reference, t, row + in->control.signals);
    evaluate(&in->rate, t, row + in->control.signals + in->reference.signals);
}

/* Goes on to the interval that begins at t; whether an input jumps there. A polynomial that goes on
   smoothly still differs by rounding. */
static int move_inputs(Inputs *in, double t, double end)
{
    const size_t n = in->control.signals + in->reference.signals + in->rate.signals;
    size_t i;
    int jumps = 0;

    all_signals(in, t, in->row);
    windows(in, t, end);
    all_signals(in, t, in->other);
    for (i = 0; i < n; ++i) jumps |= fabs(in->other[i] - in->row[i]) > in->jump[i];
    return jumps;
}

/* Sets inputs; time and states have been set already. Whether the FMU discards. */
static int set_inputs(Loop *l, const Block *block, double t)
{
    Inputs *in = &l->task->inputs;
    double *u = in->row;
    size_t i;

    if (!block->groups) return 0;
    evaluate(&in->control, t, u);
    for (i = 0; i < in->law.plant_inputs; ++i) u[i] += in->law.active[i];
    if (in->drives) {
        const double *r = u + in->control.signals, *rate = r + in->drives, *y = in->y;
        if (get_block(l, &in->measured, in->y)) return 1;
        evaluate(&in->reference, t, u + in->control.signals);
        evaluate(&in->rate, t, u + in->control.signals + in->drives);
        for (i = 0; i < in->drives; ++i) {
            const Drive *d = in->drive + i;
            u[d->column] += d->kp * (r[i] - y[i]) + d->kv * (rate[i] - y[in->drives + i]);
        }
    }
    return set_block(l, block, u);
}

/* The FMU at a point with the inputs of its time; whether it discards. */
static int place(Loop *l, double t, const double *x)
{
    return set_point(l, t, x) || set_inputs(l, &l->task->inputs.continuous, t);
}
