/* One simulation of an FMU by Model Exchange, from start to end without leaving C.

   The structures of the first part are filled by compiled_loop.py, which mirrors them: a change
   here is a change there, and cb_loop_layout() tells whether both have the same size. */

#ifndef CB_LOOP_H
#define CB_LOOP_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

/* ---------------------------------------------------------------- what Python fills in */

/* FMI functions, in the order of compiled_loop.FUNCTIONS. NULL where the binary has none. */
enum {
    SET_TIME,
    SET_STATES,
    GET_STATES,
    GET_DERIVATIVES,
    GET_INDICATORS,
    UPDATE_DISCRETE,
    ENTER_EVENTS,
    ENTER_CONTINUOUS,
    COMPLETED_STEP,
    FUNCTIONS,
    GET_VARIABLES = FUNCTIONS, /* of a group; its type tells the function's name */
    SET_VARIABLES
};

/* C types of variables, in the order of compiled_loop.KINDS. */
enum { FLOAT64, FLOAT32, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, BOOLEAN };

typedef void (*Function)(void);

/* Variables of one type, read or set by one call. */
typedef struct {
    int32_t kind;
    int32_t partial;   /* an array of which not all elements are ours: read before it is set */
    size_t references; /* number of value references */
    size_t values;     /* number of values of these variables: arrays have many */
    size_t count;      /* number of values that are ours */
    const uint32_t *reference;
    const size_t *position; /* of our values in the caller's row */
    const size_t *place;    /* of our values among the variables' values */
    uint32_t *lent;         /* what the FMU sees: it may write into what it should only read */
    double *value;
    Function get, set;
} Group;

/* Variables that are read or set together, from or to a row of doubles. */
typedef struct {
    size_t groups;
    Group *group;
} Block;

/* Signals over time as piecewise polynomials: see controls.py. */
typedef struct {
    size_t intervals, signals, powers;
    const double *breakpoint;
    const double *coefficient; /* by power (highest first), interval, signal */
    size_t low, high;          /* intervals of the present window */
    size_t last;               /* interval of the last evaluation */
} Signals;

/* Controller of a drive: u[column] += kp (r - y[i]) + kv (r' - y[drives + i]). */
typedef struct {
    size_t column;
    double kp, kv;
} Drive;

/* A step of a controller: its state, what is measured, what it gives out; returns its status. */
typedef int (*ControllerStep)(void *, const double *, double *);

/* A sampled controller, in place of `control`: see sampled_law.py. */
typedef struct {
    size_t samples, readings, signals, inputs, plant_inputs, whole, operations, noisy;
    Block measured;
    const double *time, *change;
    const double *program; /* rows of five: see signal_program.py */
    const double *noise;   /* a row for each of the first `noisy` samples */
    const double *resolution, *D, *d;
    const size_t *every;
    ControllerStep step;
    void *controller;      /* its state */
    const double *estimate; /* what the controller estimates, within its state */
    size_t estimates;
    size_t taken, changed; /* how many samples and changes there were */
    double *reading, *place;
    double *under_way; /* the newest first */
    double *active;    /* the plant's inputs */
    double *said, *given, *status; /* what was measured and given out, a row for each sample */
    double *estimated;             /* the same of what was estimated */
} Law;

typedef struct {
    Signals control, reference, rate;
    Law law;
    Block continuous, discrete, measured;
    size_t drives;
    const Drive *drive;
    double part;  /* of a signal's largest value: what it changes without a jump */
    double *jump; /* by signal of control, reference, rate: what is more is a jump */
    double *row;   /* of the size of `jump`; the controls come first */
    double *other; /* of the same size */
    double *y;     /* two for each drive */
} Inputs;

/* Where and why the simulation stopped. The codes are those of compiled_loop.REASONS. */
enum {
    COMPLETE,
    ENDED,             /* the FMU asked for it */
    BAD_STATUS,        /* function, status */
    MISSING,           /* function */
    NOT_SETTLED,       /* discrete states */
    CHATTERS,          /* events within the last `value` seconds: index */
    BAD_INDICATOR,     /* not finite */
    BAD_STATE,         /* index, value */
    BAD_DERIVATIVE,    /* index, value, at this time */
    BAD_LATER,         /* index: a derivative after this time */
    NO_DERIVATIVES,    /* the FMU discards the point where it all begins */
    STEP_TOO_SMALL,
    NOT_WHOLE,         /* value */
    NO_MEMORY,
    TOO_MANY_STEPS,
    PAST_EVENT         /* announced for `value`, again and again */
};

typedef struct {
    int32_t reason, function, status, kind;
    size_t index;
    double time, value;
} Stop;

/* Nodes within the integrator's steps; the memory is the loop's. */
typedef struct {
    size_t steps, nodes, step_room, node_room;
    double *start; /* of each step, its first node */
    double *time, *state, *output;
} Nodes;

typedef struct {
    /* the FMU */
    void *instance;
    int32_t fmi, needs_completed_step;
    size_t nx, nz, ny;
    Function function[FUNCTIONS];
    /* the task */
    double rtol, atol, max_step;
    size_t times, bounds, state_values;
    const double *time;
    const double *bound; /* ends of pieces: stops of the inputs, and the last time */
    const size_t *state_position;
    const double *state_value;
    Block outputs;
    Inputs inputs;
    int32_t dense;
    /* the results */
    int32_t unused;
    size_t collected;
    double *reached; /* the time, for those who watch */
    size_t most;     /* nodes that fit into an answer */
    double *output, *state; /* a row for each time */
    size_t steps, rejected, evaluations, events;
    Nodes nodes;
    Stop stop;
} Task;

/* ---------------------------------------------------------------- the loop's own */

enum { CB_STAGES = 12, CB_EXTENDED_STAGES = 16, CB_POWERS = 7 };

/* Integrator: DOP853. */
typedef struct {
    double t, t_old, h, bound;
    size_t width; /* of a row of states: their number, up to a multiple of four */
    double *x, *x_old;
    double *k;     /* stages, a row each */
    double *first; /* derivative at the begin of the last step */
    double *stage; /* where the right-hand side is evaluated; the candidate at a step's end */
    double *scratch;
    double *interpolant;
    int has_interpolant;
    int was_discarded; /* the last attempt */
    size_t not_finite; /* which derivative of the last attempt, from 1; 0 for none */
} Dop853;

typedef struct {
    Task *task;
    Dop853 g;
    double *lent; /* a copy of the states for the FMU */
    double *before, *z;
    double *at; /* states of an event */
    double span, next_event;
    double now; /* where the FMU was last evaluated */
    int restart;
    double *last_events; /* ring of times */
    size_t ring, ring_count, ring_next;
    double *memory;
    jmp_buf out;
} Loop;

#endif
