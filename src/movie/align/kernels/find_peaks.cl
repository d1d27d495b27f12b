/* Maxima of correlations near shift 0, and the values around it. `find_peaks`: a group has a map; each work-item takes
 * every GROUP_SIZE-th shift, then the group finds the largest of their maxima. Of equal values the first wins. */
#include "movie/align/kernels/find_peaks.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif

DEVICE_FN float value_at(GLOBAL const float *map, const peaks_scalars *s, int x, int y)
{
    return map[(y < 0 ? y + s->height : y) * s->width + (x < 0 ? x + s->width : x)];
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void find_peaks(GLOBAL const float *RESTRICT maps,
                                                     GLOBAL qn_float4 *RESTRICT peaks, const peaks_scalars s)
{
    LOCAL float values[GROUP_SIZE];
    LOCAL int places[GROUP_SIZE];
    const int item = LOCAL_ID(0), across = 2 * s.reach_x + 1, count = across * (2 * s.reach_y + 1);
    GLOBAL const float *map = maps + (qn_int64)GROUP_ID(0) * s.width * s.height;
    float largest = -FLOAT_MAXIMUM;
    int place = count / 2;
    for (int i = item; i < count; i += GROUP_SIZE) {
        const int row = i / across;
        const float value = value_at(map, &s, i - row * across - s.reach_x, row - s.reach_y);
        if (value > largest) {
            largest = value;
            place = i;
        }
    }
    values[item] = largest;
    places[item] = place;
    for (int apart = GROUP_SIZE / 2; apart > 0; apart /= 2) {
        LOCAL_BARRIER();
        if (item >= apart) continue;
        const float other = values[item + apart];
        if (other > values[item] || (other == values[item] && places[item + apart] < places[item])) {
            values[item] = other;
            places[item] = places[item + apart];
        }
    }
    if (item != 0) return;
    const int row = places[0] / across, x = places[0] - row * across - s.reach_x, y = row - s.reach_y;
    const float middle = value_at(map, &s, x, y);
    const float along_x = peaks_offset(value_at(map, &s, x - 1, y), middle, value_at(map, &s, x + 1, y));
    const float along_y = peaks_offset(value_at(map, &s, x, y - 1), middle, value_at(map, &s, x, y + 1));
    const int beyond = x == -s.reach_x || x == s.reach_x || y == -s.reach_y || y == s.reach_y;
    peaks[s.first + GROUP_ID(0)] = FLOAT4_MAKE((float)x + along_x, (float)y + along_y, middle, beyond ? 1.0f : 0.0f);
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void cut_windows(GLOBAL const float *RESTRICT maps, GLOBAL float *RESTRICT windows,
                                                      const peaks_scalars s)
{
    const int across = 2 * s.reach_x + 1, count = across * (2 * s.reach_y + 1);
    GLOBAL const float *map = maps + (qn_int64)GROUP_ID(0) * s.width * s.height;
    for (int i = LOCAL_ID(0); i < count; i += GROUP_SIZE) {
        const int row = i / across;
        windows[(qn_int64)(s.first + GROUP_ID(0)) * count + i] =
            value_at(map, &s, i - row * across - s.reach_x, row - s.reach_y);
    }
}
