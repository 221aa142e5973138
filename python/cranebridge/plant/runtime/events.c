#include "events.h"
#include "loops.h"

#include <math.h>
#include <string.h>

enum { MAX_PASSES = 1000 };
/* Right after zero is a number that no step reaches: the integrator takes steps from 1e-292 on. */
static const double SHORTEST_GAP = 1e-290;

static int call_events(CbInstance *c, const CbFunction *f, double t, const double *x,
                       const double *u, double *out)
{
    const double *in[4];
    if (c->model->nv > 0 && cb_solve_loops(c, t, x, u) != 0) return 1;
    in[0] = &t;
    in[1] = x;
    in[2] = u;
    in[3] = c->p;
    return cb_call(c, f, in, 4, &out, 1);
}

/* ---------------------------------------------------------------- what an event does */

static CbStatus act(CbInstance *c, const char *caller, double t, const CbAction *action)
{
    switch (action->kind) {
    case CB_TERMINATE:
        c->s.ended = 1;
        cb_log(&c->log, CB_OK, CB_LOG_EVENTS, "At time %.17g the plant ends the simulation: %s", t,
               action->message);
        return CB_OK;
    case CB_WARN:
        cb_log(&c->log, CB_WARNING, CB_LOG_WARNING, "At time %.17g: %s", t, action->message);
        return CB_OK;
    case CB_SINGULAR:
        return cb_error(c, "%s: at time %.17g %s", caller, t, action->message);
    default:
        return cb_error(c, "%s: an assertion fails at time %.17g: %s", caller, t, action->message);
    }
}

/* One pass through the equations: m_new, x_new and which actions are due. */
static CbStatus pass(CbInstance *c, const char *caller, double t, const double *x,
                     const double *u, int initial)
{
    const CbModel *m = c->model;
    const double flag = initial ? 1.0 : 0.0;
    const double *in[5];
    double *out[3];
    size_t i;

    if (m->nv > 0 && cb_solve_loops(c, t, x, u) != 0) return cb_loops_failed(c, caller, t);
    in[0] = &t;
    in[1] = x;
    in[2] = u;
    in[3] = c->p;
    in[4] = &flag;
    out[0] = c->m_new;
    out[1] = c->x_new;
    out[2] = c->due;
    if (cb_call(c, &m->events->update, in, 5, out, 3) != 0) {
        return cb_error(c, "%s: the event at time %.17g cannot be evaluated.", caller, t);
    }
    i = cb_first_nonfinite(c->m_new, m->nm);
    if (i < m->nm) {
        return cb_error(c, "%s: at the event at time %.17g this is not finite: %s.", caller, t,
                        m->events->memory[i]);
    }
    i = cb_first_nonfinite(c->x_new, m->nx);
    if (i < m->nx) {
        return cb_error(c, "%s: at the event at time %.17g the state %s is not finite.", caller, t,
                        m->x[i].name);
    }
    for (i = 0; i < m->events->n_actions; ++i) {
        if (c->due[i] != 0.0 && act(c, caller, t, &m->events->actions[i]) != CB_OK) {
            return CB_ERROR;
        }
    }
    return CB_OK;
}

/* Copies values; the position of the first that changes, or n. */
static size_t take(double *old, const double *new_values, size_t n)
{
    size_t i, first = n;
    for (i = n; i-- > 0;) {
        if (old[i] != new_values[i]) first = i;
        old[i] = new_values[i];
    }
    return first;
}

CB_LOCAL CbStatus cb_iterate_events(CbInstance *c, const char *caller, double t, double *x,
                                    const double *u, int initial)
{
    const CbModel *m = c->model;
    const char *name = "";
    int k;

    for (k = 0; k < MAX_PASSES; ++k) {
        const CbStatus status = pass(c, caller, t, x, u, initial);
        size_t in_memory, in_states;
        if (status != CB_OK) return status;
        in_memory = take(c->p + m->np, c->m_new, m->nm);
        in_states = take(x, c->x_new, m->nx);
        if (in_states < m->nx) c->s.states_changed = 1;
        if (in_memory == m->nm && in_states == m->nx) return CB_OK;
        name = in_memory < m->nm ? m->events->memory[in_memory] : m->x[in_states].name;
    }
    return cb_error(c, "%s: the event at time %.17g does not come to an end; this changes again "
                    "and again: %s.", caller, t, name);
}

/* ---------------------------------------------------------------- life cycle */

CB_LOCAL CbStatus cb_start_memory(CbInstance *c, const char *caller)
{
    const CbModel *m = c->model;

    memset(c->p + m->np, 0, m->nm * sizeof *c->p);
    memset(c->warned, 0, m->events->n_assertions * sizeof *c->warned);
    c->s.ended = 0;
    if (call_events(c, &m->events->start, c->s.time, c->x, c->u, c->m_new) != 0) {
        return cb_error(c, "%s: the start values of discrete variables cannot be computed.",
                        caller);
    }
    take(c->p + m->np, c->m_new, m->nm);
    return cb_iterate_events(c, caller, c->s.time, c->x, c->u, 1);
}

