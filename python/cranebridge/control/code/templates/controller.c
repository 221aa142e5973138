#ifndef FILLED
/* A controller of one motion, which stands in tables over time. */
#include "example.h"
#include <math.h>
#endif
#include CONTROLLER_HEADER_

/* MATH_ */
typedef controller_real real;

enum {
    SAMPLES = SAMPLES_,
#include "sizes.c"
};

#include "aim.c"

/* The feedforward that is held after each sample, and the signals that are wanted at it. */
static const real hold_of[SAMPLES][INPUTS] = {
HOLD_
};

static const real reference_of[SAMPLES][SIGNALS] = {
REFERENCE_
};
#if OVER_POSITION_

/* Where the motion is on the axes of the grid of gains. */
static const real place_of[SAMPLES][SIZE_AXES_] = {
PLACE_
};
#endif

#include "law.c"

void controller_init(controller_state *s)
{
    int i;

    s->sample = 0;
#include "reset.c"
}

#include "sample.c"

int controller_step(controller_state *s, const real measured[MEASURED_], real u[INPUTS_])
{
    const long k = s->sample;
    const int moving = k < SAMPLES - 1;
#if OVER_POSITION_
    const aim at = {reference_of[k], hold_of[k], place_of[k]};
#else
    const aim at = {reference_of[k], hold_of[k], k};
#endif
    const int status = take_sample(s, &at, measured, u);

    if (moving) s->sample++;
    if (status) return status;
    return moving ? controller_MOVING : controller_DONE;
}
