/* Explicit Runge-Kutta method of order 5(4) with dense output of order 4.

   Tableau: Dormand, Prince, A family of embedded Runge-Kutta formulae, J. Comput. Appl. Math. 6
   (1980). Dense output: Shampine; as in Hairer, Norsett, Wanner, Solving Ordinary Differential
   Equations I, II.6, and their code DOPRI5. The last stage is the first of the next step. */

#include "integrator.h"

static const double DP_C[7] = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};

static const double DP_A[7][6] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};

/* Order 5 minus order 4. */
static const double DP_E[7] = {71.0 / 57600,      0.0,        -71.0 / 16695, 71.0 / 1920,
                               -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

static const double DP_D[7] = {-12715105075.0 / 11282082432.0,
                               0.0,
                               87487479700.0 / 32700410799.0,
                               -10690763975.0 / 1880347072.0,
                               701980252875.0 / 199316789632.0,
                               -1453857185.0 / 822651844.0,
                               69997945.0 / 29380423.0};

/* Stage k of the step: the first is `rate`, the others are stage[0] ... stage[5]. */
static const double *dp_stage(const CbInstance *c, int k)
{
    return k == 0 ? c->rate : c->stage[k - 1];
}

static double dp_sum(const CbInstance *c, const double weights[], int n, size_t i)
{
    double sum = 0.0;
    int k;
    for (k = 0; k < n; ++k) sum += weights[k] * dp_stage(c, k)[i];
    return sum;
}

static int dp_attempt(CbInstance *c, double h)
{
    const size_t n = c->model->nx;
    const double t = c->s.integrator.t1;
    size_t i;
    int k;

    for (k = 1; k < 7; ++k) {
        double *x = k < 6 ? c->trial : c->candidate; /* the last stage is at the new state */
        for (i = 0; i < n; ++i) x[i] = c->z[i] + h * dp_sum(c, DP_A[k], k, i);
        if (cb_rate(c, t + DP_C[k] * h, x, c->stage[k - 1])) return 1;
    }
    for (i = 0; i < n; ++i) c->error[i] = h * dp_sum(c, DP_E, 7, i);
    return 0;
}

static void dp_accept(CbInstance *c, double h)
{
    const size_t n = c->model->nx;
    double *d = c->dense;
    size_t i;

    for (i = 0; i < n; ++i) {
        const double change = c->candidate[i] - c->z[i];
        const double bend = h * c->rate[i] - change;
        d[i] = c->z[i];
        d[n + i] = change;
        d[2 * n + i] = bend;
        d[3 * n + i] = change - h * c->stage[5][i] - bend;
        d[4 * n + i] = h * dp_sum(c, DP_D, 7, i);
    }
    for (i = 0; i < n; ++i) c->rate[i] = c->stage[5][i];
    c->s.integrator.rate_valid = 1;
}

static void dp_interpolate(const CbInstance *c, double theta, double *x)
{
    const size_t n = c->model->nx;
    const double *d = c->dense, rest = 1.0 - theta;
    size_t i;

    for (i = 0; i < n; ++i) {
        x[i] = d[i] + theta * (d[n + i] + rest * (d[2 * n + i] + theta * (d[3 * n + i] +
               rest * d[4 * n + i])));
    }
}

static const CbMethod cb_dopri5 = {5.0, 0.04, 10.0, 0.2, dp_attempt, dp_accept, dp_interpolate};
