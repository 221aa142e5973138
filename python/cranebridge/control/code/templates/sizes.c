#ifndef FILLED
/* Sizes of a controller's arrays. */
#endif
#if OVER_POSITION_
    AXES = AXES_,       /* of the grid of gains */
    ROWS = ROWS_,       /* points of it, the last axis fastest */
    PARTS = PARTS_,     /* positions of an axis that count at a place, at most */
    CORNERS = CORNERS_, /* points of the grid that count at a place */
#else
    NODES = NODES_,
#endif
    SIGNALS = SIGNALS_,
    INTEGRALS = INTEGRALS_,
    PAST = PAST_,
    DISTURBANCES = DISTURBANCES_,
    INPUTS = INPUTS_,
    COLUMNS = COLUMNS_ /* of the gains: signals, integrals, past corrections, disturbances */
