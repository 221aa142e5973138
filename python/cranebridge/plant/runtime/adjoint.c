#include "adjoint.h"
#include "loops.h"

#include <string.h>

static CbStatus spread_seed(CbInstance *c, const char *caller, const unsigned int unknowns[],
                            size_t n, const double seed[], double *direct)
{
    const CbModel *m = c->model;
    size_t i;

    for (i = 0; i < m->nx; ++i) c->sens_x[i] = direct[i] = 0.0;
    for (i = 0; i < m->ny; ++i) c->sens_y[i] = 0.0;
    for (i = 0; i < n; ++i) {
        const CbReference r = cb_locate(m, unknowns[i]);
        switch (r.kind) {
        case CB_DERIVATIVE: c->sens_x[r.index] += seed[i]; break;
        case CB_OUTPUT: c->sens_y[r.index] += seed[i]; break;
        case CB_STATE: direct[r.index] += seed[i]; break;
        default:
            return cb_error(c, "%s: the value reference %u is not an unknown (state derivative, "
                            "output).", caller, unknowns[i]);
        }
    }
    return CB_OK;
}

/* seed_p += (dx0/dp)^T seed_x over the states that follow from parameters. */
static CbStatus add_initial_cotangents(CbInstance *c, const char *caller)
{
    const CbModel *m = c->model;
    const double *in[2];
    double *out[1];
    size_t i;

    if (!(c->s.mode & CB_BEFORE_RUN) || m->np == 0) return CB_OK;
    for (i = 0; i < m->nx; ++i) c->x_initial[i] = c->x_given[i] == 0.0 ? c->seed_x[i] : 0.0;
    in[0] = c->p;
    in[1] = c->x_initial;
    /* `backup` is free outside a communication step and at least np numbers long. */
    out[0] = c->backup;
    if (cb_call(c, &m->initial_adjoint, in, 2, out, 1) != 0 ||
        cb_first_nonfinite(c->backup, m->np) < m->np) {
        return cb_error(c, "%s: a derivative of the start values is not finite.", caller);
    }
    for (i = 0; i < m->np; ++i) c->seed_p[i] += c->backup[i];
    return CB_OK;
}

static CbStatus collect(CbInstance *c, const char *caller, const unsigned int knowns[], size_t n,
                        double dt, double sensitivity[])
{
    size_t i;

    for (i = 0; i < n; ++i) {
        const CbReference r = cb_locate(c->model, knowns[i]);
        switch (r.kind) {
        case CB_TIME: sensitivity[i] = dt; break;
        case CB_STATE: sensitivity[i] = c->seed_x[r.index]; break;
        case CB_INPUT: sensitivity[i] = c->seed_u[r.index]; break;
        case CB_PARAMETER: sensitivity[i] = c->seed_p[r.index]; break;
        default:
            return cb_error(c, "%s: the value reference %u is not a known (time, state, input, "
                            "parameter).", caller, knowns[i]);
        }
    }
    return CB_OK;
}

CB_LOCAL CbStatus cb_adjoint(CbInstance *c, const char *caller, const unsigned int unknowns[],
                             size_t n_unknowns, const unsigned int knowns[], size_t n_knowns,
                             const double seed[], double sensitivity[])
{
    const CbModel *m = c->model;
    const double *in[6];
    double *out[4], dt = 0.0;
    size_t i;

    if (m->algorithm) return cb_error(c, "%s: this FMU does not provide it.", caller);
    if (cb_require_pointer(c, caller, unknowns, n_unknowns) != CB_OK ||
        cb_require_pointer(c, caller, seed, n_unknowns) != CB_OK ||
        cb_require_pointer(c, caller, knowns, n_knowns) != CB_OK ||
        cb_require_pointer(c, caller, sensitivity, n_knowns) != CB_OK ||
        cb_update_initial(c, caller) != CB_OK ||
        spread_seed(c, caller, unknowns, n_unknowns, seed, c->trial) != CB_OK) {
        return CB_ERROR;
    }
    if (m->nv > 0 && cb_solve_loops(c, c->s.time, c->x, c->u) != 0) {
        return cb_loops_failed(c, caller, c->s.time);
    }
    in[0] = &c->s.time;
    in[1] = c->x;
    in[2] = c->u;
    in[3] = c->p;
    in[4] = c->sens_x;
    in[5] = c->sens_y;
    out[0] = &dt;
    out[1] = c->seed_x;
    out[2] = c->seed_u;
    out[3] = c->seed_p;
    if (cb_call(c, &m->adjoint, in, 6, out, 4) != 0 ||
        cb_first_nonfinite(c->seed_x, m->nx) < m->nx ||
        cb_first_nonfinite(c->seed_u, m->nu) < m->nu ||
        cb_first_nonfinite(c->seed_p, m->np) < m->np || cb_first_nonfinite(&dt, 1) < 1) {
        return cb_error(c, "%s: a derivative is not finite at time %.17g.", caller, c->s.time);
    }
    for (i = 0; i < m->nx; ++i) c->seed_x[i] += c->trial[i];
    if (add_initial_cotangents(c, caller) != CB_OK) return CB_ERROR;
    return collect(c, caller, knowns, n_knowns, dt, sensitivity);
}
