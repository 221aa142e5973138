#include "linear.h"

#include <math.h>

static void swap(double *a, double *b)
{
    const double t = *a;
    *a = *b;
    *b = t;
}

static size_t find_pivot(const double *column, size_t from, size_t n)
{
    size_t i, best = from;
    for (i = from + 1; i < n; ++i) {
        if (fabs(column[i]) > fabs(column[best])) best = i;
    }
    return best;
}

CB_LOCAL int cb_lu_factor(double *a, size_t *pivots, size_t n)
{
    size_t i, j, k;

    for (k = 0; k < n; ++k) {
        double *column = a + k * n;
        pivots[k] = find_pivot(column, k, n);
        if (!isfinite(column[pivots[k]]) || column[pivots[k]] == 0.0) return 1;
        for (j = 0; j < n; ++j) swap(&a[j * n + k], &a[j * n + pivots[k]]);
        for (i = k + 1; i < n; ++i) column[i] /= column[k];
        for (j = k + 1; j < n; ++j) {
            for (i = k + 1; i < n; ++i) a[j * n + i] -= column[i] * a[j * n + k];
        }
    }
    return 0;
}

CB_LOCAL void cb_lu_solve(const double *lu, const size_t *pivots, size_t n, double *b)
{
    size_t i, k;

    for (k = 0; k < n; ++k) swap(&b[k], &b[pivots[k]]);
    for (k = 0; k < n; ++k) {
        for (i = k + 1; i < n; ++i) b[i] -= lu[k * n + i] * b[k];
    }
    for (k = n; k-- > 0;) {
        b[k] /= lu[k * n + k];
        for (i = 0; i < k; ++i) b[i] -= lu[k * n + i] * b[k];
    }
}
