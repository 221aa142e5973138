/* Positions of a straight axis that count at x, and their parts: its neighbours, or the edge. */
static int straight_parts(controller_state *s, const real *point, int count, real x, int *node,
                          real *part)
{
    real share;
    int i = 0;

    while (i < count - 2 && x >= point[i + 1]) i++;
    share = (x - point[i]) / (point[i + 1] - point[i]);
    if (!(share >= ZERO_ && share <= ONE_)) s->outside = 1;
    if (!(share > ZERO_)) share = ZERO_; /* also what is no number */
    if (share > ONE_) share = ONE_;
    node[0] = i;
    node[1] = i + 1;
    part[0] = ONE_ - share;
    part[1] = share;
    return 2;
}

/* Those of an axis that goes round: all of them, in a trigonometric polynomial. */
static int turning_parts(const real *point, int count, real x, int *node, real *part)
{
    int j, k;

    for (j = 0; j < count; j++) {
        const real c = COS_(x - point[j]), twice = c + c;
        real sum = ONE_, before = ONE_, wave = c;
        for (k = 1; 2 * k < count; k++) {
            const real next = twice * wave - before;
            sum += wave + wave;
            before = wave;
            wave = next;
        }
        node[j] = j;
        part[j] = sum / (real)count;
    }
    return count;
}

/* Feedback of signals, integrals, past corrections and disturbances, with the gains at a place;
   pull: those of the integrals. */
static void feed_back(controller_state *s, const aim *at, const real *fed, real *u, real *pull)
{
    real part[SIZE_AXES_][PARTS], gain[INPUTS * COLUMNS];
    int node[SIZE_AXES_][PARTS], used[SIZE_AXES_], corner, a, i, j;

    s->outside = 0;
    for (a = 0; a < AXES; a++) {
        const real *point = point_of + first_on[a];
        const real x = at->place[a];
        used[a] = turning[a] ? turning_parts(point, count_on[a], x, node[a], part[a])
                             : straight_parts(s, point, count_on[a], x, node[a], part[a]);
    }
    for (i = 0; i < INPUTS * COLUMNS; i++) gain[i] = ZERO_;
    for (corner = 0; corner < CORNERS; corner++) {
        const real *from = gain_of[0];
        real weight = ONE_;
        int left = corner;
        for (a = 0; a < AXES; a++) {
            const int k = left % used[a];
            left /= used[a];
            from += stride_on[a] * node[a][k] * (INPUTS * COLUMNS);
            weight *= part[a][k];
        }
        for (i = 0; i < INPUTS * COLUMNS; i++) gain[i] += weight * from[i];
    }
    for (i = 0; i < INPUTS; i++) {
        real sum = ZERO_;
        for (j = 0; j < COLUMNS; j++) sum += gain[i * COLUMNS + j] * fed[j];
        for (j = 0; j < INTEGRALS; j++) *pull++ = s->faded * gain[i * COLUMNS + SIGNALS + j];
        u[i] = at->hold[i] - s->faded * sum;
    }
    s->faded += fade_step;
    if (s->faded > ONE_) s->faded = ONE_;
}
