#ifndef FILLED
/* How the on-line generator looks at a plan before it is taken over.

   A plan is marched through with steps that adapt themselves, like an integrator's. Over a step
   every signal with a limit is a cubic with its exact rates; at the middle the true value is known,
   too. The difference between both is the doubt. A step is accepted if the cubics of both halves,
   widened by the doubt, keep the limits (a cubic lies within its Bezier points). It is halved
   otherwise, so that a limit is either shown to be kept or the march stops there.

   The doubt of the halves is a sixteenth of that of the whole where steps are small (the error of a
   cubic Hermite piece is h^4/384 times the fourth derivative, largest in its middle), so that the
   whole one has much to spare. Jerks have no rates; they are parabolas, and must give the change of
   the acceleration over each half. A peak that is narrower than a step hides from values and rates
   of the signal itself, but not from the coordinates that it moves: they must go the way that their
   velocities say, to a part of the largest acceleration. */
#endif
/* Signals with limits, in the order in which they are judged. */
enum {
    GROUP_NAMES_,
    GROUPS
};
static const int group_size[GROUPS] = {GROUP_SIZES_};
static const int group_status[GROUPS] = {GROUP_STATUS_};

/* A plan at one time: normalised, the solution, its signals with limits and their rates. */
typedef struct {
    real at;
    point x;
    generator_judged value, rate; /* jerks have no rates */
} look;

static const real *group(const generator_judged *signals, int g)
{
    switch (g) {
#ifndef FILLED
    default: return signals->rope;
#endif
    /* GROUP_MEMBERS_ */
    }
}

static void fill_signals(const real *p, look *now)
{
    const real *motion = now->x.motion, *rates = now->x.rates;
    memset(&now->value, 0, sizeof now->value);
    memset(&now->rate, 0, sizeof now->rate);
    memcpy(now->value.rope, now->x.ropes, NR_ * sizeof(real));
    memcpy(now->value.u, motion + 3 * NQ_ + NL_, NU_ * sizeof(real));
    memcpy(now->rate.u, rates + NQ_ + NL_, NU_ * sizeof(real));
    memcpy(now->value.q, motion, NQ_ * sizeof(real));
    memcpy(now->rate.q, motion + NQ_, NQ_ * sizeof(real));
    memcpy(now->value.v, now->rate.q, sizeof now->value.v);
    memcpy(now->rate.v, motion + 2 * NQ_, NQ_ * sizeof(real));
    memcpy(now->value.a, now->rate.v, sizeof now->value.a);
    memcpy(now->rate.a, rates, NQ_ * sizeof(real));
    memcpy(now->value.jerk, now->rate.a, sizeof now->value.jerk);
    derived(motion, rates, p, now->rate.rope, now->value.power, now->rate.power);
}

/* Solve a plan at a normalised time, from a solution shortly before; `left` as in progress. */
static int look_at(const generator_state *state, const generator_motion *plan, const look *before, real at,
                   int left, int *signs, look *now)
{
    const real ahead = (at - before->at) * plan->duration;
    int i, status;
    outputs_at(plan, at, left, before->x.gammas, now->x.gammas);
    for (i = 0; i < NW_; i++) now->x.w[i] = before->x.w[i] + ahead * before->x.w_rate[i];
    now->at = at;
    status = solve(state->p, &now->x);
    if (status < 0) return status;
    if (!regular(state->p, &now->x, signs, 0)) return generator_SINGULAR;
    fill_signals(state->p, now);
    return generator_OK;
}

static real distance(real a, real b)
{
    return FABS_(a - b);
}

/* How far a jerk may go beyond its parabola: it must give the change of the acceleration `a` over
   both halves of h. The largest error of a parabola is 1.54 times its mean over a half. */
static real doubt_of_jerk(const real j[3], const real a[3], real h)
{
    const real two = ONE_ + ONE_, half = h / two;
    real first = distance((a[1] - a[0]) / half, (FIVE_ * j[0] + EIGHT_ * j[1] - j[2]) / TWELVE_);
    real last = distance((a[2] - a[1]) / half, (FIVE_ * j[2] + EIGHT_ * j[1] - j[0]) / TWELVE_);
    return two * (first > last ? first : last);
}

