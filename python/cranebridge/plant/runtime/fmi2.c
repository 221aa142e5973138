/* FMI 2.0: Model Exchange and Co-Simulation, where it differs from FMI 3.0 (fmi_common.h). Thin:
   checks of mode, then the shared core. */

#include "algorithm.h"
#include "fmi2Functions.h"
#include "input_derivatives.h"
#include "integrator.h"

#include <limits.h>
#include <stdlib.h>

#define CB_NAME(Name) fmi2##Name
#define CB_EXCHANGE(modes) (modes)
#define CB_GET(Type)                                                                              \
    fmi2Status fmi2Get##Type(void *instance, const fmi2ValueReference references[], size_t n,     \
                             fmi2##Type values[])
#define CB_SET(Type)                                                                              \
    fmi2Status fmi2Set##Type(void *instance, const fmi2ValueReference references[], size_t n,     \
                             const fmi2##Type values[])
#define CB_COUNT_VALUES
#define CB_IGNORE_VALUES (void)values;
#define CB_TO_INTEGER(number) ((number) > INT_MAX ? INT_MAX : (fmi2Integer)(number))
#include "fmi_common.h"

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
    logger(log->environment, log->instance_name, as_status(status), category, format);
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

void fmi2FreeInstance(fmi2Component instance)
{
    cb_free(instance);
}

CB_CALL(SetupExperiment,
        (void *instance, fmi2Boolean toleranceDefined, fmi2Real tolerance, fmi2Real startTime,
         fmi2Boolean stopTimeDefined, fmi2Real stopTime),
        CB_INSTANTIATED,
        cb_setup_experiment(c, __func__, toleranceDefined, tolerance, startTime, stopTimeDefined,
                            stopTime))

CB_CALL(EnterInitializationMode, (void *instance), CB_INSTANTIATED,
        cb_enter_initialization(c, __func__))

/* ---------------------------------------------------------------- variables */

CB_CALL(GetReal,
        (void *instance, const fmi2ValueReference references[], size_t n, fmi2Real values[]),
        CB_ANY_MODE, cb_get_reals(c, __func__, references, n, values))

CB_CALL(SetReal,
        (void *instance, const fmi2ValueReference references[], size_t n, const fmi2Real values[]),
        CB_BEFORE_RUN | CB_RUNNING, cb_set_reals(c, __func__, references, n, values))

CB_INTEGERS(Integer)
CB_BOOLEANS(Boolean)
CB_NO_VARIABLES(String)

CB_CALL(GetDirectionalDerivative,
        (void *instance, const fmi2ValueReference unknowns[], size_t nUnknowns,
         const fmi2ValueReference knowns[], size_t nKnowns, const double seed[],
         double sensitivity[]),
        CB_INITIALIZATION | CB_RUNNING | CB_TERMINATED,
        cb_directional(c, __func__, unknowns, nUnknowns, knowns, nKnowns, seed, sensitivity))

/* ---------------------------------------------------------------- state of the FMU */

CB_CALL(GetFMUstate, (void *instance, fmi2FMUstate *state), CB_ANY_MODE,
        cb_get_state(c, __func__, state))

CB_CALL(SetFMUstate, (void *instance, fmi2FMUstate state), CB_ANY_MODE,
        cb_set_state(c, __func__, state))

CB_CALL(FreeFMUstate, (void *instance, fmi2FMUstate *state), CB_ANY_MODE,
        cb_free_state(c, __func__, state))

CB_CALL(SerializedFMUstateSize, (void *instance, fmi2FMUstate state, size_t *size), CB_ANY_MODE,
        cb_state_size(c, __func__, state, size))

CB_CALL(SerializeFMUstate, (void *instance, fmi2FMUstate state, fmi2Byte bytes[], size_t size),
        CB_ANY_MODE, cb_serialize(c, __func__, state, (unsigned char *)bytes, size))

CB_CALL(DeSerializeFMUstate,
        (void *instance, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state), CB_ANY_MODE,
        cb_deserialize(c, __func__, (const unsigned char *)bytes, size, state))

/* ---------------------------------------------------------------- Model Exchange */

