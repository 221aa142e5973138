/* A sampled controller: see sampled_law.py, which says what it does and does the same. */

#include "loop.h"

#include <math.h>
#include <string.h>

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

/* The signals that are measured, from the readings. */
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

/* What the sensors say of the signals. */
static void measure(Law *w, double *said)
{
    const double *noise = w->taken < w->noisy ? w->noise + w->taken * w->signals : NULL;
    size_t i;

    find_signals(w, said);
    for (i = 0; i < w->signals; ++i) {
        if (noise) said[i] += noise[i];
        if (w->resolution[i] > 0.0) {
            said[i] = w->resolution[i] * floor(said[i] / w->resolution[i] + 0.5);
        }
        if (w->taken % w->every[i]) said[i] = (said - w->signals)[i];
    }
}

/* Takes a sample: what the controller gives out is under way from now on. */
static void take_sample(Law *w)
{
    const size_t m = w->inputs;
    double *said = w->said + w->taken * w->signals, *u = w->given + w->taken * m;

    measure(w, said);
    w->status[w->taken] = w->step(w->controller, said, u);
    if (w->estimates) {
        memcpy(w->estimated + w->taken * w->estimates, w->estimate, w->estimates * sizeof *u);
    }
    memmove(w->under_way + m, w->under_way, w->whole * m * sizeof *u);
    memcpy(w->under_way, u, m * sizeof *u);
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
