#ifndef FILLED
/* What a sample aims at. */
#endif
static const real cycle = CYCLE_; /* s */

/* What is wanted at a sample: signals, the feedforward that is held after it, and which gains. */
typedef struct {
    const real *signal, *hold;
#if OVER_POSITION_
    const real *place;
#else
    long sample;
#endif
} aim;
