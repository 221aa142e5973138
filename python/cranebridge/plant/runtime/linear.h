/* Dense linear systems, stored by columns. */

#ifndef CB_LINEAR_H
#define CB_LINEAR_H

#include "model.h"

/* P A = L U in place, with partial pivoting; not zero if A is singular or not finite. */
CB_LOCAL int cb_lu_factor(double *a, size_t *pivots, size_t n);
/* Overwrites b with the solution of A x = b. */
CB_LOCAL void cb_lu_solve(const double *lu, const size_t *pivots, size_t n, double *b);

#endif
