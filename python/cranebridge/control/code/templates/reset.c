#ifndef FILLED
/* A controller without a past. */
#endif
#if OVER_POSITION_
    s->outside = 0;
    s->faded = FADE_START_;
#else
    s->node = 0;
#endif
    s->limited = 0;
    for (i = 0; i < SIZE_INTEGRAL_; i++) s->integral[i] = ZERO_;
    for (i = 0; i < SIZE_PAST_; i++) s->past[i] = ZERO_;
    for (i = 0; i < INPUTS; i++) s->correction[i] = ZERO_;
#if OBSERVED_
    start_observer(s);
#endif
