"""The hand-written part of the on-line generator: C99 text around the emitted equations.

``$NAME`` is filled in by :mod:`cranebridge.deliver.generator`; everything crane-specific is in the
constants and in the four emitted functions geometry, sweep, finish and jacobians.
"""

HEADER = """\
#ifndef ${GUARD}_H
#define ${GUARD}_H

#ifdef __cplusplus
extern "C" {
#endif

typedef $TYPE ${P}_real;

enum {
    ${P}_OUTPUTS = $NY,      /* wanted outputs: $OUTPUT_NAMES */
    ${P}_COORDINATES = $NQ,  /* $COORDINATE_NAMES */
    ${P}_INPUTS = $NU,       /* $INPUT_NAMES */
    ${P}_MULTIPLIERS = $NL,  /* $MULTIPLIER_NAMES */
    ${P}_ROPES = $NR,        /* $ROPE_NAMES */
    ${P}_PARAMETERS = $NP    /* $PARAMETER_NAMES */
};

/* What ${P}_plan and ${P}_step return, also in the state. Errors are negative. */
enum {
    ${P}_OK = 0,              /* planned, or moving */
    ${P}_DONE = 1,            /* the goal is reached, the output is its rest */
    ${P}_NO_PLAN = -1,        /* step without a plan; the output is the last valid one */
    ${P}_BAD_ARGUMENT = -2,   /* not a number, or a duration that is not positive */
    ${P}_NO_CONVERGENCE = -3, /* Newton's method needs more than its bounded number of sweeps */
    ${P}_SINGULAR = -4,       /* the crane cannot hold the load somewhere on the way */
    ${P}_ROPE_LIMIT = -5,     /* a rope force would fall below rope_min */
    ${P}_INPUT_LIMIT = -6     /* an input would exceed u_max */
};

/* All signals at one time, SI units. */
typedef struct {
    ${P}_real gamma[$ZY];  /* wanted outputs */
    ${P}_real q[$ZQ];      /* coordinates: references of the drives come first */
    ${P}_real v[$ZQ];
    ${P}_real a[$ZQ];
    ${P}_real jerk[$ZQ];
    ${P}_real lambda[$ZL]; /* multipliers */
    ${P}_real u[$ZU];      /* forces and torques of the drives: $INPUT_UNITS */
    ${P}_real u_rate[$ZU];
    ${P}_real rope[$ZR];   /* rope forces in N, positive pulls */
} ${P}_output;

typedef struct {
    /* These may be changed between ${P}_init and ${P}_plan. */
    ${P}_real p[$ZP];        /* parameters */
    ${P}_real rope_min[$ZR]; /* smallest rope forces that a plan may have, N */
    ${P}_real u_max[$ZU];    /* largest inputs that a plan may have */
    /* The rest belongs to the functions. */
    ${P}_real start[$ZY], goal[$ZY], duration, time;
    ${P}_real w[$ZW], w_rate[$ZW];
    ${P}_real near[$ZY], anchor[$ZY], anchor_w[$ZW];
    int planned, status;
    ${P}_output output;
} ${P}_state;

/* Parameters and limits of the scenario, at rest at the scenario's start. Call it first. */
int ${P}_init(${P}_state *state);

/* Plan from rest to rest: $PATH_NAMES.
   Follows the whole path through $CHECKS times (no allocation, bounded work) and takes it over only
   if the crane can do it; otherwise an earlier plan and the last output stay. */
int ${P}_plan(${P}_state *state, const ${P}_real start[$ZY], const ${P}_real goal[$ZY],
              ${P}_real duration);

/* Solve at the time t after the start of the plan; call it once a cycle with growing t. At an
   error the output is the last valid one. */
int ${P}_step(${P}_state *state, ${P}_real t, ${P}_output *output);

#ifdef __cplusplus
}
#endif

#endif
"""

