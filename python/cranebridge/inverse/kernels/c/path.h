/* Piecewise polynomials at increasing times: the path with its derivatives, and first guesses. */

typedef struct {
    const double *bounds; /* where one segment ends and the next begins */
    long bound_count;
    const double *segments; /* anchor, length, coefficients, then an affine map for each output */
    long degree;
    const long *outputs;
    long output_count;
    long affine; /* whether outputs are affine functions of one progress from 0 to 1 */
} Track;

/* Count the bounds before a time; with `left`, one that is met does not count. */
static inline long passed(const double *bounds, long count, long from, double t, int left)
{
    while (from < count && (left ? bounds[from] < t : bounds[from] <= t))
        ++from;
    return from;
}

static inline V column(const double *const *row, int same, long j)
{
    V r = {0};
    if (same)
        return all(row[0][j]);
    EACH_LANE r[lane] = row[lane][j];
    return r;
}

/* Unrolled, or the sums would not be kept in registers. */
#define EACH_ORDER _Pragma("GCC unroll 16") for (int k = 0; k < ORDERS; ++k)

/* As the path's own NumPy code computes it, rounding by rounding. */
static inline __attribute__((always_inline)) void
evaluate(const Track *track, const double *const *row, int same, V t, V *gammas)
{
    V x = (t - column(row, same, 0)) / column(row, same, 1), c[ORDERS];
EACH_ORDER c[k] = all(0.0);
    for (long n = track->degree; n >= 0; --n) {
        EACH_ORDER c[k] = c[k] * x + column(row, same, 2 + n * ORDERS + k);
    }
    long map = 2 + (track->degree + 1) * ORDERS;
    for (long i = 0; i < track->output_count; ++i) {
        V *gamma = gammas + track->outputs[i];
        if (!track->affine) {
            for (int k = 0; k < ORDERS; ++k)
                gamma[k * OUTPUTS] = c[k] + 0.0;
            continue;
        }
        V first = column(row, same, map + 3 * i), last = column(row, same, map + 3 * i + 1);
        V step = column(row, same, map + 3 * i + 2);
        gamma[0] = choose(c[0] > 0.5, last + step * (c[0] - 1.0), first + step * c[0]) + 0.0;
        for (int k = 1; k < ORDERS; ++k)
            gamma[k * OUTPUTS] = step * c[k] + 0.0;
    }
}

/* `segment` is where the search begins, and moves on with the times. */
static inline void
follow_track(const Track *track, long *segment, const double *times, const int *left, V *gammas)
{
    long stride = 2 + (track->degree + 1) * ORDERS + (track->affine ? 3 * track->output_count : 0);
    const double *row[LANES];
    V t;
    memcpy(&t, times, sizeof(V));
    EACH_LANE
    {
        *segment = passed(track->bounds, track->bound_count, *segment, times[lane], left[lane]);
        row[lane] = track->segments + *segment * stride;
    }
    if (row[0] == row[LANES - 1])
        evaluate(track, row, 1, t, gammas);
    else
        evaluate(track, row, 0, t, gammas);
}

/* Outputs with code of their own; `segment` as above. */
typedef struct {
    void (*evaluate)(const void *path, long *segment, const double *times, const int *left, V *gammas);
    const void *path;
} Curve;

#define COEFFICIENTS 6 /* of quintics, highest power first */

typedef struct {
    const double *breaks;
    long count; /* of breaks */
    const double *rows; /* for each interval: its begin, then the coefficients of each unknown */
} Guess;

static inline void guess_unknowns(const Guess *guess, long *interval, const double *times, V *w)
{
    const double *row[LANES];
    V t;
    memcpy(&t, times, sizeof(V));
    EACH_LANE
    {
        *interval = passed(guess->breaks, guess->count, *interval, times[lane], 0);
        long i = *interval < 1 ? 0 : *interval - 1;
        i = i < guess->count - 1 ? i : guess->count - 2;
        row[lane] = guess->rows + i * (1 + COEFFICIENTS * UNKNOWNS);
    }
    int same = row[0] == row[LANES - 1];
    V s = t - column(row, same, 0);
    for (int j = 0; j < UNKNOWNS; ++j) {
        long first = 1 + COEFFICIENTS * j;
        V value = column(row, same, first);
        for (int k = 1; k < COEFFICIENTS; ++k)
            value = value * s + column(row, same, first + k);
        w[j] = value;
    }
}
