/* A plant of arrays, for FMI 3: x' = A x + B u, X' = C, z' = g1 + g2; n states x by a structural
 * parameter. It returns an error for every call that the standard does not allow. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fmi3Functions.h"

enum { N_MAX = 8 };
enum { TIME, N, X, DX, A, B, U, Y, S, G, ON, HITS, BOX, DBOX, C, Z, DZ, INDICATORS, LAST };
enum { MADE, CONFIGURING, INITIALIZING, EVENTS, CONTINUOUS, STEPS };
#define UNUSED(a) (void)(a)

typedef struct {
    int mode, hits[N_MAX];
    size_t n;
    double t, x[N_MAX], a[N_MAX * N_MAX], b[N_MAX * 2], u[2], box[4], c[4], z;
    float g[2];
    bool on[2];
    bool me;
} Plant;
#define P ((Plant *)c)

static void start(Plant *p)
{
    const bool me = p->me;
    memset(p, 0, sizeof *p);
    p->me = me;
    p->n = 3;
    p->u[1] = 0.25;
    p->g[0] = 0.5f;
    p->g[1] = 0.25f;
    for (int i = 0; i < 4; ++i) { p->c[i] = i + 1.0; }
    for (int i = 0; i < N_MAX; ++i) { p->x[i] = 1.0; }
}

/* what depends on the sizes: A = -diag(1, 2, ...), B = 0 but for its first column */
static void resize(Plant *p)
{
    const size_t n = p->n;
    memset(p->a, 0, sizeof p->a);
    memset(p->b, 0, sizeof p->b);
    for (size_t i = 0; i < n; ++i) {
        p->a[i * n + i] = -(double)(i + 1);
        p->b[i * 2] = 1.0;
    }
}

static size_t size_of(const Plant *p, unsigned r)
{
    switch (r) {
    case X: case DX: case Y: case S: case HITS: case INDICATORS: return p->n;
    case A: return p->n * p->n;
    case B: return p->n * 2;
    case U: case G: case ON: return 2;
    case BOX: case DBOX: case C: return 4;
    default: return 1;
    }
}

static void rates(const Plant *p, double *dx)
{
    for (size_t i = 0; i < p->n; ++i) {
        dx[i] = p->b[i * 2] * p->u[0] + p->b[i * 2 + 1] * p->u[1];
        for (size_t j = 0; j < p->n; ++j) { dx[i] += p->a[i * p->n + j] * p->x[j]; }
    }
}

static double value(const Plant *p, unsigned r, size_t i)
{
    double dx[N_MAX];
    rates(p, dx);
    switch (r) {
    case TIME: return p->t;
    case X: return p->x[i];
    case DX: return dx[i];
    case A: return p->a[i];
    case B: return p->b[i];
    case U: return p->u[i];
    case Y: return 2.0 * p->x[i] + (p->on[0] ? 100.0 : 0.0) + (p->on[1] ? 1000.0 : 0.0);
    case S: return p->x[i] * (double)(i + 1);
    case BOX: return p->box[i];
    case DBOX: case C: return p->c[i];
    case Z: return p->z;
    case DZ: return (double)p->g[0] + (double)p->g[1];
    default: return NAN;
    }
}

static double *place(Plant *p, unsigned r)
{
    switch (r) {
    case X: return p->x;
    case A: return p->a;
    case B: return p->b;
    case U: return p->u;
    case BOX: return p->box;
    case C: return p->c;
    case Z: return &p->z;
    default: return NULL;
    }
}

static size_t total(const Plant *p, const fmi3ValueReference r[], size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; ++i) { sum += size_of(p, r[i]); }
    return sum;
}

#define MAY_GET (P->mode != MADE && P->mode != CONFIGURING)
#define ACCESS(KIND, TYPE, VALUE, PLACE) \
    fmi3Status fmi3Get##KIND(fmi3Instance c, const fmi3ValueReference r[], size_t n, TYPE v[], size_t m) \
    { \
        if (!MAY_GET || m != total(P, r, n)) { return fmi3Error; } \
        for (size_t i = 0; i < n; ++i) { \
            for (size_t k = 0; k < size_of(P, r[i]); ++k) { *v++ = (TYPE)(VALUE); } \
        } \
        return fmi3OK; \
    } \
    fmi3Status fmi3Set##KIND(fmi3Instance c, const fmi3ValueReference r[], size_t n, const TYPE v[], size_t m) \
    { \
        if (P->mode == CONFIGURING || m != total(P, r, n)) { return fmi3Error; } \
        for (size_t i = 0; i < n; ++i) { \
            TYPE *target = PLACE; \
            if (target == NULL) { return fmi3Error; } \
            for (size_t k = 0; k < size_of(P, r[i]); ++k) { target[k] = *v++; } \
        } \
        return fmi3OK; \
    }
