"""The hand-written part of the on-line generator: C99 text around the emitted equations.

``$NAME`` is filled in by :mod:`cranebridge.online.generator`; everything crane-specific is in the
constants and in the emitted functions own_coordinates, outputs_of, sweep, finish, jacobians and
derived. Paths are in :mod:`cranebridge.online.generator_path_c`, how a plan is judged in
:mod:`cranebridge.online.generator_check_c`, shortest durations and plans while moving in
:mod:`cranebridge.online.generator_search_c`.
"""

SOURCE = """\
#include <math.h>
#include <string.h>
#include "$INCLUDE"

typedef ${P}_real real;

#define ORDER $ORDER           /* highest path derivative */
#define SWEEPS $SWEEPS           /* bound of Newton's iterations a call */
#define TOLERANCE $TOLERANCE /* relative step after which the next error is rounding */
#define CHECKS $CHECKS          /* least number of steps through a plan */
#define LOOKS $LOOKS         /* bound of the steps of a look at a plan */
#define SMALLEST ($ONE / $FINEST) /* smallest of these steps, of the duration */
#define SLACK $SLACK     /* of a signal's largest value, by which a limit may be missed */
#define ROPE_SLACK $ROPE_SLACK /* the same for the least force of a rope */
#define NOISE $NOISE     /* of a signal's largest value, rounding and the end of Newton's method */
#define HIDDEN $HIDDEN /* 64 / h^2 times a way that velocities do not tell is an acceleration;
                        it must be less than a quarter of the largest */
#define HERE $HERE      /* how far from the load a plan may start */
#define PIVOT $PIVOT     /* relative pivot below which a block is singular */

/* Progress 0 to 1 over normalised time: Taylor expansions that are short enough for rounding. */
#define SEGMENTS $SEGMENTS
#define DEGREE $DEGREE
static const real segment_until[SEGMENTS] = $UNTIL;
static const real segment_anchor[SEGMENTS] = $ANCHOR;
static const real segment_length[SEGMENTS] = $LENGTH;
static const real segment_series[SEGMENTS][DEGREE + 1] = {
$SERIES
};
#define PIECES $PIECES
static const real knot[PIECES + 1] = $KNOTS;

/* Polynomials from any motion to rest, see ${P}_replan. */
#define SMOOTH $SMOOTH    /* highest path derivative that the controls need */
#define BERNSTEIN (2 * SMOOTH + 1)
static const real control_weight[SMOOTH + 1][SMOOTH + 1] = {
$CONTROL_WEIGHTS
};
static const real stop_weight[$ZSMOOTH] = $STOP_WEIGHTS;
#define SHORTEST $SHORTEST /* first duration that is tried, in s */
#define LONGER $LONGER   /* each of the next ones is longer by this factor */
#define DURATIONS $DURATIONS     /* how many of them are tried */
#define HALVINGS $HALVINGS      /* how often the last step is halved */
#define ROUGH_HALVINGS $ROUGH_HALVINGS /* the same where a duration is only a measure */
#define FADES $FADES         /* how many ways to fade are tried with each */
#define BUDGET $BUDGET   /* bound of the solutions in such a search */
#define ROUGH $ROUGH     /* of its limits, by which a signal breaks them clearly */

static const real default_p[$ZP] = $DEFAULT_P;
static const ${P}_judged default_least = $DEFAULT_LEAST;
static const ${P}_judged default_most = $DEFAULT_MOST;
static const real default_start[$ZY] = $DEFAULT_START;
static const real default_w[$ZW] = $DEFAULT_W;
static const int block_size[$BLOCKS] = $BLOCK_SIZES;

$FUNCTIONS
/* Everything at one time, before it is known to be valid. */
typedef struct {
    real gammas[$ZY * (ORDER + 1)];
    real motion[$MOTION], ropes[$ZR], rates[$RATES];
    real w[$ZW], w_rate[$ZW];
} point;

$PATHS
static int newton(const real *p, point *x)
{
    real next[$ZW], step[$ZW];
    int i, k;
    for (k = 0; k < SWEEPS; k++) {
        int settled = 1;
        sweep(x->w, x->gammas, p, next, step);
        for (i = 0; i < $NW; i++) {
            x->w[i] = next[i];
            /* written so that not a number counts as not settled */
            if (!($FABS(step[i]) <= TOLERANCE * ($ONE + $FABS(next[i])))) settled = 0;
        }
        if (settled) return 1;
    }
    return 0;
}

static int all_finite(const real *values, int count)
{
    int i;
    for (i = 0; i < count; i++)
        if (!($FABS(values[i]) <= $LARGEST)) return 0;
    return 1;
}

static int solve(const real *p, point *x)
{
    if (!newton(p, x)) return ${P}_NO_CONVERGENCE;
    finish(x->w, x->gammas, p, x->motion, x->ropes, x->rates, x->w_rate);
    if (!all_finite(x->motion, $MOTION) || !all_finite(x->ropes, $NR)) return ${P}_SINGULAR;
    return ${P}_OK;
}

static void publish(const point *x, ${P}_output *out)
{
    const real *motion = x->motion, *rates = x->rates;
    int i;
    for (i = 0; i < $NY; i++) out->gamma[i] = x->gammas[i];
    for (i = 0; i < $NQ; i++) {
        out->q[i] = motion[i];
        out->v[i] = motion[$NQ + i];
        out->a[i] = motion[2 * $NQ + i];
        out->jerk[i] = rates[i];
    }
    for (i = 0; i < $NL; i++) out->lambda[i] = motion[3 * $NQ + i];
    for (i = 0; i < $NU; i++) {
        out->u[i] = motion[3 * $NQ + $NL + i];
        out->u_rate[i] = rates[$NQ + $NL + i];
    }
    for (i = 0; i < $NR; i++) out->rope[i] = x->ropes[i];
}

/* Sign of the determinant by elimination with row pivoting; 0 where it is singular. */
static int determinant_sign(real *m, int n)
{
    int sign = 1, i, j, k;
    real largest = $ZERO;
    for (i = 0; i < n * n; i++)
        if ($FABS(m[i]) > largest) largest = $FABS(m[i]);
    for (k = 0; k < n; k++) {
        int row = k;
        for (i = k + 1; i < n; i++)
            if ($FABS(m[k * n + i]) > $FABS(m[k * n + row])) row = i;
        if (!($FABS(m[k * n + row]) > PIVOT * largest)) return 0;
        if (row != k) {
            sign = -sign;
            for (j = k; j < n; j++) {
                real swap = m[j * n + k];
                m[j * n + k] = m[j * n + row];
                m[j * n + row] = swap;
            }
        }
        if (m[k * n + k] < $ZERO) sign = -sign;
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
    real entries[$ENTRIES];
    int block, position = 0;
    jacobians(x->w, x->gammas, p, entries);
    for (block = 0; block < $BLOCKS; block++) {
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
    real at[$ZY], own[$NY * (ORDER + 1)];
    int i, k, count = 0, status;
    for (i = 0; i < $NY; i++)
        if (from[i] != to[i]) count = CHECKS;
    for (k = 0; k <= count; k++) {
        for (i = 0; i < $NY; i++)
            at[i] = k == count ? to[i] : from[i] + (to[i] - from[i]) * (real)k / (real)count;
        outputs_at_rest(at, at, own, x->gammas);
        status = solve(p, x);
        if (status < 0) return status;
        if (!regular(p, x, signs, k == 0)) return ${P}_SINGULAR;
    }
    return ${P}_OK;
}

$CHECK
int ${P}_init(${P}_state *state)
{
    point x;
    int signs[$BLOCKS];
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
static int is_here(const ${P}_state *state, const point *x)
{
    int i;
    for (i = 0; i < $NQ; i++) {
        const real now = state->output.q[i];
        if (!($FABS(x->motion[i] - now) <= HERE * ($ONE + $FABS(now)))) return 0;
    }
    return 1;
}

/* Begin a trial from rest: the load must rest there, and no motion may be under way. */
static int begin_at_rest(const ${P}_state *state, const real *start, const real *goal, trial *x)
{
    int status;
    if (!all_finite(start, $NY) || !all_finite(goal, $NY)) return ${P}_BAD_ARGUMENT;
    if (state->begun && state->now.time < state->plan.duration) return ${P}_BUSY;
    memset(x, 0, sizeof *x); /* arrays of no length have one element */
    memcpy(x->plan.start, start, sizeof x->plan.start);
    memcpy(x->plan.goal, goal, sizeof x->plan.goal);
    memcpy(x->first.w, state->anchor_w, sizeof x->first.w);
    status = follow_rest(state->p, state->anchor, start, x->signs, &x->first);
    if (status < 0) return status;
    return state->moved && !is_here(state, &x->first) ? ${P}_ELSEWHERE : ${P}_OK;
}

/* Take a plan over. Only now the old one goes: nothing before has touched it. */
static void take_over(${P}_state *state, const trial *x)
{
    const real two = $ONE + $ONE;
    state->plan = x->plan;
    state->longest = x->shortest * x->plan.duration / two; /* as far as a look from the next */
    memcpy(state->now.w, x->first.w, sizeof state->now.w);
    memcpy(state->now.w_rate, x->first.w_rate, sizeof state->now.w_rate);
    memcpy(state->now.near, x->first.gammas, sizeof state->now.near);
    state->now.time = $ZERO;
    state->planned = 1;
    state->begun = x->plan.moving; /* what continues a motion is under way */
    if (x->plan.moving) return;
    memcpy(state->anchor, x->plan.start, sizeof state->anchor);
    memcpy(state->anchor_w, x->first.w, sizeof state->anchor_w);
}

int ${P}_plan(${P}_state *state, const real start[$ZY], const real goal[$ZY], real duration)
{
    trial x;
    int status;
    if (!all_finite(&duration, 1) || !(duration > $ZERO))
        return state->status = ${P}_BAD_ARGUMENT;
    status = begin_at_rest(state, start, goal, &x);
    if (status < 0) return state->status = status;
    x.plan.duration = duration;
    x.budget = 5 * LOOKS; /* more than both looks at it can use */
    status = review(state, &x);
    if (status >= 0) take_over(state, &x);
    return state->status = status;
}

/* Solve the plan at a time that is near to the one of `now`. */
static int solve_near(const ${P}_state *state, ${P}_instant *now, real t, point *x)
{
    const ${P}_motion *plan = &state->plan;
    const real ahead = t - now->time;
    int i, status;
    for (i = 0; i < $NW; i++) x->w[i] = now->w[i] + ahead * now->w_rate[i];
    outputs_at(plan, t / plan->duration, 0, now->near, x->gammas);
    status = solve(state->p, x);
    if (status < 0) return status;
    now->time = t;
    memcpy(now->w, x->w, sizeof now->w);
    memcpy(now->w_rate, x->w_rate, sizeof now->w_rate);
    memcpy(now->near, x->gammas, sizeof now->near);
    return ${P}_OK;
}

/* Go from the time of `now` to another one of the plan. */
static int go_to(const ${P}_state *state, ${P}_instant *now, real t, point *x)
{
    const real longest = state->longest;
    int status = ${P}_OK;
    /* it ends: a step is at least SMALLEST of the duration */
    while ($FABS(t - now->time) > longest && status == ${P}_OK)
        status = solve_near(state, now, now->time + (t > now->time ? longest : -longest), x);
    return status == ${P}_OK ? solve_near(state, now, t, x) : status;
}

int ${P}_step(${P}_state *state, real t, ${P}_output *output)
{
    const real end = state->plan.duration;
    point x;
    int status = ${P}_OK;
    memset(&x, 0, sizeof x);
    if (!state->planned) status = ${P}_NO_PLAN;
    else if (!all_finite(&t, 1)) status = ${P}_BAD_ARGUMENT;
    if (status == ${P}_OK) {
        if (t < $ZERO) t = $ZERO;
        if (t > end) t = end;
        status = go_to(state, &state->now, t, &x);
    }
    if (status == ${P}_OK) {
        state->begun = state->moved = 1;
        publish(&x, &state->output);
        if (t >= end) {
            memcpy(state->anchor, state->plan.goal, sizeof state->anchor);
            memcpy(state->anchor_w, x.w, sizeof x.w);
            status = ${P}_DONE;
        }
    }
    *output = state->output;
    return state->status = status;
}

$SEARCH"""
