/* Calls of the FMU, each with its status checked. FMI 2.0 and 3.0 differ in the types of Booleans,
   in the number of sizes, and in how the discrete states are updated. */

#include "loop.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { OK, WARNING, DISCARD };

typedef int (*CallTime)(void *, double);
typedef int (*CallVector)(void *, double *, size_t);
typedef int (*CallPlain)(void *);
typedef int (*CallVariables2)(void *, const uint32_t *, size_t, void *);
typedef int (*CallVariables3)(void *, const uint32_t *, size_t, void *, size_t);
typedef int (*CallCompleted2)(void *, int, int *, int *);
typedef int (*CallCompleted3)(void *, bool, bool *, bool *);
typedef struct {
    int more, terminate, nominals, states, next_defined;
    double next;
} EventInfo2;
typedef int (*CallUpdate2)(void *, EventInfo2 *);
typedef int (*CallUpdate3)(void *, bool *, bool *, bool *, bool *, bool *, double *);

/* Ends the simulation; what has been collected so far stays. No frame of the FMU is left behind:
   it has returned when this is called. */
static void stop_at(Loop *l, int reason, double time)
{
    l->task->stop.reason = reason;
    l->task->stop.time = time;
    longjmp(l->out, 1);
}

static Function need(Loop *l, int function)
{
    if (!l->task->function[function]) {
        l->task->stop.function = function;
        stop_at(l, MISSING, l->now);
    }
    return l->task->function[function];
}

/* Whether the FMU discards; any other failure ends the simulation. */
static int discards(Loop *l, int status, int function)
{
    if (status == OK || status == WARNING) return 0;
    l->task->stop.function = function;
    l->task->stop.status = status;
    if (status != DISCARD) stop_at(l, BAD_STATUS, l->now);
    return 1;
}

/* Where the FMU discards and no smaller step can help. */
static void give_up_discarded(Loop *l, double t)
{
    stop_at(l, BAD_STATUS, t);
}

static void check(Loop *l, int status, int function)
{
    if (discards(l, status, function)) give_up_discarded(l, l->now);
}

/* ---------------------------------------------------------------- variables */

static int call_group(Loop *l, const Group *g, int set, double *values)
{
    void *c = l->task->instance;
    const Function f = set ? g->set : g->get;
    const int function = set ? SET_VARIABLES : GET_VARIABLES;
    int status;

    if (!f) {
        l->task->stop.kind = g->kind;
        l->task->stop.function = function;
        stop_at(l, MISSING, l->now);
    }
    memcpy(g->lent, g->reference, g->references * sizeof *g->lent);
    status = l->task->fmi == 2
                 ? ((CallVariables2)f)(c, g->lent, g->references, values)
                 : ((CallVariables3)f)(c, g->lent, g->references, values, g->values);
    if (status != OK) l->task->stop.kind = g->kind;
    return discards(l, status, function);
}

/* From and to the types of C, in place: no type is longer than a double. */
#define EACH_KIND(BODY)                                                                           \
    switch (g->kind) {                                                                            \
    case FLOAT32: BODY(float) break;                                                              \
    case INT8: BODY(int8_t) break;                                                                \
    case UINT8: BODY(uint8_t) break;                                                              \
    case INT16: BODY(int16_t) break;                                                              \
    case UINT16: BODY(uint16_t) break;                                                            \
    case INT32: BODY(int32_t) break;                                                              \
    case UINT32: BODY(uint32_t) break;                                                            \
    case INT64: BODY(int64_t) break;                                                              \
    case UINT64: BODY(uint64_t) break;                                                            \
    case BOOLEAN: if (l->task->fmi == 2) { BODY(int) } else { BODY(bool) } break;                 \
    default: break;                                                                               \
    }

static void widen(Loop *l, const Group *g)
{
    unsigned char *bytes = (unsigned char *)g->value;
    size_t i;

#define BODY(type)                                                                                \
    for (i = g->values; i-- > 0;) {                                                               \
        type v;                                                                                   \
        memcpy(&v, bytes + i * sizeof v, sizeof v);                                               \
        g->value[i] = (double)v;                                                                  \
    }
    EACH_KIND(BODY)
#undef BODY
}

static void narrow(Loop *l, const Group *g)
{
    unsigned char *bytes = (unsigned char *)g->value;
    size_t i;

    if (g->kind != FLOAT64 && g->kind != FLOAT32) {
        for (i = 0; i < g->values; ++i) {
            if (g->value[i] != floor(g->value[i])) {
                l->task->stop.value = g->value[i];
                stop_at(l, NOT_WHOLE, l->now);
            }
        }
    }
#define BODY(type)                                                                                \
    for (i = 0; i < g->values; ++i) {                                                             \
        const type v = (type)g->value[i];                                                         \
        memcpy(bytes + i * sizeof v, &v, sizeof v);                                               \
    }
    EACH_KIND(BODY)
#undef BODY
}

