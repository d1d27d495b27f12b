/* Results of the sums of even and of odd frames: sums over rings, filters from them, and the places that patches
 * show. `sum_rings`: a group has a ring of a patch, `find_centres`: a patch; the others: a work-item has a number. */
#include "movie/align/kernels/halves.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif

/* Add the values of the lanes of three sums; the totals are in the first. */
DEVICE_FN void add_lanes(LOCAL_PTR float *lanes, int lane)
{
    for (int upper = HALVES_LANES / 2; upper > 0; upper /= 2) {
        LOCAL_BARRIER();
        if (lane < upper)
            for (int k = 0; k < 3; k++) lanes[k * HALVES_LANES + lane] += lanes[k * HALVES_LANES + lane + upper];
    }
    LOCAL_BARRIER();
}

KERNEL GROUP_LIMIT(HALVES_LANES, 1, 1) void sum_rings(GLOBAL const qn_complex *RESTRICT halves,
                                                      GLOBAL const int *RESTRICT pixels,
                                                      GLOBAL const int *RESTRICT starts, GLOBAL float *RESTRICT sums,
                                                      const halves_scalars s)
{
    LOCAL float lanes[3 * HALVES_LANES];
    const int lane = LOCAL_ID(0), ring = GROUP_ID(0), patch = GROUP_ID(1), end = starts[ring + 1];
    GLOBAL const qn_complex *even = halves + (qn_int64)patch * 2 * s.rows * s.columns, *odd = even + s.rows * s.columns;
    float product = 0.0f, evens = 0.0f, odds = 0.0f;
    for (int i = starts[ring] + lane; i < end; i += HALVES_LANES) {
        const qn_complex e = even[pixels[i]], o = odd[pixels[i]];
        const float times = pixels[i] % s.columns == 0 ? 1.0f : 2.0f; /* the other half of the spectrum */
        product += times * (e.x * o.x + e.y * o.y);
        evens += times * (e.x * e.x + e.y * e.y);
        odds += times * (o.x * o.x + o.y * o.y);
    }
    lanes[lane] = product;
    lanes[HALVES_LANES + lane] = evens;
    lanes[2 * HALVES_LANES + lane] = odds;
    add_lanes(lanes, lane);
    if (lane < 3) sums[((s.first + patch) * s.rings + ring) * 3 + lane] = lanes[lane * HALVES_LANES];
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void fill_filter(GLOBAL const float *RESTRICT weights,
                                                      GLOBAL float *RESTRICT plane, const halves_scalars s)
{
    const int item = GLOBAL_ID(0), row = item / s.columns;
    if (row >= s.rows) return;
    plane[item] = halves_filter(weights, item - row * s.columns, row, &s);
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void weigh_halves(GLOBAL qn_complex *RESTRICT halves,
                                                       GLOBAL const float *RESTRICT plane, const halves_scalars s)
{
    const int item = GLOBAL_ID(0), row = item / s.columns, pixels = s.rows * s.columns;
    if (row >= s.rows) return;
    const float radius =
        halves_radius(item - row * s.columns, row, s.rows, 1.0f / (float)s.width, 1.0f / (float)s.rows);
    const float weight = radius * SQRT(plane[item]);
    for (int h = 0; h < s.halves; h++) {
        const qn_int64 place = (qn_int64)h * pixels + item;
        halves[place] = COMPLEX_SCALE(halves[place], weight);
    }
}

KERNEL GROUP_LIMIT(HALVES_LANES, 1, 1) void find_centres(GLOBAL const float *RESTRICT maps, GLOBAL float *RESTRICT sums,
                                                         const halves_scalars s)
{
    LOCAL float lanes[3 * HALVES_LANES];
    const int lane = LOCAL_ID(0), patch = GROUP_ID(0), pixels = s.rows * s.width;
    GLOBAL const float *even = maps + (qn_int64)patch * 2 * pixels, *odd = even + pixels;
    float all = 0.0f, along = 0.0f, up = 0.0f;
    for (int i = lane; i < pixels; i += HALVES_LANES) {
        const int y = i / s.width, x = i - y * s.width;
        const float product = even[i] * odd[i];
        all += product;
        along += product * ((float)x - 0.5f * (float)(s.width - 1));
        up += product * ((float)y - 0.5f * (float)(s.rows - 1));
    }
    lanes[lane] = all;
    lanes[HALVES_LANES + lane] = along;
    lanes[2 * HALVES_LANES + lane] = up;
    add_lanes(lanes, lane);
    if (lane < 3) sums[(s.first + patch) * 3 + lane] = lanes[lane * HALVES_LANES];
}