ACCESS(Float64, fmi3Float64, value(P, r[i], k), place(P, r[i]))
ACCESS(Float32, fmi3Float32, P->g[k], r[i] == G ? P->g : NULL)
ACCESS(Boolean, fmi3Boolean, P->on[k], r[i] == ON && P->mode != CONTINUOUS ? P->on : NULL)
ACCESS(Int32, fmi3Int32, P->hits[k], (fmi3Int32 *)NULL)
fmi3Status fmi3SetUInt64(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3UInt64 v[], size_t m)
{
    if (P->mode != CONFIGURING || n != 1 || m != 1 || r[0] != N || v[0] > N_MAX) { return fmi3Error; }
    P->n = (size_t)v[0];
    return fmi3OK;
}
fmi3Status fmi3GetUInt64(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3UInt64 v[], size_t m)
{
    if (!MAY_GET || n != 1 || m != 1 || r[0] != N) { return fmi3Error; }
    v[0] = P->n;
    return fmi3OK;
}

const char *fmi3GetVersion(void) { return "3.0"; }
fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String path,
                                          fmi3Boolean visible, fmi3Boolean log,
                                          fmi3InstanceEnvironment e, fmi3LogMessageCallback f)
{
    Plant *p = calloc(1, sizeof *p);
    UNUSED(name); UNUSED(token); UNUSED(path); UNUSED(visible); UNUSED(log); UNUSED(e); UNUSED(f);
    p->me = true;
    start(p);
    resize(p);
    return p;
}
fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String path, fmi3Boolean visible, fmi3Boolean log,
    fmi3Boolean events, fmi3Boolean early, const fmi3ValueReference required[], size_t n,
    fmi3InstanceEnvironment e, fmi3LogMessageCallback f, fmi3IntermediateUpdateCallback update)
{
    Plant *p = fmi3InstantiateModelExchange(name, token, path, visible, log, e, f);
    UNUSED(events); UNUSED(early); UNUSED(required); UNUSED(n); UNUSED(update);
    p->me = false;
    return p;
}
void fmi3FreeInstance(fmi3Instance c) { free(c); }
fmi3Status fmi3Reset(fmi3Instance c) { start(P); resize(P); return fmi3OK; }
fmi3Status fmi3Terminate(fmi3Instance c) { UNUSED(c); return fmi3OK; }
static fmi3Status go(Plant *p, int from, int to)
{
    if (p->mode != from) { return fmi3Error; }
    p->mode = to;
    return fmi3OK;
}
fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) { return go(P, MADE, CONFIGURING); }
fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) { resize(P); return go(P, CONFIGURING, MADE); }
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean a, fmi3Float64 b,
                                       fmi3Float64 begin, fmi3Boolean d, fmi3Float64 stop)
{ UNUSED(a); UNUSED(b); UNUSED(d); UNUSED(stop); P->t = begin; return go(P, MADE, INITIALIZING); }
fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{ return go(P, INITIALIZING, P->me ? EVENTS : STEPS); }
fmi3Status fmi3EnterEventMode(fmi3Instance c) { return go(P, CONTINUOUS, EVENTS); }
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) { return go(P, EVENTS, CONTINUOUS); }
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *more, fmi3Boolean *end,
                                    fmi3Boolean *nominals, fmi3Boolean *values,
                                    fmi3Boolean *defined, fmi3Float64 *next)
{
    for (size_t i = 0; i < P->n; ++i) { P->hits[i] = P->x[i] <= 0.5; }
    *more = *end = *nominals = *values = *defined = false;
    *next = INFINITY;
    return fmi3OK;
}
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no, fmi3Boolean *event, fmi3Boolean *end)
{ UNUSED(c); UNUSED(no); *event = *end = false; return fmi3OK; }
fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 t) { P->t = t; return fmi3OK; }

/* the order of the model structure: z, x, box */
static size_t states(const Plant *p) { return p->n + 5; }
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n)
{
    *n = states(P);
#ifdef ONE_MORE
    *n += 1;
#endif
    return fmi3OK;
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n) { *n = P->n; return fmi3OK; }
fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n)
{
    if (n != states(P)) { return fmi3Error; }
    P->z = x[0];
    memcpy(P->x, x + 1, P->n * sizeof *x);
    memcpy(P->box, x + 1 + P->n, sizeof P->box);
    return fmi3OK;
}
fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n)
{
    if (n != states(P)) { return fmi3Error; }
    x[0] = P->z;
    memcpy(x + 1, P->x, P->n * sizeof *x);
    memcpy(x + 1 + P->n, P->box, sizeof P->box);
    return fmi3OK;
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 dx[], size_t n)
{
    if (n != states(P)) { return fmi3Error; }
    dx[0] = value(P, DZ, 0);
    rates(P, dx + 1);
    memcpy(dx + 1 + P->n, P->c, sizeof P->c);
    return fmi3OK;
}
fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 z[], size_t n)
{
    if (n != P->n) { return fmi3Error; }
    for (size_t i = 0; i < n; ++i) { z[i] = P->x[i] - 0.5; }
    return fmi3OK;
}
/* Co-Simulation: one explicit Euler step */
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no,
                      fmi3Boolean *event, fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *last)
{
    double dx[N_MAX];
    UNUSED(no);
    rates(P, dx);
    for (size_t i = 0; i < P->n; ++i) { P->x[i] += h * dx[i]; }
    for (int i = 0; i < 4; ++i) { P->box[i] += h * P->c[i]; }
    P->z += h * value(P, DZ, 0);
    P->t = *last = t + h;
    *event = *end = *early = false;
    return fmi3OK;
}
