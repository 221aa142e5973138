/* The staged solution of a crane, over blocks of lanes. What is generated for the crane stands
 * before: the sizes, and the functions of one block `sweep`, `finish` and `residual`. */

/* One Newton step of each item. Rows: w, gammas, p; new w, step. */
void cb_sweep(long begin, long end, const Rows *rows)
{
    V w[SIZE(UNKNOWNS)], g[ORDERS * OUTPUTS], p[SIZE(PARAMETERS)];
    V new[SIZE(UNKNOWNS)], step[SIZE(UNKNOWNS)];
    for (long i = begin; i < end; i += LANES) {
        load(rows[0], i, end, UNKNOWNS, w);
        load(rows[1], i, end, ORDERS * OUTPUTS, g);
        load(rows[2], i, end, PARAMETERS, p);
        sweep(w, g, p, new, step);
        store(rows[3], i, end, UNKNOWNS, new);
        store(rows[4], i, end, UNKNOWNS, step);
    }
}

/* All that follows from Newton's unknowns. Rows: w, gammas, p; motion, ropes, rates, Jacobians. */
void cb_finish(long begin, long end, const Rows *rows)
{
    V w[SIZE(UNKNOWNS)], g[ORDERS * OUTPUTS], p[SIZE(PARAMETERS)];
    V motion[MOTION], ropes[SIZE(ROPES)], rates[RATES], jacobians[JACOBIANS];
    for (long i = begin; i < end; i += LANES) {
        load(rows[0], i, end, UNKNOWNS, w);
        load(rows[1], i, end, ORDERS * OUTPUTS, g);
        load(rows[2], i, end, PARAMETERS, p);
        finish(w, g, p, motion, ropes, rates, jacobians);
        store(rows[3], i, end, MOTION, motion);
        store(rows[4], i, end, ROPES, ropes);
        store(rows[5], i, end, RATES, rates);
        store(rows[6], i, end, JACOBIANS, jacobians);
    }
}

/* Follow a path from time to time with some Newton steps at each: items are sets of parameters,
 * rows of gammas are times. Rows: w before the first time, gammas, p; w, times by `stride`. */
void cb_follow(long items, long times, long sweeps, long stride, const Rows *rows)
{
    V w[SIZE(UNKNOWNS)], g[ORDERS * OUTPUTS], p[SIZE(PARAMETERS)], step[SIZE(UNKNOWNS)];
    for (long i = 0; i < items; i += LANES) {
        Rows found = rows[3];
        load(rows[0], i, items, UNKNOWNS, w);
        load(rows[2], i, items, PARAMETERS, p);
        for (long k = 0; k < times; ++k, found.x += stride) {
            Rows now = {rows[1].x + k * rows[1].row, 0, rows[1].column};
            load(now, 0, 1, ORDERS * OUTPUTS, g);
            for (long n = 0; n < sweeps; ++n) {
                V new[SIZE(UNKNOWNS)];
                sweep(w, g, p, new, step);
                memcpy(w, new, sizeof(w));
            }
            store(found, i, items, UNKNOWNS, w);
        }
    }
}

typedef struct {
    const double *times; /* increasing; where one stands twice, the first looks to the left */
    long count;
    const Track *tracks;
    long track_count;
    const Curve *curves;
    long curve_count;
    Rows gammas; /* of outputs that no track and no curve gives */
    Guess guess;
    Rows p;
    double tolerance;
    long sweeps;
    Rows gamma, gamma_rate, motion, ropes, rates; /* results */
    double *worst, *where, *scale; /* largest residual and its time's number, largest terms */
} Grid;

/* Iterate to convergence; a lane that has settled is not touched any more, so that it does not
 * matter beside which others it stands. Returns the lane that has not settled first, or -1. */
static inline int newton(const Grid *grid, const V *g, const V *p, V *w)
{
    V new[SIZE(UNKNOWNS)], step[SIZE(UNKNOWNS)];
    Mask active = ~(Mask)all(0.0);
    for (long n = 0; n < grid->sweeps; ++n) {
        Mask unsettled = (Mask)all(0.0);
        sweep(w, g, p, new, step);
        for (int j = 0; j < UNKNOWNS; ++j) {
            unsettled |= ~(v_fabs(step[j]) <= grid->tolerance * (1.0 + v_fabs(new[j])));
            w[j] = choose(active, new[j], w[j]);
        }
        active &= unsettled;
        if (!any(active))
            return -1;
    }
    EACH_LANE
    {
        if (active[lane])
            return lane;
    }
    return -1;
}

