#include "loops.h"
#include "linear.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Newton's method converges quadratically: below STEP_SMALL the next error is rounding. A step that
   overshoots is halved as long as it makes the residual larger. */
enum { MAX_ITERATIONS = 50, MAX_HALVINGS = 20 };
static const double STEP_SMALL = 1e-9;

static double *unknowns(const CbInstance *c)
{
    return c->p + c->model->np + c->model->nm;
}

/* Largest residual at the present unknowns; infinite if one is not finite. */
static double residual(CbInstance *c, double t, const double *x, const double *u, double *out)
{
    const size_t n = c->model->nv;
    const double *in[4];
    double largest = 0.0;
    size_t i;

    in[0] = &t;
    in[1] = x;
    in[2] = u;
    in[3] = c->p;
    if (cb_call(c, &c->model->loops->residual, in, 4, &out, 1) != 0) return HUGE_VAL;
    if (cb_first_nonfinite(out, n) < n) return HUGE_VAL;
    for (i = 0; i < n; ++i) largest = fmax(largest, fabs(out[i]));
    return largest;
}

/* Replaces the residual in v_step by the step; its size in units of the unknowns, or infinity. */
static double newton_step(CbInstance *c, double t, const double *x, const double *u)
{
    const size_t n = c->model->nv;
    const double *in[4], *v = unknowns(c);
    double size = 0.0;
    size_t i;

    in[0] = &t;
    in[1] = x;
    in[2] = u;
    in[3] = c->p;
    if (cb_call(c, &c->model->loops->jacobian, in, 4, &c->v_jacobian, 1) != 0 ||
        cb_first_nonfinite(c->v_jacobian, n * n) < n * n ||
        cb_lu_factor(c->v_jacobian, c->v_pivots, n) != 0) {
        return HUGE_VAL;
    }
    cb_lu_solve(c->v_jacobian, c->v_pivots, n, c->v_step);
    for (i = 0; i < n; ++i) {
        size = fmax(size, fabs(c->v_step[i]) / (fabs(v[i]) + c->model->loops->nominal[i]));
    }
    return isfinite(size) ? size : HUGE_VAL;
}

/* Goes along the step in v_step, by halves of it while the residual grows. */
static double go(CbInstance *c, double t, const double *x, const double *u, double before)
{
    const size_t n = c->model->nv;
    double *v = unknowns(c), part = 1.0, after = HUGE_VAL;
    size_t i;
    int k;

    memcpy(c->v_trial, v, n * sizeof *v);
    for (k = 0; k < MAX_HALVINGS; ++k, part *= 0.5) {
        for (i = 0; i < n; ++i) v[i] = c->v_trial[i] - part * c->v_step[i];
        after = residual(c, t, x, u, c->v_jacobian);
        if (after < before) break;
    }
    return after;
}

static int iterate(CbInstance *c, double t, const double *x, const double *u)
{
    const size_t n = c->model->nv;
    double *v = unknowns(c), size, left = residual(c, t, x, u, c->v_step);
    size_t i;
    int k;

    for (k = 0; k < MAX_ITERATIONS && isfinite(left); ++k) {
        if (left == 0.0) return 0;
        size = newton_step(c, t, x, u);
        if (size == HUGE_VAL) return 1;
        if (size < STEP_SMALL) {
            for (i = 0; i < n; ++i) v[i] -= c->v_step[i];
            return cb_first_nonfinite(v, n) < n;
        }
        go(c, t, x, u, left);
        left = residual(c, t, x, u, c->v_step);
    }
    return 1;
}

CB_LOCAL int cb_solve_loops(CbInstance *c, double t, const double *x, const double *u)
{
    const size_t n = c->model->nv;
    double *v = unknowns(c);

    memcpy(c->v_last, v, n * sizeof *v);
    c->loops_failed = iterate(c, t, x, u) != 0;
    if (!c->loops_failed) return 0;
    memcpy(v, c->v_last, n * sizeof *v); /* the next attempt begins where this one did */
    return 1;
}

CB_LOCAL CbStatus cb_start_loops(CbInstance *c, const char *caller)
{
    const CbModel *m = c->model;
    const double *in[1];

    in[0] = c->p;
    if (cb_call(c, &m->loops->start, in, 1, &c->v_trial, 1) != 0 ||
        cb_first_nonfinite(c->v_trial, m->nv) < m->nv) {
        return cb_error(c, "%s: the start values of nonlinear equations are not finite.", caller);
    }
    memcpy(unknowns(c), c->v_trial, m->nv * sizeof *c->v_trial);
    return CB_OK;
}

CB_LOCAL CbStatus cb_loops_failed(CbInstance *c, const char *caller, double t)
{
    const int discard = c->s.mode == CB_CONTINUOUS;
    const CbStatus status = discard ? CB_DISCARD : CB_ERROR;
    char names[200] = "";
    size_t i, used = 0;

    for (i = 0; i < c->model->nv && used < sizeof names; ++i) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                 c->model->loops->names[i]);
    }
    cb_log(&c->log, status, discard ? CB_LOG_DISCARD : CB_LOG_ERROR,
           "%s: the nonlinear equations for %s have no solution near the last one at time %.17g; "
           "%s", caller, names, t, c->model->loops->advice);
    return status;
}
