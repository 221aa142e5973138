/* Rows of a flat motion at many times, with first and second derivatives by the path, over blocks
 * of lanes. What is generated for a crane stands before: the sizes, and the functions of one block
 * `sweep`, `values`, `slopes` and `second`, the last along one direction where BY_DIRECTION is 1.
 * Matrices of these are rows of columns; those that are returned are rows of rows. The formulas are
 * those of point_rows.py. */

#define WHOLE (SIZE_Z + UNKNOWNS)

/* Newton's unknowns for each path, from those nearby; not a number where there are none. */
void cb_settle(long count, long sweeps, double tolerance, const Rows *rows)
{
    V z[SIZE_Z], w[SIZE(UNKNOWNS)], p[SIZE(PARAMETERS)], g[ORDERS * OUTPUTS];
    V new[SIZE(UNKNOWNS)], step[SIZE(UNKNOWNS)];
    load(rows[2], 0, 1, PARAMETERS, p);
    for (long i = 0; i < count; i += LANES) {
        load(rows[0], i, count, SIZE_Z, z);
        load(rows[1], i, count, UNKNOWNS, w);
        V power = all(1.0);
        for (int k = 0; k < ORDERS * OUTPUTS; ++k) {
            if (k > 0 && k % OUTPUTS == 0)
                power *= z[SIZE_Z - 1];
            g[k] = k < SIZE_Z - 1 ? z[k] / power : all(0.0);
        }
        Mask large = (Mask)all(0.0);
        for (long n = 0; n < sweeps; ++n) {
            sweep(w, g, p, new, step);
            large = (Mask)all(0.0);
            for (int j = 0; j < UNKNOWNS; ++j) {
                /* what is not a number stays so, and counts as settled */
                large |= v_fabs(step[j]) > tolerance * (1.0 + v_fabs(new[j]));
                w[j] = new[j];
            }
            if (!any(large))
                break;
        }
        for (int j = 0; j < UNKNOWNS; ++j)
            w[j] = choose(large, all(NAN), w[j]);
        store(rows[3], i, count, UNKNOWNS, w);
    }
}

void cb_values(long count, const Rows *rows)
{
    V x[WHOLE], p[SIZE(GIVEN)], found[SIZE(COUNT)];
    load(rows[2], 0, 1, GIVEN, p);
    for (long i = 0; i < count; i += LANES) {
        load(rows[0], i, count, SIZE_Z, x);
        load(rows[1], i, count, UNKNOWNS, x + SIZE_Z);
        values(x, p, found);
        store(rows[3], i, count, COUNT, found);
    }
}

/* Solve a x = b, a of size n, b with m columns, both rows of rows, for one lane; x stands in b. */
static void solve_lane(double *a, double *b, int n, int m)
{
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
                pivot = i;
        if (pivot != k) {
            for (int j = 0; j < n; ++j) {
                double swap = a[k * n + j];
                a[k * n + j] = a[pivot * n + j];
                a[pivot * n + j] = swap;
            }
            for (int j = 0; j < m; ++j) {
                double swap = b[k * m + j];
                b[k * m + j] = b[pivot * m + j];
                b[pivot * m + j] = swap;
            }
        }
        for (int i = k + 1; i < n; ++i) {
            double factor = a[i * n + k] / a[k * n + k];
            if (factor == 0.0)
                continue;
            for (int j = k + 1; j < n; ++j)
                a[i * n + j] -= factor * a[k * n + j];
            for (int j = 0; j < m; ++j)
                b[i * m + j] -= factor * b[k * m + j];
        }
    }
    for (int k = n - 1; k >= 0; --k)
        for (int j = 0; j < m; ++j) {
            double sum = b[k * m + j];
            for (int i = k + 1; i < n; ++i)
                sum -= a[k * n + i] * b[i * m + j];
            b[k * m + j] = sum / a[k * n + k];
        }
}

/* Solve r_w x = b or, transposed, r_w^T x = b in all lanes; `residual` has r_w behind r_z. */
static void solve_lanes(const V *residual, int transposed, V *b, int m)
{
    double a[SIZE(UNKNOWNS * UNKNOWNS)], c[SIZE(UNKNOWNS * SIZE_Z)];
    const V *own = residual + SIZE_Z * UNKNOWNS;
    EACH_LANE
    {
        for (int i = 0; i < UNKNOWNS; ++i)
            for (int j = 0; j < UNKNOWNS; ++j)
                a[i * UNKNOWNS + j] = own[transposed ? i * UNKNOWNS + j : j * UNKNOWNS + i][lane];
        for (int i = 0; i < UNKNOWNS * m; ++i)
            c[i] = b[i][lane];
        solve_lane(a, c, UNKNOWNS, m);
        for (int i = 0; i < UNKNOWNS * m; ++i)
            b[i][lane] = c[i];
    }
}

