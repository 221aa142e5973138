/* A small plant as another tool might write it, x' = k u, y = x, for FMI 2 and FMI 3.
 *
 * With NOISE=a what is read of y is up to a beside it, another way each time it is read. With ONCE it is written around global variables: whoever instantiates it a second time in one
 * process, even after the first has been freed, is stopped. It tells when it is freed. It has variables that are no numbers,
 * and no functions for them: none may be called. In FMI 2 Co-Simulation it takes derivatives of its
 * input up to the second, in FMI 3 its input is held. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if FMI == 2
#include "fmi2Functions.h"
#else
#include "fmi3Functions.h"
#endif
#define UNUSED(a) (void)(a)
#define P ((Plant *)c)

typedef struct {
    double t, x, u, k, slope[2];
} Plant;

static void start(Plant *p)
{
    memset(p, 0, sizeof *p);
    p->k = 1.0;
}

static Plant *make(void)
{
    Plant *p = malloc(sizeof *p);
#ifdef ONCE
    static int made = 0;
    if (made++) { abort(); }
#endif
    start(p);
    return p;
}

static void advance(Plant *p, double t, double h)
{
    p->x += p->k * h * (p->u + h * (p->slope[0] / 2.0 + h * p->slope[1] / 6.0));
    p->t = t + h;
}

#ifdef NOISE
/* Goes on over reset and new instances, as a machine does; Knuth's linear congruential numbers. */
static double noise(void)
{
    static unsigned long long seed = 1;
    seed = 6364136223846793005ULL * seed + 1442695040888963407ULL;
    return (NOISE) * ((double)(seed >> 11) / 4503599627370496.0 - 1.0);
}
#else
static double noise(void) { return 0.0; }
#endif

/* 0 x, 1 der(x), 2 u, 3 y, 4 k */
static double get(Plant *p, unsigned r)
{
    const double values[] = {p->x, p->k * p->u, p->u, p->x + (r == 3 ? noise() : 0.0), p->k};
    return values[r];
}

static void set(Plant *p, unsigned r, double v)
{
    switch (r) {
    case 0: p->x = v; break;
    case 2: p->u = v; p->slope[0] = p->slope[1] = 0.0; break;
    case 4: p->k = v; break;
    default: break;
    }
}

#if FMI == 2
#define STATUS fmi2Status
#define INSTANCE fmi2Component
#define REFERENCE fmi2ValueReference
#define NAME(a) fmi2##a
#define REAL fmi2Real
#define BOOLEAN fmi2Boolean
#define STATE fmi2FMUstate
#define COUNT
#define OK fmi2OK
#define ERROR fmi2Error
#define GET_REAL fmi2GetReal
#define SET_REAL fmi2SetReal
#define GET_RATES fmi2GetDerivatives
#define GET_STATE fmi2GetFMUstate
#define SET_STATE fmi2SetFMUstate
#define FREE_STATE fmi2FreeFMUstate
const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String location,
                              const fmi2CallbackFunctions *f, fmi2Boolean visible, fmi2Boolean log)
{
    UNUSED(name); UNUSED(type); UNUSED(guid); UNUSED(location); UNUSED(f); UNUSED(visible);
    UNUSED(log);
    return make();
}
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean a, fmi2Real b, fmi2Real begin,
                               fmi2Boolean d, fmi2Real stop)
{ UNUSED(a); UNUSED(b); UNUSED(d); UNUSED(stop); P->t = begin; return fmi2OK; }
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { UNUSED(c); return fmi2OK; }
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{ UNUSED(c); memset(info, 0, sizeof *info); return fmi2OK; }
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n,
                                       const fmi2Integer order[], const fmi2Real v[])
{
    UNUSED(r);
    for (size_t i = 0; i < n; ++i) {
        if (order[i] > 2) { return fmi2Error; }
        P->slope[order[i] - 1] = v[i];
    }
    return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no)
{ UNUSED(no); advance(P, t, h); return fmi2OK; }
#else
#define STATUS fmi3Status
#define INSTANCE fmi3Instance
#define REFERENCE fmi3ValueReference
#define NAME(a) fmi3##a
#define REAL fmi3Float64
#define BOOLEAN fmi3Boolean
#define STATE fmi3FMUState
#define COUNT , size_t count
#define OK fmi3OK
#define ERROR fmi3Error
#define GET_REAL fmi3GetFloat64
#define SET_REAL fmi3SetFloat64
#define GET_RATES fmi3GetContinuousStateDerivatives
#define GET_STATE fmi3GetFMUState
#define SET_STATE fmi3SetFMUState
#define FREE_STATE fmi3FreeFMUState
const char *fmi3GetVersion(void) { return "3.0"; }
fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String path,
                                          fmi3Boolean visible, fmi3Boolean log,
                                          fmi3InstanceEnvironment e, fmi3LogMessageCallback f)
{
    UNUSED(name); UNUSED(token); UNUSED(path); UNUSED(visible); UNUSED(log); UNUSED(e); UNUSED(f);
    return make();
}
fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String path, fmi3Boolean visible, fmi3Boolean log,
    fmi3Boolean events, fmi3Boolean early, const fmi3ValueReference required[], size_t n,
    fmi3InstanceEnvironment e, fmi3LogMessageCallback f, fmi3IntermediateUpdateCallback update)
{
    UNUSED(events); UNUSED(early); UNUSED(required); UNUSED(n); UNUSED(update);
    return fmi3InstantiateModelExchange(name, token, path, visible, log, e, f);
}
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean a, fmi3Float64 b,
                                       fmi3Float64 begin, fmi3Boolean d, fmi3Float64 stop)
{ UNUSED(a); UNUSED(b); UNUSED(d); UNUSED(stop); P->t = begin; return fmi3OK; }
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *more, fmi3Boolean *end,
                                    fmi3Boolean *nominals, fmi3Boolean *values,
                                    fmi3Boolean *defined, fmi3Float64 *next)
{
    UNUSED(c); UNUSED(next);
    *more = *end = *nominals = *values = *defined = fmi3False;
    return fmi3OK;
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no,
                      fmi3Boolean *event, fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *last)
{
    UNUSED(no);
    advance(P, t, h);
    *event = *end = *early = fmi3False;
    *last = P->t;
    return fmi3OK;
}
#endif

