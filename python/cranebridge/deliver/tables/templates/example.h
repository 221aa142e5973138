/* An example of every name, for compilers and editors alone: see emit/template.py. */
#define INCLUDE_ "table.h"
#define TYPE_ double
#define COUNT_ 2
#define NODES_ 3
#define STATUSES_ table_MOVING, table_DONE, table_EARLY, table_BAD_TIME = -1
#define BEGIN_ 0.0
#define DURATION_ 1.0
#define CYCLE_ 0.5
#define ONE_ 1.0
#define TIMES_ 0.0, 0.5, 1.0
#define VALUES_ {0.0, 0.0}, {0.5, 1.0}, {1.0, 2.0}
#define RATES_ {1.0, 2.0}, {1.0, 2.0}, {1.0, 2.0}
