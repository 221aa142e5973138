#include "integrator.h"
#include "loops.h"

#include "algorithm.h"
#include "intermediate.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Absolute tolerance as a part of the relative one, in units of a state's nominal value. */
static const double ABSOLUTE_PART = 0.01;
static const double SAFETY = 0.9;
static const long long MAX_STEPS = 1000000; /* in one communication step */

/* ---------------------------------------------------------------- inputs */

/* u(t) = u + u' s + u'' s^2/2 + u''' s^3/6 with s = t - time: the derivatives that the environment
   has set for the coming communication step. */
CB_LOCAL void cb_inputs_at(const CbInstance *c, double t, double *u)
{
    const size_t n = c->model->nu;
    const double s = t - c->s.time, *d = c->u_derivatives;
    size_t i;

    for (i = 0; i < n; ++i) {
        u[i] = c->u[i] + s * (d[i] + s / 2.0 * (d[n + i] + s / 3.0 * d[2 * n + i]));
    }
}

CB_LOCAL void cb_input_slopes_at(const CbInstance *c, double t, double *slopes)
{
    const size_t n = c->model->nu;
    const double s = t - c->s.time, *d = c->u_derivatives;
    size_t i;

    for (i = 0; i < n; ++i) slopes[i] = d[i] + s * (d[n + i] + s / 2.0 * d[2 * n + i]);
}

static int inputs_move(const CbInstance *c)
{
    size_t i;
    for (i = 0; i < CB_MAX_INPUT_DERIVATIVE * c->model->nu; ++i) {
        if (c->u_derivatives[i] != 0.0) return 1;
    }
    return 0;
}

CB_LOCAL int cb_rate(CbInstance *c, double t, const double *x, double *dx)
{
    cb_ask_inputs(c, t, x);
    cb_inputs_at(c, t, c->u_now);
    ++c->s.integrator.evaluations;
    return cb_rhs(c, t, x, c->u_now, dx);
}

/* ---------------------------------------------------------------- step size */

static double scale(const CbInstance *c, size_t i, double a, double b)
{
    return c->s.tolerance * (ABSOLUTE_PART * c->model->x[i].nominal + fmax(fabs(a), fabs(b)));
}

static double error_norm(const CbInstance *c)
{
    const size_t n = c->model->nx;
    double sum = 0.0;
    size_t i;

    for (i = 0; i < n; ++i) {
        const double e = c->error[i] / scale(c, i, c->z[i], c->candidate[i]);
        sum += e * e;
    }
    return sqrt(sum / (double)n);
}

/* A tenth of the experiment: whatever happens in a plant, a step does not jump over all of it. */
static double largest_step(const CbInstance *c)
{
    const double length = c->s.stop_defined ? c->s.stop - c->s.start
                                            : c->model->stop_time - c->model->start_time;
    return length > 0.0 ? 0.1 * length : HUGE_VAL;
}

/* First step: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.4. */
static void choose_first_step(CbInstance *c, double order)
{
    CbIntegrator *g = &c->s.integrator;
    const size_t n = c->model->nx;
    double d0 = 0.0, d1 = 0.0, d2 = 0.0, h, h1;
    size_t i;

    for (i = 0; i < n; ++i) {
        const double sc = scale(c, i, c->z[i], c->z[i]);
        d0 += (c->z[i] / sc) * (c->z[i] / sc);
        d1 += (c->rate[i] / sc) * (c->rate[i] / sc);
    }
    d0 = sqrt(d0 / (double)n);
    d1 = sqrt(d1 / (double)n);
    h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h = fmin(h, largest_step(c));
    for (i = 0; i < n; ++i) c->trial[i] = c->z[i] + h * c->rate[i];
    if (cb_rate(c, g->t1 + h, c->trial, c->error)) {
        g->next_step = h * 1e-3; /* the plant ends close by: begin carefully */
        return;
    }
    for (i = 0; i < n; ++i) {
        const double e = (c->error[i] - c->rate[i]) / scale(c, i, c->z[i], c->z[i]);
        d2 += e * e;
    }
    d2 = sqrt(d2 / (double)n) / h;
    d1 = fmax(d1, d2);
    h1 = d1 <= 1e-15 ? fmax(1e-6, h * 1e-3) : pow(0.01 / d1, 1.0 / order);
    g->next_step = fmin(fmin(100.0 * h, h1), largest_step(c));
    /* Right after an event all states may be almost zero, and h with them. */
    g->next_step = fmax(g->next_step, 1024.0 * DBL_EPSILON * fabs(g->t1));
}

