/* Events of an exported FMU (EventPlants.Ball) under sanitizers: Model Exchange with a crude
   integrator, Co-Simulation over the bounces, states saved between, wrong calls. Argument: token. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if CB_FMI == 2
#include "fmi2Functions.h"
typedef fmi2Component Instance;
typedef fmi2FMUstate State;
#define F(name) fmi2##name
#define GetState fmi2GetFMUstate
#define SetState fmi2SetFMUstate
#define FreeState fmi2FreeFMUstate
#define GetDerivatives fmi2GetDerivatives
#else
#include "fmi3Functions.h"
typedef fmi3Instance Instance;
typedef fmi3FMUState State;
#define F(name) fmi3##name
#define GetState fmi3GetFMUState
#define SetState fmi3SetFMUState
#define FreeState fmi3FreeFMUState
#define GetDerivatives fmi3GetContinuousStateDerivatives
#endif

static int failures = 0;

static void expect(int fine, const char *what, int line)
{
    if (fine) return;
    fprintf(stderr, "line %d: %s\n", line, what);
    ++failures;
}

#define EXPECT(condition) expect(condition, #condition, __LINE__)

#if CB_FMI == 2
static void silent(fmi2ComponentEnvironment e, fmi2String n, fmi2Status s, fmi2String c,
                   fmi2String m, ...)
{
    (void)e, (void)n, (void)s, (void)c, (void)m;
}

static const fmi2CallbackFunctions CALLBACKS = {silent, calloc, free, NULL, NULL};

static Instance make(const char *token, int co_simulation)
{
    return fmi2Instantiate("ball", co_simulation ? fmi2CoSimulation : fmi2ModelExchange, token, "",
                           &CALLBACKS, fmi2False, fmi2True);
}

static void initialize(Instance c)
{
    EXPECT(fmi2SetupExperiment(c, fmi2True, 1e-8, 0.0, fmi2True, 2.0) == fmi2OK);
    EXPECT(fmi2EnterInitializationMode(c) == fmi2OK);
    EXPECT(fmi2ExitInitializationMode(c) == fmi2OK);
}

static int update(Instance c)
{
    fmi2EventInfo info;
    EXPECT(fmi2NewDiscreteStates(c, &info) == fmi2OK);
    return info.valuesOfContinuousStatesChanged;
}

static int step(Instance c, double t, double size)
{
    return fmi2DoStep(c, t, size, fmi2True);
}
#else
static void silent(fmi3InstanceEnvironment e, fmi3Status s, fmi3String c, fmi3String m)
{
    (void)e, (void)s, (void)c, (void)m;
}

static Instance make(const char *token, int co_simulation)
{
    if (!co_simulation) {
        return fmi3InstantiateModelExchange("ball", token, "", fmi3False, fmi3True, NULL, silent);
    }
    return fmi3InstantiateCoSimulation("ball", token, "", fmi3False, fmi3True, fmi3False,
                                       fmi3False, NULL, 0, NULL, silent, NULL);
}

static void initialize(Instance c)
{
    EXPECT(fmi3EnterInitializationMode(c, fmi3True, 1e-8, 0.0, fmi3True, 2.0) == fmi3OK);
    EXPECT(fmi3ExitInitializationMode(c) == fmi3OK);
}

static int update(Instance c)
{
    fmi3Boolean more, end, nominals, values, defined;
    double time;
    EXPECT(fmi3UpdateDiscreteStates(c, &more, &end, &nominals, &values, &defined, &time) == fmi3OK);
    return values;
}

static int step(Instance c, double t, double size)
{
    fmi3Boolean event, end, early;
    double last;
    return fmi3DoStep(c, t, size, fmi3True, &event, &end, &early, &last);
}
#endif

/* Euler's method with a small step; an event where the indicator has changed its sign. */
static void exchange(const char *token)
{
    Instance c = make(token, 0);
    double x[2], dx[2], z, before, t = 0.0;
    int events = 0, resets = 0;

    initialize(c);
    update(c);
    EXPECT(F(EnterContinuousTimeMode)(c) == 0);
    EXPECT(F(GetContinuousStates)(c, x, 2) == 0);
    EXPECT(F(GetEventIndicators)(c, &before, 1) == 0);
    EXPECT(F(GetEventIndicators)(c, &before, 2) != 0);
    EXPECT(F(GetEventIndicators)(c, NULL, 1) != 0);
    while (t < 1.0) {
        EXPECT(GetDerivatives(c, dx, 2) == 0);
        t += 1e-3;
        x[0] += 1e-3 * dx[0];
        x[1] += 1e-3 * dx[1];
        EXPECT(F(SetTime)(c, t) == 0);
        EXPECT(F(SetContinuousStates)(c, x, 2) == 0);
        EXPECT(F(GetEventIndicators)(c, &z, 1) == 0);
        if ((z > 0.0) != (before > 0.0)) {
            EXPECT(F(EnterEventMode)(c) == 0);
            resets += update(c) != 0;
            EXPECT(F(GetContinuousStates)(c, x, 2) == 0);
            EXPECT(F(EnterContinuousTimeMode)(c) == 0);
            EXPECT(F(GetEventIndicators)(c, &z, 1) == 0);
            ++events;
        }
        before = z;
    }
    EXPECT(resets == 1 && events == 2);
    F(FreeInstance)(c);
}

static void co_simulate(const char *token)
{
    Instance c = make(token, 1);
    State state = NULL;
    int k, round;

    initialize(c);
    for (round = 0; round < 2; ++round) {
        for (k = 0; k < 10; ++k) EXPECT(step(c, 0.1 * k, 0.1) == 0);
        EXPECT(GetState(c, &state) == 0);
        EXPECT(step(c, 1.0, 1.0) == 0);
        EXPECT(SetState(c, state) == 0);
        EXPECT(step(c, 1.0, 0.5) == 0);
        EXPECT(F(Reset)(c) == 0);
        initialize(c);
    }
    FreeState(c, &state);
    F(FreeInstance)(c);
}

int main(int argc, char **argv)
{
    if (argc < 2) return 2;
    exchange(argv[1]);
    co_simulate(argv[1]);
    return failures > 0;
}
