/* FMI 3.0: what all interfaces have in common, and Model Exchange; Co-Simulation is in
   fmi3_co_simulation.c. Thin: checks of mode, then the shared core. */

#include "adjoint.h"
#include "algorithm.h"
#include "derivatives.h"
#include "events.h"
#include "fmi3_access.h"
#include "fmi3Functions.h"
#include "state.h"
#include "variables.h"

#include <stdlib.h>

/* A null handle has no logger to complain to. */
#define CB_ENTER(modes)                                                        \
    CbInstance *c = instance;                                                  \
    if (!c) return fmi3Error;                                                  \
    if (cb_require_mode(c, __func__, modes) != CB_OK) return fmi3Error

/* Event mode is in both interfaces, but not all that Model Exchange may do there. */
#define CB_EXCHANGE(modes) (c->s.type == CB_MODEL_EXCHANGE ? (modes) : 0)

static fmi3Status as_fmi3(CbStatus status)
{
    return (fmi3Status)status; /* CbStatus has the numbers of fmi3Status */
}

static void emit_fmi3(const CbLog *log, CbStatus status, const char *category, const char *text)
{
    const fmi3LogMessageCallback logger = (fmi3LogMessageCallback)log->callback;
    logger(log->environment, as_fmi3(status), category, text);
}

/* ---------------------------------------------------------------- life cycle */

const char *fmi3GetVersion(void)
{
    return fmi3Version;
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean loggingOn, size_t nCategories,
                               const fmi3String categories[])
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi3(cb_log_configure(&c->log, __func__, loggingOn, nCategories, categories));
}

static CbLog make_log(fmi3String name, fmi3Boolean on, fmi3InstanceEnvironment environment,
                      fmi3LogMessageCallback callback)
{
    CbLog log = {0};

    log.emit = emit_fmi3;
    log.callback = (void (*)(void))callback;
    log.environment = environment;
    log.instance_name = name ? name : "";
    cb_log_enable_all(&log, on);
    return log;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String instanceName, fmi3String instantiationToken,
                                          fmi3String resourcePath, fmi3Boolean visible,
                                          fmi3Boolean loggingOn,
                                          fmi3InstanceEnvironment instanceEnvironment,
                                          fmi3LogMessageCallback logMessage)
{
    const CbLog log = make_log(instanceName, loggingOn, instanceEnvironment, logMessage);

    (void)resourcePath; /* the FMU needs no resources */
    (void)visible;
    return cb_instantiate(CB_MODEL_EXCHANGE, instanceName, instantiationToken, &log);
}

fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
    fmi3Boolean visible, fmi3Boolean loggingOn, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage, fmi3ClockUpdateCallback clockUpdate,
    fmi3LockPreemptionCallback lockPreemption, fmi3UnlockPreemptionCallback unlockPreemption)
{
    const CbLog log = make_log(instanceName, loggingOn, instanceEnvironment, logMessage);

    (void)instantiationToken;
    (void)resourcePath;
    (void)visible;
    (void)clockUpdate;
    (void)lockPreemption;
    (void)unlockPreemption;
    cb_log(&log, CB_ERROR, CB_LOG_ERROR, "%s: Scheduled Execution is not supported.", __func__);
    return NULL;
}

void fmi3FreeInstance(fmi3Instance instance)
{
    CbInstance *c = instance;
    if (c && cb_require_mode(c, __func__, CB_ANY_MODE) == CB_OK) cb_free(c);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean toleranceDefined,
                                       fmi3Float64 tolerance, fmi3Float64 startTime,
                                       fmi3Boolean stopTimeDefined, fmi3Float64 stopTime)
{
    CbStatus setup, entered;
    CB_ENTER(CB_INSTANTIATED);
    setup = cb_setup_experiment(c, __func__, toleranceDefined, tolerance, startTime,
                                stopTimeDefined, stopTime);
    if (setup > CB_WARNING) return as_fmi3(setup);
    entered = cb_enter_initialization(c, __func__);
    return as_fmi3(entered > setup ? entered : setup);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
    CB_ENTER(CB_INITIALIZATION);
    return as_fmi3(cb_exit_initialization(c, __func__));
}

fmi3Status fmi3Terminate(fmi3Instance instance)
{
    CB_ENTER(CB_RUNNING);
    c->s.mode = CB_TERMINATED;
    return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance instance)
{
    CB_ENTER(CB_ANY_MODE);
    cb_reset(c);
    return fmi3OK;
}

/* ---------------------------------------------------------------- variables */

