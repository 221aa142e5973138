#include "intermediate.h"

#include "integrator.h"

#include <math.h>
#include <string.h>

enum { AHEAD = 4 }; /* points of the cubic polynomial that slopes_ahead differentiates */
static const double LEAST_PART = 1e-3; /* of a communication step, between the first and the last */

/* ---------------------------------------------------------------- callback */

CB_LOCAL int cb_asks(const CbInstance *c)
{
    return c->master.update && c->master.sets_inputs;
}

/* In the callback the instance shows time t and the state x. */
static void enter_callback(CbInstance *c, double t, const double *x, int finished, int *stop,
                           double *time)
{
    const double begin = c->s.time;
    const int can_return = finished && c->master.early_return && t < c->master.end;

    if (x && x != c->x && c->model->nx > 0) memcpy(c->x, x, c->model->nx * sizeof *x);
    c->master.may_get = x && c->master.accessible;
    c->master.may_set = !finished;
    c->s.time = t;
    c->s.mode = CB_INTERMEDIATE;
    cb_values_changed(c);
    c->master.update(c, finished, can_return, stop, time);
    cb_values_changed(c);
    c->s.mode = CB_STEP;
    c->s.time = begin;
    *stop = *stop && can_return;
}

/* ---------------------------------------------------------------- inputs */

/* Keeps the latest inputs; their polynomial gives the slopes at the end of a step. */
static void remember(CbInstance *c, double t)
{
    const size_t nu = c->model->nu;
    CbMaster *a = &c->master;

    if (a->n_asked == 0 || a->asked_time[0] != t) {
        memmove(a->asked_time + 1, a->asked_time, (CB_ASKED - 1) * sizeof *a->asked_time);
        memmove(c->asked + nu, c->asked, (CB_ASKED - 1) * nu * sizeof *c->asked);
        if (a->n_asked < CB_ASKED) ++a->n_asked;
    }
    a->asked_time[0] = t;
    memcpy(c->asked, c->u, nu * sizeof *c->u);
}

CB_LOCAL void cb_begin_asking(CbInstance *c, double end)
{
    c->master.end = end;
    c->master.n_asked = 0;
    if (cb_asks(c)) remember(c, c->s.time);
}

/* At the communication point itself the inputs have been set already; where they jump, the callback
   could only give the wrong side. */
CB_LOCAL void cb_ask_inputs(CbInstance *c, double t, const double *x)
{
    double unused = 0.0;
    int stop = 0;

    if (!cb_asks(c)) return;
    if (t > c->master.end) t = c->master.end; /* by rounding, or when a step size is guessed */
    if (t <= c->s.time) {
        memcpy(c->u, c->backup + (c->u - c->saved), c->model->nu * sizeof *c->u);
        return;
    }
    enter_callback(c, t, x, 0, &stop, &unused);
    remember(c, t);
}

/* ---------------------------------------------------------------- slopes */

/* Derivative at t of the Lagrange polynomial that is 1 at nodes[j] and 0 at the other nodes. */
static double lagrange_slope(const double nodes[], int n, int j, double t)
{
    double sum = 0.0;
    int i, k;

    for (i = 0; i < n; ++i) {
        double product = 1.0;
        if (i == j) continue;
        for (k = 0; k < n; ++k) {
            if (k != j && k != i) product *= (t - nodes[k]) / (nodes[j] - nodes[k]);
        }
        sum += product / (nodes[j] - nodes[i]);
    }
    return sum;
}

/* A Rosenbrock method of order 4 needs the slopes with an error of order 3. */
CB_LOCAL void cb_slopes_ahead(CbInstance *c, double t, double h, const double *x, double *slopes)
{
    const size_t nu = c->model->nu;
    /* The step after an event can be as short as the rounding of time, which has no slope. */
    const double least = LEAST_PART * (c->master.end - c->s.time);
    const double span = fmin(fmax(h, least), c->master.end - t);
    double nodes[AHEAD];
    size_t i;
    int j;

    if (cb_asks(c) && !(t + span / (AHEAD - 1) > t)) {
        cb_ask_inputs(c, t, x);
        memset(slopes, 0, nu * sizeof *slopes);
        return;
    }
    if (!cb_asks(c)) {
        cb_input_slopes_at(c, t, slopes);
        return;
    }
    for (j = 0; j < AHEAD; ++j) nodes[j] = t + span * j / (AHEAD - 1);
    for (j = 0; j < AHEAD; ++j) {
        const double weight = lagrange_slope(nodes, AHEAD, j, t);
        cb_ask_inputs(c, nodes[j], j == 0 ? x : NULL);
        /* Not before the first callback, which may read derivatives and use this very memory. */
        for (i = 0; i < nu; ++i) slopes[i] = (j == 0 ? 0.0 : slopes[i]) + weight * c->u[i];
        if (j == 0) memcpy(c->u_now, c->u, nu * sizeof *c->u);
    }
    memcpy(c->u, c->u_now, nu * sizeof *c->u);
}

static void slopes_behind(CbInstance *c)
{
    const size_t nu = c->model->nu;
    const CbMaster *a = &c->master;
    size_t i;
    int j;

    memset(c->u_slopes, 0, nu * sizeof *c->u_slopes);
    for (j = 0; j < a->n_asked; ++j) {
        const double weight = lagrange_slope(a->asked_time, a->n_asked, j, a->asked_time[0]);
        for (i = 0; i < nu; ++i) c->u_slopes[i] += weight * c->asked[(size_t)j * nu + i];
    }
}

/* ---------------------------------------------------------------- end of a step */

CB_LOCAL double cb_tell_finished(CbInstance *c, double t, const double *x, double target)
{
    double time = t;
    int stop = 0;

    if (!c->master.update) return target;
    /* The last stage of an implicit method was not at the final state. */
    if (!c->s.integrator.rate_valid) cb_ask_inputs(c, t, x);
    if (cb_asks(c)) slopes_behind(c);
    enter_callback(c, t, x, 1, &stop, &time);
    if (!stop) return target;
    return time > t ? (time < target ? time : target) : t;
}