CB_CALL(GetDerivatives, (void *instance, double derivatives[], size_t nx), CB_EVALUATED,
        cb_get_derivatives(c, __func__, derivatives, nx))

fmi2Status fmi2EnterEventMode(fmi2Component instance)
{
    CB_ENTER(CB_CONTINUOUS | CB_EVENT);
    cb_enter_event_mode(c);
    return fmi2OK;
}

/* Iterated here until nothing changes: one call is enough. */
fmi2Status fmi2NewDiscreteStates(fmi2Component instance, fmi2EventInfo *eventInfo)
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
    return as_status(status);
}

/* ---------------------------------------------------------------- Co-Simulation */

static fmi2Status require_co_simulation(const CbInstance *c, const char *caller)
{
    if (c->s.type == CB_CO_SIMULATION) return fmi2OK;
    return as_status(cb_error(c, "%s: is for Co-Simulation only.", caller));
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component instance, const fmi2ValueReference vr[],
                                       size_t nvr, const fmi2Integer order[],
                                       const fmi2Real value[])
{
    CB_ENTER(CB_BEFORE_RUN | CB_STEP);
    if (require_co_simulation(c, __func__) != fmi2OK) return fmi2Error;
    return as_status(cb_set_input_derivatives(c, __func__, vr, nvr, order, value));
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component instance, const fmi2ValueReference vr[],
                                        size_t nvr, const fmi2Integer order[], fmi2Real value[])
{
    CB_ENTER(CB_STEP | CB_TERMINATED);
    if (require_co_simulation(c, __func__) != fmi2OK) return fmi2Error;
    return as_status(cb_output_derivatives(c, __func__, vr, nvr, order, value));
}

fmi2Status fmi2DoStep(fmi2Component instance, fmi2Real currentCommunicationPoint,
                      fmi2Real communicationStepSize, fmi2Boolean noSetFMUStatePriorToCurrentPoint)
{
    CbStatus status;
    CB_ENTER(CB_STEP);
    (void)noSetFMUStatePriorToCurrentPoint;
    status = cb_do_step(c, __func__, currentCommunicationPoint, communicationStepSize);
    /* The plant has ended the simulation inside the step: fmi2GetBooleanStatus tells. */
    return status == CB_OK && c->s.ended ? fmi2Discard : as_status(status);
}

CB_CALL(CancelStep, (void *instance), CB_ANY_MODE,
        cb_error(c, "%s: steps are never asynchronous.", __func__))

/* Steps are synchronous, so there is nothing pending to ask about. */
static fmi2Status no_status(const CbInstance *c, const char *caller)
{
    cb_log(&c->log, CB_DISCARD, CB_LOG_DISCARD, "%s: no such status.", caller);
    return fmi2Discard;
}

fmi2Status fmi2GetRealStatus(fmi2Component instance, const fmi2StatusKind s, fmi2Real *value)
{
    CB_ENTER(CB_ANY_MODE);
    if (cb_require_pointer(c, __func__, value, 1) != CB_OK) return fmi2Error;
    if (s != fmi2LastSuccessfulTime) return no_status(c, __func__);
    *value = c->s.time;
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component instance, const fmi2StatusKind s, fmi2Boolean *value)
{
    CB_ENTER(CB_ANY_MODE);
    if (cb_require_pointer(c, __func__, value, 1) != CB_OK) return fmi2Error;
    if (s != fmi2Terminated) return no_status(c, __func__);
    *value = c->s.ended ? fmi2True : fmi2False;
    return fmi2OK;
}

#define CB_NO_STATUS(Name, Type)                                                                  \
    fmi2Status fmi2Get##Name(void *instance, const fmi2StatusKind s, Type *value)                 \
    {                                                                                             \
        CB_ENTER(CB_ANY_MODE);                                                                    \
        (void)s;                                                                                  \
        (void)value;                                                                              \
        return no_status(c, __func__);                                                            \
    }

CB_NO_STATUS(Status, fmi2Status)
CB_NO_STATUS(IntegerStatus, fmi2Integer)
CB_NO_STATUS(StringStatus, fmi2String)
