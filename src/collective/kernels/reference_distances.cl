/* Sixteen work-items have one reference, and a group has GROUP_SIZE / 16 references. All sum over atoms; then the first
 * work-items of the group each find the rotation of one reference, while the others wait. */
#include "collective/kernels/reference_distances.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef UNROLLED
#error "UNROLLED: atoms that a work-item takes at once"
#endif

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void reference_distances(GLOBAL const float *RESTRICT references,
                                                              GLOBAL const float *RESTRICT frame,
                                                              GLOBAL float *RESTRICT rmsd, int stride, int count,
                                                              float inverse)
{
    LOCAL float sums[9 * GROUP_SIZE];
    LOCAL float rotations[9 * (GROUP_SIZE / DISTANCE_LANES)];
    const int id = LOCAL_ID(0), lane = id % DISTANCE_LANES, slot = id / DISTANCE_LANES;
    const int place = GROUP_ID(0) * (GROUP_SIZE / DISTANCE_LANES) + slot;
    GLOBAL const float *reference = references + (qn_int64)MIN(place, count - 1) * 3 * stride;
    float s[9] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f}, r[9], sum = 0.0f;

    UNROLL_BY(UNROLLED)
    for (int i = lane; i < stride; i += DISTANCE_LANES) {
        const float x = reference[i], y = reference[stride + i], z = reference[2 * stride + i];
        const float w = frame[3 * stride + i];
        const float u = w * frame[i], v = w * frame[stride + i], t = w * frame[2 * stride + i];
        s[0] += x * u;
        s[1] += x * v;
        s[2] += x * t;
        s[3] += y * u;
        s[4] += y * v;
        s[5] += y * t;
        s[6] += z * u;
        s[7] += z * v;
        s[8] += z * t;
    }
    UNROLL
    for (int k = 0; k < 9; k++) sums[k * GROUP_SIZE + id] = s[k];
    LOCAL_BARRIER();
    for (int half_lanes = DISTANCE_LANES / 2; half_lanes > 0; half_lanes /= 2) {
        if (lane < half_lanes) {
            UNROLL
            for (int k = 0; k < 9; k++) sums[k * GROUP_SIZE + id] += sums[k * GROUP_SIZE + id + half_lanes];
        }
        LOCAL_BARRIER();
    }
    if (id < GROUP_SIZE / DISTANCE_LANES) {
        UNROLL
        for (int k = 0; k < 9; k++) s[k] = sums[k * GROUP_SIZE + id * DISTANCE_LANES];
        distance_rotation(s, r);
        UNROLL
        for (int k = 0; k < 9; k++) rotations[9 * id + k] = r[k];
    }
    LOCAL_BARRIER();

    UNROLL
    for (int k = 0; k < 9; k++) r[k] = rotations[9 * slot + k];
    UNROLL_BY(UNROLLED)
    for (int i = lane; i < stride; i += DISTANCE_LANES) {
        const float x = reference[i], y = reference[stride + i], z = reference[2 * stride + i];
        const float u = frame[i] - (r[0] * x + r[1] * y + r[2] * z);
        const float v = frame[stride + i] - (r[3] * x + r[4] * y + r[5] * z);
        const float t = frame[2 * stride + i] - (r[6] * x + r[7] * y + r[8] * z);
        sum += frame[3 * stride + i] * (u * u + v * v + t * t);
    }
    sums[id] = sum;
    LOCAL_BARRIER();
    for (int half_lanes = DISTANCE_LANES / 2; half_lanes > 0; half_lanes /= 2) {
        if (lane < half_lanes) sums[id] += sums[id + half_lanes];
        LOCAL_BARRIER();
    }
    if (lane == 0 && place < count) rmsd[place] = SQRT(sums[id] * inverse);
}

/* Sixteen work-items have one reference here too. Each has every 16th atom a, and all pass the same atoms b > a. Sums
 * over b are added up for each a, so that they stay short. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void reference_drmsd(GLOBAL const float *RESTRICT references,
                                                          GLOBAL const float *RESTRICT frame,
                                                          GLOBAL float *RESTRICT drmsd, int stride, int count,
                                                          float inverse, int atoms)
{
    LOCAL float sums[GROUP_SIZE];
    const int id = LOCAL_ID(0), lane = id % DISTANCE_LANES, slot = id / DISTANCE_LANES;
    const int place = GROUP_ID(0) * (GROUP_SIZE / DISTANCE_LANES) + slot;
    GLOBAL const float *reference = references + (qn_int64)MIN(place, count - 1) * 3 * stride;
    float sum = 0.0f;
    for (int first = 0; first < atoms; first += DISTANCE_LANES) {
        const int a = first + lane;
        const float x = reference[a], y = reference[stride + a], z = reference[2 * stride + a];
        const float u = frame[a], v = frame[stride + a], t = frame[2 * stride + a];
        float row = 0.0f;
        for (int b = first + 1; b < atoms; b++) {
            const float r =
                distance_between(x, y, z, reference[b], reference[stride + b], reference[2 * stride + b]);
            const float d = distance_between(u, v, t, frame[b], frame[stride + b], frame[2 * stride + b]);
            const float difference = d - r;
            row += b > a ? difference * difference : 0.0f;
        }
        sum += row;
    }
    sums[id] = sum;
    LOCAL_BARRIER();
    for (int half_lanes = DISTANCE_LANES / 2; half_lanes > 0; half_lanes /= 2) {
        if (lane < half_lanes) sums[id] += sums[id + half_lanes];
        LOCAL_BARRIER();
    }
    if (lane == 0 && place < count) drmsd[place] = SQRT(sums[id] * inverse);
}
