/* The Runge-Kutta method of order 8(5, 3) of Dormand and Prince: the same method, step control and
   dense output as SciPy's DOP853. A piece of the integration ends exactly at its bound, and the next
   begins with the step size found so far, which makes many pieces (one a sample of the input) cheap. */

#include "loop.h"

#include <math.h>
#include <string.h>

#include "dop853_tables.h"

static const double SAFETY = 0.9, SHRINK = 0.2, GROW = 10.0, EXPONENT = -1.0 / 8.0;
/* Smallest first step, of the piece's length: a step that is too long is rejected, no more. */
static const double SMALLEST_FIRST = 1e-9;

static double ulp(double x)
{
    return nextafter(fabs(x), HUGE_VAL) - fabs(x);
}

/* Right-hand side: the inputs belong to this time and these states. */
static int rate_at(Loop *l, double t, const double *x, double *dx)
{
    ++l->task->evaluations;
    return place(l, t, x) || get_derivatives(l, dx);
}

/* stage = x + h sum a_i k_i, four states at a time: the sums stay in registers. What lies behind the
   last state is never read by others. */
static void combine(const Dop853 *g, const double *x, double h, const Row *row)
{
    size_t j;
    int i;

    for (j = 0; j < g->width; j += 4) {
        const double *k = g->k + j;
        double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
        for (i = 0; i < row->count; ++i) {
            const double a = row->a[i], *at = k + (size_t)row->stage[i] * g->width;
            s0 += a * at[0];
            s1 += a * at[1];
            s2 += a * at[2];
            s3 += a * at[3];
        }
        g->stage[j] = x[j] + h * s0;
        g->stage[j + 1] = x[j + 1] + h * s1;
        g->stage[j + 2] = x[j + 2] + h * s2;
        g->stage[j + 3] = x[j + 3] + h * s3;
    }
}

/* Tries a step and returns the norm of its error; nan for no value. */
static double attempt(Loop *l, double h)
{
    Dop853 *g = &l->g;
    const Task *task = l->task;
    const size_t n = task->nx;
    double fifth = 0.0, third = 0.0;
    size_t j;
    int s, i;

    g->was_discarded = 1;
    for (s = 1; s <= CB_STAGES; ++s) {
        combine(g, g->x, h, &STEP_ROWS[s - 1]);
        if (rate_at(l, g->t + NODES_C[s] * h, g->stage, g->k + (size_t)s * g->width)) return NAN;
    }
    g->was_discarded = 0;
    for (j = 0; j < n; ++j) {
        const double scale = task->atol + task->rtol * fmax(fabs(g->x[j]), fabs(g->stage[j]));
        double e5 = 0.0, e3 = 0.0;
        for (i = 0; i <= CB_STAGES; ++i) {
            e5 += E5[i] * g->k[(size_t)i * g->width + j];
            e3 += E3[i] * g->k[(size_t)i * g->width + j];
        }
        fifth += (e5 / scale) * (e5 / scale);
        third += (e3 / scale) * (e3 / scale);
    }
    g->not_finite = 0;
    if (fifth == 0.0 && third == 0.0) return 0.0;
    if (!isfinite(fifth + third)) {
        for (j = n; j-- > 0;) {
            for (i = 0; i <= CB_STAGES; ++i) {
                if (!isfinite(g->k[(size_t)i * g->width + j])) g->not_finite = j + 1;
            }
        }
        return NAN;
    }
    return h * fifth / sqrt((fifth + 0.01 * third) * (double)n);
}

static void accept_step(Loop *l, double h, double error, int rejected)
{
    Dop853 *g = &l->g;
    const size_t size = l->task->nx * sizeof *g->x;
    double factor = error == 0.0 ? GROW : fmin(GROW, SAFETY * pow(error, EXPONENT));
    const double left = g->bound - g->t;

    if (rejected) factor = fmin(1.0, factor);
    /* A step that was cut short by the bound says nothing against the longer one. */
    g->h = h < g->h ? fmax(g->h, h * factor) : h * factor;
    g->t_old = g->t;
    g->t = h >= left ? g->bound : g->t + h;
    memcpy(g->x_old, g->x, size);
    memcpy(g->x, g->stage, size);
    memcpy(g->first, g->k, size);
    memcpy(g->k, g->k + CB_STAGES * g->width, size);
    g->has_interpolant = 0;
    ++l->task->steps;
}

/* Takes one accepted step; whether there is none. */
static int take_step(Loop *l)
{
    Dop853 *g = &l->g;
    int rejected = 0;

    for (;;) {
        /* Not a tiny last step: the piece's last two steps share what is left. */
        const double left = g->bound - g->t;
        double h = fmin(g->h, l->task->max_step), error;
        if (h >= left) {
            h = left;
        } else if (h > 0.5 * left) {
            h = 0.5 * left;
        }
        if (g->t + h <= g->t || h < 10.0 * ulp(g->t)) {
            if (left > 10.0 * ulp(g->t)) return 1;
            h = left;
        }
        error = attempt(l, h);
        if (error < 1.0) {
            accept_step(l, h, error, rejected);
            return 0;
        }
        g->h = h * (isnan(error) ? SHRINK : fmax(SHRINK, SAFETY * pow(error, EXPONENT)));
        ++l->task->rejected;
        rejected = 1;
    }
}

