/* Co-Simulation of a plant with events: they are found inside the integrator's steps.

   Steps end at communication points and at time events. In each step the indicators are looked at
   in several places, because two changes in one step would hide each other, and in the step after
   an event close to its begin too, because an indicator is at zero there. Where one has changed its
   domain, the time is found by bisection of the dense output, and the step is taken again up to it:
   the end of a step is more accurate than its inside. Compiled behind integrator.c, whose steps it
   takes. */

#include "events.h"
#include "integrator.h"
#include "intermediate.h"
#include "loops.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CHECKS = 8, ALL_CHECKS = 400, FIRST_CHECKS = 12, REFINEMENTS = 3 };

/* So many events in this part of the experiment are chattering: the end is never met. */
enum { MANY = 20, MORE = 4 };
static const double NO_PROGRESS = 1e-8;

typedef struct {
    const char *caller;
    const CbMethod *method;
    double length; /* of the experiment */
    double window; /* begin of the time in which events are counted */
    size_t count;
} CbSearch;

static CbStatus not_finite_indicator(CbInstance *c, const char *caller, double t)
{
    if (c->loops_failed) return cb_loops_failed(c, caller, t);
    return cb_error(c, "%s: an event indicator is not finite at time %.17g.", caller, t);
}

/* The inputs at time t and state x, in u_now. */
static void bring_inputs(CbInstance *c, double t, const double *x)
{
    cb_ask_inputs(c, t, x);
    cb_inputs_at(c, t, c->u_now);
}

/* Whether an indicator is in another domain than at the step's begin; -1 if it is not finite. */
static int changed(CbInstance *c, double t, const double *x)
{
    const size_t nz = c->model->events->nz;
    size_t i;

    bring_inputs(c, t, x);
    if (cb_indicators(c, t, x, c->u_now, c->z_now) != 0) return -1;
    for (i = 0; i < nz; ++i) {
        if ((c->z_before[i] > 0.0) != (c->z_now[i] > 0.0)) return 1;
    }
    return 0;
}

/* State at a time inside the last step, in `trial`; the end is known better. */
static const double *state_at(CbInstance *c, const CbMethod *m, double t)
{
    const CbIntegrator *g = &c->s.integrator;

    if (t >= g->t1) return c->z;
    if (c->model->nx > 0) m->interpolate(c, (t - g->t0) / (g->t1 - g->t0), c->trial);
    return c->trial;
}

static CbStatus bisect(CbInstance *c, const CbSearch *s, double low, double *high)
{
    const CbIntegrator *g = &c->s.integrator;
    const double size = fmax(fabs(g->t1), g->t1 - g->t0);
    const double width = 4.0 * (nextafter(size, HUGE_VAL) - size);

    while (*high - low > width) {
        const double middle = 0.5 * (low + *high);
        const int found = changed(c, middle, state_at(c, s->method, middle));
        if (found < 0) return not_finite_indicator(c, s->caller, middle);
        if (found) *high = middle;
        else low = middle;
    }
    return CB_OK;
}

/* The first change of a domain in the last step: `at` is right after it, or infinite. */
static CbStatus find_event(CbInstance *c, const CbSearch *s, double *at)
{
    const CbIntegrator *g = &c->s.integrator;
    const double size = g->t1 - g->t0;
    const int count = (int)fmax(CHECKS, ceil(ALL_CHECKS * size / s->length));
    double low = g->t0;
    int k;

    *at = HUGE_VAL;
    if (c->model->events->nz == 0) return CB_OK;
    for (k = g->fresh ? -FIRST_CHECKS : 1; k <= count; ++k) {
        const double part = k < 1 ? pow(8.0, k - 1) : (double)k / count;
        double t = k == count ? g->t1 : g->t0 + part * size;
        int found;
        if (t <= low) continue;
        found = changed(c, t, state_at(c, s->method, t));
        if (found < 0) return not_finite_indicator(c, s->caller, t);
        if (found) {
            *at = t;
            return bisect(c, s, low, at);
        }
        low = t;
    }
    return CB_OK;
}

/* ---------------------------------------------------------------- events */

static CbStatus count_event(CbInstance *c, CbSearch *s, double t)
{
    if (!(t - s->window <= NO_PROGRESS * s->length)) {
        s->window = t;
        s->count = 0;
    }
    if (++s->count <= MANY + MORE * c->model->events->nz) return CB_OK;
    return cb_error(c, "%s: the plant chatters at time %.9g: %u events within %.2g s, so that time "
                    "does not go on; give what switches there a hysteresis, or end the simulation "
                    "before.", s->caller, t, (unsigned)s->count, t - s->window);
}

