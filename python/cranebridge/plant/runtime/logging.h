/* Log messages: one path for FMI 2 and FMI 3, whose callbacks differ. */

#ifndef CB_LOGGING_H
#define CB_LOGGING_H

#include <stddef.h>

/* The same numbers as fmi2Status and fmi3Status. */
typedef enum { CB_OK, CB_WARNING, CB_DISCARD, CB_ERROR, CB_FATAL } CbStatus;

enum { CB_LOG_EVENTS, CB_LOG_SINGULAR, CB_LOG_WARNING, CB_LOG_DISCARD, CB_LOG_ERROR, CB_LOG_COUNT };

typedef struct CbLog {
    /* Casts `callback` back to the type it has in its FMI version and calls it. */
    void (*emit)(const struct CbLog *log, CbStatus status, const char *category, const char *text);
    void (*callback)(void); /* the environment's logger, or null */
    void *environment;
    const char *instance_name;
    int enabled[CB_LOG_COUNT];
} CbLog;

CB_LOCAL void cb_log(const CbLog *log, CbStatus status, int category, const char *format, ...);
CB_LOCAL void cb_log_enable_all(CbLog *log, int on);
CB_LOCAL CbStatus cb_log_configure(CbLog *log, const char *caller, int on, size_t n,
                                   const char *const categories[]);

#endif
