/* The simulation: piece by piece between the times where the inputs are less smooth, step by step
   within a piece, with outputs at the asked times and at nodes within the steps. */

#include "loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define CB_PUBLIC __declspec(dllexport)
#else
#define CB_PUBLIC __attribute__((visibility("default")))
#endif

/* Nodes of a step: see dense.py, which has the same numbers. */
enum { NODES = 9, FEW_NODES = 5 };
static const double SHORT = 1.0 / 20000.0;

/* ---------------------------------------------------------------- outputs */

/* Outputs at a point, with the inputs of the present piece; whether the FMU discards. */
static int outputs_at(Loop *l, double t, const double *x, double *row)
{
    return place(l, t, x) || get_block(l, &l->task->outputs, row);
}

static int collect(Loop *l, double t, const double *x)
{
    Task *task = l->task;
    const size_t i = task->collected;

    if (outputs_at(l, t, x, task->output + i * task->ny)) return 1;
    memcpy(task->state + i * task->nx, x, task->nx * sizeof *x);
    ++task->collected;
    return 0;
}

static int grow(double **memory, size_t rows, size_t width)
{
    double *more;

    if (!width) return 0;
    if (rows > (size_t)-1 / sizeof **memory / width) return 1;
    more = realloc(*memory, rows * width * sizeof **memory);
    if (more) *memory = more;
    return !more;
}

static void make_room(Loop *l)
{
    Task *task = l->task;
    Nodes *n = &l->task->nodes;
    int failed = 0;

    if (n->nodes + NODES > task->most) {
        task->stop.index = n->steps;
        stop_at(l, TOO_MANY_STEPS, l->g.t_old);
    }
    if (n->nodes + NODES > n->node_room) {
        const size_t room = n->node_room ? 2 * n->node_room : 1024;
        failed |= grow(&n->time, room, 1) || grow(&n->state, room, task->nx) ||
                  grow(&n->output, room, task->ny);
        if (!failed) n->node_room = room;
    }
    if (n->steps + 1 > n->step_room) {
        const size_t room = n->step_room ? 2 * n->step_room : 128;
        failed |= grow(&n->start, room, 1);
        if (!failed) n->step_room = room;
    }
    if (failed) stop_at(l, NO_MEMORY, l->now);
}

/* Chebyshev-Lobatto nodes of the last step up to a time in it; the states there are given. */
static int collect_nodes(Loop *l, double end, const double *x)
{
    const Task *task = l->task;
    Nodes *n = &l->task->nodes;
    const double begin = l->g.t_old;
    const int count = end - begin < SHORT * l->span ? FEW_NODES : NODES;
    int i;

    make_room(l);
    for (i = 0; i < count; ++i) {
        const size_t row = n->nodes + (size_t)i;
        const double angle = 3.14159265358979323846 * i / (count - 1);
        double t = 0.5 * (begin + end) - 0.5 * (end - begin) * cos(angle);
        double *state = task->nx ? n->state + row * task->nx : l->g.scratch;
        t = i == 0 ? begin : i == count - 1 ? end : fmin(fmax(t, begin), end);
        if (i == 0 || i == count - 1) {
            memcpy(state, i ? x : l->g.x_old, task->nx * sizeof *x);
        } else if (states_at(l, t, state)) {
            return 1;
        }
        n->time[row] = t;
        if (outputs_at(l, t, state, task->ny ? n->output + row * task->ny : l->g.scratch)) return 1;
    }
    n->start[n->steps++] = (double)n->nodes;
    n->nodes += (size_t)count;
    return 0;
}

/* Outputs at the times from the last step's begin up to before `end`, and its nodes; whether the
   FMU discards, and nothing is collected of this step then. */
static int collect_step(Loop *l, double end, const double *x)
{
    Task *task = l->task;
    const size_t collected = task->collected;
    int discarded = 0;

    while (task->collected < task->times && task->time[task->collected] < end && !discarded) {
        const double t = task->time[task->collected];
        discarded = states_at(l, t, l->g.scratch) || collect(l, t, l->g.scratch);
    }
    if (!discarded && task->dense) discarded = collect_nodes(l, end, x);
    if (discarded) task->collected = collected;
    else *task->reached = end;
    return discarded;
}

/* ---------------------------------------------------------------- course */

/* Names what is not finite, before the integrator stumbles over it. */
static void check_point(Loop *l, double t, const double *x)
{
    Task *task = l->task;
    double *dx = l->g.scratch;
    size_t i;

    if (rate_at(l, t, x, dx)) stop_at(l, l->task->collected ? BAD_STATUS : NO_DERIVATIVES, t);
    for (i = 0; i < 2 * task->nx; ++i) {
        const double value = i < task->nx ? x[i] : dx[i - task->nx];
        if (!isfinite(value)) {
            task->stop.index = i % task->nx;
            task->stop.value = value;
            stop_at(l, i < task->nx ? BAD_STATE : BAD_DERIVATIVE, t);
        }
    }
}

static void give_up(Loop *l)
{
    const double t = l->g.t;
    Stop last = l->task->stop; /* what the FMU discarded last, before it is asked once more */

    check_point(l, t, l->g.x);
    if (l->g.was_discarded) {
        l->task->stop = last;
        give_up_discarded(l, t);
    }
    if (l->g.not_finite) {
        l->task->stop.index = l->g.not_finite - 1;
        stop_at(l, BAD_LATER, t);
    }
    stop_at(l, STEP_TOO_SMALL, t);
}

