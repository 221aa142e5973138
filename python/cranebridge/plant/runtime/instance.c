#include "algorithm.h"
#include "events.h"
#include "loops.h"
#include "instance.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* ---------------------------------------------------------------- memory */

/* Cuts n numbers off a block; with no block yet, only counts them. */
static double *cut(double *block, size_t *used, size_t n)
{
    double *start = block ? block + *used : NULL;
    *used += n;
    return start;
}

static size_t lay_out_saved(CbInstance *c, double *block)
{
    const CbModel *m = c->model;
    const size_t bytes = m->algorithm ? m->algorithm->size : 0;
    size_t used = 0;

    c->memory = cut(block, &used, (bytes + sizeof(double) - 1) / sizeof(double));
    c->x = cut(block, &used, m->nx);
    c->u = cut(block, &used, m->nu);
    c->u_derivatives = cut(block, &used, CB_MAX_INPUT_DERIVATIVE * m->nu);
    c->u_slopes = cut(block, &used, m->nu);
    c->p = cut(block, &used, m->np + m->nm + m->nv);
    c->warned = cut(block, &used, m->events ? m->events->n_assertions : 0);
    c->x_given = cut(block, &used, m->nx);
    c->z = cut(block, &used, m->nx);
    c->rate = cut(block, &used, m->nx);
    c->dense = cut(block, &used, CB_DENSE_TERMS * m->nx);
    return used;
}

static size_t lay_out_work(CbInstance *c, double *block)
{
    const CbModel *m = c->model;
    size_t used = 0, i;

    c->derivatives = cut(block, &used, m->nx);
    c->y = cut(block, &used, m->ny);
    c->y_slopes = cut(block, &used, m->ny);
    for (i = 0; i < 6; ++i) c->stage[i] = cut(block, &used, m->nx);
    c->trial = cut(block, &used, m->nx);
    c->candidate = cut(block, &used, m->nx);
    c->error = cut(block, &used, m->nx);
    c->u_now = cut(block, &used, m->nu);
    c->jacobian = cut(block, &used, m->nx * m->nx);
    c->factors = cut(block, &used, m->nx * m->nx);
    c->seed_x = cut(block, &used, m->nx);
    c->seed_u = cut(block, &used, m->nu);
    c->seed_p = cut(block, &used, m->np + m->nm + m->nv);
    c->sens_x = cut(block, &used, m->nx);
    c->sens_y = cut(block, &used, m->ny);
    c->x_initial = cut(block, &used, m->nx);
    if (m->events) {
        const CbEvents *e = m->events;
        c->m_new = cut(block, &used, m->nm);
        c->x_new = cut(block, &used, m->nx);
        c->due = cut(block, &used, max_size(e->nt, max_size(e->n_actions, e->n_assertions)));
        c->z_before = cut(block, &used, e->nz);
        c->z_now = cut(block, &used, e->nz);
    }
    c->v_trial = cut(block, &used, m->nv);
    c->v_last = cut(block, &used, m->nv);
    c->v_step = cut(block, &used, m->nv);
    c->v_jacobian = cut(block, &used, m->nv * m->nv);
    c->backup = cut(block, &used, c->n_saved);
    c->asked = cut(block, &used, CB_ASKED * m->nu);
    c->rate_over_time = cut(block, &used, m->nx);
    return used;
}

/* calloc may return null for a size of zero; a plant without inputs is not out of memory. */
static void *allocate(size_t n, size_t size)
{
    return calloc(n > 0 ? n : 1, size);
}

static void cover(CbFunction *largest, const CbFunction *f)
{
    largest->n_arg = max_size(largest->n_arg, f->n_arg);
    largest->n_res = max_size(largest->n_res, f->n_res);
    largest->n_iw = max_size(largest->n_iw, f->n_iw);
    largest->n_w = max_size(largest->n_w, f->n_w);
}

