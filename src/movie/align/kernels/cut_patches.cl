/* A group has one patch of one frame: it computes the mean, then writes the tapered differences from it. */
#include "movie/align/kernels/cut_patches.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void cut_patches(GLOBAL const float *RESTRICT frames,
                                                      GLOBAL const int *RESTRICT corners,
                                                      GLOBAL const float *RESTRICT taper,
                                                      GLOBAL float *RESTRICT patches, const cut_scalars s)
{
    LOCAL float sums[GROUP_SIZE];
    const int item = LOCAL_ID(0), frame = GROUP_ID(0), patch = GROUP_ID(1), pixels = s.patch_width * s.patch_height;
    const int left = corners[2 * (s.first + patch)], top = corners[2 * (s.first + patch) + 1];
    GLOBAL const float *from = frames + ((qn_int64)frame * s.height + top) * s.width + left;
    GLOBAL float *to = patches + ((qn_int64)patch * s.frames + frame) * pixels;
    float sum = 0.0f;
    for (int i = item; i < pixels; i += GROUP_SIZE) {
        const int y = i / s.patch_width;
        sum += from[y * s.width + i - y * s.patch_width];
    }
    sums[item] = sum;
    for (int apart = GROUP_SIZE / 2; apart > 0; apart /= 2) {
        LOCAL_BARRIER();
        if (item < apart) sums[item] += sums[item + apart];
    }
    LOCAL_BARRIER();
    const float mean = sums[0] / (float)pixels;
    for (int i = item; i < pixels; i += GROUP_SIZE) {
        const int y = i / s.patch_width, x = i - y * s.patch_width;
        to[i] = (from[y * s.width + x] - mean) * (taper[x] * taper[s.patch_width + y]);
    }
}
