#include "variables.h"

#include <math.h>
#include <string.h>

static CbReference cb_reference_of(CbKind kind, size_t index)
{
    CbReference r;
    r.kind = kind;
    r.index = index;
    return r;
}

CB_LOCAL CbReference cb_locate(const CbModel *m, unsigned long reference)
{
    size_t i = reference;

    /* one after another: integrators ask for every input and output of every evaluation */
    if (i == 0) return cb_reference_of(CB_TIME, 0);
    i -= 1;
    if (i < m->nx) return cb_reference_of(CB_STATE, i);
    i -= m->nx;
    if (i < m->nx) return cb_reference_of(CB_DERIVATIVE, i);
    i -= m->nx;
    if (i < m->nu) return cb_reference_of(CB_INPUT, i);
    i -= m->nu;
    if (i < m->ny) return cb_reference_of(CB_OUTPUT, i);
    i -= m->ny;
    if (i < m->np) return cb_reference_of(CB_PARAMETER, i);
    i -= m->np;
    if (i < CB_UNKNOWN - CB_METHOD) return cb_reference_of((CbKind)(CB_METHOD + (int)i), 0);
    return cb_reference_of(CB_UNKNOWN, i - (CB_UNKNOWN - CB_METHOD));
}

CB_LOCAL const char *cb_name(const CbModel *m, CbReference r)
{
    switch (r.kind) {
    case CB_TIME: return "time";
    case CB_STATE:
    case CB_DERIVATIVE: return m->x[r.index].name;
    case CB_INPUT: return m->u[r.index].name;
    case CB_OUTPUT: return m->y[r.index].name;
    case CB_PARAMETER: return m->p[r.index].name;
    case CB_METHOD: return "integrator.method";
    default: return "integrator statistics";
    }
}

static int flags_of(const CbModel *m, CbReference r)
{
    if (r.kind == CB_INPUT) return m->u[r.index].flags;
    return r.kind == CB_OUTPUT ? m->y[r.index].flags : 0;
}

CB_LOCAL int cb_is_discrete(const CbModel *m, unsigned long reference)
{
    return flags_of(m, cb_locate(m, reference)) & CB_DISCRETE;
}

/* Zero for a real, otherwise CB_BOOLEAN or CB_INTEGER. */
static int type_of(const CbModel *m, CbReference r)
{
    return flags_of(m, r) & (CB_BOOLEAN | CB_INTEGER);
}

/* ---------------------------------------------------------------- reals */

static CbStatus no_real(const CbInstance *c, const char *caller, unsigned int reference)
{
    return cb_error(c, "%s: there is no real variable with value reference %u.", caller,
                    reference);
}

/* Any variable that is kept as a number, whatever type it has outside. */
static CbStatus get_number(CbInstance *c, const char *caller, unsigned int reference,
                           CbReference r, double *value)
{
    CbStatus status = CB_OK;

    switch (r.kind) {
    case CB_TIME:
        *value = c->s.time;
        break;
    case CB_STATE:
        status = cb_update_initial(c, caller);
        if (status == CB_OK) *value = c->x[r.index];
        break;
    case CB_DERIVATIVE:
        status = cb_update_derivatives(c, caller);
        if (status == CB_OK) *value = c->derivatives[r.index];
        break;
    case CB_INPUT:
        *value = c->u[r.index];
        break;
    case CB_OUTPUT:
        status = cb_update_outputs(c, caller);
        if (status == CB_OK) *value = c->y[r.index];
        break;
    case CB_PARAMETER:
        *value = c->p[r.index];
        break;
    default:
        return no_real(c, caller, reference);
    }
    return status;
}

static CbStatus get_real(CbInstance *c, const char *caller, unsigned int reference, double *value)
{
    const CbReference r = cb_locate(c->model, reference);

    if (type_of(c->model, r)) return no_real(c, caller, reference);
    return get_number(c, caller, reference, r, value);
}

CB_LOCAL CbStatus cb_get_reals(CbInstance *c, const char *caller, const unsigned int references[],
                               size_t n, double values[])
{
    size_t i;

    if (cb_require_pointer(c, caller, references, n) != CB_OK ||
        cb_require_pointer(c, caller, values, n) != CB_OK) {
        return CB_ERROR;
    }
    for (i = 0; i < n; ++i) {
        const CbStatus status = get_real(c, caller, references[i], &values[i]);
        if (status != CB_OK) return status;
    }
    return CB_OK;
}

static CbStatus check_parameter(const CbInstance *c, const char *caller, size_t i, double value)
{
    const CbVariable *p = &c->model->p[i];

    if (!(c->s.mode & CB_BEFORE_RUN) && !(p->flags & CB_TUNABLE)) {
        return cb_error(c, "%s: the parameter %s is fixed after initialization.", caller, p->name);
    }
    if (!(c->s.mode & (CB_BEFORE_RUN | CB_EVENT | CB_STEP))) {
        return cb_error(c, "%s: the parameter %s can change in event mode only.", caller, p->name);
    }
    if (value < p->min || value > p->max) {
        return cb_error(c, "%s: the parameter %s = %g is not between its min %g and max %g.",
                        caller, p->name, value, p->min, p->max);
    }
    return CB_OK;
}

