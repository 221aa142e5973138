#ifndef FILLED
/* How the on-line generator finds shortest durations, and plans while moving.

   Durations are tried from the shortest on, each longer by a factor, because those that keep the
   limits need not be all above a certain one: what is in motion and takes its time goes far.
   Between the first that does and the one before, the step is halved. A plan whose limit is clearly
   broken at a look is refused there, so that most trials end early; the number of solutions is
   bounded in all. */
#endif
/* Whether anything bounds the speed of a motion from above. */
static int has_limits(const generator_state *state)
{
    static const int quick[] = {
        QUICK_};
    int k, i;
    for (k = 0; k < (int)(sizeof quick / sizeof quick[0]); k++)
        for (i = 0; i < group_size[quick[k]]; i++)
            if (group(&state->least, quick[k])[i] > -LARGEST_ ||
                group(&state->most, quick[k])[i] < LARGEST_)
                return 1;
    return 0;
}

/* What the own coordinates continue: value and derivatives up to those that the controls need. */
typedef struct {
    real own[NY_ * (ORDER + 1)];
    int stopping; /* anywhere */
    int rough;    /* whether the duration need not be found well */
} beginning;

/* Give a plan its duration, and its polynomials if it continues a motion. */
static void set_duration(const beginning *from, real duration, real longest_fade, generator_motion *plan)
{
    real power[SMOOTH + 1];
    int i, j, m;
    plan->duration = duration;
    if (!plan->moving) return;
    plan->fade = longest_fade < duration ? longest_fade / duration : ONE_;
    power[0] = ONE_;
    for (m = 1; m <= SMOOTH; m++) power[m] = power[m - 1] * plan->fade * duration;
    for (i = 0; i < NY_; i++) {
        const real *x = from->own + i; /* derivatives follow in steps of NY_ */
        real way = ZERO_;
        for (m = SMOOTH; m > 0; m--) way += stop_weight[m - 1] * power[m] * x[m * NY_];
        plan->rest[i] = x[0] + way;
        if (from->stopping) plan->goal[i] = plan->rest[i];
        for (j = 0; j <= SMOOTH; j++) {
            real sum = ZERO_;
            for (m = j; m > 0; m--) sum += control_weight[j][m] * power[m] * x[m * NY_];
            plan->control[i * (SMOOTH + 1) + j] = x[0] - plan->rest[i] + sum;
        }
    }
}

/* Halve the step between a duration that is refused and one that is accepted, which the trial has;
   `reason` becomes what refuses the next shorter one. */
static void shorten(const generator_state *state, const beginning *from, real refused, real fade,
                    trial *x, int *reason)
{
    const int halvings = from->rough ? ROUGH_HALVINGS : HALVINGS;
    generator_motion plan = x->plan;
    generator_judged largest = x->largest;
    real shortest = x->shortest;
    int k, status;
    x->known = 1; /* how large the signals are: about as in the plan that is a little slower */
    for (k = 0; k < halvings && refused > ZERO_ && x->budget > 0; k++) {
        const real middle = refused + (plan.duration - refused) / (ONE_ + ONE_);
        set_duration(from, middle, fade, &x->plan);
        status = review(state, x);
        if (status >= 0) {
            plan = x->plan;
            largest = x->largest;
            shortest = x->shortest;
        } else if (status != generator_SEARCH_ENDED) {
            refused = middle;
            *reason = status;
        }
        x->largest = largest;
    }
    x->known = 0;
    x->plan = plan;
    x->shortest = shortest;
}

/* Shorten a plan by other durations of the fading, if one of them allows a step. */
static void fade_faster(const generator_state *state, const beginning *from, real refused,
                        const real *fades, int count, trial *x, int *reason)
{
    const real step = (x->plan.duration - refused) / (real)(1 << HALVINGS);
    int i;
    for (i = 0; i < count; i++) {
        const generator_motion plan = x->plan;
        const real shortest = x->shortest, duration = plan.duration - step;
        if (fades[i] >= duration) continue;
        set_duration(from, duration, fades[i], &x->plan);
        if (review(state, x) >= 0) {
            shorten(state, from, refused, fades[i], x, reason);
        } else {
            x->plan = plan;
            x->shortest = shortest;
        }
    }
}