/* The event at t1 and z; the integrator begins anew behind it. */
static CbStatus happen(CbInstance *c, CbSearch *s)
{
    CbIntegrator *g = &c->s.integrator;
    CbStatus status = count_event(c, s, g->t1);

    bring_inputs(c, g->t1, c->z);
    if (status == CB_OK) {
        status = cb_iterate_events(c, s->caller, g->t1, c->z, c->u_now, 0);
    }
    if (status == CB_OK) {
        status = cb_check_assertions(c, s->caller, g->t1, c->z, c->u_now);
    }
    g->rate_valid = 0;
    g->fresh = 1;
    if (status != CB_OK || c->s.ended || c->model->nx == 0) return status;
    return begin_anew(c, s->caller, s->method);
}

/* ---------------------------------------------------------------- steps */

static CbStatus step(CbInstance *c, const CbSearch *s, double limit)
{
    CbIntegrator *g = &c->s.integrator;

    if (c->model->nx > 0) return advance(c, s->caller, s->method, limit);
    g->t0 = g->t1;
    g->t1 = fmin(limit, g->t0 + largest_step(c));
    return CB_OK;
}

/* Back to the begin of the last step, to take it again up to an event. */
static void take_back(CbInstance *c)
{
    CbIntegrator *g = &c->s.integrator;

    memcpy(c->z, c->dense, c->model->nx * sizeof *c->z);
    g->t1 = g->t0;
    g->rate_valid = 0;
}

/* One step up to the limit or to the first event before it; whether there is one. */
static CbStatus step_to_event(CbInstance *c, const CbSearch *s, double limit, int *is_event)
{
    CbIntegrator *g = &c->s.integrator;
    double at = HUGE_VAL;
    int k;

    *is_event = 0;
    bring_inputs(c, g->t1, c->z);
    if (cb_indicators(c, g->t1, c->z, c->u_now, c->z_before) != 0) {
        return not_finite_indicator(c, s->caller, g->t1);
    }
    for (k = 0; k <= REFINEMENTS; ++k) {
        CbStatus status = step(c, s, limit);
        if (status == CB_OK) status = find_event(c, s, &at);
        if (status != CB_OK) return status;
        if (!(at < g->t1) || k == REFINEMENTS || c->model->nx == 0) break;
        if (k > 0 && g->t1 - at < 1e-3 * (g->t1 - g->t0)) break;
        /* So close to the begin a step is lost in the rounding of the states: they would not reach
           the event, and time would creep. The dense output is exact there. Right after an event its
           own rounding may look like one, which another step disproves. */
        if (!g->fresh
            && at - g->t0 <= fmax(1e-6 * (g->t1 - g->t0), 1024.0 * DBL_EPSILON * fabs(at))) break;
        limit = at;
        take_back(c);
    }
    if (at == HUGE_VAL) return CB_OK;
    *is_event = 1;
    if (at < g->t1) {
        memcpy(c->z, state_at(c, s->method, at), c->model->nx * sizeof *c->z);
        g->t1 = at;
        g->rate_valid = 0;
    }
    return CB_OK;
}

/* Tells the environment that the step is done. The times at which it was asked on the way to an
   event lie too close to each other to tell how the inputs move: it is asked anew. */
static void end_step(CbInstance *c)
{
    const double end = c->s.integrator.t1;

    c->master.n_asked = 0;
    cb_ask_inputs(c, 0.5 * (c->s.time + end), NULL);
    cb_ask_inputs(c, end, c->x);
    cb_tell_finished(c, end, c->x, end);
}

CB_LOCAL CbStatus cb_integrate_events(CbInstance *c, const char *caller, double target)
{
    CbIntegrator *g = &c->s.integrator;
    const int jumped = g->restart || !g->started;
    const long long first = g->steps;
    CbSearch s = {0};
    CbStatus status = CB_OK;

    s.caller = caller;
    s.method = c->s.method == CB_RODAS4 ? &cb_rodas4 : &cb_dopri5;
    s.length = 10.0 * largest_step(c);
    s.window = -HUGE_VAL;
    if (jumped || g->t1 != c->s.time) restart(c);
    g->started = 1;
    if (jumped) status = happen(c, &s);
    while (status == CB_OK && g->t1 < target && !c->s.ended) {
        const double next = cb_next_event(c, g->t1);
        int is_event;
        status = step_to_event(c, &s, fmin(target, next), &is_event);
        if (status != CB_OK) break;
        g->fresh = 0;
        if (is_event || g->t1 >= next) {
            status = happen(c, &s);
        } else {
            status = cb_check_assertions(c, caller, g->t1, c->z, c->u_now);
        }
        if (status == CB_OK && g->steps - first > MAX_STEPS) {
            status = cb_error(c, "%s: more than %lld steps in one communication step.", caller,
                              MAX_STEPS);
        }
    }
    if (status != CB_OK) return status;
    memcpy(c->x, c->z, c->model->nx * sizeof *c->x);
    end_step(c);
    return CB_OK;
}
