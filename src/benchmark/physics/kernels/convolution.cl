/* Convolution of an image with a small filter: out[y][x] = sum over j, i of in[y + j][x + i] * filter[j][i].
 *
 * `in` has FILTER_HEIGHT - 1 more rows and FILTER_WIDTH - 1 more columns than `out`. A group computes BLOCK_X * TILE_X
 * by BLOCK_Y * TILE_Y outputs, an item TILE_X by TILE_Y of them. SLIDING: an item's outputs are adjacent along x, so
 * that it reads the inputs of a row once and uses them for several outputs; otherwise its outputs are BLOCK_X apart, so
 * that neighbouring items read adjacent inputs. */
#include "runtime/kernels/wide.dev.h"

#include "benchmark/physics/kernels/convolution.dev.h"

#ifndef BLOCK_X
#error "BLOCK_X: work-items of a group along x"
#endif
#ifndef BLOCK_Y
#error "BLOCK_Y: work-items of a group along y"
#endif
#ifndef TILE_X
#error "TILE_X: outputs of an item along x"
#endif
#ifndef TILE_Y
#error "TILE_Y: outputs of an item along y"
#endif
#ifndef SLIDING
#error "SLIDING: whether an item's outputs lie side by side"
#endif
#ifndef LOCAL_IMAGE
#error "LOCAL_IMAGE: whether inputs go through local memory"
#endif
#ifndef PADDING
#error "PADDING: whether 4 unused floats follow each 32 in local memory"
#endif
#ifndef FILTER_MEMORY
#error "FILTER_MEMORY: 0 global, 1 constant, 2 local memory"
#endif
#ifndef UNROLL_ROWS
#error "UNROLL_ROWS: rows of the filter unrolled"
#endif
#ifndef FILTER_WIDTH
#error "FILTER_WIDTH: columns of the filter"
#endif
#ifndef FILTER_HEIGHT
#error "FILTER_HEIGHT: rows of the filter"
#endif

#define ITEMS (BLOCK_X * BLOCK_Y)
#define GROUP_WIDTH (BLOCK_X * TILE_X)
#define GROUP_HEIGHT (BLOCK_Y * TILE_Y)
#define IMAGE_WIDTH (GROUP_WIDTH + FILTER_WIDTH - 1)
#define IMAGE_HEIGHT (GROUP_HEIGHT + FILTER_HEIGHT - 1)

/* With SLIDING, a GPU's items read four floats at once, TILE_X floats apart; without padding several use the same bank.
 */
#if PADDING
#define PLACE(x) ((x) + (x) / 32 * 4)
#else
#define PLACE(x) (x)
#endif
#define LINE ((PLACE(IMAGE_WIDTH - 1) + 4) / 4 * 4)
#define WIDE (TILE_X % 4 == 0 ? 4 : 1)
#define WINDOW ((TILE_X + FILTER_WIDTH - 1 + WIDE - 1) / WIDE * WIDE)

/* Number of adjacent outputs in a vector */
#if defined(QN_LANGUAGE_OPENCL) && SLIDING && !PADDING && TILE_X != 3
#define WIDTH TILE_X
#else
#define WIDTH 1
#endif
#define PARTS (TILE_X / WIDTH)

#if FILTER_MEMORY == 1
#define FILTER_SPACE CONSTANT_PTR
#else
#define FILTER_SPACE GLOBAL const
#endif

#if SLIDING
#define OUTPUT_X(item, t) ((item)*TILE_X + (t))
#else
#define OUTPUT_X(item, t) ((item) + (t)*BLOCK_X)
#endif

#if LOCAL_IMAGE
#define IMAGE_SPACE LOCAL_PTR
#else
#define IMAGE_SPACE GLOBAL
#endif

/* Load the inputs of a group; past the end the last row and column are repeated. */
#if LOCAL_IMAGE
DEVICE_FN void load_image(LOCAL_PTR float *image, GLOBAL const float *RESTRICT in, int first_x, int first_y, int width,
                          int height)
{
    for (int y = LOCAL_ID(1); y < IMAGE_HEIGHT; y += BLOCK_Y) {
        GLOBAL const float *line = in + (qn_int64)MIN(first_y + y, height - 1) * width;
        for (int x = LOCAL_ID(0); x < IMAGE_WIDTH; x += BLOCK_X)
            image[y * LINE + PLACE(x)] = line[MIN(first_x + x, width - 1)];
    }
}
#endif

/* Read inputs x ... x + WINDOW - 1 of a line of `length` inputs. */
DEVICE_FN void read_window(float *window, IMAGE_SPACE const float *line, int x, int length)
{
#if LOCAL_IMAGE
    UNROLL
    for (int i = 0; i < WINDOW; i += WIDE) read_local(WIDE, window + i, line + PLACE(x + i));
#else
    if (x + WINDOW <= length) {
        UNROLL
        for (int i = 0; i < WINDOW; i++) window[i] = line[x + i];
    } else {
        UNROLL
        for (int i = 0; i < WINDOW; i++) window[i] = line[MIN(x + i, length - 1)];
    }
#endif
}

