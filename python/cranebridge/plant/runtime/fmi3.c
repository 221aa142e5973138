/* FMI 3.0, where it differs from FMI 2.0 (fmi_common.h): what all interfaces have in common, and
   Model Exchange; Co-Simulation is in fmi3_co_simulation.c. Thin: checks of mode, then the shared
   core. */

#include "adjoint.h"
#include "algorithm.h"
#include "fmi3_access.h"
#include "fmi3Functions.h"

#include <stdlib.h>

#define CB_NAME(Name) fmi3##Name
/* Event mode is in both interfaces, but not all that Model Exchange may do there. */
#define CB_EXCHANGE(modes) (c->s.type == CB_MODEL_EXCHANGE ? (modes) : 0)
#define CB_GET(Type)                                                                              \
    fmi3Status fmi3Get##Type(void *instance, const fmi3ValueReference references[], size_t n,     \
                             fmi3##Type values[], size_t nValues)
#define CB_SET(Type)                                                                              \
    fmi3Status fmi3Set##Type(void *instance, const fmi3ValueReference references[], size_t n,     \
                             const fmi3##Type values[], size_t nValues)
#define CB_COUNT_VALUES                                                                           \
    if (check_counts(c, __func__, n, nValues) != CB_OK) return fmi3Error;
#define CB_IGNORE_VALUES                                                                          \
    (void)values;                                                                                 \
    (void)nValues;
#define CB_TO_INTEGER(number) (number)
#include "fmi_common.h"

static void emit_fmi3(const CbLog *log, CbStatus status, const char *category, const char *text)
{
    const fmi3LogMessageCallback logger = (fmi3LogMessageCallback)log->callback;
    logger(log->environment, as_status(status), category, text);
}

/* ---------------------------------------------------------------- life cycle */

const char *fmi3GetVersion(void)
{
    return fmi3Version;
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
    if (setup > CB_WARNING) return as_status(setup);
    entered = cb_enter_initialization(c, __func__);
    return as_status(entered > setup ? entered : setup);
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
    return as_status(cb_get_reals(c, __func__, valueReferences, nValues, values));
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                          size_t nValueReferences, const fmi3Float64 values[], size_t nValues)
{
    CB_ENTER(CB_BEFORE_RUN | CB_RUNNING | CB_INTERMEDIATE);
    if (check_counts(c, __func__, nValueReferences, nValues) != CB_OK ||
        cb_check_access(c, __func__, valueReferences, nValues, 1) != CB_OK) {
        return fmi3Error;
    }
    return as_status(cb_set_reals(c, __func__, valueReferences, nValues, values));
}

CB_INTEGERS(Int64)
CB_BOOLEANS(Boolean)
CB_NO_VARIABLES(Float32)
CB_NO_VARIABLES(Int8)
CB_NO_VARIABLES(UInt8)
CB_NO_VARIABLES(Int16)
CB_NO_VARIABLES(UInt16)
CB_NO_VARIABLES(Int32)
CB_NO_VARIABLES(UInt32)
CB_NO_VARIABLES(UInt64)
CB_NO_VARIABLES(String)

/* ---------------------------------------------------------------- what this FMU does not have */

static CbStatus not_supported(const CbInstance *c, const char *caller)
{
    return cb_error(c, "%s: this FMU does not support it.", caller);
}

/* What cannot be done uses no parameter but the instance, or the number of variables. */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

#define CB_NOT_SUPPORTED(Name, parameters)                                                        \
    CB_CALL(Name, parameters, CB_ANY_MODE, not_supported(c, __func__))
#define CB_NO_SUCH_TYPE(Name, parameters)                                                         \
    CB_CALL(Name, parameters, CB_ANY_MODE, cb_no_such_type(c, __func__, n))

/* providesPerElementDependencies is false: scalars' dependencies are all in the XML file. */
CB_NOT_SUPPORTED(GetNumberOfVariableDependencies,
                 (void *instance, fmi3ValueReference reference, size_t *nDependencies))
CB_NOT_SUPPORTED(GetVariableDependencies,
                 (void *instance, fmi3ValueReference dependent, size_t elementsOfDependent[],
                  fmi3ValueReference independents[], size_t elementsOfIndependents[],
                  fmi3DependencyKind kinds[], size_t nDependencies))
/* There are no structural parameters, no clocks to activate, no discrete states. */
CB_NOT_SUPPORTED(EnterConfigurationMode, (void *instance))
CB_NOT_SUPPORTED(ExitConfigurationMode, (void *instance))
CB_NOT_SUPPORTED(ActivateModelPartition,
                 (void *instance, fmi3ValueReference clock, fmi3Float64 activationTime))
CB_NOT_SUPPORTED(EvaluateDiscreteStates, (void *instance))

