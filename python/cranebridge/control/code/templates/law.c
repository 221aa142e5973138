#ifndef FILLED
/* The law of a controller: gains, what is fed back, limits and integrals. */
#endif
#if OVER_POSITION_
/* Axes: how many positions each has, where these begin, rows from one to the next. */
static const int count_on[SIZE_AXES_] = {COUNTS_};
static const int first_on[SIZE_AXES_] = {FIRSTS_};
static const int stride_on[SIZE_AXES_] = {STRIDES_};
static const int turning[SIZE_AXES_] = {TURNING_};
static const real point_of[] = {POINTS_};
static const real fade_step = FADE_STEP_; /* from sample to sample */

static const real gain_of[ROWS][INPUTS * COLUMNS] = {
GRID_
};
#else
/* Samples that the rows of gains belong to. */
static const long node_of[NODES] = {
NODE_
};

static const real gain_of[NODES][INPUTS * COLUMNS] = {
GAINS_
};
#endif

static const real least[INPUTS] = {LEAST_};
static const real most[INPUTS] = {MOST_};
static const int integrated[SIZE_INTEGRAL_] = {INTEGRATED_};
static const real far_off[SIGNALS] = {FAR_}; /* from its reference: no crane is there */
static const real counted[SIZE_INTEGRAL_] = {COUNTED_}; /* of an error that is larger */

/* Neither infinite nor no number. */
static int is_number(real x)
{
    return x - x == ZERO_;
}

static int are_numbers(const real *x, int count)
{
    int i;

    for (i = 0; i < count; i++)
        if (!is_number(x[i])) return 0;
    return 1;
}

/* Makes room for new values at the begin of some, and puts them there. */
static void shift_in(real *values, int size, const real *fresh, int count)
{
    int i;

    for (i = size - 1; i >= count; i--) values[i] = values[i - count];
    for (i = 0; i < count && i < size; i++) values[i] = fresh[i];
}

#if OBSERVED_
#include "observer.c"
#else
/* The signals are what is measured; HOLDING where one is no number. */
static int look(controller_state *s, const real *measured, real *signal)
{
    int i;

    (void)s;
    for (i = 0; i < SIGNALS; i++) signal[i] = measured[i];
    return are_numbers(measured, SIGNALS) ? 0 : controller_HOLDING;
}
#endif

#if OVER_POSITION_
#include "gains_over_position.c"
#else
#include "gains_over_time.c"
#endif

/* Keeps the inputs within their limits; whether one of them is met, and which were beyond. */
static int limit(real *u, int *beyond)
{
    int i, met = 0;

    for (i = 0; i < INPUTS; i++) {
        beyond[i] = u[i] > most[i] ? 1 : u[i] < least[i] ? -1 : 0;
        if (beyond[i]) {
            u[i] = beyond[i] > 0 ? most[i] : least[i];
            met = 1;
        }
    }
    return met;
}

/* Whether all that is fed back is where a crane can be; what is no number is not. */
static int is_near(const real *fed)
{
    int i;

    for (i = 0; i < SIGNALS; i++)
        if (!(fed[i] <= far_off[i] && fed[i] >= -far_off[i])) return 0;
    return 1;
}

/* Of an error, what is integrated. */
static real counted_part(real off, real largest)
{
    return off > largest ? largest : off < -largest ? -largest : off;
}

/* Integrates: of what moves an input that is beyond its limit only what leads it back, and no more
   than moves an input from the feedforward to its limit. */
static void add_up(controller_state *s, const real *hold, const real *fed, const real *pull,
                      const int *beyond)
{
    int i, j;

    for (j = 0; j < INTEGRALS; j++) {
        const real step = cycle * counted_part(fed[integrated[j]], counted[j]);
        int leads = 1;
        for (i = 0; i < INPUTS; i++)
            if ((real)beyond[i] * (pull[i * INTEGRALS + j] * step) < ZERO_) leads = 0;
        if (leads) s->integral[j] += step;
        for (i = 0; i < INPUTS; i++) {
            const real own = pull[i * INTEGRALS + j], moved = -own * s->integral[j];
            const real up = most[i] - hold[i], down = least[i] - hold[i];
            if (moved > ZERO_ && moved > up) s->integral[j] = up > ZERO_ ? -up / own : ZERO_;
            if (moved < ZERO_ && moved < down) s->integral[j] = down < ZERO_ ? -down / own : ZERO_;
        }
    }
}
