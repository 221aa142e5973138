#ifndef FILLED
#include "example.h"
#endif
#ifndef GUARD_
#define GUARD_

#ifdef __cplusplus
extern "C" {
#endif

typedef TYPE_ table_real;

/* Positions in the array of signals. */
enum {
    /* INDICES_ */
    table_SIGNALS = COUNT_
};

/* What table_at returns. */
enum {
STATUSES_
};

/* When the motion begins (below zero: before the path does) and when it ends, s. */
extern const table_real table_begin;
extern const table_real table_duration;

/* All signals at the time t in s after the start of the path, SI units. */
int table_at(table_real t, table_real signals[table_SIGNALS]);

#ifdef __cplusplus
}
#endif

#endif
