/* The whole FMU as one compilation unit: plant, runtime, and the FMI version that CB_FMI names.
   One unit lets the compiler see through the layers and keeps every symbol but FMI's local. */

#include "config.h"
#include "model.h"

/* CasADi's functions all have the same five arguments, whether they use them or not. */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include "equations.c"
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include "model.c"

#include "logging.c"
#include "instance.c"
#include "algorithm.c"
#include "loops.c"
#include "events.c"
#include "variables.c"
#include "derivatives.c"
#include "state.c"
#include "linear.c"
#include "intermediate.c"
#include "integrator_dopri5.c"
#include "integrator_rodas4.c"
#include "integrator.c"
#include "integrator_events.c"

#if CB_FMI == 2
#include "input_derivatives.c"
#include "fmi2.c"
#else
#include "adjoint.c"
#include "fmi3_access.c"
#include "fmi3.c"
#include "fmi3_co_simulation.c"
#endif

/* Last, so that its names cannot get in the way of the runtime's. */
#ifdef CB_ALGORITHM
#include "algorithm_code.c"
#endif
