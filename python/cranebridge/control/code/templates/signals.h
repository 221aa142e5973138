#ifndef FILLED
/* What goes into a controller and comes out of it. */
#endif
typedef TYPE_ controller_real;

/* Positions in the array of what is measured. */
enum {
    /* MEASURED_INDICES_ */
    controller_MEASURED = MEASURED_
};

/* Positions in the array of what is given out. */
enum {
    /* INPUT_INDICES_ */
    controller_INPUTS = INPUTS_
};
#if OBSERVED_

/* Positions in what is estimated: `estimate` of the state, after each step that of its sample. */
enum {
    /* ESTIMATE_INDICES_ */
    controller_ESTIMATES = ESTIMATES_
};
#endif
