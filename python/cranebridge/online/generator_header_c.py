"""The header of the on-line generator: C99 text, the contract with who calls it."""

HEADER = """\
#ifndef ${GUARD}_H
#define ${GUARD}_H

#ifdef __cplusplus
extern "C" {
#endif

typedef $TYPE ${P}_real;

enum {
    ${P}_OUTPUTS = $NY,      /* wanted outputs: $OUTPUT_NAMES */
    ${P}_COORDINATES = $NQ,  /* $COORDINATE_NAMES */
    ${P}_INPUTS = $NU,       /* $INPUT_NAMES */
    ${P}_MULTIPLIERS = $NL,  /* $MULTIPLIER_NAMES */
    ${P}_ROPES = $NR,        /* $ROPE_NAMES */
    ${P}_PARAMETERS = $NP    /* $PARAMETER_NAMES */
};

/* What ${P}_plan and ${P}_step return, also in the state. Errors are negative. */
enum {
$STATUSES
};

/* All signals at one time, SI units. */
typedef struct {
    ${P}_real gamma[$ZY];  /* wanted outputs */
    ${P}_real q[$ZQ];      /* coordinates: references of the drives come first */
    ${P}_real v[$ZQ];
    ${P}_real a[$ZQ];
    ${P}_real jerk[$ZQ];
    ${P}_real lambda[$ZL]; /* multipliers */
    ${P}_real u[$ZU];      /* forces and torques of the drives: $INPUT_UNITS */
    ${P}_real u_rate[$ZU];
    ${P}_real rope[$ZR];   /* rope forces in N, positive pulls */
} ${P}_output;

/* The signals that have limits. */
typedef struct {
    ${P}_real rope[$ZR];  /* rope forces in N, positive pulls */
    ${P}_real u[$ZU];     /* inputs */
    ${P}_real q[$ZQ];     /* coordinates */
    ${P}_real v[$ZQ];
    ${P}_real a[$ZQ];
    ${P}_real jerk[$ZQ];
    ${P}_real power[$ZU]; /* mechanical power of the drives in W, negative brakes */
} ${P}_judged;

/* From start to goal: $PATH_NAMES. */
typedef struct {
    ${P}_real start[$ZY], goal[$ZY], duration;
    /* If it continues another motion: that one fades to rest, over a part of the duration and by
       polynomials with these control points, while the way from there to the goal is added. */
    int moving;
    ${P}_real rest[$ZY], fade, control[$NY * ($SMOOTH + 1)];
} ${P}_motion;

/* A time of a motion, and where the next solution begins. */
typedef struct {
    ${P}_real time;
    ${P}_real w[$ZW], w_rate[$ZW], near[$ZY];
} ${P}_instant;

typedef struct {
    /* These may be changed between ${P}_init and ${P}_plan. */
    ${P}_real p[$ZP];          /* parameters */
    ${P}_judged least, most; /* what a plan may have; beyond -$BOUND and $BOUND: no limit */
    /* The rest belongs to the functions; goal and duration of the plan may be read. */
    ${P}_motion plan;
    ${P}_instant now;
    ${P}_real longest; /* way in time over which one solution leads to the next */
    ${P}_real anchor[$ZY], anchor_w[$ZW];
    int planned; /* there is a plan */
    int begun;   /* a step of it was taken */
    int moved;   /* a step was taken since ${P}_init: the load is where the output says */
    int status;
    int reason;  /* what refuses the next shorter duration, or the last one of a vain search */
    ${P}_output output;
} ${P}_state;

/* Parameters and limits of the scenario, at rest at the scenario's start. Call it first. */
int ${P}_init(${P}_state *state);

/* Plan from rest to rest, and take the plan over only if the crane can do it within its limits;
   otherwise an earlier plan and the last output stay, and the status says why.

   The whole plan is looked at twice, in $CHECKS steps at least: can it be solved, and with steps
   that are halved until every limit is shown to be kept between the times, too, to $SLACK of the
   signal's largest value (of the least rope force: $ROPE_SLACK). Each look takes at most $LOOKS
   steps of two solutions, none shorter than 1/$FINEST of the duration; nothing is allocated.

   A plan is refused with BUSY while a motion is under way: from its first step until a step has
   returned DONE; see ${P}_replan for that. One that has not been stepped yet may be replaced. It is
   refused with ELSEWHERE if it does not start where the load is: with the coordinates q of the last
   output, to $HERE of 1 (m or rad) and of the value. Before the first step the load may be
   anywhere. */
int ${P}_plan(${P}_state *state, const ${P}_real start[$ZY], const ${P}_real goal[$ZY],
              ${P}_real duration);

/* The same with the shortest duration that keeps the limits. $DURATIONS durations are tried, from
   $FIRST_TRIED s on, each $STEP_TRIED times as long as the one before; between the first that is
   accepted and the one before the step is halved $HALVINGS times. There must be a limit of an
   input, a velocity, an acceleration, a jerk or a power (UNLIMITED otherwise). A search takes at
   most $BUDGET solutions. */
int ${P}_plan_shortest(${P}_state *state, const ${P}_real start[$ZY],
                       const ${P}_real goal[$ZY]);

/* Plan to rest at another goal while moving (or from rest): from the time t of the running plan on,
   which must not lie before the last step. The new plan continues the path and its derivatives up
   to order $SMOOTH, so that the controls are continuous, by polynomials of the lowest degree in the
   coordinates above, with the shortest duration that keeps the limits, found and judged as by
   ${P}_plan_shortest: the shortest of these polynomials, not of all motions. If it is taken over,
   times count from its start: go on with ${P}_step(state, 0, ...). If it is refused, the running
   motion stays as it was. Parameters must not change while moving; limits may. */
int ${P}_replan(${P}_state *state, ${P}_real t, const ${P}_real goal[$ZY]);

/* The same to rest anywhere: where the present velocity ends if it fades to zero most smoothly,
   half of its way over the duration and what accelerations add. state->plan.goal says where. */
int ${P}_stop(${P}_state *state, ${P}_real t);

/* Solve at the time t after the start of the plan; call it once a cycle. One solution is enough if
   t has not changed by more than state->longest, which ${P}_plan finds (half of 1/$CHECKS of the
   duration as a rule); over longer ways it goes in steps of that length, so that it does not end in
   another configuration of the crane. At an error the output is the last valid one. */
int ${P}_step(${P}_state *state, ${P}_real t, ${P}_output *output);

#ifdef __cplusplus
}
#endif

#endif
"""
