/* Vectors of LANES doubles, one time point a lane: what the generated functions are written in.
 *
 * The same text is compiled for 1, 2, 4 and 8 lanes. Only operations that IEEE 754 rounds correctly
 * are used (+ - * / sqrt), without contraction to fused ones, so that a lane's result depends
 * neither on the number of lanes nor on the processor. Other functions go through libm, lane by
 * lane.
 */
#include <math.h>
#include <string.h>

typedef double V __attribute__((vector_size(8 * LANES)));
typedef long long Mask __attribute__((vector_size(8 * LANES))); /* -1 where true, 0 elsewhere */

#define EACH_LANE for (int lane = 0; lane < LANES; ++lane)

static inline V all(double x)
{
    V r = {0};
    EACH_LANE r[lane] = x;
    return r;
}

/* 0, 1, 2, ... */
static inline V counted(void)
{
    V r = {0};
    EACH_LANE r[lane] = (double)lane;
    return r;
}

static inline V choose(Mask mask, V yes, V no)
{
    return (V)((mask & (Mask)yes) | (~mask & (Mask)no));
}

/* 1.0 where true: the truth values of CasADi. */
static inline V truth(Mask mask)
{
    return (V)(mask & (Mask)all(1.0));
}

static inline int any(Mask mask)
{
    long long found = 0;
    EACH_LANE found |= mask[lane];
    return found != 0;
}

static inline V v_fabs(V a)
{
    return (V)((Mask)a & ~(Mask)all(-0.0));
}

static inline V v_sqrt(V a)
{
    V r = {0};
    EACH_LANE r[lane] = __builtin_sqrt(a[lane]);
    return r;
}

static inline V v_sign(V a)
{
    return choose(a > 0.0, all(1.0), choose(a < 0.0, all(-1.0), a));
}

#define BY_LANE(name) \
    static V __attribute__((unused, noinline)) v_##name(V a) \
    { \
        V r = {0}; \
        EACH_LANE r[lane] = name(a[lane]); \
        return r; \
    }
#define BY_LANE_2(name) \
    static V __attribute__((unused, noinline)) v_##name(V a, V b) \
    { \
        V r = {0}; \
        EACH_LANE r[lane] = name(a[lane], b[lane]); \
        return r; \
    }
