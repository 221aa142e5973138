/* Variables by value reference. The numbering is contiguous, in the order of CbKind, and the same
   in FMI 2 and FMI 3; model_description.py writes it. */

#ifndef CB_VARIABLES_H
#define CB_VARIABLES_H

#include "instance.h"

typedef enum {
    CB_TIME,
    CB_STATE,
    CB_DERIVATIVE,
    CB_INPUT,
    CB_OUTPUT,
    CB_PARAMETER,
    CB_METHOD,      /* integrator.method: enumeration, fixed parameter */
    CB_STEPS,       /* integrator.steps: integers for the curious, with the two below */
    CB_REJECTED,    /* integrator.rejectedSteps */
    CB_EVALUATIONS, /* integrator.evaluations */
    CB_UNKNOWN
} CbKind;

typedef struct {
    CbKind kind;
    size_t index;
} CbReference;

CB_LOCAL CbReference cb_locate(const CbModel *m, unsigned long reference);
CB_LOCAL const char *cb_name(const CbModel *m, CbReference r);
CB_LOCAL int cb_is_discrete(const CbModel *m, unsigned long reference);

CB_LOCAL CbStatus cb_get_reals(CbInstance *c, const char *caller, const unsigned int references[],
                               size_t n, double values[]);
CB_LOCAL CbStatus cb_set_reals(CbInstance *c, const char *caller, const unsigned int references[],
                               size_t n, const double values[]);
CB_LOCAL CbStatus cb_get_integer(CbInstance *c, const char *caller, unsigned int reference,
                                 long long *value);
CB_LOCAL CbStatus cb_set_integer(CbInstance *c, const char *caller, unsigned int reference,
                                 long long value);
CB_LOCAL CbStatus cb_get_boolean(CbInstance *c, const char *caller, unsigned int reference,
                                 int *value);
/* Booleans are set as numbers, so that the caller can convert its own type first. */
CB_LOCAL CbStatus cb_check_boolean(CbInstance *c, const char *caller, unsigned int reference);
CB_LOCAL void cb_set_boolean(CbInstance *c, unsigned int reference, int value);
CB_LOCAL CbStatus cb_no_such_type(const CbInstance *c, const char *caller, size_t n);

CB_LOCAL CbStatus cb_set_time(CbInstance *c, const char *caller, double time);
CB_LOCAL CbStatus cb_get_states(CbInstance *c, const char *caller, double x[], size_t n);
CB_LOCAL CbStatus cb_set_states(CbInstance *c, const char *caller, const double x[], size_t n);
CB_LOCAL CbStatus cb_get_derivatives(CbInstance *c, const char *caller, double dx[], size_t n);
CB_LOCAL CbStatus cb_get_nominals(CbInstance *c, const char *caller, double nominals[], size_t n);

#endif
