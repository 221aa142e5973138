/* What FMI 2.0 and FMI 3.0 have alike, written once: functions that check the mode and call the
   shared core, and the functions that get and set variables by type.

   Included by fmi2.c or fmi3.c, which say first how things are called and done in their version:

   CB_NAME(Name)              its function, type or constant of that name
   CB_EXCHANGE(modes)         modes of functions that are for Model Exchange
   CB_GET(Type), CB_SET(Type) the head of a function that gets or sets variables, with the
                              parameters instance, references, n and values
   CB_COUNT_VALUES            checks that there are n values; CB_IGNORE_VALUES uses none
   CB_TO_INTEGER(number)      makes a value of the type of its whole numbers */

#ifndef CB_FMI_COMMON_H
#define CB_FMI_COMMON_H

#include "derivatives.h"
#include "events.h"
#include "state.h"
#include "variables.h"

/* A null handle has no logger to complain to. */
#define CB_ENTER(modes)                                                                           \
    CbInstance *c = instance;                                                                     \
    if (!c) return CB_NAME(Error);                                                                \
    if (cb_require_mode(c, __func__, modes) != CB_OK) return CB_NAME(Error)

/* A function of the standard that is a call of the core, which takes `c` and `__func__`. */
#define CB_CALL(Name, parameters, modes, call)                                                    \
    CB_NAME(Status) CB_NAME(Name) parameters                                                      \
    {                                                                                             \
        CB_ENTER(modes);                                                                          \
        return as_status(call);                                                                   \
    }

enum { CB_EVALUATED = CB_INITIALIZATION | CB_EVENT | CB_CONTINUOUS | CB_TERMINATED };

static CB_NAME(Status) as_status(CbStatus status)
{
    return (CB_NAME(Status))status; /* CbStatus has the numbers of both versions */
}

/* ---------------------------------------------------------------- variables by type */

#define CB_REQUIRE_VALUES                                                                         \
    if (cb_require_pointer(c, __func__, references, n) != CB_OK ||                                \
        cb_require_pointer(c, __func__, values, n) != CB_OK) {                                    \
        return CB_NAME(Error);                                                                    \
    }

#define CB_INTEGERS(Type)                                                                         \
    CB_GET(Type)                                                                                  \
    {                                                                                             \
        size_t i;                                                                                 \
        CB_ENTER(CB_ANY_MODE);                                                                    \
        CB_COUNT_VALUES                                                                           \
        CB_REQUIRE_VALUES                                                                         \
        for (i = 0; i < n; ++i) {                                                                 \
            long long number = 0;                                                                 \
            if (cb_get_integer(c, __func__, references[i], &number) != CB_OK) {                   \
                return CB_NAME(Error);                                                            \
            }                                                                                     \
            values[i] = CB_TO_INTEGER(number);                                                    \
        }                                                                                         \
        return CB_NAME(OK);                                                                       \
    }                                                                                             \
    CB_SET(Type)                                                                                  \
    {                                                                                             \
        size_t i;                                                                                 \
        CB_ENTER(CB_BEFORE_RUN | CB_RUNNING);                                                     \
        CB_COUNT_VALUES                                                                           \
        CB_REQUIRE_VALUES                                                                         \
        for (i = 0; i < n; ++i) {                                                                 \
            if (cb_set_integer(c, __func__, references[i], values[i]) != CB_OK) {                 \
                return CB_NAME(Error);                                                            \
            }                                                                                     \
        }                                                                                         \
        return CB_NAME(OK);                                                                       \
    }

#define CB_BOOLEANS(Type)                                                                         \
    CB_GET(Type)                                                                                  \
    {                                                                                             \
        size_t i;                                                                                 \
        CB_ENTER(CB_ANY_MODE);                                                                    \
        CB_COUNT_VALUES                                                                           \
        CB_REQUIRE_VALUES                                                                         \
        for (i = 0; i < n; ++i) {                                                                 \
            int number = 0;                                                                       \
            const CbStatus status = cb_get_boolean(c, __func__, references[i], &number);          \
            if (status != CB_OK) return as_status(status);                                        \
            values[i] = number != 0;                                                              \
        }                                                                                         \
        return CB_NAME(OK);                                                                       \
    }                                                                                             \
    CB_SET(Type)                                                                                  \
    {                                                                                             \
        size_t i;                                                                                 \
        CB_ENTER(CB_BEFORE_RUN | CB_RUNNING);                                                     \
        CB_COUNT_VALUES                                                                           \
        CB_REQUIRE_VALUES                                                                         \
        for (i = 0; i < n; ++i) {                                                                 \
            if (cb_check_boolean(c, __func__, references[i]) != CB_OK) return CB_NAME(Error);     \
        }                                                                                         \
        for (i = 0; i < n; ++i) cb_set_boolean(c, references[i], values[i]);                      \
        return CB_NAME(OK);                                                                       \
    }

