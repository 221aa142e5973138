/* An FMI 3.0 Co-Simulation plant as another tool might write it: x' = k u + w, y = x.

   It integrates each communication step by Gauss' rule with three points, so it asks for its input u
   at odd times; w it takes at communication points only. k is 1 at first, 3 after an event at 0.437
   that nobody is told before, and -1 after a time event at 1.1. It wants a communication point at
   0.75 for no reason. `wrong` counts calls that the standard does not allow.

   BEHAVIOUR makes it worse, or simpler. */
#include "fmi3Functions.h"
#include <math.h>
#include <stdlib.h>

enum { GOOD, OUTSIDE, STUCK, UNASKED, SILENT, NOT_A_NUMBER };
#ifndef BEHAVIOUR
#define BEHAVIOUR GOOD
#endif

enum { TIME, X, U, W, Y, WRONG, ASKED, EVENTS, GAIN };
enum { INITIALIZATION, EVENT, STEP, UPDATE };

typedef struct {
    void *environment;
    fmi3IntermediateUpdateCallback update;
    bool events, early, may_set, may_get;
    int mode, required;
    double t, x, u, w, k, wrong, asked, count, before;
} Plant;

#define P ((Plant *)c)

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String path, fmi3Boolean visible, fmi3Boolean logging,
    fmi3Boolean events, fmi3Boolean early, const fmi3ValueReference required[], size_t n,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3IntermediateUpdateCallback update)
{
    Plant *p = calloc(1, sizeof *p);
    p->environment = environment;
    p->update = update;
    p->events = events;
    p->early = early;
    p->required = n == 1 && required[0] == U;
    p->k = 1.0;
    if (n > 1 || (n == 1 && !p->required)) p->wrong = 100.0;
    return p;
}
void fmi3FreeInstance(fmi3Instance c) { free(c); }
fmi3String fmi3GetVersion(void) { return "3.0"; }
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean a, fmi3Float64 b, fmi3Float64 t,
                                       fmi3Boolean d, fmi3Float64 e) { P->t = t; return fmi3OK; }
fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{ P->mode = P->events ? EVENT : STEP; return fmi3OK; }
fmi3Status fmi3Terminate(fmi3Instance c) { return fmi3OK; }

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float64 v[],
                          size_t m)
{
    const double values[] = {P->t, P->x, P->u, P->w, P->x, P->wrong, P->asked, P->count, P->k};
    size_t i;
    if (P->mode == UPDATE && !P->may_get) P->wrong += 1.0;
    for (i = 0; i < n; ++i) v[i] = values[r[i]];
    return fmi3OK;
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n,
                          const fmi3Float64 v[], size_t m)
{
    size_t i;
    for (i = 0; i < n; ++i) {
        if (P->mode == UPDATE && (!P->may_set || !P->required || r[i] != U)) P->wrong += 1.0;
        if (r[i] == U) P->u = v[i];
        else if (r[i] == W) P->w = v[i];
        else return fmi3Error;
    }
    return fmi3OK;
}

fmi3Status fmi3EnterEventMode(fmi3Instance c)
{
    if (P->mode != STEP || !P->events) return fmi3Error;
    P->mode = EVENT;
    return fmi3OK;
}
static double gain_at(double t) { return t >= 1.1 ? -1.0 : t >= 0.437 ? 3.0 : 1.0; }
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *more, fmi3Boolean *end,
                                    fmi3Boolean *nominals, fmi3Boolean *states,
                                    fmi3Boolean *defined, fmi3Float64 *next)
{
    if (P->mode != EVENT) return fmi3Error;
    *more = P->k != gain_at(P->t); /* one more round, to see that it is made */
    *end = *nominals = *states = false;
    *defined = P->t < 1.1;
    *next = 1.1;
    P->k = gain_at(P->t);
    P->count += 1.0;
    return fmi3OK;
}
fmi3Status fmi3EnterStepMode(fmi3Instance c)
{
    if (P->mode != EVENT) return fmi3Error;
    P->mode = STEP;
    return fmi3OK;
}

static double input_at(Plant *p, double t)
{
    bool stop = false;
    double when = 0.0;
    if (!p->update || BEHAVIOUR == SILENT) return p->u;
    p->mode = UPDATE;
    p->may_set = true;
    p->may_get = false;
    p->asked += 1.0;
    p->update(p->environment, BEHAVIOUR == OUTSIDE ? t + 5.0 : t, true, false, false, false, &stop,
              &when);
    if (stop) p->wrong += 1.0; /* it was not offered */
    p->mode = STEP;
    return p->u;
}

/* Exact for polynomials up to degree 5. */
static void integrate(Plant *p, double end)
{
    const double h = end - p->t, middle = p->t + h / 2.0, root = sqrt(0.6) * h / 2.0;
    const double w = p->w;
    const double sum = 5.0 * input_at(p, middle - root) + 8.0 * input_at(p, middle) +
                       5.0 * input_at(p, middle + root);
    p->x += h * (p->k * sum / 18.0 + w);
    p->t = end;
}
static void tell(Plant *p, bool *stop, double *when)
{
    if (!p->update) return;
    p->mode = UPDATE;
    p->may_set = p->may_get = false;
    p->update(p->environment, p->t, false, false, true, p->early, stop, when);
    p->mode = STEP;
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 point, fmi3Float64 size, fmi3Boolean no,
                      fmi3Boolean *event, fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *last)
{
    const double stops[] = {0.437, 0.75}, target = point + size;
    double goal = target, when = 0.0;
    bool stop = false;
    int i, reason = -1;

    if (P->mode != STEP) return fmi3Error;
    if (fabs(point - P->t) > 1e-12 || (P->events && P->t < 1.1 && target > 1.1 + 1e-12)) {
        P->wrong += 1.0; /* over an event that was announced */
    }
    *event = *end = *early = false;
    for (i = 0; i < 2 && P->early; ++i) {
        if (P->t < stops[i] && goal > stops[i]) {
            goal = stops[i];
            reason = i;
        }
    }
    if (BEHAVIOUR == STUCK) goal = P->t;
    if (BEHAVIOUR == UNASKED) goal = P->t + size / 2.0;
    if (BEHAVIOUR == NOT_A_NUMBER) P->w = NAN;
    if (goal > P->t) integrate(P, goal);
    tell(P, &stop, &when);
    *event = P->events && reason == 0;
    *early = goal < target;
    *last = P->t;
    return fmi3OK;
}
