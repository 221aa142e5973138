#ifndef FILLED
/* The on-line generator: C99 around the emitted equations. Everything crane-specific is in the
   constants and in the emitted functions; see cranebridge.online.generator. */
#include "example.h"
#endif
#include <math.h>
#include <string.h>
#include GENERATOR_HEADER_

typedef generator_real real;

#define ORDER ORDER_           /* highest path derivative */
#define SWEEPS SWEEPS_           /* bound of Newton's iterations a call */
#define TOLERANCE TOLERANCE_ /* relative step after which the next error is rounding */
#define CHECKS CHECKS_          /* least number of steps through a plan */
#define LOOKS LOOKS_         /* bound of the steps of a look at a plan */
#define SMALLEST (ONE_ / FINEST_) /* smallest of these steps, of the duration */
#define SLACK SLACK_     /* of a signal's largest value, by which a limit may be missed */
#define ROPE_SLACK ROPE_SLACK_ /* the same for the least force of a rope */
#define NOISE NOISE_     /* of a signal's largest value, rounding and the end of Newton's method */
#define HIDDEN HIDDEN_ /* 64 / h^2 times a way that velocities do not tell is an acceleration;
                        it must be less than a quarter of the largest */
#define HERE HERE_      /* how far from the load a plan may start */
#define PIVOT PIVOT_     /* relative pivot below which a block is singular */

/* Progress 0 to 1 over normalised time: Taylor expansions that are short enough for rounding. */
#define SEGMENTS SEGMENTS_
#define DEGREE DEGREE_
static const real segment_until[SEGMENTS] = UNTIL_;
static const real segment_anchor[SEGMENTS] = ANCHOR_;
static const real segment_length[SEGMENTS] = LENGTH_;
static const real segment_series[SEGMENTS][DEGREE + 1] = {
SERIES_
};
#define PIECES PIECES_
static const real knot[PIECES + 1] = KNOTS_;

/* Polynomials from any motion to rest, see generator_replan. */
#define SMOOTH SMOOTH_    /* highest path derivative that the controls need */
#define BERNSTEIN (2 * SMOOTH + 1)
static const real control_weight[SMOOTH + 1][SMOOTH + 1] = {
CONTROL_WEIGHTS_
};
static const real stop_weight[ZSMOOTH_] = STOP_WEIGHTS_;
#define SHORTEST SHORTEST_ /* first duration that is tried, in s */
#define LONGER LONGER_   /* each of the next ones is longer by this factor */
#define DURATIONS DURATIONS_     /* how many of them are tried */
#define HALVINGS HALVINGS_      /* how often the last step is halved */
#define ROUGH_HALVINGS ROUGH_HALVINGS_ /* the same where a duration is only a measure */
#define FADES FADES_         /* how many ways to fade are tried with each */
#define BUDGET BUDGET_   /* bound of the solutions in such a search */
#define ROUGH ROUGH_     /* of its limits, by which a signal breaks them clearly */

static const real default_p[ZP_] = DEFAULT_P_;
static const generator_judged default_least = DEFAULT_LEAST_;
static const generator_judged default_most = DEFAULT_MOST_;
static const real default_start[ZY_] = DEFAULT_START_;
static const real default_w[ZW_] = DEFAULT_W_;
static const int block_size[BLOCKS_] = BLOCK_SIZES_;

#ifndef FILLED
/* what is emitted of a crane */
void own_coordinates(const real *start, const real *goal, const real *c, const real *near, real *own);
void outputs_of(const real *own, real *gammas);
void sweep(const real *w, const real *gammas, const real *p, real *w_new, real *step);
void finish(const real *w, const real *gammas, const real *p, real *motion, real *ropes,
            real *rates, real *w_rate);
void jacobians(const real *w, const real *gammas, const real *p, real *entries);
void derived(const real *motion, const real *rates, const real *p, real *rope_rate, real *power,
             real *power_rate);
#endif
/* FUNCTIONS_ */
/* Everything at one time, before it is known to be valid. */
typedef struct {
    real gammas[ZY_ * (ORDER + 1)];
    real motion[MOTION_], ropes[ZR_], rates[RATES_];
    real w[ZW_], w_rate[ZW_];
} point;

#include "path.c"

static int newton(const real *p, point *x)
{
    real next[ZW_], step[ZW_];
    int i, k;
    for (k = 0; k < SWEEPS; k++) {
        int settled = 1;
        sweep(x->w, x->gammas, p, next, step);
        for (i = 0; i < NW_; i++) {
            x->w[i] = next[i];
            /* written so that not a number counts as not settled */
            if (!(FABS_(step[i]) <= TOLERANCE * (ONE_ + FABS_(next[i])))) settled = 0;
        }
        if (settled) return 1;
    }
    return 0;
}

