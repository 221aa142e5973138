#include "input_derivatives.h"

#include "derivatives.h"

#include <math.h>

CB_LOCAL CbStatus cb_set_input_derivatives(CbInstance *c, const char *caller,
                                           const unsigned int references[], size_t n,
                                           const int orders[], const double values[])
{
    const CbModel *m = c->model;
    size_t i;

    if (cb_check_orders(c, caller, references, n, orders, CB_MAX_INPUT_DERIVATIVE) != CB_OK ||
        cb_require_pointer(c, caller, values, n) != CB_OK) {
        return CB_ERROR;
    }
    for (i = 0; i < n; ++i) {
        const CbReference r = cb_locate(m, references[i]);
        if (r.kind != CB_INPUT || cb_is_discrete(m, references[i])) {
            return cb_error(c, "%s: the value reference %u is not a continuous input.", caller,
                            references[i]);
        }
        if (!isfinite(values[i])) {
            return cb_error(c, "%s: the derivative of %s is not finite.", caller, cb_name(m, r));
        }
    }
    for (i = 0; i < n; ++i) {
        const size_t input = cb_locate(m, references[i]).index;
        c->u_derivatives[(size_t)(orders[i] - 1) * m->nu + input] = values[i];
    }
    return CB_OK;
}
