#ifndef FILLED
/* The paths of the on-line generator: progress from rest to rest, and polynomials from any motion;
   see cranebridge.online.continuation. */
#endif
/* Progress and its time derivatives at a normalised time; `left` wants the left side of a knot,
   where the highest derivatives jump. */
static void progress(real x, real duration, int left, real c[ORDER + 1])
{
    int i = 0, k, n;
    real y, scale = ONE_;
    memset(c, 0, (ORDER + 1) * sizeof(real));
    if (!(x > ZERO_)) x = ZERO_;
    if (x > ONE_ || (x == ONE_ && !left)) {
        c[0] = ONE_;
        return;
    }
    while (i < SEGMENTS - 1 && (left ? x > segment_until[i] : x >= segment_until[i])) i++;
    y = (x - segment_anchor[i]) / segment_length[i];
    for (k = 0; k <= ORDER && k <= DEGREE; k++) {
        real sum = ZERO_;
        for (n = DEGREE; n >= k; n--) {
            real factor = segment_series[i][n];
            int j;
            for (j = 0; j < k; j++) factor *= (real)(n - j);
            sum = sum * y + factor;
        }
        c[k] = sum * scale;
        scale /= segment_length[i] * duration;
    }
}

/* A polynomial in Bernstein's form and its derivatives, by de Casteljau's algorithm: when m + 1
   points are left, their difference of order m is the derivative of order m. */
static void polynomial(const real control[SMOOTH + 1], real x, real duration, real c[ORDER + 1])
{
    real b[BERNSTEIN + 1] = {0}, d[ORDER + 1];
    int left, i, m;
    memset(c, 0, (ORDER + 1) * sizeof(real));
    memcpy(b, control, (SMOOTH + 1) * sizeof(real));
    for (left = BERNSTEIN; left >= 0; left--) {
        if (left <= ORDER) {
            real factor = ONE_;
            memcpy(d, b, (size_t)(left + 1) * sizeof(real));
            for (m = 1; m <= left; m++) {
                for (i = 0; i <= left - m; i++) d[i] = d[i + 1] - d[i];
                factor *= (real)(BERNSTEIN + 1 - m) / duration;
            }
            c[left] = factor * d[0];
        }
        for (i = 0; i < left; i++) b[i] = (ONE_ - x) * b[i] + x * b[i + 1];
    }
}

/* The path's own coordinates and their derivatives at a normalised time of a plan. */
static void own_at(const generator_motion *plan, real x, int left, const real *near,
                   real own[NY_ * (ORDER + 1)])
{
    real c[ORDER + 1];
    int i, m;
    if (!plan->moving) {
        progress(x, plan->duration, left, c);
        own_coordinates(plan->start, plan->goal, c, near, own);
        return;
    }
    memset(own, 0, NY_ * (ORDER + 1) * sizeof(real));
    for (i = 0; i < NY_; i++) own[i] = plan->goal[i];
    if (x > ONE_ || (x == ONE_ && !left)) return;
    if (!(x > ZERO_)) x = ZERO_;
    for (i = 0; i < NY_; i++) {
        real way[SMOOTH + 1];
        for (m = 0; m <= SMOOTH; m++) way[m] = plan->rest[i] - plan->goal[i];
        polynomial(way, x, plan->duration, c);
        for (m = 0; m <= ORDER; m++) own[m * NY_ + i] += c[m];
        if (x > plan->fade || (x == plan->fade && !left)) continue;
        polynomial(plan->control + i * (SMOOTH + 1), x / plan->fade, plan->fade * plan->duration,
                   c);
        for (m = 0; m <= ORDER; m++) own[m * NY_ + i] += c[m];
    }
}

static void outputs_at(const generator_motion *plan, real x, int left, const real *near, real *gammas)
{
    real own[NY_ * (ORDER + 1)];
    own_at(plan, x, left, near, own);
    outputs_of(own, gammas);
}

/* Own coordinates and outputs at rest; angles are those closest to `near`. */
static void outputs_at_rest(const real *where, const real *near, real *own, real *gammas)
{
    const real c[ORDER + 1] = {0};
    own_coordinates(where, where, c, near, own);
    outputs_of(own, gammas);
}
