/* A small FMI 2.0 plant, x' = u, y = x, that misbehaves as the macro BEHAVIOUR says. */
#include "fmi2Functions.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { GOOD, ABORT, SEGFAULT, LOOP, SLEEP, NOT_A_NUMBER, LATE_NAN, ALLOCATE, ERROR_STATUS,
       ODD_STATUS, NEGATIVE_STATUS, NO_INSTANCE, WRONG_VERSION, CHATTY, EXIT, FORK, FLOOD,
       DISCARD_LARGE_STEPS, BOUNCE, TIME_EVENT, GAP, REPORT, DRIBBLE,
       NO_RESET, FORGETS, FORGETS_LATE };
#ifndef BEHAVIOUR
#define BEHAVIOUR GOOD
#endif

typedef struct {
    const fmi2CallbackFunctions *callbacks;
    double t, x, v, u, k;
    int calls, jumped, resets;
} Plant;

#define P ((Plant *)c)
#define UNUSED(a) (void)(a)

static void say(Plant *p, fmi2Status status, const char *category, const char *format, int number)
{
    p->callbacks->logger(p->callbacks->componentEnvironment, "plant", status, category, format,
                         number);
}

/* The limits that this process really has: memory, CPU time, files, core dumps, and the timer. */
static void report(Plant *p)
{
    struct { const char *name; int kind; } limits[] = {
        {"memory", RLIMIT_AS}, {"cpu", RLIMIT_CPU}, {"file", RLIMIT_FSIZE}, {"core", RLIMIT_CORE}};
    struct rlimit limit;
    struct itimerval timer;
    struct rusage used;
    char text[200];
    size_t i;
    for (i = 0; i < sizeof limits / sizeof limits[0]; ++i) {
        getrlimit(limits[i].kind, &limit);
        sprintf(text, "%s %llu", limits[i].name, (unsigned long long)limit.rlim_cur);
        say(p, fmi2OK, "logAll", text, 0);
    }
    getitimer(ITIMER_REAL, &timer);
    getrusage(RUSAGE_SELF, &used);
    sprintf(text, "timer %ld", (long)timer.it_value.tv_sec + 1);
    say(p, fmi2OK, "logAll", text, 0);
    sprintf(text, "used %ld", (long)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 2);
    say(p, fmi2OK, "logAll", text, 0);
}

/* Talks to the parent itself, byte by byte and without end: an answer that never becomes one. */
static void dribble(void)
{
    struct stat status;
    const unsigned announced = 1 << 19;
    int file = 3;
    while (fstat(file, &status) != 0 || !S_ISSOCK(status.st_mode)) {
        ++file;
    }
    write(file, &announced, sizeof announced);
    for (;;) {
        write(file, "\1", 1);
        usleep(5000);
    }
}

static fmi2Status act(Plant *p)
{
    ++p->calls;
    switch (BEHAVIOUR) {
    case ABORT:
        say(p, fmi2Error, "logStatusError", "about to abort in call %d", p->calls);
        abort();
    case SEGFAULT: *(volatile int *)8 = 1; break;
    case LOOP: for (;;) { p->calls ^= 1; }
    case SLEEP: for (;;) { sleep(1000); }
    case ALLOCATE:
        for (;;) {
            char *block = malloc(16 << 20);
            if (block == NULL) {
                say(p, fmi2Fatal, "logStatusFatal", "no memory in call %d", p->calls);
                abort();
            }
            memset(block, 1, 16 << 20);
        }
    case ERROR_STATUS:
        say(p, fmi2Error, "logStatusError", "cannot do it in call %d", p->calls);
        return fmi2Error;
    case ODD_STATUS: return (fmi2Status)17;
    case NEGATIVE_STATUS: return (fmi2Status)-3;
    case REPORT: if (p->calls == 1) { report(p); } break;
    case DRIBBLE: dribble(); break;
    case EXIT: exit(7);
    case FORK: if (fork() == 0) { for (;;) { sleep(1000); } } abort();
    case FLOOD: for (;;) { puts("spam spam spam spam spam spam spam spam spam spam spam spam"); }
    default: break;
    }
    return fmi2OK;
}

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return BEHAVIOUR == WRONG_VERSION ? "1.0" : "2.0"; }
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String cat[])
{ UNUSED(c); UNUSED(on); UNUSED(n); UNUSED(cat); return fmi2OK; }
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String location,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean logging)
{
    Plant *p = calloc(1, sizeof *p);
    UNUSED(name); UNUSED(type); UNUSED(guid); UNUSED(location); UNUSED(visible); UNUSED(logging);
    p->callbacks = functions;
    p->k = 1.0;
    p->x = BEHAVIOUR == BOUNCE ? 1.0 : 0.0;
    if (BEHAVIOUR == NO_INSTANCE) {
        say(p, fmi2Error, "logStatusError", "licence number %d has run out", 42);
        return NULL;
    }
    return p;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean a, fmi2Real b, fmi2Real start,
                               fmi2Boolean d, fmi2Real stop)
{ UNUSED(a); UNUSED(b); UNUSED(d); UNUSED(stop); P->t = start; return fmi2OK; }
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { UNUSED(c); return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { UNUSED(c); return fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { UNUSED(c); return fmi2OK; }
fmi2Status fmi2Reset(fmi2Component c)
{
    double x = P->x;
    if (BEHAVIOUR == NO_RESET) {
        return fmi2Error;
    }
    P->x = P->v = P->u = P->t = 0.0;
    P->k = 1.0;
    if (BEHAVIOUR == FORGETS || (BEHAVIOUR == FORGETS_LATE && ++P->resets > 20)) {
        P->x = x;
    }
    return fmi2OK;
}

static double *place(Plant *p, fmi2ValueReference r)
{
    switch (r) {
    case 0: return &p->x;
    case 2: return &p->u;
    case 3: return &p->x;
    case 4: return &p->k;
    case 5: return &p->v;
    default: return NULL;
    }
}
static double rate(Plant *p)
{
    if (BEHAVIOUR == NOT_A_NUMBER || (BEHAVIOUR == LATE_NAN && p->t > 0.5)) {
        return NAN;
    }
    if (BEHAVIOUR == BOUNCE) {
        return p->v;
    }
    return p->k * p->u + (BEHAVIOUR == TIME_EVENT ? p->jumped : 0);
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real v[])
{
    size_t i;
    for (i = 0; i < n; ++i) {
        v[i] = r[i] == 1 ? rate(P) : r[i] == 6 ? -9.81 : *place(P, r[i]);
        if (BEHAVIOUR == GAP && r[i] == 3 && P->t > 0.2 && P->t < 0.8) {
            v[i] = NAN;
        }
    }
    return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real v[])
{
    size_t i;
    for (i = 0; i < n; ++i) {
        *place(P, r[i]) = v[i];
    }
    return fmi2OK;
}
#define NONE(NAME, TYPE) \
    fmi2Status NAME(fmi2Component c, const fmi2ValueReference r[], size_t n, TYPE v[]) \
    { UNUSED(c); UNUSED(r); UNUSED(n); UNUSED(v); return fmi2Error; }
NONE(fmi2GetInteger, fmi2Integer)
NONE(fmi2GetBoolean, fmi2Boolean)
NONE(fmi2GetString, fmi2String)
NONE(fmi2SetInteger, const fmi2Integer)
NONE(fmi2SetBoolean, const fmi2Boolean)
NONE(fmi2SetString, const fmi2String)
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *s) { UNUSED(c); UNUSED(s); return fmi2Error; }
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate s) { UNUSED(c); UNUSED(s); return fmi2Error; }
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *s) { UNUSED(c); UNUSED(s); return fmi2Error; }
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate s, size_t *n)
{ UNUSED(c); UNUSED(s); UNUSED(n); return fmi2Error; }
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate s, fmi2Byte b[], size_t n)
{ UNUSED(c); UNUSED(s); UNUSED(b); UNUSED(n); return fmi2Error; }
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte b[], size_t n, fmi2FMUstate *s)
{ UNUSED(c); UNUSED(s); UNUSED(b); UNUSED(n); return fmi2Error; }
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference a[], size_t na,
                                        const fmi2ValueReference b[], size_t nb,
                                        const fmi2Real d[], fmi2Real e[])
{ UNUSED(c); UNUSED(a); UNUSED(na); UNUSED(b); UNUSED(nb); UNUSED(d); UNUSED(e); return fmi2Error; }