/* Find the shortest duration with one of several durations of the fading, the longest first. */
static int find_shortest(const generator_state *state, const beginning *from, const real *fades,
                         int count, trial *x, int *reason)
{
    real duration = SHORTEST, refused = ZERO_;
    int k, i, status;
    for (k = 0; k < DURATIONS; k++) {
        for (i = 0; i < count; i++) {
            if (i > 0 && fades[i] >= duration) continue; /* the same as before */
            set_duration(from, duration, fades[i], &x->plan);
            status = review(state, x);
            if (status >= 0) {
                shorten(state, from, refused, fades[i], x, reason);
                fade_faster(state, from, refused, fades + i + 1, count - i - 1, x, reason);
                return generator_OK;
            }
            *reason = status;
            if (status == generator_SEARCH_ENDED) return status;
        }
        refused = duration;
        duration *= LONGER;
    }
    return generator_NO_DURATION;
}

/* Find the shortest plan of a trial: from rest, to rest anywhere, or to its goal. For the latter
   the present motion fades over the whole duration, or a little longer than it needs to stop. */
static int search(const generator_state *state, beginning *from, trial *x, int *reason)
{
    static const real slower[FADES - 1] = SLOWER_;
    real fades[FADES];
    int i, status = generator_OK, count = 1;
    if (!has_limits(state)) return *reason = generator_UNLIMITED;
    x->searching = 1;
    x->budget = BUDGET;
    fades[0] = LARGEST_;
    if (x->plan.moving && !from->stopping) {
        real goal[ZY_];
        memcpy(goal, x->plan.goal, sizeof goal);
        from->stopping = from->rough = 1;
        status = find_shortest(state, from, fades, 1, x, reason);
        from->stopping = from->rough = 0;
        memcpy(x->plan.goal, goal, sizeof goal);
        for (i = 1; i < FADES && status == generator_OK; i++)
            fades[count++] = slower[i - 1] * x->plan.duration;
    }
    return find_shortest(state, from, fades, count, x, reason);
}

int generator_plan_shortest(generator_state *state, const real start[ZY_], const real goal[ZY_])
{
    trial x;
    beginning from;
    int status = begin_at_rest(state, start, goal, &x);
    memset(&from, 0, sizeof from);
    state->reason = status;
    if (status >= 0) status = search(state, &from, &x, &state->reason);
    if (status >= 0) take_over(state, &x);
    return state->status = status;
}

/* The running motion at a time, from which another one may begin. */
static int begin_in_motion(const generator_state *state, real t, beginning *from, trial *x)
{
    generator_instant now = state->now;
    int status;
    if (!all_finite(&t, 1)) return generator_BAD_ARGUMENT;
    if (!state->planned) return generator_NO_PLAN;
    if (t < now.time) return generator_PAST;
    if (t > state->plan.duration) t = state->plan.duration;
    memset(x, 0, sizeof *x);
    status = go_to(state, &now, t, &x->first);
    if (status < 0) return status;
    if (!regular(state->p, &x->first, x->signs, 1)) return generator_SINGULAR;
    own_at(&state->plan, t / state->plan.duration, 0, now.near, from->own);
    memcpy(x->plan.start, from->own, sizeof x->plan.start);
    x->plan.moving = 1;
    return generator_OK;
}

static int continue_to(generator_state *state, real t, const real *goal)
{
    trial x;
    beginning from;
    real own[NY_ * (ORDER + 1)], gammas[NY_ * (ORDER + 1)];
    int status = begin_in_motion(state, t, &from, &x);
    from.stopping = goal == 0;
    from.rough = 0;
    if (status >= 0 && goal) {
        outputs_at_rest(goal, x.first.gammas, own, gammas);
        memcpy(x.plan.goal, own, sizeof x.plan.goal);
    }
    state->reason = status;
    if (status >= 0) status = search(state, &from, &x, &state->reason);
    if (status >= 0) take_over(state, &x);
    return state->status = status;
}

int generator_replan(generator_state *state, real t, const real goal[ZY_])
{
    if (!all_finite(goal, NY_)) return state->status = generator_BAD_ARGUMENT;
    return continue_to(state, t, goal);
}

int generator_stop(generator_state *state, real t)
{
    return continue_to(state, t, 0);
}
