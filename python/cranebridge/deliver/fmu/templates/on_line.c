#ifndef FILLED
/* Plans by themselves as a CbAlgorithm of plant/runtime/model.h. */
#include "example.h"
#endif
#include PLANS_

static const CbAlgorithm cb_algorithm = {
    sizeof(Feedforward), ff_start, ff_update, ff_outputs, ff_next_event,
};
#ifndef FILLED
const CbAlgorithm *const used = &cb_algorithm; /* by the runtime */
#endif
