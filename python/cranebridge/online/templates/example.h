/* An example of every name, for compilers and editors alone: see emit/template.py. */
#ifndef OBSERVED_
#define OBSERVED_ 1
#endif
#ifndef SPEED_
#define SPEED_ 1
#endif
#ifndef MIXED_
#define MIXED_ 1
#endif
#include "../../control/code/templates/example.h"
#define GENERATOR_HEADER_ "generator.h"
#define FIVE_ 5.0
#define EIGHT_ 8.0
#define TWELVE_ 12.0
#define LARGEST_ 1.7976931348623157e308
#define FABS_ fabs

/* A crane with two outputs: numbers N of its signals, sizes Z of their arrays. */
#define NY_ 2
#define NQ_ 4
#define NU_ 2
#define NL_ 1
#define NR_ 1
#define NP_ 3
#define NW_ 6
#define ZY_ 2
#define ZQ_ 4
#define ZU_ 2
#define ZL_ 1
#define ZR_ 1
#define ZP_ 3
#define ZW_ 6
#define MOTION_ 15
#define RATES_ 7
#define ORDER_ 5
#define BLOCKS_ 2
#define BLOCK_SIZES_ {2, 1}
#define ENTRIES_ 5

/* What the scenario has. */
#define DEFAULT_P_ {10.0, 5.0, 0.1}
#define DEFAULT_LEAST_ {{0.0}, {0.0}, {0.0}, {0.0}, {0.0}, {0.0}, {0.0}}
#define DEFAULT_MOST_ {{0.0}, {0.0}, {0.0}, {0.0}, {0.0}, {0.0}, {0.0}}
#define DEFAULT_START_ {0.0, -4.0}
#define DEFAULT_W_ {0.0}
#define PIECES_ 1
#define KNOTS_ {0.0, 1.0}
#define SEGMENTS_ 2
#define DEGREE_ 3
#define UNTIL_ {0.5, 1.0}
#define ANCHOR_ {0.25, 0.75}
#define LENGTH_ {0.5, 0.5}
#define SERIES_ {0.25, 0.5, 0.0, 0.0}, {0.75, 0.5, 0.0, 0.0}

/* How a plan is judged and searched for. */
#define GENERATOR_STATUSES_ generator_OK = 0, generator_DONE = 1, generator_NO_PLAN = -1, \
    generator_BAD_ARGUMENT = -2, generator_NO_CONVERGENCE = -3, generator_SINGULAR = -4, \
    generator_ROPE_LIMIT = -5, generator_BUSY = -7, generator_ELSEWHERE = -8, \
    generator_TOO_QUICK = -14, generator_NO_DURATION = -15, generator_PAST = -16, \
    generator_SEARCH_ENDED = -17, generator_UNLIMITED = -18
#define GROUP_NAMES_ ROPE_GROUP, JERK_GROUP
#define GROUP_SIZES_ NR_, NQ_
#define GROUP_STATUS_ generator_ROPE_LIMIT
#define QUICK_ JERK_GROUP
#define SWEEPS_ 12
#define TOLERANCE_ 1e-11
#define PIVOT_ 1e-13
#define CHECKS_ 64
#define LOOKS_ 2048
#define FINEST_ 16384.0
#define SLACK_ 1e-9
#define ROPE_SLACK_ 1e-6
#define NOISE_ 1e-12
#define HIDDEN_ 256.0
#define HERE_ 1e-6
#define SMOOTH_ 3
#define ZSMOOTH_ 3
#define CONTROL_WEIGHTS_ {0.0}, {0.0}, {0.0}, {0.0}
#define STOP_WEIGHTS_ {0.5, 0.1, 0.01}
#define SHORTEST_ 0.0078125
#define LONGER_ 1.2
#define DURATIONS_ 65
#define HALVINGS_ 7
#define ROUGH_HALVINGS_ 1
#define BUDGET_ 32768
#define FADES_ 4
#define SLOWER_ {2.0, 1.4, 1.1}
#define ROUGH_ 1e-6

/* The controller beside it, from the parts of other controllers. */
#define PART_SIGNALS_ "../../control/code/templates/signals.h"
#define PART_STATE_ "../../control/code/templates/state.h"
#define PART_SIZES_ "../../control/code/templates/sizes.c"
#define PART_AIM_ "../../control/code/templates/aim.c"
#define PART_LAW_ "../../control/code/templates/law.c"
#define PART_RESET_ "../../control/code/templates/reset.c"
#define PART_SAMPLE_ "../../control/code/templates/sample.c"
#define AHEAD_ 0.015
#define MATRIX_ {1.0, 0.0}, {0.0, 1.0}
#define OFFSET_ 0.0, 0.0
#define GIVEN_ output->u[0], output->u[1]
#define DRIVES_ 1
#define DRIVEN_ 0
#define MOVED_ 0
#define KEPT_ 0.9
#define ADDED_ 0.1