static int allocate_casadi_workspace(CbInstance *c)
{
    const CbModel *m = c->model;
    const CbFunction *f[] = {&m->rhs,     &m->outputs, &m->initial,         &m->jacobian,
                             &m->forward, &m->adjoint, &m->initial_forward, &m->initial_adjoint};
    CbFunction largest = {0};
    size_t i;

    for (i = 0; i < sizeof f / sizeof f[0]; ++i) cover(&largest, f[i]);
    if (m->events) {
        cover(&largest, &m->events->start);
        cover(&largest, &m->events->update);
        cover(&largest, &m->events->indicators);
        cover(&largest, &m->events->times);
        cover(&largest, &m->events->checks);
    }
    if (m->loops) {
        cover(&largest, &m->loops->residual);
        cover(&largest, &m->loops->jacobian);
        cover(&largest, &m->loops->start);
    }
    c->arg = allocate(largest.n_arg, sizeof *c->arg);
    c->res = allocate(largest.n_res, sizeof *c->res);
    c->iw = allocate(largest.n_iw, sizeof *c->iw);
    c->w = allocate(largest.n_w, sizeof *c->w);
    return c->arg && c->res && c->iw && c->w;
}

static int allocate_all(CbInstance *c, const char *name)
{
    c->n_saved = lay_out_saved(c, NULL);
    c->saved = allocate(c->n_saved, sizeof *c->saved);
    c->work = allocate(lay_out_work(c, NULL), sizeof *c->work);
    c->pivots = allocate(c->model->nx, sizeof *c->pivots);
    c->v_pivots = allocate(c->model->nv, sizeof *c->v_pivots);
    c->name = allocate(strlen(name) + 1, 1);
    if (!c->saved || !c->work || !c->pivots || !c->v_pivots || !c->name) return 0;
    lay_out_saved(c, c->saved);
    lay_out_work(c, c->work);
    strcpy(c->name, name);
    return allocate_casadi_workspace(c);
}

CB_LOCAL void cb_free(CbInstance *c)
{
    if (!c) return;
    free(c->saved);
    free(c->work);
    free(c->pivots);
    free(c->v_pivots);
    free(c->name);
    free(c->master.accessible);
    free((void *)c->arg);
    free(c->res);
    free(c->iw);
    free(c->w);
    free(c);
}

CB_LOCAL CbInstance *cb_instantiate(CbType type, const char *name, const char *token,
                                    const CbLog *log)
{
    CbInstance *c;

    if (!name || !name[0]) {
        cb_log(log, CB_ERROR, CB_LOG_ERROR, "The instance has no name.");
        return NULL;
    }
    if (!token || strcmp(token, cb_model.token) != 0) {
        cb_log(log, CB_ERROR, CB_LOG_ERROR,
               "The token '%.80s' is not this FMU's '%s': modelDescription.xml and binary do not "
               "belong together.", token ? token : "(null)", cb_model.token);
        return NULL;
    }
    c = calloc(1, sizeof *c);
    if (c) c->model = &cb_model;
    if (!c || !allocate_all(c, name)) {
        cb_log(log, CB_ERROR, CB_LOG_ERROR, "Out of memory.");
        cb_free(c);
        return NULL;
    }
    c->log = *log;
    c->log.instance_name = c->name;
    c->s.type = (int)type;
    cb_reset(c);
    return c;
}

CB_LOCAL void cb_reset(CbInstance *c)
{
    const CbModel *m = c->model;
    const int type = c->s.type;
    size_t i;

    memset(&c->s, 0, sizeof c->s);
    memset(c->saved, 0, c->n_saved * sizeof *c->saved);
    c->s.type = type;
    c->s.mode = CB_INSTANTIATED;
    c->s.method = m->method;
    c->s.time = c->s.start = m->start_time;
    c->s.tolerance = m->tolerance;
    for (i = 0; i < m->nx; ++i) c->x[i] = m->x[i].start;
    for (i = 0; i < m->nu; ++i) c->u[i] = m->u[i].start;
    for (i = 0; i < m->np; ++i) c->p[i] = m->p[i].start;
    cb_values_changed(c);
}

/* ---------------------------------------------------------------- checks */

CB_LOCAL CbStatus cb_error(const CbInstance *c, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cb_log(&c->log, CB_ERROR, CB_LOG_ERROR, "%s", text);
    return CB_ERROR;
}

