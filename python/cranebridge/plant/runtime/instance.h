/* One instance of the plant, as FMI 2 and FMI 3, Model Exchange and Co-Simulation share it.

   Two rules hold for every function that returns a status:
   - an instance that has returned an error is as it was before the call: the caller may correct
     the mistake and go on, restore a state, or reset;
   - values that are not finite never leave the runtime. */

#ifndef CB_INSTANCE_H
#define CB_INSTANCE_H

#include "logging.h"
#include "model.h"

typedef enum { CB_MODEL_EXCHANGE, CB_CO_SIMULATION } CbType;

/* Bits, so that a function can name all modes in which it may be called. */
enum {
    CB_INSTANTIATED = 1,
    CB_INITIALIZATION = 2,
    CB_EVENT = 4,
    CB_CONTINUOUS = 8,
    CB_STEP = 16,
    CB_TERMINATED = 32,
    CB_INTERMEDIATE = 64, /* in a callback of DoStep: next to nothing may be called */
    CB_BEFORE_RUN = CB_INSTANTIATED | CB_INITIALIZATION,
    CB_RUNNING = CB_EVENT | CB_CONTINUOUS | CB_STEP,
    CB_ANY_MODE = 63
};

enum { CB_MAX_INPUT_DERIVATIVE = 3, CB_DENSE_TERMS = 5, CB_ASKED = 3 };

/* Where the Co-Simulation integrator is. It runs ahead of the communication point: its last step
   went from t0 to t1 >= time, and the visible state is interpolated inside that step. */
typedef struct {
    int started;      /* t0, t1 and the step size mean something */
    int restart;      /* an input, a parameter or the state has jumped since the last step */
    int rate_valid;   /* `rate` is der(x) at t1 */
    int fresh;        /* t1 is an event: an indicator may be at zero there */
    double t0, t1;
    double next_step; /* proposed by the step size control */
    double last_error;
    long long steps, rejected, evaluations;
} CbIntegrator;

/* Everything that GetFMUState must be able to bring back: numbers only, no pointers. */
typedef struct {
    int type, mode, method;
    int stop_defined;
    int initial_valid; /* x holds x0(p) of the present parameters, and the memory fits */
    int ended;         /* the plant wants the simulation to end */
    int states_changed; /* by the last event */
    double time, start, stop, tolerance;
    CbIntegrator integrator;
} CbScalars;

struct CbInstance;

/* In what the environment takes part during Co-Simulation; all zero if in nothing (FMI 2). Chosen
   when the instance is made, so neither reset nor part of the FMU's state. */
typedef struct {
    int events;       /* event mode is used: events are reported, not handled in passing */
    int early_return; /* a step may end before its communication point */
    /* Enters the environment's callback for intermediate updates; null if it has none. */
    void (*update)(struct CbInstance *c, int finished, int can_return, int *stop, double *time);
    void (*callback)(void);
    unsigned char *accessible; /* 1 for each value reference that the callback may touch */
    int sets_inputs;           /* some of these are inputs */
    /* Only during a step: */
    int may_get, may_set;
    double end;           /* the communication point ahead */
    int event;            /* an event has been met: the environment must go to event mode */
    double asked_time[CB_ASKED]; /* when inputs were asked for, the latest first ... */
    int n_asked;
} CbMaster;

typedef struct CbInstance {
    CbLog log;
    char *name;
    const CbModel *model;
    CbScalars s;
    CbMaster master;

    /* Saved with the state of the FMU, in one block of n_saved numbers. */
    size_t n_saved;
    double *saved;
    double *x, *u, *p;     /* behind the parameters: the memory of events, unknowns of loops */
    double *warned;        /* 1 for each assertion that fails and has been reported */
    double *u_derivatives; /* order 1, 2, 3 of all inputs, for the coming step only */
    double *u_slopes;      /* du/dt at the end of the last communication step */
    double *x_given;       /* 1 where the environment has set the start value of a state */
    double *z, *rate;      /* the integrator's state and its derivative at t1 */
    double *dense;         /* its interpolation polynomial on [t0, t1] */
    void *memory;          /* of the model's algorithm, if it has one */

    /* Scratch: never saved, holds nothing between calls except the two caches. */
    double *work;
    double *derivatives, *y; /* der(x) and y at the present values, if valid */
    double *y_slopes;        /* dy/dt, from an algorithm only; valid with y */
    int derivatives_valid, y_valid;
    double *stage[6], *trial, *candidate, *error, *u_now, *jacobian, *factors;
    double *seed_x, *seed_u, *seed_p, *sens_x, *sens_y, *x_initial;
    double *m_new, *x_new, *due, *z_before, *z_now; /* events */
    double *v_trial, *v_last, *v_step, *v_jacobian; /* loops */
    double *backup; /* `saved` at the start of a communication step, or of an event */
    double *asked;  /* ... and what they were then, three rows of inputs */
    double *rate_over_time; /* df/dt of an implicit step */
    int loops_failed; /* the last time that they were solved */
    size_t *pivots, *v_pivots;
    int jacobian_valid;
    const double **arg;
    double **res;
    CbInt *iw;
    double *w;
} CbInstance;

CB_LOCAL CbInstance *cb_instantiate(CbType type, const char *name, const char *token,
                                    const CbLog *log);
CB_LOCAL void cb_free(CbInstance *c);
CB_LOCAL void cb_reset(CbInstance *c);

CB_LOCAL CbStatus cb_error(const CbInstance *c, const char *format, ...);
CB_LOCAL CbStatus cb_require_mode(const CbInstance *c, const char *caller, int modes);
CB_LOCAL CbStatus cb_require_pointer(const CbInstance *c, const char *caller, const void *pointer,
                                     size_t n);

CB_LOCAL CbStatus cb_setup_experiment(CbInstance *c, const char *caller, int tolerance_defined,
                                      double tolerance, double start, int stop_defined,
                                      double stop);
CB_LOCAL CbStatus cb_enter_initialization(CbInstance *c, const char *caller);
CB_LOCAL CbStatus cb_exit_initialization(CbInstance *c, const char *caller);

/* Evaluation of the model at given values; zero on success, otherwise a function failed or a
   result is not finite. These do not log: the integrator just tries a smaller step. */
CB_LOCAL int cb_rhs(CbInstance *c, double t, const double *x, const double *u, double *dx);
CB_LOCAL int cb_call(CbInstance *c, const CbFunction *f, const double *const in[], size_t n_in,
                     double *const out[], size_t n_out);
/* Solves the nonlinear loops at given values from their last solution; not zero if it fails. */
CB_LOCAL int cb_solve_loops(CbInstance *c, double t, const double *x, const double *u);
CB_LOCAL size_t cb_first_nonfinite(const double *v, size_t n);

/* Evaluation at the present values of the instance, cached, with log messages. */
CB_LOCAL CbStatus cb_update_initial(CbInstance *c, const char *caller);
CB_LOCAL CbStatus cb_update_derivatives(CbInstance *c, const char *caller);
CB_LOCAL CbStatus cb_update_outputs(CbInstance *c, const char *caller);
CB_LOCAL void cb_values_changed(CbInstance *c);

#endif
