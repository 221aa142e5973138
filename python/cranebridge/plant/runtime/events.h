/* Events of a plant: the iteration at an event, event indicators, time events and assertions. */

#ifndef CB_EVENTS_H
#define CB_EVENTS_H

#include "instance.h"

/* Repeats the equations at an event until memory and states (in x) change no more. */
CB_LOCAL CbStatus cb_iterate_events(CbInstance *c, const char *caller, double t, double *x,
                                    const double *u, int initial);
/* The memory before the run, from everything that the environment has set. */
CB_LOCAL CbStatus cb_start_memory(CbInstance *c, const char *caller);
/* Checks the start; Co-Simulation has no event mode where the first event could happen. */
CB_LOCAL CbStatus cb_finish_initialization(CbInstance *c, const char *caller);
/* An event at the present time and state, and the time of the next one. */
CB_LOCAL CbStatus cb_event_mode_update(CbInstance *c, const char *caller, int *defined,
                                       double *time);
/* What an integrator of the environment has reached is checked. */
CB_LOCAL CbStatus cb_complete_step(CbInstance *c, const char *caller);
/* z at given values; not zero if one is not finite. */
CB_LOCAL int cb_indicators(CbInstance *c, double t, const double *x, const double *u, double *z);
CB_LOCAL CbStatus cb_get_indicators(CbInstance *c, const char *caller, double z[], size_t n);
/* First time event after t, or infinity. */
CB_LOCAL double cb_next_event(CbInstance *c, double t);
CB_LOCAL CbStatus cb_check_assertions(CbInstance *c, const char *caller, double t,
                                      const double *x, const double *u);

#endif
