#include "derivatives.h"
#include "loops.h"

#include <string.h>

static void clear(double *v, size_t n)
{
    if (n > 0) memset(v, 0, n * sizeof *v);
}

/* sens_x, sens_y = d(f, g) in the direction (dt, seed_x, seed_u, seed_p) at the present values. */
static CbStatus forward(CbInstance *c, const char *caller, double dt)
{
    const CbModel *m = c->model;
    const double *in[8];
    double *out[2];

    if (m->nv > 0 && cb_solve_loops(c, c->s.time, c->x, c->u) != 0) {
        return cb_loops_failed(c, caller, c->s.time);
    }
    in[0] = &c->s.time;
    in[1] = c->x;
    in[2] = c->u;
    in[3] = c->p;
    in[4] = &dt;
    in[5] = c->seed_x;
    in[6] = c->seed_u;
    in[7] = c->seed_p;
    out[0] = c->sens_x;
    out[1] = c->sens_y;
    if (cb_call(c, &m->forward, in, 8, out, 2) != 0 ||
        cb_first_nonfinite(c->sens_x, m->nx) < m->nx ||
        cb_first_nonfinite(c->sens_y, m->ny) < m->ny) {
        return cb_error(c, "%s: a derivative is not finite at time %.17g.", caller, c->s.time);
    }
    return CB_OK;
}

/* Before the run the states are functions of the parameters, and their tangents follow. */
static CbStatus add_initial_tangents(CbInstance *c, const char *caller)
{
    const CbModel *m = c->model;
    const double *in[2];
    size_t i;

    if (!(c->s.mode & CB_BEFORE_RUN)) return CB_OK;
    in[0] = c->p;
    in[1] = c->seed_p;
    if (cb_call(c, &m->initial_forward, in, 2, &c->x_initial, 1) != 0 ||
        cb_first_nonfinite(c->x_initial, m->nx) < m->nx) {
        return cb_error(c, "%s: a derivative of the start values is not finite.", caller);
    }
    for (i = 0; i < m->nx; ++i) {
        if (c->x_given[i] == 0.0) c->seed_x[i] += c->x_initial[i];
    }
    return CB_OK;
}

static CbStatus add_seed(CbInstance *c, const char *caller, unsigned int known, double seed,
                         double *dt)
{
    const CbReference r = cb_locate(c->model, known);

    switch (r.kind) {
    case CB_TIME: *dt += seed; return CB_OK;
    case CB_STATE: c->seed_x[r.index] += seed; return CB_OK;
    case CB_INPUT: c->seed_u[r.index] += seed; return CB_OK;
    case CB_PARAMETER: c->seed_p[r.index] += seed; return CB_OK;
    default:
        return cb_error(c, "%s: the value reference %u is not a known (time, state, input, "
                        "parameter).", caller, known);
    }
}

static CbStatus check_unknowns(const CbInstance *c, const char *caller,
                               const unsigned int unknowns[], size_t n)
{
    size_t i;
    for (i = 0; i < n; ++i) {
        const CbKind kind = cb_locate(c->model, unknowns[i]).kind;
        if (kind != CB_DERIVATIVE && kind != CB_OUTPUT && kind != CB_STATE) {
            return cb_error(c, "%s: the value reference %u is not an unknown (state derivative, "
                            "output).", caller, unknowns[i]);
        }
    }
    return CB_OK;
}