/* All variables are scalars: as many values as value references. */
static CbStatus check_counts(const CbInstance *c, const char *caller, size_t references,
                             size_t values)
{
    if (references == values) return CB_OK;
    return cb_error(c, "%s: %lu values for %lu scalar variables.", caller, (unsigned long)values,
                    (unsigned long)references);
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                          size_t nValueReferences, fmi3Float64 values[], size_t nValues)
{
    CB_ENTER(CB_ANY_MODE | CB_INTERMEDIATE);
    if (check_counts(c, __func__, nValueReferences, nValues) != CB_OK ||
        cb_check_access(c, __func__, valueReferences, nValues, 0) != CB_OK) {
        return fmi3Error;
    }
    return as_fmi3(cb_get_reals(c, __func__, valueReferences, nValues, values));
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                          size_t nValueReferences, const fmi3Float64 values[], size_t nValues)
{
    CB_ENTER(CB_BEFORE_RUN | CB_RUNNING | CB_INTERMEDIATE);
    if (check_counts(c, __func__, nValueReferences, nValues) != CB_OK ||
        cb_check_access(c, __func__, valueReferences, nValues, 1) != CB_OK) {
        return fmi3Error;
    }
    return as_fmi3(cb_set_reals(c, __func__, valueReferences, nValues, values));
}

fmi3Status fmi3GetInt64(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, fmi3Int64 values[], size_t nValues)
{
    size_t i;
    CB_ENTER(CB_ANY_MODE);
    if (check_counts(c, __func__, nValueReferences, nValues) != CB_OK ||
        cb_require_pointer(c, __func__, valueReferences, nValues) != CB_OK ||
        cb_require_pointer(c, __func__, values, nValues) != CB_OK) {
        return fmi3Error;
    }
    for (i = 0; i < nValues; ++i) {
        long long value = 0;
        if (cb_get_integer(c, __func__, valueReferences[i], &value) != CB_OK) return fmi3Error;
        values[i] = value;
    }
    return fmi3OK;
}

fmi3Status fmi3SetInt64(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, const fmi3Int64 values[], size_t nValues)
{
    size_t i;
    CB_ENTER(CB_BEFORE_RUN | CB_RUNNING);
    if (check_counts(c, __func__, nValueReferences, nValues) != CB_OK ||
        cb_require_pointer(c, __func__, valueReferences, nValues) != CB_OK ||
        cb_require_pointer(c, __func__, values, nValues) != CB_OK) {
        return fmi3Error;
    }
    for (i = 0; i < nValues; ++i) {
        if (cb_set_integer(c, __func__, valueReferences[i], values[i]) != CB_OK) return fmi3Error;
    }
    return fmi3OK;
}

fmi3Status fmi3GetBoolean(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                          size_t nValueReferences, fmi3Boolean values[], size_t nValues)
{
    size_t i;
    CB_ENTER(CB_ANY_MODE);
    if (check_counts(c, __func__, nValueReferences, nValues) != CB_OK ||
        cb_require_pointer(c, __func__, valueReferences, nValues) != CB_OK ||
        cb_require_pointer(c, __func__, values, nValues) != CB_OK) {
        return fmi3Error;
    }
    for (i = 0; i < nValues; ++i) {
        int value = 0;
        const CbStatus status = cb_get_boolean(c, __func__, valueReferences[i], &value);
        if (status != CB_OK) return as_fmi3(status);
        values[i] = value != 0;
    }
    return fmi3OK;
}

fmi3Status fmi3SetBoolean(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                          size_t nValueReferences, const fmi3Boolean values[], size_t nValues)
{
    size_t i;
    CB_ENTER(CB_BEFORE_RUN | CB_RUNNING);
    if (check_counts(c, __func__, nValueReferences, nValues) != CB_OK ||
        cb_require_pointer(c, __func__, valueReferences, nValues) != CB_OK ||
        cb_require_pointer(c, __func__, values, nValues) != CB_OK) {
        return fmi3Error;
    }
    for (i = 0; i < nValues; ++i) {
        if (cb_check_boolean(c, __func__, valueReferences[i]) != CB_OK) return fmi3Error;
    }
    for (i = 0; i < nValues; ++i) cb_set_boolean(c, valueReferences[i], values[i]);
    return fmi3OK;
}

