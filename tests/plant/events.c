/* Small plants with events, as other tools write them, for FMI 2 and FMI 3 Model Exchange.
 *
 * The macro PLANT says which. Each tells the times of its events itself (outputs e1, e2, ...), so
 * that a test need not believe the importer. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if FMI == 2
#include "fmi2Functions.h"
#else
#include "fmi3Functions.h"
#endif

enum { BALL, BALL_RESET, THERMOSTAT, LATCH, RELAY, DISCRETE_RELAY, STAIR, TWO_BALLS, CHATTER,
       LIMIT, LIMIT_STEP, KICKED_BALL, IMMEDIATE, SCRIBBLER, TYPES, LATCHED_RELAY, NOTHING, CACHED, CART, BLINK, PAST, LATE, EDGE, SHORT, BLIND };
/* which call discards a step, if any */
enum { NO_CALL, STATES, DERIVATIVES, INDICATORS, OUTPUTS };
#ifndef DISCARDS
#define DISCARDS NO_CALL
#endif
enum { TIMES = 40 };
#define UNUSED(a) (void)(a)
#define G 9.81

typedef struct {
    double t, x[4], u, k, event_time[TIMES];
    int events, entered, on, seen_on, above, below, due, in_event_mode, wrong_mode, calls, drive;
    double evaluated; /* where the derivatives were calculated last */
    double next, kept, completed_at, last;
    int ended;
    /* inputs and parameters of other types, and what is made of them */
    int b, i, p_i, p_b, e;
    float f;
    long long i64;
} Plant;

static void note(Plant *p)
{
    if (p->events < TIMES) {
        p->event_time[p->events] = p->t;
    }
    ++p->events;
}

static void start(Plant *p)
{
    memset(p, 0, sizeof *p);
    p->k = 0.7;
    p->next = INFINITY;
    p->p_i = 1;
    switch (PLANT) {
    case BALL: case BALL_RESET: case KICKED_BALL: p->x[0] = 1.0; break;
    case TWO_BALLS: p->x[0] = p->x[2] = 1.0; break;
    case THERMOSTAT: case LATCH: p->on = p->seen_on = 1; break;
    case CHATTER: p->x[0] = 1.0; break;
    case LIMIT: case LIMIT_STEP: case EDGE: case SHORT: case BLIND: p->x[0] = 1.0; break;
    case SCRIBBLER: p->x[0] = 1.0; break;
    case CACHED: p->kept = 1.0; break;
    default: break;
    }
}

/* Temperature between 18 and 22; outside 10, time constant 1 s; heated, it tends to 34. */
static double level(Plant *p, int on) { UNUSED(p); return on ? 22.0 : 18.0; }

static void rates(Plant *p, double *dx)
{
    switch (PLANT) {
    case BALL: case BALL_RESET: case KICKED_BALL: dx[0] = p->x[1]; dx[1] = -G; break;
    case TWO_BALLS:
        dx[0] = p->x[1]; dx[1] = -G; dx[2] = p->x[3]; dx[3] = -G;
        break;
    case THERMOSTAT: case LATCH: dx[0] = (p->on ? 34.0 : 10.0) - p->x[0]; break;
    case CART: dx[0] = p->x[1]; dx[1] = p->u / p->k; break;
    case CACHED: dx[0] = p->on ? -1.0 : 1.0; break;
    case RELAY: case LATCHED_RELAY: dx[0] = p->on ? 1.0 : -1.0; break;
    case DISCRETE_RELAY: dx[0] = p->drive + p->u; break;
    case CHATTER: dx[0] = p->on ? 1.0 : -1.0; break;
    case LIMIT: case LIMIT_STEP: case EDGE: case BLIND: dx[0] = -1.0; break;
    case STAIR: case IMMEDIATE: case LATE: dx[0] = p->events; break;
    case SCRIBBLER: case SHORT: dx[0] = p->x[1]; dx[1] = -p->x[0]; break;
    case TYPES: dx[0] = p->p_i * (p->b ? 1.0 : 0.0) + p->i; break;
    default: dx[0] = 1.0; break;
    }
}

