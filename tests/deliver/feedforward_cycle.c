/* The life of a feedforward FMU (FMI 2, rotary crane), linked with its sources, for sanitizers:
   two motions, one refused, a saved and restored state, reset. Argument: the GUID. Value
   references: time, 6 of start and goal, duration, 4 booleans from trigger to stop, 13 outputs with
   status, parameters. */

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fmi2Functions.h"

enum { GOAL_X = 4, TRIGGER = 8, STOP = 11, OUTPUTS = 12, REALS = 12, STATUS = 24, MASS = 25 };

#define CHECK(condition)                                                                          \
    if (!(condition)) {                                                                           \
        fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                   \
        exit(1);                                                                                  \
    }

static void logger(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String message, ...)
{
    (void)environment;
    printf("%s %d %s %s\n", name, (int)status, category, message);
}

static void pull_trigger(fmi2Component c, double goal_x)
{
    const fmi2ValueReference goal = GOAL_X, trigger = TRIGGER, status = STATUS;
    fmi2Boolean value = fmi2False;
    fmi2Integer seen;

    CHECK(fmi2SetBoolean(c, &trigger, 1, &value) == fmi2OK);
    CHECK(fmi2GetBoolean(c, &trigger, 1, &value) == fmi2OK && !value);
    CHECK(fmi2GetInteger(c, &status, 1, &seen) == fmi2OK); /* so that it sees the trigger fall */
    CHECK(fmi2SetReal(c, &goal, 1, &goal_x) == fmi2OK);
    value = fmi2True;
    CHECK(fmi2SetBoolean(c, &trigger, 1, &value) == fmi2OK);
}

/* Without limits of the drives no motion is the shortest: refused, and the motion goes on. */
static void pull_stop(fmi2Component c)
{
    const fmi2ValueReference stop = STOP, status = STATUS;
    fmi2Boolean value = fmi2True;
    fmi2Integer seen;

    CHECK(fmi2SetBoolean(c, &stop, 1, &value) == fmi2OK);
    CHECK(fmi2GetInteger(c, &status, 1, &seen) == fmi2OK && seen == -18);
}

static int go(fmi2Component c, double from, double to)
{
    const fmi2ValueReference status = STATUS;
    fmi2ValueReference references[REALS];
    fmi2Real values[REALS];
    fmi2Integer orders[REALS], result = 0;
    int i, k;

    for (i = 0; i < REALS; ++i) {
        references[i] = (fmi2ValueReference)(OUTPUTS + i);
        orders[i] = 1;
    }
    for (k = 0; k < 100; ++k) {
        const double h = (to - from) / 100;
        CHECK(fmi2DoStep(c, from + k * h, h, fmi2True) == fmi2OK);
        CHECK(fmi2GetReal(c, references, REALS, values) == fmi2OK);
        for (i = 0; i < REALS; ++i) CHECK(isfinite(values[i]));
        CHECK(fmi2GetRealOutputDerivatives(c, references, REALS, orders, values) == fmi2OK);
    }
    CHECK(fmi2GetInteger(c, &status, 1, &result) == fmi2OK);
    return result;
}

int main(int argc, char **argv)
{
    const fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL, NULL};
    const fmi2ValueReference mass = MASS;
    const double heavier = 120.0;
    fmi2FMUstate state = NULL;
    fmi2Component c;

    CHECK(argc == 2);
    c = fmi2Instantiate("f", fmi2CoSimulation, argv[1], "", &callbacks, fmi2False, fmi2True);
    CHECK(c);
    CHECK(fmi2SetReal(c, &mass, 1, &heavier) == fmi2OK);
    CHECK(fmi2SetupExperiment(c, fmi2False, 0.0, 0.0, fmi2False, 0.0) == fmi2OK);
    CHECK(fmi2EnterInitializationMode(c) == fmi2OK);
    CHECK(fmi2ExitInitializationMode(c) == fmi2OK);
    CHECK(go(c, 0.0, 1.0) == 1);
    pull_trigger(c, -2.0);
    CHECK(go(c, 1.0, 11.0) == 0);
    CHECK(fmi2GetFMUstate(c, &state) == fmi2OK);
    CHECK(go(c, 11.0, 22.0) == 1);
    pull_trigger(c, -1e300);
    CHECK(go(c, 22.0, 23.0) < 0);
    CHECK(fmi2SetFMUstate(c, state) == fmi2OK);
    pull_stop(c);
    CHECK(go(c, 11.0, 22.0) == -18);
    CHECK(fmi2FreeFMUstate(c, &state) == fmi2OK);
    CHECK(fmi2Reset(c) == fmi2OK);
    fmi2FreeInstance(c);
    return 0;
}
