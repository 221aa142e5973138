/* Newton steps on a chain of pieces: what rows at single times contribute, summed up by pieces, and
 * the quadratic program that is left, solved piece by piece from the end to the begin.
 *
 * Piece k has `size` variables p_k. Where it is linked, the first `states` of them are
 * x_k = F_k p_(k-1) + gap_k; the others are free. All pieces see the border variables b (durations).
 * The quadratic form has blocks of a piece (own), of a piece and the next one (next), of a piece and
 * the border (border), and of the border (corner). All matrices are rows of rows. */

#include <math.h>
#include <string.h>

typedef struct {
    long count, size, states, borders;
    const double *links;          /* (count, states, size): F_k; the first is not used */
    const unsigned char *linked;  /* (count) */
    const unsigned char *fixed;   /* (count, size): variables that do not move */
} Chain;

typedef struct {
    double *own;    /* (count, size, size) */
    double *next;   /* (count, size, size): piece k by piece k + 1 */
    double *border; /* (count, size, borders) */
    double *corner; /* (borders, borders) */
} Blocks;

typedef struct {
    double *root; /* (count, size, size): Cholesky's factor of what is eliminated with a piece */
    double *tied; /* (count, size, size + borders): its inverse times the ties to what is left */
    double *last; /* (borders, borders): Cholesky's factor of the corner */
} Factors;

/* Rows at some times: z = base + matrix v[places], with v all pieces, the border and a zero. */
typedef struct {
    long times, rows, size, columns, entries;
    const double *matrix; /* (times, size, columns) */
    const double *base;   /* (times, size) */
    const long *places;   /* (times, columns) */
    const long *from;     /* (entries): in which rows and columns matrices are not zero */
    const long *to;
} Seen;

/* z at each time. */
void cb_see(const Seen *seen, const double *v, double *z)
{
    const double *own = seen->matrix;
    for (long t = 0; t < seen->times; ++t) {
        const long *places = seen->places + t * seen->columns;
        double values[seen->columns];
        for (long j = 0; j < seen->columns; ++j)
            values[j] = v[places[j]];
        for (long i = 0; i < seen->size; ++i, own += seen->columns) {
            double sum = 0.0;
            for (long j = 0; j < seen->columns; ++j)
                sum += own[j] * values[j];
            z[t * seen->size + i] = seen->base[t * seen->size + i] + sum;
        }
    }
}

/* By how much rows change along a direction v. slopes: (times, rows, size). */
void cb_along(const Seen *seen, const double *slopes, const double *v, double *change)
{
    const double *own = seen->matrix;
    for (long t = 0; t < seen->times; ++t) {
        const long *places = seen->places + t * seen->columns;
        double values[seen->columns], z[seen->size];
        for (long j = 0; j < seen->columns; ++j)
            values[j] = v[places[j]];
        for (long i = 0; i < seen->size; ++i, own += seen->columns) {
            z[i] = 0.0;
            for (long j = 0; j < seen->columns; ++j)
                z[i] += own[j] * values[j];
        }
        for (long r = 0; r < seen->rows; ++r, slopes += seen->size) {
            double sum = 0.0;
            for (long i = 0; i < seen->size; ++i)
                sum += slopes[i] * z[i];
            *change++ = sum;
        }
    }
}

/* Add the gradient of the weighted sum of all rows. weights: (times, rows). */
void cb_add_gradient(const Seen *seen, const double *slopes, const double *weights, double *sums)
{
    const double *own = seen->matrix;
    for (long t = 0; t < seen->times; ++t) {
        const long *places = seen->places + t * seen->columns;
        double z[seen->size], values[seen->columns];
        memset(z, 0, sizeof z);
        memset(values, 0, sizeof values);
        for (long r = 0; r < seen->rows; ++r, slopes += seen->size, ++weights)
            if (*weights != 0.0)
                for (long i = 0; i < seen->size; ++i)
                    z[i] += *weights * slopes[i];
        for (long i = 0; i < seen->size; ++i, own += seen->columns)
            for (long j = 0; j < seen->columns; ++j)
                values[j] += z[i] * own[j];
        for (long j = 0; j < seen->columns; ++j)
            sums[places[j]] += values[j];
    }
}