void NAME(FreeInstance)(INSTANCE c)
{
    free(c);
    puts("freed");
    fflush(stdout);
}
STATUS NAME(ExitInitializationMode)(INSTANCE c) { UNUSED(c); return OK; }
STATUS NAME(Terminate)(INSTANCE c) { UNUSED(c); return OK; }
STATUS NAME(Reset)(INSTANCE c) { start(P); return OK; }
STATUS GET_REAL(INSTANCE c, const REFERENCE r[], size_t n, REAL v[] COUNT)
{
    for (size_t i = 0; i < n; ++i) {
        if (r[i] > 4) { return ERROR; }
        v[i] = get(P, r[i]);
    }
    return OK;
}
STATUS SET_REAL(INSTANCE c, const REFERENCE r[], size_t n, const REAL v[] COUNT)
{
    for (size_t i = 0; i < n; ++i) {
        if (r[i] > 4) { return ERROR; }
        set(P, r[i], v[i]);
    }
    return OK;
}
STATUS NAME(EnterEventMode)(INSTANCE c) { UNUSED(c); return OK; }
STATUS NAME(EnterContinuousTimeMode)(INSTANCE c) { UNUSED(c); return OK; }
STATUS NAME(CompletedIntegratorStep)(INSTANCE c, BOOLEAN no, BOOLEAN *event, BOOLEAN *end)
{ UNUSED(c); UNUSED(no); *event = *end = 0; return OK; }
STATUS NAME(SetTime)(INSTANCE c, REAL t) { P->t = t; return OK; }
STATUS NAME(SetContinuousStates)(INSTANCE c, const REAL x[], size_t n)
{ UNUSED(n); P->x = x[0]; return OK; }
STATUS NAME(GetContinuousStates)(INSTANCE c, REAL x[], size_t n)
{ UNUSED(n); x[0] = P->x; return OK; }
STATUS GET_RATES(INSTANCE c, REAL dx[], size_t n)
{ UNUSED(n); dx[0] = P->k * P->u; return OK; }
STATUS NAME(GetEventIndicators)(INSTANCE c, REAL z[], size_t n)
{ UNUSED(c); UNUSED(z); UNUSED(n); return OK; }
STATUS GET_STATE(INSTANCE c, STATE *s)
{
    if (*s == NULL) { *s = malloc(sizeof(Plant)); }
    memcpy(*s, c, sizeof(Plant));
    return OK;
}
STATUS SET_STATE(INSTANCE c, STATE s) { memcpy(c, s, sizeof(Plant)); return OK; }
STATUS FREE_STATE(INSTANCE c, STATE *s) { UNUSED(c); free(*s); *s = NULL; return OK; }