/* PI control: Hairer, Wanner, Solving Ordinary Differential Equations II, IV.2. */
static double next_step(const CbMethod *m, double h, double error, double last_error, int accepted)
{
    const double exponent = 1.0 / m->order - 0.75 * m->beta;
    double factor = pow(error, exponent);

    if (accepted) {
        factor /= pow(last_error, m->beta);
        factor = fmin(1.0 / m->smallest_growth, fmax(1.0 / m->largest_growth, factor / SAFETY));
    } else {
        factor = fmin(1.0 / m->smallest_growth, factor / SAFETY);
    }
    return h / factor;
}

/* ---------------------------------------------------------------- one internal step */

static CbStatus step_too_small(CbInstance *c, const char *caller, double t)
{
    if (c->loops_failed) return cb_loops_failed(c, caller, t);
    return cb_error(c, "%s: the integration cannot go on at time %.17g: a derivative is not finite "
                    "or changes too fast there.", caller, t);
}

/* One accepted step from t1; with `limit` finite, it does not go beyond it. */
static CbStatus advance(CbInstance *c, const char *caller, const CbMethod *m, double limit)
{
    CbIntegrator *g = &c->s.integrator;
    const double proposed = g->next_step;
    double h = fmin(proposed, largest_step(c)), error;
    int rejected = 0, landing;

    if (!g->rate_valid) {
        if (cb_rate(c, g->t1, c->z, c->rate)) return step_too_small(c, caller, g->t1);
        g->rate_valid = 1;
    }
    c->jacobian_valid = 0;
    for (;;) {
        /* Stretched a little rather than leaving a tiny rest. */
        landing = g->t1 + 1.01 * h >= limit;
        if (landing) h = limit - g->t1;
        if (!landing && h <= 8.0 * DBL_EPSILON * fabs(g->t1)) {
            return step_too_small(c, caller, g->t1);
        }
        if (h < DBL_MIN / DBL_EPSILON) return step_too_small(c, caller, g->t1);
        error = m->attempt(c, h) ? HUGE_VAL : error_norm(c);
        if (error <= 1.0) break;
        h = isfinite(error) ? next_step(m, h, error, 1.0, 0) : h * m->smallest_growth;
        rejected = 1;
        ++g->rejected;
    }
    m->accept(c, h);
    g->t0 = g->t1;
    g->t1 = landing ? limit : g->t1 + h;
    g->next_step = next_step(m, h, error, fmax(g->last_error, 1e-4), 1);
    if (rejected) g->next_step = fmin(g->next_step, h);
    /* A step cut short by the communication point says nothing against the longer one. */
    if (landing && !rejected) g->next_step = fmax(g->next_step, proposed);
    g->last_error = error;
    ++g->steps;
    memcpy(c->z, c->candidate, c->model->nx * sizeof *c->z);
    return CB_OK;
}

/* ---------------------------------------------------------------- communication step */

static CbStatus check_step(const CbInstance *c, const char *caller, double point, double size)
{
    const double slack = 1e-9 * (fabs(c->s.time) + fabs(size));

    if (c->s.ended) {
        return cb_error(c, "%s: the plant has ended the simulation at time %.17g.", caller,
                        c->s.time);
    }
    if (!isfinite(size) || size <= 0.0) {
        return cb_error(c, "%s: the communication step size is %g; it must be positive.", caller,
                        size);
    }
    if (!(fabs(point - c->s.time) <= slack)) {
        return cb_error(c, "%s: the communication point is %.17g, but the FMU is at %.17g.",
                        caller, point, c->s.time);
    }
    if (point + size <= c->s.time) {
        return cb_error(c, "%s: the communication step size %g is too small at time %.17g.",
                        caller, size, point);
    }
    if (c->s.stop_defined && point + size > c->s.stop + slack) {
        return cb_error(c, "%s: the step to %.17g goes beyond the stop time %.17g.", caller,
                        point + size, c->s.stop);
    }
    return CB_OK;
}

/* Whatever the integrator has computed beyond the communication point was computed with other
   inputs or parameters: start again from the state that the environment has seen. */
static void restart(CbInstance *c)
{
    CbIntegrator *g = &c->s.integrator;

    memcpy(c->z, c->x, c->model->nx * sizeof *c->z);
    g->t0 = g->t1 = c->s.time;
    g->rate_valid = 0;
}

