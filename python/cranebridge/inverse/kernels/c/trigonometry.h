/* Sine and cosine of lanes, without branches, after fdlibm.
 *
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
 * Developed at SunSoft, a Sun Microsystems, Inc. business.
 * Permission to use, copy, modify, and distribute this software is freely granted, provided that
 * this notice is preserved.
 *
 * Polynomials and the splitting of pi/2 are those of k_sin.c, k_cos.c and e_rem_pio2.c. All three
 * parts of pi/2 are always subtracted (fdlibm looks whether it is needed), the rounding errors of
 * the subtractions are kept (Knuth's two-sum). Errors are below 0.8 units in the last place up to
 * LARGEST_ANGLE; larger angles, infinite ones and what is not a number go to libm, lane by lane.
 */

#define LARGEST_ANGLE 1e6 /* the quotient by pi/2 has 20 bits: its products with 33 are exact */

/* a - b = *difference + returned, exactly. */
static inline V subtract(V a, V b, V *difference)
{
    V d = a - b, back = d - a;
    *difference = d;
    return (a - (d - back)) - (b + back);
}

static void __attribute__((unused, noinline)) sine_cosine(V x, V *sine, V *cosine)
{
    const double two_over_pi = 6.36619772367581382433e-01, shift = 6755399441055744.0; /* 1.5 2^52 */
    const double part_1 = 1.57079632673412561417e+00, part_2 = 6.07710050630396597660e-11;
    const double part_3 = 2.02226624871116645580e-21, rest = 8.47842766036889956997e-32;

    /* x = n pi/2 + y + z, n the nearest integer: it stands in the last bits of a sum */
    V shifted = x * two_over_pi + shift;
    V n = shifted - shift;
    Mask quadrant = (Mask)shifted;
    V second, third;
    V error_2 = subtract(x - n * part_1, n * part_2, &second);
    V error_3 = subtract(second, n * part_3, &third);
    V tail = (error_2 + error_3) - n * rest;
    V y = third + tail;
    V z = (third - y) + tail;

    V square = y * y, cube = square * y;
    V p = 8.33333333332248946124e-03 +
          square * (-1.98412698298579493134e-04 +
                    square * (2.75573137070700676789e-06 +
                              square * (-2.50507602534068634195e-08 +
                                        square * 1.58969099521155010221e-10)));
    V s = y - ((square * (0.5 * z - cube * p) - z) - cube * -1.66666666666666324348e-01);

    V fourth = square * square;
    V q = square * (4.16666666666666019037e-02 +
                    square * (-1.38888888888741095749e-03 + square * 2.48015872894767294178e-05)) +
          fourth * fourth *
              (-2.75573143513906633035e-07 +
               square * (2.08757232129817482790e-09 + square * -1.13596475577881948265e-11));
    V half = 0.5 * square, w = 1.0 - half;
    V c = w + (((1.0 - w) - half) + (square * q - y * z));

    Mask odd = -(quadrant & 1);
    *sine = (V)((Mask)choose(odd, c, s) ^ ((quadrant & 2) << 62));
    *cosine = (V)((Mask)choose(odd, s, c) ^ (((quadrant + 1) & 2) << 62));

    Mask far = ~(v_fabs(x) <= LARGEST_ANGLE);
    if (any(far)) {
        EACH_LANE
        {
            if (far[lane]) {
                (*sine)[lane] = sin(x[lane]);
                (*cosine)[lane] = cos(x[lane]);
            }
        }
    }
}
