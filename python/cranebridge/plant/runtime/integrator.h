/* Co-Simulation: step size control and dense output around the two integration methods. */

#ifndef CB_INTEGRATOR_H
#define CB_INTEGRATOR_H

#include "instance.h"

typedef struct {
    double order; /* of the error estimate: err ~ h^order */
    double beta;  /* weight of the previous error in the step size control (Gustafsson) */
    double largest_growth, smallest_growth;
    /* One step of size h from t1 and z, with der(x) in `rate`: sets `candidate` and `error`.
       Not zero if a value is not finite or a linear system is singular. */
    int (*attempt)(CbInstance *c, double h);
    /* Makes `dense` and, if it comes for free, `rate` from an accepted attempt. */
    void (*accept)(CbInstance *c, double h);
    /* x at t0 + theta (t1 - t0). */
    void (*interpolate)(const CbInstance *c, double theta, double *x);
} CbMethod;

static const CbMethod cb_dopri5, cb_rodas4;

CB_LOCAL CbStatus cb_do_step(CbInstance *c, const char *caller, double point, double size);
/* The part of it that integrates, for a plant with events. */
CB_LOCAL CbStatus cb_integrate_events(CbInstance *c, const char *caller, double target);

/* der(x) at (t, x) with the inputs of the present communication step. */
CB_LOCAL int cb_rate(CbInstance *c, double t, const double *x, double *dx);
/* The inputs, or their derivatives, at time t of the present communication step. */
CB_LOCAL void cb_inputs_at(const CbInstance *c, double t, double *u);
CB_LOCAL void cb_input_slopes_at(const CbInstance *c, double t, double *slopes);

#endif
