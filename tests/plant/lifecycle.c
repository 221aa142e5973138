/* A full FMI life cycle of the pendulum in tests/plant/models.py with right and wrong calls, linked
   with the sources in the FMU. Run under valgrind and with sanitizers. Arguments: token, and
   optionally a number of instantiate/free cycles, after which the growth of resident memory is
   printed in kB. */

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if CB_FMI == 2
#include "fmi2Functions.h"
typedef fmi2Component Instance;
typedef fmi2FMUstate State;
typedef char Byte;
#define F(name) fmi2##name
#define Real fmi2Real
#define GetState fmi2GetFMUstate
#define SetState fmi2SetFMUstate
#define FreeState fmi2FreeFMUstate
#define StateSize fmi2SerializedFMUstateSize
#define Serialize fmi2SerializeFMUstate
#define Deserialize fmi2DeSerializeFMUstate
#define GetDerivatives fmi2GetDerivatives
#define get_real(c, vr, n, v) fmi2GetReal(c, vr, n, v)
#define set_real(c, vr, n, v) fmi2SetReal(c, vr, n, v)
#else
#include "fmi3Functions.h"
typedef fmi3Instance Instance;
typedef fmi3FMUState State;
typedef fmi3Byte Byte;
#define F(name) fmi3##name
#define Real fmi3Float64
#define GetState fmi3GetFMUState
#define SetState fmi3SetFMUState
#define FreeState fmi3FreeFMUState
#define StateSize fmi3SerializedFMUStateSize
#define Serialize fmi3SerializeFMUState
#define Deserialize fmi3DeserializeFMUState
#define GetDerivatives fmi3GetContinuousStateDerivatives
#define get_real(c, vr, n, v) fmi3GetFloat64(c, vr, n, v, n)
#define set_real(c, vr, n, v) fmi3SetFloat64(c, vr, n, v, n)
#endif

#define OK 0
#define ERROR 3

/* Value references of the pendulum. */
enum { TIME, PHI, OMEGA, DER_PHI, DER_OMEGA, TAU, Y0, X, ENERGY, ALPHA, M, LENGTH, D, PHI0, METHOD };

static int failures = 0, messages = 0;

static void expect(int got, int wanted, const char *what, int line)
{
    if (got == wanted) return;
    fprintf(stderr, "line %d: %s is %d, not %d\n", line, what, got, wanted);
    ++failures;
}

#define EXPECT(call, status) expect((int)(call), status, #call, __LINE__)

#if CB_FMI == 2
static void log_message(void *environment, fmi2String name, fmi2Status status, fmi2String category,
                        fmi2String message, ...)
{
    char text[1000];
    va_list arguments;
    va_start(arguments, message);
    vsnprintf(text, sizeof text, message, arguments);
    va_end(arguments);
    (void)environment;
    if (!name || !category || status < fmi2OK || !text[0]) ++failures;
    ++messages;
}
#else
static void log_message(void *environment, fmi3Status status, fmi3String category,
                        fmi3String message)
{
    (void)environment;
    if (!category || status < fmi3OK || !message || !message[0]) ++failures;
    ++messages;
}
#endif

static Instance instantiate(const char *token, int co_simulation, int logging)
{
#if CB_FMI == 2
    static const fmi2CallbackFunctions callbacks = {log_message, calloc, free, NULL, NULL};
    return fmi2Instantiate("one", co_simulation ? fmi2CoSimulation : fmi2ModelExchange, token, "",
                           &callbacks, fmi2False, logging);
#else
    return co_simulation
               ? fmi3InstantiateCoSimulation("one", token, "", false, logging, false, false, NULL,
                                             0, NULL, log_message, NULL)
               : fmi3InstantiateModelExchange("one", token, "", false, logging, NULL, log_message);
#endif
}

static int enter(Instance c, double tolerance)
{
#if CB_FMI == 2
    const int status = fmi2SetupExperiment(c, 1, tolerance, 0.0, 1, 10.0);
    return status ? status : (int)fmi2EnterInitializationMode(c);
#else
    return (int)fmi3EnterInitializationMode(c, true, tolerance, 0.0, true, 10.0);
#endif
}

static int step(Instance c, double t, double h)
{
#if CB_FMI == 2
    return (int)fmi2DoStep(c, t, h, 0);
#else
    bool event, end, early;
    double last;
    return (int)fmi3DoStep(c, t, h, false, &event, &end, &early, &last);
#endif
}

