"""The text of a controller's C module; ``$NAME`` is filled in by `controller_c`."""

HEADER = """\
#ifndef ${GUARD}_H
#define ${GUARD}_H

${INCLUDES}#ifdef __cplusplus
extern "C" {
#endif

$INTRO

typedef $TYPE ${P}_real;

/* Positions in the array of what is measured. */
enum {
$MEASURED_INDICES
    ${P}_MEASURED = $MEASURED
};

/* Positions in the array of what is given out. */
enum {
$INPUT_INDICES
    ${P}_INPUTS = $INPUTS
};
$ESTIMATES_ENUM
/* What ${P}_step returns; whatever it is, all that is given out is finite and within its limits. */
enum {
    ${P}_MOVING = 0,
    ${P}_DONE = 1,     /* $DONE_TEXT */
    ${P}_HOLDING = -1, /* not known where the crane is: feedforward with the last correction */
    ${P}_LOST = -2$LOST_COMMA    /* a measured value is refused: $LOST */$MORE_STATUS
};

typedef struct {
$MOTION_STATE
$GAIN_STATE
    int limited; /* whether the last inputs met a limit: integrals only lead back */
    ${P}_real integral[$SIZE_INTEGRAL];
    ${P}_real past[$SIZE_PAST];     /* corrections, the newest first */
    ${P}_real correction[$INPUTS]; /* the last one */
$STATE} ${P}_state;

$CONTRACT

#ifdef __cplusplus
}
#endif

#endif
"""

SOURCE = """\
#include "$INCLUDE"

${MATH}typedef ${P}_real real;

enum {
$SIZES
    SIGNALS = $SIGNALS,
    INTEGRALS = $INTEGRALS,
    PAST = $PAST,
    DISTURBANCES = $DISTURBANCES,
    INPUTS = $INPUTS,
    COLUMNS = $COLUMNS /* of the gains: signals, integrals, past corrections, disturbances */
};

static const real cycle = $CYCLE; /* s */

/* What is wanted at a sample: signals, the feedforward that is held after it, and which gains. */
typedef struct {
    const real *signal, *hold;
    $WHERE
} aim;

$TABLES

static const real least[INPUTS] = {$LEAST};
static const real most[INPUTS] = {$MOST};
static const int integrated[$SIZE_INTEGRAL] = {$INTEGRATED};
static const real far_off[SIGNALS] = {$FAR}; /* from its reference: no crane is there */
static const real counted[$SIZE_INTEGRAL] = {$COUNTED}; /* of an error that is larger */

/* Neither infinite nor no number. */
static int is_number(real x)
{
    return x - x == $ZERO;
}

static int are_numbers(const real *x, int count)
{
    int i;

    for (i = 0; i < count; i++)
        if (!is_number(x[i])) return 0;
    return 1;
}

/* Makes room for new values at the begin of some, and puts them there. */
static void shift_in(real *values, int size, const real *fresh, int count)
{
    int i;

    for (i = size - 1; i >= count; i--) values[i] = values[i - count];
    for (i = 0; i < count && i < size; i++) values[i] = fresh[i];
}

$LOOK
$FEEDBACK
/* Keeps the inputs within their limits; whether one of them is met, and which were beyond. */
static int limit(real *u, int *beyond)
{
    int i, met = 0;

    for (i = 0; i < INPUTS; i++) {
        beyond[i] = u[i] > most[i] ? 1 : u[i] < least[i] ? -1 : 0;
        if (beyond[i]) {
            u[i] = beyond[i] > 0 ? most[i] : least[i];
            met = 1;
        }
    }
    return met;
}

/* Whether all that is fed back is where a crane can be; what is no number is not. */
static int is_near(const real *fed)
{
    int i;

    for (i = 0; i < SIGNALS; i++)
        if (!(fed[i] <= far_off[i] && fed[i] >= -far_off[i])) return 0;
    return 1;
}

/* Of an error, what is integrated. */
static real counted_part(real off, real largest)
{
    return off > largest ? largest : off < -largest ? -largest : off;
}

/* Integrates: of what moves an input that is beyond its limit only what leads it back, and no more
   than moves an input from the feedforward to its limit. */
static void add_up(${P}_state *s, const real *hold, const real *fed, const real *pull,
                      const int *beyond)
{
    int i, j;

    for (j = 0; j < INTEGRALS; j++) {
        const real step = cycle * counted_part(fed[integrated[j]], counted[j]);
        int leads = 1;
        for (i = 0; i < INPUTS; i++)
            if ((real)beyond[i] * (pull[i * INTEGRALS + j] * step) < $ZERO) leads = 0;
        if (leads) s->integral[j] += step;
        for (i = 0; i < INPUTS; i++) {
            const real own = pull[i * INTEGRALS + j], moved = -own * s->integral[j];
            const real up = most[i] - hold[i], down = least[i] - hold[i];
            if (moved > $ZERO && moved > up) s->integral[j] = up > $ZERO ? -up / own : $ZERO;
            if (moved < $ZERO && moved < down) s->integral[j] = down < $ZERO ? -down / own : $ZERO;
        }
    }
}

void ${P}_init(${P}_state *s)
{
    int i;

$INIT
    s->limited = 0;
    for (i = 0; i < $SIZE_INTEGRAL; i++) s->integral[i] = $ZERO;
    for (i = 0; i < $SIZE_PAST; i++) s->past[i] = $ZERO;
    for (i = 0; i < INPUTS; i++) s->correction[i] = $ZERO;$START_OBSERVER
}

/* One sample: what is fed back, held, limited, integrated and remembered. */
static int take_sample(${P}_state *s, const aim *at, const real *measured, real *u)
{
    const real *const hold = at->hold;
    real fed[COLUMNS], pull[INPUTS * $SIZE_INTEGRAL];
    int beyond[INPUTS], i, status;

    status = look(s, measured, fed);
    for (i = 0; i < SIGNALS; i++) fed[i] -= at->signal[i];
    for (i = 0; i < INTEGRALS; i++) fed[SIGNALS + i] = s->integral[i];
    for (i = 0; i < PAST; i++) fed[SIGNALS + INTEGRALS + i] = s->past[i];
    feed_back(s, at, fed, u, pull);
    if (status == ${P}_HOLDING || !is_near(fed) || !are_numbers(u, INPUTS)) {
        status = ${P}_HOLDING;
        for (i = 0; i < INPUTS; i++) u[i] = hold[i] + s->correction[i];
    }
    s->limited = limit(u, beyond);
    for (i = 0; i < INPUTS; i++) s->correction[i] = u[i] - hold[i];
    if (status != ${P}_HOLDING) add_up(s, hold, fed, pull, beyond);
    shift_in(s->past, PAST, s->correction, INPUTS);$PREDICT
    return status;
}

$STEP"""