static void indicators(Plant *p, double *z)
{
    switch (PLANT) {
    case BALL: case BALL_RESET: case KICKED_BALL: z[0] = p->x[0]; break;
    case TWO_BALLS: z[0] = p->x[0]; z[1] = p->x[2]; break;
    case THERMOSTAT: z[0] = p->x[0] - 22.0; z[1] = p->x[0] - 18.0; break;
    /* which limit is watched is only brought up to date when a step has been completed */
    case LATCH: z[0] = p->x[0] - level(p, p->seen_on); break;
    case RELAY: case LATCHED_RELAY: z[0] = p->u - 0.5; break;
    case CHATTER: case LIMIT: z[0] = p->x[0]; break;
    /* never reached */
    case EDGE: case SHORT: z[0] = p->x[0] + 10.0; break;
    /* no number any more below half, where nothing else happens */
    case BLIND: z[0] = p->x[0] < 0.5 ? NAN : 1.0; break;
    /* on for a short time */
    case BLINK: z[0] = fabs(p->t - 3.0) - 0.02; break;
    /* calculated when a step has been completed, and kept until the next */
    case CACHED: z[0] = p->kept; break;
    default: break;
    }
}

/* What a completed step leaves behind; whether the event mode and the end are wanted. */
static void completed(Plant *p, int *event, int *terminate)
{
    p->above = PLANT == LATCHED_RELAY ? p->u > 0.5 : p->evaluated >= 22.0;
    p->below = PLANT == LATCHED_RELAY ? p->u <= 0.5 : p->evaluated <= 18.0;
    p->seen_on = p->on;
    p->completed_at = p->t;
    p->kept = 1.0 - p->x[0];
    *event = 0;
    /* the cart has a wall at 0.5 m, which its maker did not model any further */
    *terminate = (PLANT == LIMIT_STEP && p->x[0] < 0.5) || (PLANT == CART && p->x[0] > 0.5);
}

static void bounce(Plant *p, double *h, double *v)
{
    if (*h <= 0.0 && *v < 0.0) {
        *v = -p->k * *v;
        if (PLANT == BALL_RESET) {
            *h = DBL_MIN;
        }
        note(p);
    }
}

static void switch_to(Plant *p, int on)
{
    if (p->on != on) {
        p->on = on;
        note(p);
    }
}

/* One iteration in event mode; whether another is wanted, whether it is the end. */
static int update(Plant *p, int *terminate)
{
    *terminate = 0;
    switch (PLANT) {
    case BALL: case BALL_RESET: bounce(p, &p->x[0], &p->x[1]); break;
    case TWO_BALLS: bounce(p, &p->x[0], &p->x[1]); bounce(p, &p->x[2], &p->x[3]); break;
    case KICKED_BALL:
        /* thrown up with 3 m/s more every 0.25 s, three times */
        if (p->t >= p->next) { p->x[1] += 3.0; p->due += 1; }
        bounce(p, &p->x[0], &p->x[1]);
        p->next = p->due < 3 ? 0.25 * (p->due + 1) : INFINITY;
        break;
    case THERMOSTAT: case LATCHED_RELAY:
        /* decided by what the last completed step has left behind, not by the present states */
        if (p->above) { switch_to(p, PLANT == LATCHED_RELAY); }
        else if (p->below) { switch_to(p, PLANT != LATCHED_RELAY); }
        break;
    case LATCH:
        if (p->on ? p->x[0] >= 22.0 : p->x[0] <= 18.0) { switch_to(p, !p->on); }
        break;
    case RELAY: switch_to(p, p->u > 0.5); break;
    case DISCRETE_RELAY:
        if (p->drive != p->i) { p->drive = p->i; note(p); }
        break;
    case CHATTER: p->on = p->x[0] <= 0.0; break;
    case BLINK: { double z; indicators(p, &z); switch_to(p, z <= 0.0); break; }
    case CACHED: if (p->kept <= 0.0) { switch_to(p, 1); } break;
    case LIMIT: *terminate = p->x[0] <= 0.0; break;
    case STAIR:
        if (p->t >= p->next) { note(p); }
        p->next = 0.1 * (p->events + 1);
        break;
    case PAST:
        /* leaves a time that is over behind */
        if (p->t >= p->next && p->events == 0) { note(p); }
        p->next = p->events ? 0.25 : 0.5;
        break;
    case LATE: {
        /* the second is announced when the first has happened, and is past then */
        const double due[] = {0.2, 0.1, 0.6, INFINITY};
        if (p->t >= due[p->events]) { note(p); }
        p->next = due[p->events];
        break;
    }
    case IMMEDIATE:
        /* the event at 0.5 asks for three more at the same time */
        if (p->t >= p->next) { note(p); }
        p->next = p->events < 4 ? 0.5 : INFINITY;
        break;
    default: break;
    }
    return 0;
}


