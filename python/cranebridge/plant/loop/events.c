/* Events: found where an indicator changes its domain (z > 0 or z <= 0, as in the standard),
   handled until all is consistent. model_exchange.py does the same for the other integrators. */

#include "loop.h"

#include <math.h>
#include <string.h>

/* How often a change of sign is looked for within a step and, at least, in the whole time; and
   where in a piece's first step besides: at 8^-13 ... 8^-2 of it. */
enum { CHECKS = 8, ALL_CHECKS = 400, FIRST_CHECKS = 12, LAST_POWER = 13, BEYOND = 8 };
/* So many events (and some more for each indicator: they may all change at the same time) in this
   part of the whole time are chattering: at that pace the end is never met. */
enum { MANY = 20, MORE = 4 };
/* So many events that are announced for times that are past are handled as now: fmi_errors.py. */
enum { MOST_PAST = 100000 };
static const double NO_PROGRESS = 1e-8;

/* Indicators at a point, where the FMU stays; whether it discards. */
static int indicators_at(Loop *l, double t, const double *x, double *z)
{
    size_t i;

    if (place(l, t, x)) return 1;
    if (!l->task->nz) return 0;
    if (get_indicators(l, z)) return 1;
    for (i = 0; i < l->task->nz; ++i) {
        if (!isfinite(z[i])) stop_at(l, BAD_INDICATOR, t);
    }
    return 0;
}

static int crossed(const Loop *l)
{
    size_t i;

    for (i = 0; i < l->task->nz; ++i) {
        if ((l->before[i] > 0.0) != (l->z[i] > 0.0)) return 1;
    }
    return 0;
}

/* 1 for a change of sign up to this time of the last step, 0 for none, -1 if the FMU discards. */
static int look(Loop *l, double t)
{
    const double *x = l->g.x;

    if (t < l->g.t) {
        if (states_at(l, t, l->at)) return -1;
        x = l->at;
    }
    if (indicators_at(l, t, x, l->z)) return -1;
    return crossed(l);
}

/* Whether an indicator that has changed its domain is exactly zero. */
static int crossed_to_zero(const Loop *l)
{
    size_t i;

    for (i = 0; i < l->task->nz; ++i) {
        if (l->before[i] > 0.0 && l->z[i] == 0.0) return 1;
    }
    return 0;
}

/* Narrows an event down to the rounding of time; its end is right after the event. By the standard
   zero belongs to the negative side; FMUs of CasADi wait for less than zero, which is near. */
static int bisect(Loop *l, double low, double high, double *event)
{
    double width = 4.0 * ulp(fmax(fabs(high), l->g.t - l->g.t_old));
    int i;

    while (high - low > width) {
        const double middle = 0.5 * (low + high);
        const int found = look(l, middle);
        if (found < 0) return -1;
        if (found) {
            high = middle;
        } else {
            low = middle;
        }
    }
    for (i = 0; i < BEYOND; ++i) {
        if (look(l, high) < 0) return -1;
        if (!crossed_to_zero(l) || high + width > l->g.t) break;
        high += width;
        width *= 2.0;
    }
    *event = high;
    if (high < l->g.t) return states_at(l, high, l->at) ? -1 : 1;
    memcpy(l->at, l->g.x, l->task->nx * sizeof *l->at);
    return 1;
}

/* Finds the first change of sign in the last step: 1 with time and states (`at`) right after it, 0
   for none, -1 if the FMU discards within the step.

   Looked for at some times within the step too: a ball that leaves the ground and comes back in one
   step would go through it otherwise. After an event an indicator is at zero, and what it does next
   may happen in any part of the first step: there, times right after its begin are looked at. */
static int find_event(Loop *l, int is_first, double *event)
{
    const Dop853 *g = &l->g;
    const double size = g->t - g->t_old;
    const double wanted = ceil(ALL_CHECKS * size / l->span);
    const size_t count = wanted > CHECKS ? (size_t)wanted : CHECKS;
    double low = g->t_old, early = ldexp(1.0, -3 * LAST_POWER);
    size_t k = 1, first = is_first ? 0 : FIRST_CHECKS;

    for (;;) {
        const double regular = (double)k / (double)count;
        double t = g->t;
        int found;
        if (first < FIRST_CHECKS && (k >= count || early < regular)) {
            t = g->t_old + size * early;
            early *= 8.0;
            ++first;
        } else if (k < count) {
            t = g->t_old + size * regular;
            ++k;
        }
        if (t <= low) continue;
        if (t > g->t) t = g->t;
        found = look(l, t);
        if (found < 0) return -1;
        if (found) return bisect(l, low, t, event);
        if (t == g->t) return 0;
        low = t;
    }
}

static void count_event(Loop *l, double t)
{
    double oldest;

    ++l->task->events;
    l->last_events[l->ring_next] = t;
    l->ring_next = (l->ring_next + 1) % l->ring;
    if (l->ring_count < l->ring) ++l->ring_count;
    if (l->ring_count < l->ring) return;
    oldest = l->last_events[l->ring_next];
    if (t - oldest <= NO_PROGRESS * l->span) {
        l->task->stop.index = l->ring;
        l->task->stop.value = t - oldest;
        stop_at(l, CHATTERS, t);
    }
}

/* Updates the discrete states, once more as long as the next event is due. One that is announced for
   a time that is past happens now; child/events.py says why. */
static void handle_events(Loop *l, double t)
{
    double last = -HUGE_VAL;
    long past = 0;

    l->now = t;
    l->next_event = update_discrete(l);
    while (l->next_event <= t) {
        if (l->next_event == t) {
            count_event(l, t);
        } else {
            ++l->task->events;
            if (l->next_event <= last || ++past > MOST_PAST) {
                l->task->stop.value = l->next_event;
                stop_at(l, PAST_EVENT, t);
            }
        }
        last = l->next_event;
        enter_events(l);
        l->next_event = update_discrete(l);
    }
}

/* Tells the FMU where a step has ended; whether it wants the event mode. The FMU was evaluated
   elsewhere since, for the event's time and for outputs. */
static int complete_step(Loop *l, double t, const double *x, int is_event)
{
    const int needs = l->task->needs_completed_step;

    if (!(needs || is_event)) return 0;
    if (indicators_at(l, t, x, l->z)) give_up_discarded(l, t);
    /* What an FMU keeps between calls must belong to this point. */
    if (is_event) (void)get_derivatives(l, l->g.scratch);
    return needs && completed_step(l);
}

/* Handles an event where a step has been completed; the states are those right after it. At a jump
   of the inputs the FMU first sees their new values at this point, as if an integrator had come to
   it with them. */
static void handle_event(Loop *l, double t, int jump)
{
    double *x = l->g.x;

    if (jump) {
        (void)complete_step(l, t, x, 1);
    } else if (indicators_at(l, t, x, l->z)) {
        give_up_discarded(l, t);
    }
    count_event(l, t);
    enter_events(l);
    if (set_inputs(l, &l->task->inputs.discrete, t)) give_up_discarded(l, t);
    handle_events(l, t);
    /* Without indicators the control of the step size is enough. */
    l->restart = l->task->nz > 0;
    get_states(l, x);
}