SOURCE = """\
#include <math.h>
#include <string.h>
#include "$INCLUDE"

typedef ${P}_real real;

#define ORDER $ORDER           /* highest path derivative */
#define SWEEPS $SWEEPS           /* bound of Newton's iterations a call */
#define TOLERANCE $TOLERANCE /* relative step after which the next error is rounding */
#define CHECKS $CHECKS          /* times at which a plan is checked */
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

static const real default_p[$ZP] = $DEFAULT_P;
static const real default_rope_min[$ZR] = $DEFAULT_ROPE_MIN;
static const real default_u_max[$ZU] = $DEFAULT_U_MAX;
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

static void progress(real t, real duration, real c[ORDER + 1])
{
    int i = 0, k, n;
    real x = t / duration, y, scale = $ONE;
    memset(c, 0, (ORDER + 1) * sizeof(real));
    if (!(x > $ZERO)) x = $ZERO;
    if (x >= $ONE) {
        c[0] = $ONE;
        return;
    }
    while (i < SEGMENTS - 1 && x >= segment_until[i]) i++;
    y = (x - segment_anchor[i]) / segment_length[i];
    for (k = 0; k <= ORDER && k <= DEGREE; k++) {
        real sum = $ZERO;
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
    real c[ORDER + 1] = {0}, at[$ZY];
    int i, k, count = 0, status;
    for (i = 0; i < $NY; i++)
        if (from[i] != to[i]) count = CHECKS;
    for (k = 0; k <= count; k++) {
        for (i = 0; i < $NY; i++)
            at[i] = k == count ? to[i] : from[i] + (to[i] - from[i]) * (real)k / (real)count;
        geometry(at, at, c, at, x->gammas);
        status = solve(p, x);
        if (status < 0) return status;
        if (!regular(p, x, signs, k == 0)) return ${P}_SINGULAR;
    }
    return ${P}_OK;
}

static int within_limits(const ${P}_state *state, const point *x)
{
    int i;
    for (i = 0; i < $NR; i++)
        if (x->ropes[i] < state->rope_min[i]) return ${P}_ROPE_LIMIT;
    for (i = 0; i < $NU; i++)
        if ($FABS(x->motion[3 * $NQ + $NL + i]) > state->u_max[i]) return ${P}_INPUT_LIMIT;
    return ${P}_OK;
}

/* Follow the plan from its start through a coarse grid. */
static int follow_plan(const ${P}_state *state, const real *start, const real *goal, real duration,
                       int *signs, point *x)
{
    real c[ORDER + 1], near[$ZY];
    int i, k, status;
    for (k = 0; k <= CHECKS; k++) {
        memcpy(near, x->gammas, sizeof near);
        progress(duration * (real)k / (real)CHECKS, duration, c);
        geometry(start, goal, c, near, x->gammas);
        if (k > 0)
            for (i = 0; i < $NW; i++) x->w[i] += duration / (real)CHECKS * x->w_rate[i];
        status = solve(state->p, x);
        if (status < 0) return status;
        if (!regular(state->p, x, signs, 0)) return ${P}_SINGULAR;
        status = within_limits(state, x);
        if (status < 0) return status;
    }
    return ${P}_OK;
}

int ${P}_init(${P}_state *state)
{
    point x;
    int signs[$BLOCKS];
    memset(state, 0, sizeof *state);
    memcpy(state->p, default_p, sizeof state->p);
    memcpy(state->rope_min, default_rope_min, sizeof state->rope_min);
    memcpy(state->u_max, default_u_max, sizeof state->u_max);
    memcpy(state->anchor, default_start, sizeof state->anchor);
    memcpy(x.w, default_w, sizeof x.w);
    state->status = follow_rest(state->p, state->anchor, state->anchor, signs, &x);
    if (state->status < 0) return state->status;
    memcpy(state->anchor_w, x.w, sizeof x.w);
    publish(&x, &state->output);
    return state->status;
}

int ${P}_plan(${P}_state *state, const real start[$ZY], const real goal[$ZY], real duration)
{
    point x;
    real w[$ZW], w_rate[$ZW], near[$ZY];
    int signs[$BLOCKS], status;
    if (!all_finite(start, $NY) || !all_finite(goal, $NY) || !all_finite(&duration, 1) ||
        !(duration > $ZERO))
        return state->status = ${P}_BAD_ARGUMENT;
    memcpy(x.w, state->anchor_w, sizeof x.w);
    status = follow_rest(state->p, state->anchor, start, signs, &x);
    if (status < 0) return state->status = status;
    memcpy(w, x.w, sizeof w);
    memcpy(w_rate, x.w_rate, sizeof w_rate);
    memcpy(near, x.gammas, sizeof near);
    status = follow_plan(state, start, goal, duration, signs, &x);
    if (status < 0) return state->status = status;
    /* Only now the old plan goes: nothing above has touched it. */
    memcpy(state->start, start, sizeof state->start);
    memcpy(state->goal, goal, sizeof state->goal);
    memcpy(state->w, w, sizeof w);
    memcpy(state->w_rate, w_rate, sizeof w_rate);
    memcpy(state->anchor, goal, sizeof state->anchor);
    memcpy(state->anchor_w, x.w, sizeof x.w);
    memcpy(state->near, near, sizeof near);
    state->duration = duration;
    state->time = $ZERO;
    state->planned = 1;
    return state->status = ${P}_OK;
}

int ${P}_step(${P}_state *state, real t, ${P}_output *output)
{
    point x;
    real c[ORDER + 1], ahead;
    int i, status = ${P}_OK;
    if (!state->planned) status = ${P}_NO_PLAN;
    else if (!all_finite(&t, 1)) status = ${P}_BAD_ARGUMENT;
    if (status == ${P}_OK) {
        if (t < $ZERO) t = $ZERO;
        if (t > state->duration) t = state->duration;
        ahead = t - state->time;
        /* far ahead the tangent is a worse guess than the point itself */
        if ($FABS(ahead) > state->duration / (real)CHECKS) ahead = $ZERO;
        for (i = 0; i < $NW; i++) x.w[i] = state->w[i] + ahead * state->w_rate[i];
        progress(t, state->duration, c);
        geometry(state->start, state->goal, c, state->near, x.gammas);
        status = solve(state->p, &x);
    }
    if (status == ${P}_OK) {
        state->time = t;
        memcpy(state->w, x.w, sizeof x.w);
        memcpy(state->w_rate, x.w_rate, sizeof x.w_rate);
        memcpy(state->near, x.gammas, sizeof state->near);
        publish(&x, &state->output);
        if (t >= state->duration) status = ${P}_DONE;
    }
    *output = state->output;
    return state->status = status;
}
"""