static int directional(Instance c, const unsigned *unknowns, size_t n, const unsigned *knowns,
                       size_t m, const double *seed, double *sensitivity)
{
#if CB_FMI == 2
    return (int)fmi2GetDirectionalDerivative(c, unknowns, n, knowns, m, seed, sensitivity);
#else
    return (int)fmi3GetDirectionalDerivative(c, unknowns, n, knowns, m, seed, m, sensitivity, n);
#endif
}

static void set_method(Instance c, int method, int status)
{
    const unsigned vr[] = {METHOD};
#if CB_FMI == 2
    const int values[] = {method};
    EXPECT(fmi2SetInteger(c, vr, 1, values), status);
#else
    const int64_t values[] = {method};
    EXPECT(fmi3SetInt64(c, vr, 1, values, 1), status);
#endif
}

static void co_simulation(const char *token, int method)
{
    const unsigned outputs[] = {TIME, PHI, OMEGA, DER_PHI, DER_OMEGA, X, ENERGY, ALPHA};
    const unsigned tau[] = {TAU}, d[] = {D}, m[] = {M}, phi[] = {PHI}, knowns[] = {PHI, TAU, D, TIME};
    const unsigned unknowns[] = {DER_OMEGA, ENERGY, ALPHA}, unknown_vr[] = {1000000u};
    const double seed[] = {1, 2, 3, 4}, infinite[] = {INFINITY}, one[] = {1.0}, bad[] = {-1.0};
    double first[8], second[8], sensitivity[3];
    State state = NULL, copy = NULL;
    Byte *bytes;
    size_t size = 0;
    int i;
    Instance c = instantiate(token, 1, 1);

    if (!c) exit(2);
    set_method(c, method, OK);
    set_method(c, 7, ERROR);
    EXPECT(step(c, 0.0, 0.1), ERROR);
    EXPECT(set_real(c, m, 1, bad), ERROR);
    EXPECT(set_real(c, unknown_vr, 1, one), ERROR);
    EXPECT(get_real(c, unknown_vr, 1, first), ERROR);
    EXPECT(enter(c, -1.0), ERROR);
    EXPECT(enter(c, 1e-9), OK);
    EXPECT(directional(c, unknowns, 3, knowns + 1, 2, seed, sensitivity), OK);
    EXPECT(F(ExitInitializationMode)(c), OK);
    for (i = 0; i < 100; ++i) EXPECT(step(c, 0.01 * i, 0.01), OK);
    EXPECT(GetState(c, &state), OK);
    EXPECT(StateSize(c, state, &size), OK);
    bytes = malloc(size);
    EXPECT(Serialize(c, state, bytes, size - 1), ERROR);
    EXPECT(Serialize(c, state, bytes, size), OK);
    for (i = 0; i < 50; ++i) {
        EXPECT(set_real(c, tau, 1, one), OK);
        EXPECT(step(c, 1.0 + 0.02 * i, 0.02), OK);
    }
    EXPECT(get_real(c, outputs, 8, first), OK);
    EXPECT(Deserialize(c, bytes, size, &copy), OK);
    EXPECT(SetState(c, copy), OK);
    for (i = 0; i < 50; ++i) {
        EXPECT(set_real(c, tau, 1, one), OK);
        EXPECT(step(c, 1.0 + 0.02 * i, 0.02), OK);
    }
    EXPECT(get_real(c, outputs, 8, second), OK);
    EXPECT(memcmp(first, second, sizeof first), 0);
    bytes[size / 2] ^= 1;
    EXPECT(Deserialize(c, bytes, size, &copy), ERROR);
    EXPECT(SetState(c, NULL), ERROR);
    EXPECT(directional(c, unknowns, 3, knowns, 4, seed, sensitivity), OK);
    EXPECT(directional(c, knowns, 1, unknowns, 1, seed, sensitivity), ERROR);
    EXPECT(step(c, 2.0, 0.0), ERROR);
    EXPECT(step(c, 2.0, -0.1), ERROR);
    EXPECT(step(c, 2.0, NAN), ERROR);
    EXPECT(step(c, 5.0, 0.1), ERROR);
    EXPECT(step(c, 2.0, 100.0), ERROR);
    EXPECT(set_real(c, tau, 1, infinite), ERROR);
    EXPECT(set_real(c, m, 1, one), ERROR);
    EXPECT(set_real(c, phi, 1, one), ERROR);
    EXPECT(set_real(c, d, 1, one), OK);
    EXPECT(set_real(c, NULL, 1, one), ERROR);
    EXPECT(get_real(c, tau, 1, NULL), ERROR);
    EXPECT(F(ExitInitializationMode)(c), ERROR);
    EXPECT(step(c, 2.0, 0.5), OK);
    EXPECT(F(Terminate)(c), OK);
    EXPECT(step(c, 2.5, 0.5), ERROR);
    EXPECT(F(Reset)(c), OK);
    EXPECT(enter(c, 1e-6), OK);
    EXPECT(F(ExitInitializationMode)(c), OK);
    EXPECT(step(c, 0.0, 1.0), OK);
    EXPECT(FreeState(c, &state), OK);
    EXPECT(FreeState(c, &copy), OK);
    EXPECT(FreeState(c, &copy), OK);
    F(FreeInstance)(c);
    free(bytes);
}

