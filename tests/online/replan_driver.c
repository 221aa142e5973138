/* Random plans, new goals and stops while moving, sensible and nonsense ones, of a generator that
   is called online. Arguments: how many, at how many points each new plan is looked at. Prints the
   largest jump of a control (of its range), the largest excess over a limit (of the range of the
   limit), and how many calls had which answer; ends with 1 where a refused call has changed
   anything. "case.h" has START and END (goals are around the line between them), SPREAD (how far, of
   that line), DRIVE (the input matrix). */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "online.h"
#include "case.h"

typedef online_real real;

static const real start[] = START, end[] = END;
static const real drive[online_COORDINATES * online_INPUTS] = DRIVE;
static online_state state;
static online_output output;
static int answers[64];
static double worst_jump, worst_excess;
static unsigned long long seed = 88172645463325252ULL;

#define CHECK(condition)                                                                          \
    if (!(condition)) {                                                                           \
        fprintf(stderr, "line %d: %s, status %d\n", __LINE__, #condition, state.status);          \
        exit(1);                                                                                  \
    }

/* Uniform between 0 and 1, the same on every machine (xorshift). */
static double uniform(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static void random_goal(real *goal)
{
    const double along = uniform();
    int i;
    for (i = 0; i < online_OUTPUTS; i++) {
        const double part = (1.0 - SPREAD) * along + SPREAD * uniform();
        goal[i] = start[i] + (end[i] - start[i]) * (real)part;
    }
}

/* A goal that is none, or where the crane cannot go. */
static void nonsense_goal(real *goal)
{
    static const double values[] = {NAN, INFINITY, -INFINITY, 1e300, -1e30, 1e6};
    random_goal(goal);
    goal[(int)(uniform() * online_OUTPUTS)] = (real)values[(int)(uniform() * 6)];
}

static void exceed(real value, real least, real most)
{
    double excess = fmax((double)least - (double)value, (double)value - (double)most);
    /* relative to the limits as far as there are any, and to the value */
    double size = fabs((double)value);
    if (fabs((double)least) < 1e30 && fabs((double)least) > size) size = fabs((double)least);
    if (fabs((double)most) < 1e30 && fabs((double)most) > size) size = fabs((double)most);
    if (excess > worst_excess * size) worst_excess = excess / size;
}

static void look(const online_output *o)
{
    const online_judged *least = &state.least, *most = &state.most;
    int i, j;
    for (i = 0; i < online_ROPES; i++) exceed(o->rope[i], least->rope[i], most->rope[i]);
    for (i = 0; i < online_COORDINATES; i++) {
        exceed(o->q[i], least->q[i], most->q[i]);
        exceed(o->v[i], least->v[i], most->v[i]);
        exceed(o->a[i], least->a[i], most->a[i]);
        exceed(o->jerk[i], least->jerk[i], most->jerk[i]);
    }
    for (i = 0; i < online_INPUTS; i++) {
        real power = 0;
        for (j = 0; j < online_COORDINATES; j++)
            power += drive[j * online_INPUTS + i] * o->v[j] * o->u[i];
        exceed(o->u[i], least->u[i], most->u[i]);
        exceed(power, least->power[i], most->power[i]);
    }
}

/* Look at the whole plan, and come back. */
static void inspect(int points)
{
    const online_state before = state;
    const double offset = uniform();
    online_output now;
    int k;
    for (k = 0; k < points; k++) {
        const double t = ((double)k + offset) / (double)points * (double)state.plan.duration;
        CHECK(online_step(&state, (real)t, &now) >= 0);
        look(&now);
    }
    state = before;
}

/* Something that must be refused, or a sensible wish. */
static int call(double t)
{
    real goal[online_OUTPUTS], zero = 0;
    const double kind = uniform();
    random_goal(goal);
    if (kind < 0.28) return online_replan(&state, (real)t, goal);
    if (kind < 0.44) return online_stop(&state, (real)t);
    if (kind < 0.66) {
        nonsense_goal(goal);
        return online_replan(&state, (real)t, goal);
    }
    if (kind < 0.72) return online_replan(&state, (real)NAN, goal);
    if (kind < 0.78) return online_stop(&state, (real)INFINITY);
    if (kind < 0.87) return online_stop(&state, (real)(0.999 * uniform() * t - 1e-3)); /* past */
    if (kind < 0.92) return online_plan(&state, state.plan.goal, goal, zero);
    if (kind < 0.96) return online_plan(&state, state.plan.goal, goal, 10);
    return online_plan_shortest(&state, state.plan.goal, goal);
}

/* From the last step to a time of the running plan, with a look on the way. */
static void advance(double *t)
{
    const double last = (double)state.plan.duration, far = uniform();
    *t += (last - *t) * (far < 0.05 ? 1.1 : far);
    CHECK(online_step(&state, (real)(0.5 * *t), &output) >= 0);
    CHECK(online_step(&state, (real)*t, &output) >= 0);
    look(&output);
}

static void compare(const online_output *before)
{
    int i;
    for (i = 0; i < online_INPUTS; i++) {
        const double range = (double)state.most.u[i] - (double)state.least.u[i];
        const double jump = fabs((double)output.u[i] - (double)before->u[i]) / range;
        CHECK(isfinite(jump));
        if (jump > worst_jump) worst_jump = jump;
    }
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 100, points = argc > 2 ? atoi(argv[2]) : 1000;
    real goal[online_OUTPUTS];
    double t = 0;
    int n, k;
    CHECK(online_init(&state) == online_OK);
    random_goal(goal);
    CHECK(online_plan_shortest(&state, start, goal) == online_OK);
    for (n = 0; n < count; n++) {
        online_state before;
        online_output last;
        int status;
        advance(&t);
        last = output;
        memcpy(&before, &state, sizeof before);
        status = call(t);
        answers[status + 32]++;
        if (status < 0) {
            before.status = state.status;
            before.reason = state.reason;
            CHECK(memcmp(&before, &state, sizeof before) == 0);
        } else {
            CHECK(online_step(&state, 0, &output) >= 0);
            compare(&last);
            inspect(points);
            t = 0;
        }
    }
    printf("%.3g %.3g", worst_jump, worst_excess);
    for (k = 0; k < 64; k++)
        if (answers[k]) printf(" %d:%d", k - 32, answers[k]);
    printf("\n");
    return 0;
}
