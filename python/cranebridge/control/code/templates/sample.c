#ifndef FILLED
/* A sample of a controller, wherever what it aims at comes from. */
#endif
/* One sample: what is fed back, held, limited, integrated and remembered. */
static int take_sample(controller_state *s, const aim *at, const real *measured, real *u)
{
    const real *const hold = at->hold;
    real fed[COLUMNS], pull[INPUTS * SIZE_INTEGRAL_];
    int beyond[INPUTS], i, status;

    status = look(s, measured, fed);
    for (i = 0; i < SIGNALS; i++) fed[i] -= at->signal[i];
    for (i = 0; i < INTEGRALS; i++) fed[SIGNALS + i] = s->integral[i];
    for (i = 0; i < PAST; i++) fed[SIGNALS + INTEGRALS + i] = s->past[i];
    feed_back(s, at, fed, u, pull);
    if (status == controller_HOLDING || !is_near(fed) || !are_numbers(u, INPUTS)) {
        status = controller_HOLDING;
        for (i = 0; i < INPUTS; i++) u[i] = hold[i] + s->correction[i];
    }
    s->limited = limit(u, beyond);
    for (i = 0; i < INPUTS; i++) s->correction[i] = u[i] - hold[i];
    if (status != controller_HOLDING) add_up(s, hold, fed, pull, beyond);
    shift_in(s->past, PAST, s->correction, INPUTS);
#if OBSERVED_
    predict(s, u);
#endif
    return status;
}
