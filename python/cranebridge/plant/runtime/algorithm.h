/* Outputs by an algorithm of the model's own instead of an expression: discrete events, a memory. */

#ifndef CB_ALGORITHM_H
#define CB_ALGORITHM_H

#include "instance.h"

/* y and its time derivative at the present values of the instance. */
CB_LOCAL CbStatus cb_evaluate_algorithm(CbInstance *c, const char *caller);

CB_LOCAL void cb_enter_event_mode(CbInstance *c);
/* Handles the event at the present time; the next one is at `time` if `defined`. */
CB_LOCAL CbStatus cb_handle_event(CbInstance *c, const char *caller, int *defined, double *time);

#endif