CB_NO_SUCH_TYPE(GetBinary, (void *instance, const fmi3ValueReference references[], size_t n,
                            size_t sizes[], fmi3Binary values[], size_t nValues))
CB_NO_SUCH_TYPE(SetBinary, (void *instance, const fmi3ValueReference references[], size_t n,
                            const size_t sizes[], const fmi3Binary values[], size_t nValues))
CB_NO_SUCH_TYPE(GetClock, (void *instance, const fmi3ValueReference references[], size_t n,
                           fmi3Clock values[]))
CB_NO_SUCH_TYPE(SetClock, (void *instance, const fmi3ValueReference references[], size_t n,
                           const fmi3Clock values[]))
CB_NO_SUCH_TYPE(GetIntervalDecimal,
                (void *instance, const fmi3ValueReference references[], size_t n,
                 fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]))
CB_NO_SUCH_TYPE(SetIntervalDecimal, (void *instance, const fmi3ValueReference references[],
                                     size_t n, const fmi3Float64 intervals[]))
CB_NO_SUCH_TYPE(GetIntervalFraction,
                (void *instance, const fmi3ValueReference references[], size_t n,
                 fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                 fmi3IntervalQualifier qualifiers[]))
CB_NO_SUCH_TYPE(SetIntervalFraction,
                (void *instance, const fmi3ValueReference references[], size_t n,
                 const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]))
CB_NO_SUCH_TYPE(GetShiftDecimal, (void *instance, const fmi3ValueReference references[], size_t n,
                                  fmi3Float64 shifts[]))
CB_NO_SUCH_TYPE(SetShiftDecimal, (void *instance, const fmi3ValueReference references[], size_t n,
                                  const fmi3Float64 shifts[]))
CB_NO_SUCH_TYPE(GetShiftFraction, (void *instance, const fmi3ValueReference references[], size_t n,
                                   fmi3UInt64 counters[], fmi3UInt64 resolutions[]))
CB_NO_SUCH_TYPE(SetShiftFraction,
                (void *instance, const fmi3ValueReference references[], size_t n,
                 const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]))

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* ---------------------------------------------------------------- state of the FMU */

CB_CALL(GetFMUState, (void *instance, fmi3FMUState *state), CB_ANY_MODE,
        cb_get_state(c, __func__, state))

CB_CALL(SetFMUState, (void *instance, fmi3FMUState state), CB_ANY_MODE,
        cb_set_state(c, __func__, state))

CB_CALL(FreeFMUState, (void *instance, fmi3FMUState *state), CB_ANY_MODE,
        cb_free_state(c, __func__, state))

CB_CALL(SerializedFMUStateSize, (void *instance, fmi3FMUState state, size_t *size), CB_ANY_MODE,
        cb_state_size(c, __func__, state, size))

CB_CALL(SerializeFMUState, (void *instance, fmi3FMUState state, fmi3Byte bytes[], size_t size),
        CB_ANY_MODE, cb_serialize(c, __func__, state, bytes, size))

CB_CALL(DeserializeFMUState,
        (void *instance, const fmi3Byte bytes[], size_t size, fmi3FMUState *state), CB_ANY_MODE,
        cb_deserialize(c, __func__, bytes, size, state))

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
    return as_status(cb_directional(c, __func__, unknowns, nUnknowns, knowns, nKnowns, seed,
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
    return as_status(cb_adjoint(c, __func__, unknowns, nUnknowns, knowns, nKnowns, seed,
                              sensitivity));
}

/* ---------------------------------------------------------------- events */

fmi3Status fmi3EnterEventMode(fmi3Instance instance)
{
    CB_ENTER(c->s.type == CB_CO_SIMULATION ? CB_STEP : CB_CONTINUOUS | CB_EVENT);
    if (c->s.type == CB_CO_SIMULATION && !c->master.events) {
        return as_status(cb_error(c, "%s: the instance was made with eventModeUsed = false.",
                                __func__));
    }
    cb_enter_event_mode(c);
    return fmi3OK;
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
        return as_status(cb_require_pointer(c, __func__, NULL, 1));
    }
    *discreteStatesNeedUpdate = fmi3False;
    *nominalsOfContinuousStatesChanged = fmi3False;
    status = cb_handle_event(c, __func__, &defined, nextEventTime);
    *nextEventTimeDefined = defined != 0;
    *terminateSimulation = c->s.ended != 0;
    *valuesOfContinuousStatesChanged = c->s.states_changed != 0;
    return as_status(status);
}

/* ---------------------------------------------------------------- Model Exchange */

CB_CALL(GetContinuousStateDerivatives, (void *instance, double derivatives[], size_t nx),
        CB_EVALUATED, cb_get_derivatives(c, __func__, derivatives, nx))

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
