/* Exact partial derivatives: directional ones, and the time derivatives of outputs. */

#ifndef CB_DERIVATIVES_H
#define CB_DERIVATIVES_H

#include "variables.h"

CB_LOCAL CbStatus cb_directional(CbInstance *c, const char *caller, const unsigned int unknowns[],
                                 size_t n_unknowns, const unsigned int knowns[], size_t n_knowns,
                                 const double seed[], double sensitivity[]);
CB_LOCAL CbStatus cb_output_derivatives(CbInstance *c, const char *caller,
                                        const unsigned int references[], size_t n,
                                        const int orders[], double values[]);
CB_LOCAL CbStatus cb_check_orders(const CbInstance *c, const char *caller,
                                  const unsigned int references[], size_t n,
                                  const int orders[], int largest);

#endif
