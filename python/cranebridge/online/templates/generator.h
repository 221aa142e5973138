#ifndef FILLED
/* The contract of the on-line generator with who calls it. */
#include "example.h"
#endif
#ifndef GENERATOR_GUARD_
#define GENERATOR_GUARD_

#ifdef __cplusplus
extern "C" {
#endif

typedef TYPE_ generator_real;

enum {
    generator_OUTPUTS = NY_,      /* wanted outputs: OUTPUT_NAMES_ */
    generator_COORDINATES = NQ_,  /* COORDINATE_NAMES_ */
    generator_INPUTS = NU_,       /* INPUT_NAMES_ */
    generator_MULTIPLIERS = NL_,  /* MULTIPLIER_NAMES_ */
    generator_ROPES = NR_,        /* ROPE_NAMES_ */
    generator_PARAMETERS = NP_    /* PARAMETER_NAMES_ */
};

/* What generator_plan and generator_step return, also in the state. Errors are negative. */
enum {
GENERATOR_STATUSES_
};

/* All signals at one time, SI units. */
typedef struct {
    generator_real gamma[ZY_];  /* wanted outputs */
    generator_real q[ZQ_];      /* coordinates: references of the drives come first */
    generator_real v[ZQ_];
    generator_real a[ZQ_];
    generator_real jerk[ZQ_];
    generator_real lambda[ZL_]; /* multipliers */
    generator_real u[ZU_];      /* forces and torques of the drives: INPUT_UNITS_ */
    generator_real u_rate[ZU_];
    generator_real rope[ZR_];   /* rope forces in N, positive pulls */
} generator_output;

/* The signals that have limits. */
typedef struct {
    generator_real rope[ZR_];  /* rope forces in N, positive pulls */
    generator_real u[ZU_];     /* inputs */
    generator_real q[ZQ_];     /* coordinates */
    generator_real v[ZQ_];
    generator_real a[ZQ_];
    generator_real jerk[ZQ_];
    generator_real power[ZU_]; /* mechanical power of the drives in W, negative brakes */
} generator_judged;

/* From start to goal: PATH_NAMES_. */
typedef struct {
    generator_real start[ZY_], goal[ZY_], duration;
    /* If it continues another motion: that one fades to rest, over a part of the duration and by
       polynomials with these control points, while the way from there to the goal is added. */
    int moving;
    generator_real rest[ZY_], fade, control[NY_ * (SMOOTH_ + 1)];
} generator_motion;

/* A time of a motion, and where the next solution begins. */
typedef struct {
    generator_real time;
    generator_real w[ZW_], w_rate[ZW_], near[ZY_];
} generator_instant;

typedef struct {
    /* These may be changed between generator_init and generator_plan. */
    generator_real p[ZP_];          /* parameters */
    generator_judged least, most; /* what a plan may have; beyond -BOUND_ and BOUND_: no limit */
    /* The rest belongs to the functions; goal and duration of the plan may be read. */
    generator_motion plan;
    generator_instant now;
    generator_real longest; /* way in time over which one solution leads to the next */
    generator_real anchor[ZY_], anchor_w[ZW_];
    int planned; /* there is a plan */
    int begun;   /* a step of it was taken */
    int moved;   /* a step was taken since generator_init: the load is where the output says */
    int status;
    int reason;  /* what refuses the next shorter duration, or the last one of a vain search */
    generator_output output;
} generator_state;

/* Parameters and limits of the scenario, at rest at the scenario's start. Call it first. */
int generator_init(generator_state *state);

/* Plan from rest to rest, and take the plan over only if the crane can do it within its limits;
   otherwise an earlier plan and the last output stay, and the status says why.

   The whole plan is looked at twice, in CHECKS_ steps at least: can it be solved, and with steps
   that are halved until every limit is shown to be kept between the times, too, to SLACK_ of the
   signal's largest value (of the least rope force: ROPE_SLACK_). Each look takes at most LOOKS_
   steps of two solutions, none shorter than 1/FINEST_ of the duration; nothing is allocated.

   A plan is refused with BUSY while a motion is under way: from its first step until a step has
   returned DONE; see generator_replan for that. One that has not been stepped yet may be replaced. It is
   refused with ELSEWHERE if it does not start where the load is: with the coordinates q of the last
   output, to HERE_ of 1 (m or rad) and of the value. Before the first step the load may be
   anywhere. */
int generator_plan(generator_state *state, const generator_real start[ZY_], const generator_real goal[ZY_],
              generator_real duration);

/* The same with the shortest duration that keeps the limits. DURATIONS_ durations are tried, from
   FIRST_TRIED_ s on, each STEP_TRIED_ times as long as the one before; between the first that is
   accepted and the one before the step is halved HALVINGS_ times. There must be a limit of an
   input, a velocity, an acceleration, a jerk or a power (UNLIMITED otherwise). A search takes at
   most BUDGET_ solutions. */
int generator_plan_shortest(generator_state *state, const generator_real start[ZY_],
                       const generator_real goal[ZY_]);

/* Plan to rest at another goal while moving (or from rest): from the time t of the running plan on,
   which must not lie before the last step. The new plan continues the path and its derivatives up
   to order SMOOTH_, so that the controls are continuous, by polynomials of the lowest degree in the
   coordinates above, with the shortest duration that keeps the limits, found and judged as by
   generator_plan_shortest: the shortest of these polynomials, not of all motions. If it is taken over,
   times count from its start: go on with generator_step(state, 0, ...). If it is refused, the running
   motion stays as it was. Parameters must not change while moving; limits may. */
int generator_replan(generator_state *state, generator_real t, const generator_real goal[ZY_]);

/* The same to rest anywhere: where the present velocity ends if it fades to zero most smoothly,
   half of its way over the duration and what accelerations add. state->plan.goal says where. */
int generator_stop(generator_state *state, generator_real t);

/* Solve at the time t after the start of the plan; call it once a cycle. One solution is enough if
   t has not changed by more than state->longest, which generator_plan finds (half of 1/CHECKS_ of the
   duration as a rule); over longer ways it goes in steps of that length, so that it does not end in
   another configuration of the crane. At an error the output is the last valid one. */
int generator_step(generator_state *state, generator_real t, generator_output *output);

#ifdef __cplusplus
}
#endif

#endif