static void include(real value, real *low, real *high)
{
    if (value < *low) *low = value;
    if (value > *high) *high = value;
}

/* Whether a signal keeps its limits over an interval h of which both ends and the middle are
   known: values x and rates r, or of a jerk the accelerations in place of the rates. */
static int keeps(int g, const real x[3], const real r[3], real h, real least, real most, real size,
                 real noise)
{
    const real two = ONE_ + ONE_, third = h / (FIVE_ + ONE_);
    real low = x[0], high = x[0], doubt;
    include(x[1], &low, &high);
    include(x[2], &low, &high);
    if (g == JERK_GROUP) {
        include(two * x[1] - (x[0] + x[2]) / two, &low, &high);
        doubt = doubt_of_jerk(x, r, h);
    } else {
        include(x[0] + third * r[0], &low, &high);
        include(x[1] - third * r[1], &low, &high);
        include(x[1] + third * r[1], &low, &high);
        include(x[2] - third * r[2], &low, &high);
        doubt = distance((x[0] + x[2]) / two + h / EIGHT_ * (r[0] - r[2]), x[1]);
    }
    doubt = doubt > noise ? doubt - noise : ZERO_;
    /* written so that not a number is not kept */
    return low - doubt >= least - size * (g == ROPE_GROUP ? ROPE_SLACK : SLACK) &&
           high + doubt <= most + size * SLACK;
}

/* Judge a plan between two times, with its middle. */
static int judge(const generator_state *state, const generator_judged *largest, const look *first,
                 const look *middle, const look *last, real h)
{
    const look *at[3];
    real x[3], r[3];
    int g, i, k;
    at[0] = first;
    at[1] = middle;
    at[2] = last;
    for (g = 0; g < GROUPS; g++) {
        for (i = 0; i < group_size[g]; i++) {
            const real least = group(&state->least, g)[i], most = group(&state->most, g)[i];
            const real size = group(largest, g)[i];
            real noise = NOISE * size;
            if (least <= -LARGEST_ && most >= LARGEST_) continue;
            for (k = 0; k < 3; k++) {
                x[k] = group(&at[k]->value, g)[i];
                r[k] = g == JERK_GROUP ? at[k]->value.a[i] : group(&at[k]->rate, g)[i];
            }
            if (g == JERK_GROUP) noise += EIGHT_ * NOISE * largest->a[i] / h;
            if (!keeps(g, x, r, h, least, most, size, noise)) return group_status[g];
        }
    }
    for (i = 0; i < NQ_; i++) {
        real doubt = distance((first->value.q[i] + last->value.q[i]) / (ONE_ + ONE_) +
                                  h / EIGHT_ * (first->value.v[i] - last->value.v[i]),
                              middle->value.q[i]);
        /* Newton's method ends by this measure, too: a coordinate may stay at zero */
        doubt -= NOISE * (ONE_ + largest->q[i]);
        if (!(doubt * HIDDEN <= h * h * largest->a[i])) return generator_TOO_QUICK;
    }
    return generator_OK;
}

static void remember_largest(const generator_judged *value, generator_judged *largest)
{
    int g, i;
    for (g = 0; g < GROUPS; g++) {
        /* the members are not const, only seen through a const pointer */
        real *size = (real *)group(largest, g);
        for (i = 0; i < group_size[g]; i++)
            if (FABS_(group(value, g)[i]) > size[i]) size[i] = FABS_(group(value, g)[i]);
    }
}

/* A plan that is looked at, from where to where, and what was learnt of it. */
typedef struct {
    generator_motion plan;
    point first;         /* where it begins */
    int signs[BLOCKS_];
    int searching;       /* one of many: refused as soon as a limit is clearly broken */
    int known;           /* whether `largest` is known well enough from a similar plan */
    int budget;          /* how many solutions are left */
    generator_judged largest; /* magnitudes of its signals */
    real shortest;       /* step that was needed, of the duration */
} trial;

