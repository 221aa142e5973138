#ifndef FILLED
/* The observer of a controller; see cranebridge.control.observer.filter. The same is written in
   controller.st, sum by sum in the same order: a change here belongs there, too. */
#endif
enum {
    SENSORS = MEASURED_,
    COORDINATES = COORDINATES_,
    STATES = STATES_, /* independent coordinates, their velocities, ESTIMATED_TEXT_ */
    MOVING_STATES = MOVING_,
    ESTIMATED = ESTIMATED_, /* ESTIMATED_TEXT_ */
    WAY = WAY_              /* inputs under way, all counted */
};

static const int every[SENSORS] = {EVERY_}; /* samples from reading to reading */
static const int patience[SENSORS] = {PATIENCE_}; /* readings refused in a row, then taken */
static const int relative[SIZE_D_] = {RELATIVE_}; /* whether a disturbance is never negative */
static const real noise[SENSORS] = {SENSOR_NOISE_}; /* variances */
static const real growth[STATES] = {GROWTH_}; /* of the variances in a cycle */
static const real variance[STATES] = {VARIANCE_}; /* at the start */
static const real q_start[COORDINATES] = {Q_START_};
static const real v_start[COORDINATES] = {V_START_};
static const real d_start[SIZE_D_] = {D_START_};
static const real hold_start[INPUTS] = {HOLD_START_};

#ifndef FILLED
/* what is emitted of a crane */
void readings(const real *q, const real *v, const real *d, real *y, real *C);
void correct(const real *q, const real *v, const real *d, const real *dx, real *q_new, real *v_new,
             real *d_new);
void signals(const real *q, const real *v, real *s);
#if DRIVE_PLACES_
void move(const real *q, const real *v, const real *d, const real *u, const real *h, real *A,
          real *q_new, real *v_new, real *d_new);
#else
void move(const real *q, const real *v, const real *d, const real *u, const real *h, real *A,
          real *q_new, real *v_new);
#endif
#endif
/* FUNCTIONS_ */
static void tell_estimate(controller_state *s)
{
    int i;

    for (i = 0; i < COORDINATES; i++) {
        s->estimate[i] = s->q[i];
        s->estimate[COORDINATES + i] = s->v[i];
    }
    for (i = 0; i < ESTIMATED; i++) s->estimate[2 * COORDINATES + i] = s->d[i];
}

static void start_observer(controller_state *s)
{
    int i;

    for (i = 0; i < SENSORS; i++) s->wait[i] = s->refused[i] = 0;
    for (i = 0; i < COORDINATES; i++) {
        s->q[i] = q_start[i];
        s->v[i] = v_start[i];
    }
    for (i = 0; i < ESTIMATED; i++) s->d[i] = d_start[i];
    for (i = 0; i < STATES * STATES; i++) s->P[i] = i % (STATES + 1) ? ZERO_ : variance[i / STATES];
    /* TOGETHER_ */
    for (i = 0; i < WAY; i++) s->under_way[i] = hold_start[i % INPUTS];
    tell_estimate(s);
}

/* Takes one reading into the correction dx of the estimate and into the covariance; whether it is
   taken: not if its surprise, how many standard deviations it is off, squared, is above gate. */
static int take_reading(real *P, real *dx, real difference, const real *slope, real variance_of,
                        real gate, real *surprise)
{
    real k[STATES], spread = variance_of, left = difference, weight;
    int i, j;

    for (i = 0; i < STATES; i++) k[i] = ZERO_;
    for (j = 0; j < STATES; j++) {
        const real x = slope[j * SENSORS];
        if (x != ZERO_)
            for (i = 0; i < STATES; i++) k[i] += P[j * STATES + i] * x;
    }
    for (i = 0; i < STATES; i++) {
        spread += slope[i * SENSORS] * k[i];
        left -= slope[i * SENSORS] * dx[i];
    }
    weight = ONE_ / spread;
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

    if (!(surprise <= IMPOSSIBLE_)) return;
    for (i = 0; i < STATES * STATES; i++) P[i] *= surprise;
    take_reading(P, dx, difference, slope, variance_of, IMPOSSIBLE_, &surprise);
}

