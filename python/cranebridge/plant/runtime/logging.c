#include "logging.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const CATEGORIES[CB_LOG_COUNT] = {
    "logEvents", "logSingularLinearSystems", "logStatusWarning", "logStatusDiscard",
    "logStatusError",
};

/* Errors are always reported: a status without its reason helps nobody. */
CB_LOCAL void cb_log(const CbLog *log, CbStatus status, int category, const char *format, ...)
{
    char text[512];
    va_list arguments;

    if (!log->callback || (!log->enabled[category] && status < CB_ERROR)) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log->emit(log, status, CATEGORIES[category], text);
}

CB_LOCAL void cb_log_enable_all(CbLog *log, int on)
{
    int i;
    for (i = 0; i < CB_LOG_COUNT; ++i) log->enabled[i] = on;
}

/* No categories, or logAll, mean all of them. An unknown category changes nothing. */
CB_LOCAL CbStatus cb_log_configure(CbLog *log, const char *caller, int on, size_t n,
                                   const char *const categories[])
{
    int chosen[CB_LOG_COUNT] = {0};
    int i, all = n == 0;
    size_t k;

    if (n > 0 && !categories) {
        cb_log(log, CB_ERROR, CB_LOG_ERROR, "%s: the categories are a null pointer.", caller);
        return CB_ERROR;
    }
    for (k = 0; k < n; ++k) {
        int known = 0;
        for (i = 0; categories[k] && i < CB_LOG_COUNT; ++i) {
            if (strcmp(categories[k], CATEGORIES[i]) == 0) known = chosen[i] = 1;
        }
        if (categories[k] && strcmp(categories[k], "logAll") == 0) known = all = 1;
        if (!known) {
            cb_log(log, CB_ERROR, CB_LOG_ERROR, "%s: unknown log category '%.80s'.", caller,
                   categories[k] ? categories[k] : "(null)");
            return CB_ERROR;
        }
    }
    for (i = 0; i < CB_LOG_COUNT; ++i) {
        if (all || chosen[i]) log->enabled[i] = on;
    }
    return CB_OK;
}