FULL_STATE = """\
/* The signals are what is measured; HOLDING where one is no number. */
static int look(${P}_state *s, const real *measured, real *signal)
{
    int i;

    (void)s;
    for (i = 0; i < SIGNALS; i++) signal[i] = measured[i];
    return are_numbers(measured, SIGNALS) ? 0 : ${P}_HOLDING;
}
"""

ESTIMATES = """
/* Positions in what is estimated: `estimate` of the state, after each step that of its sample. */
enum {
$ESTIMATE_INDICES
    ${P}_ESTIMATES = $ESTIMATES
};
"""

OBSERVED_STATE = """\
    /* the observer: samples until each sensor is read, its readings that were refused in a row,
       estimate, covariance, inputs under way */
    int wait[$MEASURED], refused[$MEASURED];
    ${P}_real q[$COORDINATES], v[$COORDINATES], d[$SIZE_D];
    ${P}_real P[$STATES * $STATES];
    ${P}_real under_way[$SIZE_WAY];
    ${P}_real estimate[$ESTIMATES]; /* for others to read; nothing reads it here */
"""

OBSERVER = """\
enum {
    SENSORS = $MEASURED,
    COORDINATES = $COORDINATES,
    STATES = $STATES, /* independent coordinates, their velocities, disturbances$DRIVES_TEXT */
    MOVING_STATES = $MOVING,
    ESTIMATED = $ESTIMATED, /* disturbances$DRIVES_TEXT */
    WAY = $WAY              /* inputs under way, all counted */
};

static const int every[SENSORS] = {$EVERY}; /* samples from reading to reading */
static const int patience[SENSORS] = {$PATIENCE}; /* readings refused in a row, then taken */
static const int relative[$SIZE_D] = {$RELATIVE}; /* whether a disturbance is never negative */
static const real noise[SENSORS] = {$NOISE}; /* variances */
static const real growth[STATES] = {$GROWTH}; /* of the variances in a cycle */
static const real variance[STATES] = {$VARIANCE}; /* at the start */
static const real q_start[COORDINATES] = {$Q_START};
static const real v_start[COORDINATES] = {$V_START};
static const real d_start[$SIZE_D] = {$D_START};
static const real hold_start[INPUTS] = {$HOLD_START};

$FUNCTIONS
static void tell_estimate(${P}_state *s)
{
    int i;

    for (i = 0; i < COORDINATES; i++) {
        s->estimate[i] = s->q[i];
        s->estimate[COORDINATES + i] = s->v[i];
    }
    for (i = 0; i < ESTIMATED; i++) s->estimate[2 * COORDINATES + i] = s->d[i];
}

static void start_observer(${P}_state *s)
{
    int i;

    for (i = 0; i < SENSORS; i++) s->wait[i] = s->refused[i] = 0;
    for (i = 0; i < COORDINATES; i++) {
        s->q[i] = q_start[i];
        s->v[i] = v_start[i];
    }
    for (i = 0; i < ESTIMATED; i++) s->d[i] = d_start[i];
    for (i = 0; i < STATES * STATES; i++) s->P[i] = i % (STATES + 1) ? $ZERO : variance[i / STATES];
$TOGETHER    for (i = 0; i < WAY; i++) s->under_way[i] = hold_start[i % INPUTS];
    tell_estimate(s);
}

/* Takes one reading into the correction dx of the estimate and into the covariance; whether it is
   taken: not if its surprise, how many standard deviations it is off, squared, is above gate. */
static int take_reading(real *P, real *dx, real difference, const real *slope, real variance_of,
                        real gate, real *surprise)
{
    real k[STATES], spread = variance_of, left = difference, weight;
    int i, j;

    for (i = 0; i < STATES; i++) k[i] = $ZERO;
    for (j = 0; j < STATES; j++) {
        const real x = slope[j * SENSORS];
        if (x != $ZERO)
            for (i = 0; i < STATES; i++) k[i] += P[j * STATES + i] * x;
    }
    for (i = 0; i < STATES; i++) {
        spread += slope[i * SENSORS] * k[i];
        left -= slope[i * SENSORS] * dx[i];
    }
    weight = $ONE / spread;
    *surprise = left * left * weight;
    if (!(*surprise <= gate)) return 0;
    for (i = 0; i < STATES; i++) {
        const real gain = weight * k[i];
        dx[i] += gain * left;
        for (j = 0; j < STATES; j++) P[i * STATES + j] -= gain * k[j];
    }
    return 1;
}

/* Takes a reading that was refused for long: the estimate itself may be wrong, and is then as wrong
   as the reading says. What no sensor says is not taken at all. */
static void take_again(real *P, real *dx, real difference, const real *slope, real variance_of,
                       real surprise)
{
    int i;

    if (!(surprise <= $IMPOSSIBLE)) return;
    for (i = 0; i < STATES * STATES; i++) P[i] *= surprise;
    take_reading(P, dx, difference, slope, variance_of, $IMPOSSIBLE, &surprise);
}

/* Whether a sensor is read at this sample. */
static int is_due(${P}_state *s, int i)
{
    const int due = s->wait[i] == 0;

    s->wait[i] = due ? every[i] - 1 : s->wait[i] - 1;
    return due;
}

/* What is not known of a state becomes some times as large. */
static void scale_spread(real *P, int state, real factor)
{
    int i;

    for (i = 0; i < STATES; i++) {
        P[state * STATES + i] *= factor;
        P[i * STATES + state] *= factor;
    }
}

/* The signals of the estimate, after the readings of this sample. A correction that leads nowhere
   is not made. */
static int look(${P}_state *s, const real *measured, real *signal)
{
    real y[SENSORS], C[SENSORS * STATES], dx[STATES], P[STATES * STATES];
    real q[COORDINATES], v[COORDINATES], d[$SIZE_D], surprise;
    int i, j, status, wanted = 0, taken = 0;

    d[0] = $ZERO;
    readings(s->q, s->v, s->d, y, C);
    for (i = 0; i < STATES; i++) dx[i] = $ZERO;
    for (i = 0; i < STATES * STATES; i++) P[i] = s->P[i];
    for (i = 0; i < SENSORS; i++) {
        if (!is_due(s, i)) continue;
        wanted++;
        if (take_reading(P, dx, measured[i] - y[i], C + i, noise[i], $GATE, &surprise)) {
            s->refused[i] = 0;
            taken++;
        } else if (s->refused[i] < patience[i]) {
            s->refused[i]++;
        } else {
            take_again(P, dx, measured[i] - y[i], C + i, noise[i], surprise);
        }
    }
    status = taken == wanted ? 0 : taken ? ${P}_LOST : ${P}_HOLDING;
    correct(s->q, s->v, s->d, dx, q, v, d);
    for (i = 0; i < ESTIMATED; i++)
        if (relative[i]) scale_spread(P, MOVING_STATES + i, d[i] / s->d[i]);
    if (are_numbers(q, COORDINATES) && are_numbers(v, COORDINATES) && are_numbers(d, ESTIMATED) &&
        are_numbers(P, STATES * STATES)) {
        for (i = 0; i < COORDINATES; i++) {
            s->q[i] = q[i];
            s->v[i] = v[i];
        }
        for (i = 0; i < ESTIMATED; i++) s->d[i] = d[i];
        for (i = 0; i < STATES; i++)
            for (j = i; j < STATES; j++)
                s->P[i * STATES + j] = s->P[j * STATES + i] = P[i * STATES + j];
    } else {
        status = ${P}_HOLDING;
    }
    tell_estimate(s);
    signals(s->q, s->v, signal);
    for (i = 0; i < DISTURBANCES; i++)
        signal[COLUMNS - DISTURBANCES + i] = s->d[i] - d_start[i];
    return status;
}

/* P <- F P F^T + growth, F = I + h A + (h A)^2 / 2 + (h A)^3 / 6, with the slopes A of the moving
   states; disturbances stay. Matrices column by column. */
static void spread_out(real *P, const real *A, real h)
{
    real F[STATES * STATES], T[STATES * STATES], term[MOVING_STATES], next[MOVING_STATES];
    int i, j, l, power;

    for (j = 0; j < STATES; j++) {
        real *f = F + j * STATES;
        for (i = 0; i < STATES; i++) f[i] = i == j ? $ONE : $ZERO;
        for (i = 0; i < MOVING_STATES; i++) f[i] += term[i] = h * A[j * MOVING_STATES + i];
        for (power = 2; power <= 3; power++) {
            for (i = 0; i < MOVING_STATES; i++) next[i] = $ZERO;
            for (l = 0; l < MOVING_STATES; l++) {
                const real x = h / (real)power * term[l];
                for (i = 0; i < MOVING_STATES; i++) next[i] += A[l * MOVING_STATES + i] * x;
            }
            for (i = 0; i < MOVING_STATES; i++) f[i] += term[i] = next[i];
        }
    }
    for (j = 0; j < STATES; j++) {
        real *t = T + j * STATES;
        for (i = 0; i < STATES; i++) t[i] = $ZERO;
        for (l = 0; l < STATES; l++)
            for (i = 0; i < STATES; i++) t[i] += F[l * STATES + i] * P[j * STATES + l];
    }
    for (i = 0; i < STATES * STATES; i++) P[i] = $ZERO;
    for (i = 0; i < STATES; i++) P[i * STATES + i] = growth[i] * (h / cycle);
    for (l = 0; l < STATES; l++) {
        for (i = 0; i < STATES; i++) {
            const real x = T[l * STATES + i];
            for (j = 0; j < STATES; j++) P[i * STATES + j] += x * F[l * STATES + j];
        }
    }
}

/* Moves the estimate on by a time with some inputs$PLACES_TEXT; what leads nowhere is not done. */
static void move_on(${P}_state *s, const real *u, real h)
{
    real A[MOVING_STATES * STATES], P[STATES * STATES], q[COORDINATES], v[COORDINATES]$HAS_D;
    int i;

    move(s->q, s->v, s->d, u, &h, A, q, v$MOVED_D);
    for (i = 0; i < STATES * STATES; i++) P[i] = s->P[i];
    spread_out(P, A, h);
    if (!are_numbers(q, COORDINATES) || !are_numbers(v, COORDINATES) ||
        !are_numbers(P, STATES * STATES)$CHECK_D)
        return;
    for (i = 0; i < COORDINATES; i++) {
        s->q[i] = q[i];
        s->v[i] = v[i];
    }$TAKE_D
    for (i = 0; i < STATES * STATES; i++) s->P[i] = P[i];
}

/* Predicts the next sample with the inputs that act until then. */
static void predict(${P}_state *s, const real *u)
{
    real acting[WAY + INPUTS];
    int i;

    for (i = 0; i < INPUTS; i++) acting[i] = u[i];
    for (i = 0; i < WAY; i++) acting[INPUTS + i] = s->under_way[i];
$MOVES
    for (i = 0; i < WAY; i++) s->under_way[i] = acting[i];
}
"""