CB_LOCAL CbStatus cb_directional(CbInstance *c, const char *caller, const unsigned int unknowns[],
                                 size_t n_unknowns, const unsigned int knowns[], size_t n_knowns,
                                 const double seed[], double sensitivity[])
{
    const CbModel *m = c->model;
    double dt = 0.0;
    size_t i;

    if (m->algorithm) return cb_error(c, "%s: this FMU does not provide it.", caller);
    if (cb_require_pointer(c, caller, unknowns, n_unknowns) != CB_OK ||
        cb_require_pointer(c, caller, sensitivity, n_unknowns) != CB_OK ||
        cb_require_pointer(c, caller, knowns, n_knowns) != CB_OK ||
        cb_require_pointer(c, caller, seed, n_knowns) != CB_OK ||
        check_unknowns(c, caller, unknowns, n_unknowns) != CB_OK ||
        cb_update_initial(c, caller) != CB_OK) {
        return CB_ERROR;
    }
    clear(c->seed_x, m->nx);
    clear(c->seed_u, m->nu);
    clear(c->seed_p, m->np + m->nm + m->nv);
    for (i = 0; i < n_knowns; ++i) {
        if (add_seed(c, caller, knowns[i], seed[i], &dt) != CB_OK) return CB_ERROR;
    }
    if (add_initial_tangents(c, caller) != CB_OK || forward(c, caller, dt) != CB_OK) {
        return CB_ERROR;
    }
    for (i = 0; i < n_unknowns; ++i) {
        const CbReference r = cb_locate(m, unknowns[i]);
        sensitivity[i] = r.kind == CB_DERIVATIVE ? c->sens_x[r.index]
                         : r.kind == CB_OUTPUT   ? c->sens_y[r.index]
                                                 : c->seed_x[r.index];
    }
    return CB_OK;
}

CB_LOCAL CbStatus cb_check_orders(const CbInstance *c, const char *caller,
                                  const unsigned int references[], size_t n,
                                  const int orders[], int largest)
{
    size_t i;

    if (cb_require_pointer(c, caller, references, n) != CB_OK ||
        cb_require_pointer(c, caller, orders, n) != CB_OK) {
        return CB_ERROR;
    }
    for (i = 0; i < n; ++i) {
        if (orders[i] < 1 || orders[i] > largest) {
            return cb_error(c, "%s: a derivative of order %d is not between 1 and %d.", caller,
                            orders[i], largest);
        }
    }
    return CB_OK;
}

/* An algorithm has no states beside it: its outputs move with time alone. */
static CbStatus slopes_of_algorithm(CbInstance *c, const char *caller,
                                    const unsigned int references[], size_t n, double values[])
{
    const CbStatus status = cb_update_outputs(c, caller);
    size_t i;

    for (i = 0; i < n && status == CB_OK; ++i) {
        values[i] = c->y_slopes[cb_locate(c->model, references[i]).index];
    }
    return status;
}

/* dy/dt = g_t + g_x f + g_u du/dt, from the left where the inputs jump. */
CB_LOCAL CbStatus cb_output_derivatives(CbInstance *c, const char *caller,
                                        const unsigned int references[], size_t n,
                                        const int orders[], double values[])
{
    const CbModel *m = c->model;
    CbStatus status;
    size_t i;

    if (cb_check_orders(c, caller, references, n, orders, 1) != CB_OK ||
        cb_require_pointer(c, caller, values, n) != CB_OK) {
        return CB_ERROR;
    }
    for (i = 0; i < n; ++i) {
        const CbKind kind = cb_locate(m, references[i]).kind;
        if ((kind != CB_OUTPUT && kind != CB_STATE) || cb_is_discrete(m, references[i])) {
            return cb_error(c, "%s: the value reference %u is not a continuous output.", caller,
                            references[i]);
        }
    }
    if (m->algorithm) return slopes_of_algorithm(c, caller, references, n, values);
    status = cb_update_derivatives(c, caller);
    if (status != CB_OK) return status;
    for (i = 0; i < m->nx; ++i) c->seed_x[i] = c->derivatives[i];
    for (i = 0; i < m->nu; ++i) c->seed_u[i] = c->u_slopes[i];
    clear(c->seed_p, m->np + m->nm + m->nv);
    status = forward(c, caller, 1.0);
    if (status != CB_OK) return status;
    for (i = 0; i < n; ++i) {
        const CbReference r = cb_locate(m, references[i]);
        values[i] = r.kind == CB_OUTPUT ? c->sens_y[r.index] : c->derivatives[r.index];
    }
    return CB_OK;
}