/* Add the products of one row of the filter and one line of inputs to a row of an item's outputs; x [TILE_X]: index in
 * the line of each output's first input. */
DEVICE_FN void add_row(VEC(float, WIDTH) * sum, const float *weight, IMAGE_SPACE const float *line, const int *x,
                       int length)
{
#if SLIDING && (WIDTH == 1 || !LOCAL_IMAGE)
    float window[WINDOW];
    read_window(window, line, x[0], length);
#endif
    UNROLL
    for (int i = 0; i < FILTER_WIDTH; i++) {
        UNROLL
        for (int p = 0; p < PARTS; p++) {
#if SLIDING && (WIDTH == 1 || !LOCAL_IMAGE)
            const VEC(float, WIDTH) value = VEC_LOAD(WIDTH, window + (p * WIDTH + i));
#elif SLIDING
            const VEC(float, WIDTH) value = VEC_LOAD(WIDTH, line + (x[0] + i));
#else
            const VEC(float, WIDTH) value = line[PLACE(x[p] + i)];
#endif
            sum[p] = VEC_FMA(value, VEC_SPLAT(float, WIDTH, weight[i]), sum[p]);
        }
    }
}

/* Write those of an item's outputs that are in the image. */
DEVICE_FN void write_outputs(GLOBAL float *RESTRICT out, const VEC(float, WIDTH) (*sum)[PARTS], int first_x, int first_y,
                             int width, int height)
{
    UNROLL
    for (int y = 0; y < TILE_Y; y++) {
        const int row = first_y + LOCAL_ID(1) * TILE_Y + y;
        float values[TILE_X];
        UNROLL
        for (int p = 0; p < PARTS; p++) VEC_STORE(WIDTH, values + p * WIDTH, sum[y][p]);
        UNROLL
        for (int t = 0; t < TILE_X; t++) {
            const int column = first_x + OUTPUT_X(LOCAL_ID(0), t);
            if (row < height && column < width) out[(qn_int64)row * width + column] = values[t];
        }
    }
}

KERNEL GROUP_LIMIT(BLOCK_X, BLOCK_Y, 1) void convolution(
    GLOBAL const float *RESTRICT in, FILTER_SPACE float *RESTRICT filter, GLOBAL float *RESTRICT out,
    const convolution_scalars s)
{
    const int first_x = GROUP_ID(0) * GROUP_WIDTH, first_y = GROUP_ID(1) * GROUP_HEIGHT;
    const int in_width = s.width + FILTER_WIDTH - 1, in_height = s.height + FILTER_HEIGHT - 1;
    VEC(float, WIDTH) sum[TILE_Y][PARTS];
    int x[TILE_X];
#if FILTER_MEMORY == 2
    LOCAL float weights[FILTER_WIDTH * FILTER_HEIGHT];
    for (int i = LOCAL_ID(1) * BLOCK_X + LOCAL_ID(0); i < FILTER_WIDTH * FILTER_HEIGHT; i += ITEMS)
        weights[i] = filter[i];
#else
    FILTER_SPACE float *weights = filter;
#endif
#if LOCAL_IMAGE
    LOCAL qn_float4 image_memory[(IMAGE_HEIGHT * LINE + WINDOW + 3) / 4];
    LOCAL_PTR float *image = (LOCAL_PTR float *)image_memory;
    load_image(image, in, first_x, first_y, in_width, in_height);
#endif
#if LOCAL_IMAGE || FILTER_MEMORY == 2
    LOCAL_BARRIER();
#endif
    UNROLL
    for (int t = 0; t < TILE_X; t++) {
#if LOCAL_IMAGE
        x[t] = OUTPUT_X(LOCAL_ID(0), t);
#else
        x[t] = MIN(first_x + OUTPUT_X(LOCAL_ID(0), t), s.width - 1);
#endif
    }
    UNROLL
    for (int y = 0; y < TILE_Y; y++) {
        UNROLL
        for (int p = 0; p < PARTS; p++) sum[y][p] = VEC_SPLAT(float, WIDTH, 0.0f);
    }
    UNROLL_BY(UNROLL_ROWS)
    for (int j = 0; j < FILTER_HEIGHT; j++) {
        float weight[FILTER_WIDTH];
        UNROLL
        for (int i = 0; i < FILTER_WIDTH; i++) weight[i] = weights[j * FILTER_WIDTH + i];
        UNROLL
        for (int y = 0; y < TILE_Y; y++) {
            const int row = LOCAL_ID(1) * TILE_Y + y + j;
#if LOCAL_IMAGE
            add_row(sum[y], weight, image + row * LINE, x, IMAGE_WIDTH);
#else
            add_row(sum[y], weight, in + (qn_int64)MIN(first_y + row, in_height - 1) * in_width, x, in_width);
#endif
        }
    }
    write_outputs(out, sum, first_x, first_y, s.width, s.height);
}
