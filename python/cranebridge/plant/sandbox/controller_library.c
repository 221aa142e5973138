/* The way into a controller that is compiled for the verification: the very text that is handed
   over, and functions whose arguments do not depend on it. With ESTIMATES its state has what is
   estimated. */

#include <stddef.h>
#include "controller.c"

#if defined(_WIN32)
#define CB_PUBLIC __declspec(dllexport)
#else
#define CB_PUBLIC __attribute__((visibility("default")))
#endif

CB_PUBLIC size_t cb_controller_size(void)
{
    return sizeof(controller_state);
}

CB_PUBLIC void cb_controller_init(void *state)
{
    controller_init(state);
}

CB_PUBLIC int cb_controller_step(void *state, const double *measured, double *u)
{
    return controller_step(state, measured, u);
}

/* Where the state has what is estimated. */
CB_PUBLIC const double *cb_controller_estimate(void *state)
{
#ifdef ESTIMATES
    return ((controller_state *)state)->estimate;
#else
    (void)state;
    return NULL;
#endif
}