/* Co-Simulation by explicit Euler; status 2 is a discarded step. */
static int advance(Plant *p, double t, double h, int *terminate)
{
    double dx[4];
    rates(p, dx);
    *terminate = PLANT == LIMIT && p->x[0] < h;
    p->last = *terminate ? t + p->x[0] : t;
    if (*terminate || (PLANT == LIMIT_STEP && p->x[0] - h < 0.5)) {
        p->ended = *terminate;
        return *terminate && FMI == 3 ? 0 : 2;
    }
    p->x[0] += h * dx[0];
    p->t = p->last = t + h;
    return 0;
}

/* The edge is where the model ends; the other plant takes steps of 0.05 s at most. */
static int discards(Plant *p, int call)
{
    if (call != DISCARDS) { return 0; }
    return PLANT == EDGE ? p->x[0] < 0.0 : p->t > p->completed_at + 0.05;
}

static void enter_events(Plant *p) { p->in_event_mode = 1; ++p->entered; }

/* Real variables: 0.. states, 10.. derivatives, 20 u, 21 y, 22 k, 23 events, 24 entered, 40.. times */
static double get(Plant *p, unsigned r)
{
    double dx[4] = {0.0, 0.0, 0.0, 0.0};
    if (r < 4) { return p->x[r]; }
    if (r < 20) { rates(p, dx); return dx[r - 10]; }
    switch (r) {
    case 20: return p->u;
    case 21: return PLANT == STAIR ? p->events : PLANT == SCRIBBLER ? p->u * p->u : p->x[0];
    case 22: return p->k;
    case 23: return p->events;
    case 24: return p->entered;
    case 25: return p->wrong_mode;
    default: return p->event_time[r - 40];
    }
}

static void set(Plant *p, unsigned r, double v)
{
    if (r < 4) { p->x[r] = v; }
    if (r == 20) { p->u = v; }
    if (r == 22) { p->k = v; }
}

static void set_states(Plant *p, const double *x, size_t n)
{
    memcpy(p->x, x, n * sizeof *x);
    if (PLANT == SCRIBBLER) {
        ((double *)x)[0] = 1e6;
        ((double *)x)[1] = NAN;
    }
}

/* Whole numbers: 30 i (input), 31 b (input), 32 p_i, 33 p_b, 34 y_i = i + p_i, 35 y_b, 36 e (input) */
static long long get_whole(Plant *p, unsigned r)
{
    switch (r) {
    case 30: return p->i;
    case 31: return p->b;
    case 32: return p->p_i;
    case 33: return p->p_b;
    case 34: return p->i + p->p_i;
    case 35: return !p->b;
    case 36: return p->e;
    case 38: return 3 * p->i64;
    default: return 10 * p->e;
    }
}

static void set_whole(Plant *p, unsigned r, long long v)
{
    /* discrete inputs change in event mode only */
    if (!p->in_event_mode && r != 32 && r != 33) { ++p->wrong_mode; }
    switch (r) {
    case 30: p->i = (int)v; break;
    case 31: p->b = (int)v; break;
    case 32: p->p_i = (int)v; break;
    case 33: p->p_b = (int)v; break;
    case 36: p->e = (int)v; break;
    case 39: p->i64 = v; break;
    default: break;
    }
}

