"""The text that makes a controller follow the on-line generator: C99, filled in by `controller_c`.

``${G}`` is the generator's prefix, the other names are those of a controller's module
(:mod:`cranebridge.control.code.controller_template_c`).
"""

from cranebridge.control.code import MotionText

ON_LINE = MotionText(
    includes='#include "$GENERATOR_HEADER"\n\n',
    intro="""\
/* Controller ($KIND) of the motions that $GENERATOR_HEADER plans: call ${P}_init once and ${P}_step
   at every sample, $CYCLE_TEXT s apart. What a step gives out is to act $DELAY_TEXT s after its
   sample, and is held until that of the next one does.

$GAIN_INTRO
   Gains, observer and limits of the inputs are those of the scenario's parameters, also where those
   of the generator are changed.

   A new goal or a stop while moving does not jump: reference and feedforward are continued, and
   what the controller has integrated and estimated stays. Plan first, then take the sample with
   t = 0. A step solves the plan twice or a few times; it has no loop without a fixed end; nothing
   is allocated.$SPEED_INTRO */""",
    done="at rest: the motion has ended, or there is no plan yet",
    statuses=(
        "${P}_STUCK = -3     /* the plan has no solution at this time: the last one is held, see",
        "                       the generator's status */",
    ),
    state="    int begun;   /* a sample was taken */$SPEED_STATE",
    contract="""\
/* Without a past. */
void ${P}_init(${P}_state *state);

/* One sample at the time t after the start of the generator's plan, which is stepped to it; without
   a plan the load is held where it rests. */
int ${P}_step(${P}_state *state, ${G}_state *generator, ${P}_real t,
              const ${P}_real measured[$MEASURED], ${P}_real u[$INPUTS]);

/* The feedforward alone of an output of the generator, as what a step gives out; of drives that
   take velocities those of the motion. */
void ${P}_hold(const ${G}_output *output, ${P}_real hold[$INPUTS]);""",
    sizes="",
    tables="""\
static const real ahead = $AHEAD; /* s, from a sample to the middle of what its inputs act in */
$INPUT_TABLES""",
    init="    s->begun = 0;$SPEED_INIT",
    step="""\
void ${P}_hold(const ${G}_output *output, real hold[$INPUTS])
{
$HOLD_CODE
}
$SPEED
/* Whether a plan can be followed; without one there is a rest. */
static int follows(int status)
{
    return status >= 0 || status == ${G}_NO_PLAN;
}

int ${P}_step(${P}_state *s, ${G}_state *generator, real t, const real measured[$MEASURED],
              real u[$INPUTS])
{
    ${G}_output now, held;
    real signal[SIGNALS], hold[INPUTS], place[$SIZE_AXES];
    aim at;
    int later, motion, status;

    later = ${G}_step(generator, t + ahead, &held);
    motion = ${G}_step(generator, t, &now);$REFER
    ${P}_hold(&held, hold);
$FILL
    at.signal = signal;
    at.hold = hold;
    at.place = place;$BEGIN
    s->begun = 1;
    status = take_sample(s, &at, measured, u);
    if (status) return status;
    if (!follows(later) || !follows(motion)) return ${P}_STUCK;
    return motion == ${G}_OK ? ${P}_MOVING : ${P}_DONE;
}
""",
)

INPUT_TABLES = """\
/* What is given out is matrix u + offset of the crane's inputs u. */
static const real matrix[INPUTS][${G}_INPUTS] = {
$MATRIX
};
static const real offset[INPUTS] = {$OFFSET};
"""

MIXED = """\
    const real given[${G}_INPUTS] = {$GIVEN};
    int i, j;

    for (i = 0; i < INPUTS; i++) {
        hold[i] = offset[i];
        for (j = 0; j < ${G}_INPUTS; j++) hold[i] += matrix[i][j] * given[j];
    }"""

BEGIN_OBSERVER = """
    if (!s->begun) { /* where the reference is */
        int i;
        for (i = 0; i < COORDINATES; i++) {
            s->q[i] = now.q[i];
            s->v[i] = now.v[i];
        }$BEGIN_PLACES
        for (i = 0; i < WAY; i++) s->under_way[i] = hold[i % INPUTS];
    }"""

SPEED_INTRO = """

   Drives with a speed loop are given velocities. The forces of the rest at the first sample are
   taken for those that the drives hold by themselves: begin at rest, as the drives do."""

SPEED_STATE = """
    ${P}_real held[$DRIVES];  /* what speed drives gave at the first sample */
    ${P}_real ahead[$DRIVES]; /* how far their references are ahead of them */"""

SPEED = """
static const int driven[$DRIVES] = {$DRIVEN}; /* inputs of the crane that speed drives give */
static const int moved[$DRIVES] = {$MOVED};  /* and the coordinates whose velocities they take */
static const real kept[$DRIVES] = {$KEPT};
static const real added[$DRIVES] = {$ADDED};

/* Puts velocity references in place of the drives' velocities. A drive gives its force if its
   reference is ahead by e, e' = (force - held - ki e) / kp: exact for a force that does not change
   in a cycle, for which the one at its middle is taken, as the velocity is. */
static void refer(${P}_state *s, const ${G}_output *now, ${G}_output *later)
{
    int i;

    for (i = 0; i < $DRIVES; i++) {
        real before;
        if (!s->begun) s->held[i] = now->u[driven[i]];
        before = s->ahead[i];
        s->ahead[i] = kept[i] * before + added[i] * (later->u[driven[i]] - s->held[i]);
        later->v[moved[i]] += (s->ahead[i] - before) / cycle;
    }
}
"""

REFER = "\n    refer(s, &now, &held);"
