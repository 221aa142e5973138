#ifndef FILLED
/* A controller of one motion, which stands in tables over time. */
#include "example.h"
#endif
#ifndef CONTROLLER_GUARD_
#define CONTROLLER_GUARD_

#ifdef __cplusplus
extern "C" {
#endif

/* Controller (KIND_): call controller_init once and controller_step at every sample, CYCLE_TEXT_ s apart, the
   first one at BEGIN_TEXT_ s after the start of the path. What a step gives out is to act
   DELAY_TEXT_ s after its sample, and is held until that of the next one does.

GAIN_INTRO_ A step has no loop without a fixed end; nothing is allocated. */

#include "signals.h"

/* What controller_step returns; whatever it is, all that is given out is finite and within its limits. */
enum {
CONTROLLER_STATUSES_
};

typedef struct {
    long sample; /* row of the feedforward */
#include "state.h"
} controller_state;

/* At the start of the motion, as if the feedforward had run until now. */
void controller_init(controller_state *state);

/* One sample. */
int controller_step(controller_state *state, const controller_real measured[MEASURED_], controller_real u[INPUTS_]);

#ifdef __cplusplus
}
#endif

#endif
