/* A sampled feedback law: see sampled_law.py, which says what it does and does the same. */

#include "loop.h"

#include <math.h>
#include <string.h>

/* target -= G x, with G of `rows` rows. */
static void subtract_product(double *target, const double *G, const double *x, size_t rows,
                             size_t columns)
{
    size_t i, j;

    for (i = 0; i < rows; ++i) {
        double sum = 0.0;
        for (j = 0; j < columns; ++j) sum += *G++ * x[j];
        target[i] -= sum;
    }
}

/* What a row of a program says, in the order of signal_program.py. */
enum {
    CONSTANT, READ, WRITE,
    ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, ATAN2, NEGATE, SQRT,
    SIN, COS, TAN, ASIN, ACOS, ATAN, EXP, LOG, FABS
};

static double operate(int what, double a, double b)
{
    switch (what) {
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case DIVIDE: return a / b;
    case POWER: return pow(a, b);
    case ATAN2: return atan2(a, b);
    case NEGATE: return -a;
    case SQRT: return sqrt(a);
    case SIN: return sin(a);
    case COS: return cos(a);
    case TAN: return tan(a);
    case ASIN: return asin(a);
    case ACOS: return acos(a);
    case ATAN: return atan(a);
    case EXP: return exp(a);
    case LOG: return log(a);
    default: return fabs(a);
    }
}

/* The signals that are fed back, from the readings. */
static void find_signals(Law *w, double *signal)
{
    const double *row = w->program;
    size_t i;

    for (i = 0; i < w->operations; ++i, row += 5) {
        const int what = (int)row[0];
        const size_t target = (size_t)row[1], first = (size_t)row[2], second = (size_t)row[3];
        if (what == CONSTANT) {
            w->place[target] = row[4];
        } else if (what == READ) {
            w->place[target] = w->reading[first];
        } else if (what == WRITE) {
            signal[target] = w->place[first];
        } else {
            w->place[target] = operate(what, w->place[first], w->place[second]);
        }
    }
}

/* Makes room for `fresh` values at the begin of `size` ones and puts them there. */
static void shift_in(double *values, size_t size, const double *fresh, size_t count)
{
    if (size < count) return;
    memmove(values + count, values, (size - count) * sizeof *values);
    memcpy(values, fresh, count * sizeof *values);
}

/* Takes a sample: what it gives out is under way from now on. */
static void take_sample(Law *w)
{
    const size_t m = w->inputs, n = w->signals;
    const size_t k = w->taken < w->rows ? w->taken : w->rows - 1;
    const double *hold = w->hold + k * m;
    double *e = w->error, *u = w->given + w->taken * m;
    size_t i;
    int is_free = 1;

    find_signals(w, e);
    for (i = 0; i < n; ++i) e[i] -= w->reference[k * n + i];
    memcpy(u, hold, m * sizeof *u);
    subtract_product(u, w->K + k * m * n, e, m, n);
    subtract_product(u, w->K_integral + k * m * w->integrals, w->integral, m, w->integrals);
    subtract_product(u, w->K_past + k * m * w->pasts, w->past, m, w->pasts);
    for (i = 0; i < m; ++i) {
        const double wanted = u[i];
        /* not fmin and fmax: they would hide a value that is no number */
        if (wanted < w->least[i]) u[i] = w->least[i];
        if (wanted > w->most[i]) u[i] = w->most[i];
        is_free &= u[i] == wanted;
        w->correction[i] = u[i] - hold[i];
    }
    for (i = 0; is_free && i < w->integrals; ++i) w->integral[i] += w->cycle * e[w->integrated[i]];
    shift_in(w->past, w->pasts, w->correction, m);
    shift_in(w->under_way, (w->whole + 1) * m, u, m);
    ++w->taken;
}

/* Lets the inputs act whose turn it is; whether they jump. */
static int change_inputs(Law *w)
{
    const double *u = w->under_way + w->whole * w->inputs;
    size_t i, j;
    int jumps = 0;

    for (i = 0; i < w->plant_inputs; ++i) {
        const double *row = w->D + i * w->inputs;
        double value = w->d[i];
        for (j = 0; j < w->inputs; ++j) value += row[j] * u[j];
        jumps |= value != w->active[i];
        w->active[i] = value;
    }
    ++w->changed;
    return jumps;
}

/* Goes on to a time, where the states are given: samples and changes that are due; whether inputs
   jump. */
static int run_law(Loop *l, double t, const double *x)
{
    Law *w = &l->task->inputs.law;

    if (w->taken < w->samples && w->time[w->taken] <= t) {
        if (place(l, t, x) || get_block(l, &w->measured, w->reading)) give_up_discarded(l, t);
        take_sample(w);
    }
    return w->changed < w->samples && w->change[w->changed] <= t && change_inputs(w);
}