/* dw/dz, rows of rows. */
static void find_ways(const V *residual, V *ways)
{
    for (int i = 0; i < UNKNOWNS; ++i)
        for (int j = 0; j < SIZE_Z; ++j)
            ways[i * SIZE_Z + j] = -residual[j * UNKNOWNS + i];
    solve_lanes(residual, 0, ways, SIZE_Z);
}

/* The rows, and their derivatives by z. */
void cb_slopes(long count, const Rows *rows)
{
    static __thread V x[WHOLE], p[SIZE(GIVEN)], found[SIZE(COUNT)], direct[SIZE(COUNT * WHOLE)];
    static __thread V residual[SIZE(UNKNOWNS * WHOLE)], ways[SIZE(UNKNOWNS * SIZE_Z)];
    static __thread V by_z[SIZE(COUNT * SIZE_Z)];
    load(rows[2], 0, 1, GIVEN, p);
    for (long n = 0; n < count; n += LANES) {
        load(rows[0], n, count, SIZE_Z, x);
        load(rows[1], n, count, UNKNOWNS, x + SIZE_Z);
        slopes(x, p, found, direct, residual);
        find_ways(residual, ways);
        for (int i = 0; i < COUNT; ++i)
            for (int j = 0; j < SIZE_Z; ++j) {
                V sum = direct[j * COUNT + i];
                for (int k = 0; k < UNKNOWNS; ++k)
                    sum += direct[(SIZE_Z + k) * COUNT + i] * ways[k * SIZE_Z + j];
                by_z[i * SIZE_Z + j] = sum;
            }
        store(rows[3], n, count, COUNT, found);
        store(rows[4], n, count, COUNT * SIZE_Z, by_z);
    }
}

/* The second derivatives times [I; W], rows of rows: WHOLE of them, SIZE_Z columns. */
#if BY_DIRECTION
static void find_half(const V *x, const V *weights, const V *forces, const V *p, const V *ways,
                      V *half)
{
    static __thread V way[WHOLE], column[WHOLE];
    for (int j = 0; j < SIZE_Z; ++j) {
        for (int i = 0; i < SIZE_Z; ++i)
            way[i] = all(i == j ? 1.0 : 0.0);
        for (int k = 0; k < UNKNOWNS; ++k)
            way[SIZE_Z + k] = ways[k * SIZE_Z + j];
        second(way, x, weights, forces, p, column);
        for (int i = 0; i < WHOLE; ++i)
            half[i * SIZE_Z + j] = column[i];
    }
}
#else
static void find_half(const V *x, const V *weights, const V *forces, const V *p, const V *ways,
                      V *half)
{
    static __thread V whole[WHOLE * WHOLE]; /* symmetric */
    second(0, x, weights, forces, p, whole);
    for (int i = 0; i < WHOLE; ++i)
        for (int j = 0; j < SIZE_Z; ++j) {
            V sum = whole[i * WHOLE + j];
            for (int k = 0; k < UNKNOWNS; ++k)
                sum += whole[i * WHOLE + SIZE_Z + k] * ways[k * SIZE_Z + j];
            half[i * SIZE_Z + j] = sum;
        }
}
#endif

/* The second derivatives by z of the weighted sum of the rows: [I; W]^T ... [I; W]. */
void cb_curvature(long count, const Rows *rows)
{
    static __thread V x[WHOLE], p[SIZE(GIVEN)], found[SIZE(COUNT)], direct[SIZE(COUNT * WHOLE)];
    static __thread V residual[SIZE(UNKNOWNS * WHOLE)], ways[SIZE(UNKNOWNS * SIZE_Z)];
    static __thread V weights[SIZE(COUNT)], forces[SIZE(UNKNOWNS)];
    static __thread V half[WHOLE * SIZE_Z], curved[SIZE_Z * SIZE_Z];
    load(rows[2], 0, 1, GIVEN, p);
    for (long n = 0; n < count; n += LANES) {
        load(rows[0], n, count, SIZE_Z, x);
        load(rows[1], n, count, UNKNOWNS, x + SIZE_Z);
        load(rows[3], n, count, COUNT, weights);
        slopes(x, p, found, direct, residual);
        find_ways(residual, ways);
        for (int k = 0; k < UNKNOWNS; ++k) {
            V sum = all(0.0);
            for (int i = 0; i < COUNT; ++i)
                sum -= weights[i] * direct[(SIZE_Z + k) * COUNT + i];
            forces[k] = sum;
        }
        solve_lanes(residual, 1, forces, 1);
        find_half(x, weights, forces, p, ways, half);
        for (int i = 0; i < SIZE_Z; ++i)
            for (int j = 0; j < SIZE_Z; ++j) {
                V sum = half[i * SIZE_Z + j];
                for (int k = 0; k < UNKNOWNS; ++k)
                    sum += ways[k * SIZE_Z + i] * half[(SIZE_Z + k) * SIZE_Z + j];
                curved[i * SIZE_Z + j] = sum;
            }
        store(rows[4], n, count, SIZE_Z * SIZE_Z, curved);
    }
}
