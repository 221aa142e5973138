/* What events.c leaves out of the standard, for importers that want all functions to be there.
 *
 * Weak: what events.c has itself is taken. None but those with a body of their own is called.
 */
#include <stddef.h>

#define REST(NAME) __attribute__((weak)) int NAME(void) { return 3; }
#define NOMINALS(NAME) \
    __attribute__((weak)) int NAME(void *c, double x[], size_t n) \
    { (void)c; for (size_t i = 0; i < n; i++) x[i] = 1.0; return 0; }
#define NUMBER(NAME, VALUE) \
    __attribute__((weak)) int NAME(void *c, size_t *n) { (void)c; *n = VALUE; return 0; }
#define NOTHING_TO_DO(NAME) __attribute__((weak)) int NAME(void) { return 0; }

#if FMI == 2
NOMINALS(fmi2GetNominalsOfContinuousStates)
NOTHING_TO_DO(fmi2SetDebugLogging)
REST(fmi2Reset) REST(fmi2GetString) REST(fmi2SetString)
#else
NOMINALS(fmi3GetNominalsOfContinuousStates)
NUMBER(fmi3GetNumberOfContinuousStates, N_STATES)
NUMBER(fmi3GetNumberOfEventIndicators, N_INDICATORS)
NOTHING_TO_DO(fmi3SetDebugLogging)
REST(fmi3InstantiateScheduledExecution) REST(fmi3Reset)
REST(fmi3GetInt16) REST(fmi3GetInt8) REST(fmi3GetUInt64) REST(fmi3GetUInt32)
REST(fmi3GetUInt16) REST(fmi3GetUInt8) REST(fmi3GetString) REST(fmi3GetBinary)
REST(fmi3SetInt16) REST(fmi3SetInt8) REST(fmi3SetUInt64) REST(fmi3SetUInt32)
REST(fmi3SetUInt16) REST(fmi3SetUInt8) REST(fmi3SetString) REST(fmi3SetBinary)
REST(fmi3GetNumberOfVariableDependencies) REST(fmi3GetVariableDependencies)
REST(fmi3GetFMUState) REST(fmi3SetFMUState) REST(fmi3FreeFMUState)
REST(fmi3SerializedFMUStateSize) REST(fmi3SerializeFMUState) REST(fmi3DeserializeFMUState)
REST(fmi3GetDirectionalDerivative) REST(fmi3GetAdjointDerivative)
REST(fmi3EnterConfigurationMode) REST(fmi3ExitConfigurationMode)
REST(fmi3EvaluateDiscreteStates) REST(fmi3GetClock) REST(fmi3SetClock)
REST(fmi3GetIntervalDecimal) REST(fmi3GetIntervalFraction)
REST(fmi3GetShiftDecimal) REST(fmi3GetShiftFraction)
REST(fmi3SetIntervalDecimal) REST(fmi3SetIntervalFraction)
REST(fmi3SetShiftDecimal) REST(fmi3SetShiftFraction)
#endif
