/* An example of every name, for compilers and editors alone: see emit/template.py. */
#ifndef OBSERVED_
#define OBSERVED_ 1
#endif
#define MODEL_ "../../../plant/runtime/model.h"
#define GENERATOR_ "../../../online/templates/generator.c"
#define PLANS_ "plans.c"
#define TABLE_ "../../tables/templates/table.c"

/* Of the plans. */
#define WISH_INPUTS_ WISH_TRIGGER, WISH_SHORTEST, WISH_REPLAN, WISH_STOP
#define DRIVE_COUNT_ 2
#define DRIVE_COORDINATES_ {0, 1}

/* Of a controller beside a plant. */
#define READINGS_ 3
#define PLANT_INPUTS_ 2
#define PERIOD_ 0.02
#define PLANT_MATRIX_ {1.0, 0.0}, {0.0, 1.0}
#define PLANT_OFFSET_ 0.0, 0.0
#define FIRST_READINGS_ 0.0, 0.0, 0.0
#define EXPECTED_READINGS_ 0.0, 0.0, 0.0

/* Of a table. */
#define CONTROLS_ 2
