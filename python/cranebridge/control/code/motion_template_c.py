"""The texts of a controller's C module that differ: where motion and gains come from.

A motion stands in tables over time (here), or is planned on line (`deliver`). Gains stand in a
table over time, or on a grid of positions. ``$NAME`` is filled in by `controller_c`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MotionText:
    """Where the motion comes from.

    Attributes
    ----------
    includes, intro, done, statuses : str
        Of the header: further headers, first comment, what DONE means, further statuses.
    state, contract : str
        Fields of the state, and the declarations of the functions.
    sizes, tables, init, step : str
        Of the source: constants, tables, the state's first values, and the function of a sample.
    """

    includes: str
    intro: str
    done: str
    statuses: tuple[str, ...]
    state: str
    contract: str
    sizes: str
    tables: str
    init: str
    step: str


@dataclass(frozen=True)
class GainText:
    """Where the gains come from: what the header says of them, a field of an aim, and code."""

    intro: str
    state: str
    where: str
    sizes: str
    tables: str
    init: str
    feedback: str


OVER_TIME = MotionText(
    includes="",
    intro="""\
/* Controller ($KIND): call ${P}_init once and ${P}_step at every sample, $CYCLE_TEXT s apart, the
   first one at $BEGIN_TEXT s after the start of the path. What a step gives out is to act
   $DELAY_TEXT s after its sample, and is held until that of the next one does.

$GAIN_INTRO A step has no loop without a fixed end; nothing is allocated. */""",
    done="the motion has ended, its end is held",
    statuses=(),
    state="    long sample; /* row of the feedforward */",
    contract="""\
/* At the start of the motion, as if the feedforward had run until now. */
void ${P}_init(${P}_state *state);

/* One sample. */
int ${P}_step(${P}_state *state, const ${P}_real measured[$MEASURED], ${P}_real u[$INPUTS]);""",
    sizes="    SAMPLES = $SAMPLES,",
    tables="""\
/* The feedforward that is held after each sample, and the signals that are wanted at it. */
static const real hold_of[SAMPLES][INPUTS] = {
$HOLD
};

static const real reference_of[SAMPLES][SIGNALS] = {
$REFERENCE
};
$PLACE_TABLE""",
    init="    s->sample = 0;",
    step="""\
int ${P}_step(${P}_state *s, const real measured[$MEASURED], real u[$INPUTS])
{
    const long k = s->sample;
    const int moving = k < SAMPLES - 1;
    const aim at = {reference_of[k], hold_of[k], $AT};
    const int status = take_sample(s, &at, measured, u);

    if (moving) s->sample++;
    if (status) return status;
    return moving ? ${P}_MOVING : ${P}_DONE;
}
""",
)

PLACES = """\

/* Where the motion is on the axes of the grid of gains. */
static const real place_of[SAMPLES][$SIZE_AXES] = {
$PLACE
};
"""

GAINS_OVER_TIME = GainText(
    intro="""\
   Gains stand in $NODES rows with straight lines between them: wrong by at most $ERROR_TEXT of the
   largest part of an input.""",
    state="    int node;    /* row of the gains */",
    where="long sample;",
    sizes="    NODES = $NODES,",
    tables="""\
/* Samples that the rows of gains belong to. */
static const long node_of[NODES] = {
$NODE
};

static const real gain_of[NODES][INPUTS * COLUMNS] = {
$GAINS
};""",
    init="    s->node = 0;",
    feedback="""\
/* Feedback of signals, integrals, past corrections and disturbances, with the gains at a sample;
   pull: those of the integrals. */
static void feed_back(${P}_state *s, const aim *at, const real *fed, real *u, real *pull)
{
    const long k = at->sample;
    const real *low, *high;
    real part, rest;
    int i, j;

    if (s->node < NODES - 2 && k >= node_of[s->node + 1]) s->node++;
    low = gain_of[s->node];
    high = gain_of[s->node + 1];
    part = (real)(k - node_of[s->node]) / (real)(node_of[s->node + 1] - node_of[s->node]);
    rest = $ONE - part;
    for (i = 0; i < INPUTS; i++) {
        real sum = $ZERO;
        for (j = 0; j < COLUMNS; j++) {
            const real gain = rest * *low++ + part * *high++;
            if (j >= SIGNALS && j < SIGNALS + INTEGRALS) *pull++ = gain;
            sum += gain * fed[j];
        }
        u[i] = at->hold[i] - sum;
    }
}
""",
)

GAINS_OVER_POSITION = GainText(
    intro="""\
   Gains are those of a crane at rest where the reference is$AXES_TEXT.
   They stand in $ROWS rows, wrong by at most $GRID_ERROR_TEXT of the largest part of an input
   between them; beyond these positions those of the edge hold. The motion must be slow against
   the loop.""",
    state="""\
    int outside;      /* whether the gains are those of the grid's edge */
    ${P}_real faded; /* part of the feedback that acts, 1 once it has faded in */""",
    where="const real *place;",
    sizes="""\
    AXES = $AXES,       /* of the grid of gains */
    ROWS = $ROWS,       /* points of it, the last axis fastest */
    PARTS = $PARTS,     /* positions of an axis that count at a place, at most */
    CORNERS = $CORNERS, /* points of the grid that count at a place */""",
    tables="""\