static int all_finite(const real *values, int count)
{
    int i;
    for (i = 0; i < count; i++)
        if (!(FABS_(values[i]) <= LARGEST_)) return 0;
    return 1;
}

static int solve(const real *p, point *x)
{
    if (!newton(p, x)) return generator_NO_CONVERGENCE;
    finish(x->w, x->gammas, p, x->motion, x->ropes, x->rates, x->w_rate);
    if (!all_finite(x->motion, MOTION_) || !all_finite(x->ropes, NR_)) return generator_SINGULAR;
    return generator_OK;
}

static void publish(const point *x, generator_output *out)
{
    const real *motion = x->motion, *rates = x->rates;
    int i;
    for (i = 0; i < NY_; i++) out->gamma[i] = x->gammas[i];
    for (i = 0; i < NQ_; i++) {
        out->q[i] = motion[i];
        out->v[i] = motion[NQ_ + i];
        out->a[i] = motion[2 * NQ_ + i];
        out->jerk[i] = rates[i];
    }
    for (i = 0; i < NL_; i++) out->lambda[i] = motion[3 * NQ_ + i];
    for (i = 0; i < NU_; i++) {
        out->u[i] = motion[3 * NQ_ + NL_ + i];
        out->u_rate[i] = rates[NQ_ + NL_ + i];
    }
    for (i = 0; i < NR_; i++) out->rope[i] = x->ropes[i];
}

/* Sign of the determinant by elimination with row pivoting; 0 where it is singular. */
static int determinant_sign(real *m, int n)
{
    int sign = 1, i, j, k;
    real largest = ZERO_;
    for (i = 0; i < n * n; i++)
        if (FABS_(m[i]) > largest) largest = FABS_(m[i]);
    for (k = 0; k < n; k++) {
        int row = k;
        for (i = k + 1; i < n; i++)
            if (FABS_(m[k * n + i]) > FABS_(m[k * n + row])) row = i;
        if (!(FABS_(m[k * n + row]) > PIVOT * largest)) return 0;
        if (row != k) {
            sign = -sign;
            for (j = k; j < n; j++) {
                real swap = m[j * n + k];
                m[j * n + k] = m[j * n + row];
                m[j * n + row] = swap;
            }
        }
        if (m[k * n + k] < ZERO_) sign = -sign;
        for (j = k + 1; j < n; j++) {
            real factor = m[j * n + k] / m[k * n + k];
            for (i = k + 1; i < n; i++) m[j * n + i] -= factor * m[k * n + i];
        }
    }
    return sign;
}

/* A block whose determinant changes its sign was singular in between: a slewing axis that is
   crossed, or free fall. `first` tells to remember the signs instead of comparing them. */
static int regular(const real *p, const point *x, int *signs, int first)
{
    real entries[ENTRIES_];
    int block, position = 0;
    jacobians(x->w, x->gammas, p, entries);
    for (block = 0; block < BLOCKS_; block++) {
        int sign = determinant_sign(entries + position, block_size[block]);
        if (sign == 0 || (!first && sign != signs[block])) return 0;
        signs[block] = sign;
        position += block_size[block] * block_size[block];
    }
    return 1;
}

/* Follow the rest position from one point to another. */
static int follow_rest(const real *p, const real *from, const real *to, int *signs, point *x)
{
    real at[ZY_], own[NY_ * (ORDER + 1)];
    int i, k, count = 0, status;
    for (i = 0; i < NY_; i++)
        if (from[i] != to[i]) count = CHECKS;
    for (k = 0; k <= count; k++) {
        for (i = 0; i < NY_; i++)
            at[i] = k == count ? to[i] : from[i] + (to[i] - from[i]) * (real)k / (real)count;
        outputs_at_rest(at, at, own, x->gammas);
        status = solve(p, x);
        if (status < 0) return status;
        if (!regular(p, x, signs, k == 0)) return generator_SINGULAR;
    }
    return generator_OK;
}

#include "check.c"

int generator_init(generator_state *state)
{
    point x;
    int signs[BLOCKS_];
    memset(state, 0, sizeof *state);
    memcpy(state->p, default_p, sizeof state->p);
    state->least = default_least;
    state->most = default_most;
    memcpy(state->anchor, default_start, sizeof state->anchor);
    memcpy(x.w, default_w, sizeof x.w);
    state->status = follow_rest(state->p, state->anchor, state->anchor, signs, &x);
    if (state->status < 0) return state->status;
    memcpy(state->anchor_w, x.w, sizeof x.w);
    publish(&x, &state->output);
    return state->status;
}