/* Integrates up to a time or the first event before it; whether there is one. */
static int integrate_piece(Loop *l, double *t, double until)
{
    Dop853 *g = &l->g;
    const size_t size = l->task->nx * sizeof *g->x;
    const int watched = l->task->nz > 0;
    int is_first = 1;

    if (begin_piece(l, *t, until, l->restart)) give_up_discarded(l, *t);
    l->restart = 0;
    if (watched && indicators_at(l, *t, g->x, l->before)) give_up_discarded(l, *t);
    while (g->t < until) {
        double end;
        int event = 0, wanted;
        if (take_step(l)) give_up(l);
        end = g->t;
        if (watched) event = find_event(l, is_first, &end);
        if (event <= 0) memcpy(l->at, g->x, size);
        if (event < 0 || collect_step(l, end, l->at)) {
            undo_step(l);
            continue;
        }
        is_first = 0;
        wanted = complete_step(l, end, l->at, event);
        /* Indicators may change with the call for the completed step only. */
        if (watched && !event) {
            if (indicators_at(l, end, l->at, l->z)) give_up_discarded(l, end);
            wanted |= crossed(l);
        }
        if (event || wanted) {
            memcpy(g->x, l->at, size);
            *t = end;
            return 1;
        }
    }
    *t = g->t;
    return 0;
}

static void initial_states(Loop *l, double start)
{
    const Task *task = l->task;
    double *x = l->g.x;
    size_t i;

    handle_events(l, start);
    get_states(l, x);
    if (!task->state_values) return;
    if (indicators_at(l, start, x, l->before)) give_up_discarded(l, start);
    for (i = 0; i < task->state_values; ++i) x[task->state_position[i]] = task->state_value[i];
    if (indicators_at(l, start, x, l->z)) give_up_discarded(l, start);
    /* Other states than the FMU's own may lie on the other side of an event. */
    if (crossed(l)) handle_event(l, start, 1);
}

static void run(Loop *l)
{
    Task *task = l->task;
    Inputs *in = &task->inputs;
    double t = task->time[0];
    const double end = task->time[task->times - 1];
    size_t i;

    (void)find_jumps(&in->rate, in->part,
                     find_jumps(&in->reference, in->part,
                                find_jumps(&in->control, in->part, in->jump)));
    windows(in, t, task->bound[0]);
    initial_states(l, t);
    if (run_law(l, t, l->g.x)) handle_event(l, t, 1);
    check_point(l, t, l->g.x);
    for (i = 0; i < task->bounds; ++i) {
        const double bound = task->bound[i], next = i + 1 < task->bounds ? task->bound[i + 1] : end;
        while (t < bound) {
            /* A time event ends a piece as a jump or kink of the inputs does. */
            const int is_event = integrate_piece(l, &t, fmin(bound, l->next_event));
            int jump = t == bound && move_inputs(in, t, next);
            if (t == bound) jump |= run_law(l, t, l->g.x);
            if (is_event || jump || t >= l->next_event) handle_event(l, t, jump);
        }
    }
    if (collect(l, end, l->g.x)) give_up_discarded(l, end);
}

/* ---------------------------------------------------------------- memory, and the way in */

static double *take(double **next, size_t count)
{
    double *found = *next;
    *next += count;
    return found;
}

static int allocate(Loop *l)
{
    const size_t n = l->task->nx, nz = l->task->nz, width = (n + 3) / 4 * 4;
    const size_t widest = n > l->task->ny ? n : l->task->ny;
    double *next;

    l->ring = MANY + MORE * nz;
    l->memory = calloc((CB_EXTENDED_STAGES + 4) * width + (CB_POWERS + 2) * n + widest + 2 * nz +
                           l->ring + 1,
                       sizeof(double));
    if (!l->memory) return 1;
    next = l->memory;
    l->g.width = width;
    l->g.k = take(&next, CB_EXTENDED_STAGES * width);
    l->g.x = take(&next, width);
    l->g.x_old = take(&next, width);
    l->g.stage = take(&next, width);
    l->g.first = take(&next, width);
    l->g.interpolant = take(&next, CB_POWERS * n);
    l->at = take(&next, n);
    l->lent = take(&next, n);
    l->g.scratch = take(&next, widest);
    l->before = take(&next, nz);
    l->z = take(&next, nz);
    l->last_events = take(&next, l->ring);
    return 0;
}

/* Bytes of a task, as both sides see it. */
CB_PUBLIC size_t cb_loop_layout(void)
{
    return sizeof(Task);
}

/* Simulates; the FMU has left its initialization mode. How it ended is in `task->stop`. */
CB_PUBLIC void cb_loop_run(Task *task)
{
    Loop *l = calloc(1, sizeof *l);

    memset(&task->stop, 0, sizeof task->stop);
    if (!l) {
        task->stop.reason = NO_MEMORY;
        return;
    }
    l->task = task;
    l->now = task->time[0];
    l->span = task->time[task->times - 1] - task->time[0];
    l->next_event = HUGE_VAL;
    if (allocate(l)) {
        task->stop.reason = NO_MEMORY;
    } else if (!setjmp(l->out)) {
        run(l);
    }
    free(l->memory);
    free(l);
}

CB_PUBLIC void cb_loop_free(Task *task)
{
    Nodes *n = &task->nodes;

    free(n->start);
    free(n->time);
    free(n->state);
    free(n->output);
    memset(n, 0, sizeof *n);
}