static CbStatus check_state(const CbInstance *c, const char *caller, size_t i)
{
    const CbVariable *x = &c->model->x[i];

    if (c->s.type == CB_CO_SIMULATION && !(c->s.mode & CB_BEFORE_RUN)) {
        return cb_error(c, "%s: the state %s cannot be set during Co-Simulation.", caller, x->name);
    }
    if ((c->s.mode & CB_BEFORE_RUN) && (x->flags & CB_CALCULATED)) {
        return cb_error(c, "%s: the start value of %s is calculated from parameters.", caller,
                        x->name);
    }
    return CB_OK;
}

static CbStatus check_input(const CbInstance *c, const char *caller, size_t i)
{
    const CbVariable *u = &c->model->u[i];

    const int continuous = CB_CONTINUOUS | (c->master.events ? CB_STEP : 0);

    if (!(u->flags & CB_DISCRETE) || !(c->s.mode & continuous)) return CB_OK;
    return cb_error(c, "%s: the discrete input %s can change in event mode only.", caller,
                    u->name);
}

static CbStatus check_real(const CbInstance *c, const char *caller, unsigned int reference,
                           double value)
{
    const CbReference r = cb_locate(c->model, reference);

    if (r.kind > CB_PARAMETER || type_of(c->model, r)) return no_real(c, caller, reference);
    if (!isfinite(value)) {
        return cb_error(c, "%s: the value for %s is not finite.", caller, cb_name(c->model, r));
    }
    switch (r.kind) {
    case CB_INPUT: return check_input(c, caller, r.index);
    case CB_STATE: return check_state(c, caller, r.index);
    case CB_PARAMETER: return check_parameter(c, caller, r.index, value);
    case CB_DERIVATIVE:
        return cb_error(c, "%s: der(%s) is calculated and cannot be set.", caller,
                        cb_name(c->model, r));
    default:
        return cb_error(c, "%s: %s cannot be set.", caller, cb_name(c->model, r));
    }
}

static void set_real(CbInstance *c, CbReference r, double value)
{
    if (r.kind == CB_STATE) {
        c->x[r.index] = value;
        c->x_given[r.index] = 1.0;
    } else if (r.kind == CB_INPUT) {
        /* Setting an input to the value it has is no event: the integrator just goes on. */
        if (c->u[r.index] != value) c->s.integrator.restart = 1;
        c->u[r.index] = value;
    } else {
        if (c->p[r.index] != value) c->s.integrator.restart = 1;
        c->p[r.index] = value;
        c->s.initial_valid = 0;
    }
}

CB_LOCAL CbStatus cb_set_reals(CbInstance *c, const char *caller, const unsigned int references[],
                               size_t n, const double values[])
{
    size_t i;

    if (cb_require_pointer(c, caller, references, n) != CB_OK ||
        cb_require_pointer(c, caller, values, n) != CB_OK) {
        return CB_ERROR;
    }
    for (i = 0; i < n; ++i) {
        if (check_real(c, caller, references[i], values[i]) != CB_OK) return CB_ERROR;
    }
    for (i = 0; i < n; ++i) set_real(c, cb_locate(c->model, references[i]), values[i]);
    cb_values_changed(c);
    return CB_OK;
}

/* ---------------------------------------------------------------- Booleans */

static CbStatus require_boolean(const CbInstance *c, const char *caller, unsigned int reference)
{
    if (type_of(c->model, cb_locate(c->model, reference)) == CB_BOOLEAN) return CB_OK;
    return cb_error(c, "%s: this FMU has no variables of that type with value reference %u.",
                    caller, reference);
}

CB_LOCAL CbStatus cb_get_boolean(CbInstance *c, const char *caller, unsigned int reference,
                                 int *value)
{
    double number = 0.0;
    CbStatus status = require_boolean(c, caller, reference);

    if (status == CB_OK) {
        status = get_number(c, caller, reference, cb_locate(c->model, reference), &number);
    }
    *value = number != 0.0;
    return status;
}

CB_LOCAL CbStatus cb_check_boolean(CbInstance *c, const char *caller, unsigned int reference)
{
    const CbReference r = cb_locate(c->model, reference);

    if (require_boolean(c, caller, reference) != CB_OK) return CB_ERROR;
    if (r.kind == CB_INPUT) return check_input(c, caller, r.index);
    return cb_error(c, "%s: %s cannot be set.", caller, cb_name(c->model, r));
}

