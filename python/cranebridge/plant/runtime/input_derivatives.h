/* Derivatives of inputs for the coming communication step: FMI 2 only. */

#ifndef CB_INPUT_DERIVATIVES_H
#define CB_INPUT_DERIVATIVES_H

#include "variables.h"

CB_LOCAL CbStatus cb_set_input_derivatives(CbInstance *c, const char *caller,
                                           const unsigned int references[], size_t n,
                                           const int orders[], const double values[]);

#endif
