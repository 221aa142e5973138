/* Co-Simulation: what the environment may do while a communication step is under way (FMI 3). */

#ifndef CB_INTERMEDIATE_H
#define CB_INTERMEDIATE_H

#include "instance.h"

/* Whether the environment gives inputs at times within a step. */
CB_LOCAL int cb_asks(const CbInstance *c);
/* A communication step to `end` begins. */
CB_LOCAL void cb_begin_asking(CbInstance *c, double end);
/* Brings the inputs to time t: asks the environment, if it wants to be asked. It may read variables
   at the state x; without a state, it may read none. */
CB_LOCAL void cb_ask_inputs(CbInstance *c, double t, const double *x);
/* du/dt at time t of an internal step of size h, before the step is made; the inputs are then those
   at t. */
CB_LOCAL void cb_slopes_ahead(CbInstance *c, double t, double h, const double *x, double *slopes);
/* Tells that the solution up to t is final. Returns where the communication step shall end. */
CB_LOCAL double cb_tell_finished(CbInstance *c, double t, const double *x, double target);

#endif
