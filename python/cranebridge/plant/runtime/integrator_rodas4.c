/* Linearly implicit (Rosenbrock) method of order 4(3) with dense output of order 3: six stages,
   L-stable, stiffly accurate, one Jacobian a step and one LU decomposition a trial.

   Coefficients: RODAS of Hairer, Wanner, Solving Ordinary Differential Equations II, IV.7 and
   VI.4, in the form of their code RODAS (method 1), which needs no product with the Jacobian:

       (1/(gamma h) I - J) U_i = f(t + alpha_i h, x + sum_j a_ij U_j)
                                 + sum_j c_ij/h U_j + gamma_i h df/dt */

#include "integrator.h"
#include "intermediate.h"
#include "linear.h"

#include <string.h>

static const double RO_GAMMA = 0.25;
static const double RO_ALPHA[6] = {0.0, 0.386, 0.21, 0.63, 1.0, 1.0};
static const double RO_TIME[6] = {0.25, -0.1043, 0.1035, -0.3620000000000023e-01, 0.0, 0.0};

/* Stiffly accurate: the sixth row is the fifth plus U_5, the new state the sixth plus U_6. */
static const double RO_A[6][5] = {
    {0},
    {0.1544000000000000e+01},
    {0.9466785280815826e+00, 0.2557011698983284e+00},
    {0.3314825187068521e+01, 0.2896124015972201e+01, 0.9986419139977817e+00},
    {0.1221224509226641e+01, 0.6019134481288629e+01, 0.1253708332932087e+02,
     -0.6878860361058950e+00},
    {0.1221224509226641e+01, 0.6019134481288629e+01, 0.1253708332932087e+02,
     -0.6878860361058950e+00, 1.0},
};

static const double RO_C[6][5] = {
    {0},
    {-0.5668800000000000e+01},
    {-0.2430093356833875e+01, -0.2063599157091915e+00},
    {-0.1073529058151375e+00, -0.9594562251023355e+01, -0.2047028614809616e+02},
    {0.7496443313967647e+01, -0.1024680431464352e+02, -0.3399990352819905e+02,
     0.1170890893206160e+02},
    {0.8083246795921522e+01, -0.7981132988064893e+01, -0.3152159432874371e+02,
     0.1631930543123136e+02, -0.6058818238834054e+01},
};

static const double RO_D[2][5] = {
    {0.1012623508344586e+02, -0.7487995877610167e+01, -0.3480091861555747e+02,
     -0.7992771707568823e+01, 0.1025137723295662e+01},
    {-0.6762803392801253e+00, 0.6087714651680015e+01, 0.1643084320892478e+02,
     0.2476722511418386e+02, -0.6594389125716872e+01},
};

/* J = df/dx at (t1, z) in `jacobian`, and df/dt, moving inputs included. */
static int ro_linearize(CbInstance *c, double h)
{
    const CbModel *m = c->model;
    const double t = c->s.integrator.t1, one = 1.0;
    const double *in[8];
    double *out[2];

    if (c->jacobian_valid) return 0; /* the step before was rejected: same point, same Jacobian */
    cb_slopes_ahead(c, t, h, c->z, c->seed_u);
    cb_inputs_at(c, t, c->u_now);
    if (m->nv > 0 && cb_solve_loops(c, t, c->z, c->u_now) != 0) return 1;
    in[0] = &t;
    in[1] = c->z;
    in[2] = c->u_now;
    in[3] = c->p;
    in[4] = &one;
    in[5] = NULL;
    in[6] = c->seed_u;
    in[7] = NULL;
    out[0] = c->rate_over_time;
    out[1] = NULL;
    if (cb_call(c, &m->jacobian, in, 4, &c->jacobian, 1) != 0) return 1;
    if (cb_call(c, &m->forward, in, 8, out, 2) != 0) return 1;
    if (cb_first_nonfinite(c->jacobian, m->nx * m->nx) < m->nx * m->nx) return 1;
    if (cb_first_nonfinite(c->rate_over_time, m->nx) < m->nx) return 1;
    c->jacobian_valid = 1;
    return 0;
}

static int ro_factor(CbInstance *c, double h)
{
    const size_t n = c->model->nx;
    size_t i;

    for (i = 0; i < n * n; ++i) c->factors[i] = -c->jacobian[i];
    for (i = 0; i < n; ++i) c->factors[i * n + i] += 1.0 / (RO_GAMMA * h);
    if (cb_lu_factor(c->factors, c->pivots, n) == 0) return 0;
    cb_log(&c->log, CB_WARNING, CB_LOG_SINGULAR,
           "The matrix of a Rosenbrock step of size %g at time %.17g is singular.", h,
           c->s.integrator.t1);
    return 1;
}

static double ro_sum(const CbInstance *c, const double weights[], int n, size_t i)
{
    double sum = 0.0;
    int k;
    for (k = 0; k < n; ++k) sum += weights[k] * c->stage[k][i];
    return sum;
}

static int ro_stage(CbInstance *c, double h, int k)
{
    const size_t n = c->model->nx;
    const double *f = c->rate;
    size_t i;

    if (k > 0) {
        for (i = 0; i < n; ++i) c->trial[i] = c->z[i] + ro_sum(c, RO_A[k], k, i);
        if (cb_rate(c, c->s.integrator.t1 + RO_ALPHA[k] * h, c->trial, c->error)) return 1;
        f = c->error;
    }
    for (i = 0; i < n; ++i) {
        c->stage[k][i] = f[i] + ro_sum(c, RO_C[k], k, i) / h + RO_TIME[k] * h * c->rate_over_time[i];
    }
    cb_lu_solve(c->factors, c->pivots, n, c->stage[k]);
    return cb_first_nonfinite(c->stage[k], n) < n;
}

static int ro_attempt(CbInstance *c, double h)
{
    const size_t n = c->model->nx;
    size_t i;
    int k;

    if (ro_linearize(c, h) || ro_factor(c, h)) return 1;
    for (k = 0; k < 6; ++k) {
        if (ro_stage(c, h, k)) return 1;
    }
    /* After the last stage `trial` is the sixth stage's state. */
    for (i = 0; i < n; ++i) {
        c->error[i] = c->stage[5][i];
        c->candidate[i] = c->trial[i] + c->stage[5][i];
    }
    return cb_first_nonfinite(c->candidate, n) < n;
}

static void ro_accept(CbInstance *c, double h)
{
    const size_t n = c->model->nx;
    double *d = c->dense;
    size_t i;

    (void)h;
    for (i = 0; i < n; ++i) {
        d[i] = c->z[i];
        d[n + i] = c->candidate[i];
        d[2 * n + i] = ro_sum(c, RO_D[0], 5, i);
        d[3 * n + i] = ro_sum(c, RO_D[1], 5, i);
    }
    c->s.integrator.rate_valid = 0;
}

static void ro_interpolate(const CbInstance *c, double theta, double *x)
{
    const size_t n = c->model->nx;
    const double *d = c->dense, rest = 1.0 - theta;
    size_t i;

    for (i = 0; i < n; ++i) {
        x[i] = d[i] * rest + theta * (d[n + i] + rest * (d[2 * n + i] + theta * d[3 * n + i]));
    }
}

static const CbMethod cb_rodas4 = {4.0, 0.0, 6.0, 0.2, ro_attempt, ro_accept, ro_interpolate};
