/* Getting, setting and serializing the complete state of an instance. */

#ifndef CB_STATE_H
#define CB_STATE_H

#include "instance.h"

typedef struct {
    CbScalars s;
    double saved[]; /* n_saved numbers */
} CbState;

CB_LOCAL CbStatus cb_get_state(CbInstance *c, const char *caller, void **state);
CB_LOCAL CbStatus cb_set_state(CbInstance *c, const char *caller, const void *state);
CB_LOCAL CbStatus cb_free_state(CbInstance *c, const char *caller, void **state);
CB_LOCAL CbStatus cb_state_size(CbInstance *c, const char *caller, const void *state,
                                size_t *size);
CB_LOCAL CbStatus cb_serialize(CbInstance *c, const char *caller, const void *state,
                               unsigned char bytes[], size_t size);
CB_LOCAL CbStatus cb_deserialize(CbInstance *c, const char *caller, const unsigned char bytes[],
                                 size_t size, void **state);

#endif
