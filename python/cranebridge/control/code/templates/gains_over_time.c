/* Feedback of signals, integrals, past corrections and disturbances, with the gains at a sample;
   pull: those of the integrals. */
static void feed_back(controller_state *s, const aim *at, const real *fed, real *u, real *pull)
{
    const long k = at->sample;
    const real *low, *high;
    real part, rest;
    int i, j;

    if (s->node < NODES - 2 && k >= node_of[s->node + 1]) s->node++;
    low = gain_of[s->node];
    high = gain_of[s->node + 1];
    part = (real)(k - node_of[s->node]) / (real)(node_of[s->node + 1] - node_of[s->node]);
    rest = ONE_ - part;
    for (i = 0; i < INPUTS; i++) {
        real sum = ZERO_;
        for (j = 0; j < COLUMNS; j++) {
            const real gain = rest * *low++ + part * *high++;
            if (j >= SIGNALS && j < SIGNALS + INTEGRALS) *pull++ = gain;
            sum += gain * fed[j];
        }
        u[i] = at->hold[i] - sum;
    }
}