/* Whether the crane stands as the last output says; a boom a whole turn further does not. */
static int is_here(const generator_state *state, const point *x)
{
    int i;
    for (i = 0; i < NQ_; i++) {
        const real now = state->output.q[i];
        if (!(FABS_(x->motion[i] - now) <= HERE * (ONE_ + FABS_(now)))) return 0;
    }
    return 1;
}

/* Begin a trial from rest: the load must rest there, and no motion may be under way. */
static int begin_at_rest(const generator_state *state, const real *start, const real *goal, trial *x)
{
    int status;
    if (!all_finite(start, NY_) || !all_finite(goal, NY_)) return generator_BAD_ARGUMENT;
    if (state->begun && state->now.time < state->plan.duration) return generator_BUSY;
    memset(x, 0, sizeof *x); /* arrays of no length have one element */
    memcpy(x->plan.start, start, sizeof x->plan.start);
    memcpy(x->plan.goal, goal, sizeof x->plan.goal);
    memcpy(x->first.w, state->anchor_w, sizeof x->first.w);
    status = follow_rest(state->p, state->anchor, start, x->signs, &x->first);
    if (status < 0) return status;
    return state->moved && !is_here(state, &x->first) ? generator_ELSEWHERE : generator_OK;
}

/* Take a plan over. Only now the old one goes: nothing before has touched it. */
static void take_over(generator_state *state, const trial *x)
{
    const real two = ONE_ + ONE_;
    state->plan = x->plan;
    state->longest = x->shortest * x->plan.duration / two; /* as far as a look from the next */
    memcpy(state->now.w, x->first.w, sizeof state->now.w);
    memcpy(state->now.w_rate, x->first.w_rate, sizeof state->now.w_rate);
    memcpy(state->now.near, x->first.gammas, sizeof state->now.near);
    state->now.time = ZERO_;
    state->planned = 1;
    state->begun = x->plan.moving; /* what continues a motion is under way */
    if (x->plan.moving) return;
    memcpy(state->anchor, x->plan.start, sizeof state->anchor);
    memcpy(state->anchor_w, x->first.w, sizeof state->anchor_w);
}

int generator_plan(generator_state *state, const real start[ZY_], const real goal[ZY_], real duration)
{
    trial x;
    int status;
    if (!all_finite(&duration, 1) || !(duration > ZERO_))
        return state->status = generator_BAD_ARGUMENT;
    status = begin_at_rest(state, start, goal, &x);
    if (status < 0) return state->status = status;
    x.plan.duration = duration;
    x.budget = 5 * LOOKS; /* more than both looks at it can use */
    status = review(state, &x);
    if (status >= 0) take_over(state, &x);
    return state->status = status;
}

/* Solve the plan at a time that is near to the one of `now`. */
static int solve_near(const generator_state *state, generator_instant *now, real t, point *x)
{
    const generator_motion *plan = &state->plan;
    const real ahead = t - now->time;
    int i, status;
    for (i = 0; i < NW_; i++) x->w[i] = now->w[i] + ahead * now->w_rate[i];
    outputs_at(plan, t / plan->duration, 0, now->near, x->gammas);
    status = solve(state->p, x);
    if (status < 0) return status;
    now->time = t;
    memcpy(now->w, x->w, sizeof now->w);
    memcpy(now->w_rate, x->w_rate, sizeof now->w_rate);
    memcpy(now->near, x->gammas, sizeof now->near);
    return generator_OK;
}

/* Go from the time of `now` to another one of the plan. */
static int go_to(const generator_state *state, generator_instant *now, real t, point *x)
{
    const real longest = state->longest;
    int status = generator_OK;
    /* it ends: a step is at least SMALLEST of the duration */
    while (FABS_(t - now->time) > longest && status == generator_OK)
        status = solve_near(state, now, now->time + (t > now->time ? longest : -longest), x);
    return status == generator_OK ? solve_near(state, now, t, x) : status;
}

int generator_step(generator_state *state, real t, generator_output *output)
{
    const real end = state->plan.duration;
    point x;
    int status = generator_OK;
    memset(&x, 0, sizeof x);
    if (!state->planned) status = generator_NO_PLAN;
    else if (!all_finite(&t, 1)) status = generator_BAD_ARGUMENT;
    if (status == generator_OK) {
        if (t < ZERO_) t = ZERO_;
        if (t > end) t = end;
        status = go_to(state, &state->now, t, &x);
    }
    if (status == generator_OK) {
        state->begun = state->moved = 1;
        publish(&x, &state->output);
        if (t >= end) {
            memcpy(state->anchor, state->plan.goal, sizeof state->anchor);
            memcpy(state->anchor_w, x.w, sizeof x.w);
            status = generator_DONE;
        }
    }
    *output = state->output;
    return state->status = status;
}

#include "search.c"
