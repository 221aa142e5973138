#ifndef FILLED
/* What a controller remembers, wherever its motion comes from. */
#endif
#if OVER_POSITION_
    int outside;      /* whether the gains are those of the grid's edge */
    controller_real faded; /* part of the feedback that acts, 1 once it has faded in */
#else
    int node;    /* row of the gains */
#endif
    int limited; /* whether the last inputs met a limit: integrals only lead back */
    controller_real integral[SIZE_INTEGRAL_];
    controller_real past[SIZE_PAST_];     /* corrections, the newest first */
    controller_real correction[INPUTS_]; /* the last one */
#if OBSERVED_
    /* the observer: samples until each sensor is read, its readings that were refused in a row,
       estimate, covariance, inputs under way */
    int wait[MEASURED_], refused[MEASURED_];
    controller_real q[COORDINATES_], v[COORDINATES_], d[SIZE_D_];
    controller_real P[STATES_ * STATES_];
    controller_real under_way[SIZE_WAY_];
    controller_real estimate[ESTIMATES_]; /* for others to read; nothing reads it here */
#endif