static const char *mode_name(int mode)
{
    switch (mode) {
    case CB_INSTANTIATED: return "instantiated";
    case CB_INITIALIZATION: return "initialization";
    case CB_EVENT: return "event";
    case CB_CONTINUOUS: return "continuous-time";
    case CB_STEP: return "step";
    case CB_INTERMEDIATE: return "intermediate update";
    default: return "terminated";
    }
}

CB_LOCAL CbStatus cb_require_mode(const CbInstance *c, const char *caller, int modes)
{
    if (c->s.mode & modes) return CB_OK;
    return cb_error(c, "%s: must not be called in %s mode of %s.", caller, mode_name(c->s.mode),
                    c->s.type == CB_CO_SIMULATION ? "Co-Simulation" : "Model Exchange");
}

CB_LOCAL CbStatus cb_require_pointer(const CbInstance *c, const char *caller, const void *pointer,
                                     size_t n)
{
    if (pointer || n == 0) return CB_OK;
    return cb_error(c, "%s: an argument is a null pointer.", caller);
}

/* ---------------------------------------------------------------- evaluation */

CB_LOCAL size_t cb_first_nonfinite(const double *v, size_t n)
{
    size_t i;
    for (i = 0; i < n && isfinite(v[i]); ++i) {}
    return i;
}

CB_LOCAL int cb_call(CbInstance *c, const CbFunction *f, const double *const in[], size_t n_in,
                     double *const out[], size_t n_out)
{
    size_t i;
    /* CasADi overwrites neither pointer array's first entries, but may use those behind them. */
    for (i = 0; i < n_in; ++i) c->arg[i] = in[i];
    for (i = 0; i < n_out; ++i) c->res[i] = out[i];
    return f->call(c->arg, c->res, c->iw, c->w, 0);
}

CB_LOCAL int cb_rhs(CbInstance *c, double t, const double *x, const double *u, double *dx)
{
    const double *in[4];
    if (c->model->nv > 0 && cb_solve_loops(c, t, x, u) != 0) return 1;
    in[0] = &t;
    in[1] = x;
    in[2] = u;
    in[3] = c->p;
    return cb_call(c, &c->model->rhs, in, 4, &dx, 1) != 0 ||
           cb_first_nonfinite(dx, c->model->nx) < c->model->nx;
}

CB_LOCAL void cb_values_changed(CbInstance *c)
{
    c->derivatives_valid = c->y_valid = c->jacobian_valid = 0;
    /* Before the run memory and loops follow from everything that can be set. */
    if ((c->model->events || c->model->loops) && (c->s.mode & CB_BEFORE_RUN)) {
        c->s.initial_valid = 0;
    }
}

/* In continuous-time mode FMI wants "discard" here: the environment's solver takes a smaller step. */
static CbStatus not_finite(CbInstance *c, const char *caller, const char *what, const char *name)
{
    const int discard = c->s.mode == CB_CONTINUOUS;
    const CbStatus status = discard ? CB_DISCARD : CB_ERROR;

    cb_log(&c->log, status, discard ? CB_LOG_DISCARD : CB_LOG_ERROR,
           "%s: %s %s is not finite at time %.17g; check parameters, inputs and states.", caller,
           what, name, c->s.time);
    return status;
}

CB_LOCAL CbStatus cb_update_initial(CbInstance *c, const char *caller)
{
    const CbModel *m = c->model;
    const double *in[1];
    size_t i;
    int failed;

    if (c->s.initial_valid || !(c->s.mode & CB_BEFORE_RUN)) return CB_OK;
    in[0] = c->p;
    failed = cb_call(c, &m->initial, in, 1, &c->x_initial, 1);
    i = cb_first_nonfinite(c->x_initial, m->nx);
    if (i < m->nx) return not_finite(c, caller, "the start value of", m->x[i].name);
    if (failed) return cb_error(c, "%s: the start values cannot be computed.", caller);
    for (i = 0; i < m->nx; ++i) {
        if (c->x_given[i] == 0.0) c->x[i] = c->x_initial[i];
    }
    cb_values_changed(c);
    if (m->loops && cb_start_loops(c, caller) != CB_OK) return CB_ERROR;
    if (m->events && cb_start_memory(c, caller) != CB_OK) return CB_ERROR;
    c->s.initial_valid = 1;
    return CB_OK;
}