/* The types that no variable has: asking for none of them is fine, asking for one is an error. */
#define CB_NO_VARIABLES(Type)                                                                     \
    fmi3Status fmi3Get##Type(fmi3Instance instance, const fmi3ValueReference valueReferences[],   \
                             size_t nValueReferences, fmi3##Type values[], size_t nValues)        \
    {                                                                                             \
        CB_ENTER(CB_ANY_MODE);                                                                    \
        (void)valueReferences;                                                                    \
        (void)values;                                                                             \
        (void)nValues;                                                                            \
        return as_fmi3(cb_no_such_type(c, __func__, nValueReferences));                           \
    }                                                                                             \
    fmi3Status fmi3Set##Type(fmi3Instance instance, const fmi3ValueReference valueReferences[],   \
                             size_t nValueReferences, const fmi3##Type values[], size_t nValues)  \
    {                                                                                             \
        CB_ENTER(CB_ANY_MODE);                                                                    \
        (void)valueReferences;                                                                    \
        (void)values;                                                                             \
        (void)nValues;                                                                            \
        return as_fmi3(cb_no_such_type(c, __func__, nValueReferences));                           \
    }

CB_NO_VARIABLES(Float32)
CB_NO_VARIABLES(Int8)
CB_NO_VARIABLES(UInt8)
CB_NO_VARIABLES(Int16)
CB_NO_VARIABLES(UInt16)
CB_NO_VARIABLES(Int32)
CB_NO_VARIABLES(UInt32)
CB_NO_VARIABLES(UInt64)
CB_NO_VARIABLES(String)

fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, size_t valueSizes[], fmi3Binary values[],
                         size_t nValues)
{
    CB_ENTER(CB_ANY_MODE);
    (void)valueReferences;
    (void)valueSizes;
    (void)values;
    (void)nValues;
    return as_fmi3(cb_no_such_type(c, __func__, nValueReferences));
}

fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, const size_t valueSizes[],
                         const fmi3Binary values[], size_t nValues)
{
    CB_ENTER(CB_ANY_MODE);
    (void)valueReferences;
    (void)valueSizes;
    (void)values;
    (void)nValues;
    return as_fmi3(cb_no_such_type(c, __func__, nValueReferences));
}

fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, fmi3Clock values[])
{
    CB_ENTER(CB_ANY_MODE);
    (void)valueReferences;
    (void)values;
    return as_fmi3(cb_no_such_type(c, __func__, nValueReferences));
}

fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, const fmi3Clock values[])
{
    CB_ENTER(CB_ANY_MODE);
    (void)valueReferences;
    (void)values;
    return as_fmi3(cb_no_such_type(c, __func__, nValueReferences));
}

/* ---------------------------------------------------------------- what this FMU does not have */

static fmi3Status not_supported(const CbInstance *c, const char *caller)
{
    return as_fmi3(cb_error(c, "%s: this FMU does not support it.", caller));
}

/* providesPerElementDependencies is false: scalars' dependencies are all in the XML file. */
fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance,
                                               fmi3ValueReference valueReference,
                                               size_t *nDependencies)
{
    CB_ENTER(CB_ANY_MODE);
    (void)valueReference;
    (void)nDependencies;
    return not_supported(c, __func__);
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance instance, fmi3ValueReference dependent,
                                       size_t elementIndicesOfDependent[],
                                       fmi3ValueReference independents[],
                                       size_t elementIndicesOfIndependents[],
                                       fmi3DependencyKind dependencyKinds[], size_t nDependencies)
{
    CB_ENTER(CB_ANY_MODE);
    (void)dependent;
    (void)elementIndicesOfDependent;
    (void)independents;
    (void)elementIndicesOfIndependents;
    (void)dependencyKinds;
    (void)nDependencies;
    return not_supported(c, __func__);
}

/* There are no structural parameters. */
fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance)
{
    CB_ENTER(CB_ANY_MODE);
    return not_supported(c, __func__);
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance)
{
    CB_ENTER(CB_ANY_MODE);
    return not_supported(c, __func__);
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance instance,
                                  const fmi3ValueReference valueReferences[],
                                  size_t nValueReferences, fmi3Float64 intervals[],
                                  fmi3IntervalQualifier qualifiers[])
{
    CB_ENTER(CB_ANY_MODE);
    (void)valueReferences;
    (void)intervals;
    (void)qualifiers;
    return as_fmi3(cb_no_such_type(c, __func__, nValueReferences));
}

fmi3Status fmi3GetIntervalFraction(fmi3Instance instance,
                                   const fmi3ValueReference valueReferences[],
                                   size_t nValueReferences, fmi3UInt64 counters[],
                                   fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[])
{
    CB_ENTER(CB_ANY_MODE);
    (void)valueReferences;
    (void)counters;
    (void)resolutions;
    (void)qualifiers;
    return as_fmi3(cb_no_such_type(c, __func__, nValueReferences));
}