#define P ((Plant *)c)
#if FMI == 2
#define STATUS fmi2Status
#define INSTANCE fmi2Component
#define REFERENCE fmi2ValueReference
#define NAME(a) fmi2##a
#define COUNT
#define OK fmi2OK
#define DISCARD fmi2Discard
const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String location,
                              const fmi2CallbackFunctions *f, fmi2Boolean visible, fmi2Boolean log)
{
    Plant *p = malloc(sizeof *p);
    UNUSED(name); UNUSED(type); UNUSED(guid); UNUSED(location); UNUSED(visible);
    start(p);
    p->in_event_mode = 1;
    if (log) {
        f->logger(f->componentEnvironment, "plant", fmi2OK, "logAll", "logging is on");
    }
    return p;
}
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean a, fmi2Real b, fmi2Real begin,
                               fmi2Boolean d, fmi2Real stop)
{ UNUSED(a); UNUSED(b); UNUSED(d); UNUSED(stop); P->t = begin; return fmi2OK; }
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { UNUSED(c); return fmi2OK; }
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    int terminate;
    info->newDiscreteStatesNeeded = update(P, &terminate);
    info->terminateSimulation = terminate;
    info->nominalsOfContinuousStatesChanged = fmi2False;
    info->valuesOfContinuousStatesChanged = fmi2True;
    info->nextEventTimeDefined = isfinite(P->next);
    info->nextEventTime = P->next;
    return fmi2OK;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t n)
{
    UNUSED(n);
    P->evaluated = P->x[0];
    rates(P, dx);
    return discards(P, DERIVATIVES) ? fmi2Discard : fmi2OK;
}
/* Derivatives in a direction that have nothing to do with the plant. */
#ifdef WRONG_DERIVATIVES
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference z[], size_t nz,
                                        const fmi2ValueReference x[], size_t nx,
                                        const fmi2Real dx[], fmi2Real dz[])
{ UNUSED(c); UNUSED(z); UNUSED(x); UNUSED(nx); UNUSED(dx);
  for (size_t i = 0; i < nz; ++i) { dz[i] = -1e12; } return fmi2OK; }
#endif
#define BOOLEAN fmi2Boolean
#define TYPED(KIND, TYPE) \
    fmi2Status fmi2Get##KIND(fmi2Component c, const fmi2ValueReference r[], size_t n, TYPE v[]) \
    { for (size_t i = 0; i < n; ++i) { v[i] = (TYPE)get_whole(P, r[i]); } return fmi2OK; } \
    fmi2Status fmi2Set##KIND(fmi2Component c, const fmi2ValueReference r[], size_t n, const TYPE v[]) \
    { for (size_t i = 0; i < n; ++i) { set_whole(P, r[i], v[i]); } return fmi2OK; }
TYPED(Integer, fmi2Integer)
TYPED(Boolean, fmi2Boolean)
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no)
{ int end; UNUSED(no); return (fmi2Status)advance(P, t, h, &end); }
#ifndef WITHOUT_STATUS
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *v)
{ *v = P->last; return kind == fmi2LastSuccessfulTime ? fmi2OK : fmi2Discard; }
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *v)
{ *v = P->ended; return kind == fmi2Terminated ? fmi2OK : fmi2Discard; }
#endif
#define GET_REAL fmi2GetReal
#define SET_REAL fmi2SetReal
#define REAL fmi2Real
#else
#define STATUS fmi3Status
#define INSTANCE fmi3Instance
#define REFERENCE fmi3ValueReference
#define NAME(a) fmi3##a
#define COUNT , size_t count
#define OK fmi3OK
#define DISCARD fmi3Discard
const char *fmi3GetVersion(void) { return "3.0"; }
fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String path,
                                          fmi3Boolean visible, fmi3Boolean log,
                                          fmi3InstanceEnvironment e, fmi3LogMessageCallback f)
{
    Plant *p = malloc(sizeof *p);
    UNUSED(name); UNUSED(token); UNUSED(path); UNUSED(visible);
    start(p);
    p->in_event_mode = 1;
    if (log) {
        f(e, fmi3OK, "logAll", "logging is on");
    }
    return p;
}
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean a, fmi3Float64 b,
                                       fmi3Float64 begin, fmi3Boolean d, fmi3Float64 stop)
{ UNUSED(a); UNUSED(b); UNUSED(d); UNUSED(stop); P->t = begin; return fmi3OK; }
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *more, fmi3Boolean *end,
                                    fmi3Boolean *nominals, fmi3Boolean *values,
                                    fmi3Boolean *defined, fmi3Float64 *next)
{
    int terminate;
    *more = update(P, &terminate) != 0;
    *end = terminate != 0;
    *nominals = fmi3False;
    *values = fmi3True;
    *defined = isfinite(P->next) != 0;
    *next = P->next;
    return fmi3OK;
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 dx[], size_t n)
{
    UNUSED(n);
    P->evaluated = P->x[0];
    rates(P, dx);
    return discards(P, DERIVATIVES) ? fmi3Discard : fmi3OK;
}
#define BOOLEAN fmi3Boolean
#define TYPED(KIND, TYPE) \
    fmi3Status fmi3Get##KIND(fmi3Instance c, const fmi3ValueReference r[], size_t n, TYPE v[], size_t m) \
    { UNUSED(m); for (size_t i = 0; i < n; ++i) { v[i] = (TYPE)get_whole(P, r[i]); } return fmi3OK; } \
    fmi3Status fmi3Set##KIND(fmi3Instance c, const fmi3ValueReference r[], size_t n, const TYPE v[], size_t m) \
    { UNUSED(m); for (size_t i = 0; i < n; ++i) { set_whole(P, r[i], v[i]); } return fmi3OK; }
