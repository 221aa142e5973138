/* FMI 2.0: Model Exchange and Co-Simulation. Thin: checks of mode, then the shared core. */

#include "algorithm.h"
#include "derivatives.h"
#include "events.h"
#include "fmi2Functions.h"
#include "input_derivatives.h"
#include "integrator.h"
#include "state.h"
#include "variables.h"

#include <limits.h>
#include <stdlib.h>

/* A null handle has no logger to complain to. */
#define CB_ENTER(modes)                                                        \
    CbInstance *c = component;                                                 \
    if (!c) return fmi2Error;                                                  \
    if (cb_require_mode(c, __func__, modes) != CB_OK) return fmi2Error

static fmi2Status as_fmi2(CbStatus status)
{
    return (fmi2Status)status; /* CbStatus has the numbers of fmi2Status */
}

/* The message is a format: a lone percent sign in it must not ask for arguments. */
static void emit_fmi2(const CbLog *log, CbStatus status, const char *category, const char *text)
{
    const fmi2CallbackLogger logger = (fmi2CallbackLogger)log->callback;
    char format[1100];
    size_t n = 0;

    for (; *text && n + 3 < sizeof format; ++text) {
        format[n++] = *text;
        if (*text == '%') format[n++] = '%';
    }
    format[n] = '\0';
    logger(log->environment, log->instance_name, as_fmi2(status), category, format);
}

/* ---------------------------------------------------------------- common functions */

const char *fmi2GetTypesPlatform(void)
{
    return fmi2TypesPlatform;
}

const char *fmi2GetVersion(void)
{
    return fmi2Version;
}

fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[])
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi2(cb_log_configure(&c->log, __func__, loggingOn, nCategories, categories));
}

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,
                              fmi2String fmuResourceLocation,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean loggingOn)
{
    CbLog log = {0};

    (void)fmuResourceLocation; /* the FMU needs no resources */
    (void)visible;
    log.emit = emit_fmi2;
    log.instance_name = instanceName ? instanceName : "";
    if (functions) {
        log.callback = (void (*)(void))functions->logger;
        log.environment = functions->componentEnvironment;
    }
    cb_log_enable_all(&log, loggingOn != fmi2False);
    if (fmuType != fmi2ModelExchange && fmuType != fmi2CoSimulation) {
        cb_log(&log, CB_ERROR, CB_LOG_ERROR, "%s: unknown FMU type.", __func__);
        return NULL;
    }
    return cb_instantiate(fmuType == fmi2CoSimulation ? CB_CO_SIMULATION : CB_MODEL_EXCHANGE,
                          instanceName, fmuGUID, &log);
}

void fmi2FreeInstance(fmi2Component component)
{
    cb_free(component);
}

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean toleranceDefined,
                               fmi2Real tolerance, fmi2Real startTime, fmi2Boolean stopTimeDefined,
                               fmi2Real stopTime)
{
    CB_ENTER(CB_INSTANTIATED);
    return as_fmi2(cb_setup_experiment(c, __func__, toleranceDefined, tolerance, startTime,
                                       stopTimeDefined, stopTime));
}

fmi2Status fmi2EnterInitializationMode(fmi2Component component)
{
    CB_ENTER(CB_INSTANTIATED);
    return as_fmi2(cb_enter_initialization(c, __func__));
}

fmi2Status fmi2ExitInitializationMode(fmi2Component component)
{
    CB_ENTER(CB_INITIALIZATION);
    return as_fmi2(cb_exit_initialization(c, __func__));
}

fmi2Status fmi2Terminate(fmi2Component component)
{
    CB_ENTER(CB_RUNNING);
    c->s.mode = CB_TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component component)
{
    CB_ENTER(CB_ANY_MODE);
    cb_reset(c);
    return fmi2OK;
}

/* ---------------------------------------------------------------- variables */

fmi2Status fmi2GetReal(fmi2Component component, const fmi2ValueReference vr[], size_t nvr,
                       fmi2Real value[])
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi2(cb_get_reals(c, __func__, vr, nvr, value));
}

fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference vr[], size_t nvr,
                       const fmi2Real value[])
{
    CB_ENTER(CB_BEFORE_RUN | CB_RUNNING);
    return as_fmi2(cb_set_reals(c, __func__, vr, nvr, value));
}

fmi2Status fmi2GetInteger(fmi2Component component, const fmi2ValueReference vr[], size_t nvr,
                          fmi2Integer value[])
{
    size_t i;
    CB_ENTER(CB_ANY_MODE);
    if (cb_require_pointer(c, __func__, vr, nvr) != CB_OK ||
        cb_require_pointer(c, __func__, value, nvr) != CB_OK) {
        return fmi2Error;
    }
    for (i = 0; i < nvr; ++i) {
        long long v = 0;
        if (cb_get_integer(c, __func__, vr[i], &v) != CB_OK) return fmi2Error;
        value[i] = v > INT_MAX ? INT_MAX : (fmi2Integer)v;
    }
    return fmi2OK;
}

fmi2Status fmi2SetInteger(fmi2Component component, const fmi2ValueReference vr[], size_t nvr,
                          const fmi2Integer value[])
{
    size_t i;
    CB_ENTER(CB_BEFORE_RUN | CB_RUNNING);
    if (cb_require_pointer(c, __func__, vr, nvr) != CB_OK ||
        cb_require_pointer(c, __func__, value, nvr) != CB_OK) {
        return fmi2Error;
    }
    for (i = 0; i < nvr; ++i) {
        if (cb_set_integer(c, __func__, vr[i], value[i]) != CB_OK) return fmi2Error;
    }
    return fmi2OK;
}

fmi2Status fmi2GetBoolean(fmi2Component component, const fmi2ValueReference vr[], size_t nvr,
                          fmi2Boolean value[])
{
    size_t i;
    CB_ENTER(CB_ANY_MODE);
    if (cb_require_pointer(c, __func__, vr, nvr) != CB_OK ||
        cb_require_pointer(c, __func__, value, nvr) != CB_OK) {
        return fmi2Error;
    }
    for (i = 0; i < nvr; ++i) {
        const CbStatus status = cb_get_boolean(c, __func__, vr[i], &value[i]);
        if (status != CB_OK) return as_fmi2(status);
    }
    return fmi2OK;
}

fmi2Status fmi2SetBoolean(fmi2Component component, const fmi2ValueReference vr[], size_t nvr,
                          const fmi2Boolean value[])
{
    size_t i;
    CB_ENTER(CB_BEFORE_RUN | CB_RUNNING);
    if (cb_require_pointer(c, __func__, vr, nvr) != CB_OK ||
        cb_require_pointer(c, __func__, value, nvr) != CB_OK) {
        return fmi2Error;
    }
    for (i = 0; i < nvr; ++i) {
        if (cb_check_boolean(c, __func__, vr[i]) != CB_OK) return fmi2Error;
    }
    for (i = 0; i < nvr; ++i) cb_set_boolean(c, vr[i], value[i]);
    return fmi2OK;
}

fmi2Status fmi2GetString(fmi2Component component, const fmi2ValueReference vr[], size_t nvr,
                         fmi2String value[])
{
    CB_ENTER(CB_ANY_MODE);
    (void)vr;
    (void)value;
    return as_fmi2(cb_no_such_type(c, __func__, nvr));
}

fmi2Status fmi2SetString(fmi2Component component, const fmi2ValueReference vr[], size_t nvr,
                         const fmi2String value[])
{
    CB_ENTER(CB_ANY_MODE);
    (void)vr;
    (void)value;
    return as_fmi2(cb_no_such_type(c, __func__, nvr));
}

/* ---------------------------------------------------------------- state of the FMU */

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate *FMUstate)
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi2(cb_get_state(c, __func__, FMUstate));
}

fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate FMUstate)
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi2(cb_set_state(c, __func__, FMUstate));
}

fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate *FMUstate)
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi2(cb_free_state(c, __func__, FMUstate));
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate FMUstate, size_t *size)
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi2(cb_state_size(c, __func__, FMUstate, size));
}

fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate FMUstate,
                                 fmi2Byte serializedState[], size_t size)
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi2(cb_serialize(c, __func__, FMUstate, (unsigned char *)serializedState, size));
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte serializedState[],
                                   size_t size, fmi2FMUstate *FMUstate)
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi2(cb_deserialize(c, __func__, (const unsigned char *)serializedState, size,
                                  FMUstate));
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component component,
                                        const fmi2ValueReference vUnknown_ref[], size_t nUnknown,
                                        const fmi2ValueReference vKnown_ref[], size_t nKnown,
                                        const fmi2Real dvKnown[], fmi2Real dvUnknown[])
{
    CB_ENTER(CB_INITIALIZATION | CB_RUNNING | CB_TERMINATED);
    return as_fmi2(cb_directional(c, __func__, vUnknown_ref, nUnknown, vKnown_ref, nKnown, dvKnown,
                                  dvUnknown));
}

/* ---------------------------------------------------------------- Model Exchange */

fmi2Status fmi2EnterEventMode(fmi2Component component)
{
    CB_ENTER(CB_CONTINUOUS | CB_EVENT);
    cb_enter_event_mode(c);
    return fmi2OK;
}

/* Iterated here until nothing changes: one call is enough. */
fmi2Status fmi2NewDiscreteStates(fmi2Component component, fmi2EventInfo *eventInfo)
{
    CbStatus status;
    int defined;
    CB_ENTER(CB_EVENT);
    if (cb_require_pointer(c, __func__, eventInfo, 1) != CB_OK) return fmi2Error;
    eventInfo->newDiscreteStatesNeeded = fmi2False;
    eventInfo->nominalsOfContinuousStatesChanged = fmi2False;
    status = cb_handle_event(c, __func__, &defined, &eventInfo->nextEventTime);
    eventInfo->nextEventTimeDefined = defined ? fmi2True : fmi2False;
    eventInfo->terminateSimulation = c->s.ended ? fmi2True : fmi2False;
    eventInfo->valuesOfContinuousStatesChanged = c->s.states_changed ? fmi2True : fmi2False;
    return as_fmi2(status);
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component component)
{
    CB_ENTER(CB_EVENT);
    c->s.mode = CB_CONTINUOUS;
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component component,
                                       fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi2Boolean *enterEventMode,
                                       fmi2Boolean *terminateSimulation)
{
    CB_ENTER(CB_CONTINUOUS);
    (void)noSetFMUStatePriorToCurrentPoint;
    if (cb_require_pointer(c, __func__, enterEventMode, 1) != CB_OK ||
        cb_require_pointer(c, __func__, terminateSimulation, 1) != CB_OK) {
        return fmi2Error;
    }
    *enterEventMode = fmi2False;
    *terminateSimulation = fmi2False;
    return as_fmi2(cb_complete_step(c, __func__));
}

fmi2Status fmi2SetTime(fmi2Component component, fmi2Real time)
{
    CB_ENTER(CB_CONTINUOUS | CB_EVENT);
    return as_fmi2(cb_set_time(c, __func__, time));
}

fmi2Status fmi2SetContinuousStates(fmi2Component component, const fmi2Real x[], size_t nx)
{
    CB_ENTER(CB_CONTINUOUS);
    return as_fmi2(cb_set_states(c, __func__, x, nx));
}

fmi2Status fmi2GetDerivatives(fmi2Component component, fmi2Real derivatives[], size_t nx)
{
    CB_ENTER(CB_INITIALIZATION | CB_EVENT | CB_CONTINUOUS | CB_TERMINATED);
    return as_fmi2(cb_get_derivatives(c, __func__, derivatives, nx));
}

fmi2Status fmi2GetEventIndicators(fmi2Component component, fmi2Real eventIndicators[], size_t ni)
{
    CB_ENTER(CB_INITIALIZATION | CB_EVENT | CB_CONTINUOUS | CB_TERMINATED);
    return as_fmi2(cb_get_indicators(c, __func__, eventIndicators, ni));
}

