#include "fmi3_access.h"

#include <stdlib.h>

static size_t number_of_references(const CbModel *m)
{
    size_t n = 0;
    while (cb_locate(m, n).kind != CB_UNKNOWN) ++n;
    return n;
}

static int is_continuous(const CbModel *m, unsigned int reference)
{
    const CbKind kind = cb_locate(m, reference).kind;
    return kind >= CB_STATE && kind <= CB_OUTPUT && !cb_is_discrete(m, reference);
}

CB_LOCAL CbStatus cb_name_intermediate(CbInstance *c, const char *caller,
                                       const unsigned int references[], size_t n)
{
    size_t i;

    if (n == 0) return CB_OK;
    if (cb_require_pointer(c, caller, references, n) != CB_OK) return CB_ERROR;
    c->master.accessible = calloc(number_of_references(c->model), 1);
    if (!c->master.accessible) return cb_error(c, "%s: out of memory.", caller);
    for (i = 0; i < n; ++i) {
        if (!is_continuous(c->model, references[i])) {
            return cb_error(c, "%s: the value reference %u is not a variable with "
                            "intermediateUpdate = true.", caller, references[i]);
        }
        c->master.accessible[references[i]] = 1;
        if (cb_locate(c->model, references[i]).kind == CB_INPUT) c->master.sets_inputs = 1;
    }
    return CB_OK;
}

CB_LOCAL CbStatus cb_check_access(const CbInstance *c, const char *caller,
                                  const unsigned int references[], size_t n, int setting)
{
    size_t i;

    if (c->s.mode != CB_INTERMEDIATE) return CB_OK;
    if (cb_require_pointer(c, caller, references, n) != CB_OK) return CB_ERROR;
    if (!(setting ? c->master.may_set : c->master.may_get)) {
        return cb_error(c, "%s: variables must not be %s in this intermediate update.", caller,
                        setting ? "set" : "read");
    }
    for (i = 0; i < n; ++i) {
        if (!is_continuous(c->model, references[i]) || !c->master.accessible[references[i]]) {
            return cb_error(c, "%s: the value reference %u was not among the required intermediate "
                            "variables when the instance was made.", caller, references[i]);
        }
    }
    return CB_OK;
}