/* Chooses a step size from the derivatives at t1 and z. */
static CbStatus begin_anew(CbInstance *c, const char *caller, const CbMethod *m)
{
    CbIntegrator *g = &c->s.integrator;

    g->started = 1;
    g->last_error = 1e-4;
    if (cb_rate(c, g->t1, c->z, c->rate)) return step_too_small(c, caller, g->t1);
    g->rate_valid = 1;
    choose_first_step(c, m->order);
    return CB_OK;
}

static CbStatus start(CbInstance *c, const char *caller, const CbMethod *m)
{
    restart(c);
    return begin_anew(c, caller, m);
}

/* Brings the integrator to the target or beyond; the environment may bring the target nearer.

   As long as nothing jumps, the integrator chooses its steps as if there were no communication
   points, runs past the target and interpolates: the result does not depend on the communication
   step. When inputs move or have jumped, it lands on the target, because inputs are not known
   beyond it and will probably jump again. */
static CbStatus integrate(CbInstance *c, const char *caller, double *target)
{
    CbIntegrator *g = &c->s.integrator;
    const CbMethod *m = c->s.method == CB_RODAS4 ? &cb_rodas4 : &cb_dopri5;
    const int land = g->restart || inputs_move(c) || cb_asks(c);
    const long long first = g->steps;
    double told = c->s.time; /* up to where the environment has been told the solution */
    CbStatus status = CB_OK;

    if (!g->started) {
        status = start(c, caller, m);
    } else if (g->restart || (land && g->t1 > c->s.time)) {
        restart(c);
    }
    while (status == CB_OK && g->t1 < *target) {
        status = advance(c, caller, m, land ? *target : HUGE_VAL);
        if (status == CB_OK && g->steps - first > MAX_STEPS) {
            status = cb_error(c, "%s: more than %lld steps in one communication step%s.", caller,
                              MAX_STEPS, c->s.method == CB_DOPRI5
                              ? "; the plant may be stiff: set integrator.method to rodas4" : "");
        }
        if (status == CB_OK && g->t1 < *target) {
            told = g->t1;
            *target = cb_tell_finished(c, told, c->z, *target);
        }
    }
    if (status != CB_OK) return status;
    if (g->t1 == *target) {
        memcpy(c->x, c->z, c->model->nx * sizeof *c->x);
    } else {
        m->interpolate(c, (*target - g->t0) / (g->t1 - g->t0), c->x);
    }
    if (*target > told) cb_tell_finished(c, *target, c->x, *target);
    return CB_OK;
}

/* With event mode, a step ends at an event that is known before, or at least reports it. */
static double next_event(CbInstance *c, double target)
{
    double time = HUGE_VAL;

    c->master.event = 0;
    if (!c->master.events || !c->model->algorithm) return target;
    time = c->model->algorithm->next_event(c->memory);
    if (!(time > c->s.time && time <= target)) return target;
    c->master.event = 1;
    return c->master.early_return ? time : target;
}

CB_LOCAL CbStatus cb_do_step(CbInstance *c, const char *caller, double point, double size)
{
    const size_t nx = c->model->nx, nu = c->model->nu;
    double target = point + size;
    CbScalars before;
    CbStatus status = check_step(c, caller, point, size);

    if (status != CB_OK) return status;
    memcpy(&before, &c->s, sizeof before);
    memcpy(c->backup, c->saved, c->n_saved * sizeof *c->saved);
    /* What has been set since the last step happens now, not at the end of this one. */
    if (c->model->algorithm) status = cb_update_outputs(c, caller);
    if (status == CB_OK) target = next_event(c, target);
    cb_begin_asking(c, target);
    if (status == CB_OK && c->model->events) {
        status = cb_integrate_events(c, caller, target);
        if (c->s.ended) target = c->s.integrator.t1;
    } else if (status == CB_OK && nx > 0) {
        status = integrate(c, caller, &target);
    } else if (status == CB_OK) {
        cb_tell_finished(c, target, c->x, target);
    }
    if (status == CB_OK) {
        if (!cb_asks(c)) cb_input_slopes_at(c, target, c->u_slopes);
        cb_inputs_at(c, target, c->u_now);
        memcpy(c->u, c->u_now, nu * sizeof *c->u);
        memset(c->u_derivatives, 0, CB_MAX_INPUT_DERIVATIVE * nu * sizeof *c->u);
        c->s.time = target;
        c->s.integrator.restart = 0;
        cb_values_changed(c);
        status = cb_update_outputs(c, caller); /* no output that is not finite goes unnoticed */
    }
    if (status != CB_OK) {
        memcpy(&c->s, &before, sizeof before);
        memcpy(c->saved, c->backup, c->n_saved * sizeof *c->saved);
        cb_values_changed(c);
    }
    return status;
}