/* b += factor a, over whole blocks of four numbers. */
static inline void add_scaled(long blocks, double factor, const double *a, double *b)
{
    for (long i = 0; i < blocks; ++i, a += 4, b += 4) {
        b[0] += factor * a[0];
        b[1] += factor * a[1];
        b[2] += factor * a[2];
        b[3] += factor * a[3];
    }
}

/* Add second derivatives by the columns at some places (rows of 4 * wide numbers) to the blocks. */
static void add_at(const Chain *chain, const Blocks *blocks, long columns, long wide, const long *places,
                   const double *found)
{
    const long n = chain->size, f = chain->borders, pieces = chain->count * n;
    for (long i = 0; i < columns; ++i, found += 4 * wide) {
        if (places[i] >= pieces + f)
            continue; /* given */
        if (places[i] >= pieces) {
            double *mine = blocks->corner + (places[i] - pieces) * f;
            for (long j = 0; j < columns; ++j)
                if (places[j] >= pieces && places[j] < pieces + f)
                    mine[places[j] - pieces] += found[j];
            continue;
        }
        long begin = places[i] / n * n;
        double *mine = blocks->own + places[i] * n, *after = blocks->next + places[i] * n;
        double *outer = blocks->border + places[i] * f;
        for (long j = 0; j < columns; ++j) {
            long offset = places[j] - begin;
            if (places[j] >= pieces + f || offset < 0)
                continue; /* given, or of the piece before, which has the same */
            else if (places[j] >= pieces)
                outer[places[j] - pieces] += found[j];
            else if (offset >= n)
                after[offset - n] += found[j];
            else
                mine[offset] += found[j];
        }
    }
}

/* Add the second derivatives: `curved` by z (times, size, size), NULL for none, and the outer products
 * of the rows' slopes with weights `stiff` (times, rows), NULL for none. */
void cb_add_blocks(const Chain *chain, const Seen *seen, const double *curved, const double *slopes,
                   const double *stiff, const Blocks *blocks)
{
    const long n = seen->size, m = seen->columns, deep = (n + 3) / 4, wide = (m + 3) / 4;
    double whole[n * 4 * deep], half[m * 4 * deep], turned[n * 4 * wide], found[m * 4 * wide];
    double slope[4 * deep];
    memset(whole, 0, sizeof whole);
    memset(turned, 0, sizeof turned);
    memset(found, 0, sizeof found);
    memset(slope, 0, sizeof slope);
    for (long t = 0; t < seen->times; ++t) {
        const double *matrix = seen->matrix + t * n * m;
        const long *places = seen->places + t * m;
        for (long i = 0; i < n; ++i)
            for (long j = 0; j < n; ++j)
                whole[i * 4 * deep + j] = curved ? curved[(t * n + i) * n + j] : 0.0;
        for (long r = 0; stiff && r < seen->rows; ++r) {
            double weight = stiff[t * seen->rows + r];
            if (weight == 0.0)
                continue;
            memcpy(slope, slopes + (t * seen->rows + r) * n, (size_t)n * sizeof(double));
            for (long i = 0; i < n; ++i)
                if (slope[i] != 0.0)
                    add_scaled(deep, weight * slope[i], slope, whole + i * 4 * deep);
        }
        memset(half, 0, sizeof half);
        for (long e = 0; e < seen->entries; ++e) {
            long k = seen->from[e], j = seen->to[e];
            add_scaled(deep, matrix[k * m + j], whole + k * 4 * deep, half + j * 4 * deep);
        }
        for (long k = 0; k < n; ++k)
            for (long j = 0; j < m; ++j)
                turned[k * 4 * wide + j] = half[j * 4 * deep + k];
        for (long e = 0; e < seen->entries; ++e) {
            long k = seen->from[e], j = seen->to[e];
            add_scaled(wide, matrix[k * m + j], turned + k * 4 * wide, found + j * 4 * wide);
        }
        /* times of one piece go on with the same sums */
        if (t + 1 == seen->times || memcmp(places, places + m, (size_t)m * sizeof(long)) != 0) {
            add_at(chain, blocks, m, wide, places, found);
            memset(found, 0, sizeof found);
        }
    }
}

/* Replace a (n by n, with a row stride) by its lower Cholesky factor; 0 where it has none. */
static int cholesky(long n, double *a, long stride)
{
    for (long i = 0; i < n; ++i)
        for (long j = 0; j <= i; ++j) {
            double sum = a[i * stride + j];
            for (long k = 0; k < j; ++k)
                sum -= a[i * stride + k] * a[j * stride + k];
            if (i == j) {
                if (!(sum > 1e-300) || !isfinite(sum))
                    return 0;
                a[i * stride + i] = sqrt(sum);
            } else
                a[i * stride + j] = sum / a[j * stride + j];
        }
    return 1;
}