fmi3Status fmi3GetShiftDecimal(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                               size_t nValueReferences, fmi3Float64 shifts[])
{
    CB_ENTER(CB_ANY_MODE);
    (void)valueReferences;
    (void)shifts;
    return as_fmi3(cb_no_such_type(c, __func__, nValueReferences));
}

fmi3Status fmi3GetShiftFraction(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                                size_t nValueReferences, fmi3UInt64 counters[],
                                fmi3UInt64 resolutions[])
{
    CB_ENTER(CB_ANY_MODE);
    (void)valueReferences;
    (void)counters;
    (void)resolutions;
    return as_fmi3(cb_no_such_type(c, __func__, nValueReferences));
}

fmi3Status fmi3SetIntervalDecimal(fmi3Instance instance,
                                  const fmi3ValueReference valueReferences[],
                                  size_t nValueReferences, const fmi3Float64 intervals[])
{
    CB_ENTER(CB_ANY_MODE);
    (void)valueReferences;
    (void)intervals;
    return as_fmi3(cb_no_such_type(c, __func__, nValueReferences));
}

fmi3Status fmi3SetIntervalFraction(fmi3Instance instance,
                                   const fmi3ValueReference valueReferences[],
                                   size_t nValueReferences, const fmi3UInt64 counters[],
                                   const fmi3UInt64 resolutions[])
{
    CB_ENTER(CB_ANY_MODE);
    (void)valueReferences;
    (void)counters;
    (void)resolutions;
    return as_fmi3(cb_no_such_type(c, __func__, nValueReferences));
}

fmi3Status fmi3SetShiftDecimal(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                               size_t nValueReferences, const fmi3Float64 shifts[])
{
    CB_ENTER(CB_ANY_MODE);
    (void)valueReferences;
    (void)shifts;
    return as_fmi3(cb_no_such_type(c, __func__, nValueReferences));
}

fmi3Status fmi3SetShiftFraction(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                                size_t nValueReferences, const fmi3UInt64 counters[],
                                const fmi3UInt64 resolutions[])
{
    CB_ENTER(CB_ANY_MODE);
    (void)valueReferences;
    (void)counters;
    (void)resolutions;
    return as_fmi3(cb_no_such_type(c, __func__, nValueReferences));
}

fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference clockReference,
                                      fmi3Float64 activationTime)
{
    CB_ENTER(CB_ANY_MODE);
    (void)clockReference;
    (void)activationTime;
    return not_supported(c, __func__);
}

/* ---------------------------------------------------------------- state of the FMU */

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *FMUState)
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi3(cb_get_state(c, __func__, FMUState));
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState FMUState)
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi3(cb_set_state(c, __func__, FMUState));
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *FMUState)
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi3(cb_free_state(c, __func__, FMUState));
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState FMUState, size_t *size)
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi3(cb_state_size(c, __func__, FMUState, size));
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState FMUState,
                                 fmi3Byte serializedState[], size_t size)
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi3(cb_serialize(c, __func__, FMUState, serializedState, size));
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte serializedState[],
                                   size_t size, fmi3FMUState *FMUState)
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi3(cb_deserialize(c, __func__, serializedState, size, FMUState));
}

/* ---------------------------------------------------------------- partial derivatives */

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                        size_t nUnknowns, const fmi3ValueReference knowns[],
                                        size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                        fmi3Float64 sensitivity[], size_t nSensitivity)
{
    CB_ENTER(CB_INITIALIZATION | CB_RUNNING | CB_TERMINATED);
    if (check_counts(c, __func__, nKnowns, nSeed) != CB_OK ||
        check_counts(c, __func__, nUnknowns, nSensitivity) != CB_OK) {
        return fmi3Error;
    }
    return as_fmi3(cb_directional(c, __func__, unknowns, nUnknowns, knowns, nKnowns, seed,
                                  sensitivity));
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                    size_t nUnknowns, const fmi3ValueReference knowns[],
                                    size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                    fmi3Float64 sensitivity[], size_t nSensitivity)
{
    CB_ENTER(CB_INITIALIZATION | CB_RUNNING | CB_TERMINATED);
    if (check_counts(c, __func__, nUnknowns, nSeed) != CB_OK ||
        check_counts(c, __func__, nKnowns, nSensitivity) != CB_OK) {
        return fmi3Error;
    }
    return as_fmi3(cb_adjoint(c, __func__, unknowns, nUnknowns, knowns, nKnowns, seed,
                              sensitivity));
}

/* ---------------------------------------------------------------- events */

