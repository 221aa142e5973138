/* The loop as one compilation unit. */

#include "calls.c"
#include "inputs.c"
#include "dop853.c"
#include "events.c"
#include "law.c"
#include "loop.c"