/* Replace b (n by m) by L^-1 b. */
static void forward(long n, const double *l, long stride, long m, double *b)
{
    for (long i = 0; i < n; ++i) {
        for (long k = 0; k < i; ++k)
            for (long j = 0; j < m; ++j)
                b[i * m + j] -= l[i * stride + k] * b[k * m + j];
        for (long j = 0; j < m; ++j)
            b[i * m + j] /= l[i * stride + i];
    }
}

/* Replace b (n) by L^-T b. */
static void backward(long n, const double *l, long stride, double *b)
{
    for (long i = n - 1; i >= 0; --i) {
        for (long k = i + 1; k < n; ++k)
            b[i] -= l[k * stride + i] * b[k];
        b[i] /= l[i * stride + i];
    }
}

/* c (n by m) += a^T b for a (l by n) and b (l by m), with row strides. */
static void add_product(long l, long n, long m, const double *a, long of_a, const double *b, long of_b,
                        double *c, long of_c, double sign)
{
    for (long k = 0; k < l; ++k)
        for (long i = 0; i < n; ++i) {
            double factor = sign * a[k * of_a + i];
            if (factor != 0.0)
                for (long j = 0; j < m; ++j)
                    c[i * of_c + j] += factor * b[k * of_b + j];
        }
}

/* Eliminate all pieces from the last to the first, then the border; 0 where the form is not positive
 * definite on what the links leave free. The blocks are changed: with each piece stands what all later
 * ones leave. */
int cb_factor(const Chain *chain, const Blocks *blocks, const Factors *factors)
{
    const long n = chain->size, s = chain->states, f = chain->borders, wide = n + f;
    for (long k = chain->count - 1; k >= 0; --k) {
        double *own = blocks->own + k * n * n, *border = blocks->border + k * n * f;
        double *root = factors->root + k * n * n, *tied = factors->tied + k * n * wide;
        double *before = k ? blocks->own + (k - 1) * n * n : 0;
        double *next = k ? blocks->next + (k - 1) * n * n : 0;
        double *outer = k ? blocks->border + (k - 1) * n * f : 0;
        long first = chain->linked[k] ? s : 0, free = n - first;
        for (long i = 0; i < n; ++i)
            if (chain->fixed[k * n + i]) {
                for (long j = 0; j < n; ++j)
                    own[i * n + j] = own[j * n + i] = i == j;
                for (long j = 0; j < f; ++j)
                    border[i * f + j] = 0.0;
                if (k)
                    for (long j = 0; j < n; ++j)
                        next[j * n + i] = 0.0;
            }
        for (long i = 0; i < free; ++i)
            memcpy(root + i * n, own + (first + i) * n + first, (size_t)free * sizeof(double));
        if (!cholesky(free, root, n))
            return 0;
        memset(tied, 0, (size_t)(n * wide) * sizeof(double));
        for (long i = 0; i < free; ++i) {
            if (k)
                for (long j = 0; j < n; ++j)
                    tied[i * wide + j] = next[j * n + first + i];
            for (long j = 0; j < f; ++j)
                tied[i * wide + n + j] = border[(first + i) * f + j];
        }
        if (chain->linked[k]) {
            const double *link = chain->links + k * s * n;
            double through[s * n], crossed[n * n];
            add_product(s, free, n, own + s, n, link, n, tied, wide, 1.0);
            memset(through, 0, sizeof through);
            add_product(s, s, n, own, n, link, n, through, n, 1.0);
            add_product(s, n, n, link, n, through, n, before, n, 1.0);
            memset(crossed, 0, sizeof crossed);
            for (long i = 0; i < n; ++i)
                for (long l = 0; l < s; ++l) {
                    double factor = next[i * n + l];
                    if (factor != 0.0)
                        for (long j = 0; j < n; ++j)
                            crossed[i * n + j] += factor * link[l * n + j];
                }
            for (long i = 0; i < n; ++i)
                for (long j = 0; j < n; ++j)
                    before[i * n + j] += crossed[i * n + j] + crossed[j * n + i];
            add_product(s, n, f, link, n, border, f, outer, f, 1.0);
        }
        forward(free, root, n, wide, tied);
        if (k) {
            add_product(free, n, n, tied, wide, tied, wide, before, n, -1.0);
            add_product(free, n, f, tied, wide, tied + n, wide, outer, f, -1.0);
        }
        add_product(free, f, f, tied + n, wide, tied + n, wide, blocks->corner, f, -1.0);
    }
    memcpy(factors->last, blocks->corner, (size_t)(f * f) * sizeof(double));
    return cholesky(f, factors->last, f);
}

