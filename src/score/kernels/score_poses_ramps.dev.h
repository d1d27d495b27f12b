/* Distances and ramps of VECTOR_WIDTH ligand atoms at once. EXACT 1: correctly rounded. */
#ifndef QN_SCREEN_SCORE_POSES_RAMPS_DEV_H
#define QN_SCREEN_SCORE_POSES_RAMPS_DEV_H

#define LANES VEC(float, VECTOR_WIDTH)
#define SPLAT(x) VEC_SPLAT(float, VECTOR_WIDTH, x)

DEVICE_FN LANES distance_of(LANES square)
{
#if EXACT
    return NORMAL_SQRT(square);
#else
    return square * FAST_RSQRT(square);
#endif
}

DEVICE_FN LANES add_ramp(LANES energy, LANES r, float end, float ramp)
{
#if EXACT && VECTOR_WIDTH == 1
    LANES bent = end - FMIN(r, end);
#elif EXACT
    LANES bent = SPLAT(end) - VEC_SELECT(r < SPLAT(end), r, SPLAT(end));
#else
    LANES bent = SATURATE(FMA(r, SPLAT(end), SPLAT(1.0f)));
#endif
    return FMA(bent, SPLAT(ramp), energy);
}

#endif
