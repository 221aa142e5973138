#ifndef FILLED
/* A controller of motions that the generator plans on line. */
#include "example.h"
#include <math.h>
#endif
#include CONTROLLER_HEADER_

/* MATH_ */
typedef controller_real real;

enum {
#include PART_SIZES_
};

#include PART_AIM_

static const real ahead = AHEAD_; /* s, from a sample to the middle of what its inputs act in */
#if MIXED_
/* What is given out is matrix u + offset of the crane's inputs u. */
static const real matrix[INPUTS][generator_INPUTS] = {
MATRIX_
};
static const real offset[INPUTS] = {OFFSET_};
#endif

#include PART_LAW_

void controller_init(controller_state *s)
{
    int i;

    s->begun = 0;
    /* SPEED_INIT_ */
#include PART_RESET_
}

#include PART_SAMPLE_

void controller_hold(const generator_output *output, real hold[INPUTS_])
{
#if MIXED_
    const real given[generator_INPUTS] = {GIVEN_};
    int i, j;

    for (i = 0; i < INPUTS; i++) {
        hold[i] = offset[i];
        for (j = 0; j < generator_INPUTS; j++) hold[i] += matrix[i][j] * given[j];
    }
#else
#ifndef FILLED
    hold[0] = output->u[0];
#endif
    /* HOLD_CODE_ */
#endif
}
#if SPEED_

static const int driven[DRIVES_] = {DRIVEN_}; /* inputs of the crane that speed drives give */
static const int moved[DRIVES_] = {MOVED_};  /* and the coordinates whose velocities they take */
static const real kept[DRIVES_] = {KEPT_};
static const real added[DRIVES_] = {ADDED_};

/* Puts velocity references in place of the drives' velocities. A drive gives its force if its
   reference is ahead by e, e' = (force - held - ki e) / kp: exact for a force that does not change
   in a cycle, for which the one at its middle is taken, as the velocity is. */
static void refer(controller_state *s, const generator_output *now, generator_output *later)
{
    int i;

    for (i = 0; i < DRIVES_; i++) {
        real before;
        if (!s->begun) s->held[i] = now->u[driven[i]];
        before = s->ahead[i];
        s->ahead[i] = kept[i] * before + added[i] * (later->u[driven[i]] - s->held[i]);
        later->v[moved[i]] += (s->ahead[i] - before) / cycle;
    }
}
#endif

/* Whether a plan can be followed; without one there is a rest. */
static int follows(int status)
{
    return status >= 0 || status == generator_NO_PLAN;
}

int controller_step(controller_state *s, generator_state *generator, real t, const real measured[MEASURED_],
              real u[INPUTS_])
{
    generator_output now, held;
    real signal[SIGNALS], hold[INPUTS], place[SIZE_AXES_];
    aim at;
    int later, motion, status;

    later = generator_step(generator, t + ahead, &held);
    motion = generator_step(generator, t, &now);
#if SPEED_
    refer(s, &now, &held);
#endif
    controller_hold(&held, hold);
    /* FILL_ */
    at.signal = signal;
    at.hold = hold;
    at.place = place;
#if OBSERVED_
    if (!s->begun) { /* where the reference is */
        int i;
        for (i = 0; i < COORDINATES; i++) {
            s->q[i] = now.q[i];
            s->v[i] = now.v[i];
        }
        /* BEGIN_PLACES_ */
        for (i = 0; i < WAY; i++) s->under_way[i] = hold[i % INPUTS];
    }
#endif
    s->begun = 1;
    status = take_sample(s, &at, measured, u);
    if (status) return status;
    if (!follows(later) || !follows(motion)) return controller_STUCK;
    return motion == generator_OK ? controller_MOVING : controller_DONE;
}