/* Axes: how many positions each has, where these begin, rows from one to the next. */
static const int count_on[$SIZE_AXES] = {$COUNTS};
static const int first_on[$SIZE_AXES] = {$FIRSTS};
static const int stride_on[$SIZE_AXES] = {$STRIDES};
static const int turning[$SIZE_AXES] = {$TURNING};
static const real point_of[] = {$POINTS};
static const real fade_step = $FADE_STEP; /* from sample to sample */

static const real gain_of[ROWS][INPUTS * COLUMNS] = {
$GRID
};""",
    init="    s->outside = 0;\n    s->faded = $FADE_START;",
    feedback="""\
/* Positions of a straight axis that count at x, and their parts: its neighbours, or the edge. */
static int straight_parts(${P}_state *s, const real *point, int count, real x, int *node,
                          real *part)
{
    real share;
    int i = 0;

    while (i < count - 2 && x >= point[i + 1]) i++;
    share = (x - point[i]) / (point[i + 1] - point[i]);
    if (!(share >= $ZERO && share <= $ONE)) s->outside = 1;
    if (!(share > $ZERO)) share = $ZERO; /* also what is no number */
    if (share > $ONE) share = $ONE;
    node[0] = i;
    node[1] = i + 1;
    part[0] = $ONE - share;
    part[1] = share;
    return 2;
}

/* Those of an axis that goes round: all of them, in a trigonometric polynomial. */
static int turning_parts(const real *point, int count, real x, int *node, real *part)
{
    int j, k;

    for (j = 0; j < count; j++) {
        const real c = $COS(x - point[j]), twice = c + c;
        real sum = $ONE, before = $ONE, wave = c;
        for (k = 1; 2 * k < count; k++) {
            const real next = twice * wave - before;
            sum += wave + wave;
            before = wave;
            wave = next;
        }
        node[j] = j;
        part[j] = sum / (real)count;
    }
    return count;
}

/* Feedback of signals, integrals, past corrections and disturbances, with the gains at a place;
   pull: those of the integrals. */
static void feed_back(${P}_state *s, const aim *at, const real *fed, real *u, real *pull)
{
    real part[$SIZE_AXES][PARTS], gain[INPUTS * COLUMNS];
    int node[$SIZE_AXES][PARTS], used[$SIZE_AXES], corner, a, i, j;

    s->outside = 0;
    for (a = 0; a < AXES; a++) {
        const real *point = point_of + first_on[a];
        const real x = at->place[a];
        used[a] = turning[a] ? turning_parts(point, count_on[a], x, node[a], part[a])
                             : straight_parts(s, point, count_on[a], x, node[a], part[a]);
    }
    for (i = 0; i < INPUTS * COLUMNS; i++) gain[i] = $ZERO;
    for (corner = 0; corner < CORNERS; corner++) {
        const real *from = gain_of[0];
        real weight = $ONE;
        int left = corner;
        for (a = 0; a < AXES; a++) {
            const int k = left % used[a];
            left /= used[a];
            from += stride_on[a] * node[a][k] * (INPUTS * COLUMNS);
            weight *= part[a][k];
        }
        for (i = 0; i < INPUTS * COLUMNS; i++) gain[i] += weight * from[i];
    }
    for (i = 0; i < INPUTS; i++) {
        real sum = $ZERO;
        for (j = 0; j < COLUMNS; j++) sum += gain[i * COLUMNS + j] * fed[j];
        for (j = 0; j < INTEGRALS; j++) *pull++ = s->faded * gain[i * COLUMNS + SIGNALS + j];
        u[i] = at->hold[i] - s->faded * sum;
    }
    s->faded += fade_step;
    if (s->faded > $ONE) s->faded = $ONE;
}
""",
)