/* Whether a sensor is read at this sample. */
static int is_due(controller_state *s, int i)
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
static int look(controller_state *s, const real *measured, real *signal)
{
    real y[SENSORS], C[SENSORS * STATES], dx[STATES], P[STATES * STATES];
    real q[COORDINATES], v[COORDINATES], d[SIZE_D_], surprise;
    int i, j, status, wanted = 0, taken = 0;

    d[0] = ZERO_;
    readings(s->q, s->v, s->d, y, C);
    for (i = 0; i < STATES; i++) dx[i] = ZERO_;
    for (i = 0; i < STATES * STATES; i++) P[i] = s->P[i];
    for (i = 0; i < SENSORS; i++) {
        if (!is_due(s, i)) continue;
        wanted++;
        if (take_reading(P, dx, measured[i] - y[i], C + i, noise[i], GATE_, &surprise)) {
            s->refused[i] = 0;
            taken++;
        } else if (s->refused[i] < patience[i]) {
            s->refused[i]++;
        } else {
            take_again(P, dx, measured[i] - y[i], C + i, noise[i], surprise);
        }
    }
    status = taken == wanted ? 0 : taken ? controller_LOST : controller_HOLDING;
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
        status = controller_HOLDING;
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
        for (i = 0; i < STATES; i++) f[i] = i == j ? ONE_ : ZERO_;
        for (i = 0; i < MOVING_STATES; i++) f[i] += term[i] = h * A[j * MOVING_STATES + i];
        for (power = 2; power <= 3; power++) {
            for (i = 0; i < MOVING_STATES; i++) next[i] = ZERO_;
            for (l = 0; l < MOVING_STATES; l++) {
                const real x = h / (real)power * term[l];
                for (i = 0; i < MOVING_STATES; i++) next[i] += A[l * MOVING_STATES + i] * x;
            }
            for (i = 0; i < MOVING_STATES; i++) f[i] += term[i] = next[i];
        }
    }
    for (j = 0; j < STATES; j++) {
        real *t = T + j * STATES;
        for (i = 0; i < STATES; i++) t[i] = ZERO_;
        for (l = 0; l < STATES; l++)
            for (i = 0; i < STATES; i++) t[i] += F[l * STATES + i] * P[j * STATES + l];
    }
    for (i = 0; i < STATES * STATES; i++) P[i] = ZERO_;
    for (i = 0; i < STATES; i++) P[i * STATES + i] = growth[i] * (h / cycle);
    for (l = 0; l < STATES; l++) {
        for (i = 0; i < STATES; i++) {
            const real x = T[l * STATES + i];
            for (j = 0; j < STATES; j++) P[i * STATES + j] += x * F[l * STATES + j];
        }
    }
}

/* Moves the estimate on by a time with some INPUTS_TEXT_; what leads nowhere is not done. */
static void move_on(controller_state *s, const real *u, real h)
{
#if DRIVE_PLACES_
    real A[MOVING_STATES * STATES], P[STATES * STATES], q[COORDINATES], v[COORDINATES], d[SIZE_D_];
    int i;

    move(s->q, s->v, s->d, u, &h, A, q, v, d);
#else
    real A[MOVING_STATES * STATES], P[STATES * STATES], q[COORDINATES], v[COORDINATES];
    int i;

    move(s->q, s->v, s->d, u, &h, A, q, v);
#endif
    for (i = 0; i < STATES * STATES; i++) P[i] = s->P[i];
    spread_out(P, A, h);
    if (!are_numbers(q, COORDINATES) || !are_numbers(v, COORDINATES) ||
#if DRIVE_PLACES_
        !are_numbers(P, STATES * STATES) || !are_numbers(d, ESTIMATED))
#else
        !are_numbers(P, STATES * STATES))
#endif
        return;
    for (i = 0; i < COORDINATES; i++) {
        s->q[i] = q[i];
        s->v[i] = v[i];
    }
#if DRIVE_PLACES_
    for (i = 0; i < ESTIMATED; i++) s->d[i] = d[i];
#endif
    for (i = 0; i < STATES * STATES; i++) s->P[i] = P[i];
}

/* Predicts the next sample with the inputs that act until then. */
static void predict(controller_state *s, const real *u)
{
    real acting[WAY + INPUTS];
    int i;

    for (i = 0; i < INPUTS; i++) acting[i] = u[i];
    for (i = 0; i < WAY; i++) acting[INPUTS + i] = s->under_way[i];
    /* MOVES_ */
    for (i = 0; i < WAY; i++) s->under_way[i] = acting[i];
}