fmi2Status fmi2GetContinuousStates(fmi2Component component, fmi2Real x[], size_t nx)
{
    CB_ENTER(CB_INITIALIZATION | CB_EVENT | CB_CONTINUOUS | CB_TERMINATED);
    return as_fmi2(cb_get_states(c, __func__, x, nx));
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component component, fmi2Real x_nominal[],
                                             size_t nx)
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi2(cb_get_nominals(c, __func__, x_nominal, nx));
}

/* ---------------------------------------------------------------- Co-Simulation */

static fmi2Status require_co_simulation(const CbInstance *c, const char *caller)
{
    if (c->s.type == CB_CO_SIMULATION) return fmi2OK;
    return as_fmi2(cb_error(c, "%s: is for Co-Simulation only.", caller));
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component component, const fmi2ValueReference vr[],
                                       size_t nvr, const fmi2Integer order[],
                                       const fmi2Real value[])
{
    CB_ENTER(CB_BEFORE_RUN | CB_STEP);
    if (require_co_simulation(c, __func__) != fmi2OK) return fmi2Error;
    return as_fmi2(cb_set_input_derivatives(c, __func__, vr, nvr, order, value));
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component, const fmi2ValueReference vr[],
                                        size_t nvr, const fmi2Integer order[], fmi2Real value[])
{
    CB_ENTER(CB_STEP | CB_TERMINATED);
    if (require_co_simulation(c, __func__) != fmi2OK) return fmi2Error;
    return as_fmi2(cb_output_derivatives(c, __func__, vr, nvr, order, value));
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real currentCommunicationPoint,
                      fmi2Real communicationStepSize, fmi2Boolean noSetFMUStatePriorToCurrentPoint)
{
    CbStatus status;
    CB_ENTER(CB_STEP);
    (void)noSetFMUStatePriorToCurrentPoint;
    status = cb_do_step(c, __func__, currentCommunicationPoint, communicationStepSize);
    /* The plant has ended the simulation inside the step: fmi2GetBooleanStatus tells. */
    return status == CB_OK && c->s.ended ? fmi2Discard : as_fmi2(status);
}

fmi2Status fmi2CancelStep(fmi2Component component)
{
    CB_ENTER(CB_ANY_MODE);
    return as_fmi2(cb_error(c, "%s: steps are never asynchronous.", __func__));
}

/* Steps are synchronous, so there is nothing pending to ask about. */
static fmi2Status no_status(const CbInstance *c, const char *caller)
{
    cb_log(&c->log, CB_DISCARD, CB_LOG_DISCARD, "%s: no such status.", caller);
    return fmi2Discard;
}

fmi2Status fmi2GetStatus(fmi2Component component, const fmi2StatusKind s, fmi2Status *value)
{
    CB_ENTER(CB_ANY_MODE);
    (void)s;
    (void)value;
    return no_status(c, __func__);
}

fmi2Status fmi2GetRealStatus(fmi2Component component, const fmi2StatusKind s, fmi2Real *value)
{
    CB_ENTER(CB_ANY_MODE);
    if (cb_require_pointer(c, __func__, value, 1) != CB_OK) return fmi2Error;
    if (s != fmi2LastSuccessfulTime) return no_status(c, __func__);
    *value = c->s.time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component component, const fmi2StatusKind s,
                                fmi2Integer *value)
{
    CB_ENTER(CB_ANY_MODE);
    (void)s;
    (void)value;
    return no_status(c, __func__);
}

fmi2Status fmi2GetBooleanStatus(fmi2Component component, const fmi2StatusKind s,
                                fmi2Boolean *value)
{
    CB_ENTER(CB_ANY_MODE);
    if (cb_require_pointer(c, __func__, value, 1) != CB_OK) return fmi2Error;
    if (s != fmi2Terminated) return no_status(c, __func__);
    *value = c->s.ended ? fmi2True : fmi2False;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component component, const fmi2StatusKind s, fmi2String *value)
{
    CB_ENTER(CB_ANY_MODE);
    (void)s;
    (void)value;
    return no_status(c, __func__);
}