/* Goes back to where the last step began and halves it: the FMU discards what lies within. */
static void undo_step(Loop *l)
{
    Dop853 *g = &l->g;
    const size_t size = l->task->nx * sizeof *g->x;

    g->h = 0.5 * (g->t - g->t_old);
    g->t = g->t_old;
    memcpy(g->x, g->x_old, size);
    memcpy(g->k, g->first, size);
    g->has_interpolant = 0;
    g->was_discarded = 1;
    --l->task->steps;
    ++l->task->rejected;
}

static double norm(const double *a, const double *b, const double *x, const Task *task)
{
    double sum = 0.0;
    size_t j;

    for (j = 0; j < task->nx; ++j) {
        const double e = (b ? a[j] - b[j] : a[j]) / (task->atol + task->rtol * fabs(x[j]));
        sum += e * e;
    }
    return sqrt(sum / (double)(task->nx ? task->nx : 1));
}

/* Starting step size, with one more evaluation: Hairer, Norsett, Wanner, Section II.4. */
static double first_step(Loop *l)
{
    Dop853 *g = &l->g;
    const Task *task = l->task;
    const size_t n = task->nx;
    const double span = g->bound - g->t;
    const double d0 = norm(g->x, NULL, g->x, task), d1 = norm(g->k, NULL, g->x, task);
    double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1, largest, h1;
    size_t j;

    /* States that pass through zero say nothing of the motion's pace. */
    h0 = fmin(fmax(fmax(h0, SMALLEST_FIRST * span), 100.0 * ulp(g->t)), span);
    for (j = 0; j < n; ++j) g->stage[j] = g->x[j] + h0 * g->k[j];
    if (rate_at(l, g->t + h0, g->stage, g->k + g->width)) return h0;
    largest = fmax(d1, norm(g->k + g->width, g->k, g->x, task) / h0);
    if (!isfinite(largest)) return h0;
    h1 = largest <= 1e-15 ? fmax(1e-6, 1e-3 * h0) : pow(0.01 / largest, 1.0 / 8.0);
    return fmin(100.0 * h0, h1);
}

/* Begins a piece that ends at a bound; whether the FMU discards its begin. The step size found so far is kept,
   unless it is said to restart: after an event. */
static int begin_piece(Loop *l, double t, double bound, int restart)
{
    Dop853 *g = &l->g;

    g->t = g->t_old = t;
    g->bound = bound;
    memcpy(g->stage, g->x, l->task->nx * sizeof *g->x);
    if (rate_at(l, t, g->stage, g->k)) return 1;
    if (g->h == 0.0 || restart) g->h = first_step(l);
    return 0;
}

/* Coefficients of the last step's dense output: three more evaluations, once a step. */
static int interpolate(Loop *l)
{
    Dop853 *g = &l->g;
    const size_t n = l->task->nx;
    const double h = g->t - g->t_old;
    double *f = g->interpolant, *k = g->k, *last = g->k + CB_STAGES * g->width;
    size_t j;
    int s, p, i, discarded = 0;

    memcpy(k, g->first, n * sizeof *k);
    for (s = CB_STAGES + 1; s < CB_EXTENDED_STAGES && !discarded; ++s) {
        combine(g, g->x_old, h, &EXTRA_ROWS[s - CB_STAGES - 1]);
        discarded = rate_at(l, g->t_old + NODES_C[s] * h, g->stage, k + (size_t)s * g->width);
    }
    for (j = 0; j < n && !discarded; ++j) {
        const double delta = g->x[j] - g->x_old[j];
        f[j] = delta;
        f[n + j] = h * k[j] - delta;
        f[2 * n + j] = 2.0 * delta - h * (last[j] + k[j]);
        for (p = 3; p < CB_POWERS; ++p) {
            double sum = 0.0;
            for (i = 0; i < CB_EXTENDED_STAGES; ++i) sum += D[p - 3][i] * k[(size_t)i * g->width + j];
            f[(size_t)p * n + j] = h * sum;
        }
    }
    memcpy(k, last, n * sizeof *k);
    g->has_interpolant = !discarded;
    return discarded;
}

/* States at a time within the last step (order 7); whether the FMU discards. */
static int states_at(Loop *l, double t, double *x)
{
    Dop853 *g = &l->g;
    const size_t n = l->task->nx;
    const double s = (t - g->t_old) / (g->t - g->t_old);
    size_t j;
    int p;

    if (!g->has_interpolant && interpolate(l)) return 1;
    for (j = 0; j < n; ++j) x[j] = 0.0;
    for (p = CB_POWERS - 1; p >= 0; --p) {
        const double factor = (CB_POWERS - 1 - p) % 2 == 0 ? s : 1.0 - s;
        const double *f = g->interpolant + (size_t)p * n;
        for (j = 0; j < n; ++j) x[j] = (x[j] + f[j]) * factor;
    }
    for (j = 0; j < n; ++j) x[j] += g->x_old[j];
    return 0;
}