CB_LOCAL void cb_set_boolean(CbInstance *c, unsigned int reference, int value)
{
    set_real(c, cb_locate(c->model, reference), value ? 1.0 : 0.0);
    cb_values_changed(c);
}

/* ---------------------------------------------------------------- integers */

static CbStatus get_whole_number(CbInstance *c, const char *caller, unsigned int reference,
                                 long long *value)
{
    double number = 0.0;
    const CbReference r = cb_locate(c->model, reference);
    const CbStatus status = get_number(c, caller, reference, r, &number);

    *value = (long long)number;
    return status;
}

CB_LOCAL CbStatus cb_get_integer(CbInstance *c, const char *caller, unsigned int reference,
                                 long long *value)
{
    const CbReference r = cb_locate(c->model, reference);

    if (type_of(c->model, r) == CB_INTEGER) return get_whole_number(c, caller, reference, value);
    switch (r.kind) {
    case CB_METHOD: *value = c->s.method; return CB_OK;
    case CB_STEPS: *value = c->s.integrator.steps; return CB_OK;
    case CB_REJECTED: *value = c->s.integrator.rejected; return CB_OK;
    case CB_EVALUATIONS: *value = c->s.integrator.evaluations; return CB_OK;
    default:
        return cb_error(c, "%s: there is no integer or enumeration with value reference %u.",
                        caller, reference);
    }
}

CB_LOCAL CbStatus cb_set_integer(CbInstance *c, const char *caller, unsigned int reference,
                                 long long value)
{
    const CbReference r = cb_locate(c->model, reference);

    if (r.kind == CB_INPUT && type_of(c->model, r) == CB_INTEGER) {
        if (check_input(c, caller, r.index) != CB_OK) return CB_ERROR;
        set_real(c, r, (double)value);
        cb_values_changed(c);
        return CB_OK;
    }
    if (r.kind != CB_METHOD) {
        return cb_error(c, "%s: the value reference %u is not a whole number that can be set.",
                        caller, reference);
    }
    if (!(c->s.mode & CB_BEFORE_RUN)) {
        return cb_error(c, "%s: integrator.method is fixed after initialization.", caller);
    }
    if (value != CB_DOPRI5 && value != CB_RODAS4) {
        return cb_error(c, "%s: integrator.method is %d (dopri5) or %d (rodas4), not %lld.",
                        caller, CB_DOPRI5, CB_RODAS4, value);
    }
    c->s.method = (int)value;
    return CB_OK;
}

CB_LOCAL CbStatus cb_no_such_type(const CbInstance *c, const char *caller, size_t n)
{
    if (n == 0) return CB_OK;
    return cb_error(c, "%s: this FMU has no variables of that type.", caller);
}

/* ---------------------------------------------------------------- vectors */

static CbStatus check_vector(const CbInstance *c, const char *caller, const double v[], size_t n)
{
    if (n != c->model->nx) {
        return cb_error(c, "%s: the plant has %u continuous states, not %u.", caller,
                        (unsigned)c->model->nx, (unsigned)n);
    }
    return cb_require_pointer(c, caller, v, n);
}

CB_LOCAL CbStatus cb_set_time(CbInstance *c, const char *caller, double time)
{
    if (!isfinite(time)) return cb_error(c, "%s: the time is not finite.", caller);
    c->s.time = time;
    cb_values_changed(c);
    return CB_OK;
}

CB_LOCAL CbStatus cb_get_states(CbInstance *c, const char *caller, double x[], size_t n)
{
    CbStatus status = check_vector(c, caller, x, n);
    if (status == CB_OK) status = cb_update_initial(c, caller);
    if (status == CB_OK && n > 0) memcpy(x, c->x, n * sizeof *x);
    return status;
}

CB_LOCAL CbStatus cb_set_states(CbInstance *c, const char *caller, const double x[], size_t n)
{
    size_t i;

    if (check_vector(c, caller, x, n) != CB_OK) return CB_ERROR;
    i = cb_first_nonfinite(x, n);
    if (i < n) return cb_error(c, "%s: the state %s is not finite.", caller, c->model->x[i].name);
    if (n > 0) memcpy(c->x, x, n * sizeof *x);
    cb_values_changed(c);
    return CB_OK;
}

CB_LOCAL CbStatus cb_get_derivatives(CbInstance *c, const char *caller, double dx[], size_t n)
{
    CbStatus status = check_vector(c, caller, dx, n);
    if (status == CB_OK) status = cb_update_derivatives(c, caller);
    if (status == CB_OK && n > 0) memcpy(dx, c->derivatives, n * sizeof *dx);
    return status;
}

CB_LOCAL CbStatus cb_get_nominals(CbInstance *c, const char *caller, double nominals[], size_t n)
{
    size_t i;

    if (check_vector(c, caller, nominals, n) != CB_OK) return CB_ERROR;
    for (i = 0; i < n; ++i) nominals[i] = c->model->x[i].nominal;
    return CB_OK;
}