static void model_exchange(const char *token)
{
    const unsigned outputs[] = {X, ENERGY, ALPHA}, m[] = {M}, d[] = {D};
    const double zero[] = {0.0}, two[] = {2.0}, nan_state[] = {NAN, 0.0};
    double x[2], dx[2], y[3];
    int i;
    Instance c = instantiate(token, 0, 0);

    if (!c) exit(2);
    EXPECT(set_real(c, m, 1, zero), OK); /* allowed by its min, but no plant */
    EXPECT(enter(c, 1e-6), OK);
    EXPECT(F(ExitInitializationMode)(c), ERROR);
    EXPECT(set_real(c, m, 1, two), OK);
    EXPECT(F(ExitInitializationMode)(c), OK);
    EXPECT(set_real(c, d, 1, two), OK);
    EXPECT(F(EnterContinuousTimeMode)(c), OK);
    EXPECT(set_real(c, d, 1, two), ERROR);
    EXPECT(F(GetContinuousStates)(c, x, 2), OK);
    for (i = 0; i < 100; ++i) {
        EXPECT(GetDerivatives(c, dx, 2), OK);
        x[0] += 0.01 * dx[0];
        x[1] += 0.01 * dx[1];
        EXPECT(F(SetTime)(c, 0.01 * (i + 1)), OK);
        EXPECT(F(SetContinuousStates)(c, x, 2), OK);
        EXPECT(get_real(c, outputs, 3, y), OK);
    }
    EXPECT(F(SetContinuousStates)(c, nan_state, 2), ERROR);
    EXPECT(F(SetContinuousStates)(c, x, 3), ERROR);
    EXPECT(F(SetTime)(c, NAN), ERROR);
    EXPECT(step(c, 1.0, 0.1), ERROR);
    EXPECT(F(EnterEventMode)(c), OK);
    EXPECT(F(Terminate)(c), OK);
    F(FreeInstance)(c);
}

#if CB_FMI == 3
/* Intermediate updates with right and wrong calls, early return, event mode. */
typedef struct {
    Instance c;
    const char *token;
    int calls, finished, stop;
    double last;
} Environment;

static void wrong_calls(Environment *e, int set)
{
    const unsigned energy[] = {ENERGY}, tau[] = {TAU}, unknown[] = {1000000u};
    const double one[] = {1.0}, infinite[] = {INFINITY};
    State state = NULL;
    double value;

    EXPECT(step(e->c, 0.0, 0.1), ERROR);
    EXPECT(get_real(e->c, energy, 1, &value), ERROR);
    EXPECT(get_real(e->c, unknown, 1, &value), ERROR);
    EXPECT(get_real(e->c, NULL, 1, &value), ERROR);
    EXPECT(set_real(e->c, unknown, 1, one), ERROR);
    EXPECT(set_real(e->c, tau, 1, set ? infinite : one), ERROR);
    EXPECT(fmi3GetFMUState(e->c, &state), ERROR);
    EXPECT(fmi3Reset(e->c), ERROR);
    EXPECT(fmi3Terminate(e->c), ERROR);
    EXPECT(fmi3EnterEventMode(e->c), ERROR);
    fmi3FreeInstance(e->c);
}

static void update(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean set,
                   fmi3Boolean get, fmi3Boolean finished, fmi3Boolean can_return,
                   fmi3Boolean *stop, fmi3Float64 *when)
{
    Environment *e = environment;
    const unsigned tau[] = {TAU}, seen[] = {PHI, ALPHA};
    const int orders[] = {1, 1};
    const double value[] = {5.0 * sin(3.0 * time)};
    double values[2];

    ++e->calls;
    if (e->calls < 40) wrong_calls(e, set); /* enough: valgrind is slow */
    EXPECT(time >= e->last, 1);
    EXPECT(get_real(e->c, seen, 2, values), get ? OK : ERROR);
    /* They use the same scratch memory as the integrator, in the midst of its step. */
    EXPECT(fmi3GetOutputDerivatives(e->c, seen, 2, orders, values, 2), get ? OK : ERROR);
    EXPECT(set_real(e->c, tau, 1, value), set ? OK : ERROR);
    if (finished) {
        e->last = time;
        ++e->finished;
    }
    *stop = can_return && e->stop;
    *when = time + 0.05;
}

