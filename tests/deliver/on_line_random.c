/* Random wishes and measurements, sensible and not, to the controller of an on-line generator.
   Whatever comes in, what comes out is a number within the limits. Prints how often each status
   was returned: moving or done, -1, -2, -3. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "case.h"
#include "mine_controller.h"

typedef mine_controller_real real;

enum { MEASURED = mine_controller_MEASURED, INPUTS = mine_controller_INPUTS };

static unsigned long long seed = 1;

/* A number from 0 to 1 (Knuth's MMIX). */
static double draw(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static real nonsense(void)
{
    const double kind = draw();
    if (kind < 0.4) return (real)NAN;
    if (kind < 0.6) return (real)INFINITY;
    if (kind < 0.8) return (real)-INFINITY;
    return (real)((draw() - 0.5) * 1e30);
}

static void fail(const char *what, long k)
{
    fprintf(stderr, "%s at sample %ld\n", what, k);
    exit(1);
}

int main(int count, char **words)
{
    static mine_state generator;
    static mine_controller_state state;
    static const real start[] = START, end[] = END, least[] = LEAST, most[] = MOST, rest[] = REST;
    static long seen[4];
    const long samples = count > 1 ? atol(words[1]) : 1000;
    double t = 0.0;
    long k;

    if (mine_init(&generator) < 0) fail("init", 0);
    mine_controller_init(&state);
    for (k = 0; k < samples; k++) {
        real measured[MEASURED], u[INPUTS], goal[mine_OUTPUTS];
        const double wish = draw(), lost = draw();
        int i, status;

        for (i = 0; i < mine_OUTPUTS; i++)
            goal[i] = draw() < 0.02 ? nonsense()
                                    : start[i] + (real)(1.6 * draw() - 0.3) * (end[i] - start[i]);
        if (wish < 0.002) status = mine_plan(&generator, start, goal, (real)(4.0 * draw() + 2.0));
        else if (wish < 0.006) status = mine_replan(&generator, (real)t, goal);
        else if (wish < 0.008) status = mine_stop(&generator, (real)t);
        else if (wish < 0.0081) {
            mine_controller_init(&state);
            status = -1;
        } else status = -1;
        if (status == mine_OK) t = 0.0;
        for (i = 0; i < MEASURED; i++) measured[i] = rest[i] + (real)(0.2 * (draw() - 0.5));
        if (lost < 0.05) measured[(int)(draw() * MEASURED)] = nonsense();
        else if (lost < 0.06)
            for (i = 0; i < MEASURED; i++) measured[i] = nonsense();
        status = mine_controller_step(&state, &generator,
                                      draw() < 0.001 ? nonsense() : (real)t, measured, u);
        if (status < -3 || status > 1) fail("status", k);
        for (i = 0; i < INPUTS; i++)
            if (!(u[i] >= least[i] && u[i] <= most[i])) fail("input", k);
        seen[status < 0 ? -status : 0]++;
        t += CYCLE;
    }
    for (k = 0; k < 4; k++) printf("%ld ", seen[k]);
    printf("\n");
    return 0;
}
