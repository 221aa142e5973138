/* An example of every name, for compilers and editors alone: see emit/template.py. */
#ifndef OBSERVED_
#define OBSERVED_ 1
#endif
#ifndef OVER_POSITION_
#define OVER_POSITION_ 1
#endif
#ifndef DRIVE_PLACES_
#define DRIVE_PLACES_ 1
#endif
#define CONTROLLER_STATUSES_ controller_MOVING = 0, controller_DONE = 1, controller_HOLDING = -1, \
    controller_LOST = -2, controller_STUCK = -3
#define CONTROLLER_HEADER_ "controller.h"
#define TYPE_ double
#define ZERO_ 0.0
#define ONE_ 1.0
#define COS_ cos

/* A controller with two inputs. */
#define SAMPLES_ 3
#define NODES_ 2
#define SIGNALS_ 4
#define INTEGRALS_ 1
#define PAST_ 2
#define DISTURBANCES_ 1
#define MEASURED_ 3
#define INPUTS_ 2
#define COLUMNS_ 8
#define SIZE_INTEGRAL_ 1
#define SIZE_PAST_ 2
#define CYCLE_ 0.02
#define HOLD_ {0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}
#define REFERENCE_ {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}
#define LEAST_ -900.0, -250.0
#define MOST_ 900.0, 0.0
#define INTEGRATED_ 0
#define FAR_ 1.0, 1.0, 1.0, 1.0
#define COUNTED_ 0.5

/* Gains over time, and over position. */
#define NODE_ 0, 2
#define GAINS_ {0.0}, {0.0}
#define AXES_ 1
#define SIZE_AXES_ 1
#define ROWS_ 2
#define PARTS_ 2
#define CORNERS_ 2
#define COUNTS_ 2
#define FIRSTS_ 0
#define STRIDES_ 1
#define TURNING_ 0
#define POINTS_ -4.0, -1.0
#define PLACE_ {0.0}, {0.0}, {0.0}
#define GRID_ {0.0}, {0.0}
#define FADE_START_ 0.0
#define FADE_STEP_ 0.04

/* Its observer. */
#define COORDINATES_ 4
#define STATES_ 8
#define MOVING_ 6
#define ESTIMATED_ 2
#define SIZE_D_ 2
#define ESTIMATES_ 10
#define WAY_ 2
#define SIZE_WAY_ 2
#define EVERY_ 1, 1, 4
#define PATIENCE_ 50, 50, 12
#define RELATIVE_ 1, 0
#define SENSOR_NOISE_ 1e-6, 1e-6, 1e-6
#define GROWTH_ 0.0
#define VARIANCE_ 0.0
#define Q_START_ 0.0
#define V_START_ 0.0
#define D_START_ 0.0
#define HOLD_START_ 0.0
#define GATE_ 9.0
#define IMPOSSIBLE_ 1e8
