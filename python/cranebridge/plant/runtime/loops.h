/* Nonlinear algebraic loops of a plant, solved by Newton's method. */

#ifndef CB_LOOPS_H
#define CB_LOOPS_H

#include "instance.h"

/* The unknowns at their start values. */
CB_LOCAL CbStatus cb_start_loops(CbInstance *c, const char *caller);
/* Tells that `cb_solve_loops` failed; in continuous-time mode the solver takes a smaller step. */
CB_LOCAL CbStatus cb_loops_failed(CbInstance *c, const char *caller, double t);

#endif