static CbStatus evaluate_here(CbInstance *c, const char *caller, const CbFunction *f, double *out,
                              const CbVariable *variables, size_t n, const char *what)
{
    const CbModel *m = c->model;
    const double *in[4];
    size_t i;
    int failed;

    if (m->nv > 0 && cb_solve_loops(c, c->s.time, c->x, c->u) != 0) {
        return cb_loops_failed(c, caller, c->s.time);
    }
    in[0] = &c->s.time;
    in[1] = c->x;
    in[2] = c->u;
    in[3] = c->p;
    failed = cb_call(c, f, in, 4, &out, 1);
    i = cb_first_nonfinite(out, n);
    if (i < n) return not_finite(c, caller, what, variables[i].name);
    if (failed) return cb_error(c, "%s: the model cannot be evaluated.", caller);
    return CB_OK;
}

CB_LOCAL CbStatus cb_update_derivatives(CbInstance *c, const char *caller)
{
    const CbModel *m = c->model;
    CbStatus status = cb_update_initial(c, caller);

    if (status != CB_OK || c->derivatives_valid) return status;
    status = evaluate_here(c, caller, &m->rhs, c->derivatives, m->x, m->nx, "the derivative of");
    c->derivatives_valid = status == CB_OK;
    return status;
}

CB_LOCAL CbStatus cb_update_outputs(CbInstance *c, const char *caller)
{
    const CbModel *m = c->model;
    CbStatus status = cb_update_initial(c, caller);

    if (status != CB_OK || c->y_valid) return status;
    status = m->algorithm
                 ? cb_evaluate_algorithm(c, caller)
                 : evaluate_here(c, caller, &m->outputs, c->y, m->y, m->ny, "the output");
    c->y_valid = status == CB_OK;
    return status;
}

/* ---------------------------------------------------------------- life cycle */

CB_LOCAL CbStatus cb_setup_experiment(CbInstance *c, const char *caller, int tolerance_defined,
                                      double tolerance, double start, int stop_defined,
                                      double stop)
{
    const double smallest = 100.0 * DBL_EPSILON;
    CbStatus status = CB_OK;

    if (!isfinite(start)) return cb_error(c, "%s: the start time is not finite.", caller);
    if (stop_defined && !(isfinite(stop) && stop >= start)) {
        return cb_error(c, "%s: the stop time %g is not after the start time %g.", caller, stop,
                        start);
    }
    if (tolerance_defined && !(isfinite(tolerance) && tolerance > 0.0)) {
        return cb_error(c, "%s: the tolerance is %g; it must be positive.", caller, tolerance);
    }
    if (tolerance_defined && tolerance < smallest) {
        cb_log(&c->log, CB_WARNING, CB_LOG_WARNING,
               "%s: the tolerance %g is below what double precision reaches; %g is used.", caller,
               tolerance, smallest);
        tolerance = smallest;
        status = CB_WARNING;
    }
    if (tolerance_defined) c->s.tolerance = tolerance;
    c->s.time = c->s.start = start;
    c->s.stop_defined = stop_defined != 0;
    c->s.stop = stop_defined ? stop : 0.0;
    cb_values_changed(c);
    return status;
}

CB_LOCAL CbStatus cb_enter_initialization(CbInstance *c, const char *caller)
{
    CbStatus status = cb_update_initial(c, caller);
    if (status == CB_OK) c->s.mode = CB_INITIALIZATION;
    return status;
}

/* The first evaluation of the plant: a zero mass or a rope of length zero shows here. */
CB_LOCAL CbStatus cb_exit_initialization(CbInstance *c, const char *caller)
{
    CbStatus status = cb_update_derivatives(c, caller);

    if (status == CB_OK) status = cb_update_outputs(c, caller);
    if (status != CB_OK) return status;
    if (c->model->events && cb_finish_initialization(c, caller) != CB_OK) return CB_ERROR;
    c->s.mode = c->s.type == CB_CO_SIMULATION && !c->master.events ? CB_STEP : CB_EVENT;
    memset(&c->s.integrator, 0, sizeof c->s.integrator);
    cb_log(&c->log, CB_OK, CB_LOG_EVENTS, "Initialized at time %.17g.", c->s.time);
    return CB_OK;
}