/* The step that the gradient (count * size + borders, changed) and the gaps of the links (count, states)
 * ask for, and the multipliers of the links (count, states). */
void cb_step(const Chain *chain, const Blocks *blocks, const Factors *factors, const double *gaps,
             double *gradient, double *step, double *forces)
{
    const long n = chain->size, s = chain->states, f = chain->borders, wide = n + f;
    double *of_border = gradient + chain->count * n, *border_step = step + chain->count * n;
    for (long k = chain->count - 1; k >= 0; --k) {
        const double *own = blocks->own + k * n * n, *root = factors->root + k * n * n;
        const double *border = blocks->border + k * n * f, *tied = factors->tied + k * n * wide;
        const double *next = k ? blocks->next + (k - 1) * n * n : 0, *gap = gaps + k * s;
        double *mine = gradient + k * n, *before = mine - n, *reached = step + k * n;
        long first = chain->linked[k] ? s : 0, free = n - first;
        for (long i = 0; i < n; ++i)
            if (chain->fixed[k * n + i])
                mine[i] = 0.0;
        for (long i = 0; i < free; ++i)
            reached[i] = mine[first + i];
        if (chain->linked[k]) {
            const double *link = chain->links + k * s * n;
            for (long l = 0; l < s; ++l) {
                double at = mine[l];
                for (long j = 0; j < s; ++j)
                    at += own[l * n + j] * gap[j];
                for (long i = 0; i < free; ++i)
                    reached[i] += own[l * n + s + i] * gap[l];
                for (long j = 0; j < n; ++j)
                    before[j] += link[l * n + j] * at;
                for (long j = 0; j < n; ++j)
                    before[j] += next[j * n + l] * gap[l];
                for (long j = 0; j < f; ++j)
                    of_border[j] += border[l * f + j] * gap[l];
            }
        }
        forward(free, root, n, 1, reached);
        for (long i = 0; i < free; ++i) {
            if (k)
                for (long j = 0; j < n; ++j)
                    before[j] -= tied[i * wide + j] * reached[i];
            for (long j = 0; j < f; ++j)
                of_border[j] -= tied[i * wide + n + j] * reached[i];
        }
    }
    for (long j = 0; j < f; ++j)
        border_step[j] = -of_border[j];
    forward(f, factors->last, f, 1, border_step);
    backward(f, factors->last, f, border_step);
    for (long k = 0; k < chain->count; ++k) {
        const double *own = blocks->own + k * n * n, *root = factors->root + k * n * n;
        const double *border = blocks->border + k * n * f, *tied = factors->tied + k * n * wide;
        const double *next = k ? blocks->next + (k - 1) * n * n : 0;
        double *mine = step + k * n, *before = mine - n, moved[n];
        long first = chain->linked[k] ? s : 0, free = n - first;
        for (long i = 0; i < free; ++i) {
            moved[first + i] = -mine[i];
            if (k)
                for (long j = 0; j < n; ++j)
                    moved[first + i] -= tied[i * wide + j] * before[j];
            for (long j = 0; j < f; ++j)
                moved[first + i] -= tied[i * wide + n + j] * border_step[j];
        }
        backward(free, root, n, moved + first);
        if (chain->linked[k]) {
            const double *link = chain->links + k * s * n;
            for (long l = 0; l < s; ++l) {
                moved[l] = gaps[k * s + l];
                for (long j = 0; j < n; ++j)
                    moved[l] += link[l * n + j] * before[j];
            }
            for (long l = 0; l < s; ++l) {
                double force = gradient[k * n + l];
                for (long j = 0; j < n; ++j)
                    force += own[l * n + j] * moved[j] + next[j * n + l] * before[j];
                for (long j = 0; j < f; ++j)
                    force += border[l * f + j] * border_step[j];
                forces[k * s + l] = force;
            }
        }
        memcpy(mine, moved, sizeof moved);
    }
}