/* A type that no variable has: asking for none of them is fine, asking for one is an error. */
#define CB_NO_VARIABLES(Type)                                                                     \
    CB_GET(Type)                                                                                  \
    {                                                                                             \
        CB_ENTER(CB_ANY_MODE);                                                                    \
        (void)references;                                                                         \
        CB_IGNORE_VALUES                                                                          \
        return as_status(cb_no_such_type(c, __func__, n));                                        \
    }                                                                                             \
    CB_SET(Type)                                                                                  \
    {                                                                                             \
        CB_ENTER(CB_ANY_MODE);                                                                    \
        (void)references;                                                                         \
        CB_IGNORE_VALUES                                                                          \
        return as_status(cb_no_such_type(c, __func__, n));                                        \
    }

/* ---------------------------------------------------------------- life cycle */

CB_CALL(SetDebugLogging,
        (void *instance, CB_NAME(Boolean) loggingOn, size_t nCategories,
         const CB_NAME(String) categories[]),
        CB_ANY_MODE, cb_log_configure(&c->log, __func__, loggingOn, nCategories, categories))

CB_CALL(ExitInitializationMode, (void *instance), CB_INITIALIZATION,
        cb_exit_initialization(c, __func__))

CB_NAME(Status) CB_NAME(Terminate)(void *instance)
{
    CB_ENTER(CB_RUNNING);
    c->s.mode = CB_TERMINATED;
    return CB_NAME(OK);
}

CB_NAME(Status) CB_NAME(Reset)(void *instance)
{
    CB_ENTER(CB_ANY_MODE);
    cb_reset(c);
    return CB_NAME(OK);
}

/* ---------------------------------------------------------------- Model Exchange */

CB_NAME(Status) CB_NAME(EnterContinuousTimeMode)(void *instance)
{
    CB_ENTER(CB_EXCHANGE(CB_EVENT));
    c->s.mode = CB_CONTINUOUS;
    return CB_NAME(OK);
}

CB_NAME(Status)
CB_NAME(CompletedIntegratorStep)(void *instance, CB_NAME(Boolean) noSetFMUStatePriorToCurrentPoint,
                                 CB_NAME(Boolean) *enterEventMode,
                                 CB_NAME(Boolean) *terminateSimulation)
{
    CB_ENTER(CB_CONTINUOUS);
    (void)noSetFMUStatePriorToCurrentPoint;
    if (cb_require_pointer(c, __func__, enterEventMode, 1) != CB_OK ||
        cb_require_pointer(c, __func__, terminateSimulation, 1) != CB_OK) {
        return CB_NAME(Error);
    }
    *enterEventMode = CB_NAME(False);
    *terminateSimulation = CB_NAME(False);
    return as_status(cb_complete_step(c, __func__));
}

CB_CALL(SetTime, (void *instance, double time), CB_EXCHANGE(CB_CONTINUOUS | CB_EVENT),
        cb_set_time(c, __func__, time))

CB_CALL(SetContinuousStates, (void *instance, const double x[], size_t nx), CB_CONTINUOUS,
        cb_set_states(c, __func__, x, nx))

CB_CALL(GetContinuousStates, (void *instance, double x[], size_t nx), CB_EVALUATED,
        cb_get_states(c, __func__, x, nx))

CB_CALL(GetEventIndicators, (void *instance, double indicators[], size_t nz), CB_EVALUATED,
        cb_get_indicators(c, __func__, indicators, nz))

CB_CALL(GetNominalsOfContinuousStates, (void *instance, double nominals[], size_t nx), CB_ANY_MODE,
        cb_get_nominals(c, __func__, nominals, nx))

#endif