/* Model Exchange */
fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    if (BEHAVIOUR == BOUNCE && P->x <= 0.0 && P->v < 0.0) {
        P->v = -0.5 * P->v;
        P->x = 0.0;
    }
    return fmi2OK;
}
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    memset(info, 0, sizeof *info);
    if (BEHAVIOUR == TIME_EVENT) {
        P->jumped = P->t >= 0.3;
        info->nextEventTimeDefined = !P->jumped;
        info->nextEventTime = 0.3;
    }
    if (BEHAVIOUR == CHATTY) {
        say(P, fmi2OK, "logAll", "hello %d", 7);
    }
    return fmi2OK;
}
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { UNUSED(c); return fmi2OK; }
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no, fmi2Boolean *event,
                                       fmi2Boolean *terminate)
{ UNUSED(c); UNUSED(no); *event = fmi2False; *terminate = fmi2False; return fmi2OK; }
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) { P->t = t; return fmi2OK; }
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n)
{
    P->x = x[0];
    if (n > 1) {
        P->v = x[1];
    }
    return fmi2OK;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t n)
{
    const fmi2Status status = act(P);
    if (BEHAVIOUR == DISCARD_LARGE_STEPS && P->t > 0.2 && fabs(P->x - P->t * P->t / 2) > 1e-9) {
        return fmi2Discard;
    }
    dx[0] = rate(P);
    if (n > 1) {
        dx[1] = -9.81;
    }
    return status;
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n)
{ if (n > 0) { z[0] = P->x; } return fmi2OK; }
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    x[0] = P->x;
    if (n > 1) {
        x[1] = P->v;
    }
    return fmi2OK;
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{ UNUSED(c); while (n-- > 0) { x[n] = 1.0; } return fmi2OK; }

/* Co-Simulation: explicit Euler over the communication step */
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n,
                                       const fmi2Integer o[], const fmi2Real v[])
{ UNUSED(c); UNUSED(r); UNUSED(n); UNUSED(o); UNUSED(v); return fmi2Error; }
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n,
                                        const fmi2Integer o[], fmi2Real v[])
{ UNUSED(c); UNUSED(r); UNUSED(n); UNUSED(o); UNUSED(v); return fmi2Error; }
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no)
{
    const fmi2Status status = act(P);
    UNUSED(no);
    P->x += h * rate(P);
    P->t = t + h;
    return status;
}
fmi2Status fmi2CancelStep(fmi2Component c) { UNUSED(c); return fmi2Error; }
#define STATUS(NAME, TYPE) \
    fmi2Status NAME(fmi2Component c, const fmi2StatusKind k, TYPE *v) \
    { UNUSED(c); UNUSED(k); UNUSED(v); return fmi2Error; }
STATUS(fmi2GetStatus, fmi2Status)
STATUS(fmi2GetRealStatus, fmi2Real)
STATUS(fmi2GetIntegerStatus, fmi2Integer)
STATUS(fmi2GetBooleanStatus, fmi2Boolean)
STATUS(fmi2GetStringStatus, fmi2String)
