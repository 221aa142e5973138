/* Adjoint derivatives: FMI 3 only. */

#ifndef CB_ADJOINT_H
#define CB_ADJOINT_H

#include "variables.h"

CB_LOCAL CbStatus cb_adjoint(CbInstance *c, const char *caller, const unsigned int unknowns[],
                             size_t n_unknowns, const unsigned int knowns[], size_t n_knowns,
                             const double seed[], double sensitivity[]);

#endif