fmi3Status fmi3EnterEventMode(fmi3Instance instance)
{
    CB_ENTER(c->s.type == CB_CO_SIMULATION ? CB_STEP : CB_CONTINUOUS | CB_EVENT);
    if (c->s.type == CB_CO_SIMULATION && !c->master.events) {
        return as_fmi3(cb_error(c, "%s: the instance was made with eventModeUsed = false.",
                                __func__));
    }
    cb_enter_event_mode(c);
    return fmi3OK;
}

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance)
{
    CB_ENTER(CB_ANY_MODE);
    return not_supported(c, __func__);
}

/* Iterated here until nothing changes: one call is enough. */
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *discreteStatesNeedUpdate,
                                    fmi3Boolean *terminateSimulation,
                                    fmi3Boolean *nominalsOfContinuousStatesChanged,
                                    fmi3Boolean *valuesOfContinuousStatesChanged,
                                    fmi3Boolean *nextEventTimeDefined, fmi3Float64 *nextEventTime)
{
    CbStatus status;
    int defined;
    CB_ENTER(CB_EVENT);
    if (!discreteStatesNeedUpdate || !terminateSimulation || !nominalsOfContinuousStatesChanged ||
        !valuesOfContinuousStatesChanged || !nextEventTimeDefined || !nextEventTime) {
        return as_fmi3(cb_require_pointer(c, __func__, NULL, 1));
    }
    *discreteStatesNeedUpdate = fmi3False;
    *nominalsOfContinuousStatesChanged = fmi3False;
    status = cb_handle_event(c, __func__, &defined, nextEventTime);
    *nextEventTimeDefined = defined != 0;
    *terminateSimulation = c->s.ended != 0;
    *valuesOfContinuousStatesChanged = c->s.states_changed != 0;
    return as_fmi3(status);
}

/* ---------------------------------------------------------------- Model Exchange */

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance)
{
    CB_ENTER(CB_EXCHANGE(CB_EVENT));
    c->s.mode = CB_CONTINUOUS;
    return fmi3OK;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance,
                                       fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi3Boolean *enterEventMode,
                                       fmi3Boolean *terminateSimulation)
{
    CB_ENTER(CB_CONTINUOUS);
    (void)noSetFMUStatePriorToCurrentPoint;
    if (cb_require_pointer(c, __func__, enterEventMode, 1) != CB_OK ||
        cb_require_pointer(c, __func__, terminateSimulation, 1) != CB_OK) {
        return fmi3Error;
    }
    *enterEventMode = fmi3False;
    *terminateSimulation = fmi3False;
    return as_fmi3(cb_complete_step(c, __func__));
}

fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time)
{
    CB_ENTER(CB_EXCHANGE(CB_CONTINUOUS | CB_EVENT));
    return as_fmi3(cb_set_time(c, __func__, time));
}

fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 continuousStates[],
                                   size_t nContinuousStates)
{
    CB_ENTER(CB_CONTINUOUS);
    return as_fmi3(cb_set_states(c, __func__, continuousStates, nContinuousStates));
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 derivatives[],
                                             size_t nContinuousStates)
{
    CB_ENTER(CB_INITIALIZATION | CB_EVENT | CB_CONTINUOUS | CB_TERMINATED);
    return as_fmi3(cb_get_derivatives(c, __func__, derivatives, nContinuousStates));
}

fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 eventIndicators[],
                                  size_t nEventIndicators)
{
    CB_ENTER(CB_INITIALIZATION | CB_EVENT | CB_CONTINUOUS | CB_TERMINATED);
    return as_fmi3(cb_get_indicators(c, __func__, eventIndicators, nEventIndicators));
}

fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 continuousStates[],
                                   size_t nContinuousStates)
{
    CB_ENTER(CB_INITIALIZATION | CB_EVENT | CB_CONTINUOUS | CB_TERMINATED);
    return as_fmi3(cb_get_states(c, __func__, continuousStates, nContinuousStates));
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 nominals[],
                                             size_t nContinuousStates)
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi3(cb_get_nominals(c, __func__, nominals, nContinuousStates));
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *nEventIndicators)
{
    CB_ENTER(CB_ANY_MODE);
    if (cb_require_pointer(c, __func__, nEventIndicators, 1) != CB_OK) return fmi3Error;
    *nEventIndicators = c->model->events ? c->model->events->nz : 0;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *nContinuousStates)
{
    CB_ENTER(CB_ANY_MODE);
    if (cb_require_pointer(c, __func__, nContinuousStates, 1) != CB_OK) return fmi3Error;
    *nContinuousStates = c->model->nx;
    return fmi3OK;
}