static void intermediate(const char *token, int method)
{
    const unsigned required[] = {TAU, PHI, ALPHA}, m[] = {M}, results[] = {PHI, OMEGA};
    bool event, end, early, updates[5];
    double last = 0.0, t = 0.0, one[2], other[2], next;
    Environment e = {NULL, token, 0, 0, 0, 0.0};
    State state = NULL;

    EXPECT(fmi3InstantiateCoSimulation("one", token, "", false, true, true, true, m, 1, &e,
                                       log_message, update) == NULL, 1);
    EXPECT(fmi3InstantiateCoSimulation("one", token, "", false, true, true, true, NULL, 1, &e,
                                       log_message, update) == NULL, 1);
    e.c = fmi3InstantiateCoSimulation("one", token, "", false, true, true, true, required, 3, &e,
                                      log_message, update);
    if (!e.c) exit(2);
    set_method(e.c, method, OK);
    EXPECT(enter(e.c, 1e-7), OK);
    EXPECT(fmi3ExitInitializationMode(e.c), OK);
    EXPECT(step(e.c, 0.0, 0.1), ERROR);
    EXPECT(fmi3UpdateDiscreteStates(e.c, updates, updates + 1, updates + 2, updates + 3,
                                    updates + 4, &next), OK);
    EXPECT(fmi3EnterStepMode(e.c), OK);
    EXPECT(fmi3GetFMUState(e.c, &state), OK);
    EXPECT(step(e.c, 0.0, 1.0), OK);
    EXPECT(get_real(e.c, results, 2, one), OK);
    EXPECT(e.finished > 1 && e.calls > 4 * e.finished, 1);
    EXPECT(fmi3SetFMUState(e.c, state), OK);
    EXPECT(fmi3FreeFMUState(e.c, &state), OK);
    e.stop = 1;
    e.last = 0.0;
    do {
        EXPECT(fmi3DoStep(e.c, t, 1.0 - t, false, &event, &end, &early, &last), OK);
        EXPECT(last > t && event == false && early == (last < 1.0), 1);
        t = last;
        EXPECT(fmi3EnterEventMode(e.c), OK);
        EXPECT(fmi3UpdateDiscreteStates(e.c, updates, updates + 1, updates + 2, updates + 3,
                                        updates + 4, &next), OK);
        EXPECT(fmi3EnterStepMode(e.c), OK);
    } while (early);
    EXPECT(get_real(e.c, results, 2, other), OK);
    EXPECT(fabs(one[0] - other[0]) < 1e-5 && fabs(one[1] - other[1]) < 1e-5, 1);
    EXPECT(fmi3Reset(e.c), OK);
    EXPECT(enter(e.c, 1e-7), OK);
    EXPECT(fmi3Terminate(e.c), ERROR);
    fmi3FreeInstance(e.c);
}
#endif

static long resident_kb(void)
{
    long total = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%ld %ld", &total, &pages) != 2) pages = 0;
    fclose(file);
    return pages * 4;
}

static void cycles(const char *token, int n)
{
    long before = 0;
    int i;
    for (i = 0; i < n; ++i) {
        Instance c = instantiate(token, 1, 0);
        if (!c) exit(2);
        EXPECT(enter(c, 1e-6), OK);
        EXPECT(F(ExitInitializationMode)(c), OK);
        EXPECT(step(c, 0.0, 0.1), OK);
        F(FreeInstance)(c);
        if (i == n / 10) before = resident_kb();
    }
    printf("%ld\n", resident_kb() - before);
}

int main(int argc, char **argv)
{
    if (argc < 2) return 2;
    EXPECT(instantiate("wrong", 1, 1) == NULL, 1);
    EXPECT(instantiate(NULL, 1, 1) == NULL, 1);
    EXPECT(set_real(NULL, NULL, 0, NULL), ERROR);
    F(FreeInstance)(NULL);
    co_simulation(argv[1], 1);
    co_simulation(argv[1], 2);
    model_exchange(argv[1]);
#if CB_FMI == 3
    intermediate(argv[1], 1);
    intermediate(argv[1], 2);
#endif
    if (argc > 2) cycles(argv[1], atoi(argv[2]));
    if (messages < 20) ++failures;
    return failures ? 1 : 0;
}