/* Both return whether the FMU discards. */
static int get_block(Loop *l, const Block *b, double *row)
{
    size_t i, j;

    for (j = 0; j < b->groups; ++j) {
        const Group *g = b->group + j;
        if (call_group(l, g, 0, g->value)) return 1;
        widen(l, g);
        for (i = 0; i < g->count; ++i) row[g->position[i]] = g->value[g->place[i]];
    }
    return 0;
}

static int set_block(Loop *l, const Block *b, const double *row)
{
    size_t i, j;

    for (j = 0; j < b->groups; ++j) {
        const Group *g = b->group + j;
        if (g->partial) {
            if (call_group(l, g, 0, g->value)) return 1;
            widen(l, g);
        }
        for (i = 0; i < g->count; ++i) g->value[g->place[i]] = row[g->position[i]];
        narrow(l, g);
        if (call_group(l, g, 1, g->value)) return 1;
    }
    return 0;
}

/* ---------------------------------------------------------------- states and modes */

/* Sets time and states, on a copy: whether the FMU discards. */
static int set_point(Loop *l, double t, const double *x)
{
    Task *task = l->task;

    l->now = t;
    if (discards(l, ((CallTime)need(l, SET_TIME))(task->instance, t), SET_TIME)) return 1;
    if (!task->nx) return 0;
    memcpy(l->lent, x, task->nx * sizeof *x);
    return discards(l, ((CallVector)need(l, SET_STATES))(task->instance, l->lent, task->nx),
                    SET_STATES);
}

static int get_derivatives(Loop *l, double *dx)
{
    const Task *task = l->task;

    if (!task->nx) return 0;
    return discards(l, ((CallVector)need(l, GET_DERIVATIVES))(task->instance, dx, task->nx),
                    GET_DERIVATIVES);
}

static int get_indicators(Loop *l, double *z)
{
    const Task *task = l->task;

    return discards(l, ((CallVector)need(l, GET_INDICATORS))(task->instance, z, task->nz),
                    GET_INDICATORS);
}

static void get_states(Loop *l, double *x)
{
    const Task *task = l->task;

    if (!task->nx) return;
    check(l, ((CallVector)need(l, GET_STATES))(task->instance, x, task->nx), GET_STATES);
}

static void enter_events(Loop *l)
{
    check(l, ((CallPlain)need(l, ENTER_EVENTS))(l->task->instance), ENTER_EVENTS);
}

/* Iterates the discrete states and goes to continuous time; returns the next event's time. */
static double update_discrete(Loop *l)
{
    Task *task = l->task;
    int i;

    for (i = 0; i < 1000; ++i) {
        EventInfo2 e;
        memset(&e, 0, sizeof e);
        if (task->fmi == 2) {
            check(l, ((CallUpdate2)need(l, UPDATE_DISCRETE))(task->instance, &e), UPDATE_DISCRETE);
        } else {
            bool more = false, terminate = false, nominals = false, states = false, next = false;
            check(l,
                  ((CallUpdate3)need(l, UPDATE_DISCRETE))(task->instance, &more, &terminate,
                                                          &nominals, &states, &next, &e.next),
                  UPDATE_DISCRETE);
            e.more = more;
            e.terminate = terminate;
            e.next_defined = next;
        }
        if (e.terminate) stop_at(l, ENDED, l->now);
        if (!e.more) {
            check(l, ((CallPlain)need(l, ENTER_CONTINUOUS))(task->instance), ENTER_CONTINUOUS);
            return e.next_defined ? e.next : HUGE_VAL;
        }
    }
    stop_at(l, NOT_SETTLED, l->now);
    return HUGE_VAL;
}

/* Tells the FMU that a step is done; whether it wants the event mode. */
static int completed_step(Loop *l)
{
    void *c = l->task->instance;
    const Function f = need(l, COMPLETED_STEP);
    int status, event = 0, terminate = 0;

    if (l->task->fmi == 2) {
        status = ((CallCompleted2)f)(c, 1, &event, &terminate);
    } else {
        bool wants = false, ends = false;
        status = ((CallCompleted3)f)(c, true, &wants, &ends);
        event = wants;
        terminate = ends;
    }
    check(l, status, COMPLETED_STEP);
    if (terminate) stop_at(l, ENDED, l->now);
    return event != 0;
}