/* What is not a number counts as infinite, or no comparison would find it. */
static inline V countable(V x)
{
    return choose(x == x, x, all(INFINITY));
}

static inline void reduce(const Grid *grid, const V *worst, const V *where, const V *scale)
{
    for (int j = 0; j < EQUATIONS; ++j) {
        grid->worst[j] = worst[j][0], grid->where[j] = where[j][0], grid->scale[j] = scale[j][0];
        EACH_LANE
        {
            double x = worst[j][lane], at = where[j][lane];
            if (x > grid->worst[j] || (x == grid->worst[j] && at < grid->where[j]))
                grid->worst[j] = x, grid->where[j] = at;
            if (scale[j][lane] > grid->scale[j])
                grid->scale[j] = scale[j][lane];
        }
    }
}

/* The times of a block; the last one again and again behind the end, in memory that is given.
 *
 * Times are not copied where they need not be: numbers that were written one by one cannot be read
 * as a vector before all writes are done, and the results of the block before are many. */
static inline const double *times_from(const Grid *grid, long i, long end, double *memory)
{
    if (i + LANES <= end)
        return grid->times + i;
    EACH_LANE memory[lane] = grid->times[i + lane < end ? i + lane : end - 1];
    return memory;
}

/* Solve at the times from `begin` to before `end`. Returns the number of the first time at which
 * Newton's method does not settle, or -1. */
long cb_solve(long begin, long end, const Grid *grid)
{
    V w[SIZE(UNKNOWNS)], g[ORDERS * OUTPUTS], p[SIZE(PARAMETERS)];
    V motion[MOTION], ropes[SIZE(ROPES)], rates[RATES], jacobians[JACOBIANS];
    V residuals[EQUATIONS], terms[EQUATIONS];
    V worst[EQUATIONS], where[EQUATIONS], scale[EQUATIONS];
    long interval = 0, segment[SIZE(OUTPUTS)] = {0};
    load(grid->p, 0, 1, PARAMETERS, p);
    for (int j = 0; j < EQUATIONS; ++j)
        worst[j] = all(-1.0), where[j] = all(0.0), scale[j] = all(0.0);
    for (long i = begin; i < end; i += LANES) {
        double last[LANES];
        const double *t = times_from(grid, i, end, last);
        int left[LANES];
        EACH_LANE
        {
            long k = i + lane < end ? i + lane : end - 1;
            left[lane] = k + 1 == grid->count || grid->times[k + 1] == t[lane];
        }
        V number = all((double)i) + counted();
        number = choose(number < (double)end, number, all((double)(end - 1)));
        if (grid->gammas.x)
            load(grid->gammas, i, end, ORDERS * OUTPUTS, g);
        for (long k = 0; k < grid->track_count; ++k)
            follow_track(&grid->tracks[k], &segment[k], t, left, g);
        for (long k = 0; k < grid->curve_count; ++k)
            grid->curves[k].evaluate(grid->curves[k].path, &segment[grid->track_count + k], t, left, g);
#if UNKNOWNS > 0
        guess_unknowns(&grid->guess, &interval, t, w);
        int failed = newton(grid, g, p, w);
        if (failed >= 0)
            return i + failed < end ? i + failed : end - 1;
#endif
        finish(w, g, p, motion, ropes, rates, jacobians);
        residual(motion, g, p, residuals, terms);
        for (int j = 0; j < EQUATIONS; ++j) {
            V size = countable(v_fabs(residuals[j])), of = countable(terms[j]);
            Mask larger = size > worst[j];
            worst[j] = choose(larger, size, worst[j]);
            where[j] = choose(larger, number, where[j]);
            scale[j] = choose(of > scale[j], of, scale[j]);
        }
        store(grid->gamma, i - begin, end - begin, OUTPUTS, g);
        store(grid->gamma_rate, i - begin, end - begin, OUTPUTS, g + OUTPUTS);
        store(grid->motion, i - begin, end - begin, MOTION, motion);
        store(grid->ropes, i - begin, end - begin, ROPES, ropes);
        store(grid->rates, i - begin, end - begin, RATES, rates);
    }
    (void)interval;
    reduce(grid, worst, where, scale);
    return -1;
}
