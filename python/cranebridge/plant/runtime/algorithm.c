#include "algorithm.h"
#include "events.h"

#include <math.h>

/* Before the run nothing has happened yet: the algorithm begins anew with whatever values the
   environment has set last. In continuous-time mode nothing discrete may happen, nor in step mode if
   the environment uses the event mode. */
static void react(CbInstance *c)
{
    const CbAlgorithm *a = c->model->algorithm;
    const char *news;

    if (!(c->s.mode & (CB_BEFORE_RUN | CB_EVENT | (c->master.events ? 0 : CB_STEP)))) return;
    if (c->s.mode & CB_BEFORE_RUN) a->start(c->memory);
    news = a->update(c->memory, c->s.time, c->u, c->p);
    if (news) cb_log(&c->log, CB_OK, CB_LOG_EVENTS, "At time %.17g: %s.", c->s.time, news);
}

CB_LOCAL CbStatus cb_evaluate_algorithm(CbInstance *c, const char *caller)
{
    const CbModel *m = c->model;
    size_t i;

    react(c);
    m->algorithm->outputs(c->memory, c->s.time, c->u, c->p, c->y, c->y_slopes);
    i = cb_first_nonfinite(c->y, m->ny);
    if (i == m->ny) i = cb_first_nonfinite(c->y_slopes, m->ny);
    if (i == m->ny) return CB_OK;
    return cb_error(c, "%s: the output %s is not finite at time %.17g.", caller, m->y[i].name,
                    c->s.time);
}

CB_LOCAL void cb_enter_event_mode(CbInstance *c)
{
    c->s.mode = CB_EVENT;
    if (c->model->algorithm) cb_values_changed(c); /* it may react now */
}

CB_LOCAL CbStatus cb_handle_event(CbInstance *c, const char *caller, int *defined, double *time)
{
    CbStatus status;
    double next;

    *defined = 0;
    *time = 0.0;
    if (c->model->events) return cb_event_mode_update(c, caller, defined, time);
    if (!c->model->algorithm) return CB_OK;
    status = cb_update_outputs(c, caller);
    if (status != CB_OK) return status;
    next = c->model->algorithm->next_event(c->memory);
    if (isfinite(next) && next > c->s.time) {
        *defined = 1;
        *time = next;
    }
    return CB_OK;
}
