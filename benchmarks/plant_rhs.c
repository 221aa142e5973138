/* Time of one right-hand side through FMI 3 Model Exchange: set the states, get the derivatives.
   Arguments: shared library, instantiation token, number of evaluations, and value references of
   inputs, if these and the time are to be set too. Prints nanoseconds. */

#define _POSIX_C_SOURCE 199309L

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fmi3FunctionTypes.h"

static void *library;

/* POSIX returns functions as object pointers; copying the bytes is the documented way around. */
#define LOAD(name)                                                                                \
    fmi3##name##TYPE *name;                                                                       \
    *(void **)&name = dlsym(library, "fmi3" #name);                                               \
    if (!name) return 2

static void ignore(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                   fmi3String message)
{
    (void)environment;
    (void)status;
    (void)category;
    fprintf(stderr, "%s\n", message);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    double x[64], dx[64], u[16] = {0.0}, start, sum = 0.0;
    fmi3ValueReference input[16];
    size_t nx, nu = 0;
    long i, n;
    fmi3Instance c;

    if (argc < 4 || !(library = dlopen(argv[1], RTLD_NOW))) return 2;
    LOAD(InstantiateModelExchange);
    LOAD(EnterInitializationMode);
    LOAD(ExitInitializationMode);
    LOAD(EnterContinuousTimeMode);
    LOAD(GetNumberOfContinuousStates);
    LOAD(GetContinuousStates);
    LOAD(SetTime);
    LOAD(SetFloat64);
    LOAD(SetContinuousStates);
    LOAD(GetContinuousStateDerivatives);
    LOAD(FreeInstance);
    c = InstantiateModelExchange("one", argv[2], "", false, false, NULL, ignore);
    if (!c || EnterInitializationMode(c, false, 0.0, 0.0, false, 0.0) != fmi3OK ||
        ExitInitializationMode(c) != fmi3OK || EnterContinuousTimeMode(c) != fmi3OK ||
        GetNumberOfContinuousStates(c, &nx) != fmi3OK || nx > 64 ||
        GetContinuousStates(c, x, nx) != fmi3OK) {
        return 3;
    }
    n = atol(argv[3]);
    for (; nu < 16 && 4 + (int)nu < argc; ++nu) {
        input[nu] = (fmi3ValueReference)atol(argv[4 + nu]);
    }
    start = now();
    for (i = 0; i < n; ++i) {
        x[0] += 1e-9;
        if (nu) {
            if (SetTime(c, 1e-3 * (double)i) != fmi3OK) return 4;
            if (SetFloat64(c, input, nu, u, nu) != fmi3OK) return 4;
        }
        if (SetContinuousStates(c, x, nx) != fmi3OK) return 4;
        if (GetContinuousStateDerivatives(c, dx, nx) != fmi3OK) return 4;
        sum += dx[nx - 1];
    }
    printf("%.3f %.17g\n", (now() - start) / (double)n, sum / (double)n);
    FreeInstance(c);
    return 0;
}