TYPED(Int32, fmi3Int32)
TYPED(Int64, fmi3Int64)
TYPED(Boolean, fmi3Boolean)
fmi3Status fmi3GetFloat32(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float32 v[], size_t m)
{ UNUSED(m); for (size_t i = 0; i < n; ++i) { v[i] = r[i] == 80 ? P->f : 2.0f * P->f; } return fmi3OK; }
fmi3Status fmi3SetFloat32(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Float32 v[], size_t m)
{ UNUSED(m); UNUSED(r); for (size_t i = 0; i < n; ++i) { P->f = v[i]; } return fmi3OK; }
fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String path, fmi3Boolean visible, fmi3Boolean log,
    fmi3Boolean events, fmi3Boolean early, const fmi3ValueReference required[], size_t n,
    fmi3InstanceEnvironment e, fmi3LogMessageCallback f, fmi3IntermediateUpdateCallback update)
{
    UNUSED(events); UNUSED(early); UNUSED(required); UNUSED(n); UNUSED(update);
    return fmi3InstantiateModelExchange(name, token, path, visible, log, e, f);
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no,
                      fmi3Boolean *event, fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *last)
{
    int ended;
    const int status = advance(P, t, h, &ended);
    UNUSED(no);
    *event = fmi3False;
    *end = ended != 0;
    *early = fmi3False;
    *last = P->last;
    return (fmi3Status)status;
}
#define GET_REAL fmi3GetFloat64
#define SET_REAL fmi3SetFloat64
#define REAL fmi3Float64
#endif

void NAME(FreeInstance)(INSTANCE c) { free(c); }
STATUS NAME(ExitInitializationMode)(INSTANCE c) { UNUSED(c); return OK; }
STATUS NAME(Terminate)(INSTANCE c) { UNUSED(c); return OK; }
STATUS NAME(Reset)(INSTANCE c) { start(P); return OK; }
STATUS GET_REAL(INSTANCE c, const REFERENCE r[], size_t n, REAL v[] COUNT)
{
    for (size_t i = 0; i < n; ++i) { v[i] = get(P, r[i]); }
    return discards(P, OUTPUTS) ? DISCARD : OK;
}
STATUS SET_REAL(INSTANCE c, const REFERENCE r[], size_t n, const REAL v[] COUNT)
{
    for (size_t i = 0; i < n; ++i) {
        set(P, r[i], v[i]);
        if (PLANT == SCRIBBLER) {
            ((REAL *)v)[i] = -7.0;
            ((REFERENCE *)r)[i] = 0;
        }
    }
    return OK;
}
STATUS NAME(EnterEventMode)(INSTANCE c) { enter_events(P); return OK; }
STATUS NAME(EnterContinuousTimeMode)(INSTANCE c) { P->in_event_mode = 0; return OK; }
STATUS NAME(CompletedIntegratorStep)(INSTANCE c, BOOLEAN no, BOOLEAN *event, BOOLEAN *end)
{
    int e, t;
    UNUSED(no);
    completed(P, &e, &t);
    *event = e != 0;
    *end = t != 0;
    return OK;
}
STATUS NAME(SetTime)(INSTANCE c, REAL t)
{
    /* what a completed step has left behind is only good for its own time */
    if (t != P->completed_at) {
        P->above = P->below = 0;
    }
    P->t = t;
    return OK;
}
STATUS NAME(SetContinuousStates)(INSTANCE c, const REAL x[], size_t n)
{ set_states(P, x, n); return discards(P, STATES) ? DISCARD : OK; }
STATUS NAME(GetContinuousStates)(INSTANCE c, REAL x[], size_t n)
{ memcpy(x, P->x, n * sizeof *x); return OK; }
STATUS NAME(GetEventIndicators)(INSTANCE c, REAL z[], size_t n)
{
    UNUSED(n);
    if (discards(P, INDICATORS)) { z[0] = NAN; return DISCARD; }
    indicators(P, z);
    return OK;
}
