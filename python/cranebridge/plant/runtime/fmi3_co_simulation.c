/* FMI 3.0: Co-Simulation, with intermediate update, early return and event mode. Included after
   fmi3.c. */

#include "fmi3_access.h"
#include "integrator.h"

static void update_fmi3(CbInstance *c, int finished, int can_return, int *stop, double *time)
{
    const fmi3IntermediateUpdateCallback update =
        (fmi3IntermediateUpdateCallback)c->master.callback;
    fmi3Boolean requested = fmi3False;
    fmi3Float64 return_time = *time;

    update(c->log.environment, c->s.time, c->master.may_set, c->master.may_get, finished,
           can_return, &requested, &return_time);
    *stop = requested;
    *time = return_time;
}

/* An algorithm takes its inputs at events: there is nothing to update in between. */
static CbStatus accept_master(CbInstance *c, const char *caller, const CbMaster *master,
                              const fmi3ValueReference required[], size_t n)
{
    c->master = *master;
    if (c->model->algorithm) c->master.update = NULL;
    if (n > 0 && !c->master.update) {
        return cb_error(c, "%s: intermediate variables are required, but %s.", caller,
                        c->model->algorithm ? "this FMU has no intermediate updates"
                                            : "there is no callback for intermediate updates");
    }
    return cb_name_intermediate(c, caller, required, n);
}

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
    fmi3Boolean visible, fmi3Boolean loggingOn, fmi3Boolean eventModeUsed,
    fmi3Boolean earlyReturnAllowed, const fmi3ValueReference requiredIntermediateVariables[],
    size_t nRequiredIntermediateVariables, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage, fmi3IntermediateUpdateCallback intermediateUpdate)
{
    const CbLog log = make_log(instanceName, loggingOn, instanceEnvironment, logMessage);
    CbMaster master = {0};
    CbInstance *c = cb_instantiate(CB_CO_SIMULATION, instanceName, instantiationToken, &log);

    (void)resourcePath;
    (void)visible;
    if (!c) return NULL;
    master.events = eventModeUsed;
    master.early_return = earlyReturnAllowed;
    master.update = intermediateUpdate ? update_fmi3 : NULL;
    master.callback = (void (*)(void))intermediateUpdate;
    if (accept_master(c, __func__, &master, requiredIntermediateVariables,
                      nRequiredIntermediateVariables) == CB_OK) {
        return c;
    }
    cb_free(c);
    return NULL;
}

fmi3Status fmi3EnterStepMode(fmi3Instance instance)
{
    CB_ENTER(c->s.type == CB_CO_SIMULATION ? CB_EVENT : 0);
    c->s.mode = CB_STEP;
    return fmi3OK;
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance,
                                    const fmi3ValueReference valueReferences[],
                                    size_t nValueReferences, const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t nValues)
{
    CB_ENTER(CB_STEP | CB_INTERMEDIATE | CB_TERMINATED);
    if (c->s.type != CB_CO_SIMULATION) return as_status(not_supported(c, __func__));
    if (check_counts(c, __func__, nValueReferences, nValues) != CB_OK ||
        cb_check_access(c, __func__, valueReferences, nValues, 0) != CB_OK) {
        return fmi3Error;
    }
    return as_status(cb_output_derivatives(c, __func__, valueReferences, nValues, orders, values));
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 currentCommunicationPoint,
                      fmi3Float64 communicationStepSize,
                      fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                      fmi3Boolean *eventHandlingNeeded, fmi3Boolean *terminateSimulation,
                      fmi3Boolean *earlyReturn, fmi3Float64 *lastSuccessfulTime)
{
    const fmi3Float64 target = currentCommunicationPoint + communicationStepSize;
    CbStatus status;
    CB_ENTER(CB_STEP);
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!eventHandlingNeeded || !terminateSimulation || !earlyReturn || !lastSuccessfulTime) {
        return as_status(cb_require_pointer(c, __func__, NULL, 1));
    }
    status = cb_do_step(c, __func__, currentCommunicationPoint, communicationStepSize);
    *eventHandlingNeeded = status == CB_OK && c->master.event;
    *terminateSimulation = c->s.ended != 0;
    *earlyReturn = status == CB_OK && c->s.time < target;
    *lastSuccessfulTime = c->s.time;
    return as_status(status);
}
