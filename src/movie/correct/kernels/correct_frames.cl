/* Frames as a camera stores them are added up (sum_frames), or corrected: correct_frame computes (sample − dark) · gain
 * and the sums of blocks, frame_mean makes the mean of these, fill_frame gives a value to bad pixels, whose gain is 0,
 * and to the pixels between the frame and its padded size;
 * set_gain marks bad pixels. The order of additions is that of correct_frames.dev.h. */
#include "movie/correct/kernels/correct_frames.dev.h"

#ifndef BLOCKS
#error "BLOCKS: blocks of pixels a group takes"
#endif
#ifndef UNROLLED
#error "UNROLLED: pixels of a row that a work-item takes at once"
#endif
#ifndef SAMPLES
#error "SAMPLES: kind of the samples, SAMPLES_UINT8 …"
#endif

/* Sample i. Two-byte samples lie in pairs in words, the first in the low half. */
DEVICE_FN float sample_at(GLOBAL const qn_uint32 *samples, int i)
{
#if SAMPLES == SAMPLES_UINT8
    return (float)((GLOBAL const qn_uint8 *)samples)[i];
#elif SAMPLES == SAMPLES_INT8
    return (float)((int)((GLOBAL const qn_uint8 *)samples)[i] - 2 * ((int)((GLOBAL const qn_uint8 *)samples)[i] & 128));
#elif SAMPLES == SAMPLES_UINT16
    return (float)(samples[i / 2] >> 16 * (i % 2) & 0xffffu);
#elif SAMPLES == SAMPLES_INT16
    const int bits = (int)(samples[i / 2] >> 16 * (i % 2) & 0xffffu);
    return (float)(bits - 2 * (bits & 0x8000));
#else
    return BITS_FLOAT(samples[i]);
#endif
}

KERNEL GROUP_LIMIT(CORRECT_LANES, BLOCKS, 1) void sum_frames(GLOBAL const qn_uint32 *RESTRICT samples,
                                                             GLOBAL float *RESTRICT sums, const correct_scalars s)
{
    const int begin = GROUP_ID(0) * CORRECT_COLUMNS + LOCAL_ID(0), first_row = GLOBAL_ID(1) * CORRECT_ROWS;
    const int end = MIN(s.width, (GROUP_ID(0) + 1) * CORRECT_COLUMNS),
              end_row = MIN(s.height, first_row + CORRECT_ROWS);
    for (int y = first_row; y < end_row; y++)
        for (int x = begin; x < end; x += CORRECT_LANES) {
            const int i = y * s.width + x;
            float total = sums[i];
            UNROLL_BY(UNROLLED)
            for (int f = 0; f < s.frame_count; f++) total += sample_at(samples + (qn_int64)f * s.frame_words, i);
            sums[i] = total;
        }
}

/* Add the values of a block's lanes; the total is in the first. */
DEVICE_FN void add_lanes(LOCAL_PTR float *lanes, int lane)
{
    for (int upper = CORRECT_LANES / 2; upper > 0; upper /= 2) {
        LOCAL_BARRIER();
        if (lane < upper) lanes[lane] += lanes[lane + upper];
    }
}

KERNEL GROUP_LIMIT(CORRECT_LANES, BLOCKS,
                   1) void correct_frame(GLOBAL const qn_uint32 *RESTRICT samples, GLOBAL const float *RESTRICT gain,
                                         GLOBAL const float *RESTRICT dark, GLOBAL float *RESTRICT frame,
                                         GLOBAL float *RESTRICT sums, const correct_scalars s)
{
    LOCAL float lanes[BLOCKS * CORRECT_LANES];
    const int lane = LOCAL_ID(0), begin = GROUP_ID(0) * CORRECT_COLUMNS + lane, first_row = GLOBAL_ID(1) * CORRECT_ROWS;
    const int end = MIN(s.width, (GROUP_ID(0) + 1) * CORRECT_COLUMNS),
              end_row = MIN(s.height, first_row + CORRECT_ROWS);
    float total = 0.0f;
    for (int y = first_row; y < end_row; y++) {
        UNROLL_BY(UNROLLED)
        for (int x = begin; x < end; x += CORRECT_LANES) {
            const int i = y * s.width + x;
            const float factor = gain[i], sample = sample_at(samples, i);
            const float value = (s.has_dark ? sample - dark[i] : sample) * factor;
            const float kept = factor == 0.0f ? 0.0f : value; /* a bad sample may be NaN */
            frame[y * s.padded_width + x] = kept;
            total += kept;
        }
    }
    lanes[LOCAL_ID(1) * CORRECT_LANES + lane] = total;
    add_lanes(lanes + LOCAL_ID(1) * CORRECT_LANES, lane);
    if (lane == 0 && first_row < s.height)
        sums[GLOBAL_ID(1) * s.blocks_x + GROUP_ID(0)] = lanes[LOCAL_ID(1) * CORRECT_LANES];
}

KERNEL GROUP_LIMIT(CORRECT_LANES, 1, 1) void frame_mean(GLOBAL const float *RESTRICT sums, GLOBAL float *RESTRICT mean,
                                                        const correct_scalars s)
{
    LOCAL float lanes[CORRECT_LANES];
    const int lane = LOCAL_ID(0), blocks = s.blocks_x * s.blocks_y;
    float total = 0.0f;
    for (int i = lane; i < blocks; i += CORRECT_LANES) total += sums[i];
    lanes[lane] = total;
    add_lanes(lanes, lane);
    if (lane == 0) mean[0] = lanes[0] * s.mean_of_sum;
}

/* Give other values to some pixels of the gain: 0 to those that are bad in this movie, their own again afterwards. */
KERNEL GROUP_LIMIT(CORRECT_LANES *BLOCKS, 1, 1) void set_gain(GLOBAL const qn_int32 *RESTRICT pixels,
                                                              GLOBAL const float *RESTRICT values,
                                                              GLOBAL float *RESTRICT gain, const correct_scalars s)
{
    const int item = GLOBAL_ID(0);
    if (item < s.move_count) gain[pixels[item]] = values[item];
}

/* Work-items take, in this order: the pixels to the right of the frame, those above it, the bad pixels. */
KERNEL GROUP_LIMIT(CORRECT_LANES *BLOCKS, 1, 1) void fill_frame(GLOBAL const qn_int32 *RESTRICT moves,
                                                                GLOBAL const float *RESTRICT mean,
                                                                GLOBAL float *RESTRICT frame, const correct_scalars s)
{
    const int item = GLOBAL_ID(0), beside = s.padded_width - s.width, right = beside * s.height;
    const int padding = right + s.padded_width * (s.padded_height - s.height), move = item - padding;
    if (item < right)
        frame[item / beside * s.padded_width + s.width + item % beside] = mean[0];
    else if (item < padding)
        frame[s.padded_width * s.height + item - right] = mean[0];
    else if (move < s.move_count)
        frame[moves[2 * move]] = moves[2 * move + 1] < 0 ? mean[0] : frame[moves[2 * move + 1]];
}
