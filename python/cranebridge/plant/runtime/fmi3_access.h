/* FMI 3.0: which variables the environment may touch in an intermediate update. */

#ifndef CB_FMI3_ACCESS_H
#define CB_FMI3_ACCESS_H

#include "variables.h"

/* Names the variables that the environment's callback will get and set. */
CB_LOCAL CbStatus cb_name_intermediate(CbInstance *c, const char *caller,
                                       const unsigned int references[], size_t n);
/* In the callback, an error unless these variables may be read, or set, just now. */
CB_LOCAL CbStatus cb_check_access(const CbInstance *c, const char *caller,
                                  const unsigned int references[], size_t n, int setting);

#endif