/* The limit that a signal breaks by far, or OK. How large the signals of the plan become is not
   known yet: what counts are the limits themselves, and the signals of the same kind. */
static int clearly_broken(const generator_state *state, const generator_judged *value)
{
    int g, i;
    for (g = 0; g < GROUPS; g++) {
        const real *x = group(value, g);
        real size = ZERO_;
        for (i = 0; i < group_size[g]; i++)
            if (FABS_(x[i]) > size) size = FABS_(x[i]);
        for (i = 0; i < group_size[g]; i++) {
            const real least = group(&state->least, g)[i], most = group(&state->most, g)[i];
            real margin = size;
            if (least > -LARGEST_) margin += FABS_(least);
            if (most < LARGEST_) margin += FABS_(most);
            margin *= ROUGH;
            if (x[i] < least - margin || x[i] > most + margin) return group_status[g];
        }
    }
    return generator_OK;
}

/* Two looks, in the middle of a step and at its end, and what they say of it; `broken` says that no
   shorter step would help. */
static int look_ahead(const generator_state *state, int judging, trial *t, const look *first, real until,
                      look *middle, look *last, int *broken)
{
    const real step = until - first->at;
    int status = look_at(state, &t->plan, first, first->at + step / (ONE_ + ONE_), 0, t->signs,
                         middle);
    *broken = generator_OK;
    if (status >= 0) status = look_at(state, &t->plan, middle, until, 1, t->signs, last);
    if (status < 0) return status;
    if (t->searching) *broken = clearly_broken(state, &middle->value);
    if (t->searching && *broken >= 0) *broken = clearly_broken(state, &last->value);
    remember_largest(&middle->value, &t->largest);
    remember_largest(&last->value, &t->largest);
    return judging ? judge(state, &t->largest, first, middle, last, step * t->plan.duration)
                   : generator_OK;
}

/* Where a plan has knots, normalised. */
static int count_pieces(const generator_motion *plan)
{
    return plan->moving ? (plan->fade < ONE_ ? 2 : 1) : PIECES;
}

static real knot_of(const generator_motion *plan, int i)
{
    if (i == count_pieces(plan)) return ONE_;
    return plan->moving && i > 0 ? plan->fade : knot[i];
}

/* March through a plan, from knot to knot, because jerks jump there. Without
   `judging` it only has to be solved, to learn how large its signals are. */
static int march(const generator_state *state, int judging, trial *t)
{
    const int pieces = count_pieces(&t->plan);
    const real longest = ONE_ / (real)CHECKS;
    look first, middle, last;
    real step = longest;
    int piece, count = 0, status, broken;
    last.at = ZERO_;
    last.x = t->first;
    for (piece = 0; piece < pieces; piece++) {
        const real end = knot_of(&t->plan, piece + 1);
        first = last;
        status = look_at(state, &t->plan, &first, knot_of(&t->plan, piece), 0, t->signs,
                         &last);
        if (status < 0) return status;
        remember_largest(&last.value, &t->largest);
        while (last.at < end) {
            real until = last.at + step;
            first = last;
            if (until > end - SMALLEST) until = end;
            step = until - first.at;
            if (++count > LOOKS) return generator_TOO_QUICK;
            if ((t->budget -= 2) < 0) return generator_SEARCH_ENDED;
            status = look_ahead(state, judging, t, &first, until, &middle, &last, &broken);
            if (broken < 0) return broken;
            if (status >= 0) {
                step = step + step < longest ? step + step : longest;
                continue;
            }
            step /= ONE_ + ONE_;
            if (step < SMALLEST) return status;
            if (step < t->shortest) t->shortest = step;
            last = first;
        }
    }
    return generator_OK;
}

/* Look at a plan twice: can it be solved, and are all limits kept? */
static int review(const generator_state *state, trial *t)
{
    int status = generator_OK;
    t->shortest = ONE_ / (real)CHECKS;
    if (!t->known) {
        memset(&t->largest, 0, sizeof t->largest);
        status = march(state, 0, t);
    }
    return status < 0 ? status : march(state, 1, t);
}