CB_LOCAL CbStatus cb_finish_initialization(CbInstance *c, const char *caller)
{
    CbStatus status = cb_check_assertions(c, caller, c->s.time, c->x, c->u);

    if (status == CB_OK && c->s.type == CB_CO_SIMULATION) {
        status = cb_iterate_events(c, caller, c->s.time, c->x, c->u, 0);
        c->derivatives_valid = c->y_valid = 0;
    }
    return status;
}

CB_LOCAL CbStatus cb_event_mode_update(CbInstance *c, const char *caller, int *defined,
                                       double *time)
{
    CbStatus status;
    double next;

    memcpy(c->backup, c->saved, c->n_saved * sizeof *c->saved);
    c->s.states_changed = 0;
    status = cb_iterate_events(c, caller, c->s.time, c->x, c->u, 0);
    cb_values_changed(c);
    if (status == CB_OK) status = cb_check_assertions(c, caller, c->s.time, c->x, c->u);
    if (status != CB_OK) {
        memcpy(c->saved, c->backup, c->n_saved * sizeof *c->saved);
        return status;
    }
    /* In Co-Simulation time events are met inside the steps. */
    next = c->s.type == CB_CO_SIMULATION ? HUGE_VAL : cb_next_event(c, c->s.time);
    *defined = isfinite(next) != 0;
    *time = *defined ? next : 0.0;
    return CB_OK;
}

CB_LOCAL CbStatus cb_complete_step(CbInstance *c, const char *caller)
{
    if (!c->model->events) return CB_OK;
    return cb_check_assertions(c, caller, c->s.time, c->x, c->u);
}

/* ---------------------------------------------------------------- between events */

CB_LOCAL int cb_indicators(CbInstance *c, double t, const double *x, const double *u, double *z)
{
    const CbEvents *e = c->model->events;
    return call_events(c, &e->indicators, t, x, u, z) != 0 ||
           cb_first_nonfinite(z, e->nz) < e->nz;
}

CB_LOCAL CbStatus cb_get_indicators(CbInstance *c, const char *caller, double z[], size_t n)
{
    const size_t nz = c->model->events ? c->model->events->nz : 0;
    const int discard = c->s.mode == CB_CONTINUOUS;

    if (n != nz) {
        return cb_error(c, "%s: the plant has %u event indicators, not %u.", caller, (unsigned)nz,
                        (unsigned)n);
    }
    if (nz == 0) return CB_OK;
    if (cb_require_pointer(c, caller, z, n) != CB_OK || cb_update_initial(c, caller) != CB_OK) {
        return CB_ERROR;
    }
    if (cb_indicators(c, c->s.time, c->x, c->u, z) == 0) return CB_OK;
    if (c->loops_failed) return cb_loops_failed(c, caller, c->s.time);
    cb_log(&c->log, discard ? CB_DISCARD : CB_ERROR, discard ? CB_LOG_DISCARD : CB_LOG_ERROR,
           "%s: an event indicator is not finite at time %.17g.", caller, c->s.time);
    return discard ? CB_DISCARD : CB_ERROR;
}

static double right_after(double t)
{
    return fmax(nextafter(t, HUGE_VAL), t + SHORTEST_GAP);
}

CB_LOCAL double cb_next_event(CbInstance *c, double t)
{
    const CbEvents *e = c->model->events;
    const double *in[2];
    double next = HUGE_VAL;
    size_t i;

    in[0] = &t;
    in[1] = c->p;
    if (cb_call(c, &e->times, in, 2, &c->due, 1) != 0) return next;
    for (i = 0; i < e->nt; ++i) {
        const double due = e->after[i] ? right_after(c->due[i]) : c->due[i];
        if (due > t && due < next) next = due;
    }
    return next;
}

/* A warning is told when its assertion begins to fail, not at each step. */
CB_LOCAL CbStatus cb_check_assertions(CbInstance *c, const char *caller, double t,
                                      const double *x, const double *u)
{
    const CbEvents *e = c->model->events;
    size_t i;

    if (e->n_assertions == 0) return CB_OK;
    if (call_events(c, &e->checks, t, x, u, c->due) != 0) {
        return cb_error(c, "%s: the assertions cannot be evaluated at time %.17g.", caller, t);
    }
    for (i = 0; i < e->n_assertions; ++i) {
        const int fails = c->due[i] != 0.0, is_new = c->warned[i] == 0.0;
        c->warned[i] = fails ? 1.0 : 0.0;
        if (fails && (is_new || e->assertions[i].kind != CB_WARN) &&
            act(c, caller, t, &e->assertions[i]) != CB_OK) {
            return CB_ERROR;
        }
    }
    return CB_OK;
}
