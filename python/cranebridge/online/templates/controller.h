#ifndef FILLED
/* A controller of motions that the generator plans on line. */
#include "example.h"
#endif
#ifndef CONTROLLER_GUARD_
#define CONTROLLER_GUARD_

#include GENERATOR_HEADER_

#ifdef __cplusplus
extern "C" {
#endif

/* Controller (KIND_) of the motions that GENERATOR_NAME_.h plans: call controller_init once and controller_step
   at every sample, CYCLE_TEXT_ s apart. What a step gives out is to act DELAY_TEXT_ s after its
   sample, and is held until that of the next one does.

GAIN_INTRO_
   Gains, observer and limits of the inputs are those of the scenario's parameters, also where those
   of the generator are changed.

   A new goal or a stop while moving does not jump: reference and feedforward are continued, and
   what the controller has integrated and estimated stays. Plan first, then take the sample with
   t = 0. A step solves the plan twice or a few times; it has no loop without a fixed end; nothing
   is allocated.SPEED_INTRO_ */

#include PART_SIGNALS_

/* What controller_step returns; whatever it is, all that is given out is finite and within its limits.
   At STUCK the generator's status says more. */
enum {
CONTROLLER_STATUSES_
};

typedef struct {
    int begun;   /* a sample was taken */
#if SPEED_
    controller_real held[DRIVES_];  /* what speed drives gave at the first sample */
    controller_real ahead[DRIVES_]; /* how far their references are ahead of them */
#endif
#include PART_STATE_
} controller_state;

/* Without a past. */
void controller_init(controller_state *state);

/* One sample at the time t after the start of the generator's plan, which is stepped to it; without
   a plan the load is held where it rests. */
int controller_step(controller_state *state, generator_state *generator, controller_real t,
              const controller_real measured[MEASURED_], controller_real u[INPUTS_]);

/* The feedforward alone of an output of the generator, as what a step gives out; of drives that
   take velocities those of the motion. */
void controller_hold(const generator_output *output, controller_real hold[INPUTS_]);

#ifdef __cplusplus
}
#endif

#endif
